package dense

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// SignedTolerance is that of a new [Signed], above the rounding of a sum of a thousand terms.
const SignedTolerance = 1e-12

// ErrPositive reports that the positive part is or would not be positive definite.
var ErrPositive = errors.New("positive part: the block is not positive definite")

// ErrNegative reports that the Schur complement is or would not be negative definite.
var ErrNegative = errors.New("negative part: the Schur complement of the positive part is not negative definite")

// ErrLost reports that a change failed halfway by rounding: the factor is empty and needs Compute.
var ErrLost = errors.New("factor lost to rounding")

// Signed is a Cholesky factor with signs of a dense symmetric matrix, kept up to date while rows
// enter and leave:
//
//	M = L J Lᵀ,  J = diag(+1 × p, -1 × q),  L lower triangular, diagonal > 0
//
// It exists exactly when the leading p x p block of M is positive definite and its Schur complement
// is negative definite; M then has inertia (p, q, 0). The first p rows are the positive part, the
// others the negative part, in order: insertions and deletions shift the indices of later rows.
//
// In the age-path engine's kernel back-end M = Q_AA - Δ, with the pinned samples (Δ = 0) as the
// positive part and the curved ones (Δ > 0) as the negative part: the path's point is a strict
// local minimum exactly when the factor exists. A change that would lose the inertia is refused, by
// the sign of one scalar, before anything is modified.
//
// Changes are sequences of Givens rotations between columns of equal sign, which are backward
// stable, and of hyperbolic ones between the others, which keep L J Lᵀ close to the changed M;
// solutions are as sensitive as M is close to singular. Errors accumulate with the changes since
// Compute; the caller monitors its residuals and recomputes. Costs are those of [Cholesky].
//
// Errors are returned unwrapped for comparison. Arguments of wrong length or out of range panic.
//
// Sources:
//
//   - Vanderbei, SIAM J. Optim. 5 (1995), and Gill, Saunders, Shinnerl, SIAM J. Matrix Anal. Appl. 17
//     (1996): factors of symmetric quasidefinite matrices, of fixed signs without pivoting
//   - Davis, Hager, SIAM J. Matrix Anal. Appl. 20 (1999) and 26 (2005): deleting a row is a rank-one
//     change of the rows after it
type Signed struct {
	// Tolerance is the relative size at or below which a pivot or a ratio of determinants is zero.
	Tolerance float64

	lower Cholesky // L
	p     int
	known bool      // rest belongs to the current rows
	rest  []float64 // M22 - L21 L21ᵀ, packed; its diagonal is an older one
	saved []float64 // L22, packed
}

// NewSigned returns an empty factor with [SignedTolerance] and room for capacity rows.
func NewSigned(capacity int) *Signed {
	s := &Signed{Tolerance: SignedTolerance}
	s.lower.grow(capacity)
	return s
}

func (s *Signed) Len() int { return s.lower.n }

func (s *Signed) reset() { s.lower.n, s.p, s.known = 0, 0, false }

// Compute factorizes M of p + q rows. row writes entries from.. of row i of M, up to the diagonal, to
// dst. The error is ErrPositive or ErrNegative if M has no such factor or a pivot is within the
// tolerance of zero; the factor is then empty.
func (s *Signed) Compute(p, q int, row func(i, from int, dst []float64)) error {
	n, c := p+q, &s.lower
	s.reset()
	c.grow(n + n/8)
	c.Matrix(n)
	s.p = p
	for i := range n {
		row(i, 0, c.Row(i))
	}
	if k, err := c.columns.factorize(context.Background(), c.data, c.stride, n, 0, p, 1, 0, false); err != nil || k < p {
		s.reset()
		return ErrPositive
	}
	for i := range p {
		if s.guard(i) != nil {
			s.reset()
			return ErrPositive
		}
	}
	err := s.negative()
	if err != nil {
		s.reset()
	}
	return err
}

// ComputeNegative is Compute for an M with another diagonal of the negative part. It takes about q³/3
// operations, and pq² more if a row has entered or left. With an error the factor is unchanged.
func (s *Signed) ComputeNegative(row func(i, from int, dst []float64)) error {
	c := &s.lower
	s.saved = s.pack(s.saved)
	if s.known {
		s.unpack(s.rest)
		for i := s.p; i < c.n; i++ {
			l := c.Row(i)
			row(i, i, l[i:])
			l[i] -= kernel.Dot(l[:s.p], l[:s.p])
		}
	} else {
		for i := s.p; i < c.n; i++ {
			row(i, s.p, c.Row(i)[s.p:])
		}
		for k := 0; k < s.p; k += width {
			c.columns.subtract(c.data, c.stride, c.n, s.p, k, min(k+width, s.p), 1)
		}
	}
	err := s.negative()
	if err != nil {
		s.unpack(s.saved)
	}
	return err
}

// pack copies the lower triangle of the negative part.
func (s *Signed) pack(to []float64) []float64 {
	to = to[:0]
	for i := s.p; i < s.lower.n; i++ {
		to = append(to, s.lower.Row(i)[s.p:]...)
	}
	return to
}

func (s *Signed) unpack(from []float64) {
	for i := s.p; i < s.lower.n; i++ {
		from = from[copy(s.lower.Row(i)[s.p:], from):]
	}
}

// negative computes L22 L22ᵀ = L21 L21ᵀ - M22 from M22 - L21 L21ᵀ.
func (s *Signed) negative() error {
	c := &s.lower
	s.known, s.rest = true, s.pack(s.rest)
	k, err := c.columns.factorize(context.Background(), c.data, c.stride, c.n, s.p, c.n, -1, 0, false)
	if err == nil && k < c.n {
		err = ErrNegative
	}
	for i := s.p; i < c.n && err == nil; i++ {
		err = s.guard(i)
	}
	return err
}

// guard checks that the pivot of row i is beyond its rounding.
func (s *Signed) guard(i int) error {
	row := s.lower.Row(i)
	pivot := row[i] * row[i]
	a, b := s.squares(row[:i])
	if i < s.p {
		if !s.sound(pivot, pivot+a, a) {
			return ErrPositive
		}
		return nil
	}
	if !s.sound(pivot, a-b-pivot, a+b) {
		return ErrNegative
	}
	return nil
}

// sound reports whether pivot = diagonal + others is positive beyond rounding.
func (s *Signed) sound(pivot, diagonal, others float64) bool {
	return pivot > s.Tolerance*(math.Abs(diagonal)+others) && pivot > 0 && !math.IsInf(pivot, 0)
}

// squares sums the squares of x's entries in the positive and the negative part.
func (s *Signed) squares(x []float64) (a, b float64) {
	p := min(s.p, len(x))
	return kernel.Dot(x[:p], x[:p]), kernel.Dot(x[p:], x[p:])
}

func negate(x []float64) {
	for i, v := range x {
		x[i] = -v
	}
}

// Solve replaces b by M⁻¹b.
func (s *Signed) Solve(b []float64) {
	s.lower.check(len(b), s.Len())
	s.lower.Forward(b)
	negate(b[s.p:])
	s.lower.Backward(b)
}

// SolveNegative replaces b by the negative part of M⁻¹(0, b).
func (s *Signed) SolveNegative(b []float64) {
	c := &s.lower
	if c.check(len(b), c.n-s.p); len(b) == 0 {
		return
	}
	corner := c.data[s.p*(c.stride+1):]
	kernel.SolveLower(b, corner, c.stride)
	kernel.SolveLowerTrans(b, corner, c.stride)
	negate(b)
}

// ExtendNegative replaces the positive part of b by that of the M⁻¹(0, c) with b's negative part.
func (s *Signed) ExtendNegative(b []float64) {
	c := &s.lower
	c.check(len(b), c.n)
	clear(b[:s.p])
	if s.p < c.n {
		rest := c.w[s.p:c.n]
		copy(rest, b[s.p:])
		negate(rest)
		kernel.MulTransAdd(b[:s.p], c.data[s.p*c.stride:], c.stride, rest)
	}
	kernel.SolveLowerTrans(b[:s.p], c.data, c.stride)
}

// InsertPositive adds a last row of the positive part. column is the row of the new M, with the
// diagonal at index p. pivot is the Schur complement of the positive part, column's
// diagonal - m₁ᵀM₁₁⁻¹m₁, independent of the negative entries. ok: it is positive beyond the
// tolerance; otherwise the factor is unchanged, or empty if the column is not finite.
//
// The new row is l = L11⁻¹m₁ with diagonal √pivot, the column below it v = (m₂ - L21 l)/√pivot,
// and v vᵀ is added to L22 L22ᵀ = L21 L21ᵀ - M22.
func (s *Signed) InsertPositive(column []float64) (pivot float64, ok bool) {
	c, p := &s.lower, s.p
	c.prepare(column)
	s.known = false
	l := c.w[:p]
	copy(l, column)
	c.Forward(l)
	a := kernel.Dot(l, l)
	pivot = column[p] - a
	if !s.sound(pivot, column[p], a) {
		return pivot, false
	}
	root := math.Sqrt(pivot)
	for i := c.n - 1; i >= p; i-- {
		row, to := c.Row(i), c.data[(i+1)*c.stride:]
		v := (column[i+1] - kernel.Dot(row[:p], l)) / root
		copy(to, row[:p])
		copy(to[p+1:], row[p:])
		to[p], c.w[i+1] = v, v
	}
	row := c.data[p*c.stride:]
	copy(row, l)
	row[p] = root
	c.n, s.p = c.n+1, p+1
	if ok = sweep(c.data, c.stride, c.w, p+1, c.n, c.n); !ok {
		s.reset()
	}
	return pivot, ok
}

// AppendNegative adds a last row of the negative part. column is the row of the new M, with the
// diagonal last. pivot is the Schur complement of all rows, column's diagonal - mᵀM⁻¹m. ok: it is
// negative beyond the tolerance; otherwise the factor is unchanged.
//
// The new row is J L⁻¹m with diagonal √-pivot.
func (s *Signed) AppendNegative(column []float64) (pivot float64, ok bool) {
	c, k := &s.lower, s.lower.n
	c.prepare(column)
	s.known = false
	row := c.data[k*c.stride:][:k+1]
	copy(row, column)
	c.Forward(row[:k])
	a, b := s.squares(row[:k])
	pivot = column[k] - a + b
	if !s.sound(-pivot, column[k], a+b) {
		return pivot, false
	}
	negate(row[s.p:k])
	row[k] = math.Sqrt(-pivot)
	c.n++
	return pivot, true
}

// Delete removes row and column r of M, in the positive part only if (M⁻¹)_rr > 0 beyond the
// tolerance: the negative part is then downdated by the row's part. Otherwise the error is
// ErrNegative and the factor is unchanged. It may also be ErrLost.
func (s *Signed) Delete(r int) error {
	c, hyperbolic := &s.lower, s.lower.n
	if r < 0 || r >= c.n {
		panic(fmt.Sprintf("dense: row %d of %d", r, c.n))
	}
	if r < s.p {
		hyperbolic = s.p
		if a, b := s.inverse(r); s.p < c.n && !s.sound(a-b, a, b) {
			return ErrNegative
		}
	}
	s.known = false
	if !c.remove(r, hyperbolic) {
		s.reset()
		return ErrLost
	}
	if r < s.p {
		s.p--
	}
	return nil
}

// inverse returns (M⁻¹)_rr = a - b.
func (s *Signed) inverse(r int) (a, b float64) {
	c := &s.lower
	x := c.w[:c.n]
	clear(x)
	x[r] = 1
	kernel.SolveLower(x[r:], c.data[r*(c.stride+1):], c.stride)
	return s.squares(x)
}
