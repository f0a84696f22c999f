package factor

import (
	"context"
	"fmt"
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// Compute factorizes M of p + q rows. row writes entries 0..i of row i of M to dst, in order of i.
// The error is ErrPositive or ErrNegative, with the row if known, if M has no such factor or a
// pivot is within the tolerance of zero; the factor is then empty.
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

func (s *Signed) fit(rows int) {
	order := kernel.Pad(rows + rows/8 + kernel.Width)
	if rows > s.room {
		s.Grow(order)
		return
	}
	s.resize(min(order, s.room))
}

// factorize computes L11 L11ᵀ = M11, L21 = M21 L11⁻ᵀ and L22 L22ᵀ = L21 L21ᵀ - M22.
func (s *Signed) factorize() error {
	for i := s.p; i < s.n-s.q; i++ { // unused rows are multiplied by zero
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

func (s *Signed) factors(i, j int, sign float64) bool {
	k, err := s.columns.Factorize(context.Background(), s.data, s.n, s.n, i, j, sign, 0, false)
	return err == nil && k == j
}

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

// sound reports whether pivot = diagonal + others is positive beyond rounding.
func (s *Signed) sound(pivot, diagonal, others float64) bool {
	return pivot > s.Tolerance*(math.Abs(diagonal)+others) && pivot > 0 && !math.IsInf(pivot, 0)
}
