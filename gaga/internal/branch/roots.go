package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// boundary is an event function at one end of a step: its value and its derivative in the
// age.
type boundary struct{ value, rate float64 }

// tangentRoot returns the age step after which an event function reaches zero on its
// tangent, +Inf if it does not fall. A value within slack of zero is a crossing now unless
// the function takes longer than soon to reach zero.
func tangentRoot(l boundary, slack, soon float64) float64 {
	if !(l.rate < 0) {
		return math.Inf(1)
	}
	if at := -l.value / l.rate; l.value > slack || at > soon {
		return at
	}
	return 0
}

// cubicRoot returns where in the step of length h, as a fraction of it, an event function
// first falls to zero on the cubic Hermite interpolant of its ends; +Inf if it stays
// positive. A value within slack of zero at the left end is a crossing only if the
// function falls there to zero soon.
func cubicRoot(l, r boundary, h, slack, soon float64) float64 {
	if l.value <= slack {
		if at := tangentRoot(l, slack, soon); at == 0 {
			return 0
		} else if math.IsInf(at, 1) {
			l.value = 0
		}
	}
	// The interpolant lies in the convex hull of its Bernstein coefficients.
	b := cubic{l.value, l.value + h*l.rate/3, r.value - h*r.rate/3, r.value}
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

// cubic has the Bernstein coefficients of a cubic on [0, 1].
type cubic [4]float64

func (b *cubic) at(x float64) float64 {
	y := 1 - x
	return y*y*y*b[0] + 3*y*y*x*b[1] + 3*y*x*x*b[2] + x*x*x*b[3]
}

// criticalPoints returns the zeros of the derivative in (0, 1), ascending and ending with
// 1, and how many these are.
func (b *cubic) criticalPoints() (points [3]float64, count int) {
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
func (b *cubic) bisect(low, high float64) float64 {
	for range tolerance.Bisections {
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
