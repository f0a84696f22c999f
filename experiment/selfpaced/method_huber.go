package selfpaced

import (
	"context"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// defaultDelta is among the thresholds of the paper's Table 7.
const defaultDelta = 0.2

var huberMethod = methodInfo{
	name: HuberLasso, algorithm: 4,
	models: []string{Lasso},
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
