// Package cubic has cubic Hermite interpolants of functions over a step, whose values and
// rates at both ends are known.
package cubic

import "math"

// bisections halve 1 to roundoff.
const bisections = 60

// End is a function at one end of a step: its value and its rate.
type End struct{ Value, Rate float64 }

// Minus returns the difference of two functions.
func (l End) Minus(other End) End { return End{l.Value - other.Value, l.Rate - other.Rate} }

// Lasts reports whether the function stays positive on its tangent over a step.
func (l End) Lasts(h float64) bool { return l.Rate >= 0 || l.Value+h*l.Rate > 0 }

// Begins reports whether the second Bernstein coefficient of the interpolant over a step
// that begins here is not negative, Ends whether the last two of one that ends here are
// not: where all are, nor is the interpolant.
func (l End) Begins(h float64) bool { return l.Value+h/3*l.Rate >= 0 }

// Ends is explained at [End.Begins].
func (l End) Ends(h float64) bool { return l.Value >= 0 && l.Value-h/3*l.Rate >= 0 }

// Root returns the step after which the function reaches zero on its tangent, +Inf if it
// does not fall. A value within slack of zero counts as zero now unless the function takes
// longer than soon to reach it.
func (l End) Root(slack, soon float64) float64 {
	if !(l.Rate < 0) {
		return math.Inf(1)
	}
	if at := -l.Value / l.Rate; l.Value > slack || at > soon {
		return at
	}
	return 0
}

// Interpolate writes the interpolant between a and b, h apart, with rates da and db, at the
// fraction x of the way into dst, which may be a or b.
func Interpolate(dst, a, da, b, db []float64, h, x float64) {
	for j := range dst {
		c := bernstein{a[j], a[j] + h*da[j]/3, b[j] - h*db[j]/3, b[j]}
		dst[j] = c.at(x)
	}
}

// Root returns where in a step of length h, as a fraction of it, a function first falls to zero on the cubic Hermite interpolant of its ends; +Inf if it stays
// positive. A value within slack of zero at the left end is a crossing only if the
// function falls there to zero soon.
func Root(l, r End, h, slack, soon float64) float64 {
	if l.Value <= slack {
		if at := l.Root(slack, soon); at == 0 {
			return 0
		} else if math.IsInf(at, 1) {
			l.Value = 0
		}
	}
	// The interpolant lies in the convex hull of its Bernstein coefficients.
	b := bernstein{l.Value, l.Value + h*l.Rate/3, r.Value - h*r.Rate/3, r.Value}
	if b[1] >= 0 && b[2] >= 0 && b[3] >= -slack {
		return math.Inf(1)
	}
	// Split at the critical points, then bisect the first falling piece.
	low := 0.0
	points, count := b.criticalPoints()
	for _, high := range points[:count] {
		if b.at(high) < -slack {
			return b.bisect(low, high)
		}
		low = high
	}
	return math.Inf(1)
}

// bernstein has the Bernstein coefficients of a cubic on [0, 1].
type bernstein [4]float64

func (b *bernstein) at(x float64) float64 {
	y := 1 - x
	return y*y*y*b[0] + 3*y*y*x*b[1] + 3*y*x*x*b[2] + x*x*x*b[3]
}

// criticalPoints returns the zeros of the derivative in (0, 1), ascending and ending with
// 1, and how many these are.
func (b *bernstein) criticalPoints() (points [3]float64, count int) {
	c0, c1, c2 := b[1]-b[0], 2*(b[2]-2*b[1]+b[0]), b[3]-3*b[2]+3*b[1]-b[0]
	if disc := c1*c1 - 4*c0*c2; disc > 0 {
		q := -0.5 * (c1 + math.Copysign(math.Sqrt(disc), c1))
		x1, x2 := q/c2, c0/q
		for _, x := range [2]float64{math.Min(x1, x2), math.Max(x1, x2)} {
			if x > 0 && x < 1 {
				points[count] = x
				count++
			}
		}
	}
	points[count] = 1
	return points, count + 1
}

// bisect returns the zero between low, where the cubic is not negative, and high, where it
// is negative.
func (b *bernstein) bisect(low, high float64) float64 {
	for range bisections {
		mid := 0.5 * (low + high)
		if mid == low || mid == high {
			break
		}
		if b.at(mid) < 0 {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
