package sums

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/kernel"
)

// lineSums are sums along a base line: their coefficients, a row each, in the way from the
// line's middle over half its length.
type lineSums struct {
	p, pairs int
	width    int       // P + pairs of columns
	sums     []float64 // orders and more x width: Σ m φ a and, for a pair of columns j <= k, Σ m ∂φ/∂u a_j a_k
	values   []float64 // orders: Σ m F, but for constants of the zones
	triples  []float64 // bends and one x P x pairs: Σ m ∂²φ/∂u² a_l a_j a_k; in a zone's sums for l <= j alone
}

func newLineSums(p int) lineSums {
	pairs := p * (p + 1) / 2
	width := p + pairs
	return lineSums{
		p: p, pairs: pairs, width: width,
		sums: zeros(kernel.SeriesRows * width), values: zeros(orders), triples: zeros((bends + 1) * p * pairs),
	}
}

func (l *lineSums) reset() {
	clear(l.sums)
	clear(l.values)
	clear(l.triples)
}

// row returns the coefficients of an order.
func (l *lineSums) row(k int) []float64 { return l.sums[k*l.width:][:l.width] }

// bend returns those of second derivatives.
func (l *lineSums) bend(k int) []float64 {
	size := l.p * l.pairs
	return l.triples[k*size:][:size]
}

// add adds the sums of a zone, whose weights have a scale.
func (l *lineSums) add(zone *lineSums, scale *[orders]float64) {
	for k := range orders {
		for j := range k + 1 {
			s := scale[k-j]
			if s == 0 {
				continue
			}
			kernel.Axpy(s, zone.row(j), l.row(k))
			l.values[k] += s * zone.values[j]
			if k < bends {
				kernel.Axpy(s, zone.bend(j), l.bend(k))
			}
		}
	}
}

// mirror completes the triples l > j from those in order.
func (l *lineSums) mirror() {
	for k := range bends {
		triples := l.bend(k)
		for a := range l.p {
			for b := range a {
				for c := b; c < l.p; c++ {
					first, last := min(a, c), max(a, c)
					triples[a*l.pairs+l.pair(b, c)] = triples[b*l.pairs+l.pair(first, last)]
				}
			}
		}
	}
}

// pair returns where the pair of columns a <= b is.
func (l *lineSums) pair(a, b int) int { return a*(2*l.p-a-1)/2 + b }

// batch gathers the terms of samples of a zone, block by block.
type batch struct {
	lineSums
	kernel.PowerTerms
	used   int            // samples in the block
	index  [block]int32   // the samples
	norms  [block]float64 // of their rows
	size   [block]float64 // of the terms of m φ
	ld     int            // of rows
	rows   []float64      // block x ld: their columns and, Pad(P) further, the products of two of these
	bent   []float64      // block x (bends + 1) x Pad(P): their columns times m ∂²φ/∂u²
	sizes  []float64      // P: Σ size |a_j|
	diags  []float64      // P: Σ m|∂φ/∂u| a_j²
	errors errorSums
}

// errorSums tell how far off the base line the error is small: Σ ‖a‖ size, Σ ‖a‖³ |∂²φ/∂u²| left
// out, and Σ ‖a‖⁴ |∂³φ/∂u³|.
type errorSums struct{ sizes, bent, third float64 }

func newBatch(p int) *batch {
	l, pad := newLineSums(p), kernel.Pad(p)
	ld := pad + kernel.Pad(l.pairs)
	return &batch{
		lineSums: l, ld: ld, rows: zeros(block*ld + 16), bent: zeros(block * (bends + 1) * pad),
		sizes: zeros(p), diags: zeros(p),
	}
}

// reset empties the sums.
func (n *batch) reset() {
	n.lineSums.reset()
	n.Value = [orders][8]float64{}
	n.used = 0
	clear(n.sizes)
	clear(n.diags)
}

// gather makes the block's rows, with the products of two of their columns.
func (n *batch) gather(s *Scope) {
	kernel.PairRows(n.rows, n.ld, s.Samples.Rows, n.p, n.p, n.index[:n.used])
}

// scaleColumns makes the block's columns times m ∂²φ/∂u².
func (n *batch) scaleColumns() {
	pad := kernel.Pad(n.p)
	for k := range bends {
		kernel.ScaleRows(n.bent[k*pad:], (bends+1)*pad, n.rows, n.ld, n.p, n.PhiUU[k*block:][:n.used])
	}
}

// flush adds the terms of the block, where R, DR, M, index and norms are set, to the sums.
func (n *batch) flush(s *Scope, power *zonePower) {
	if n.used == 0 {
		return
	}
	n.gather(s)
	power.terms(&n.PowerTerms, n.used)
	n.measure(s, power.scale[0])
	kernel.MulTransAddAbs(n.sizes, n.rows, n.ld, n.size[:n.used])
	rows, pad := (power.orders+3)/4*4, kernel.Pad(n.p)
	kernel.MulAddRows(n.sums, n.width, n.Phi[:], block, 1, n.rows, n.ld, rows, n.p, n.used)
	kernel.MulAddRows(n.sums[n.p:], n.width, n.PhiU[:], block, 1, n.rows[pad:], n.ld, rows, n.pairs, n.used)
	if power.Q != 0 {
		n.scaleColumns()
		for j, from := 0, 0; j < n.p; j++ {
			triples := n.triples[j*n.pairs+from:]
			kernel.MulAddRows(triples, n.p*n.pairs, n.bent[j:], pad, (bends+1)*pad, n.rows[pad+from:], n.ld, bends+1, n.pairs-from, n.used)
			from += n.p - j
		}
	}
	n.used = 0
}

// finish takes the sums out of the flushed blocks of a zone.
func (n *batch) finish(power *zonePower) {
	for k := range n.values {
		n.values[k] = kernel.Sum(n.Value[k][:])
	}
	row := n.row(0) // a constant weight is positive
	if power.Q != 0 {
		row = n.row(orders)
	}
	for j := range n.diags {
		n.diags[j] = row[n.p+n.pair(j, j)]
	}
}

// measure takes the sizes of the block's terms, see [Scope.size], and what bounds the error,
// with the zone's scale.
func (n *batch) measure(s *Scope, scale float64) {
	for i, m := range n.M[:n.used] {
		r, v, dv, y := n.R[i], n.V[i], math.Abs(n.DV[i]), s.Y[n.index[i]]
		u, slope := math.Abs(r+y), math.Abs(2*r)
		size := v * (slope + 2*u)
		if dv != 0 {
			size += min(tolerance.PassedOn*dv*slope*(u+math.Abs(y)), 1) * slope
		}
		size *= m * scale
		norm := n.norms[i]
		cube := norm * norm * norm * scale
		n.size[i] = size
		n.errors.sizes += norm * size
		n.errors.bent += cube * n.Bent[i]
		n.errors.third += cube * norm * n.Third[i]
	}
}

// powersOf writes 1, x, x², ... and their derivatives in the age on a line of the given half
// length.
func powersOf(t, d *[orders]float64, x, half float64) {
	t[0], d[0] = 1, 0
	for k := 1; k < orders; k++ {
		t[k], d[k] = x*t[k-1], float64(k)*t[k-1]/half
	}
}
