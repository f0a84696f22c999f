package factor

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// width is the number of columns that a factorization takes at a time, a multiple
// of kernel.Width.
const width = 16

// columns factorizes the slots from i up to j of the square, whose lower triangle
// holds what the columns before have left of M, the negative part's rows still in
// their order: L of these columns, and on its right what they leave. Their sign is
// that of the part. It reports false where a pivot has another one.
func (s *Signed) columns(i, j int, sign float64) bool {
	for k := i; k < j; k += width {
		end := min(k+width, j)
		if !s.diagonal(k, end, sign) {
			return false
		}
		if end < s.n {
			s.below(k, end, sign)
		}
	}
	return true
}

// diagonal factorizes the block on the diagonal.
func (s *Signed) diagonal(k, end int, sign float64) bool {
	for i := k; i < end; i++ {
		row := s.data[i*s.n+k : i*s.n+i+1]
		for j := range row {
			other := s.data[(k+j)*s.n+k:][:j+1]
			t := sign * row[j]
			for m, v := range other[:j] {
				t -= row[m] * v
			}
			if j < i-k {
				row[j] = t / other[j]
				continue
			}
			if !(t > 0) || math.IsInf(t, 1) {
				return false
			}
			row[j] = math.Sqrt(t)
		}
	}
	return true
}

// below computes the columns from k up to end below their block on the diagonal,
// and takes their products from what is right of them.
func (s *Signed) below(k, end int, sign float64) {
	// The square's order is a multiple of kernel.Width: what is left of it, with
	// zeros in the panel for rows that are finished, is one too.
	from := end / kernel.Width * kernel.Width
	rest, rows, ld := s.n-from, end-k, s.n
	for r := range rows {
		panel := s.panel[r*ld:][:rest]
		clear(panel[:end-from])
		for i := end; i < s.n; i++ {
			panel[i-from] = sign * s.data[i*ld+k+r]
		}
		row := s.data[(k+r)*ld+k:][:r+1]
		for q, f := range row[:r] {
			kernel.Axpy(-f, s.panel[q*ld:][:rest], panel)
		}
		kernel.ScaleTo(panel, 1/row[r], panel)
		kernel.ScaleTo(s.signed[r*ld:][:rest], -sign, panel)
		for i := end; i < s.n; i++ {
			s.data[i*ld+k+r] = panel[i-from]
		}
	}
	kernel.GramAdd(s.data[from*ld+from:], ld, rest, s.signed, s.panel, rows)
}
