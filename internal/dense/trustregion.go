package dense

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// TrustRegion is a second-order model of a function of n arguments, and its minimum
// within a radius in another metric: that of the model with a multiple of the metric
// added (Moré, Sorensen: Computing a trust region step, SIAM J. Sci. Stat. Comput. 1983).
// The multiple is found up to a factor of two, which costs a few factors and no
// eigenvectors.
type TrustRegion struct {
	Hess, Metric []float64 // n x n, upper triangles
	Gradient     []float64 // n
	Size         float64   // unit of lengths
	Step         []float64 // n
	Length       float64   // of the step in the metric, by the unit
	Fall         float64   // of the model on the step
	Shifts       Shifts

	shift  float64 // the last multiple of the metric that was added
	matrix []float64
	factor Cholesky
}

// Shifts are the multiples of the metric that are tried.
type Shifts struct {
	Least, Largest float64
	Back           float64 // part of the last one to begin with
}

// NewTrustRegion returns a model of n arguments, all 0.
func NewTrustRegion(n int, s Shifts) TrustRegion {
	f := func(k int) []float64 { return make([]float64, k) }
	return TrustRegion{Hess: f(n * n), Metric: f(n * n), Gradient: f(n), Step: f(n), Shifts: s, matrix: f(n * n)}
}

// Form returns xᵀMx, for M = Hess or Metric.
func (q *TrustRegion) Form(m, x []float64) float64 {
	n := len(x)
	y := blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)}
	blas64.Symv(1, blas64.Symmetric{N: n, Stride: n, Data: m, Uplo: blas.Upper}, blas64.Vector{N: n, Inc: 1, Data: x}, 0, y)
	return kernel.Dot(x, y.Data)
}

// Aim makes Step that to the model's minimum within a radius, and reports whether that
// lies inside. It reports false where it finds none.
func (q *TrustRegion) Aim(radius float64) (inside, ok bool) {
	n := len(q.Step)
	next := math.Max(q.Shifts.Back*q.shift, q.Shifts.Least)
	for shift := 0.0; shift < q.Shifts.Largest; shift, next = next, 2*next {
		copy(q.matrix, q.Hess)
		kernel.Axpy(shift, q.Metric, q.matrix)
		if q.factor.Upper(n, q.matrix); q.factor.Factorize(context.Background()) != nil {
			continue
		}
		kernel.ScaleTo(q.Step, -1, q.Gradient)
		q.factor.Solve(q.Step)
		if q.Length = math.Sqrt(q.Form(q.Metric, q.Step)) / q.Size; q.Length <= radius {
			q.Fall = -kernel.Dot(q.Gradient, q.Step) - 0.5*q.Form(q.Hess, q.Step)
			q.shift = shift
			return shift == 0, true
		}
	}
	return false, false
}
