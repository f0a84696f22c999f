package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// push returns a point from which alternation leaves the left point faster.
//
// Beside an unstable point alternation creeps along the direction in which the
// implicit objective falls, for up to 10^5 steps at a fold. That direction is
// known: the solution of H d = a for the sample or coordinate that crossed, or
// the path's own direction at a fold. The point is the farthest one tried along
// it, within a fiftieth of the predictors' size, to which the objective falls.
// Where the weight itself breaks no push is needed, as the next fit moves.
// The predictors of all samples there come along.
func (t *tracker) push(c crossing, age float64) (theta, u []float64) {
	if t.escape(c) {
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

// escape writes the direction in which the path leaves the left point into
// theta0 and reports whether it is known.
func (t *tracker) escape(c crossing) bool {
	clear(t.theta0)
	switch c.cause {
	case SampleUp, SampleDown:
		from, to := t.zonesOf(c)
		if t.zones[min(from, to)].Break || t.wakes(c) {
			return false
		}
		side := 1.0 // the loss goes on rising
		if c.cause == SampleDown {
			side = -1
		}
		_, slope, _ := t.loss.Eval(t.left.u[c.slot], t.y[c.index])
		if t.hinge != nil {
			slope = -t.y[c.index]
		}
		t.direction(t.theta0, c.index)
		blas64.Scal(side*sign(slope), vector(t.theta0))
		return true
	case Activated:
		d := t.rhs[:len(t.active)]
		t.primal.border(d, c.index)
		t.solve(d)
		for r, j := range t.active {
			t.theta0[j] = -c.sign * d[r]
		}
		t.theta0[c.index] = c.sign
		return true
	case Fold:
		copy(t.theta0, t.left.rate)
		return true
	}
	return false
}
