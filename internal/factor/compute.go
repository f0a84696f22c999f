package factor

import (
	"context"
	"fmt"
	"math"

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
	s.p, s.q = p, q
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
// (p+q)³/3. The error is ErrNegative where the part would not be negative; the factor is
// then as before.
func (s *Signed) ChangeNegative(diagonal func(t int) float64) error {
	first := s.n - s.q
	s.next.kind = none
	s.kept = s.kept[:0]
	for i := first; i < s.n; i++ {
		s.kept = append(s.kept, s.data[i*s.n+i:(i+1)*s.n]...)
	}
	s.reverse(true)
	s.columns.Expand(s.data, s.n, first, s.n, -1)
	for t := range s.q { // from the block below the positive part: entries may be huge before, and cancel
		below := s.data[(s.n-1-t)*s.n:][:s.p]
		s.data[(first+t)*(s.n+1)] = diagonal(t) - dot(below, below)
	}
	negative := s.factors(first, s.n, -1)
	s.reverse(false)
	if negative && s.guard(s.p) == nil {
		return nil
	}
	kept := s.kept
	for i := first; i < s.n; i++ {
		row := s.data[i*s.n+first : (i+1)*s.n]
		clear(row)
		kept = kept[copy(row[i-first:], kept):]
	}
	return ErrNegative
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
