// Package newton has the corrector: Newton's method on the optimality condition of a partition,
// alone or with the equation of an event, whose unknown is the age.
//
// A step uses the held factor while the residual falls as [condition.Policy] requires; otherwise it
// computes a new factor. If a factor of another point leads away from the solution, as it can near
// a fold, the correction restarts once with a new factor. A solution counts only if a factor proves
// that it is a strict minimum.
package newton

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// Corrector corrects points of one condition. It has one owner.
type Corrector struct {
	condition condition.Condition
	state     *model.State
	begun     []float64
	pull      []float64 // residual at the start
	step      []float64
	along     []float64 // J⁻¹ times the derivative in the age
	image     []float64
	gradient  []float64
	lead      []float64 // first step; may be empty
	entry     float64   // relative residual at the start
	exit      float64   // and at the solution; 0 for none
}

// New returns a corrector for a condition.
func New(c condition.Condition) *Corrector {
	s := c.State()
	f := func(k int) []float64 { return make([]float64, k) }
	room := len(s.Residual)
	return &Corrector{
		condition: c, state: s,
		begun: f(s.P), pull: f(s.P), step: f(2 * room), along: f(room), image: f(room), gradient: f(room),
	}
}

// Correct moves pt, at its age, to the solution near it on the current partition. On success the
// residual is rounding and the solution is a strict minimum, for which the condition holds a
// factor. Iterations of pt becomes the effort.
func (n *Corrector) Correct(pt *model.Point) bool {
	r := n.run()
	r.slow = r.policy.Slow
	copy(n.begun, pt.Theta)
	n.lead, n.exit = n.lead[:0], 0
	for pt.Iterations = 1; pt.Iterations <= r.policy.Limit; pt.Iterations++ {
		residual, done := n.evaluate(&r, pt)
		if r.first() {
			n.entry = residual
			copy(n.pull, n.state.Residual[:len(n.state.Active)])
		}
		if !done && r.astray(residual) {
			if !r.inherited {
				return false
			}
			copy(pt.Theta, n.begun)
			r.inherited, r.followed, r.residual, r.off, r.whole = false, false, math.Inf(1), math.Inf(1), math.Inf(1)
			n.condition.Renew()
			continue
		}
		if !n.prepare(&r, pt.Iterations, residual, residual, done) {
			return false
		}
		if done {
			n.exit = math.Max(residual, r.policy.Tight)
			pt.Iterations = r.effort(pt.Iterations)
			return true
		}
		k := n.state.Unknowns()
		step, image := n.step[:k], n.step[k:2*k]
		copy(step, n.state.Residual)
		copy(image, step)
		n.condition.Solve(step)
		n.leads(&r, step)
		r.followed = n.condition.Image(image, step)
		n.takeStep(&r, pt, step, image)
	}
	return false
}

// Entered reports whether the last correction or location ended, and began, at a solution, up to the
// residual at which the corrector stops.
func (n *Corrector) Entered() bool { return n.entry < tolerance.Entry*n.exit }

// Refine moves a solution by what its residual explains, if that is rounding: next to a singular J it
// is not.
func (n *Corrector) Refine(pt *model.Point) bool {
	n.condition.Predict(pt.U, pt.Theta)
	n.condition.Assemble(pt)
	step := n.step[:n.state.Unknowns()]
	copy(step, n.state.Residual)
	if !n.condition.Factorize() {
		return false
	}
	n.condition.Solve(step)
	var most, size float64
	for r, j := range n.state.Active {
		most, size = max(most, math.Abs(step[r])), max(size, math.Abs(pt.Theta[j]))
	}
	if !(most <= tolerance.Still*size) {
		return false
	}
	n.state.Step(pt, step, 1)
	return true
}

func (n *Corrector) leads(r *run, step []float64) {
	if len(n.lead) == 0 && r.policy.Trusted && r.policy.Held {
		n.lead = append(n.lead, step...)
	}
}

// Room estimates the ages from left to a fold, if the last correction or location began h ages
// further on left's tangent: its first step is h²/2 times the second derivative of the unknowns,
// along which 1/‖dθ/dλ‖² falls to zero at a fold. +Inf means no turn.
func (n *Corrector) Room(left *model.Point, h float64) float64 {
	if len(n.lead) == 0 || n.entry <= tolerance.Entry*n.condition.Policy().Tight {
		return math.Inf(1)
	}
	var along, size float64
	for r, j := range n.state.Active {
		rate := n.state.Diag[r] * left.Rate[j]
		along -= rate * n.lead[r]
		size += rate * left.Rate[j]
	}
	if !(along > 0) {
		return math.Inf(1)
	}
	return h * h * size / (4 * along)
}

type run struct {
	policy    condition.Policy
	slow      float64 // part of the deviation that a held factor may leave
	inherited bool    // factor of another point, not failed yet
	newton    bool
	followed  bool
	factors   int
	residual  float64
	off       float64 // with the event function
	whole     float64 // from predicted predictors
}

func (n *Corrector) run() run {
	policy := n.condition.Policy()
	return run{policy: policy, inherited: policy.Held, residual: math.Inf(1), off: math.Inf(1), whole: math.Inf(1)}
}

// astray reports whether the last step led away from the solution. For an untested factor of
// another point a slow decrease, as near a fold, is enough.
func (r *run) astray(residual float64) bool {
	part := float64(tolerance.Diverged)
	if r.inherited && !r.policy.Trusted {
		part = r.slow
	}
	return !(residual < part*r.residual)
}

func (r *run) first() bool { return math.IsInf(r.residual, 1) }

// effort is the number of iterations, or if factors dominate the cost, one plus the new factors.
func (r *run) effort(iterations int) int {
	if r.policy.Limit > tolerance.CorrectorSteps {
		return 1 + r.factors
	}
	return iterations
}

func (n *Corrector) prepare(r *run, iteration int, residual, off float64, done bool) bool {
	first, constant := r.first(), math.IsInf(r.slow, 1)
	// A residual that falls slowly by the factor of another point need not be rounding, and a
	// factor that only seems trustworthy proves nothing.
	renew := !done && (!r.newton && onlyRounding(residual, r.residual) || r.tired(iteration))
	if renew {
		n.condition.Renew()
	}
	begins := first && !r.inherited
	factor := begins || renew || !constant && (done || !(off <= r.slow*r.off))
	r.residual, r.off = residual, off
	r.newton = constant
	if !factor {
		return true
	}
	r.factors++
	r.newton = renew || !r.policy.Trusted
	return n.condition.Factorize()
}

// tired reports that a held factor has taken half of the iterations.
func (r *run) tired(iteration int) bool {
	return r.policy.Trusted && iteration == r.policy.Limit/2
}

func (n *Corrector) takeStep(r *run, pt *model.Point, step, image []float64) {
	n.state.Step(pt, step, 1)
	if r.followed {
		n.condition.Follow(pt, image)
	}
}

// evaluate returns the relative residual and whether that is rounding, with predicted predictors.
func (n *Corrector) evaluate(r *run, pt *model.Point) (residual float64, done bool) {
	for {
		if !r.policy.Summed && !r.followed {
			n.condition.Predict(pt.U, pt.Theta)
		}
		n.condition.Assemble(pt)
		if residual, done = n.solved(r); !done || !r.followed {
			return residual, done
		}
		r.followed = false
	}
}

func (n *Corrector) solved(r *run) (residual float64, done bool) {
	residual = n.state.Relative()
	last := r.residual
	if !r.followed {
		last, r.whole = r.whole, residual
	}
	return residual, residual <= r.policy.Tight || r.newton && (onlyRounding(residual, last) || n.drowns(residual, last))
}

// drowns is onlyRounding where terms of the predictors cancel.
func (n *Corrector) drowns(residual, last float64) bool {
	return residual > tolerance.Roundoff && residual <= tolerance.Negligible && residual >= 0.5*last &&
		residual <= n.condition.Rounding()
}

// onlyRounding reports whether a residual is rounding, after a Newton step from last: even at a
// multiple root, as at a fold, such a step leaves less than 1/e of it.
func onlyRounding(residual, last float64) bool {
	return residual <= tolerance.Roundoff && residual >= 0.5*last
}

// Straight reports whether the implicit objective is nearly quadratic from the start of the last
// correction to its solution pt: the first Newton step with the Hessian at pt would have led to pt,
// up to a quarter of the way, in units of θ and of the objective. Majorization-minimization would
// then lead there as well; otherwise the correction may have passed a hollow as flat as before a
// fold, or a threshold at which weights change fast.
func (n *Corrector) Straight(pt *model.Point) bool {
	if n.state.Kinked() {
		return true
	}
	step := n.step[:n.state.Unknowns()]
	copy(step, n.pull)
	n.condition.Solve(step)
	var off, size [2]float64
	var whole float64
	for r, j := range n.state.Active {
		way := n.begun[j] - pt.Theta[j]
		whole += pt.Theta[j] * pt.Theta[j]
		for q, unit := range [2]float64{1, n.state.Diag[r]} {
			off[q] += unit * (step[r] - way) * (step[r] - way)
			size[q] += unit * way * way
		}
	}
	const part = tolerance.Agreement * tolerance.Agreement
	return size[0] <= tolerance.Roundoff*tolerance.Roundoff*whole || off[0] <= part*size[0] && off[1] <= part*size[1]
}
