package rehline

import (
	"math"
	"time"

	"github.com/agepath/agepath/internal/kernel"
)

// state is a pair of primal and dual variables of a problem over some samples, all of
// them or those near their kinks, with what follows from it: the workspace of descent and
// of Newton steps. The coefficients are vectors of their own, which two states share.
type state struct {
	x       features
	norms   []float64 // n: ‖x_i‖², until descent has them inverted
	terms   terms     // with the slopes, the dual variables
	penalty *penalty
	guard   *constraints // with their multipliers
	costs   *costs
	limits  *limits

	*vectors
	z, dz []float64 // n: scores, and their change along the step
	g, h  []float64 // n: slopes and second derivatives of the smoothed loss
	peak  float64   // largest ‖β‖² since the scores were summed
	force force
	rest  rest
	certificate
}

// vectors are those of dim entries.
type vectors struct {
	beta []float64 // the coefficients, then the intercept
	v    []float64 // forces: Aᵀξ - Xᵀg
	grad []float64 // gradient of the smoothed objective
	step []float64
}

// rest is what samples that are left out add to the objective: a constant and a linear
// term.
type rest struct {
	value float64
	force []float64 // dim
}

func newVectors(from *arena, dim int) *vectors {
	return &vectors{beta: from.vector(dim), v: from.vector(dim), grad: from.vector(dim), step: from.vector(dim)}
}

// scores sets z = X β + b0.
func (s *state) scores(z, beta []float64) { s.scoresFrom(0, z, beta) }

// scoresFrom is scores for as many samples as z has, from one on.
func (s *state) scoresFrom(from int, z, beta []float64) {
	d := s.penalty.d
	s.x.mulVec(from, z, beta[:d])
	s.lift(z, beta)
}

// lift adds the intercept.
func (s *state) lift(z, beta []float64) {
	if d := s.penalty.d; len(beta) > d {
		b := beta[d]
		for i := range z {
			z[i] += b
		}
	}
}

// rescore computes scores and slacks anew. The force is that of other slopes then.
func (s *state) rescore() {
	if zero(s.beta) {
		clear(s.z)
	} else {
		s.scores(s.z, s.beta)
	}
	s.slacks()
	s.peak = kernel.Dot(s.beta, s.beta)
	s.force.changes = anewAfter
}

func (s *state) slacks() { s.guard.slacks(s.beta[:s.penalty.d]) }

// tell reports to Options.Progress.
func (s *state) tell() {
	if f := s.limits.progress; f != nil {
		f(Progress{Iterations: s.limits.done, Objective: s.primal*s.costs.unit + s.costs.offset, Gap: s.relative(),
			PrimalInfeasibility: s.infeasibility, Elapsed: time.Since(s.limits.began)})
	}
}

// collect sets g to the slopes and sums them, whatever the scores.
func (s *state) collect() {
	s.sums.dual = s.terms.collect(s.g)
}

// tally computes the scores of all samples and the gap where v is β, as in descent. It leaves
// off, and says so, once the samples so far have more than most of it.
func (s *state) tally(most float64) bool {
	var scratch scratch
	s.sums = sums{}
	for from := 0; from < len(s.z); from += partSize {
		z := s.z[from:min(from+partSize, len(s.z))]
		s.scoresFrom(from, z, s.beta)
		s.sums.add(s.terms.tally(z, from, &scratch))
		if s.sums.young > most {
			return false
		}
	}
	copy(s.v, s.beta)
	s.slacks()
	s.certify()
	return true
}

// settle sets g and the force of the loss to those of the slopes, where v is their sum
// with the constraints' forces.
func (s *state) settle() {
	s.collect()
	f := &s.force
	clear(f.loss)
	s.guard.forces(f.loss[:s.penalty.d])
	for j, v := range s.v {
		f.loss[j] = v - f.loss[j]
	}
	f.summed()
}

// clear makes all variables zero, and the point solved: the solution where no term is
// positive at scores of zero.
func (s *state) clear() {
	clear(s.beta)
	clear(s.guard.xi)
	s.terms.slopes(func(slope []float64) { clear(slope) })
	s.scores(s.z, s.beta)
	s.slacks()
	s.sums = sums{}
	s.refresh()
	s.status = Solved
}

// refresh sums the slopes and their forces anew and certifies them.
func (s *state) refresh() {
	s.collect()
	s.forces()
	s.certify()
}

// force is -Xᵀg, what the loss pulls the coefficients with; its last entry is -Σ g with an
// intercept. It is kept between evaluations. A Newton step of length t changes the slopes
// by t h dz, as long as no sample leaves its piece of the loss, and the force by the Gram
// matrix: only the rows of samples that do otherwise are added. It is summed anew after
// anewAfter changes, and where it has become much smaller than it was, for it carries the
// rounding errors of its largest size. That of few features is always summed anew, which
// takes no longer.
type force struct {
	loss    []float64 // dim
	moved   []float64 // dim: the Gram matrix times a step
	list    []int32   // samples whose slope changed
	changes int       // since it was summed anew
	most    int       // changes after which it is
	rough   bool      // the Gram matrix was used since then
	peak    float64   // largest ‖loss‖² since then
}

func newForce(from *arena, n, dim int) force {
	return force{loss: from.vector(dim), moved: from.vector(dim), list: changeList(from, n), most: anewAfter}
}

// changeList is room for the few samples that a step changes.
func changeList(from *arena, n int) []int32 { return from.list(min(n, max(n/32, 256)) + 8) }

// summed notes that the force was summed anew.
func (f *force) summed() { f.changes, f.rough, f.peak = 0, false, kernel.Dot(f.loss, f.loss) }

// addForce adds that of slopes to w: Xᵀa and, for an intercept, Σ a.
func (s *state) addForce(w, a []float64) {
	d := s.penalty.d
	s.x.mulTransAdd(w[:d], a)
	if len(w) > d {
		w[d] += kernel.Sum(a)
	}
}

// forces sums the force of the loss anew and sets v = Aᵀξ - Xᵀg.
func (s *state) forces() {
	f := &s.force
	clear(f.loss)
	s.addForce(f.loss, s.g)
	for j, v := range f.loss {
		f.loss[j] = -v
	}
	f.summed()
	s.total()
}

// pull brings the force up to date with g where dz holds the g that it belongs to, which
// is lost.
func (s *state) pull() {
	f := &s.force
	if f.changes >= f.most {
		s.forces()
		return
	}
	f.changes++
	if !s.pullFew() {
		kernel.Axpy(-1, s.g, s.dz)
		s.addForce(f.loss, s.dz)
	}
	size := kernel.Dot(f.loss, f.loss)
	if size < cancelled*f.peak {
		s.forces()
		return
	}
	f.peak = max(f.peak, size)
	s.total()
}

// pullFew does so where few slopes differ, which it tells: at all, or after a prediction
// by more than rounding.
func (s *state) pullFew() bool {
	f, d := &s.force, s.penalty.d
	var part float64
	if f.rough {
		part = sameSlope
	}
	count, ok := kernel.Changed(s.g, s.dz, 1, part, f.list)
	if !ok {
		return false
	}
	for _, i := range f.list[:count] {
		change := s.dz[i] - s.g[i]
		s.x.axpy(int(i), change, f.loss[:d])
		if len(f.loss) > d {
			f.loss[d] += change
		}
	}
	return true
}

// refine sums the force anew where the Gram matrix was used, and tells whether the point
// is still good enough.
func (s *state) refine() bool {
	if s.force.rough {
		s.forces()
		s.certify()
	}
	return s.solved()
}

// total adds the forces of the constraints and of the samples left out.
func (s *state) total() {
	copy(s.v, s.force.loss)
	kernel.Axpy(1, s.rest.force, s.v)
	s.guard.forces(s.v[:s.penalty.d])
}

// balance makes the slopes sum to zero, which the dual of a free intercept demands, by
// moving them within their bounds: first those that are not at a bound.
func (s *state) balance() {
	if !s.penalty.free {
		return
	}
	var excess, size float64
	for _, g := range s.g {
		excess += g
		size += math.Abs(g)
	}
	if math.Abs(excess) <= balanced*size {
		return
	}
	reach := 1.0
	for try := range balanceTries {
		excess = s.terms.shift(excess, reach, try == 0)
		if math.Abs(excess) <= balanced*size {
			break
		}
		reach *= balanceReach
	}
	s.refresh()
}
