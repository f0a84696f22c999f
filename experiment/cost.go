package experiment

import "math"

// The estimate of a cell's seconds orders cells and tells how long a run
// takes; it is meant to be right within a factor of about three on one
// processor of 2020 or later. n are the training rows, d the features; all
// constants are multiply-adds at the speed below.
const (
	flops    = 1e9    // multiply-adds a second, cache misses included
	overhead = 500e-6 // seconds of every cell: preparing, scoring, storing

	descentPasses = 40.0 // passes of coordinate descent over the Gram matrix of a Lasso from a cold start
	newtonSteps   = 10.0 // Newton steps of a logistic regression from a cold start
	smoSteps      = 6.0  // working-set updates per row of a support vector machine, each O(n)

	warmShare = 0.15 // cost of a fit from the last solution relative to a cold start

	pathSolves = 0.3 // critical points of an age path per row (math.md, section 6)
)

// alternations is how many fits alternate convex search takes at one age, and
// stepsPerPoint how many solves with the active rows the age-path engine takes
// from one critical point to the next: one where the segment has a closed
// form, more where it is followed by prediction and correction.
var regularizerCosts = map[string]struct{ alternations, stepsPerPoint float64 }{
	Hard:       {4, 1},
	Linear:     {20, 6},
	Polynomial: {20, 8},
	Mixture:    {15, 2},
	LOG:        {15, 6},
}

// estimate returns the estimated seconds of each cell of a group.
func estimate(g *group) float64 {
	n, d := float64(g.data.train), float64(g.data.D)
	fit := fitCost(g.models.Name, g.models.Kernel, n, d)
	costs := regularizerCosts[g.regularizers.Name]
	work := fit
	switch g.method.name {
	case ACS:
		ages := math.Floor((g.age.Max-g.age.Min)/g.age.Step) + 1
		work += ages * (costs.alternations*warmShare*fit + n*d)
	case GAGA:
		points := 10 + pathSolves*n
		solve := n*d + d*d*math.Min(n, d)
		work += points * costs.stepsPerPoint * solve
	}
	return overhead + work/flops
}

// fitCost returns the multiply-adds of one weighted fit from a cold start.
func fitCost(model, kernel string, n, d float64) float64 {
	switch model {
	case Lasso:
		return n*d*math.Min(n, d) + descentPasses*d*math.Min(n, d)
	case Logistic:
		return newtonSteps * (n*d*math.Min(n, d) + d*d*d/3)
	}
	rows := n * n / 2 * d // the kernel matrix
	if kernel == RBF {
		rows += 20 * n * n / 2 // its exponentials
	}
	return rows + smoSteps*n*n
}
