package activeset

import (
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// factor is the Cholesky factor L of K + shift·11ᵀ on the free variables. With 1ᵀβ = const the
// shift changes no solution, and the matrix is positive definite if K is on the constraint's null
// space.
type factor struct {
	*dense.Cholesky
	matrix  Matrix
	members []int
	has     []bool
	shift   float64
	ones    []float64 // L⁻¹1
	column  []float64 // scratch: a new row of L, or part of a refused row
	changes int
}

func newFactor(m Matrix, n int, o Options) *factor {
	c := &factor{Cholesky: dense.New(0), matrix: m, has: make([]bool, n), shift: o.Shift, column: make([]float64, n+1)}
	c.Tolerance, c.Limit = o.Dependence, o.Limit
	return c
}

// extend appends variable i, or returns false at the limit or if i depends on the members, with
// L⁻¹k for them in column.
func (c *factor) extend(i int) bool {
	if c.Full() {
		return false
	}
	p := len(c.members)
	column := c.column[:p+1]
	c.matrix.Gather(column[:p], i, c.members)
	column[p] = c.matrix.Diagonal(i)
	for k := range column {
		column[k] += c.shift
	}
	if !c.Append(column) {
		return false
	}
	c.ones = append(c.ones, (1-kernel.Dot(column[:p], c.ones))/column[p])
	c.members, c.has[i] = append(c.members, i), true
	c.changes++
	return true
}

func (c *factor) remove(k int) {
	c.Delete(k)
	c.has[c.members[k]] = false
	c.members = append(c.members[:k], c.members[k+1:]...)
	c.ones = c.ones[:len(c.members)]
	for j := range c.ones {
		c.ones[j] = 1
	}
	c.Forward(c.ones)
	c.changes++
}

func (c *factor) clear() {
	for _, i := range c.members {
		c.has[i] = false
	}
	c.members, c.ones, c.changes = c.members[:0], c.ones[:0], 0
	c.Clear()
}
