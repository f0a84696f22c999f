package gaga

import "math"

// Towards a fold at the age λ* the branch goes like θ* + v √(λ* - λ): its rate grows
// without bound, and steps along tangents that are halved where the corrector fails
// take dozens of corrections to come as close as floating point tells apart. But
// 1/‖dθ/dλ‖² falls linearly to zero, so that two points tell λ*, and with it where
// the branch goes: each step then leaves a tenth of the way.

// foldStep is the part of the way to a fold that a step goes at most: events on it
// are still seen on cubic interpolants.
const foldStep = 0.9

// fold is where a branch is expected to turn back, as seen from the age since.
type fold struct{ since, at float64 }

// expectFold estimates from the last two points of one segment where the branch
// turns back.
func (t *tracker) expectFold(from, to *point) {
	t.fold = fold{}
	before, after := t.speed(from), t.speed(to)
	if h := to.age - from.age; after > 1.5*before && h > 0 {
		t.fold = fold{to.age, to.age + h*before/(after-before)}
	}
}

// speed returns ‖dθ/dλ‖², weighted by the curvature.
func (t *tracker) speed(pt *point) float64 {
	var sum float64
	for r, j := range t.active {
		sum += t.diag[r] * pt.rate[j] * pt.rate[j]
	}
	return sum
}

// toFold returns how far from the left point the branch is expected to turn back,
// +Inf where nothing says that it does.
func (t *tracker) toFold() float64 {
	if t.fold.since != t.left.age || t.fold.at == 0 {
		return math.Inf(1)
	}
	return t.fold.at - t.left.age
}

// bent returns by how many ages' rates θ moves in a step h of the age.
func (t *tracker) bent(h float64) float64 {
	room := t.toFold()
	if !(h > 0) || math.IsInf(room, 1) {
		return h
	}
	return 2 * room * (1 - math.Sqrt(1-math.Min(h/room, foldStep)))
}
