// Package dense factorizes dense symmetric matrices in blocks of columns, with products by package
// kernel, and updates factors as rows enter and leave (Gill, Golub, Murray and Saunders, Math.
// Comp. 28, 1974).
package dense

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// ErrIndefinite reports that a matrix is not positive definite, beyond the tolerance.
var ErrIndefinite = errors.New("the matrix is not positive definite")

// Cholesky is the factor L of a symmetric positive definite A = L Lᵀ. With k rows a change or a
// solution costs O(k²), a factorization k³/3, without allocation within the room. The zero value is
// empty. Arguments of wrong length panic. Not safe for concurrent use.
type Cholesky struct {
	// Tolerance is the relative pivot that is zero.
	Tolerance float64
	// Drops makes Factorize continue at a zero pivot: solutions are almost 0 along it.
	Drops bool
	// Limit is the number of rows at which Append stops, if > 0.
	Limit int

	n, stride int
	data      []float64 // lower triangle
	columns   columns
	w         []float64
}

// New returns an empty factor with room for capacity rows.
func New(capacity int) *Cholesky {
	c := &Cholesky{}
	c.grow(capacity)
	return c
}

func (c *Cholesky) Full() bool { return c.Limit > 0 && c.n >= c.Limit }

func (c *Cholesky) Clear() { c.n = 0 }

// Row returns row k of L up to the diagonal, owned by the factor.
func (c *Cholesky) Row(k int) []float64 { return c.data[k*c.stride:][:k+1] }

// Matrix sets the factor to n rows; the caller fills in the lower triangle and calls Factorize.
func (c *Cholesky) Matrix(n int) (a []float64, stride int) {
	if kernel.Pad(n) > c.stride {
		c.n = 0
		c.grow(n)
	}
	c.n = n
	return c.data, c.stride
}

// Factorize returns [ErrIndefinite] or the context's error; the factor is then empty.
func (c *Cholesky) Factorize(ctx context.Context) error { return c.Eliminate(ctx, c.n) }

// Eliminate factorizes the first rows only; the Schur complement replaces the rest of the matrix.
func (c *Cholesky) Eliminate(ctx context.Context, rows int) error {
	k, err := c.columns.factorize(ctx, c.data, c.stride, c.n, 0, rows, 1, c.Tolerance, c.Drops)
	if err == nil && k < rows {
		err = fmt.Errorf("row %d of %d: %w", k, rows, ErrIndefinite)
	}
	c.n = rows
	if err != nil {
		c.Clear()
	}
	return err
}

// Solve replaces b by A⁻¹b.
func (c *Cholesky) Solve(b []float64) {
	c.Forward(b)
	c.Backward(b)
}

// Forward replaces b, which may be shorter than the factor, by L⁻¹b.
func (c *Cholesky) Forward(b []float64) { kernel.SolveLower(b, c.data, c.stride) }

// Backward replaces b by L⁻ᵀb.
func (c *Cholesky) Backward(b []float64) {
	c.check(len(b), c.n)
	kernel.SolveLowerTrans(b, c.data, c.stride)
}

// Append adds a last row and column to A, the diagonal last, and overwrites them with the new row
// of L. It returns false, with the factor unchanged, if the row depends on the others or the limit
// is reached; all but the last entry are then still of L.
func (c *Cholesky) Append(column []float64) bool {
	c.prepare(column)
	l, diagonal := column[:c.n], column[c.n]
	c.Forward(l)
	pivot := diagonal - kernel.Dot(l, l)
	if c.Full() || !(pivot > c.Tolerance*diagonal) || !(pivot > 0) || math.IsInf(pivot, 1) {
		return false
	}
	column[c.n] = math.Sqrt(pivot)
	copy(c.data[c.n*c.stride:], column)
	c.n++
	return true
}

// prepare makes room for a row.
func (c *Cholesky) prepare(column []float64) {
	if c.check(len(column), c.n+1); c.n == c.stride && !c.Full() {
		c.grow(c.n + c.n/2 + kernel.Width)
	}
}

func (c *Cholesky) Delete(k int) {
	if k < 0 || k >= c.n {
		panic(fmt.Sprintf("dense: row %d of %d", k, c.n))
	}
	c.remove(k, c.n)
}

// remove removes row k by rotations, hyperbolic ones from a column on. It returns false and leaves
// invalid data if one does not exist.
func (c *Cholesky) remove(k, hyperbolic int) bool {
	for i := k + 1; i < c.n; i++ {
		c.w[i] = c.data[i*c.stride+k]
	}
	ok := sweep(c.data, c.stride, c.w, k+1, c.n, hyperbolic)
	for i := k + 1; i < c.n; i++ {
		row, to := c.Row(i), c.data[(i-1)*c.stride:]
		copy(to, row[:k])
		copy(to[k:], row[k+1:])
	}
	c.n--
	return ok
}

func (c *Cholesky) grow(rows int) {
	if c.Limit > 0 {
		rows = min(rows, max(c.Limit, c.n+1))
	}
	stride := kernel.Pad(rows)
	if stride <= c.stride {
		return
	}
	data := make([]float64, stride*stride)
	for k := range c.n {
		copy(data[k*stride:], c.Row(k))
	}
	c.data, c.stride = data, stride
	c.w = make([]float64, stride)
}

func (c *Cholesky) check(length, want int) {
	if length != want {
		panic(fmt.Sprintf("dense: %d entries, want %d", length, want))
	}
}
