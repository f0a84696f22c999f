package rehline

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

func (t *terms) slopes(visit func(slope []float64)) {
	for i := range t.kinked {
		visit(t.kinked[i].slope)
	}
	for i := range t.curved {
		visit(t.curved[i].slope)
	}
}

// move adds h dz to the slopes strictly between their bounds, clipped to the bounds, where h is
// their derivative.
func (t *terms) move(dz []float64, width float64) {
	for i := range t.kinked {
		k := &t.kinked[i]
		for j, a := range k.slope {
			if lo, hi := k.lo[j], k.hi[j]; a > lo && a < hi {
				k.slope[j] = min(max(a+dz[j]*(hi-lo)/width, lo), hi)
			}
		}
	}
	for i := range t.curved {
		c := &t.curved[i]
		for j, a := range c.slope {
			if lo, hi := c.bounds(j); a > lo && a < hi {
				c.slope[j] = min(max(a+c.sigma[j]*dz[j], lo), hi)
			}
		}
	}
}

func (c *curved) bounds(j int) (lo, hi float64) {
	if m := c.sigma[j]; m != 0 {
		return m * c.kl[j], m * c.kh[j]
	}
	return 0, 0
}

func (t *terms) center() {
	for i := range t.kinked {
		copy(t.kinked[i].center, t.kinked[i].slope)
	}
}

func (t *terms) begin() {
	for i := range t.kinked {
		k := &t.kinked[i]
		for j := range k.center {
			k.center[j] = (k.lo[j] + k.hi[j]) / 2
		}
	}
}

func (t *terms) confine() {
	for i := range t.kinked {
		k := &t.kinked[i]
		for j, a := range k.center {
			k.center[j] = min(max(a, k.lo[j]), k.hi[j])
		}
	}
}

func (t *terms) resume() {
	for i := range t.kinked {
		copy(t.kinked[i].slope, t.kinked[i].center)
	}
	for i := range t.curved {
		c := &t.curved[i]
		for j := range c.slope {
			lo, hi := c.bounds(j)
			c.slope[j] = min(max(c.slope[j], lo), hi)
		}
	}
}

func (t *terms) setFromDual(l *Loss, dual *Dual, unit float64) {
	for i := range t.kinked {
		k := &t.kinked[i]
		k.gather(k.center, unit, l.U, dual.Lambda)
	}
	for i := range t.curved {
		c := &t.curved[i]
		c.gather(c.slope, unit, l.S, dual.Gamma)
	}
}

func (t *terms) give(l *Loss, dual *Dual, unit float64) {
	for i := range t.kinked {
		t.kinked[i].spread(t.kinked[i].slope, unit, l.U, dual.Lambda)
	}
	for i := range t.curved {
		t.curved[i].spread(t.curved[i].slope, unit, l.S, dual.Gamma)
	}
}

// spread writes the duals of the rows of a term: the slope is their sum weighted by the rows' signs
// and sizes, and only the dual of the slope's sign is nonzero.
func (s termRows) spread(slope []float64, unit float64, p, dual blas64.General) {
	for _, r := range s {
		shares, p := row(dual, r), row(p, r)
		for i, a := range slope {
			shares[i] = 0
			if v := unit * a / p[i]; p[i] != 0 && v > 0 {
				shares[i] = v
			}
		}
	}
}

func (s termRows) gather(slope []float64, unit float64, p, dual blas64.General) {
	clear(slope)
	for _, r := range s {
		p, dual := row(p, r), row(dual, r)
		for i := range slope {
			slope[i] += dual[i] * p[i] / unit
		}
	}
}

// shift lowers the sum of the slopes by excess, in proportion to the room of each, and returns the
// remainder. The rooms of terms without a bound are proportional to their curvatures, and each has
// that for the excess. Inner leaves slopes at a bound unchanged.
func (t *terms) shift(excess float64, inner bool) float64 {
	down, flattest := excess > 0, inf
	for i := range t.curved {
		for _, m := range t.curved[i].sigma {
			if m > 0 {
				flattest = min(flattest, m)
			}
		}
	}
	reach := math.Abs(excess) / flattest
	room := func(a, lo, hi, most float64) float64 {
		if inner && (a <= lo || a >= hi) {
			return 0
		}
		if down {
			return min(a-lo, most)
		}
		return min(hi-a, most)
	}
	var total float64
	t.rooms(room, reach, func(_ *float64, r float64) { total += r })
	if total <= 0 {
		return excess
	}
	share := min(1, math.Abs(excess)/total)
	if !down {
		share = -share
	}
	t.rooms(room, reach, func(a *float64, r float64) { *a -= share * r })
	return excess - share*total
}

func (t *terms) rooms(room func(a, lo, hi, most float64) float64, reach float64, visit func(a *float64, r float64)) {
	for i := range t.kinked {
		k := &t.kinked[i]
		for j := range k.slope {
			visit(&k.slope[j], room(k.slope[j], k.lo[j], k.hi[j], inf))
		}
	}
	for i := range t.curved {
		c := &t.curved[i]
		for j, m := range c.sigma {
			if m > 0 {
				visit(&c.slope[j], room(c.slope[j], m*c.kl[j], m*c.kh[j], m*reach))
			}
		}
	}
}
