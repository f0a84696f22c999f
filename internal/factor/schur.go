package factor

import (
	"context"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// schur is the positive part's Schur complement without its diagonal, updated after its first use
// as rows enter and leave.
type schur struct {
	known   bool // it belongs to the current rows
	stride  int
	rest    []float64 // lower triangle, in the order of rows
	below   []float64 // squared norms of the rows below the positive part
	moved   []float64 // the last sweep's update of the negative rows
	factor  []float64 // scratch: factor of the negative part, at the end of a square of order a multiple of kernel.Width
	columns dense.Columns
}

// ChangeNegative replaces the negative part's diagonal of M; entry t is that of row Positive() + t.
// It takes about q³/3 operations, the first after Compute q³/3 + pq more. If the part would not be
// negative, the error is ErrNegative and the factor is unchanged.
func (s *Signed) ChangeNegative(diagonal func(t int) float64) error {
	s.next.kind = none
	c := &s.schur
	if !c.known {
		c.expand(&s.layout)
	}
	square, n := c.square(s.q)
	for t := range s.q {
		row := square[t*n:][:t+1]
		copy(row, c.rest[t*c.stride:][:t])
		row[t] = diagonal(t) - c.below[t] // former entries may be huge and cancel
	}
	o := n - s.q
	if k, err := c.columns.Factorize(context.Background(), c.factor, n, n, o, n, -1, 0, false); err != nil || k < n {
		return ErrNegative
	}
	for t := range s.q {
		row := square[t*n:][:t+1]
		pivot, b := row[t]*row[t], dot(row[:t], row[:t])
		if !s.sound(pivot, c.below[t]-b-pivot, c.below[t]+b) {
			return ErrNegative
		}
	}
	for t := range s.q {
		dst := s.data[(s.n-1-t)*s.n:][s.n-1-t : s.n]
		for r, v := range square[t*n:][:t+1] {
			dst[t-r] = v
		}
	}
	return nil
}

func (c *schur) square(q int) (square []float64, n int) {
	n = kernel.Pad(q)
	if q == 0 {
		return nil, 0
	}
	o := n - q
	for i := range n { // unused rows are multiplied by zero
		clear(c.factor[i*n:][:min(o, n)])
	}
	for i := range o {
		clear(c.factor[i*n:][:n])
	}
	return c.factor[o*n+o:], n
}

func (c *schur) expand(l *layout) {
	if c.stride < l.n {
		f := func(k int) []float64 { return make([]float64, k) }
		c.stride, c.rest, c.factor, c.below, c.moved = l.n, f(l.n*l.n), f(l.n*l.n), f(l.n), f(l.n)
	}
	square, n := c.square(l.q)
	for t := range l.q {
		at := l.n - 1 - t
		row, from := square[t*n:], l.data[at*l.n:][:l.n]
		for r, v := range from[at:] {
			row[t-r] = v
		}
		c.below[t] = dot(from[:l.p], from[:l.p])
	}
	c.columns.Expand(c.factor, n, n-l.q, n, -1)
	for t := range l.q {
		copy(c.rest[t*c.stride:], square[t*n:][:t])
	}
	c.known = true
}

// column accounts for a column, moved, that enters (sign -1) or leaves (sign 1) the rows below the
// positive part.
func (c *schur) column(q int, sign float64) {
	for t, v := range c.moved[:q] {
		kernel.Axpy(sign*v, c.moved[:t], c.rest[t*c.stride:][:t])
		c.below[t] -= sign * v * v
	}
}

func (c *schur) add(row []float64, below float64) {
	copy(c.rest[len(row)*c.stride:], row)
	c.below[len(row)] = below
}

func (c *schur) remove(t, q int) {
	copy(c.below[t:], c.below[t+1:q])
	for i := t + 1; i < q; i++ {
		src, dst := c.rest[i*c.stride:][:i], c.rest[(i-1)*c.stride:][:i-1]
		copy(dst[:t], src)
		copy(dst[t:], src[t+1:])
	}
}
