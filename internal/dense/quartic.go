package dense

import (
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// Quartic is the form Σ c (z·x)⁴ of samples z, few of which enter and leave at a time: a matrix Σ c
// v vᵀ over the pairs v = z⊗z. Adding a panel of samples costs little more than adding one, so the
// latest samples stay in a panel. The last product is updated with the samples, because it is
// requested again after an event and its correction.
type Quartic struct {
	ld       int       // length of v, padded
	products *Products // its sum has older samples, its panel the latest
	v        []float64
	pairs    []float64
	along    []float64
	factor   []float64 // vector of the last product
	product  []float64
	kept     bool
	mirrored bool // the sum has both triangles
}

// NewQuartic is the form of no samples, of length q.
func NewQuartic(q int) *Quartic {
	f := func(k int) []float64 { return make([]float64, k) }
	pairs := q * (q + 1) / 2
	ld := kernel.Pad(pairs)
	return &Quartic{
		ld: ld, products: NewProducts(pairs),
		v: f(pairs), pairs: f(ld), along: f(panelRows), factor: f(ld), product: f(ld),
	}
}

func (s *Quartic) Reset() {
	clear(s.products.sum)
	s.products.rows, s.kept, s.mirrored = 0, false, false
}

func (s *Quartic) Add(c float64, z []float64) {
	Outer(s.v, z, 1)
	s.products.Add(s.v, c)
	s.mirrored = s.mirrored && s.products.rows > 0 // the panel was not added
	if k := len(s.v); s.kept {
		kernel.Axpy(c*kernel.Dot(s.v, s.factor[:k]), s.v, s.product[:k])
	}
}

// Contract writes Σ c (z·x)² z zᵀ into dst, q x q.
func (s *Quartic) Contract(dst, x []float64) {
	Outer(s.pairs, x, 2) // pairs a < b count for both orders
	square, at, q := s.mul(s.pairs), 0, len(x)
	for j := range q {
		for k := j; k < q; k++ {
			dst[j*q+k], dst[k*q+j] = square[at], square[at]
			at++
		}
	}
}

// mul returns the product with x, of length ld, until the next call of any method.
func (s *Quartic) mul(x []float64) []float64 {
	dst := s.product
	if s.kept && slices.Equal(x, s.factor) {
		return dst
	}
	s.kept = true
	copy(s.factor, x)
	s.mirror()
	along := s.along[:s.products.rows]
	kernel.MulVec(dst, s.products.sum, s.ld, x)
	kernel.MulVec(along, s.products.panel, s.ld, x)
	kernel.MulTransAdd(dst, s.products.scaled, s.ld, along)
	return dst
}

func (s *Quartic) mirror() {
	if s.mirrored {
		return
	}
	s.mirrored = true
	sum, ld := s.products.sum, s.ld
	for r := range ld {
		for c, v := range sum[r*ld:][:r] {
			sum[c*ld+r] = v
		}
	}
}

// Outer writes z_a z_b for a <= b, times off for a < b.
func Outer(dst, z []float64, off float64) {
	at := 0
	for a, za := range z {
		dst[at] = za * za
		kernel.ScaleTo(dst[at+1:], off*za, z[a+1:])
		at += len(z) - a
	}
}
