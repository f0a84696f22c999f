package rehline

import (
	"math"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// costs are the weights and C, and sums over them, divided by the unit except offset.
type costs struct {
	loss    *Loss
	terms   *terms
	n       int
	c       float64
	weights []float64 // empty for ones
	unit    float64   // of the objective: the ridge, or its replacement
	level   bool      // some terms do not depend on the score

	constant float64 // cost of these terms
	offset   float64 // Σ C w_i Offset_i
	origin   float64
}

func (o *costs) init() {
	for k := range o.terms.kinked {
		o.terms.kinked[k].bound(o)
	}
	for k := range o.terms.curved {
		o.terms.curved[k].bound(o)
	}
	for i := 0; i < o.n && !o.level; i++ {
		o.level = o.flat(i) > 0
	}
	o.sum()
}

// SetWeights replaces the weights by n values >= 0, which are copied, or by ones if w is nil. The
// cost is a pass over the samples. The first call allocates if the Problem had no weights.
func (s *Solver) SetWeights(w []float64) error { return s.costs.setWeights(w) }

func (o *costs) setWeights(w []float64) error {
	if w != nil && len(w) != o.n {
		return checkWeights("Weights", w, o.n)
	}
	if len(o.weights) == 0 {
		if w == nil {
			return nil
		}
		o.weights = slices.Repeat([]float64{1}, o.n)
	}
	for _, v := range w {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return checkWeights("Weights", w, o.n)
		}
	}
	for i, was := range o.weights {
		v := 1.0
		if w != nil {
			v = w[i]
		}
		if v != was {
			o.weights[i] = v
			o.terms.weigh(o.loss, i, o.of(i))
		}
	}
	o.sum()
	return nil
}

// of returns C w_i divided by the unit.
func (o *costs) of(i int) float64 {
	if len(o.weights) == 0 {
		return o.c
	}
	return o.c * o.weights[i]
}

func (o *costs) sum() {
	o.constant, o.offset = 0, 0
	if o.level {
		for i := range o.n {
			if c := o.of(i); c > 0 {
				o.constant += c * o.flat(i)
			}
		}
	}
	for i, v := range o.loss.Offset {
		o.offset += o.of(i) * o.unit * v
	}
	o.origin = o.constant + o.terms.atZeros(o.n)
}

func (o *costs) flat(i int) float64 {
	l := o.loss
	var t float64
	for r := range l.U.Rows {
		if u, v := row(l.U, r)[i], row(l.V, r)[i]; !turns(u, v) {
			t += max(v, 0)
		}
	}
	for r := range l.S.Rows {
		if u, v := row(l.S, r)[i], row(l.T, r)[i]; !turns(u, v) {
			t += rehu(v, row(l.Tau, r)[i])
		}
	}
	return t
}

func (t *terms) weigh(l *Loss, i int, c float64) {
	for k := range t.kinked {
		t.kinked[k].weigh(l, i, c)
	}
	for k := range t.curved {
		t.curved[k].weigh(l, i, c)
	}
}

func (k *kinked) bound(o *costs) {
	if len(o.weights) == 0 {
		kernel.ScaleTo(k.lo, o.c, k.lo)
		kernel.ScaleTo(k.hi, o.c, k.hi)
		return
	}
	for i := range k.lo {
		c := o.of(i)
		k.lo[i] *= c
		k.hi[i] *= c
	}
}

// bound sets the curvatures, which the rows of a source share.
func (c *curved) bound(o *costs) {
	s, t := row(o.loss.S, c.termRows[0]), row(o.loss.T, c.termRows[0])
	for i, s := range s {
		if c.sigma[i] = 0; c.all || turns(s, t[i]) {
			c.sigma[i] = o.of(i) * (s * s)
		}
	}
}

// weigh keeps a slope at its bound there, and any other slope's share of the range.
func (k *kinked) weigh(l *Loss, i int, c float64) {
	var lo, hi float64
	for _, r := range k.termRows {
		u := row(l.U, r)[i]
		if !turns(u, row(l.V, r)[i]) {
			continue
		}
		if u > 0 {
			hi = c * u
		} else {
			lo = c * u
		}
	}
	a, from, to := k.slope[i], k.lo[i], k.hi[i]
	switch {
	case from == to:
		a = min(max(a, lo), hi)
	case a == to:
		a = hi
	case a == from:
		a = lo
	default:
		a = min(max(lo+(a-from)/(to-from)*(hi-lo), lo), hi)
	}
	k.slope[i], k.lo[i], k.hi[i] = a, lo, hi
}

func (c *curved) weigh(l *Loss, i int, cost float64) {
	before := c.sigma[i]
	c.sigma[i] = 0
	for _, r := range c.termRows {
		if s := row(l.S, r)[i]; turns(s, row(l.T, r)[i]) {
			c.sigma[i] = cost * s * s
		}
	}
	if before > 0 {
		c.slope[i] *= c.sigma[i] / before
	}
}
