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

// fold is where a branch is expected to turn back, as seen from the age since. It is
// sure once a second estimate has agreed with the first. The speed was first where
// it was first expected to.
type fold struct {
	since, at, first float64
	sure             bool
}

// arrived is how many times the speed there, squared, it is by a fold: elsewhere,
// as behind the threshold of a weight of infinite slope, it may well grow by some
// of that.
const arrived = 1e4

// expectFold estimates from the last two points of one segment where the branch
// turns back.
func (t *tracker) expectFold(from, to *point) {
	before, after, last := t.speed(from), t.speed(to), t.fold
	t.fold = fold{}
	h := to.age - from.age
	if !(before > 0 && after > 1.5*before && h > 0) {
		return
	}
	next := fold{since: to.age, at: to.age + h*before/(after-before), first: before}
	if last.since == from.age {
		next.first = last.first
		next.sure = math.Abs(next.at-last.at) <= 0.25*(last.at-from.age)
	}
	if next.at-to.age < smallest*to.age && after < arrived*next.first {
		return // no fold: the corrector finds out how far it goes
	}
	t.fold = next
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
	if !t.fold.sure || t.fold.since != t.left.age {
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
