package rehline

import "github.com/agepath/agepath/rehline/internal/kernel"

// force is -Xᵀg, what the loss pulls the coefficients with. It is kept between
// evaluations, and only the rows of samples whose slope changed are added: near
// the solution most slopes stay at a bound. Its last entry is -Σ g with an
// intercept. It is summed anew after anewAfter changes, and where it has become
// much smaller than it was, for it carries the rounding errors of its largest
// size.
type force struct {
	loss    []float64 // dim
	changes int       // since it was summed anew
	peak    float64   // largest ‖loss‖² since then
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
	f.changes, f.peak = 0, kernel.Dot(f.loss, f.loss)
	s.total()
}

// pull does the same where dz holds the g of before, which is lost.
func (s *Solver) pull() {
	f := &s.force
	if f.changes >= anewAfter {
		s.forces()
		return
	}
	f.changes++
	kernel.Axpy(-1, s.g, s.dz)
	s.x.mulTransAdd(f.loss[:s.d], s.dz)
	if s.dim > s.d {
		f.loss[s.d] += kernel.Sum(s.dz)
	}
	size := kernel.Dot(f.loss, f.loss)
	if size < 1e-4*f.peak {
		s.forces()
		return
	}
	f.peak = max(f.peak, size)
	s.total()
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
