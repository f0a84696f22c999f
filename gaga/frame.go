package gaga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// frame is a coordinate system for the coefficients of a linear predictor, in which a problem is
// solved. A solution does not depend on it, its rounding does.
type frame struct {
	features  int
	intercept bool
	origin    []float64 // of the features; 0 without an intercept
	basis     []float64 // orthonormal rows that span the samples; nil: coordinates are features
	rank      int
}

// framed returns the problem in its frame, with X and, if there is an intercept, a column of ones
// in rows of adjacent numbers. With a kernel it returns the problem itself: the kernel has its own.
func (p *Problem) framed() (*Problem, *frame) {
	q, f := p.centred()
	if q.X.Cols > q.X.Rows && q.Penalty.L1 == 0 && q.Penalty.L2 > 0 && q.Kernel == nil {
		f.reduce(q)
	}
	return q, f
}

// centred subtracts their medians from features far from 0: a free intercept absorbs that, and sums
// of products keep their digits.
func (p *Problem) centred() (*Problem, *frame) {
	n, d := p.X.Rows, p.X.Cols
	if p.Kernel != nil {
		return p, &frame{features: n, intercept: true}
	}
	f := &frame{features: d, intercept: p.Intercept, origin: make([]float64, d)}
	q := *p
	q.X = f.matrix(n, d)
	column := make([]float64, n)
	for j := range d {
		for i := range column {
			column[i] = p.X.Data[i*p.X.Stride+j]
		}
		if f.intercept {
			f.origin[j] = medianIfFar(column)
		}
		for i, x := range column {
			q.X.Data[i*q.X.Stride+j] = x - f.origin[j]
		}
	}
	return &q, f
}

// medianIfFar returns a feature's median if that exceeds the standard deviation, or by far the
// distance of the quartiles, which outlying samples do not change. Else it returns 0, as for
// standardized features.
func medianIfFar(x []float64) float64 {
	sorted, n := slices.Clone(x), len(x)
	slices.Sort(sorted)
	median, quartiles := sorted[n/2], sorted[3*n/4]-sorted[n/4]
	mean := kernel.Sum(x) / float64(n)
	for i, v := range x {
		sorted[i] = v - mean
	}
	deviation := blas64.Nrm2(dense.Vector(sorted)) / math.Sqrt(float64(n))
	if size := math.Abs(median); size > deviation || quartiles > 0 && size > tolerance.FarMedian*quartiles {
		return median
	}
	return 0
}

// matrix returns room for samples of d coordinates, with the ones.
func (f *frame) matrix(n, d int) blas64.General {
	x := blas64.General{Rows: n, Cols: d, Stride: d}
	if f.intercept {
		x.Stride++
	}
	x.Data = make([]float64, n*x.Stride)
	for i := range n {
		if f.intercept {
			x.Data[i*x.Stride+d] = 1
		}
	}
	return x
}

// reduce replaces the coordinates of a centred problem by those in the span of the samples, which
// holds w under a penalty of ‖w‖² alone. It orthogonalizes the samples by Gram and Schmidt's
// method, twice to be orthogonal to rounding.
func (f *frame) reduce(p *Problem) {
	n, d, old := p.X.Rows, p.X.Cols, p.X
	f.basis, f.rank = make([]float64, n*d), 0
	rest, part, along := make([]float64, d), make([]float64, n), make([]float64, n*n)
	for i := range n {
		copy(rest, old.Data[i*old.Stride:])
		whole, part, coordinates := blas64.Nrm2(dense.Vector(rest)), part[:f.rank], along[i*n:][:n]
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
	f.basis = slices.Clip(f.basis[:f.rank*d])
	p.X = f.matrix(n, f.rank)
	for i := range n {
		copy(p.X.Data[i*p.X.Stride:][:f.rank], along[i*n:])
	}
}

// outer writes the coefficients of the features and the intercept, 0 if there is none, for a
// solution in the frame.
func (f *frame) outer(dst, theta []float64) {
	w := dst[:f.features]
	if f.basis == nil {
		copy(w, theta)
	} else {
		clear(w)
		kernel.MulTransAdd(w, f.basis, f.features, theta[:f.rank])
	}
	dst[f.features] = 0
	if f.intercept {
		dst[f.features] = theta[len(theta)-1] - f.offset(w)
	}
}

// inner is the inverse of outer on the span of the samples.
func (f *frame) inner(dst, theta []float64) {
	w := theta[:f.features]
	if f.basis == nil {
		copy(dst, w)
	} else {
		kernel.MulVec(dst[:f.rank], f.basis, f.features, w)
	}
	if f.intercept {
		dst[len(dst)-1] = theta[f.features] + f.offset(w)
	}
}

func (f *frame) offset(w []float64) float64 { return kernel.Dot(f.origin, w[:len(f.origin)]) }
