package dense

import (
	"context"
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

const width = 16

// columns factorizes columns of a square in place, of kernel.Pad(n) rows at a stride that is a
// multiple of kernel.Width. It is scratch memory with one owner; the zero value is ready.
type columns struct {
	panel, signed []float64
	diagonal      []float64
}

// factorize factorizes the columns from i up to j of n rows. Their lower triangle holds the
// remainder of the matrix after the columns before; it becomes L and, to the right, the remainder
// after them. sign is that of the pivots. factorize returns the first column whose pivot has the
// other sign or is at most tolerance times its diagonal entry, otherwise j; with drops such a pivot
// becomes so large that solutions are almost 0 along it.
func (c *columns) factorize(ctx context.Context, a []float64, stride, n, i, j int, sign, tolerance float64, drops bool) (int, error) {
	c.reserve(stride, n)
	for r := i; r < j; r++ {
		c.diagonal[r] = sign * a[r*stride+r]
	}
	for k := i; k < j; k += width {
		if err := ctx.Err(); err != nil {
			return k, err
		}
		end := min(k+width, j)
		if r := c.corner(a, stride, k, end, sign, tolerance, drops); r < end {
			return r, nil
		}
		if end < n {
			c.below(a, stride, n, k, end, sign)
		}
	}
	return j, nil
}

func (c *columns) corner(a []float64, stride, k, end int, sign, tolerance float64, drops bool) int {
	for i := k; i < end; i++ {
		row := a[i*stride+k:][:i-k+1]
		for j := range row {
			other := a[(k+j)*stride+k:][:j+1]
			t := sign * row[j]
			for m, v := range other[:j] {
				t -= row[m] * v
			}
			if j < i-k {
				row[j] = t / other[j]
				continue
			}
			if !(t > tolerance*c.diagonal[i]) || !(t > 0) || math.IsInf(t, 1) {
				if !drops {
					return i
				}
				t = dropped * math.Max(c.diagonal[i], 1)
			}
			row[j] = math.Sqrt(t)
		}
	}
	return end
}

func (c *columns) reserve(stride, n int) {
	if len(c.panel) < width*stride || len(c.diagonal) < n {
		c.panel, c.signed = make([]float64, width*stride), make([]float64, width*stride)
		c.diagonal = make([]float64, stride)
	}
}

// dropped replaces a lost pivot, relative to its diagonal.
const dropped = 1e30

// below computes L below the diagonal block and subtracts its products to the right.
func (c *columns) below(a []float64, stride, n, k, end int, sign float64) {
	for r := range end - k {
		panel := c.panel[r*stride:][:n-end]
		for i := range panel {
			panel[i] = sign * a[(end+i)*stride+k+r]
		}
		row := a[(k+r)*stride+k:][:r+1]
		for q, f := range row[:r] {
			kernel.Axpy(-f, c.panel[q*stride:][:n-end], panel)
		}
		kernel.ScaleTo(panel, 1/row[r], panel)
		for i, v := range panel {
			a[(end+i)*stride+k+r] = v
		}
	}
	c.subtract(a, stride, n, end, k, end, sign)
}

// subtract subtracts the products of L's columns from k up to end from the corner that begins at
// first.
func (c *columns) subtract(a []float64, stride, n, first, k, end int, sign float64) {
	// The order is a multiple of kernel.Width, with zeros in the panel for finished or unused rows.
	c.reserve(stride, n)
	from := first / kernel.Width * kernel.Width
	rest, rows := kernel.Pad(n)-from, end-k
	for r := range rows {
		panel := c.panel[r*stride:][:rest]
		clear(panel)
		for i := first; i < n; i++ {
			panel[i-from] = a[i*stride+k+r]
		}
		kernel.ScaleTo(c.signed[r*stride:][:rest], -sign, panel)
	}
	kernel.GramAdd(a[from*stride+from:], stride, rest, c.signed, c.panel, rows)
}
