// Package cubic has cubic Hermite interpolants over a step.
package cubic

import "math"

// bisections halve 1 to roundoff.
const bisections = 60

// End is a function at one end of a step.
type End struct{ Value, Rate float64 }

func (l End) Minus(other End) End { return End{l.Value - other.Value, l.Rate - other.Rate} }

// Lasts reports whether the tangent stays positive over a step.
func (l End) Lasts(h float64) bool { return l.Rate >= 0 || l.Value+h*l.Rate > 0 }

// Begins and Ends report whether the interpolant's second, or last two, Bernstein coefficients are
// >= 0, over a step that begins or ends here. If both, the interpolant is >= 0.
func (l End) Begins(h float64) bool { return l.Value+h/3*l.Rate >= 0 }

func (l End) Ends(h float64) bool { return l.Value >= 0 && l.Value-h/3*l.Rate >= 0 }

// Root returns the step after which the tangent reaches zero, or +Inf. A value within slack of zero
// counts as zero now unless it takes longer than soon to reach zero.
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
// fraction x into dst, which may be a or b.
func Interpolate(dst, a, da, b, db []float64, h, x float64) {
	for j := range dst {
		c := bernstein{a[j], a[j] + h*da[j]/3, b[j] - h*db[j]/3, b[j]}
		dst[j] = c.at(x)
	}
}

// Root returns the fraction of a step of length h at which the interpolant first falls to zero, or
// +Inf. A value within slack of zero at the left end is a crossing only if it falls to zero soon.
func Root(l, r End, h, slack, soon float64) float64 {
	if l.Value <= slack {
		if at := l.Root(slack, soon); at == 0 {
			return 0
		} else if math.IsInf(at, 1) {
			l.Value = 0
		}
	}
	if math.IsInf(r.Rate, 0) || math.IsNaN(r.Rate) { // a weight ends with an infinite slope
		r.Rate = (r.Value - l.Value) / h
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

type bernstein [4]float64

func (b *bernstein) at(x float64) float64 {
	y := 1 - x
	return y*y*y*b[0] + 3*y*y*x*b[1] + 3*y*x*x*b[2] + x*x*x*b[3]
}

// criticalPoints returns the zeros of the derivative in (0, 1), ascending and then 1.
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

// bisect requires that the cubic is >= 0 at low and < 0 at high.
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
