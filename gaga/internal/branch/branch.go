// Package branch follows one continuous piece of an age path: a curve of strict partial
// optima, cut into segments by changes of zones and of active coordinates.
package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/gaga/internal/window"
)

// Options of a branch.
type Options struct {
	Last float64 // end of the range of ages
}

// Branch follows one continuous piece of a path. Between two calls of Next its left point
// is a strict partial optimum on the current partition, with its rates current.
type Branch struct {
	condition   condition.Condition
	state       *model.State
	corrector   *newton.Corrector
	horizon     window.Horizon
	left, trial *model.Point
	steps       steps
	turn        turn
	sources     []eventSource // of events, in the order in which ties are broken
	look        look
	event       event
	predicted   []float64 // P, scratch: θ that a correction began with
	before      []float64 // P, scratch: θ before a change of the partition
}

// New returns a branch whose left point is not set.
func New(c condition.Condition, n *newton.Corrector, h window.Horizon, o Options) *Branch {
	s := c.State()
	b := &Branch{
		condition: c, state: s, corrector: n, horizon: h,
		left: model.NewPoint(s.Problem), trial: model.NewPoint(s.Problem), steps: newSteps(s, o.Last),
		predicted: make([]float64, s.P), before: make([]float64, s.P),
		sources: []eventSource{newSamples(c)},
	}
	if p, ok := c.(*condition.Primal); ok && s.Sparse() {
		if a, ok := p.Activations(); ok {
			b.sources = append(b.sources, newCoordinates(p, a))
		}
	}
	b.event.branch = b
	return b
}

// Left returns the point that the branch has come to. Next changes which one it is.
func (b *Branch) Left() *model.Point { return b.left }

// Begin begins a piece at the left point, which a landing has set. A step > 0 is the
// length in ages of the first step that is tried; else it is about that of the last piece,
// and of the first piece the rest of the range.
func (b *Branch) Begin(step float64) {
	b.steps.begin(b.left.Age, step)
	b.turn = turn{}
	for _, s := range b.sources {
		s.changed(model.Crossing{Index: -1}, b.left.Age)
	}
}

// Kind says what a step ended with.
type Kind uint8

const (
	Moved  Kind = iota // nothing: at the target, or as far as the corrector or the window carried
	Turned             // a turning point, behind which the branch goes on
	Left               // a jump point, at which it ends
)

// Outcome is the end of a step.
type Outcome struct {
	Kind     Kind
	Crossing model.Crossing // its cause is NoCause where the step ended without one
	From, To uint8          // of a sample's crossing: the zones it leaves and enters
	Scalar   float64        // that of the sign test, NaN where there is none
	Arrived  bool           // the age is the target's
	Spent    bool           // the critical point was only reported, and nothing changed at it
}

// Next makes one step: to the next critical point, to the target age, or as far as the
// corrector and the window carry. A change of the partition at a turning point is made.
// At a jump point the system is assembled, and factorized where that is possible. With
// spent a critical point is only reported.
func (b *Branch) Next(target float64, spent bool) Outcome {
	end := b.next(target)
	var o Outcome
	switch {
	case end.Cause == model.NoCause:
		o = Outcome{Crossing: end.Crossing, Scalar: math.NaN()}
	case spent:
		o = Outcome{Crossing: end.Crossing, Scalar: math.NaN(), Spent: true}
	default:
		o = b.pass(end)
	}
	o.Arrived = b.left.Age >= target
	return o
}

// next moves the left point on, to the target at most, and returns the critical point
// there.
func (b *Branch) next(target float64) candidate {
	if b.steps.stalled(b.left.Age) {
		return stall
	}
	target = math.Min(target, b.left.Age+b.horizon.Ahead(b.left))
	c := b.first(nil)
	if c.At > 0 {
		c = b.advance(c, target)
	}
	if c.At > 0 {
		c = b.earliest(c, target)
	}
	if c.At > 0 {
		b.left, b.trial = b.trial, b.left
		b.turn.expect(b.state, b.trial, b.left)
	}
	return c
}

// Follow moves the left point to an age, ahead or behind, over partial optima on the
// current partition, of which all samples are watched. It reports false where these end
// before.
func (b *Branch) Follow(age float64) bool {
	for b.left.Age != age {
		to := age
		for h := age - b.left.Age; !b.reach(to) || !b.keeps(b.trial); to = b.left.Age + h {
			if h *= 0.5; math.Abs(h) < tolerance.Loose*age {
				return false
			}
		}
		b.left, b.trial = b.trial, b.left
	}
	return true
}

// keeps reports whether pt, a solution on the partition, is a partial optimum: whether all
// samples are in their zones there and the coefficients have their signs.
func (b *Branch) keeps(pt *model.Point) bool {
	return condition.InZones(b.state, pt, b.state.Watch, pt.U) && condition.Signed(b.state, pt)
}

// Stand evaluates everything at the left point, where age, unknowns and partition are
// set. It reports false, with the rates unknown, where it is no strict minimum.
func (b *Branch) Stand() bool {
	b.condition.Predict(b.left.U, b.left.Theta)
	b.condition.Assemble(b.left)
	if !b.condition.Factorize() {
		return false
	}
	b.condition.Tangent(b.left)
	return true
}
