package selfpaced

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/gaga"
)

var mosplMethod = methodInfo{
	name: MOSPL, algorithm: 7, regularized: true,
	regularizers: []string{Hard, Linear, Polynomial, Mixture},
	knowsOnly:    "its search needs a regularizer whose age multiplies a function of the weights alone",
	settings: []gridfile.SettingInfo{
		{Name: "population", Rule: gridfile.Whole(4, 100_000), Standard: gridfile.Setting{Number: baselines.MOSPLPopulation}, Meaning: "individuals, each a weight for every training row"},
		{Name: "generations", Rule: gridfile.Whole(1, 10_000_000), Standard: gridfile.Setting{Number: baselines.MOSPLGenerations}, Meaning: "generations of the search"},
		{Name: "refit", Rule: gridfile.Whole(1, 10_000_000), Standard: gridfile.Setting{Number: baselines.MOSPLRefit}, Meaning: "generations between fits of the models; there is a fit before the first and after the last one in any case"},
		{Name: "order", Rule: polynomialOrder, Standard: gridfile.Setting{Number: baselines.MOSPLOrder}, With: []string{Mixture}, Meaning: "order of the polynomial that stands for the mixture"},
	},
	fit: fitMOSPL,
	// Fits of all models, and variation and evaluation of the population; powers in the age-free
	// part.
	work: func(g *group, n, d float64) float64 {
		population, generations := g.settings.Largest("population"), g.settings.Largest("generations")
		each := 16.0
		if name := g.regularizer.Name; name == Polynomial || name == Mixture {
			each = 48
		}
		return population * ((2+generations/g.settings.Largest("refit"))*alternationWork(g, n, d) + generations*n*each)
	},
	// Weights of parents and children, losses of the models and of the next ones, and the front.
	bytes: func(c *Cell, n, d int64) int64 {
		population := int64(c.Method.Settings.Int("population"))
		unknowns := d
		if c.Model.Kernel == RBF {
			unknowns = n
		}
		return 8 * population * (5*n + unknowns)
	},
}

func fitMOSPL(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
	settings := &c.Method.Settings
	options := baselines.MOSPLOptions{
		Population: settings.Int("population"), Generations: settings.Int("generations"), Refit: settings.Int("refit"),
		Seed: c.Stream("mospl").Uint64(),
	}
	if c.Method.Regularizer.Name == Mixture {
		options.Order = settings.Number("order")
	}
	front, err := baselines.MOSPL(ctx, f.Problem, options)
	if err != nil {
		return discards(err, raiseAge)
	}
	f.Knots = front.Knots()
	f.status = gaga.Complete.String()
	if left := front.Dominated + front.OneClass + front.Discarded; left > 0 {
		f.status += fmt.Sprintf("; of %d individuals %d are dominated, %d have one class and %d no sample", options.Population, front.Dominated, front.OneClass, front.Discarded)
	}
	return nil
}
