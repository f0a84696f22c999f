package gaga

import "math"

// crossing is a candidate for the next critical point: an event function,
// positive inside the segment, that reaches zero.
type crossing struct {
	cause Cause
	index int
	slot  int     // of the sample
	sign  float64 // for Activated: of the coefficient, against its gradient
	at    float64 // position in the step, 0 to 1
}

// boundary is an event function at one end of a step: its value and its
// derivative in the age.
type boundary struct{ value, rate float64 }

// sampleBoundary returns the event function of a watched sample for the upper
// or the lower end of its zone at pt, and whether there is such an end.
func (t *tracker) sampleBoundary(pt *point, slot int, cause Cause) (boundary, bool) {
	k := int(t.zone[t.watch[slot]]) - t.kinks
	if k < 0 || (k == 0 && t.kinks > 0 && cause == SampleDown) {
		return t.kinkBoundary(pt, slot, cause)
	}
	if cause == SampleUp {
		if k == len(pt.threshold) {
			return boundary{}, false
		}
		return boundary{pt.threshold[k] - pt.loss[slot], pt.dthreshold[k] - pt.slope[slot]*pt.du[slot]}, true
	}
	if k == 0 {
		return boundary{}, false
	}
	return boundary{pt.loss[slot] - pt.threshold[k-1], pt.slope[slot]*pt.du[slot] - pt.dthreshold[k-1]}, true
}

// kinkBoundary is sampleBoundary at the kink: of the margin's defect g = 1 - yu
// for a sample beside it, of the multiplier for a pinned one.
func (t *tracker) kinkBoundary(pt *point, slot int, cause Cause) (boundary, bool) {
	i := t.watch[slot]
	zone, y := t.zone[i], t.y[i]
	switch {
	case zone == pinned && cause == SampleUp:
		return boundary{t.bound*t.m[i] - pt.dual[i], -pt.ddual[i]}, true
	case zone == pinned:
		return boundary{pt.dual[i], pt.ddual[i]}, true
	case zone == satisfied && cause == SampleUp:
		return boundary{y*pt.u[slot] - 1, y * pt.du[slot]}, true
	case zone == satisfied:
		return boundary{}, false
	}
	return boundary{1 - y*pt.u[slot], -y * pt.du[slot]}, true
}

// sampleSize returns the size of the terms of a watched sample's event function
// at pt.
func (t *tracker) sampleSize(pt *point, slot int, cause Cause) float64 {
	i := t.watch[slot]
	switch k := int(t.zone[i]) - t.kinks; {
	case t.kinks > 0 && t.zone[i] == pinned:
		return t.bound * t.m[i]
	case k < 0 || (k == 0 && t.kinks > 0 && cause == SampleDown):
		return 1 + math.Abs(pt.u[slot])
	}
	return pt.loss[slot]
}

// coordinateBoundary returns the event function of coordinate j at pt.
func (t *tracker) coordinateBoundary(pt *point, j int, cause Cause, sign float64) boundary {
	if cause == Dropped {
		return boundary{t.sign[j] * pt.theta[j], t.sign[j] * pt.rate[j]}
	}
	return boundary{t.l1[j] + sign*pt.grad[j], sign * pt.dgrad[j]}
}

// firstCrossing returns the first crossing strictly inside the step from left
// to right or at its ends. With right nil it predicts the crossing from left's
// tangent alone, at in units of age. Of the samples that a linear support vector
// machine has at the margin already it is the one that leaves it at the steepest
// angle: as a pin it depends least on the others.
func (t *tracker) firstCrossing(left, right *point) (crossing, bool) {
	best, steepest := crossing{cause: NoCause, index: -1, at: math.Inf(1)}, 0.0
	consider := func(c crossing, l, r boundary, slack, size float64) {
		if l.rate < 0 && l.value <= slack && (-l.rate*left.age <= noise*size || t.reverses(c.cause, c.index)) {
			l.rate = 0
		}
		if right == nil {
			c.at = tangentRoot(l, slack, instant*left.age)
		} else {
			c.at = cubicRoot(l, r, right.age-left.age, slack, instant*left.age)
		}
		steep := 0.0
		if t.marginal != nil && c.at == 0 {
			if _, to := t.zonesOf(c); to == pinned {
				steep = t.marginal.angle(c.index, -l.rate)
			}
		}
		if c.at < best.at || steep > steepest {
			best, steepest = c, steep
		}
	}
	screen := t.screen(left, right)
	for slot, i := range t.watch {
		if screen.stays(t, left, right, slot, best.at) {
			continue
		}
		for _, cause := range [2]Cause{SampleUp, SampleDown} {
			l, ok := t.sampleBoundary(left, slot, cause)
			if !ok {
				continue
			}
			var r boundary
			if right != nil {
				r, _ = t.sampleBoundary(right, slot, cause)
			}
			size := t.sampleSize(left, slot, cause)
			consider(crossing{cause: cause, index: i, slot: slot}, l, r, roundoff*size, size)
		}
	}
	var largest float64
	for _, w := range left.theta {
		largest = math.Max(largest, math.Abs(w))
	}
	for j := range t.p {
		if t.l1[j] == 0 {
			continue
		}
		if t.sign[j] != 0 {
			l := t.coordinateBoundary(left, j, Dropped, 0)
			var r boundary
			if right != nil {
				r = t.coordinateBoundary(right, j, Dropped, 0)
			}
			consider(crossing{cause: Dropped, index: j}, l, r, roundoff*math.Abs(left.theta[j])+unitRoundoff*largest, largest)
			continue
		}
		if t.shadow[j] {
			continue
		}
		for _, sign := range [2]float64{1, -1} {
			l := t.coordinateBoundary(left, j, Activated, sign)
			var r boundary
			if right != nil {
				r = t.coordinateBoundary(right, j, Activated, sign)
			}
			consider(crossing{cause: Activated, index: j, sign: sign}, l, r, roundoff*t.l1[j], t.l1[j])
		}
	}
	return best, best.index >= 0
}

// reverses reports whether a crossing at the left point would undo the one just
// made there. Behind a turning point the event function always moves into the
// new zone (its rate is the one before over the sign test's positive scalar), so
// that only a rate that is rounding can say so.
func (t *tracker) reverses(cause Cause, index int) bool {
	if index != t.last.index || t.left.age != t.lastAge {
		return false
	}
	return cause == t.last.cause.opposite()
}

// opposite returns the cause of the change that takes one of this cause back, NoCause
// where there is none.
func (c Cause) opposite() Cause {
	switch c {
	case SampleUp:
		return SampleDown
	case SampleDown:
		return SampleUp
	case Activated:
		return Dropped
	case Dropped:
		return Activated
	}
	return NoCause
}

// roundoff is how far, relative to its terms, an event function may be below
// zero and still count as zero.
const roundoff = 1e-11

// noise is the rate, relative to the terms over the age, up to which the rate
// of an event function at zero is rounding: tied coordinates, say, keep their
// gradients at the L1 weight while one of them moves.
const noise = 1e-12

// tangentRoot returns the age step after which an event function reaches zero
// on its tangent, +Inf if it does not fall. A value within slack of zero is a crossing
// now unless the function takes longer than soon to reach zero.
func tangentRoot(l boundary, slack, soon float64) float64 {
	if !(l.rate < 0) {
		return math.Inf(1)
	}
	if at := -l.value / l.rate; l.value > slack || at > soon {
		return at
	}
	return 0
}

// cubicRoot returns where in the step of length h, as a fraction of it, an
// event function first falls to zero on the cubic Hermite interpolant of its
// ends; +Inf if it stays positive. A value within slack of zero at the left
// end is a crossing only if the function falls there to zero soon.
func cubicRoot(l, r boundary, h, slack, soon float64) float64 {
	if l.value <= slack {
		if at := tangentRoot(l, slack, soon); at == 0 {
			return 0
		} else if math.IsInf(at, 1) {
			l.value = 0
		}
	}
	// Bernstein coefficients: the interpolant lies in their convex hull.
	b0, b3 := l.value, r.value
	b1, b2 := b0+h*l.rate/3, b3-h*r.rate/3
	if b1 >= 0 && b2 >= 0 && b3 >= -slack {
		return math.Inf(1)
	}
	eval := func(x float64) float64 {
		y := 1 - x
		return y*y*y*b0 + 3*y*y*x*b1 + 3*y*x*x*b2 + x*x*x*b3
	}
	// Split at the critical points, then bisect the first falling piece.
	c0, c1, c2 := b1-b0, 2*(b2-2*b1+b0), b3-3*b2+3*b1-b0
	lo := 0.0
	for _, hi := range criticalPoints(c0, c1, c2) {
		if eval(hi) < -slack {
			return bisect(eval, lo, hi)
		}
		lo = hi
	}
	return math.Inf(1)
}

// criticalPoints returns, ascending and ending with 1, the zeros in (0, 1) of
// c0 + c1 x + c2 x², the derivative of a cubic up to a factor.
func criticalPoints(c0, c1, c2 float64) []float64 {
	var buf [3]float64
	points := buf[:0]
	add := func(x float64) {
		if x > 0 && x < 1 {
			points = append(points, x)
		}
	}
	if disc := c1*c1 - 4*c0*c2; disc > 0 {
		q := -0.5 * (c1 + math.Copysign(math.Sqrt(disc), c1))
		x1, x2 := q/c2, c0/q
		if x1 > x2 {
			x1, x2 = x2, x1
		}
		add(x1)
		add(x2)
	}
	return append(points, 1)
}

// bisect returns the zero of f between lo, where it is not negative, and hi,
// where it is negative.
func bisect(f func(float64) float64, lo, hi float64) float64 {
	for range 60 {
		mid := 0.5 * (lo + hi)
		if mid == lo || mid == hi {
			break
		}
		if f(mid) < 0 {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// instant is how soon, relative to the age, an event function within roundoff of zero
// reaches it where it counts as there.
const instant = 1e-13
