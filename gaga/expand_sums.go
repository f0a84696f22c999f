package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// expandedSums takes the sums of an expansion at its nodes over blocks of samples,
// each entry once, as a scalar product of two long rows, as products does.
type expandedSums struct {
	p, pairs  int
	curvature float64 // ∂φ/∂u of the sample last taken

	used   int
	column []float64 // p x block: the block's columns
	pair   []float64 // pairs x block: their products
	phi    []float64 // nodes x block: m φ
	phiU   []float64 // nodes x block: m ∂φ/∂u
	phiUU  []float64 // bends x block: m ∂²φ/∂u²
	scaled []float64 // block

	v, a    []float64      // at each node, p and pairs of them
	f       [nodes]float64 // at each node
	triples []float64      // at each bend: Σ ∂²φ/∂u² x_a x_b x_c for a <= b <= c
	b       []float64      // the same in all places, pairs x p
}

func newExpandedSums(p int) expandedSums {
	f := func(k int) []float64 { return make([]float64, k) }
	pairs := p * (p + 1) / 2
	return expandedSums{
		p: p, pairs: pairs,
		column: f(p * productBlock), pair: f(pairs * productBlock),
		phi: f(nodes * productBlock), phiU: f(nodes * productBlock), phiUU: f(bends * productBlock), scaled: f(productBlock),
		v: f(nodes * p), a: f(nodes * pairs), triples: f(bends * pairs * (p + 2) / 3), b: f(bends * pairs * p),
	}
}

func (s *expandedSums) reset() {
	s.used = 0
	clear(s.v)
	clear(s.a)
	clear(s.f[:])
	clear(s.triples)
}

// take adds a sample with the predictor u in the window's middle and its rate du to the block;
// second derivatives are differences h apart. It returns the size of its terms and
// of their third derivative.
func (s *expandedSums) take(e *expansion, i int, u, du, h float64, ages *[nodes]float64) (size, third float64) {
	zone, y, m, at := e.zone[i], e.y[i], e.m[i], s.used
	for j, x := range e.sample(i) {
		s.column[j*productBlock+at] = x
	}
	bend := 0
	for k, age := range ages {
		u := u + (age-e.middle)*du
		loss, slope, curvature := e.loss.Eval(u, y)
		v, dv, _ := e.reg.Weight(int(zone), loss, age)
		phiU := m * (dv*slope*slope + v*curvature)
		s.phi[k*productBlock+at], s.phiU[k*productBlock+at] = m*v*slope, phiU
		s.f[k] += m * e.reg.Integral(loss, age)
		size = math.Max(size, m*(v*gradientTerms(u, slope, curvature)+e.passed(u, y, loss, slope, dv)))
		s.curvature = phiU
		if k != 1 && k != nodes-2 { // those of two Chebyshev points, the roots of T_2
			continue
		}
		up, down := s.slope(e, i, u+h, age), s.slope(e, i, u-h, age)
		s.phiUU[bend*productBlock+at] = (up - down) / (2 * h)
		third = math.Max(third, math.Abs(up-2*phiU+down)/(h*h))
		bend++
	}
	s.used++
	return size, third
}

// slope returns m ∂φ/∂u of sample i.
func (s *expandedSums) slope(e *expansion, i int, u, age float64) float64 {
	loss, slope, curvature := e.loss.Eval(u, e.y[i])
	v, dv, _ := e.reg.Weight(int(e.zone[i]), loss, age)
	return e.m[i] * (dv*slope*slope + v*curvature)
}

// flush adds the block to the sums.
func (s *expandedSums) flush() {
	m := s.used
	s.used = 0
	if m == 0 {
		return
	}
	row := func(of []float64, k int) blas64.Vector { return vector(of[k*productBlock:][:m]) }
	at := 0
	for a := range s.p {
		for k := range nodes {
			s.v[k*s.p+a] += blas64.Dot(row(s.phi, k), row(s.column, a))
		}
		for b := a; b < s.p; b++ {
			pair := row(s.pair, at)
			times(pair.Data, row(s.column, a).Data, row(s.column, b).Data)
			for k := range nodes {
				s.a[k*s.pairs+at] += blas64.Dot(row(s.phiU, k), pair)
			}
			at++
		}
	}
	scaled := vector(s.scaled[:m])
	triple := 0
	for bend := range bends {
		if factor := row(s.phiUU, bend); factor.Data[blas64.Iamax(factor)] == 0 {
			triple += len(s.triples) / bends
			continue
		}
		for a := range s.p {
			times(scaled.Data, row(s.phiUU, bend).Data, row(s.column, a).Data)
			for bc := s.pairAt(a, a); bc < s.pairs; bc++ {
				s.triples[triple] += blas64.Dot(scaled, row(s.pair, bc))
				triple++
			}
		}
	}
}

// pairAt returns the place of the pair a <= b.
func (s *expandedSums) pairAt(a, b int) int { return a*s.p - a*(a-1)/2 + b - a }

// productBlock is how many samples are taken together.
const productBlock = 248

// times writes the products of the entries of a and b into dst.
func times(dst, a, b []float64) {
	b = b[:len(a)]
	for r, x := range a {
		dst[r] = x * b[r]
	}
}

// spread returns the sums of third order at all their places.
func (s *expandedSums) spread() []float64 {
	triple := 0
	for bend := range bends {
		dst := s.b[bend*s.pairs*s.p:]
		for a := range s.p {
			for b := a; b < s.p; b++ {
				ab := s.pairAt(a, b)
				for c := b; c < s.p; c++ {
					x := s.triples[triple]
					triple++
					dst[ab*s.p+c], dst[s.pairAt(a, c)*s.p+b], dst[s.pairAt(b, c)*s.p+a] = x, x, x
				}
			}
		}
	}
	return s.b
}
