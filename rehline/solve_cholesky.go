package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// cholesky is the scratch memory of a factorization by blocks of columns.
type cholesky struct {
	diagonal        []float64
	panel, negative []float64 // a block of columns as rows, and minus it
}

func newCholesky(ld int) cholesky {
	return cholesky{make([]float64, ld), make([]float64, kernel.Width*ld), make([]float64, kernel.Width*ld)}
}

// factorize replaces the lower triangle of the n x n matrix by its factor, with
// the reciprocals of the diagonal on the diagonal. Pivots lost to rounding are
// replaced by a large number, which leaves their direction out. The matrix has ld
// rows and columns, ld = kernel.Pad(n).
func (c *cholesky) factorize(a []float64, ld, n int) {
	for i := range n {
		c.diagonal[i] = a[i*ld+i]
	}
	for k := 0; k < n; k += kernel.Width {
		width := min(kernel.Width, n-k)
		for i := k; i < k+width; i++ { // the block on the diagonal
			ri := a[i*ld+k:][: i-k+1 : i-k+1]
			for j := range ri {
				rj := a[(k+j)*ld+k:][:j+1]
				t := ri[j]
				for m, v := range rj[:j] {
					t -= ri[m] * v
				}
				if j < i-k {
					ri[j] = t * rj[j]
					continue
				}
				if !(t > pivotPart*c.diagonal[i]) {
					t = 1e30 * max(c.diagonal[i], 1)
				}
				ri[j] = 1 / math.Sqrt(t)
			}
		}
		if k+width < n {
			c.below(a, ld, k, n)
		}
	}
}

// below computes the columns k to k+7 below their block on the diagonal, and
// takes their products from what is right of them.
func (c *cholesky) below(a []float64, ld, k, n int) {
	const width = kernel.Width
	next, rest := k+width, ld-k-width
	for i := next; i < n; i++ {
		for r, v := range a[i*ld+k:][:width] {
			c.panel[r*ld+i-next] = v
		}
	}
	for r := range width {
		row := c.panel[r*ld:][:n-next]
		factors := a[(k+r)*ld+k:][:r+1]
		for s, f := range factors[:r] {
			kernel.Axpy(-f, c.panel[s*ld:][:n-next], row)
		}
		kernel.ScaleTo(c.negative[r*ld:][:n-next], -factors[r], row)
		kernel.ScaleTo(row, factors[r], row)
	}
	for i := next; i < n; i++ {
		to := a[i*ld+k:][:width]
		for r := range to {
			to[r] = c.panel[r*ld+i-next]
		}
	}
	kernel.GramAdd(a[next*ld+next:], ld, rest, c.negative, c.panel, width)
}

// solveCholesky replaces b by the solution.
func solveCholesky(a []float64, ld int, b []float64) {
	n := len(b)
	for i := range n {
		b[i] = (b[i] - kernel.Dot(a[i*ld:][:i], b[:i])) * a[i*ld+i]
	}
	for i := n - 1; i >= 0; i-- {
		b[i] *= a[i*ld+i]
		kernel.Axpy(-b[i], a[i*ld:][:i], b[:i])
	}
}
