package factor

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// layout is L in memory. Row and column i are at slot(i) of a row-major square: the positive part
// from the front, the negative part backwards from the end (its triangle is an upper one), so that
// both grow and shrink without moving the other. Vectors over slots have the same order.
type layout struct {
	p, q     int
	n        int
	data     []float64
	products []float64
}

// fill puts M into the square, the negative part in the order of rows; flip then reverses it.
func (l *layout) fill(row func(i int, dst []float64)) {
	for i := range l.p {
		row(i, l.data[i*l.n:i*l.n+i+1])
	}
	first := l.n - l.q
	for t := range l.q {
		full := l.products[:l.p+t+1]
		row(l.p+t, full)
		dst := l.data[(first+t)*l.n : (first+t+1)*l.n]
		copy(dst, full[:l.p])
		copy(dst[first:], full[l.p:])
	}
}

func (l *layout) flip() {
	first := l.n - l.q
	for t := range l.q {
		row := l.data[(first+t)*l.n : (first+t+1)*l.n]
		slices.Reverse(row[first:])
	}
	for a, b := first, l.n-1; a < b; a, b = a+1, b-1 {
		upper, lower := l.data[a*l.n:(a+1)*l.n], l.data[b*l.n:(b+1)*l.n]
		swap(upper[:l.p], lower[:l.p])
		swap(upper[first:], lower[first:])
	}
}

func (l *layout) slot(i int) int {
	if i < l.p {
		return i
	}
	return l.n - 1 - (i - l.p)
}

func (l *layout) checkRow(r int) {
	if r < 0 || r >= l.p+l.q {
		panic(fmt.Sprintf("factor: row %d of %d", r, l.p+l.q))
	}
}

// scatter copies b, in the order of rows, to x, over slots.
func (l *layout) scatter(x, b []float64) {
	copy(x, b[:l.p])
	for t, v := range b[l.p:] {
		x[l.n-1-t] = v
	}
}

func (l *layout) gather(b, x []float64) {
	copy(b, x[:l.p])
	for t := range b[l.p:] {
		b[l.p+t] = x[l.n-1-t]
	}
}

// squares sums the squares of x over the positive and the negative rows from row `from` on.
func (l *layout) squares(x []float64, from int) (a, b float64) {
	if from < l.p {
		a = dot(x[from:l.p], x[from:l.p])
		from = l.p
	}
	tail := x[l.n-l.q : l.n-(from-l.p)]
	return a, dot(tail, tail)
}

// forward replaces x, over slots and zero before row from, by L⁻¹x.
func (l *layout) forward(x []float64, from int) {
	first, end := l.n-l.q, l.n
	if from < l.p {
		l.forwardPositive(x, from)
		l.eliminate(x[first:], x[from:l.p], from)
	} else {
		end -= from - l.p
	}
	l.forwardNegative(x[first:max(first, end)])
}

// forwardNegative is forward for the first negative slots.
func (l *layout) forwardNegative(x []float64) {
	if first := l.n - l.q; len(x) > 0 {
		kernel.SolveUpper(x, l.data[first*l.n+first:], l.n)
	}
}

func (l *layout) forwardPositive(x []float64, from int) {
	if from < l.p {
		kernel.SolveLower(x[from:l.p], l.data[from*l.n+from:], l.n)
	}
}

// eliminate subtracts L's lower left block times x, the positive entries from row from on, from y,
// over the negative slots.
func (l *layout) eliminate(y, x []float64, from int) {
	if l.q == 0 {
		return
	}
	work := l.products[:l.q]
	kernel.MulVec(work, l.data[(l.n-l.q)*l.n+from:], l.n, x)
	for r, product := range work {
		y[r] -= product
	}
}

func (l *layout) backward(x []float64) {
	if first := l.n - l.q; l.q > 0 {
		kernel.SolveUpperTrans(x[first:], l.data[first*l.n+first:], l.n)
	}
	l.backwardPositive(x)
}

func (l *layout) backwardPositive(x []float64) {
	if first := l.n - l.q; l.q > 0 {
		work := l.products[:l.q]
		for r, f := range x[first:] {
			work[r] = -f
		}
		kernel.MulTransAdd(x[:l.p], l.data[first*l.n:], l.n, work)
	}
	kernel.SolveLowerTrans(x[:l.p], l.data, l.n)
}

func (l *layout) closePositive(r int) {
	for i := r + 1; i < l.p; i++ {
		src, dst := l.data[i*l.n:i*l.n+i+1], l.data[(i-1)*l.n:i*l.n]
		copy(dst, src[:r])
		copy(dst[r:], src[r+1:])
	}
	for i := l.n - l.q; i < l.n; i++ {
		row := l.data[i*l.n : i*l.n+l.p]
		copy(row[r:], row[r+1:])
	}
	l.p--
}

func (l *layout) closeNegative(r int) {
	at := l.slot(r)
	for i := at - 1; i >= l.n-l.q; i-- {
		src, dst := l.data[i*l.n:(i+1)*l.n], l.data[(i+1)*l.n:(i+2)*l.n]
		copy(dst[:l.p], src)
		copy(dst[at+1:], src[at+1:])
		copy(dst[i+1:at+1], src[i:at])
	}
	l.q--
}

func vector(data []float64) blas64.Vector { return blas64.Vector{N: len(data), Inc: 1, Data: data} }

func dot(a, b []float64) float64 {
	if len(a) == 0 {
		return 0
	}
	return blas64.Dot(vector(a), vector(b))
}

func swap(a, b []float64) {
	for i, v := range a {
		a[i], b[i] = b[i], v
	}
}
