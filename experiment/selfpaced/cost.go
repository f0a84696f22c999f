package selfpaced

import (
	"math"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// The estimate of a cell's seconds, for the order of cells and the duration of a run, depends on
// rows n (of the training part), features d, model, method, regularizer, ages, level of noise and C
// or α, not on the data, which change the time by as much again. Searches and paths are powers that
// TestFitCosts fits to measured cells. Work is in nanoseconds of one processor core of the 2020s.

const (
	cellWork    = 2.5e5 // drawing the split, storing the outcome
	prepareWork = 20    // of preparing and scoring, for each number of the data
	gramShare   = 0.25
)

func estimate(g *group) float64 {
	n, d := float64(g.data.train), float64(g.data.D)
	work := cellWork + prepareWork*n*d + g.method.work(g, n, d)
	if g.method.ages(g.age).Auto != 0 && g.method.name != ACS && g.method.name != GAGA {
		work += onceWork(g, n, d)
	}
	return work * float64(1+g.choice.Folds) / 1e9
}

// power is the work for 1000 rows, 10 features, clean data and the strength 1, and the exponents of
// rows, features, strength and, by level, e.
type power struct{ work, rows, features, strength, noise float64 }

// The two kinds of work that are fitted, with derived ages and what it takes to derive them.
const (
	searchOf = iota
	pathOf
)

func fitted(kind int, g *group, n, d float64) float64 {
	p := powers[kind][g.models.family()]
	work := p.work * math.Pow(n/1000, p.rows) * math.Pow(d/10, p.features) * math.Exp(p.strength*g.logStrength()+p.noise*g.level())
	if factor, known := regularizerWork[kind][g.regularizer.Name]; known {
		work *= factor
	}
	if g.age.Auto == 0 {
		work *= givenWork[kind]
	}
	return work
}

// family is the model whose searches and paths cost as much.
func (m *Models) family() string {
	switch {
	case m.Name == ElasticNet:
		return Lasso
	case m.Kernel == RBF:
		return RBF
	}
	return m.Name
}

// level is the average of the group's.
func (g *group) level() (sum float64) {
	for _, noise := range g.noise {
		sum += noise.Level / float64(len(g.noise))
	}
	return sum
}

// logStrength is the average logarithm of C or α.
func (g *group) logStrength() (sum float64) {
	if len(g.models.Choices) > 0 {
		for _, value := range g.models.Choices[0].Values {
			sum += math.Log(value.Number) / float64(len(g.models.Choices[0].Values))
		}
	}
	return sum
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

// processBytes are those of a slot's process without a cell; collected says how often it can hold
// what a cell needs, before garbage is collected.
const (
	processBytes = 14 << 20
	collected    = 2
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
	}
	if method, err := c.Method.info(); err == nil && method.bytes != nil { // an unknown method does not run
		bytes += method.bytes(c, n, d) * (1 + folds) // at most, as the knots of all stay
	}
	return bytes
}
