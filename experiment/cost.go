package experiment

import "math"

// The estimate of a cell's seconds orders cells and tells how long a run may
// take. It knows rows n, features d, model, method, regularizer and ages, not
// the data, C, α or noise, which change the time by as much again: on the
// paper's data sets it was mostly within a factor of five. Work is counted in
// nanoseconds of one processor of 2020, n are the training rows.

const (
	cellWork    = 5e5 // of any cell: storing the outcome, drawing the split
	prepareWork = 100 // of preparing and scoring, for each number of the data
	gramShare   = 0.25
	pathPoints  = 0.3 // critical points of an age path for each row (math.md, section 6)
	pointWork   = 2e5 // of a critical point, whatever the size
)

// regularizerCosts says how much harder than a single fit a regularizer makes
// a path.
var regularizerCosts = map[string]struct {
	alternations float64 // of alternate convex search at one age until it settles
	points       float64 // work of one critical point relative to the linear regularizer
}{
	Hard:       {5, 0.5},
	Linear:     {60, 1},
	Polynomial: {200, 3},
	Mixture:    {150, 1.5},
	LOG:        {60, 1.5},
}

// estimate returns the estimated seconds of each cell of a group.
func estimate(g *group) float64 {
	n, d := float64(g.data.train), float64(g.data.D)
	cold, warm := fitWork(g.models.Name, g.models.Kernel, n, d)
	costs := regularizerCosts[g.regularizers.Name]
	work := cellWork + prepareWork*n*d
	switch g.method.name {
	case Original:
		work += cold
	case ACS:
		ages := math.Floor((g.age.Max-g.age.Min)/g.age.Step) + 1
		work += cold + ages*(costs.alternations*warm+n*d)
	case GAGA:
		work += cold + (10+pathPoints*n)*costs.points*(pointWork+10*n*d+2*d*d*d)
	}
	return work / 1e9
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
	case Logistic: // a few Newton steps; warm a fraction of one
		cold = gram + n*d
		return cold, 0.1 * cold
	}
	// The kernel matrix, then working-set updates of O(n) each: more of them
	// for the linear kernel, whose matrix is singular.
	cold = n*n*d/4 + 60*n*n
	if kernel == RBF {
		cold = n*n*d/4 + 30*n*n
	}
	return cold, 0.005 * cold
}
