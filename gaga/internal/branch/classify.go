package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// pass changes the partition at a turning point and leaves a jump point unchanged.
func (b *Branch) pass(c candidate) Outcome {
	strict := true
	if b.state.At != b.left {
		b.condition.Assemble(b.left)
		strict = b.condition.Factorize()
	}
	if c.source == nil || !strict {
		if c.source != nil {
			c = fold
		}
		return Outcome{Kind: Left, Crossing: c.Crossing, Scalar: math.NaN()}
	}
	scalar, ok := b.event.scalar, true
	if c.At == 0 || b.event.solved != b.left {
		scalar, ok = c.source.test(b.left, c.Crossing)
	}
	if !ok {
		return Outcome{Crossing: none.Crossing, Scalar: math.NaN()}
	}
	if c.Cause == model.Dropped {
		c.Sign = b.state.Sign[c.Index]
	}
	o := Outcome{Kind: Turned, Crossing: c.Crossing, Scalar: scalar}
	if c.OfSample() {
		o.From, o.To = neighbours(b.state, c.Crossing)
	}
	if !(scalar > 0) {
		o.Kind = Left
	} else if scalar <= tolerance.Singular || !b.change(c.Crossing) {
		// Within rounding H is singular.
		o.Kind, o.Scalar = Left, math.NaN()
	}
	return o
}

// change reports false, and reverts, if the point is no strict minimum after the change.
func (b *Branch) change(x model.Crossing) bool {
	b.turn, b.changed = turn{}, b.left.Age
	copy(b.before, b.left.Theta)
	for _, i := range b.state.Pins {
		b.trial.Dual[i] = b.left.Dual[i]
	}
	apply(b.condition, x, b.left.Theta)
	arrive(b.state, b.left, x)
	if b.solveRates() {
		for _, s := range b.sources {
			s.changed(x, b.left.Age)
		}
		return true
	}
	copy(b.left.Theta, b.before)
	x.Cause = x.Cause.Opposite()
	apply(b.condition, x, b.left.Theta)
	for _, i := range b.state.Pins {
		b.left.Dual[i] = b.trial.Dual[i]
	}
	b.Stand()
	return false
}

// solveRates reports false if H is singular. With small weights the rounding of the crossing's age
// is relatively large: the corrector removes it, if it stays at the same point.
func (b *Branch) solveRates() bool {
	l := b.left
	b.condition.Assemble(l)
	if !b.condition.Factorize() {
		return false
	}
	if b.state.Relative() > tolerance.Roundoff {
		const same = tolerance.Negligible
		lambda, _ := b.state.Lambda(l.Age)
		if !b.corrector.Correct(l) || b.state.Distance(b.before, l.Theta) > same*same*lambda*b.state.Total {
			return false
		}
	}
	b.condition.Tangent(l)
	return true
}

// apply requires a current theta; a dropped coordinate becomes zero.
func apply(c condition.Condition, x model.Crossing, theta []float64) {
	s := c.State()
	switch {
	case x.OfSample():
		c.Shift(x.Index, x.Cause == model.SampleUp, theta)
		if s.Kinked() || s.Frozen != s.Undetermined() {
			c.Choose()
		}
	case x.Cause == model.Activated:
		s.Sign[x.Index] = x.Sign
		c.Choose()
	case x.Cause == model.Dropped:
		s.Sign[x.Index], theta[x.Index] = 0, 0
		c.Choose()
	}
}

func neighbours(s *model.State, x model.Crossing) (from, to uint8) {
	from = s.Zone[x.Index]
	if x.Cause == model.SampleUp {
		return from, from + 1
	}
	return from, from - 1
}
