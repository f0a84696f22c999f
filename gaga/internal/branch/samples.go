package branch

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/cubic"
	"github.com/agepath/agepath/internal/kernel"
)

type samples struct {
	*model.State
	memory
	condition condition.Condition
	exits     [][]exit // of each zone, upwards first
}

type exit struct {
	cause model.Cause
	end
	spreads []float64
}

type end interface {
	at(pt *model.Point, slot int) cubic.End
	size(pt *model.Point, slot int) float64
	gradient(g []float64, pt *model.Point, x model.Crossing) (value, size, dage float64)
	test(pt *model.Point, x model.Crossing) float64
}

func newSamples(c condition.Condition) *samples {
	st := c.State()
	s := &samples{State: st, condition: c, exits: make([][]exit, len(st.Zones))}
	spreads := make([]float64, st.N)
	if st.Kinked() {
		s.addKink(spreads)
	}
	last := st.Thresholds()
	for k := range last + 1 {
		exits := &s.exits[st.Kinks+k]
		if k < last {
			*exits = slices.Insert(*exits, 0, exit{model.SampleUp, threshold{s, k, 1}, spreads})
		}
		if k > 0 {
			*exits = append(*exits, exit{model.SampleDown, threshold{s, k - 1, -1}, spreads})
		}
	}
	return s
}

func (s *samples) exit(x model.Crossing) end {
	for _, e := range s.exits[s.Zone[x.Index]] {
		if e.cause == x.Cause {
			return e.end
		}
	}
	panic("branch: a sample crosses where its zone has no end")
}

func (s *samples) search(l *look) {
	for slot, i := range s.Watch {
		if s.stays(l, slot, i) {
			continue
		}
		for _, e := range s.exits[s.Zone[i]] {
			f := function{left: e.at(l.left, slot), size: e.size(l.left, slot), spread: e.spreads[i]}
			if l.right != nil {
				f.right = e.at(l.right, slot)
			}
			f.slack = tolerance.Roundoff * f.size
			l.consider(s, model.Crossing{Cause: e.cause, Index: i, Slot: slot}, f)
		}
	}
}

// stays quickly rules out most samples as crossing.
func (s *samples) stays(l *look, slot, i int) bool {
	guard := tolerance.Negligible * l.left.Loss[slot]
	if s.Kinked() {
		guard += tolerance.Negligible * (2 + s.Cost)
	}
	below, above := s.distances(l.left, slot, i)
	switch {
	case s.Kinked() && s.Zone[i] == model.Pinned, !(below.Value > guard && above.Value > guard):
		return false
	case l.right == nil:
		return below.Lasts(l.best.At) && above.Lasts(l.best.At)
	}
	h := l.right.Age - l.left.Age
	if !below.Begins(h) || !above.Begins(h) {
		return false
	}
	below, above = s.distances(l.right, slot, i)
	return below.Ends(h) && above.Ends(h)
}

// distances returns those of a loss from the ends of its zone, the loss 0 with the hinge, or of a
// satisfied sample from the margin.
func (s *samples) distances(pt *model.Point, slot, i int) (below, above cubic.End) {
	above.Value = math.MaxFloat64
	k := int(s.Zone[i]) - s.Kinks
	if k < 0 {
		return cubic.End{Value: s.Y[i]*pt.U[slot] - 1, Rate: s.Y[i] * pt.DU[slot]}, above
	}
	below = cubic.End{Value: pt.Loss[slot], Rate: pt.Slope[slot] * pt.DU[slot]}
	if k < len(pt.Threshold) {
		above = cubic.End{Value: pt.Threshold[k], Rate: pt.DThreshold[k]}.Minus(below)
	}
	if k > 0 {
		below = below.Minus(cubic.End{Value: pt.Threshold[k-1], Rate: pt.DThreshold[k-1]})
	} else if !s.Kinked() {
		below = cubic.End{Value: math.MaxFloat64}
	}
	return below, above
}

func (s *samples) at(pt *model.Point, x model.Crossing) cubic.End { return s.exit(x).at(pt, x.Slot) }

func (s *samples) gradient(g []float64, _, pt *model.Point, x model.Crossing) (value, size, dage float64) {
	return s.exit(x).gradient(g, pt, x)
}

func (s *samples) test(pt *model.Point, x model.Crossing) (scalar float64, ok bool) {
	return s.exit(x).test(pt, x), true
}

// bend returns the change of m ∂φ/∂u at a crossing; ok is false if φ breaks or has infinite slope.
func (s *samples) bend(pt *model.Point, x model.Crossing) (change float64, ok bool) {
	from, to := neighbours(s.State, x)
	if s.Zones[min(from, to)].Break || s.Wakes(x) {
		return 0, false
	}
	change = s.slopeIn(pt, x, to) - s.slopeIn(pt, x, from)
	return change, !math.IsInf(change, 0)
}

// slopeIn returns m ∂φ/∂u at a crossing by the formula of a zone. The loss is the crossed
// threshold, free of the point's rounding, on which an infinite slope would depend.
func (s *samples) slopeIn(pt *model.Point, x model.Crossing, zone uint8) float64 {
	loss, slope, curvature := s.Eval(zone, pt.U[x.Slot], s.Y[x.Index])
	from, to := neighbours(s.State, x)
	if k := int(min(from, to)) - s.Kinks; k >= 0 {
		loss = pt.Threshold[k]
	}
	v, dv, _ := s.Weight(zone, loss, pt.Age)
	return s.M[x.Index] * (dv*slope*slope + v*curvature)
}

// threshold is the regularizer's threshold k as an end of the zone below (side 1) or above (side
// -1).
type threshold struct {
	*samples
	k    int
	side float64
}

func (e threshold) at(pt *model.Point, slot int) cubic.End {
	return cubic.End{
		Value: e.side * (pt.Threshold[e.k] - pt.Loss[slot]),
		Rate:  e.side * (pt.DThreshold[e.k] - pt.Slope[slot]*pt.DU[slot]),
	}
}

func (e threshold) size(pt *model.Point, slot int) float64 { return pt.Loss[slot] }

func (e threshold) gradient(g []float64, pt *model.Point, x model.Crossing) (value, size, dage float64) {
	at, slope := e.Regularizer.Threshold(e.k, pt.Age)
	e.condition.Row(g, x.Index)
	kernel.ScaleTo(g, -e.side*pt.Slope[x.Slot], g)
	return e.side * (at - pt.Loss[x.Slot]), at, e.side * slope
}

// test is det H after over det H before: the change has rank one.
func (e threshold) test(pt *model.Point, x model.Crossing) float64 {
	change, ok := e.bend(pt, x)
	if !ok {
		return math.Inf(-1)
	}
	leverage := e.condition.Leverage(x.Index)
	if leverage == 0 {
		return 1
	}
	return 1 + change*leverage
}
