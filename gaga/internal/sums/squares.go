package sums

import (
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// squares is a symmetric matrix Σ c v vᵀ over the v = z⊗z of samples, of which few come
// and go at a time. The last to come stay in a panel: the matrix does not fit into the
// cache, and to change it costs as much for a panel of samples as for one. The last product
// is kept as well and follows the samples: behind an event and its correction one with
// the same vector is asked for.
type squares struct {
	products *Products // in its sum the samples before the last, in its panel these
	v        []float64 // scratch: z⊗z, of the pairs a <= b
	along    []float64 // scratch: panelRows
	ld       int       // length of v, padded
	factor   []float64 // ld: the vector of the last product
	product  []float64 // ld
	kept     bool      // there is one
}

func newSquares(pairs int) *squares {
	ld := kernel.Pad(pairs)
	return &squares{
		products: NewProducts(pairs), v: zeros(pairs), along: zeros(panelRows), ld: ld, factor: zeros(ld), product: zeros(ld),
	}
}

func (s *squares) reset() {
	clear(s.products.sum)
	s.products.rows, s.kept = 0, false
}

// add adds c v vᵀ of a sample's z.
func (s *squares) add(c float64, z []float64) {
	outer(s.v, z, 1)
	s.products.Push(s.v, c)
	if k := len(s.v); s.kept {
		kernel.Axpy(c*kernel.Dot(s.v, s.factor[:k]), s.v, s.product[:k])
	}
}

// mul returns the product with x, of length ld and zero beyond the pairs; the next call of
// any method overwrites it. It reads a few rows at a time, once for both triangles.
func (s *squares) mul(x []float64) []float64 {
	dst := s.product
	if s.kept && slices.Equal(x, s.factor) {
		return dst
	}
	s.kept = true
	copy(s.factor, x)
	clear(dst)
	const few = kernel.Width
	for first := 0; first < s.ld; first += few {
		rows, left, right := s.products.sum[first*s.ld:][:(few-1)*s.ld+first+few], x[:first], x[first:first+few]
		if first > 0 {
			kernel.MulVec(dst[first:first+few], rows, s.ld, left)
			kernel.MulTransAdd(dst[:first], rows, s.ld, right)
		}
		for r := range few { // the corner at the diagonal
			corner := rows[r*s.ld+first:][:r+1]
			dst[first+r] += corner[r] * right[r]
			for c, v := range corner[:r] {
				dst[first+r] += v * right[c]
				dst[first+c] += v * right[r]
			}
		}
	}
	along := s.along[:s.products.rows]
	kernel.MulVec(along, s.products.panel, s.ld, x)
	kernel.MulTransAdd(dst, s.products.scaled, s.ld, along)
	return dst
}

// outer writes z_a z_b for a <= b, times off where a < b.
func outer(dst, z []float64, off float64) {
	at := 0
	for a, za := range z {
		dst[at] = za * za
		for b, zb := range z[a+1:] {
			dst[at+1+b] = off * (za * zb)
		}
		at += len(z) - a
	}
}
