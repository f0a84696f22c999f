package sums

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// block is how many samples are taken together.
const block = 64

// lineSums are sums along a base line: their coefficients, a row each, in the way from the
// line's middle over half its length.
type lineSums struct {
	p, width int       // width is P + pairs of columns
	sums     []float64 // orders x width: Σ m φ a and, for a pair of columns, Σ m ∂φ/∂u a_j a_k
	values   []float64 // orders: Σ m F, but for constants of the zones
	triples  []float64 // bends x triples j <= k <= l: Σ m ∂²φ/∂u² a_j a_k a_l
}

func newLineSums(p int) lineSums {
	pairs := p * (p + 1) / 2
	width := p + pairs
	return lineSums{
		p: p, width: width, sums: zeros(orders * width), values: zeros(orders), triples: zeros(bends * pairs * (p + 2) / 3),
	}
}

func (l *lineSums) reset() {
	clear(l.sums)
	clear(l.values)
	clear(l.triples)
}

// add adds f times the sums of a zone, whose weights have a scale.
func (l *lineSums) add(zone *lineSums, scale *[orders]float64, f float64) {
	for of, rows := range [3][2][]float64{{l.sums, zone.sums}, {l.values, zone.values}, {l.triples, zone.triples}} {
		count := orders
		if of == 2 {
			count = bends
		}
		width := len(rows[0]) / count
		for k := range count {
			for j := range k + 1 {
				if s := scale[k-j]; s != 0 {
					kernel.Axpy(f*s, rows[1][j*width:][:width], rows[0][k*width:][:width])
				}
			}
		}
	}
}

// batch gathers the terms of samples of a zone, block by block.
type batch struct {
	lineSums
	one    terms     // scratch
	used   int       // samples in the block
	orders int       // coefficients of these that are not zero
	rows   []float64 // block x width: their columns, and the products of two of these
	phi    []float64 // orders x block: m φ
	phiU   []float64 // orders x block: m ∂φ/∂u
	phiUU  []float64 // bends x block: m ∂²φ/∂u²
	size   []float64 // block: of the terms of m φ
	scaled []float64 // scratch: block
	sizes  []float64 // P: Σ size |a_j|
	diags  []float64 // P: Σ m|∂φ/∂u| a_j²
}

func newBatch(p int) batch {
	l := newLineSums(p)
	return batch{
		lineSums: l, rows: zeros(block * l.width), phi: zeros(orders * block), phiU: zeros(orders * block),
		phiUU: zeros(bends * block), size: zeros(block), scaled: zeros(block), sizes: zeros(p), diags: zeros(p),
	}
}

func (n *batch) reset() {
	n.lineSums.reset()
	clear(n.sizes)
	clear(n.diags)
}

// take adds a sample's terms, with its row, the residual in the middle, its rate over half
// the length, and its multiplicity.
func (n *batch) take(p *zonePower, x []float64, r, dr, m float64) *terms {
	if n.used == block {
		n.flush()
	}
	at, t := n.used, &n.one
	n.used++
	copy(n.rows[at*n.width:], x)
	dense.Outer(n.rows[at*n.width+n.p:], x, 1)
	p.expand(t, r, dr, m)
	for k := range p.orders {
		n.phi[k*block+at], n.phiU[k*block+at] = t.phi[k], t.phiU[k]
		n.values[k] += t.value[k]
	}
	for k, c := range t.phiUU {
		n.phiUU[k*block+at] = c
	}
	n.orders = p.orders
	return t
}

// flush adds the block to the sums.
func (n *batch) flush() {
	m, p, width := n.used, n.p, n.width
	if n.used = 0; m == 0 {
		return
	}
	for k := range n.orders {
		sums := n.sums[k*width : (k+1)*width]
		kernel.MulTransAdd(sums[:p], n.rows, width, n.phi[k*block:][:m])
		kernel.MulTransAdd(sums[p:], n.rows[p:], width, n.phiU[k*block:][:m])
	}
	kernel.MulTransAddAbs(n.sizes, n.rows, width, n.size[:m])
	scaled := n.scaled[:m]
	for r := range scaled {
		scaled[r] = math.Abs(n.phiU[r])
	}
	for j, pair := 0, p; j < p; j++ {
		kernel.MulTransAdd(n.diags[j:j+1], n.rows[pair:], width, scaled)
		pair += p - j
	}
	for bend := range bends {
		phiUU, triples := n.phiUU[bend*block:][:m], n.triples[bend*len(n.triples)/bends:]
		if phiUU[blas64.Iamax(vector(phiUU))] == 0 {
			continue
		}
		first := p // where the pairs of columns j and up begin
		for j := range p {
			for r, x := range phiUU {
				scaled[r] = x * n.rows[r*width+j]
			}
			kernel.MulTransAdd(triples[:width-first], n.rows[first:], width, scaled)
			triples, first = triples[width-first:], first+p-j
		}
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

// antiderivative is the weight's in the loss, by which implicit losses of a zone differ.
func (p *zonePower) antiderivative(loss, age float64) float64 {
	scale, base := math.Pow(p.A[0]+p.A[1]*age, p.P), p.B[0]+p.B[1]*age+p.B[2]*loss
	switch {
	case p.Q == 0:
		return scale * loss
	case p.Q == -1:
		return scale * math.Log(base) / p.B[2]
	}
	return scale * math.Pow(base, p.Q+1) / (p.B[2] * (p.Q + 1))
}
