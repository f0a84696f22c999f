package convex

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// dependence is the share of its diagonal below which a pivot counts as zero:
// well above rounding, which leaves about 1e-14, and low enough for nearly
// equal rows. Refinement makes up for the digits that a small pivot costs.
const dependence = 1e-11

// factor is the Cholesky factor L of K + shift·11ᵀ on the free samples, kept up
// to date as samples enter and leave. With the constraint 1ᵀβ = const the shift
// changes no solution, and it makes the matrix positive definite whenever K is
// so on the constraint's null space.
type factor struct {
	members []int
	has     []bool // per sample: is it a member
	shift   float64
	l       []float64 // lower triangle, row-major
	stride  int
	limit   int       // most members that the memory allows
	ones    []float64 // L⁻¹1
	turns   []rotation
}

type rotation struct{ cos, sin float64 }

func newFactor(n int, shift float64, bytes int64) *factor {
	limit := min(n, int(math.Sqrt(float64(bytes)/8)))
	return &factor{shift: shift, limit: limit, members: make([]int, 0, n), has: make([]bool, n), ones: make([]float64, 0, n), turns: make([]rotation, n)}
}

func (c *factor) size() int { return len(c.members) }

func (c *factor) row(k int) []float64 { return c.l[k*c.stride : k*c.stride+k+1] }

// forward replaces x by L⁻¹x.
func (c *factor) forward(x []float64) { kernel.SolveLower(x, c.l, c.stride) }

// backward replaces x by L⁻ᵀx.
func (c *factor) backward(x []float64) { kernel.SolveLowerTrans(x, c.l, c.stride) }

// extend appends sample i. It reports false and leaves the factor unchanged
// where i depends linearly on the members, column then holding L⁻¹k of the
// members, or where the memory bound is reached, which full tells apart.
func (c *factor) extend(g *gram, i int, column []float64) bool {
	p := c.size()
	if c.full() {
		return false
	}
	c.reserve(p + 1)
	c.project(g, i, column)
	l := column[:p]
	diagonal := g.diagonal[i] + c.shift
	pivot := diagonal - blas64.Dot(vector(l), vector(l))
	if !(pivot > dependence*diagonal) {
		return false
	}
	pivot = math.Sqrt(pivot)
	c.members = append(c.members, i)
	c.has[i] = true
	row := c.row(p)
	copy(row, l)
	row[p] = pivot
	c.ones = append(c.ones, (1-blas64.Dot(vector(l), vector(c.ones)))/pivot)
	return true
}

func (c *factor) full() bool { return c.size() >= c.limit }

// project writes L⁻¹k into column, k being sample i's column of the shifted
// matrix at the members.
func (c *factor) project(g *gram, i int, column []float64) {
	k := column[:c.size()]
	g.gather(k, i, c.members)
	for j := range k {
		k[j] += c.shift
	}
	c.forward(k)
}

// reserve makes room for p members.
func (c *factor) reserve(p int) {
	if p <= c.stride {
		return
	}
	stride := min(c.limit, max(32, p+p/2))
	l := make([]float64, stride*stride)
	for k := range c.members {
		copy(l[k*stride:], c.row(k))
	}
	c.l, c.stride = l, stride
}

// remove takes out the member at position k. The rows below lose a column and
// become lower triangular again by Givens rotations of neighbouring columns
// (Golub and Van Loan, Matrix Computations, 6.5), applied row by row.
func (c *factor) remove(k int) {
	p := c.size()
	for r := k + 1; r < p; r++ {
		row := c.row(r)
		left := row[k]
		for j := k; j < r-1; j++ {
			turn := c.turns[j]
			right := row[j+1]
			row[j], left = turn.cos*left+turn.sin*right, turn.cos*right-turn.sin*left
		}
		radius := math.Hypot(left, row[r])
		c.turns[r-1] = rotation{cos: left / radius, sin: row[r] / radius}
		row[r-1] = radius
		copy(c.row(r-1), row[:r])
	}
	c.has[c.members[k]] = false
	c.members = append(c.members[:k], c.members[k+1:]...)
	c.ones = c.ones[:p-1]
	for j := range c.ones {
		c.ones[j] = 1
	}
	c.forward(c.ones)
}

// clear takes out all members.
func (c *factor) clear() {
	for _, i := range c.members {
		c.has[i] = false
	}
	c.members, c.ones = c.members[:0], c.ones[:0]
}
