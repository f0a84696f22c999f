package dense

import "github.com/agepath/agepath/internal/kernel"

// Quartic is the form Σ c (z·x)⁴ of samples z, few of which enter and leave at a time, for x that
// are 0 except in the coordinates of [Quartic.Extend]: a matrix Σ c v wᵀ with w_ab = z_a z_b over
// the pairs that have such a coordinate or are equal, and v, its entries of two such coordinates.
// Adding a panel of samples costs little more than adding one, so the latest samples stay in a
// panel.
type Quartic struct {
	q, ld   int
	among   []bool
	pairs   [][2]int  // of w
	inner   []int     // places of v's entries in w
	sum     []float64 // a row for each entry of v
	panel   []float64 // w of the latest samples
	scaled  []float64 // c v
	c       []float64
	factor  []float64 // v of x
	along   []float64
	product []float64
}

// NewQuartic is the form of no samples, of length q, for x = 0.
func NewQuartic(q int) *Quartic {
	s := &Quartic{q: q, among: make([]bool, q), along: make([]float64, panelRows)}
	for j := range q {
		s.pairs = append(s.pairs, [2]int{j, j})
	}
	s.grow(0)
	return s
}

// grow makes room for all pairs and further rows. The panel is empty.
func (s *Quartic) grow(rows int) {
	before, n := s.ld, len(s.inner)
	s.ld = kernel.Pad(len(s.pairs)) + kernel.Width
	sum := make([]float64, (n+rows+4)*s.ld)
	for r := range n {
		copy(sum[r*s.ld:], s.sum[r*before:][:before])
	}
	s.sum, s.panel, s.scaled = sum, make([]float64, panelRows*s.ld), make([]float64, panelRows*s.ld)
	s.factor, s.product = make([]float64, n+rows), make([]float64, len(s.pairs))
}

// Has reports whether x may differ from 0 in a coordinate.
func (s *Quartic) Has(j int) bool { return s.among[j] }

// Extend lets x differ from 0 in another coordinate j; samples adds all samples again.
func (s *Quartic) Extend(j int, samples func(add func(c float64, z []float64))) {
	s.flush()
	n, m := len(s.inner), len(s.pairs)
	var inner []int
	for k, p := range s.pairs {
		if p[1] == j { // p[0] is j or among the others
			inner = append(inner, k)
		}
	}
	for l, among := range s.among {
		if !among && l != j {
			s.pairs = append(s.pairs, [2]int{j, l})
		}
	}
	s.among[j] = true
	s.grow(len(inner))
	add := func() { // the old rows' new columns, then the new rows
		s.add(0, n, m)
		for r, c := range s.c {
			for k, at := range inner {
				s.scaled[r*s.ld+n+k] = c * s.panel[r*s.ld+at]
			}
		}
		s.add(n, len(inner), 0)
		clear(s.scaled)
		s.c = s.c[:0]
	}
	samples(func(c float64, z []float64) {
		if s.push(c, z); len(s.c) == panelRows {
			add()
		}
	})
	add()
	s.inner = append(s.inner, inner...)
}

// add adds the panel to n rows, from a row and a column on; further rows of the panel are 0.
func (s *Quartic) add(row, n, column int) {
	kernel.ProductAdd(s.sum[row*s.ld+column:], s.ld, (n+3)/4*4, kernel.Pad(len(s.pairs)-column), s.scaled[row:], s.panel[column:], len(s.c))
}

func (s *Quartic) flush() {
	s.add(0, len(s.inner), 0)
	s.c = s.c[:0]
}

func (s *Quartic) Reset() {
	clear(s.sum)
	s.c = s.c[:0]
}

func (s *Quartic) Add(c float64, z []float64) {
	if s.push(c, z); len(s.c) == panelRows {
		s.flush()
	}
}

func (s *Quartic) push(c float64, z []float64) {
	from := len(s.c) * s.ld
	s.c = append(s.c, c)
	w, v := s.panel[from:][:len(s.pairs)], s.scaled[from:][:len(s.inner)]
	for k, p := range s.pairs {
		w[k] = z[p[0]] * z[p[1]]
	}
	for k, at := range s.inner {
		v[k] = c * w[at]
	}
}

// Contract writes Σ c (z·x)² z_a z_b into dst, q x q, for the pairs of w.
func (s *Quartic) Contract(dst, x []float64) {
	for k, at := range s.inner {
		a, b := s.pairs[at][0], s.pairs[at][1]
		if s.factor[k] = x[a] * x[b]; a != b {
			s.factor[k] *= 2
		}
	}
	along := s.along[:len(s.c)]
	clear(s.product)
	kernel.MulVec(along, s.scaled, s.ld, s.factor)
	kernel.MulTransAdd(s.product, s.sum, s.ld, s.factor)
	kernel.MulTransAdd(s.product, s.panel, s.ld, along)
	for k, p := range s.pairs {
		dst[p[0]*s.q+p[1]], dst[p[1]*s.q+p[0]] = s.product[k], s.product[k]
	}
}
