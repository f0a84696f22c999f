// Package coarse is coarse continuation: it passes many turning points of a path in one
// step.
//
// A step's end is found by a semismooth Newton method, which changes zones and active
// coordinates as it goes. The step is taken only if no jump can lie in it: H stays
// positive definite even with the slope of each sample that changes its zone at the least
// value that it takes on the way. Where steps become as short as the distance to the next
// event, the path is close to a jump, and the branch goes on event by event.
package coarse

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/branch"
	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/kernel"
)

// Continuation follows a path in steps over turning points.
type Continuation struct {
	system
	branch    *branch.Branch
	step      float64 // next step to try
	failed    bool    // the last one tried failed
	start     snapshot
	corrector semismooth
	convexity convexity
	passed    []model.Crossing
}

// system is the condition, which watches all samples, with what its terms are summed over.
type system struct {
	*condition.Primal
	*sums.Scope
}

// New returns the coarse continuation of a branch of a smooth loss, whose condition sums
// its terms over all samples.
func New(c *condition.Primal, b *branch.Branch) *Continuation {
	s := system{c, c.Scope()}
	return &Continuation{system: s, branch: b, start: newSnapshot(s), corrector: newSemismooth(s), convexity: newConvexity(s)}
}

// Next makes one step from the branch's left point towards the target: over as many
// turning points as it can, else an exact step of the branch. Coarse reports the former:
// the step's end is then a knot, and passed has the changes of zones and signs since the
// left point, in an order that [branch.Apply] can repeat; the next call overwrites it.
// With spent it makes no step.
func (c *Continuation) Next(target float64, spent bool) (o branch.Outcome, passed []model.Crossing, coarse bool) {
	o = branch.Outcome{Kind: branch.Moved, Crossing: model.Crossing{Index: -1}, Scalar: math.NaN(), Spent: spent}
	if spent {
		return o, nil, false
	}
	if c.advance(target) {
		o.Arrived = c.branch.Left().Age >= target
		return o, c.changes(), true
	}
	from := c.branch.Left().Age
	c.start.held = false
	o = c.branch.Next(target, false)
	c.step = math.Max(c.step, 2*(c.branch.Left().Age-from))
	return o, nil, false
}

// advance makes the longest step towards the target, of the next step and its halvings,
// that passes the next event by as much as it is away. It reports false where there is
// none.
func (c *Continuation) advance(target float64) bool {
	from, next := c.branch.Left().Age, c.branch.Due()
	if c.step == 0 {
		c.step = tolerance.CoarseStep * from
	}
	shortest := tolerance.StepShortest * from
	for h := min(c.step, tolerance.StepLongest*from, target-from); ; h *= 0.5 {
		if h < 2*next || h < shortest || c.Frozen {
			c.step = math.Max(h, shortest)
			return false
		}
		if c.over(math.Min(from+h, target)) {
			if !c.failed && h >= c.step {
				c.step *= 2
			} else if c.failed {
				c.step = h
			}
			c.failed = false
			return true
		}
		c.failed = true
	}
}

// Between moves the branch's left point, of which age, θ, zones and signs are set, to a
// higher age in such steps. It reports false where the path ends before; zones and signs
// are then to be set anew.
func (c *Continuation) Between(age float64) bool {
	if !c.branch.Stand() {
		return false
	}
	c.step, c.failed, c.start.held = age-c.branch.Left().Age, false, false
	c.branch.Begin(c.step)
	for c.branch.Left().Age < age {
		if o, _, _ := c.Next(age, false); o.Kind == branch.Left {
			return false
		}
	}
	return true
}

// over moves the left point to an age, over any turning points between. It reports false,
// with the left point and its partition as they were, where the corrector fails or a jump
// can lie between.
func (c *Continuation) over(age float64) bool {
	left, right := c.branch.Left(), c.branch.Trial()
	if !c.start.held && c.At != left {
		c.Assemble(left)
		if !c.Factorize() {
			return false
		}
	}
	c.start.take()
	right.Age = age
	copy(right.Theta, left.Theta)
	kernel.Axpy(age-left.Age, left.Rate, right.Theta)
	ok := c.corrector.correct(right) && !c.Discarded()
	if ok {
		c.Tangent(right)
		bend := c.bend(left, right)
		ok = bend <= tolerance.CoarseBend && c.convexity.convex(&c.start, left, right, bend)
	}
	if !ok {
		c.start.restore()
		return false
	}
	c.branch.Accept()
	c.start.held = false
	return true
}

// bend returns how much the rates differ between two points, and θ's displacement from
// what their mean says, relative to the larger rate.
func (c *Continuation) bend(left, right *model.Point) float64 {
	h := right.Age - left.Age
	var off, turn, before, behind float64
	for r, j := range c.Active {
		a, b, unit := h*left.Rate[j], h*right.Rate[j], c.Diag[r]
		d := right.Theta[j] - left.Theta[j] - 0.5*(a+b)
		off += unit * d * d
		turn += unit * (b - a) * (b - a)
		before += unit * a * a
		behind += unit * b * b
	}
	size := math.Max(before, behind) + tolerance.CoarseStill*left.Age*c.Total // also where nothing moves
	return math.Sqrt(math.Max(off, turn) / size)
}

// changes returns the changes of zones and signs since the step's start.
func (c *Continuation) changes() []model.Crossing {
	c.passed = c.passed[:0]
	for i, z := range c.Zone {
		for k := c.start.zone[i]; k < z; k++ {
			c.passed = append(c.passed, model.Crossing{Cause: model.SampleUp, Index: i})
		}
		for k := c.start.zone[i]; k > z; k-- {
			c.passed = append(c.passed, model.Crossing{Cause: model.SampleDown, Index: i})
		}
	}
	for j, sign := range c.Sign {
		before := c.start.sign[j]
		if sign != before && before != 0 {
			c.passed = append(c.passed, model.Crossing{Cause: model.Dropped, Index: j, Sign: before})
		}
		if sign != before && sign != 0 {
			c.passed = append(c.passed, model.Crossing{Cause: model.Activated, Index: j, Sign: sign})
		}
	}
	return c.passed
}
