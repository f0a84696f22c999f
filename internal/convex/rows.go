package convex

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// rows holds samples padded with zeros to whole vectors.
type rows struct {
	n, d   int
	stride int
	data   []float64 // n x stride, feature j minus origin[j]
	origin []float64
}

// newRows copies x. With an intercept it subtracts a typical value from each feature: a constant one
// becomes exactly 0, and a large offset costs no digits.
func newRows(x blas64.General, y []float64, intercept bool) rows {
	n, d := x.Rows, x.Cols
	if len(y) != n {
		panic(fmt.Sprintf("convex: %d targets for %d samples", len(y), n))
	}
	stride := kernel.Pad(d)
	p := rows{n: n, d: d, stride: stride, data: make([]float64, n*stride), origin: make([]float64, d)}
	for i := range n {
		copy(p.row(i), x.Data[i*x.Stride:][:d])
	}
	if !intercept {
		return p
	}
	column := make([]float64, n)
	for j := range d {
		for i := range column {
			column[i] = p.data[i*p.stride+j]
		}
		p.origin[j] = typical(column)
		for i := range column {
			p.data[i*p.stride+j] -= p.origin[j]
		}
	}
	return p
}

func (p *rows) columns() design {
	x := design{n: p.n, d: p.d, origin: p.origin}
	x.column = blas64.General{Rows: p.d, Cols: p.n, Stride: max(1, p.n), Data: make([]float64, p.n*p.d)}
	for i := range p.n {
		for j, v := range p.row(i) {
			x.row(j)[i] = v
		}
	}
	return x
}

func (p *rows) row(i int) []float64 { return p.data[i*p.stride:][:p.d] }

func (p *rows) from(i int) []float64 { return p.data[i*p.stride:] }

func (p *rows) offset(w []float64) float64 { return kernel.Dot(p.origin, w) }

func (p *rows) predict(dst, w []float64, b float64) {
	kernel.MulVec(dst, p.data, p.stride, w)
	if b != 0 {
		for i := range dst {
			dst[i] += b
		}
	}
}

func (p *rows) correlate(dst, q []float64) { kernel.MulTransAdd(dst, p.data, p.stride, q) }

// block samples fit the L1 cache.
func (p *rows) block() int { return max(32, 4096/max(1, p.stride)) &^ 3 }
