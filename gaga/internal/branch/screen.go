package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// screen tells quickly of most samples that they do not cross: the search looks closer at
// the others only. Event functions are taken in units of the loss, as distances from the
// ends of the sample's zone.
type screen struct {
	state *model.State
	ends  []zoneEnds // of each zone
	step  float64    // length of the step; 0 for one on left's tangent
}

// zoneEnds are the losses at which a zone ends, at the left and the right point.
type zoneEnds struct{ low, high [2]boundary }

func newScreen(s *model.State) screen { return screen{state: s, ends: make([]zoneEnds, len(s.Zones))} }

// prepare takes the ends of the zones in a step.
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
			e.low[side], e.high[side] = boundary{}, boundary{value: math.MaxFloat64}
			if k > 0 {
				e.low[side] = boundary{pt.Threshold[k-1], pt.DThreshold[k-1]}
			} else if !s.state.Kinked() {
				e.low[side].value = -math.MaxFloat64
			}
			if k < last {
				e.high[side] = boundary{pt.Threshold[k], pt.DThreshold[k]}
			}
		}
	}
}

// stays reports whether sample i in a slot surely has no crossing before the best one.
func (s *screen) stays(l *look, slot, i int) bool {
	zone := int(s.state.Zone[i])
	if zone < s.state.Kinks { // a satisfied sample leaves its zone at the kink only
		y := s.state.Y[i]
		excess := boundary{y*l.left.U[slot] - 1, y * l.left.DU[slot]}
		if zone == model.Pinned || !(excess.value > s.guard(2+excess.value)) {
			return false
		}
		if l.right == nil {
			return excess.lasts(l.best.At)
		}
		return excess.begins(s.step) && boundary{y*l.right.U[slot] - 1, y * l.right.DU[slot]}.ends(s.step)
	}
	e := &s.ends[zone]
	loss := boundary{l.left.Loss[slot], l.left.Slope[slot] * l.left.DU[slot]}
	below, above := loss.minus(e.low[0]), e.high[0].minus(loss)
	if guard := s.guard(math.Abs(loss.value) + s.state.Cost); !(below.value > guard && above.value > guard) {
		return false
	}
	if l.right == nil {
		return below.lasts(l.best.At) && above.lasts(l.best.At)
	}
	if !below.begins(s.step) || !above.begins(s.step) {
		return false
	}
	loss = boundary{l.right.Loss[slot], l.right.Slope[slot] * l.right.DU[slot]}
	return loss.minus(e.low[1]).ends(s.step) && e.high[1].minus(loss).ends(s.step)
}

// guard is how far from the ends of its zone a sample must be, for terms of a size.
func (s *screen) guard(size float64) float64 {
	return tolerance.ScreenGuard * tolerance.Roundoff * size
}

func (b boundary) minus(other boundary) boundary {
	return boundary{b.value - other.value, b.rate - other.rate}
}

// lasts reports whether a distance stays positive on its tangent for so many ages.
func (b boundary) lasts(ages float64) bool { return b.rate >= 0 || b.value+ages*b.rate > 0 }

// begins reports whether the second Bernstein coefficient of the cubic interpolant over a
// step that begins here is not negative, ends whether the last two of one that ends here
// are not: where all are the interpolant is not negative.
func (b boundary) begins(h float64) bool { return b.value+h/3*b.rate >= 0 }

func (b boundary) ends(h float64) bool { return b.value >= 0 && b.value-h/3*b.rate >= 0 }
