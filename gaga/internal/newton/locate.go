package newton

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/kernel"
)

// Event is an event function that must fall to zero, as an additional equation.
type Event interface {
	// See evaluates what Assemble and the event function need of the samples, except followed
	// predictors.
	See(pt *model.Point, followed bool)
	// Gradient writes the event function's gradient over the unknowns into g, and returns its
	// value, the size of its terms and its derivative in the age at pt, just assembled.
	Gradient(pt *model.Point, g []float64) (value, size, dage float64)
	// Solved reports that pt is a solution by followed predictors; all predictors come next.
	Solved(pt *model.Point)
}

// Locate moves pt to the solution near it, in the unknowns and the age, at which an event function
// is zero, between the ages of left, whose rates are known, and end. With a kernel pt's predictors
// are about those of its unknowns. On success the solution is a
// strict minimum for which the condition holds a factor.
func (n *Corrector) Locate(pt, left *model.Point, e Event, end float64) bool {
	r, from := n.run(), left.Age
	n.lead, n.exit = n.lead[:0], 0
	r.followed = r.policy.Trusted // the predictors have come along
	if r.slow = tolerance.LocateSlow; r.policy.Held {
		r.slow = r.policy.Slow
	}
	for pt.Iterations = 1; pt.Iterations <= r.policy.Limit*4/5; pt.Iterations++ {
		g := n.gradient[:n.state.Unknowns()]
		var residual, value, size, dage float64
		var done bool
		for range 2 { // twice if a solution has followed predictors
			e.See(pt, r.followed)
			n.condition.Assemble(pt)
			value, size, dage = e.Gradient(pt, g)
			residual, done = n.solved(&r)
			done = done && math.Abs(value) <= tolerance.TightSum*size && pt.Age >= from && pt.Age <= end
			if !done || !r.followed {
				break
			}
			e.Solved(pt)
			r.followed = false
		}
		if r.first() {
			n.entry = residual
		}
		factors := r.factors
		if !n.prepare(&r, pt.Iterations, residual, math.Max(residual, math.Abs(value)/size), done) {
			return false
		}
		if done {
			n.exit = math.Max(residual, r.policy.Tight)
			return !r.policy.Trusted || n.falls(g, dage, size/pt.Age)
		}
		if r.factors > factors || pt.Iterations == 1 && !n.condition.Along(n.along[:len(g)], n.image[:len(g)], left) {
			n.solveAlong()
		}
		if !n.bordered(&r, pt, g, value, dage) || !(pt.Age > from-tolerance.KKT*from) || !(pt.Age <= end*(1+tolerance.SumRounding)) {
			return false
		}
		pt.Age = math.Max(pt.Age, from)
	}
	return false
}

// falls reports whether an event function falls along the branch at a solution. One that rises there
// has been below zero since an earlier crossing.
func (n *Corrector) falls(g []float64, dage, unit float64) bool {
	n.solveAlong()
	return !(dage-kernel.Dot(g, n.along[:len(g)]) > tolerance.SumRounding*unit)
}

func (n *Corrector) solveAlong() {
	k := n.state.Unknowns()
	copy(n.image, n.state.Dage[:k])
	copy(n.along, n.image[:k])
	n.condition.Solve(n.along[:k])
	n.condition.Image(n.image[:k], n.along[:k])
}

func (n *Corrector) bordered(r *run, pt *model.Point, g []float64, value, dage float64) bool {
	k := len(g)
	step, along, image := n.step[:k], n.along[:k], n.step[k:2*k]
	copy(step, n.state.Residual)
	copy(image, step)
	n.condition.Solve(step)
	n.leads(r, step)
	r.followed = n.condition.Image(image, step)
	value -= kernel.Dot(g, step)
	dage -= kernel.Dot(g, along)
	move := -value / dage
	if math.IsNaN(move) || math.IsInf(move, 0) {
		return false
	}
	kernel.Axpy(move, along, step)
	kernel.Axpy(move, n.image[:k], image)
	n.takeStep(r, pt, step, image)
	pt.Age += move
	return true
}
