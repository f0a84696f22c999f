package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// force is -Xᵀg, what the loss pulls the coefficients with; its last entry is -Σ g
// with an intercept. It is kept between evaluations. A Newton step of length t
// changes the slopes by t h dz, as long as no sample leaves its piece of the
// loss, and the force by the Gram matrix: only the rows of samples that do
// otherwise are added. It is summed anew after anewAfter changes, and where it
// has become much smaller than it was, for it carries the rounding errors of its
// largest size.
type force struct {
	loss    []float64 // dim
	moved   []float64 // dim: the Gram matrix times a step
	changes int       // since it was summed anew
	rough   bool      // the Gram matrix was used since then
	peak    float64   // largest ‖loss‖² since then
}

// Slopes that are what a step predicts up to this part of them are not looked
// at. The last gap is certified by a force that was summed anew.
const (
	samePart  = 1e-14
	sameForce = 1e-12 // rounding errors of the force, as a part of it, that do not show in the gap
)

func newForce(dim int) force {
	return force{loss: make([]float64, dim), moved: make([]float64, dim)}
}

// stale makes the next use sum it anew.
func (f *force) stale() { f.changes = anewAfter }

// forces sums the force of the loss anew and sets v = Aᵀξ - Xᵀg.
func (s *Solver) forces() {
	f := &s.force
	clear(f.loss)
	s.x.mulTransAdd(f.loss[:s.d], s.g)
	if s.dim > s.d {
		f.loss[s.d] = kernel.Sum(s.g)
	}
	for j, v := range f.loss {
		f.loss[j] = -v
	}
	f.changes, f.rough, f.peak = 0, false, kernel.Dot(f.loss, f.loss)
	s.total()
}

// predict moves g and its force by a step of length t, whose scores are dz, as if
// no sample left its piece of the loss. It does nothing where the smoothing is so
// stiff that rounding errors of the product with the Gram matrix, which cancel in
// the sum over samples, would show in the gap.
func (s *Solver) predict(t float64) {
	f, w := &s.force, &s.newton
	if w.gram == nil || f.changes >= anewAfter {
		return
	}
	rounding := 0x1p-52 * t * w.stiff * float64(s.d) * math.Sqrt(kernel.Dot(s.step, s.step))
	if rounding > sameForce*math.Sqrt(kernel.Dot(s.v, s.v)) {
		return
	}
	kernel.AxpyTimes(t, s.dz, s.h, s.g)
	clear(f.moved)
	for i, v := range s.step {
		r := w.gram[i*w.ld:][:i+1]
		f.moved[i] += kernel.Dot(r, s.step[:i+1])
		kernel.Axpy(v, r[:i], f.moved[:i])
	}
	kernel.Axpy(-t/s.measure(), f.moved, f.loss)
	f.rough = true
}

// pull brings the force up to date with g where dz holds the g that it belongs
// to, which is lost.
func (s *Solver) pull() {
	f := &s.force
	if f.changes >= anewAfter {
		s.forces()
		return
	}
	f.changes++
	if !s.pullFew() {
		kernel.Axpy(-1, s.g, s.dz)
		s.x.mulTransAdd(f.loss[:s.d], s.dz)
		if s.dim > s.d {
			f.loss[s.d] += kernel.Sum(s.dz)
		}
	}
	size := kernel.Dot(f.loss, f.loss)
	if size < 1e-4*f.peak {
		s.forces()
		return
	}
	f.peak = max(f.peak, size)
	s.total()
}

// pullFew does so where few slopes differ, which it tells: at all, or after a
// prediction by more than rounding.
func (s *Solver) pullFew() bool {
	f, list := &s.force, s.newton.list
	var part float64
	if f.rough {
		part = samePart
	}
	count, ok := kernel.Changed(s.g, s.dz, 1, part, list)
	if !ok {
		return false
	}
	for _, i := range list[:count] {
		change := s.dz[i] - s.g[i]
		s.x.axpy(int(i), change, f.loss[:s.d])
		if s.dim > s.d {
			f.loss[s.d] += change
		}
	}
	return true
}

// refine sums the force anew where the Gram matrix was used, and tells whether the
// point is still good enough.
func (s *Solver) refine() bool {
	if s.force.rough {
		s.forces()
		s.certify()
	}
	return s.solved()
}

// total adds the forces of the constraints and of the samples left out.
func (s *Solver) total() {
	copy(s.v, s.force.loss)
	if s.base != nil {
		kernel.Axpy(1, s.base, s.v)
	}
	if s.k > 0 {
		kernel.MulTransAdd(s.v[:s.d], s.guard.a.Data, s.guard.a.Stride, s.guard.xi)
	}
}
