package convex

import (
	"math"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// exact solves for the multipliers of free samples, whose margins are 1, with the others at their
// bounds: a gap of 1e-14 alone leaves an error of 1e-7 in w.
type exact struct {
	factor dense.Cholesky // of the free samples' Gram matrix plus shift
	shift  float64        // with 1ᵀβ given, a multiple of 11ᵀ changes only b; 0 without an intercept
	free   []int
	beta   []float64 // y_i α_i
	w      []float64
	b      float64
	rest   []float64
	ones   []float64
	row    []float64
}

// refine makes the exact solution for the standings current if its certificate is good. Multipliers
// that cannot resolve the scores, as with features of very different sizes, stay.
func (s *LinearSVM) refine(c *Certificate) bool {
	e := &s.exact
	s.collect()
	e.b = s.last.Intercept
	e.rest, e.ones = e.rest[:0], e.ones[:0]
	for _, i := range e.free { // remainder of the equations, as α may be tiny
		e.rest, e.ones = append(e.rest, s.y[i]-e.b-kernel.Dot(s.row(i), e.w)), append(e.ones, 1)
	}
	e.factor.Solve(e.rest)
	if s.origin != nil && len(e.free) > 0 {
		balance, sum, weight := 0.0, 0.0, 0.0
		for _, v := range e.beta {
			balance += v
		}
		e.factor.Solve(e.ones)
		for q, v := range e.rest {
			sum += v
			weight += e.ones[q]
		}
		b := (sum + balance) / weight
		kernel.Axpy(-b, e.ones, e.rest)
		e.b += b - e.shift*balance
	}
	for q, i := range e.free {
		e.beta[i] += e.rest[q]
		kernel.Axpy(e.rest[q], s.row(i), e.w)
	}
	s.bound()
	refined := s.measure()
	if !(refined.Gap <= linearGap && refined.KKT <= Tolerance) {
		return false
	}
	refined.Iterations = c.Iterations
	*c = refined
	copy(s.theta, e.w)
	s.theta[s.x.Cols] = e.b - s.atOrigin(e.w)
	for i, v := range e.beta {
		s.alpha[i] = math.Abs(v)
		switch {
		case s.standing[i] != Free:
		case v == 0:
			s.standing[i] = AtZero
		case s.alpha[i] == s.c*s.weights[i]:
			s.standing[i] = AtUpper
		}
	}
	s.predict(s.scores, e.w, e.b)
	return true
}

// collect factorizes a largest independent set of the free samples.
func (s *LinearSVM) collect() {
	e := &s.exact
	e.factor.Clear()
	e.factor.Tolerance, e.free = dependence, e.free[:0]
	clear(e.w)
	for i, y := range s.y {
		e.beta[i] = 0
		switch s.standing[i] {
		case AtUpper:
			e.beta[i] = y * s.c * s.weights[i]
		case Free:
			e.row = e.row[:0]
			for _, j := range e.free {
				e.row = append(e.row, kernel.Dot(s.row(i), s.row(j))+e.shift)
			}
			e.row = append(e.row, kernel.Dot(s.row(i), s.row(i))+e.shift)
			if e.factor.Append(e.row) {
				e.free = append(e.free, i)
			}
			e.beta[i] = y * s.alpha[i]
		}
		if e.beta[i] != 0 {
			kernel.Axpy(e.beta[i], s.row(i), e.w)
		}
	}
}

// bound moves multipliers within rounding of a bound there. If none is between its bounds and the intercept is
// free, it is the midpoint of the interval in which it is optimal.
func (s *LinearSVM) bound() {
	e, loose, size := &s.exact, s.origin != nil, 0.0
	for _, v := range e.beta {
		size += math.Abs(v)
	}
	s.predict(s.along, e.w, 0)
	lowest, highest := math.Inf(-1), math.Inf(1)
	for i, u := range s.along {
		top, alpha, rest := s.c*s.weights[i], s.y[i]*e.beta[i], s.y[i]-u
		switch {
		case math.Abs(alpha) <= snug*min(size, top):
			alpha = 0
		case math.Abs(alpha-top) <= snug*min(size, top):
			alpha = top
		default:
			loose = false
		}
		e.beta[i] = s.y[i] * alpha
		if top > 0 && (alpha > 0) == (s.y[i] > 0) {
			highest = min(highest, rest)
		} else if top > 0 {
			lowest = max(lowest, rest)
		}
	}
	if width := highest - lowest; loose && width >= 0 && !math.IsInf(width, 1) {
		e.b = lowest + width/2
	}
}

// snug is the distance of a multiplier from its bound, relative to that and to the sum of all, that is
// rounding.
const snug = 1e-14

// measure returns the exact solution's certificate, as dual.certificate. The gap is infinite if a
// multiplier leaves its bounds or rounding is too large.
func (s *LinearSVM) measure() Certificate {
	e := &s.exact
	c := Certificate{Objective: kernel.Dot(e.w, e.w) / 2, Gap: math.Inf(1)}
	s.predict(s.along, e.w, e.b)
	support, scale := 0, max(1, math.Abs(e.b))
	for i, u := range s.along {
		scale = max(scale, math.Abs(u))
		if v := e.beta[i]; v != 0 {
			support++
			scale = max(scale, math.Abs(v)*kernel.Dot(s.row(i), s.row(i)))
		}
	}
	rounding, gap := resolution*scale*(2+math.Sqrt(float64(support))), 0.0
	for i, u := range s.along {
		top, alpha, slack := s.c*s.weights[i], s.y[i]*e.beta[i], 1-s.y[i]*u
		if !(alpha >= 0 && alpha <= top) || rounding > blurred {
			return c
		}
		if math.Abs(slack) <= rounding {
			slack = 0
		}
		if slack > 0 {
			c.Objective += top * slack
			gap += (top - alpha) * slack
		} else {
			gap -= alpha * slack
		}
		if alpha > 0 && slack < 0 || alpha < top && slack > 0 {
			c.KKT = max(c.KKT, math.Abs(slack)/scale)
		}
	}
	if c.Gap = 0; gap > 0 {
		c.Gap = gap / c.Objective
	}
	return c
}
