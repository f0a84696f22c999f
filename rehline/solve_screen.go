package rehline

import (
	"math"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// screen finds the samples that are near their kinks. While the coefficients stay within
// a ball around those that the scores z belong to, no score moves by more than the radius
// times ‖x_i‖; a sample whose slope is at a bound and whose score is further than that
// from its kink keeps its slope, and its term is linear.
type screen struct {
	rows   subset    // the near samples, ascending
	inv    []float64 // n: 1/‖x_i‖²
	anchor []float64 // dim: the center, the coefficients of the scores
	typed  float64   // the radius of the next re-solve, 0 before the first one
	radius float64   // of the present ball
}

// inside tells whether the ball has the coefficients.
func (c *screen) inside(beta []float64) bool { return !(c.distance(beta) > c.radius) }

// distance returns that of the coefficients from the center.
func (c *screen) distance(beta []float64) float64 {
	var t float64
	for j, b := range beta {
		e := b - c.anchor[j]
		t += e * e
	}
	return math.Sqrt(t)
}

// few returns how many samples are to be near.
func few(n, dim int) float64 { return max(nearShare*float64(n), float64(nearDims*dim)) }

// typical returns a radius that makes about as few samples near as wanted.
func (c *screen) typical(k *kinked, z, sample []float64) float64 {
	list, n := sample[:0], len(z)
	stride := max(1, n/nearSample)
	for i := 0; i < n && len(list) < cap(list); i += stride {
		list = append(list, math.Abs(z[i]-k.kink[i])*math.Sqrt(c.inv[i]))
	}
	slices.Sort(list)
	return list[int(min(few(n, len(c.anchor))/float64(n), 0.5)*float64(len(list)-1))]
}

// choose lists the near samples of a ball, and tells whether there is room for them. It
// adapts the radius of the next re-solve.
func (c *screen) choose(t *terms, z []float64, radius float64) bool {
	c.radius = radius
	if !c.within(t, z) {
		return false
	}
	wanted := few(len(z), len(c.anchor))
	switch count := float64(len(c.rows.index)); {
	case count > 1.5*wanted:
		c.typed *= 0.7
	case count < 0.7*wanted:
		c.typed *= 1.4
	}
	return true
}

func (c *screen) within(t *terms, z []float64) bool {
	room := c.rows.index[:cap(c.rows.index)]
	limit := c.radius * c.radius * (1 + 1e-9)
	if len(t.kinked) == 1 {
		k := &t.kinked[0]
		count, ok := kernel.Near(z, k.kink, k.lo, k.hi, k.slope, c.inv, limit, room)
		c.rows.index = room[:count]
		return ok
	}
	count := 0
	for i, z := range z {
		if t.held(i, z, c.inv[i], limit) {
			continue
		}
		if count == len(room) {
			return false
		}
		room[count] = int32(i)
		count++
	}
	c.rows.index = room[:count]
	return true
}

// held tells whether a ball of squared radius limit holds all slopes of sample i with the
// score z at their bounds.
func (t *terms) held(i int, z, inv, limit float64) bool {
	for b := range t.kinked {
		k := &t.kinked[b]
		r := z - k.kink[i]
		bound := k.lo[i]
		if r > 0 {
			bound = k.hi[i]
		}
		if k.slope[i] != bound || r*r*inv <= limit {
			return false
		}
	}
	return true
}
