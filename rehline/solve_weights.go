package rehline

import (
	"iter"
	"math"
)

// SetWeights replaces the weights of the samples, n values >= 0 that are
// copied, or nil for ones. Its time is that of comparing them with those of
// before and of changing the samples whose weight is another. The first call
// allocates them where the Problem had none.
func (s *Solver) SetWeights(w []float64) error {
	if w != nil && len(w) != s.n {
		return checkWeights("Weights", w, s.n)
	}
	if len(s.weights) == 0 {
		if w == nil {
			return nil
		}
		s.weights = make([]float64, s.n)
		for i := range s.weights {
			s.weights[i] = 1
		}
	}
	if w == nil {
		for i, was := range s.weights {
			if was != 1 {
				s.weights[i] = 1
				s.weigh(i)
			}
		}
		s.sum()
		return nil
	}
	for i := range differing(w, s.weights) {
		if v := w[i]; !(v >= 0 && v <= math.MaxFloat64) {
			return checkWeights("Weights", w, s.n)
		}
	}
	for i := range differing(w, s.weights) {
		s.weights[i] = w[i]
		s.weigh(i)
	}
	s.sum()
	return nil
}

// differing yields where the bits of a and b, of the same length, differ; equal
// ones are passed over eight at a time.
func differing(a, b []float64) iter.Seq[int] {
	return func(yield func(int) bool) {
		from := 0
		for ; from+8 <= len(a); from += 8 {
			p, q := (*[8]float64)(a[from:]), (*[8]float64)(b[from:])
			var any uint64
			for k := range p {
				any |= math.Float64bits(p[k]) ^ math.Float64bits(q[k])
			}
			if any == 0 {
				continue
			}
			for k := range p {
				if math.Float64bits(p[k]) != math.Float64bits(q[k]) && !yield(from+k) {
					return
				}
			}
		}
		for ; from < len(a); from++ {
			if math.Float64bits(a[from]) != math.Float64bits(b[from]) && !yield(from) {
				return
			}
		}
	}
}

// SetC replaces the cost C >= 0; 0 is 1.
func (s *Solver) SetC(c float64) error {
	if err := checkScale("C", c); err != nil {
		return err
	}
	if s.c == scale(c) {
		return nil
	}
	s.c = scale(c)
	for i := range s.n {
		s.weigh(i)
	}
	s.sum()
	return nil
}

// cost returns C w_i divided by the ridge.
func (s *Solver) cost(i int) float64 {
	if len(s.weights) == 0 {
		return s.c / s.ridge
	}
	return s.c / s.ridge * s.weights[i]
}

// weigh sets the bounds of sample i for its weight and C.
func (s *Solver) weigh(i int) {
	c := s.cost(i)
	for t := range s.kinked {
		k := &s.kinked[t]
		s.origin -= k.atZero(i)
		k.weigh(&s.problem.Loss, i, c)
		s.origin += k.atZero(i)
	}
	for t := range s.curved {
		k := &s.curved[t]
		s.origin -= k.atZero(i)
		k.weigh(&s.problem.Loss, i, c)
		s.origin += k.atZero(i)
	}
	s.most = max(s.most, s.origin)
	s.weighed++
}

// sum sets what follows from all weights: the costs that do not depend on the
// scores, and the objective at zero. A few changes of the latter are as good as
// a new sum, unless it became much smaller.
func (s *Solver) sum() {
	if !s.level && len(s.problem.Loss.Offset) == 0 && s.weighed < s.n && s.origin > 1e-3*s.most {
		return
	}
	s.weighed = 0
	s.constant, s.offset, s.origin = 0, 0, 0
	if s.level {
		for i := range s.n {
			if c := s.cost(i); c > 0 {
				s.constant += c * s.flat(i)
			}
		}
	}
	for i, o := range s.problem.Loss.Offset {
		s.offset += s.cost(i) * s.ridge * o
	}
	s.origin = s.constant
	for i := range s.n {
		for t := range s.kinked {
			s.origin += s.kinked[t].atZero(i)
		}
		for t := range s.curved {
			s.origin += s.curved[t].atZero(i)
		}
	}
	s.most = s.origin
}

// flat returns the cost of the terms of sample i that turn nowhere, for a weight
// of 1.
func (s *Solver) flat(i int) float64 {
	l := &s.problem.Loss
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

// weigh sets the bounds of sample i for the cost c. A slope at a bound moves
// with it, any other keeps its share of the range.
func (k *kinked) weigh(l *Loss, i int, c float64) {
	var lo, hi float64
	for _, r := range [2]int{k.first, k.second} {
		if r < 0 {
			continue
		}
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

// weigh sets the curvature of sample i for the cost. Its slope keeps its share
// of the range.
func (c *curved) weigh(l *Loss, i int, cost float64) {
	before := c.sigma[i]
	c.sigma[i] = 0
	for _, r := range [2]int{c.first, c.second} {
		if r < 0 {
			continue
		}
		if s := row(l.S, r)[i]; turns(s, row(l.T, r)[i]) {
			c.sigma[i] = cost * s * s
		}
	}
	if before > 0 {
		c.slope[i] *= c.sigma[i] / before
	}
}

// atZero returns the value of the term of sample i at a score of zero.
func (k *kinked) atZero(i int) float64 {
	return max(-k.hi[i]*k.kink[i], -k.lo[i]*k.kink[i])
}

func (c *curved) atZero(i int) float64 {
	kink := c.kink[i]
	u := min(max(-kink, c.kl[i]), c.kh[i])
	return c.sigma[i] * u * (-kink - u/2)
}
