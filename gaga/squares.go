package gaga

import "github.com/agepath/agepath/internal/kernel"

// squares is a symmetric matrix Σ c v vᵀ over the v = z⊗z of samples, of which few come
// and go at a time. The last to come are kept as they are: a matrix of this size does not
// fit into the cache, and to change it costs as much for a panel of samples as for one.
type squares struct {
	sum    []float64 // ld x ld, lower triangle: of the samples before those in the panel
	panel  []float64 // squareRows x ld: z⊗z, of the pairs a <= b
	scaled []float64 // squareRows x ld: those times their coefficients
	along  []float64 // squareRows, scratch
	rows   int       // samples in the panel
	pairs  int
	ld     int
}

// squareRows is how many samples a panel has.
const squareRows = 32

func newSquares(pairs int) *squares {
	ld := kernel.Pad(pairs)
	return &squares{
		sum: make([]float64, ld*ld), panel: make([]float64, squareRows*ld), scaled: make([]float64, squareRows*ld),
		along: make([]float64, squareRows), pairs: pairs, ld: ld,
	}
}

func (s *squares) reset() {
	clear(s.sum)
	s.rows = 0
}

// add adds c v vᵀ of a sample's z.
func (s *squares) add(c float64, z []float64) {
	row := s.panel[s.rows*s.ld:][:s.pairs]
	outer(row, z)
	kernel.ScaleTo(s.scaled[s.rows*s.ld:][:s.pairs], c, row)
	if s.rows++; s.rows == squareRows {
		kernel.GramAdd(s.sum, s.ld, s.ld, s.scaled, s.panel, s.rows)
		s.rows = 0
	}
}

// mul writes the product with x into dst, both of length ld, x zero beyond the pairs. A
// few rows at a time are read once for both triangles.
func (s *squares) mul(dst, x []float64) {
	clear(dst)
	const few = kernel.Width
	for first := 0; first < s.ld; first += few {
		rows, left, right := s.sum[first*s.ld:][:(few-1)*s.ld+first+few], x[:first], x[first:first+few]
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
	kernel.MulVec(s.along[:s.rows], s.panel, s.ld, x)
	kernel.MulTransAdd(dst, s.scaled, s.ld, s.along[:s.rows])
}

// outer writes z_a z_b for a <= b.
func outer(dst, z []float64) {
	at := 0
	for a, za := range z {
		for _, zb := range z[a:] {
			dst[at] = za * zb
			at++
		}
	}
}
