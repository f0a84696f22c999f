package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/cubic"
)

// screen quickly rules out most samples as crossing. Event functions are distances of the loss from
// the ends of the sample's zone.
type screen struct {
	state *model.State
	ends  []zoneEnds
	step  float64 // 0 along left's tangent
}

type zoneEnds struct{ low, high [2]cubic.End }

func newScreen(s *model.State) screen { return screen{state: s, ends: make([]zoneEnds, len(s.Zones))} }

func (s *screen) prepare(l *look) {
	points := [2]*model.Point{l.left, l.left}
	s.step = 0
	if l.right != nil {
		points[1], s.step = l.right, l.right.Age-l.left.Age
	}
	last := s.state.Thresholds()
	for k := range last + 1 {
		e := &s.ends[s.state.Kinks+k]
		for side, pt := range points {
			// The hinge's first zone ends at the loss 0; no loss is infinite.
			e.low[side], e.high[side] = cubic.End{}, cubic.End{Value: math.MaxFloat64}
			if k > 0 {
				e.low[side] = cubic.End{Value: pt.Threshold[k-1], Rate: pt.DThreshold[k-1]}
			} else if !s.state.Kinked() {
				e.low[side].Value = -math.MaxFloat64
			}
			if k < last {
				e.high[side] = cubic.End{Value: pt.Threshold[k], Rate: pt.DThreshold[k]}
			}
		}
	}
}

// next returns the first slot, from slot on, whose sample may cross before the best crossing, or
// the number of slots.
func (s *screen) next(l *look, slot int) int {
	switch {
	case s.state.Kinked():
		for slot < len(s.state.Watch) && s.stays(l, slot, s.state.Watch[slot]) {
			slot++
		}
		return slot
	case l.right == nil:
		return s.nextAhead(l, slot)
	}
	return s.nextWithin(l, slot)
}

// nextAhead is next along left's tangent, without a kink.
func (s *screen) nextAhead(l *look, slot int) int {
	watch, zone, best := s.state.Watch, s.state.Zone, l.best.At
	loss, slope, du := l.left.Loss[:len(watch)], l.left.Slope[:len(watch)], l.left.DU[:len(watch)]
	for ; slot < len(watch); slot++ {
		e := &s.ends[zone[watch[slot]]]
		value, rate := loss[slot], slope[slot]*du[slot]
		below, above := value-e.low[0].Value, e.high[0].Value-value
		fall, rise := rate-e.low[0].Rate, e.high[0].Rate-rate
		if guard := tolerance.Negligible * math.Abs(value); !(below > guard && above > guard) ||
			!(fall >= 0 || below+best*fall > 0) || !(rise >= 0 || above+best*rise > 0) {
			return slot
		}
	}
	return slot
}

// nextWithin is next in a step, without a kink.
func (s *screen) nextWithin(l *look, slot int) int {
	watch, zone, third := s.state.Watch, s.state.Zone, s.step/3
	loss, slope, du := l.left.Loss[:len(watch)], l.left.Slope[:len(watch)], l.left.DU[:len(watch)]
	loss1, slope1, du1 := l.right.Loss[:len(watch)], l.right.Slope[:len(watch)], l.right.DU[:len(watch)]
	for ; slot < len(watch); slot++ {
		e := &s.ends[zone[watch[slot]]]
		value, rate := loss[slot], slope[slot]*du[slot]
		below, above := value-e.low[0].Value, e.high[0].Value-value
		if guard := tolerance.Negligible * math.Abs(value); !(below > guard && above > guard) ||
			!(below+third*(rate-e.low[0].Rate) >= 0) || !(above+third*(e.high[0].Rate-rate) >= 0) {
			return slot
		}
		value, rate = loss1[slot], slope1[slot]*du1[slot]
		below, above = value-e.low[1].Value, e.high[1].Value-value
		if !(below >= 0 && above >= 0) || !(below-third*(rate-e.low[1].Rate) >= 0) || !(above-third*(e.high[1].Rate-rate) >= 0) {
			return slot
		}
	}
	return slot
}

// stays reports for the hinge loss whether sample i certainly does not cross first.
func (s *screen) stays(l *look, slot, i int) bool {
	zone := int(s.state.Zone[i])
	if zone < s.state.Kinks { // satisfied samples leave only at the kink
		if zone == model.Pinned {
			return s.holds(l, i)
		}
		y := s.state.Y[i]
		excess := cubic.End{Value: y*l.left.U[slot] - 1, Rate: y * l.left.DU[slot]}
		if !(excess.Value > s.guard(2+excess.Value)) {
			return false
		}
		if l.right == nil {
			return excess.Lasts(l.best.At)
		}
		return excess.Begins(s.step) && cubic.End{Value: y*l.right.U[slot] - 1, Rate: y * l.right.DU[slot]}.Ends(s.step)
	}
	e := &s.ends[zone]
	loss := cubic.End{Value: l.left.Loss[slot], Rate: l.left.Slope[slot] * l.left.DU[slot]}
	below, above := loss.Minus(e.low[0]), e.high[0].Minus(loss)
	if guard := s.guard(math.Abs(loss.Value) + s.state.Cost); !(below.Value > guard && above.Value > guard) {
		return false
	}
	if l.right == nil {
		return below.Lasts(l.best.At) && above.Lasts(l.best.At)
	}
	if !below.Begins(s.step) || !above.Begins(s.step) {
		return false
	}
	loss = cubic.End{Value: l.right.Loss[slot], Rate: l.right.Slope[slot] * l.right.DU[slot]}
	return loss.Minus(e.low[1]).Ends(s.step) && e.high[1].Minus(loss).Ends(s.step)
}

func (s *screen) holds(l *look, i int) bool {
	top := s.state.Bound * s.state.M[i]
	below := cubic.End{Value: l.left.Dual[i], Rate: l.left.DDual[i]}
	above := cubic.End{Value: top}.Minus(below)
	if guard := s.guard(top); !(below.Value > guard && above.Value > guard) {
		return false
	}
	if l.right == nil {
		return below.Lasts(l.best.At) && above.Lasts(l.best.At)
	}
	if !below.Begins(s.step) || !above.Begins(s.step) {
		return false
	}
	below = cubic.End{Value: l.right.Dual[i], Rate: l.right.DDual[i]}
	return below.Ends(s.step) && cubic.End{Value: top}.Minus(below).Ends(s.step)
}

func (s *screen) guard(size float64) float64 {
	return tolerance.Negligible * size
}
