package gaga

import "math"

// Where weights are constant in every zone and the sums are over zones, as those
// of the squared loss under the hard regularizer, alternation needs no look at
// all samples: a weighted fit is the solution on its zones, one Newton step away,
// and inside a window only the watched samples can change their zones. A path of
// thousands of jumps, each of a sample or two, then costs no more for large n.

// stepwise reports whether the problem is of that kind.
func (t *moments) stepwise() bool {
	for k := range t.zones {
		if f := t.reg.Series(k, 1).F; f[1] != 0 || f[3] != 0 {
			return false
		}
	}
	return true
}

// landNearby alternates from the left point, a jump point, at an age beyond it,
// within the window. It reports false, with the left θ as it was, where the way
// leads out of it or has more than few steps: the landing is then left to
// [tracker.land].
func (t *tracker) landNearby(age float64) (alternations int, ok bool) {
	pt := t.left
	before, from := append([]float64(nil), pt.theta...), pt.age
	signs := append([]float64(nil), t.sign...)
	pt.age = age
	for k := 1; k <= plain; k++ {
		if !t.reweigh(pt) {
			if k == 1 || !t.consistentNearby(pt) {
				break
			}
			return k, true
		}
		if _, ok := t.refit(pt); !ok || !t.correct(pt) || !t.inside(pt) {
			break
		}
		t.finish(pt)
	}
	copy(pt.theta, before)
	copy(t.sign, signs)
	pt.age = from
	return 0, false
}

// reweigh moves the watched samples to the zones of their losses at pt and
// reports whether there were any to move.
func (t *tracker) reweigh(pt *point) (changed bool) {
	t.predict(pt.u, pt.theta)
	for slot, i := range t.watch {
		loss, _, _ := t.loss.Eval(pt.u[slot], t.y[i])
		zone := zoneOf(t.reg, t.zones, loss, pt.age)
		changed = changed || zone != int(t.zone[i])
		for zone > int(t.zone[i]) {
			t.apply(SampleUp, i, 0, pt.theta)
		}
		for zone < int(t.zone[i]) {
			t.apply(SampleDown, i, 0, pt.theta)
		}
	}
	return changed
}

// consistentNearby reports whether the watched samples are in their zones.
func (t *tracker) consistentNearby(pt *point) bool {
	for slot, i := range t.watch {
		if !t.inZone(pt, i, pt.u[slot]) {
			return false
		}
	}
	return true
}

// jumped takes note of a jump and of the ages that the path was smooth before
// it: windows leave room for as many more.
func (w *window) jumped(from, to []float64, ages float64) {
	length := w.distance(from, to)
	w.leap = math.Max(0.9*w.leap, length)
	if rate := length / ages; ages > 0 && !math.IsInf(rate, 0) {
		w.drift += (rate - w.drift) / 16
	}
}
