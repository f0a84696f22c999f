package gaga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// frame is the coordinate system in which a problem is solved. A solution does not depend on it,
// its rounding and its cost do.
type frame struct {
	features  int // n with a kernel
	intercept bool
	origin    []float64 // of the features; nil with a kernel
	basis     []float64 // rank orthonormal rows that span the samples; nil: coordinates are features
	rank      int
}

// framed returns the problem in its frame, with an intercept a column of ones right of X. A kernel
// has a frame of its own.
func (p *Problem) framed() (*Problem, *frame) {
	q, f := p.centred()
	if q.Kernel == nil && q.X.Cols > q.X.Rows && q.Penalty.L1 == 0 && q.Penalty.L2 > 0 {
		f.reduce(q)
	}
	return q, f
}

// centred moves features far from 0: a free intercept absorbs that, and sums of products keep their
// digits.
func (p *Problem) centred() (*Problem, *frame) {
	f := &frame{features: p.Unknowns() - 1, intercept: p.Intercept}
	if p.Kernel != nil {
		return p, f
	}
	q := *p
	f.origin = make([]float64, p.X.Cols)
	if f.intercept {
		column := make([]float64, p.X.Rows)
		for j := range f.origin {
			for i := range column {
				column[i] = p.X.Data[i*p.X.Stride+j]
			}
			f.origin[j] = typical(column)
		}
	}
	q.X = f.rows(p.X.Rows, p.X.Cols, func(i, j int) float64 { return p.X.Data[i*p.X.Stride+j] - f.origin[j] })
	return &q, f
}

// typical returns a feature's median, rounded to a power of two of at least four standard deviations:
// 0 for standardized features, and the same digits remain after a shift by a round number. The
// distance of the quartiles, which outlying samples do not change, bounds the deviation.
func typical(x []float64) float64 {
	sorted, n := slices.Clone(x), len(x)
	slices.Sort(sorted)
	median, quartiles := sorted[n/2], sorted[3*n/4]-sorted[n/4]
	_, deviation := stat.PopMeanStdDev(x, nil)
	if quartiles > 0 {
		deviation = min(deviation, tolerance.LargestDeviation*quartiles)
	}
	_, exponent := math.Frexp(deviation)
	unit := math.Ldexp(1, exponent+2)
	if !(deviation > 0 && math.Abs(median) < unit/tolerance.Unit) {
		return median
	}
	return unit * math.RoundToEven(median/unit)
}

func (f *frame) rows(n, d int, at func(i, j int) float64) blas64.General {
	x := blas64.General{Rows: n, Cols: d, Stride: d}
	if f.intercept {
		x.Stride++
	}
	x.Data = make([]float64, 0, n*x.Stride)
	for i := range n {
		for j := range d {
			x.Data = append(x.Data, at(i, j))
		}
		if f.intercept {
			x.Data = append(x.Data, 1)
		}
	}
	return x
}

// reduce replaces the coordinates of a centred problem by those in the span of the samples, which
// has w if the penalty is that of ‖w‖² alone. Gram and Schmidt's method, done twice, orthogonalizes
// the samples to rounding.
func (f *frame) reduce(p *Problem) {
	n, d := p.X.Rows, p.X.Cols
	f.basis = make([]float64, n*d)
	rest, along, parts := make([]float64, d), make([]float64, n*n), make([]float64, n)
	for i := range n {
		copy(rest, p.X.Data[i*p.X.Stride:])
		whole, part, coordinates := blas64.Nrm2(dense.Vector(rest)), parts[:f.rank], along[i*n:][:n]
		for range 2 {
			kernel.MulVec(part, f.basis, d, rest)
			kernel.Axpy(1, part, coordinates)
			kernel.ScaleTo(part, -1, part)
			kernel.MulTransAdd(rest, f.basis, d, part)
		}
		if size := blas64.Nrm2(dense.Vector(rest)); size > tolerance.Dependent*whole {
			kernel.ScaleTo(f.basis[f.rank*d:][:d], 1/size, rest)
			coordinates[f.rank] = size
			f.rank++
		}
	}
	if f.rank == 0 { // all samples are 0
		f.basis[0], f.rank = 1, 1
	}
	f.basis = slices.Clone(f.basis[:f.rank*d])
	p.X = f.rows(n, f.rank, func(i, j int) float64 { return along[i*n+j] })
}

// outer returns the coefficients of the features and the intercept, 0 if there is none, for a
// solution in the frame.
func (f *frame) outer(theta []float64) []float64 {
	out := make([]float64, f.features+1)
	if f.basis == nil {
		copy(out, theta)
		theta = theta[f.features:]
	} else {
		kernel.MulTransAdd(out[:f.features], f.basis, f.features, theta[:f.rank])
		theta = theta[f.rank:]
	}
	if copy(out[f.features:], theta); f.intercept {
		out[f.features] -= kernel.Dot(f.origin, out)
	}
	return out
}

// inner is the inverse of outer on the span of the samples.
func (f *frame) inner(theta []float64) []float64 {
	own := slices.Clone(theta)
	if f.basis != nil {
		kernel.MulVec(own[:f.rank], f.basis, f.features, theta[:f.features])
		own = append(own[:f.rank], theta[f.features:]...)
	}
	if f.intercept {
		own[len(own)-1] += kernel.Dot(f.origin, theta)
	}
	return own
}
