package experiment

import "math"

// The estimate of a cell's seconds orders cells and tells how long a run may
// take. It knows rows n, features d, model, method, regularizer and ages, not
// the data, C, α or noise, which change the time by as much again: on the
// paper's data sets it was mostly within a factor of five, and far too high for
// age paths that have hardly a critical point because all losses are below the
// ages. Work is counted in nanoseconds of one processor of 2020, n are the
// training rows.

const (
	cellWork    = 5e5 // of any cell: storing the outcome, drawing the split
	prepareWork = 100 // of preparing and scoring, for each number of the data
	gramShare   = 0.25
	pointWork   = 5e4   // of a critical point, whatever the size
	sweepWork   = 3.5e4 // of a path whose turning points have no knots, for each number of the data
)

// regularizerCosts says how much harder than a single fit a regularizer makes
// a path.
var regularizerCosts = map[string]struct {
	alternations float64 // of alternate convex search at one age until it settles
	points       float64 // work of all critical points relative to the linear regularizer
}{
	Hard:       {5, 0.2},
	Linear:     {60, 1},
	Polynomial: {200, 3},
	Mixture:    {150, 2},
	LOG:        {60, 0.5},
}

// estimate returns the estimated seconds of each cell of a group.
func estimate(g *group) float64 {
	n, d := float64(g.data.train), float64(g.data.D)
	return (cellWork + prepareWork*n*d + g.method.work(g, n, d)) / 1e9
}

// pathPoints returns the number of critical points of an age path of n rows:
// about 0.3 for each row, and about 1 for a support vector
// machine, whose samples come to the margin and leave it, too.
func pathPoints(model string, n float64) float64 {
	if model == SVM {
		return 10 + n
	}
	return 10 + 0.3*n
}

// pathWork returns the work of a critical point and of the steps to it.
func pathWork(model, kernel string, n, d float64) float64 {
	work := pointWork + 10*n*d + 2*d*d*d
	switch {
	case kernel == RBF: // the factor of the multipliers that change
		return pointWork + 3*n*n
	case model == SVM: // sums over zones, with shorter ways from point to point
		return 0.5 * work
	case model == Logistic: // sums of products over the samples
		return work + 0.5*n*d*d
	}
	return work
}

// fitWork returns the work of one weighted fit from a cold start and from the
// last solution.
func fitWork(model, kernel string, n, d float64) (cold, warm float64) {
	gram := n * d * math.Min(n, d)
	switch model {
	case Ridge: // the Gram matrix and its factor
		return gramShare*gram + d*d*d, gramShare*gram + n*d + d*d*d
	case Lasso, ElasticNet: // the Gram matrix, then passes of coordinate descent
		return gramShare*gram + 400*d*d, gramShare*gram + n*d + 10*d*d
	case ERM:
		cold = ermWork(n, d)
		return cold, cold
	case Logistic: // a few Newton steps; warm some passes with the last factor
		return gramShare*gram + 20*n*d, 5 * n * d
	}
	if kernel == RBF { // the kernel matrix, then working-set updates of O(n) each
		cold = n*n*d/4 + 30*n*n
		return cold, 0.005 * cold
	}
	cold = ermWork(n, d) + 2*n*n // rehline's solution, and the gradients of all samples
	return cold, 0.05 * cold
}
