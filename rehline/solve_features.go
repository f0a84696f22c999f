package rehline

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// features are the n x d matrix X, or some of its rows.
type features interface {
	mulVec(from int, z, v []float64) // z = X v for as many rows as z has, from one on
	mulTransAdd(w, a []float64)      // w += Xᵀa
	dot(i int, v []float64) float64  // x_i·v
	axpy(i int, a float64, v []float64)
	gather(i int, a float64, v []float64) // v = a x_i
	norms(dst []float64)                  // dst_i = ‖x_i‖²
	// stack sets rows of panel, ld apart, to those of the samples of the list, and those of
	// scaled to change times them.
	stack(panel, scaled []float64, ld int, list []int32, change []float64)
}

type full struct{ blas64.General }

func (x full) mulVec(from int, z, v []float64) {
	kernel.MulVec(z, x.Data[from*x.Stride:], x.Stride, v)
}

func (x full) mulTransAdd(w, a []float64) { kernel.MulTransAdd(w, x.Data, x.Stride, a) }
func (x full) row(i int) []float64        { return x.Data[i*x.Stride:][:x.Cols] }

func (x full) dot(i int, v []float64) float64     { return kernel.Dot(x.row(i), v) }
func (x full) axpy(i int, a float64, v []float64) { kernel.Axpy(a, x.row(i), v) }
func (x full) gather(i int, a float64, v []float64) {
	kernel.ScaleTo(v, a, x.row(i))
}

func (x full) norms(dst []float64) { kernel.Norms(dst, x.Data, x.Stride, x.Cols) }

func (x full) stack(panel, scaled []float64, ld int, list []int32, change []float64) {
	kernel.Stack(panel, scaled, ld, x.Data, x.Stride, x.Cols, list, change)
}

// subset are some rows of x.
type subset struct {
	features
	index []int32
}

func (x *subset) dot(i int, v []float64) float64       { return x.features.dot(int(x.index[i]), v) }
func (x *subset) axpy(i int, a float64, v []float64)   { x.features.axpy(int(x.index[i]), a, v) }
func (x *subset) gather(i int, a float64, v []float64) { x.features.gather(int(x.index[i]), a, v) }

func (x *subset) mulVec(from int, z, v []float64) {
	for k := range z {
		z[k] = x.dot(from+k, v)
	}
}

func (x *subset) mulTransAdd(w, a []float64) {
	for k, s := range a {
		if s != 0 {
			x.axpy(k, s, w)
		}
	}
}

func (x *subset) stack(panel, scaled []float64, ld int, list []int32, change []float64) {
	for k, i := range list {
		x.features.stack(panel[k*ld:], scaled[k*ld:], ld, x.index[i:i+1], change[k:k+1])
	}
}
