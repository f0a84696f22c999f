package factor

import (
	"context"
	"fmt"
	"math"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// Compute factorizes M of p + q rows from scratch. row writes entries 0..i of
// row i of M to dst, which has i+1 entries; it is called for i = 0..p+q-1.
//
// The error is ErrPositive or ErrNegative, with the row where it is known, when
// M has no such factor or a pivot is within the tolerance of zero; the factor
// is then empty.
func (s *Signed) Compute(p, q int, row func(i int, dst []float64)) error {
	if p < 0 || q < 0 {
		panic(fmt.Sprintf("factor: %d positive and %d negative rows, want at least 0", p, q))
	}
	s.Reset()
	s.fit(p + q)
	s.p, s.q, s.schur.known = p, q, false
	s.fill(row)
	if err := s.factorize(); err != nil {
		s.Reset()
		return fmt.Errorf("factor: %d + %d rows: %w", p, q, err)
	}
	return nil
}

// ChangeNegative replaces the diagonal of M in the negative part, where entry t is that of
// row Positive() + t. It keeps the positive part and the block below it: with p rows of that
// and q of the negative part it takes about q³/3 + pq operations where Compute takes
// (p+q)³/3, and q³/3 more where rows have come or gone since the last call. The error is
// ErrNegative where the part would not be negative; the factor is then as before.
func (s *Signed) ChangeNegative(diagonal func(t int) float64) error {
	s.next.kind = none
	c := &s.schur
	if !c.known {
		c.expand(&s.layout)
	}
	n := kernel.Pad(s.q)
	o := n - s.q
	for t := range s.q {
		row := c.factor[(o+t)*n:][:n]
		copy(row[o:], c.rest[(o+t)*n+o:][:t])
		row[o+t] = diagonal(t) - c.below[t] // entries may be huge before, and cancel
	}
	if k, err := c.columns.Factorize(context.Background(), c.factor, n, n, o, n, -1, 0, false); err != nil || k < n {
		return ErrNegative
	}
	for t := range s.q {
		row := c.factor[(o+t)*n+o:][:t+1]
		pivot, b := row[t]*row[t], dot(row[:t], row[:t])
		if !s.sound(pivot, c.below[t]-b-pivot, c.below[t]+b) {
			return ErrNegative
		}
	}
	for t := range s.q {
		row, dst := c.factor[(o+t)*n+o:][:t+1], s.data[(s.n-1-t)*s.n:][s.n-1-t:s.n]
		for r, v := range row {
			dst[t-r] = v
		}
	}
	return nil
}

// schur is the Schur complement of the positive part but for its diagonal, which is the same
// for each diagonal of the negative part. Squares are in the order of rows, at the end of
// one whose order is a multiple of kernel.Width.
type schur struct {
	known  bool      // it is that of the current rows
	rest   []float64 // its lower triangle
	below  []float64 // sums of squares of the rows of the block below the positive part
	factor []float64 // scratch: that of the negative part

	columns dense.Columns
}

// expand takes it from the factor.
func (c *schur) expand(l *layout) {
	n := kernel.Pad(l.q)
	o := n - l.q
	if len(c.rest) < n*n {
		c.rest, c.factor = make([]float64, l.n*l.n), make([]float64, l.n*l.n)
		c.below = make([]float64, l.n)
	}
	for i := range o { // unused, but a number times zero must be zero
		clear(c.rest[i*n:][:n])
		clear(c.factor[i*n:][:n])
	}
	for t := range l.q {
		at := l.n - 1 - t
		row, from := c.rest[(o+t)*n:][:n], l.data[at*l.n:][:l.n]
		clear(row[:o])
		for r, v := range from[at:] {
			row[o+t-r] = v
		}
		clear(c.factor[(o+t)*n:][:o])
		c.below[t] = dot(from[:l.p], from[:l.p])
	}
	c.columns.Expand(c.rest, n, o, n, -1)
	c.known = true
}

// fit makes the square as large as so many rows and some more need, in the memory
// that there is.
func (s *Signed) fit(rows int) {
	order := kernel.Pad(rows + rows/8 + kernel.Width)
	if rows > s.room {
		s.Grow(order)
		return
	}
	s.resize(min(order, s.room))
}

// factorize computes L11 L11ᵀ = M11, L21 = M21 L11⁻ᵀ and
// L22 L22ᵀ = L21 L21ᵀ - M22, block by block of columns.
func (s *Signed) factorize() error {
	for i := s.p; i < s.n-s.q; i++ { // unused, but a number times zero must be zero
		clear(s.data[i*s.n : (i+1)*s.n])
	}
	if !s.factors(0, s.p, 1) {
		return ErrPositive
	}
	if !s.factors(s.n-s.q, s.n, -1) {
		return ErrNegative
	}
	s.flip()
	return s.guard(0)
}

// factors factorizes the columns of a part, whose sign is given.
func (s *Signed) factors(i, j int, sign float64) bool {
	k, err := s.columns.Factorize(context.Background(), s.data, s.n, s.n, i, j, sign, 0, false)
	return err == nil && k == j
}

// guard holds every pivot from row first on against the terms of its row.
func (s *Signed) guard(first int) error {
	for i := first; i < s.Len(); i++ {
		at := s.slot(i)
		row := s.data[at*s.n : (at+1)*s.n]
		pivot := row[at] * row[at]
		if i < s.p {
			a := dot(row[:i], row[:i])
			if !s.sound(pivot, pivot+a, a) {
				return fmt.Errorf("row %d: pivot %g of a diagonal of %g: %w", i, pivot, pivot+a, ErrPositive)
			}
			continue
		}
		a, b := dot(row[:s.p], row[:s.p]), dot(row[at+1:], row[at+1:])
		if diagonal := a - b - pivot; !s.sound(pivot, diagonal, a+b) {
			return fmt.Errorf("row %d: pivot %g of a diagonal of %g: %w", i, -pivot, diagonal, ErrNegative)
		}
	}
	return nil
}

// sound reports whether the pivot, the sum of a diagonal entry and other terms,
// is positive beyond the rounding of that sum, and a finite number.
func (s *Signed) sound(pivot, diagonal, others float64) bool {
	return pivot > s.Tolerance*(math.Abs(diagonal)+others) && pivot > 0 && !math.IsInf(pivot, 0)
}
