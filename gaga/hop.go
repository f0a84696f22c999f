package gaga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// hop finds the landing point of a linear support vector machine's jump where that is
// the left point but for rounding: a pinned sample comes free, in a direction in which
// H is negative without it, but others at the margin, or a hair's breadth from it, stop
// it at once. Where thousands of samples are as good as at the margin, each of these
// would take alternation hundreds of exchanges of support vectors in each fit. The first
// to stop it is pinned in its place; a pinned sample whose multiplier is beyond its
// bounds then comes free in its turn. At an age just behind the left point the result
// must be a strict partial optimum. It reports false, and leaves everything as it is,
// where it finds none.
func (t *tracker) hop(c crossing, age float64) bool {
	if t.marginal == nil || (c.cause != SampleUp && c.cause != SampleDown) || t.zone[c.index] != pinned {
		return false
	}
	h := newHop(t)
	for _, h.earliest = range [2]bool{false, true} {
		if h.from(c, age) {
			return true
		}
		if len(h.changes) == 0 {
			break // nothing is near
		}
		h.undo()
	}
	return false
}

// from is hop from a sample's release, but that it does not undo changes where it
// reports false.
func (h *hopping) from(c crossing, age float64) bool {
	t := h.t
	for range mostHops {
		if !h.release(c) || !h.settle(age) {
			return false
		}
		next, ok := h.beyond()
		switch {
		case !ok:
			return false
		case next.index < 0:
			return t.inside(t.left) || h.checked()
		}
		c = next
	}
	return false
}

// mostHops is how many samples may come free one by one, and how many may be pinned on
// the way to a solution.
const mostHops = 64

// near is how far from where it begins, relative to θ, a hop may end.
const near = 1e-6

// hopping is the state of [tracker.hop].
type hopping struct {
	t       *tracker
	begun   *Knot      // the left point as it was: its age and θ
	dual    []float64  // n: its multipliers
	changes []crossing // since
	freed   []int      // samples that have come free
	// Of samples that tie the very first one is pinned, not the steepest.
	earliest bool
}

func newHop(t *tracker) *hopping {
	l := t.left
	return &hopping{t: t, begun: &Knot{Age: l.age, Theta: slices.Clone(l.theta)}, dual: slices.Clone(l.dual)}
}

// release lets a pinned sample go to the zone that the crossing says, and moves the left
// point along until it stops: where another comes to the margin, which is pinned then,
// or where the sample's multiplier is at its bound. It reports false, and has changed
// nothing, where nothing near stops it.
func (h *hopping) release(c crossing) bool {
	t, l := h.t, h.t.left
	// The solution that moves its margin by 1 and keeps the others pinned.
	way := t.primal.pins.unit(t.primal, c.index)
	t.solve(way)
	side, over := 1.0, l.dual[c.index]-t.bound*t.m[c.index]
	if c.cause == SampleDown {
		side, over = -1, -l.dual[c.index]
	}
	direction := t.theta0
	clear(direction)
	var fast, size float64
	for r, j := range t.active {
		direction[j] = side * way[r]
		fast, size = max(fast, math.Abs(direction[j])), max(size, math.Abs(l.theta[j]))
	}
	stop := math.Inf(1) // how far along the multiplier is at its bound
	if back := -way[t.unknownOf(c.index)]; back > 0 {
		stop = max(0, over) / back
	}
	h.freed = append(h.freed, c.index)
	slot, at := h.first(direction, stop)
	if !(at*fast <= near*size) {
		return false
	}
	h.apply(c)
	blas64.Axpy(at, vector(direction), vector(l.theta))
	t.predict(l.u, l.theta)
	if slot >= 0 {
		h.pin(slot)
	}
	return true
}

// pin pins a watched sample beside the margin.
func (h *hopping) pin(slot int) {
	i := h.t.watch[slot]
	cause := SampleDown
	if h.t.zone[i] == satisfied {
		cause = SampleUp
	}
	h.apply(crossing{cause: cause, index: i})
}

// settle moves the left point to the solution on its zones at an age, and pins those
// that come to the margin on the way. It reports false where that is not a strict
// minimum or far from where it began.
func (h *hopping) settle(age float64) bool {
	t, l := h.t, h.t.left
	l.age = age
	for range mostHops {
		t.assemble(l)
		if !t.factorize() {
			return false
		}
		step := t.rhs[:t.unknowns()]
		copy(step, t.residual)
		t.solve(step)
		direction := t.theta0
		clear(direction)
		for r, j := range t.active {
			direction[j] = -step[r]
		}
		slot, at := h.first(direction, 1)
		if slot < 0 {
			if !t.correct(l) || !t.close(h.begun, l, near) {
				return false
			}
			t.finish(l)
			return true
		}
		t.take(l, step, at)
		t.predict(l.u, l.theta)
		h.pin(slot)
	}
	return false
}

// first returns the slot of the watched sample beside the margin that comes there first
// along a direction, -1 where none does before the given length, and how far along. Of
// those that tie it is the one that comes there at the steepest angle; those that have
// come free would begin a cycle.
func (h *hopping) first(direction []float64, length float64) (first int, at float64) {
	t := h.t
	rate := t.scores[:len(t.watch)]
	t.predict(rate, direction)
	// distance of slot's sample to the margin, and the rate at which that falls.
	approach := func(slot int) (distance, speed float64) {
		i := t.watch[slot]
		distance, speed = t.y[i]*t.left.u[slot]-1, -t.y[i]*rate[slot]
		switch {
		case slices.Contains(h.freed, i):
			return 0, 0
		case int(t.zone[i]) == t.kinks:
			return max(0, -distance), -speed
		case t.zone[i] != satisfied:
			return 0, 0
		}
		return max(0, distance), speed
	}
	tied := length
	for slot := range t.watch {
		if distance, speed := approach(slot); speed > 0 {
			tied = min(tied, (distance+slack)/speed)
		}
	}
	first, at = -1, length
	steepest := 0.0
	for slot, i := range t.watch {
		distance, speed := approach(slot)
		if !(speed > 0) || distance > tied*speed {
			continue
		}
		angle := t.marginal.angle(i, speed)
		if h.earliest {
			angle = speed / (distance + slack)
		}
		if angle > steepest {
			first, at, steepest = slot, distance/speed, angle
		}
	}
	return first, at
}

// beyond returns the crossing of a pinned sample whose multiplier is beyond its bounds,
// the one furthest beyond, with the index -1 where there is none. It reports false where
// another watched sample is not in its zone.
func (h *hopping) beyond() (c crossing, ok bool) {
	t, l := h.t, h.t.left
	c.index = -1
	worst := 0.0
	for slot, i := range t.watch {
		if t.inZone(l, i, l.u[slot]) {
			continue
		}
		if t.zone[i] != pinned {
			return c, false
		}
		top := t.bound * t.m[i]
		off := max(-l.dual[i], l.dual[i]-top) / top
		if off > worst {
			worst = off
			c = crossing{cause: SampleDown, index: i}
			if l.dual[i] > top {
				c.cause = SampleUp
			}
		}
	}
	return c, true
}

// checked reports whether all samples are in their zones, where the left point is
// outside the window, which it closes then.
func (h *hopping) checked() bool {
	if !h.t.inZones(h.t.left) {
		return false
	}
	h.t.closeWindow()
	return true
}

// apply makes a change of zone.
func (h *hopping) apply(c crossing) {
	h.changes = append(h.changes, c)
	h.t.apply(c.cause, c.index, 0, h.t.left.theta)
}

// undo takes the changes back, and makes the left point what it was.
func (h *hopping) undo() {
	t, l := h.t, h.t.left
	for _, c := range slices.Backward(h.changes) {
		t.apply(c.cause.opposite(), c.index, 0, l.theta)
	}
	h.changes, h.freed = h.changes[:0], h.freed[:0]
	l.age = h.begun.Age
	copy(l.theta, h.begun.Theta)
	copy(l.dual, h.dual)
	t.stand()
}
