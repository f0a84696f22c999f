package selfpaced

import (
	"math"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// The estimate of a cell's seconds, for the order of cells and the duration of a run, depends on
// rows n (of the training part), features d, model, method, regularizer and ages, not on the data,
// C, α or noise, which change the time by as much again. In TestEstimates half of the cells are
// within a factor of 1.4, 90 % within three, and sums over a grid mostly within 1.5. Work is in
// nanoseconds of one processor core of the 2020s.

const (
	cellWork    = 2.5e5 // drawing the split, storing the outcome
	prepareWork = 20    // of preparing and scoring, for each number of the data
	gramShare   = 0.25
	pointWork   = 3e4 // of a critical point or a scored age
)

func estimate(g *group) float64 {
	n, d := float64(g.data.train), float64(g.data.D)
	work := cellWork + prepareWork*n*d + g.method.work(g, n, d)
	if g.method.ages(g.age).Auto != 0 {
		work += spanWork(g, n, d)
	}
	return work * float64(1+g.choice.Folds) / 1e9
}

func pathWork(model, kernel, regularizer string, n, d float64) float64 {
	cost := gridfile.Lookup(regularizerTable, regularizer)
	points, each := 0.55*n, pointWork+2*d*d*d // zone sums, and a factor over the active coefficients
	switch {
	case kernel == RBF: // factor of the changing multipliers
		points, each = 0.35*n, pointWork+3*n*n
	case model == SVM: // mostly jumps
		points, each = 0.35*n, 3e5+50*d*d
	case model == Logistic: // sums over the samples
		points, each = 0.17*n, n*(300+10*d)
	default:
		each += cost.sampled * n * d
	}
	_, warm := fitWork(model, kernel, n, d)
	return pathKnots*pointWork + points*cost.points*(each+cost.landings*warm)
}

// fitWork is the work of a weighted fit from a cold start and from the last solution.
func fitWork(model, kernel string, n, d float64) (cold, warm float64) {
	gram := n * d * math.Min(n, d)
	switch model {
	case Ridge: // Gram matrix and its factor
		return gramShare*gram + d*d*d, 3000 + 2*gramShare*gram + 12*n*d + d*d*d
	case Lasso, ElasticNet: // Gram matrix, then coordinate descent; warm: active coefficients
		return gramShare*gram + 100*d*d, 6000 + 0.03*gram + 2.5*n*math.Min(d, 12)
	case ERM:
		cold = ermWork(n, d)
		return cold, cold
	case Logistic: // Newton steps; warm: passes with the last factor
		return gramShare*gram + 10*n*d, 1.5 * n * d
	}
	if kernel == RBF { // kernel matrix, then working-set updates of O(n)
		cold = n*n*d/4 + 14*n*n
		return cold, 0.008 * cold
	}
	return 2.5e5 + 60*n*d, 75 * n // rehline; warm: samples near the margin
}

// kernelCache limits the solver's kernel matrix, and its factor.
const kernelCache = 512 << 20

// fits returns a [*experiment.MemoryError] if the estimate exceeds a limit > 0.
func (c *Cell) fits(prepared *dataset.Prepared, limit int64) error {
	if need := c.bytes(prepared); limit > 0 && need > limit {
		return &experiment.StatusError{Status: experiment.Memory, Err: &experiment.MemoryError{Need: need, Limit: limit}}
	}
	return nil
}

// bytes estimates peak memory: the parts of the data and the solver's copy, with a kernel the
// matrices of training and prediction and the solver's factor, and the method's own.
func (c *Cell) bytes(prepared *dataset.Prepared) int64 {
	n, d := int64(prepared.Train.N), int64(prepared.Train.D)
	others := int64(prepared.Test.N + prepared.Validation.N)
	bytes := 8 * d * (3*n + 2*others)
	if c.Settings.Protocol == dataset.Scripts { // clean rows
		bytes += 16 * d * n
	}
	folds := int64(c.Choice.Folds)
	if folds > 0 { // rows of all folds, and a copy of one fold
		bytes += 8 * d * n * (folds + 3)
	}
	if c.Model.Kernel == RBF {
		bytes += 2*min(8*n*n, kernelCache) + 8*n*others
		if folds > 0 { // of held-out rows and others
			bytes += 8 * n * n
		}
	}
	if method, err := c.Method.info(); err == nil && method.bytes != nil { // an unknown method does not run
		bytes += method.bytes(c, n, d) * (1 + folds) // at most, as the knots of all stay
	}
	return bytes
}
