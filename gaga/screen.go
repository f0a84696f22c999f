package gaga

import "math"

// screen tells quickly of most samples that they do not cross: firstCrossing
// looks closer at the others only. Event functions are taken in units of the
// loss, as distances from the ends of the sample's zone.
type screen struct {
	h     float64   // length of the step; 0 for a step on left's tangent
	least float64   // added to the loss for the size of the terms
	ends  []zoneEnd // of each zone of the samples
}

// zoneEnd holds the ends of a zone: thresholds at the left and the right point,
// and their rates.
type zoneEnd struct {
	low, dlow   [2]float64
	high, dhigh [2]float64
}

// screen prepares the look at a step; right is nil for one on left's tangent.
func (t *tracker) screen(left, right *point) *screen {
	s := &t.screened
	if s.ends == nil {
		s.ends = make([]zoneEnd, len(t.zones))
	}
	s.h, s.least = 0, 0
	if t.hinge != nil {
		s.least = t.hinge.C
	}
	points := [2]*point{left, left}
	if right != nil {
		points[1], s.h = right, right.age-left.age
	}
	for z := range s.ends {
		end, k := &s.ends[z], z-t.kinks
		if k < 0 {
			continue
		}
		for side, pt := range points {
			// The hinge's first zone ends at the loss 0; no loss is infinite.
			end.low[side], end.dlow[side] = 0, 0
			end.high[side], end.dhigh[side] = math.MaxFloat64, 0
			if k > 0 {
				end.low[side], end.dlow[side] = pt.threshold[k-1], pt.dthreshold[k-1]
			} else if t.kinks == 0 {
				end.low[side] = -math.MaxFloat64
			}
			if k < len(pt.threshold) {
				end.high[side], end.dhigh[side] = pt.threshold[k], pt.dthreshold[k]
			}
		}
	}
	return s
}

// stays reports whether the sample in a slot surely has no crossing before best.
func (s *screen) stays(t *tracker, left, right *point, slot int, best float64) bool {
	i := t.watch[slot]
	zone := t.zone[i]
	if int(zone) < t.kinks {
		return zone == satisfied && s.satisfied(left, right, t.y[i], slot, best)
	}
	end := &s.ends[zone]
	loss, dloss := left.loss[slot], left.slope[slot]*left.du[slot]
	below, above := loss-end.low[0], end.high[0]-loss
	dbelow, dabove := dloss-end.dlow[0], end.dhigh[0]-dloss
	guard := 10 * roundoff * (math.Abs(loss) + s.least)
	if !(below > guard && above > guard) {
		return false
	}
	if right == nil {
		return (dbelow >= 0 || below+best*dbelow > 0) && (dabove >= 0 || above+best*dabove > 0)
	}
	// All Bernstein coefficients of both cubic interpolants are positive.
	third := s.h / 3
	if below+third*dbelow < 0 || above+third*dabove < 0 {
		return false
	}
	loss, dloss = right.loss[slot], right.slope[slot]*right.du[slot]
	below, above = loss-end.low[1], end.high[1]-loss
	return below >= 0 && above >= 0 && below-third*(dloss-end.dlow[1]) >= 0 && above-third*(end.dhigh[1]-dloss) >= 0
}

// satisfied is stays for a satisfied sample, in units of the margin: it leaves its
// zone at the kink only.
func (s *screen) satisfied(left, right *point, y float64, slot int, best float64) bool {
	excess, rate := y*left.u[slot]-1, y*left.du[slot]
	if !(excess > 10*roundoff*(2+excess)) {
		return false
	}
	if right == nil {
		return rate >= 0 || excess+best*rate > 0
	}
	third := s.h / 3
	if excess+third*rate < 0 {
		return false
	}
	excess, rate = y*right.u[slot]-1, y*right.du[slot]
	return excess >= 0 && excess-third*rate >= 0
}
