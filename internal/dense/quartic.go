package dense

import (
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// Quartic is the form Σ c (z·x)⁴ of samples z, few of which enter and leave at a time: a matrix Σ c
// v vᵀ over the pairs v = z⊗z. The matrix does not fit into the cache, and adding a panel costs as
// much as adding one sample, so the latest samples stay in a panel. The last product is updated
// with the samples, because it is requested again after an event and its correction.
//
// Vectors x are zero in most coordinates, and in the same ones for long. For a large matrix, the
// coordinates in which some vector was nonzero, and their pairs, are ordered last: only their rows
// are kept and read. When another coordinate enters, its rows are summed over all samples.
type Quartic struct {
	members  func(add func(c float64, z []float64))
	q, ld    int // length of z, and of v, padded
	order    []int
	some     int       // kept coordinates, the last in order
	products *Products // its sum has older samples, its panel the latest
	z        []float64
	v        []float64
	pairs    []float64
	along    []float64
	factor   []float64 // vector of the last product
	product  []float64
	kept     bool
	mirrored bool
}

// mirrorRows is the order up to which both triangles of the sum fit into the cache, so that one
// matrix-vector product suffices.
const mirrorRows = 256

// NewQuartic is the form of no samples, of length q. members calls add for all samples.
func NewQuartic(q int, members func(add func(c float64, z []float64))) *Quartic {
	f := func(k int) []float64 { return make([]float64, k) }
	pairs := q * (q + 1) / 2
	ld := kernel.Pad(pairs)
	s := &Quartic{
		members: members, q: q, ld: ld, order: make([]int, q), products: NewProducts(pairs), z: f(q),
		v: f(pairs), pairs: f(ld), along: f(panelRows), factor: f(ld), product: f(ld),
	}
	for j := range s.order {
		s.order[j] = j
	}
	s.keep(0)
	return s
}

func (s *Quartic) keep(some int) {
	if s.some = some; s.ld > mirrorRows {
		s.products.from, s.products.to = s.first()/kernel.Width*kernel.Width, s.ld
	}
}

// first is the first pair of the kept coordinates.
func (s *Quartic) first() int { return len(s.v) - s.some*(s.some+1)/2 }

func (s *Quartic) Reset() {
	clear(s.products.sum)
	s.products.rows, s.kept, s.mirrored = 0, false, false
	s.keep(0)
}

func (s *Quartic) Add(c float64, z []float64) {
	s.outer(s.v, z, 1)
	s.products.Add(s.v, c)
	s.mirrored = s.mirrored && s.products.rows > 0 // the panel was not added
	if k := len(s.v); s.kept {
		kernel.Axpy(c*kernel.Dot(s.v, s.factor[:k]), s.v, s.product[:k])
	}
}

func (s *Quartic) outer(dst, z []float64, off float64) {
	for a, j := range s.order {
		s.z[a] = z[j]
	}
	Outer(dst, s.z, off)
}

// Contract writes Σ c (z·x)² z zᵀ into dst, q x q.
func (s *Quartic) Contract(dst, x []float64) {
	if s.ld > mirrorRows {
		s.enter(x)
	}
	s.outer(s.pairs, x, 2) // pairs a < b count for both orders
	square, at := s.mul(s.pairs), 0
	for a, j := range s.order {
		for _, k := range s.order[a:] {
			dst[j*s.q+k], dst[k*s.q+j] = square[at], square[at]
			at++
		}
	}
}

func (s *Quartic) enter(x []float64) {
	w, some, end := s.products, s.some, s.first()
	for a := s.q - some - 1; a >= 0; a-- {
		if x[s.order[a]] == 0 {
			continue
		}
		if some == s.some && w.rows > 0 {
			w.gram()
		}
		some++
		s.exchange(a, s.q-some)
	}
	if some == s.some {
		return
	}
	s.keep(some)
	w.to = kernel.Pad(end)
	clear(w.sum[w.from*s.ld : w.to*s.ld])
	s.members(func(c float64, z []float64) {
		s.outer(s.v, z, 1)
		w.Add(s.v, c)
	})
	if w.rows > 0 {
		w.gram()
	}
	w.to = s.ld
}

// exchange exchanges two places in the order, and those of their pairs.
func (s *Quartic) exchange(a, b int) {
	if a == b {
		return
	}
	s.order[a], s.order[b] = s.order[b], s.order[a]
	s.kept, s.mirrored = false, false
	w := s.products
	sum, ld := w.sum, s.ld
	for c := range s.q {
		i, j := s.pair(a, c), s.pair(b, c)
		switch c {
		case a:
			j = s.pair(b, b)
		case b: // the pair of both stays
			continue
		}
		i, j = min(i, j), max(i, j)
		for k := range s.ld {
			switch {
			case k < i:
				sum[i*ld+k], sum[j*ld+k] = sum[j*ld+k], sum[i*ld+k]
			case k == i:
				sum[i*ld+i], sum[j*ld+j] = sum[j*ld+j], sum[i*ld+i]
			case k < j:
				sum[k*ld+i], sum[j*ld+k] = sum[j*ld+k], sum[k*ld+i]
			case k > j:
				sum[k*ld+i], sum[k*ld+j] = sum[k*ld+j], sum[k*ld+i]
			}
		}
		for r := range w.rows {
			panel, scaled := w.panel[r*ld:], w.scaled[r*ld:]
			panel[i], panel[j] = panel[j], panel[i]
			scaled[i], scaled[j] = scaled[j], scaled[i]
		}
	}
}

func (s *Quartic) pair(a, b int) int {
	a, b = min(a, b), max(a, b)
	return a*(2*s.q-a-1)/2 + b
}

// mul returns the product with x, of length ld and zero except for the kept pairs, until the next
// call of any method.
func (s *Quartic) mul(x []float64) []float64 {
	dst := s.product
	if s.kept && slices.Equal(x, s.factor) {
		return dst
	}
	s.kept = true
	copy(s.factor, x)
	along := s.along[:s.products.rows]
	if s.ld <= mirrorRows {
		s.mirror()
		kernel.MulVec(dst, s.products.sum, s.ld, x)
		kernel.MulVec(along, s.products.panel, s.ld, x)
		kernel.MulTransAdd(dst, s.products.scaled, s.ld, along)
		return dst
	}
	clear(dst)
	const few = kernel.Width
	from := s.first() / few * few
	for first := from; first < s.ld; first += few {
		rows, right := s.products.sum[first*s.ld:][:(few-1)*s.ld+first+few], x[first:first+few]
		if first > 0 {
			kernel.MulVec(dst[first:first+few], rows[from:], s.ld, x[from:first])
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
	kernel.MulVec(along, s.products.panel[from:], s.ld, x[from:])
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
		if rest := z[a+1:]; len(rest) > shortRow {
			kernel.ScaleTo(dst[at+1:], off*za, rest)
		} else {
			for b, zb := range rest {
				dst[at+1+b] = off * za * zb
			}
		}
		at += len(z) - a
	}
}
