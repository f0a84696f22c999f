package selfpaced

import (
	"context"
	"math"
	"slices"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/gaga"
)

// The least squares machines have their own cost and kernel: models of regression have no kernel,
// and their penalties are others.
var (
	costSetting   = gridfile.SettingInfo{Name: "c", Rule: gridfile.Positive, Standard: gridfile.Setting{Number: 1}, Meaning: "weight C of the loss against the penalty, the papers' γ"}
	kernelSetting = gridfile.SettingInfo{
		Name: "kernel", Rule: gridfile.Positive, Words: []string{Linear, scaleWord}, Standard: gridfile.Setting{Word: Linear},
		Meaning: "linear, or the width γ of the RBF kernel exp(-γ ‖x - x'‖²), with `scale` for 1/(d var(X))",
	}
)

const scaleWord = "scale"

var (
	coverages = gridfile.Rule{Allows: func(x float64) bool { return x >= 0.5 && x <= 1 }, Want: "a number from 0.5 to 1"}
	belowHalf = gridfile.Rule{Allows: func(x float64) bool { return x >= 0 && x < 0.5 }, Want: "a number from 0 to below 0.5"}
)

var rlssvmMethod = methodInfo{
	name: RLSSVM, algorithm: 5, ownModel: true,
	settings: []gridfile.SettingInfo{
		costSetting, kernelSetting,
		{Name: "coverage", Rule: coverages, Standard: gridfile.Setting{Number: 0.7}, Meaning: "share of the samples that is not trimmed"},
		{Name: "starts", Rule: gridfile.Whole(1, 10_000), Standard: gridfile.Setting{Number: 20}, Single: true, Meaning: "random subsets that the search starts from"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, train *dataset.Part) error {
		var err error
		if f.Problem, err = leastSquares(c, train); err != nil {
			return err
		}
		return f.robust(baselines.RLSSVM(ctx, f.Problem, c.trimming()))
	},
	// About six fits a start, some of few rows.
	work: func(g *group, n, d float64) float64 {
		starts := 4 + g.settings.Largest("starts")
		return leastSquaresWork(g, n, d, 3*starts*n*(d*d/4+800), 0.08*starts)
	},
	bytes: leastSquaresBytes,
}

var relssvmMethod = methodInfo{
	name: ReLSSVM, algorithm: 5, ownModel: true,
	settings: []gridfile.SettingInfo{
		costSetting, kernelSetting,
		{Name: "theta", Rule: gridfile.Positive, Standard: gridfile.Setting{Number: 1}, Meaning: "residual, of the scaled target, from which on the loss is constant"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, train *dataset.Part) error {
		var err error
		if f.Problem, err = leastSquares(c, train); err != nil {
			return err
		}
		fit, err := baselines.ReLSSVM(ctx, f.Problem, c.Method.Settings.Number("theta"))
		return f.robust(fit, discards(err, "raise theta, or scale the target"))
	},
	work: func(g *group, n, d float64) float64 {
		return leastSquaresWork(g, n, d, 15*n*(d*d/4+500), 1.5)
	},
	bytes: leastSquaresBytes,
}

var robustMethod = methodInfo{
	name: RobustSVM, algorithm: 4, models: []string{SVM},
	settings: []gridfile.SettingInfo{
		{Name: "probability", Rule: belowHalf, Standard: gridfile.Setting{Number: 0.1}, Meaning: "probability μ with which a label is wrong"},
	},
	fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error {
		return f.robust(baselines.RobustSVM(ctx, f.Problem, c.Method.Settings.Number("probability")))
	},
	work: func(g *group, n, d float64) float64 {
		if g.models.Kernel == RBF { // more free multipliers than without flips
			return 2*fitted(fitOf, g, n, d) + 0.1*n*n*n
		}
		return 2 * fitted(fitOf, g, n, d)
	},
}

func leastSquares(c *Cell, train *dataset.Part) (*gaga.Problem, error) {
	settings := &c.Method.Settings
	var kernel gaga.Kernel
	if word := settings.Word("kernel"); word != Linear {
		width := ScaleGamma
		if word != scaleWord {
			width = settings.Number("kernel")
		}
		var err error
		if kernel, err = rbf(width, train, "give the setting kernel a number"); err != nil {
			return nil, err
		}
	}
	return baselines.LSSVM(general(train.N, train.D, train.X), train.Y, train.Multiplicity, settings.Number("c"), kernel), nil
}

// trimming has the settings that [RLSSVM] and [SparseLTS] have in common.
func (c *Cell) trimming() baselines.TrimOptions {
	settings := &c.Method.Settings
	return baselines.TrimOptions{Coverage: settings.Number("coverage"), Starts: settings.Int("starts"), Random: c.Stream(c.Method.Name)}
}

// robust makes a fit without an age the only knot.
func (f *Fitted) robust(fit *baselines.Fit, err error) error {
	return f.robustPath([]*baselines.Fit{fit}, err)
}

// robustPath makes fits at ascending ages the knots.
func (f *Fitted) robustPath(fits []*baselines.Fit, err error) error {
	if err != nil || len(fits) == 0 {
		return err
	}
	for _, fit := range fits {
		knot := gaga.Knot{Age: fit.Age, Kind: gaga.Grid, Index: -1, Theta: fit.Theta, KKT: fit.KKT, Active: active(fit.Theta)}
		for _, v := range fit.Weights {
			switch {
			case v >= 1:
				knot.Easy++
			case v <= baselines.LeastWeight:
				knot.Discarded++
			default:
				knot.Middle++
			}
		}
		f.Knots, f.weights = append(f.Knots, knot), append(f.weights, fit.Weights)
	}
	if fits[0].Age > 0 {
		f.status, f.Knots[0].Kind = gaga.Complete.String(), gaga.Start
	}
	f.Knots[len(f.Knots)-1].Kind = gaga.End
	return nil
}

// leastSquaresWork with a kernel is that of kernel values and factors, cubes n³; otherwise linear.
func leastSquaresWork(g *group, n, d, linear, cubes float64) float64 {
	kernel := func(s gridfile.Setting) bool { return s.Word != Linear }
	if slices.ContainsFunc(g.settings.Values(kernelSetting.Name), kernel) {
		return n*n*d/4 + cubes*n*n*n
	}
	return linear
}

// leastSquaresBytes includes a copy of the data and the normal equations, or the kernel matrices of
// training and prediction (for the usual split) and a factor.
func leastSquaresBytes(c *Cell, n, d int64) int64 {
	if c.Method.Settings.Word("kernel") == Linear {
		if small := min(n, d); n < d {
			return 8 * (2*small*small + n*d)
		}
		return 8 * (n*d + d*d)
	}
	return 8 * int64(math.Ceil(2.5*float64(n*n)))
}
