package selfpaced

import (
	"context"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

const rawWord = "raw"

var sparseLTSMethod = methodInfo{
	name: SparseLTS, algorithm: 3,
	models: []string{Lasso},
	settings: []gridfile.SettingInfo{
		{Name: "coverage", Rule: coverages, Standard: gridfile.Setting{Number: 0.75}, Meaning: "share of the samples that is not trimmed"},
		{Name: "starts", Rule: gridfile.Whole(1, 100_000), Standard: gridfile.Setting{Number: 500}, Single: true, Meaning: "random subsets of three rows that the search starts from"},
		{Name: "estimate", Words: []string{"reweighted", rawWord}, Standard: gridfile.Setting{Word: "reweighted"}, Meaning: "the fit to all samples that are no outliers of the trimmed fit, or this"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		options := c.trimming()
		options.Raw = c.Method.Settings.Word("estimate") == rawWord
		return f.robust(baselines.SparseLTS(ctx, f.Problem, options))
	},
	// Short fits from each start, and the steps of those continued.
	work: func(g *group, n, d float64) float64 {
		return (1.5*g.settings.Largest("starts") + 50) * alternationWork(g, n, d)
	},
}
