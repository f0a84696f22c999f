package sums

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// nodes is the number of points at which sums are taken along the base line, and bends is
// how many of these have second derivatives: every third, Chebyshev points of their own.
const (
	nodes = 6
	bends = nodes / 3
)

// block is how many samples are taken together.
const block = 248

// nodeSums takes the sums of an expansion at its nodes over blocks of samples, and turns
// them into Chebyshev coefficients along the base line.
type nodeSums struct {
	p, width int            // width is P + pairs of columns
	ages     [nodes]float64 // of the nodes
	middle   float64        // age of the window's middle
	sums     []float64      // nodes x width: Σ m φ a and, for a pair of columns, Σ m ∂φ/∂u a_j a_k
	values   []float64      // nodes: Σ m F
	triples  []float64      // bends x triples j <= k <= l: Σ m ∂²φ/∂u² a_j a_k a_l

	used   int       // samples in the block
	rows   []float64 // block x width: their columns, and the products of two of these
	phi    []float64 // nodes x block: m φ
	phiU   []float64 // nodes x block: m ∂φ/∂u
	phiUU  []float64 // bends x block: m ∂²φ/∂u²
	scaled []float64 // scratch: block
}

func newNodeSums(p int) nodeSums {
	pairs := p * (p + 1) / 2
	width := p + pairs
	return nodeSums{
		p: p, width: width, sums: zeros(nodes * width), values: zeros(nodes), triples: zeros(bends * pairs * (p + 2) / 3),
		rows: zeros(block * width), phi: zeros(nodes * block), phiU: zeros(nodes * block), phiUU: zeros(bends * block),
		scaled: zeros(block),
	}
}

// reset empties the sums, for nodes on a base line.
func (n *nodeSums) reset(l *line) {
	n.used, n.middle = 0, l.middle
	clear(n.sums)
	clear(n.values)
	clear(n.triples)
	for k := range n.ages {
		n.ages[k] = l.middle + l.half*math.Cos((float64(k)+0.5)*math.Pi/nodes)
	}
}

// take adds sample i with the predictor u in the window's middle and its rate du. Second
// derivatives are differences of points apart from the base line. It returns the largest
// size of the sample's terms and of their third derivative, and ∂φ/∂u at the last node.
func (n *nodeSums) take(s *Scope, i int, u, du, apart float64) (size, phiU, third float64) {
	if n.used == block {
		n.flush()
	}
	at, x, y := n.used, s.Row(i), s.Y[i]
	n.used++
	copy(n.rows[at*n.width:], x)
	dense.Outer(n.rows[at*n.width+n.p:], x, 1)
	slopeAt := func(u, age float64) float64 {
		loss, slope, curvature := s.Loss.Eval(u, y)
		_, phiU, _, _, _ := s.weigh(i, age, loss, slope, curvature)
		return phiU
	}
	for k, age := range n.ages {
		u := u + (age-n.middle)*du
		loss, slope, curvature := s.Loss.Eval(u, y)
		var v, dv float64
		n.phi[k*block+at], phiU, _, v, dv = s.weigh(i, age, loss, slope, curvature)
		n.phiU[k*block+at] = phiU
		n.values[k] += s.M[i] * s.Regularizer.Integral(loss, age)
		size = math.Max(size, s.size(i, u, loss, slope, curvature, v, dv))
		if k%3 == 1 {
			up, down := slopeAt(u+apart, age), slopeAt(u-apart, age)
			n.phiUU[k/3*block+at] = (up - down) / (2 * apart)
			third = math.Max(third, math.Abs(up-2*phiU+down)/(apart*apart))
		}
	}
	return size, phiU, third
}

// flush adds the block to the sums.
func (n *nodeSums) flush() {
	m, p, width := n.used, n.p, n.width
	if n.used = 0; m == 0 {
		return
	}
	for k := range nodes {
		sums := n.sums[k*width : (k+1)*width]
		kernel.MulTransAdd(sums[:p], n.rows, width, n.phi[k*block:][:m])
		kernel.MulTransAdd(sums[p:], n.rows[p:], width, n.phiU[k*block:][:m])
	}
	scaled := n.scaled[:m]
	for bend := range bends {
		phiUU, triples := vector(n.phiUU[bend*block:][:m]), n.triples[bend*len(n.triples)/bends:]
		if phiUU.Data[blas64.Iamax(phiUU)] == 0 {
			continue
		}
		first := p // where the pairs of columns j and up begin
		for j := range p {
			for r, x := range phiUU.Data {
				scaled[r] = x * n.rows[r*width+j]
			}
			kernel.MulTransAdd(triples[:width-first], n.rows[first:], width, scaled)
			triples, first = triples[width-first:], first+p-j
		}
	}
}

// chebyshev turns values at count Chebyshev points, a row each, into coefficients.
func chebyshev(rows []float64, count int) {
	var at [nodes]float64
	var factors [nodes][nodes]float64
	for j := range count {
		for k := range count {
			factors[j][k] = 2 * math.Cos(float64(j)*(float64(k)+0.5)*math.Pi/float64(count)) / float64(count)
			if j == 0 {
				factors[j][k] /= 2
			}
		}
	}
	width := len(rows) / count
	for c := range width {
		for k := range count {
			at[k], rows[k*width+c] = rows[k*width+c], 0
		}
		for j := range count {
			for k, f := range factors[j][:count] {
				rows[j*width+c] += f * at[k]
			}
		}
	}
}
