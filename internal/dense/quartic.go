package dense

import (
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// Quartic is the form Σ c (z·x)⁴ of samples z, few of which enter and leave at a time, for x that
// are 0 except in the coordinates of [Quartic.Extend]: a matrix Σ c v wᵀ with w_ab = z_a z_b over
// the pairs that have such a coordinate or are equal, and v, its entries of two such coordinates.
// Adding a panel of samples costs little more than adding one, so the latest samples stay in a
// panel. The last product is updated with the samples, because it is requested again after an event
// and its correction.
type Quartic struct {
	q, ld  int
	among  []bool
	order  []int    // of the coordinates
	pairs  [][2]int // of w
	at     []int    // places in w, q x q
	inner  []int    // places of v's entries in w
	sum    []float64
	panel  []float64 // w of the latest samples
	scaled []float64 // c v
	c      []float64

	factor  []float64 // v of the last product
	along   []float64
	product []float64
	kept    bool
}

// NewQuartic is the form of no samples, of length q.
func NewQuartic(q int) *Quartic {
	f := func(k int) []float64 { return make([]float64, k) }
	size := q * (q + 1) / 2
	s := &Quartic{
		q: q, among: make([]bool, q), at: make([]int, q*q),
		factor: f(size), along: f(max(size, panelRows)), product: f(size),
	}
	for j := range q {
		s.pair(j, j)
	}
	s.widen()
	return s
}

func (s *Quartic) pair(a, b int) {
	s.at[a*s.q+b], s.at[b*s.q+a] = len(s.pairs), len(s.pairs)
	s.pairs = append(s.pairs, [2]int{a, b})
}

// widen makes room for all pairs, and for more as far as there are. The panel is empty.
func (s *Quartic) widen() {
	if len(s.pairs)+kernel.Width <= s.ld {
		return
	}
	ld := kernel.Pad(min(2*len(s.pairs), len(s.product))) + kernel.Width
	s.panel, s.scaled = make([]float64, panelRows*ld), make([]float64, panelRows*ld)
	sum := make([]float64, len(s.sum)/max(s.ld, 1)*ld)
	for r := range len(s.sum) / max(s.ld, 1) {
		copy(sum[r*ld:], s.sum[r*s.ld:][:s.ld])
	}
	s.sum, s.ld = sum, ld
}

// Has reports whether x may differ from 0 in a coordinate.
func (s *Quartic) Has(j int) bool { return s.among[j] }

// Extend lets x differ from 0 in coordinate j; samples adds all samples again.
func (s *Quartic) Extend(j int, samples func(add func(c float64, z []float64))) {
	s.flush()
	n, m := len(s.inner), len(s.pairs)
	for l, among := range s.among {
		if !among && l != j {
			s.pair(j, l)
		}
	}
	s.widen()
	s.among[j], s.order, s.kept = true, append(s.order, j), false
	grown := make([]int, 0, len(s.order))
	for _, a := range s.order {
		grown = append(grown, s.at[j*s.q+a])
	}
	rows := n + (len(grown)+3)/4*4
	s.sum = append(s.sum, make([]float64, (rows+3)*s.ld-len(s.sum))...)
	fill := func() {
		// The old rows' new columns, then the new rows.
		kernel.ProductAdd(s.sum[m:], s.ld, (n+3)/4*4, kernel.Pad(len(s.pairs)-m), s.scaled, s.panel[m:], len(s.c))
		for r, c := range s.c {
			for k, at := range grown {
				s.scaled[r*s.ld+n+k] = c * s.panel[r*s.ld+at]
			}
		}
		kernel.ProductAdd(s.sum[n*s.ld:], s.ld, rows-n, kernel.Pad(len(s.pairs)), s.scaled[n:], s.panel, len(s.c))
		for r := range s.c {
			clear(s.scaled[r*s.ld+n:][:len(grown)])
		}
		s.c = s.c[:0]
	}
	samples(func(c float64, z []float64) {
		if s.push(c, z); len(s.c) == panelRows {
			fill()
		}
	})
	fill()
	s.inner = append(s.inner, grown...)
}

func (s *Quartic) Reset() {
	clear(s.sum)
	s.c, s.kept = s.c[:0], false
}

func (s *Quartic) Add(c float64, z []float64) {
	w, v := s.push(c, z)
	if s.kept {
		kernel.Axpy(kernel.Dot(v, s.factor[:len(v)]), w, s.product[:len(w)])
	}
	if len(s.c) == panelRows {
		s.flush()
	}
}

func (s *Quartic) push(c float64, z []float64) (w, v []float64) {
	from := len(s.c) * s.ld
	s.c = append(s.c, c)
	w, v = s.panel[from:][:len(s.pairs)], s.scaled[from:][:len(s.inner)]
	for k, p := range s.pairs {
		w[k] = z[p[0]] * z[p[1]]
	}
	for k, at := range s.inner {
		v[k] = c * w[at]
	}
	return w, v
}

func (s *Quartic) flush() {
	kernel.ProductAdd(s.sum, s.ld, (len(s.inner)+3)/4*4, kernel.Pad(len(s.pairs)), s.scaled, s.panel, len(s.c))
	s.c = s.c[:0]
}

// Contract writes Σ c (z·x)² z_a z_b into dst, q x q, for the pairs of w.
func (s *Quartic) Contract(dst, x []float64) {
	along, n, m := s.along, len(s.inner), len(s.pairs)
	for k, at := range s.inner {
		p := s.pairs[at]
		along[k] = x[p[0]] * x[p[1]]
		if p[0] != p[1] {
			along[k] *= 2
		}
	}
	if !s.kept || !slices.Equal(along[:n], s.factor[:n]) {
		s.kept = true
		copy(s.factor, along[:n])
		clear(s.product)
		kernel.MulTransAdd(s.product[:m], s.sum, s.ld, s.factor[:n])
		kernel.MulVec(along[:len(s.c)], s.scaled, s.ld, s.factor[:n])
		kernel.MulTransAdd(s.product[:m], s.panel, s.ld, along[:len(s.c)])
	}
	for k, p := range s.pairs {
		dst[p[0]*s.q+p[1]], dst[p[1]*s.q+p[0]] = s.product[k], s.product[k]
	}
}
