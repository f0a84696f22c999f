package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/cubic"
)

// eventSource is a cause of events: of changes of the partition. Each of its event functions
// is positive inside a segment and reaches zero where that ends.
type eventSource interface {
	// search tells the look of all event functions.
	search(l *look)
	// at returns the event function of a crossing at pt.
	at(pt *model.Point, x model.Crossing) cubic.End
	// gradient writes that of a crossing's event function over the unknowns into g, and
	// returns its value, the size of its terms and its derivative in the age, at pt, where
	// the equations were just assembled. Pt is on the segment that begins at left.
	gradient(g []float64, left, pt *model.Point, x model.Crossing) (value, size, dage float64)
	// test returns the ratio of det H behind the crossing to det H before it, or of a new
	// unknown the Schur complement, relative to its terms; -Inf where the weight itself
	// breaks. The path goes on exactly where it is positive. It reports false where the
	// crossing changes nothing. H is factorized at pt.
	test(pt *model.Point, x model.Crossing) (scalar float64, ok bool)
	// changed takes note of a change of the partition at an age; the cause is NoCause where
	// nothing is known of it.
	changed(x model.Crossing, age float64)
	// reverses reports whether a crossing at an age would undo the last change.
	reverses(x model.Crossing, age float64) bool
}

// memory remembers the last change. Behind a turning point the event function always
// moves into the new zone (its rate is the one before over the sign test's positive
// scalar), so that only a rate that is rounding can say that it is undone.
type memory struct {
	last model.Crossing
	age  float64
}

func (m *memory) changed(x model.Crossing, age float64) { m.last, m.age = x, age }

func (m *memory) reverses(x model.Crossing, age float64) bool {
	return x.Index == m.last.Index && age == m.age && x.Cause == m.last.Cause.Opposite()
}

// candidate is a crossing and its source. At a step's end its place is 1, at the left
// point 0; before the step is known it is in ages.
type candidate struct {
	model.Crossing
	source eventSource // nil where the cause is none, a fold or a stall
}

var (
	none  = candidate{Crossing: model.Crossing{Cause: model.NoCause, Index: -1, At: 1}}
	fold  = candidate{Crossing: model.Crossing{Cause: model.Fold, Index: -1}}
	stall = candidate{Crossing: model.Crossing{Cause: model.Stall, Index: -1}}
)

// located returns the candidate at the end of a step.
func (c candidate) located() candidate {
	c.At = 1
	return c
}

// look is a search for the first crossing of a step.
type look struct {
	left, right *model.Point // right is nil for a step of any length on left's tangent
	best        candidate
	steepest    float64
}

// function is an event function in a step.
type function struct {
	left, right cubic.End // at its ends; right only where the look has one
	slack       float64   // below this it counts as zero
	size        float64   // of its terms
	spread      float64   // 1 + ‖x‖ of a sample that comes to the kink of a linear machine, else 0
}

// consider makes a crossing the best one if it is the first. Of samples that are at the
// margin of a linear support vector machine already it is the one that leaves it at the
// steepest angle: as a pin it depends least on the others.
func (l *look) consider(s eventSource, x model.Crossing, f function) {
	age := l.left.Age
	if f.left.Rate < 0 && f.left.Value <= f.slack && (-f.left.Rate*age <= tolerance.RateNoise*f.size || s.reverses(x, age)) {
		f.left.Rate = 0
	}
	soon := tolerance.Instant * age
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

// first returns the first crossing strictly inside the step from the left point to the
// right one or at its ends. With right nil it predicts the crossing from the left point's
// tangent. The place is +Inf where there is none.
func (b *Branch) first(right *model.Point) candidate {
	b.look = look{left: b.left, right: right, best: none}
	b.look.best.At = math.Inf(1)
	for _, s := range b.sources {
		s.search(&b.look)
	}
	return b.look.best
}

// earliest makes the trial point the first crossing in the step that leads to it, where it
// is the crossing c or none.
func (b *Branch) earliest(c candidate, target float64) candidate {
	l := b.left
	for range tolerance.Locations {
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
		if h < tolerance.Loose*l.Age {
			break
		}
		if c = b.shorten(h, target); c.At == 0 {
			return c
		}
	}
	return stall
}

// locate moves the trial point to a crossing near an age: from the left point's tangent,
// or where an upper end is given, from the interpolant between both. It reports success,
// which takes an age up to end.
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
	// It must fall where it reaches zero from the segment's inside.
	return !(c.source.at(r, c.Crossing).Rate > 0)
}

// event is the crossing that is being located.
type event struct {
	branch *Branch
	candidate
	solved *model.Point // where its sign test was made already, nil where it was not
	scalar float64      // what it gave
}

// Solved makes the sign test, and where the path goes on prepares the rates behind the event.
func (e *event) Solved(pt *model.Point) {
	b, ok := e.branch, false
	b.condition.Secant(pt, b.left)
	if e.scalar, ok = e.source.test(pt, e.Crossing); ok && !math.IsNaN(e.scalar) {
		e.solved = pt
		if _, to := neighbours(b.state, e.Crossing); e.scalar > 0 {
			b.condition.Anticipate(pt, e.Index, to)
		}
	}
}

func (e *event) See(pt *model.Point, followed bool) {
	c, s := e.branch.condition, e.branch.state
	i, k := e.Index, e.Slot
	summed := c.Policy().Summed
	if !summed && !followed {
		c.Predict(pt.U, pt.Theta)
	}
	if e.OfSample() && (summed || s.Kernel != nil) { // as the steps see it, to its last digit
		pt.U[k] = c.PredictOne(i, pt.Theta)
	}
	if e.OfSample() {
		pt.Loss[k], pt.Slope[k], pt.Curvature[k] = s.Eval(s.Zone[i], pt.U[k], s.Y[i])
	}
}

func (e *event) Gradient(pt *model.Point, g []float64) (value, size, dage float64) {
	return e.source.gradient(g, e.branch.left, pt, e.Crossing)
}
