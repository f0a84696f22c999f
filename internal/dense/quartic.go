package dense

import (
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// Quartic is the form Σ c (z·x)⁴ of samples z, of which few come and go at a time: as a
// matrix Σ c v vᵀ over the pairs v = z⊗z. The last to come stay in a panel, as the matrix
// does not fit into the cache, and to change it costs as much for a panel of samples as for
// one. The last product follows the samples: behind an event and its correction one with
// the same vector is asked for.
type Quartic struct {
	q, ld    int       // length of z, and of v, padded
	products *Products // in its sum the samples before the last, in its panel these
	v        []float64 // scratch: z⊗z, of the pairs a <= b
	pairs    []float64 // ld, scratch: that of x
	along    []float64 // scratch: panelRows
	factor   []float64 // ld: the vector of the last product
	product  []float64 // ld
	kept     bool      // there is one
}

// NewQuartic returns the form of no samples, of length q.
func NewQuartic(q int) *Quartic {
	f := func(k int) []float64 { return make([]float64, k) }
	pairs := q * (q + 1) / 2
	ld := kernel.Pad(pairs)
	return &Quartic{
		q: q, ld: ld, products: NewProducts(pairs),
		v: f(pairs), pairs: f(ld), along: f(panelRows), factor: f(ld), product: f(ld),
	}
}

// Reset takes all samples out.
func (s *Quartic) Reset() {
	clear(s.products.sum)
	s.products.rows, s.kept = 0, false
}

// Add adds c times a sample's term.
func (s *Quartic) Add(c float64, z []float64) {
	Outer(s.v, z, 1)
	s.products.Push(s.v, c)
	if k := len(s.v); s.kept {
		kernel.Axpy(c*kernel.Dot(s.v, s.factor[:k]), s.v, s.product[:k])
	}
}

// Contract writes Σ c (z·x)² z zᵀ into dst, q x q.
func (s *Quartic) Contract(dst, x []float64) {
	Outer(s.pairs, x, 2) // pairs a < b stand for both orders
	square, at := s.mul(s.pairs), 0
	for a := range s.q {
		for b := a; b < s.q; b++ {
			dst[a*s.q+b], dst[b*s.q+a] = square[at], square[at]
			at++
		}
	}
}

// mul returns the product with x, of length ld and zero beyond the pairs; the next call of
// any method overwrites it. It reads a few rows at a time, once for both triangles.
func (s *Quartic) mul(x []float64) []float64 {
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

// Outer writes z_a z_b for a <= b, times off where a < b.
func Outer(dst, z []float64, off float64) {
	at := 0
	for a, za := range z {
		dst[at] = za * za
		for b, zb := range z[a+1:] {
			dst[at+1+b] = off * (za * zb)
		}
		at += len(z) - a
	}
}

// Twist writes Σ_l T_jkl x_l for all pairs j <= k of a symmetric T, given for j <= k <= l.
func Twist(dst, t, x []float64) {
	clear(dst)
	at, jk := 0, 0
	for j, xj := range x {
		kl := jk
		for k := j; k < len(x); k++ {
			for l := k; l < len(x); l++ {
				v := t[at]
				dst[jk] += v * x[l]
				if l > k {
					dst[jk+l-k] += v * x[k]
				}
				if k > j {
					dst[kl] += v * xj
				}
				at, kl = at+1, kl+1
			}
			jk++
		}
	}
}
