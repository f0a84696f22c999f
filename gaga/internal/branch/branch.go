// Package branch follows one continuous piece of an age path: a curve of strict partial optima, cut
// into segments by changes of zones and of active coordinates.
package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/gaga/internal/window"
)

// Branch follows one piece of a path. Between calls of Next its left point is a strict partial
// optimum with current rates.
type Branch struct {
	condition   condition.Condition
	state       *model.State
	corrector   *newton.Corrector
	horizon     window.Horizon
	left, trial *model.Point
	steps       steps
	turn        turn
	sources     []eventSource // in the order in which ties are broken
	look        look
	event       event
	predicted   []float64
	before      []float64
	changed     float64 // age of the last change of the partition
}

// New returns a branch up to a last age, without a left point; the caller sets it.
func New(c condition.Condition, n *newton.Corrector, h window.Horizon, last float64) *Branch {
	s := c.State()
	b := &Branch{
		condition: c, state: s, corrector: n, horizon: h,
		left: model.NewPoint(s.Problem), trial: model.NewPoint(s.Problem), steps: steps{patience: 2*s.N + 8*s.P + tolerance.StepPatience, last: last},
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

// Left returns the point reached. Next may return another pointer.
func (b *Branch) Left() *model.Point { return b.left }

// Begin begins a piece at the left point. A step > 0 is the length in ages of the first step;
// otherwise that is about as in the last piece, at first the rest of the range.
func (b *Branch) Begin(step float64) {
	b.steps.begin(b.left.Age, step)
	b.turn, b.changed = turn{}, b.left.Age
	for _, s := range b.sources {
		s.changed(model.Crossing{Index: -1}, b.left.Age)
	}
}

// Kind says how a step ended.
type Kind uint8

const (
	Moved Kind = iota // as far as the corrector or window allowed
	Turned
	Left
)

// Outcome is the end of a step.
type Outcome struct {
	Kind     Kind
	Crossing model.Crossing
	From, To uint8
	Scalar   float64 // of the sign test, or NaN
	Arrived  bool
	Spent    bool // only reported
}

// Next makes one step: to the next critical point, to the target age, or as far as the corrector
// and the window allow. At a turning point it changes the partition; at a jump point it assembles
// the system and, if possible, factorizes it. With spent it only reports a critical point.
func (b *Branch) Next(target float64, spent bool) Outcome {
	end := b.next(target)
	var o Outcome
	switch {
	case end.Cause == model.NoCause:
		o = Outcome{Crossing: end.Crossing, Scalar: math.NaN()}
	case spent:
		o = Outcome{Crossing: end.Crossing, Scalar: math.NaN(), Spent: true}
	default:
		b.steps.alone = 0
		o = b.pass(end)
	}
	o.Arrived = b.left.Age >= target
	return o
}

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

// Follow moves the left point to a larger or smaller age over partial optima on the current
// partition, with all samples watched. It reports false if these end earlier.
func (b *Branch) Follow(age float64) bool {
	for b.left.Age != age {
		to := age
		for h := age - b.left.Age; !b.reach(to) || !b.keeps(b.trial); to = b.left.Age + h {
			if h *= 0.5; math.Abs(h) < tolerance.Roundoff*age {
				return false
			}
		}
		b.left, b.trial = b.trial, b.left
	}
	return true
}

func (b *Branch) keeps(pt *model.Point) bool {
	return condition.InZones(b.state, pt, b.state.Watch, pt.U) && condition.Signed(b.state, pt)
}

// Stand evaluates the left point, given its age, unknowns and partition. It reports false, with the
// rates unknown, if the point is not a strict minimum.
func (b *Branch) Stand() bool {
	b.condition.Predict(b.left.U, b.left.Theta)
	b.condition.Assemble(b.left)
	if !b.condition.Factorize() {
		return false
	}
	b.condition.Tangent(b.left)
	return true
}
