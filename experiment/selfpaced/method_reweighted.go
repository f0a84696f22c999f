package selfpaced

import (
	"context"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

const (
	defaultDelta  = 0.2 // among the thresholds of the paper's Table 7
	rawWord       = "raw"
	estimatedWord = "estimated"
	flipAnchor    = 0.97 // the source's for many classes: a single sample can be an outlier
)

// squaredModels are linear with the squared loss.
var squaredModels = []string{Lasso, ElasticNet, Ridge}

var (
	coverageSetting = gridfile.SettingInfo{Name: "coverage", Rule: coverages, Standard: gridfile.Setting{Number: 0.75}, Meaning: "share of the samples that is not trimmed"}
	startsSetting   = gridfile.SettingInfo{Name: "starts", Rule: gridfile.Whole(1, 100_000), Standard: gridfile.Setting{Number: 500}, Single: true, Meaning: "random subsets of three rows that the search starts from"}
)

var huberMethod = methodInfo{
	name: HuberLasso, algorithm: 5,
	models: squaredModels,
	settings: []gridfile.SettingInfo{
		{Name: "delta", Rule: gridfile.Positive, Standard: gridfile.Setting{Number: defaultDelta}, Meaning: "residual, of the scaled target, beyond which the loss is linear"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, train *dataset.Part) error {
		fit, err := baselines.HuberLasso(ctx, f.Problem, c.Method.Settings.Number("delta"))
		if err != nil {
			return err
		}
		f.single(fit.Theta, fit.KKT, train.N)
		return nil
	},
	// A few Newton steps, each a weighted Lasso.
	work: func(g *group, n, d float64) float64 { return 2 * fitted(fitOf, g, n, d) },
}

var sparseLTSMethod = methodInfo{
	name: SparseLTS, algorithm: 4, models: squaredModels,
	settings: []gridfile.SettingInfo{
		coverageSetting, startsSetting,
		{Name: "estimate", Words: []string{"reweighted", rawWord}, Standard: gridfile.Setting{Word: "reweighted"}, Meaning: "the fit to all samples that are no outliers of the trimmed fit, or this"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		options := c.trimming()
		options.Raw = c.Method.Settings.Word("estimate") == rawWord
		return f.robust(baselines.SparseLTS(ctx, f.Problem, options))
	},
	work: searchWork,
}

var trimmedMethod = methodInfo{
	name: TrimmedLoss, algorithm: 1,
	settings: []gridfile.SettingInfo{coverageSetting},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		return f.robust(baselines.TrimmedLoss(ctx, f.Problem, baselines.TrimOptions{Coverage: c.Method.Settings.Number("coverage")}))
	},
	work: func(g *group, n, d float64) float64 { return 15 * alternationWork(g, n, d) },
}

var mmMethod = methodInfo{
	name: MM, algorithm: 1, models: squaredModels,
	settings: []gridfile.SettingInfo{startsSetting},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		options := baselines.TrimOptions{Starts: c.Method.Settings.Int("starts"), Random: c.Stream(MM)}
		return f.robust(baselines.MM(ctx, f.Problem, options))
	},
	work: searchWork,
}

// searchWork is that of short fits from each start, and of the steps of those continued.
func searchWork(g *group, n, d float64) float64 {
	return (1.5*g.settings.Largest("starts") + 50) * alternationWork(g, n, d)
}

var crossEntropyMethod = methodInfo{
	name: CrossEntropy, algorithm: 1, models: []string{Logistic},
	settings: []gridfile.SettingInfo{
		{Name: "q", Rule: gridfile.Ratio, Standard: gridfile.Setting{Number: 0.7}, Meaning: "from the logarithmic loss, near 0, to the absolute error, 1"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		return f.robust(baselines.CrossEntropy(ctx, f.Problem, c.Method.Settings.Number("q")))
	},
	work: func(g *group, n, d float64) float64 { return 50 * alternationWork(g, n, d) },
}

var forwardMethod = methodInfo{
	name: Forward, algorithm: 1, models: []string{Logistic},
	settings: []gridfile.SettingInfo{
		{Name: "probability", Rule: belowHalf, Words: []string{estimatedWord}, Standard: gridfile.Setting{Word: estimatedWord}, Meaning: "probability with which a label of either class is wrong; `estimated` for one of each class, by the plain fit"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		settings := &c.Method.Settings
		rate, anchor := settings.Number("probability"), 0.0
		if settings.Word("probability") == estimatedWord {
			anchor = flipAnchor
		}
		return f.robust(baselines.Forward(ctx, f.Problem, baselines.FlipRates{Negative: rate, Positive: rate}, anchor))
	},
	work: func(g *group, n, d float64) float64 { return 200 * alternationWork(g, n, d) },
	// Every row has both labels.
	bytes: func(_ *Cell, n, d int64) int64 { return 32 * n * d },
}

var graduatedMethod = methodInfo{
	name: Graduated, algorithm: 1, aged: true, stepped: true,
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		return f.robustPath(baselines.Graduated(ctx, f.Problem, f.steps(c.Method.Age)))
	},
	work: func(g *group, n, d float64) float64 { return 10 * agesWork(onceOf, g, n, d) },
}

var diverseMethod = methodInfo{
	name: Diverse, algorithm: 1,
	settings: []gridfile.SettingInfo{
		startSetting, growthSetting,
		{Name: "groups", Rule: gridfile.Whole(1, 1000), Standard: gridfile.Setting{Number: 10}, Meaning: "clusters of the features, by k-means"},
		{Name: "diversity", Rule: gridfile.Positive, Standard: gridfile.Setting{Number: 1}, Meaning: "γ/λ, the weight of the groups' norms against that of the samples"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		settings := &c.Method.Settings
		shares := baselines.Shares(settings.Number("start"), settings.Number("growth"))
		groups := baselines.Clusters(f.Problem.X, settings.Int("groups"), c.Stream(Diverse))
		return f.robustPath(baselines.Diverse(ctx, f.Problem, shares, groups, settings.Number("diversity")))
	},
	work: func(g *group, n, d float64) float64 {
		return sharesWork(g)*fitted(onceOf, g, n, d) + 50*n*d*g.settings.Largest("groups")
	},
}
