package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// push returns a point from which alternation leaves the left point, and the
// predictors of all samples there.
//
// Behind a fold alternation creeps along the path's own direction, for up to 10^5
// steps. The point is the farthest one tried along it, within a fiftieth of the
// predictors' size, to which the implicit objective falls. Behind any other jump
// it is the left point itself: alternation leaves it soon enough, and other ways
// of leaving it can end in another optimum.
func (t *tracker) push(c crossing, age float64) (theta, u []float64) {
	if c.cause == Fold {
		copy(t.theta0, t.left.rate)
		if theta, u, ok := t.descend(t.left, age); ok {
			return theta, u
		}
	}
	u = make([]float64, t.n)
	t.predictAll(u, t.left.theta)
	return append([]float64(nil), t.left.theta...), u
}

// descend returns the farthest point tried from pt along theta0, within a
// fiftieth of the predictors' size, to which the implicit objective falls.
func (t *tracker) descend(pt *point, age float64) (theta, u []float64, ok bool) {
	theta, u = make([]float64, t.p), make([]float64, t.n)
	du := make([]float64, t.n)
	t.predictAll(du, t.theta0)
	t.predictAll(t.scores, pt.theta)
	largest := math.Abs(du[blas64.Iamax(vector(du))])
	size := (blas64.Nrm2(vector(t.scores)) + blas64.Nrm2(vector(t.y))) / math.Sqrt(float64(t.n))
	if !(largest > 0) || math.IsInf(largest, 0) {
		return nil, nil, false
	}
	at := func(x float64) float64 {
		copy(u, t.scores)
		blas64.Axpy(x, vector(du), vector(u))
		copy(theta, pt.theta)
		blas64.Axpy(x, vector(t.theta0), vector(theta))
		return t.objective(theta, u, age)
	}
	here := at(0)
	for x := size / (50 * largest); x*largest > 1e-9*size; x *= 0.5 {
		if at(0.5*x) < here && at(x) < here {
			return theta, u, true
		}
	}
	return nil, nil, false
}
