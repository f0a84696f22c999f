package selfpaced

import (
	"cmp"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// The estimate of a cell's seconds, for the order of cells and the duration of a run, depends on
// rows n (of the training part), features d, model, method, regularizer, ages and level of noise, not
// on the data, C or α, which change the time by as much again. Work is in nanoseconds of one
// processor core of the 2020s.

const (
	cellWork    = 2.5e5 // drawing the split, storing the outcome
	prepareWork = 20    // of preparing and scoring, for each number of the data
	farWork     = 4e3   // of looking for contaminated rows, for each row
	labelsWork  = 12    // of correcting labels, for each feature and 50, and rows to the power 1.75
)

func estimate(g *group) float64 {
	n, d := float64(g.data.train), float64(g.data.D)
	work := commonWork(g, n, d) + g.method.work(g, n, d)
	if g.method.ages(g.age).Auto != 0 && !slices.Contains([]string{ACS, ACSOnce, GAGA}, g.method.name) { // deriving them
		work += fitted(onceOf, g, n, d) / 2
	}
	return work * float64(1+g.choice.Folds) / 1e9
}

// commonWork is that of all methods.
func commonWork(g *group, n, d float64) float64 {
	work := cellWork + prepareWork*n*d + farWork*n
	if g.choice.Labels == correctedLabels {
		work += labelsWork * (50 + d) * math.Pow(math.Min(n, labelRows), 1.75)
	}
	return work
}

// The kinds of work that TestFitCosts fits, the last three with derived ages and deriving them.
const (
	fitOf    = iota // a fit with all weights 1
	onceOf          // one alternation at each age
	searchOf        // alternate convex search
	pathOf
)

// power is the work for 1000 rows, 10 features and clean data, and the exponents of rows, features
// and, by level of noise, e.
type power [4]float64

func fitted(kind int, g *group, n, d float64) float64 {
	name := g.models.Name
	switch {
	case name == ERM: // a few passes and Newton steps, the first of which forms all products of features
		return n*d*math.Min(d, 1500) + 60*n*d + 5*d*d*d
	case g.models.Kernel == RBF:
		name = RBF
	}
	p := powers[name][kind]
	logarithm := p[1]*math.Log(n/1000) + p[2]*math.Log(d/10)
	for _, noise := range g.noise {
		logarithm += p[3] * noise.Level / float64(len(g.noise))
	}
	return p[0] * math.Exp(logarithm) * cmp.Or(regularizerWork[g.regularizer.Name][kind], 1)
}

// agesWork is that of a kind at the group's ages.
func agesWork(kind int, g *group, n, d float64) float64 {
	work := fitted(kind, g, n, d) * float64(len(g.method.ages(g.age).ways()))
	if g.age.Auto == 0 {
		work *= givenWork[kind]
		if kind != pathOf {
			work *= g.steps(g.age.Step) / autoAges
		}
	}
	return work
}

// alternationWork is that of a fit from the last solution.
func alternationWork(g *group, n, d float64) float64 { return fitted(onceOf, g, n, d) / (2 * autoAges) }

const (
	kernelCache  = 512 << 20 // limits the solver's kernel matrix, and its factor
	processBytes = 14 << 20  // of a slot's process without a cell
	collected    = 2         // times what a cell needs, before garbage is collected
)

// fits returns a [*experiment.MemoryError] if the estimate exceeds a limit > 0.
func (c *Cell) fits(prepared *dataset.Prepared, limit int64) error {
	n, d, others := prepared.Train.N, prepared.Train.D, prepared.Test.N+prepared.Validation.N
	if need := c.bytes(int64(n), int64(d), int64(others)); limit > 0 && need > limit {
		return &experiment.StatusError{Status: experiment.Memory, Err: &experiment.MemoryError{Need: need, Limit: limit}}
	}
	return nil
}

// bytes estimates peak memory: the parts of the data and the solver's copy, with a kernel the
// matrices of training and prediction and the solver's factor, and the method's own.
func (c *Cell) bytes(n, d, others int64) int64 {
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
	} else if c.Choice.Labels == correctedLabels {
		bytes += 16 * min(n, labelRows) * min(n, labelRows)
	}
	if method, err := c.Method.info(); err == nil && method.bytes != nil { // an unknown method does not run
		bytes += method.bytes(c, n, d) * (1 + folds) // at most, as the knots of all stay
	}
	return bytes
}
