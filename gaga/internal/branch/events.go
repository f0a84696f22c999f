package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/cubic"
)

// eventSource is a cause of events. Each event function is positive inside a segment and reaches
// zero where the segment ends.
type eventSource interface {
	search(l *look)
	at(pt *model.Point, x model.Crossing) cubic.End
	// gradient writes the event function's gradient over the unknowns into g. It returns the
	// function's value, the size of its terms and its derivative in the age at pt, just assembled,
	// on the segment that begins at left.
	gradient(g []float64, left, pt *model.Point, x model.Crossing) (value, size, dage float64)
	// test returns the ratio of det H after the crossing to det H before, or the relative Schur
	// complement of a new unknown; -Inf where the weight itself breaks. The path continues exactly
	// where the result is positive. ok is false if nothing changes. H is factorized at pt.
	test(pt *model.Point, x model.Crossing) (scalar float64, ok bool)
	// changed records a change of the partition; the cause is NoCause if unknown.
	changed(x model.Crossing, age float64)
	reverses(x model.Crossing, age float64) bool
}

// memory remembers the last change. After a turning point the event function always moves into the
// new zone, as its rate is divided by the sign test's positive scalar; only a rate that is rounding
// can suggest that the change is undone.
type memory struct {
	last model.Crossing
	age  float64
}

func (m *memory) changed(x model.Crossing, age float64) { m.last, m.age = x, age }

func (m *memory) reverses(x model.Crossing, age float64) bool {
	return x.Index == m.last.Index && age == m.age && x.Cause == m.last.Cause.Opposite()
}

// candidate is a crossing and its source. At is 0 at the left point and 1 at a step's end; before
// the step is known, a length in ages.
type candidate struct {
	model.Crossing
	source eventSource
}

var (
	none  = candidate{Crossing: model.Crossing{Cause: model.NoCause, Index: -1, At: 1}}
	fold  = candidate{Crossing: model.Crossing{Cause: model.Fold, Index: -1}}
	stall = candidate{Crossing: model.Crossing{Cause: model.Stall, Index: -1}}
)

func (c candidate) located() candidate {
	c.At = 1
	return c
}

type look struct {
	left, right *model.Point // right is nil along left's tangent
	best        candidate
	steepest    float64
}

type function struct {
	left, right cubic.End
	slack       float64 // smaller values count as zero
	size        float64
	spread      float64 // 1 + ‖x‖ of a sample that reaches the kink of a linear machine, else 0
}

// consider keeps the first crossing. Among samples already at the margin of a linear support vector
// machine it prefers the steepest: as a pin it depends least on the others.
func (l *look) consider(s eventSource, x model.Crossing, f function) {
	age := l.left.Age
	if f.left.Rate < 0 && f.left.Value <= f.slack && (-f.left.Rate*age <= tolerance.SumRounding*f.size || s.reverses(x, age)) {
		f.left.Rate = 0
	}
	soon := tolerance.TightSum * age
	if l.right == nil {
		x.At = f.left.Root(f.slack, soon)
	} else {
		x.At = cubic.Root(f.left, f.right, l.right.Age-age, f.slack, soon)
	}
	steep := 0.0
	if f.spread > 0 && x.At == 0 {
		steep = -f.left.Rate / f.spread
	}
	if x.At < l.best.At || steep > l.steepest {
		l.best, l.steepest = candidate{x, s}, steep
	}
}

// first returns the first crossing up to the right point, ends included; with right nil, the
// crossing predicted on left's tangent. The place is +Inf if there is none.
func (b *Branch) first(right *model.Point) candidate {
	b.look = look{left: b.left, right: right, best: none}
	b.look.best.At = math.Inf(1)
	for _, s := range b.sources {
		s.search(&b.look)
	}
	return b.look.best
}

// earliest makes the trial point the first crossing in the step there, unless that is c.
func (b *Branch) earliest(c candidate, target float64) candidate {
	l := b.left
	for range b.steps.patience {
		first := b.first(b.trial)
		same := first.Cause == c.Cause && first.Index == c.Index && first.At > 1-tolerance.KKT
		switch {
		case same || first.source == nil:
			return c
		case first.At == 0:
			return first
		}
		end := b.trial.Age
		age := l.Age + first.At*(end-l.Age)
		if b.locate(first, age, end, b.trial) && b.trial.Age < end {
			c = first.located()
			continue
		}
		// The event function is too curved for its interpolant: shorten the step.
		h := 0.5 * math.Max(age-l.Age, tolerance.StepAnew*(end-l.Age))
		if h < tolerance.Roundoff*l.Age {
			if !b.Stand() {
				return fold
			}
			if scalar, ok := first.source.test(l, first.Crossing); ok && !(scalar > 0) {
				first.At = 0 // to rounding
				return first
			}
			break
		}
		if c = b.shorten(h, target); c.At == 0 {
			return c
		}
	}
	return stall
}

// locate moves the trial point to a crossing near an age, at most end: along the left point's
// tangent or, given an upper end, on the interpolant.
func (b *Branch) locate(c candidate, age, end float64, upper *model.Point) bool {
	l, r := b.left, b.trial
	if upper == nil {
		b.condition.Extrapolate(r, l, b.turn.bent(l.Age, age-l.Age))
	} else {
		b.condition.Interpolate(r, l, upper, (age-l.Age)/(upper.Age-l.Age))
	}
	r.Age = age
	b.event.candidate, b.event.solved = c, nil
	if !b.corrector.Locate(r, l, &b.event, end) {
		return false
	}
	h := r.Age - l.Age
	for j, w := range l.Theta {
		b.predicted[j] = w + h*l.Rate[j]
	}
	if !b.near(h) || !b.horizon.Inside(r) {
		return false
	}
	b.condition.Secant(r, l)
	// The event function must fall, seen from inside the segment.
	return b.steady(h) && !(c.source.at(r, c.Crossing).Rate > 0)
}

type event struct {
	branch *Branch
	candidate
	solved *model.Point
	scalar float64
}

func (e *event) Solved(pt *model.Point) {
	b, ok := e.branch, false
	b.condition.Secant(pt, b.left)
	if e.scalar, ok = e.source.test(pt, e.Crossing); ok && !math.IsNaN(e.scalar) {
		e.solved = pt
	}
}

func (e *event) See(pt *model.Point, followed bool) {
	c, s := e.branch.condition, e.branch.state
	i, k := e.Index, e.Slot
	summed := c.Policy().Summed
	if !summed && !followed {
		c.Predict(pt.U, pt.Theta)
	}
	if e.OfSample() && (summed || s.Kernel != nil) { // to the last digit as steps see it
		pt.U[k] = c.PredictOne(i, pt.Theta)
	}
	if e.OfSample() {
		pt.Loss[k], pt.Slope[k], pt.Curvature[k] = s.Eval(s.Zone[i], pt.U[k], s.Y[i])
	}
}

func (e *event) Gradient(pt *model.Point, g []float64) (value, size, dage float64) {
	return e.source.gradient(g, e.branch.left, pt, e.Crossing)
}
