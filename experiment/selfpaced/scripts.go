package selfpaced

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/results/layout"
)

// [dataset.Scripts] follows main.py and GAGA.py of github.com/diyang-lee/GAGA.
const (
	scriptsAges  = 600 // up to the initial partial optimum
	scriptsRatio = 11  // of the last of these ages, the path's first, to the first
	scriptsStep  = 0.1 // between the ages of GAGA_Lasso_linear
)

// scriptedSearch alternates once at each age, from random weights, in main.py the only ones of the
// training part's length.
func (f *Fitted) scriptedSearch(ctx context.Context, c *Cell) error {
	age := c.Method.Age
	return f.alternate(baselines.ACS(ctx, f.Problem, baselines.Ages(age.Min, age.Max, age.Step),
		baselines.ACSOptions{Tolerance: math.Inf(1), Weights: randomWeights(c, f.Problem.X.Rows)}))
}

// scriptedPath alternates to convergence at each age, from the losses of [Fitted.scriptedStart],
// and skips ages at which these leave one class only.
func (f *Fitted) scriptedPath(ctx context.Context, c *Cell) error {
	losses, err := f.scriptedStart(ctx, c)
	if err != nil {
		return err
	}
	ages := baselines.Ages(c.Method.Age.Min, c.Method.Age.Max, scriptsStep)
	for k, age := range ages {
		weights := slices.Clone(losses)
		gaga.Weights(f.Problem.Regularizer, weights, age)
		err = f.alternate(baselines.ACS(ctx, f.Problem, ages[k:], baselines.ACSOptions{Weights: weights}))
		if !errors.Is(err, gaga.ErrOneClass) {
			if k > 0 {
				f.status += fmt.Sprintf("; the start leaves one class only before age %.4g", age)
			}
			return err
		}
	}
	return &experiment.StatusError{Status: experiment.Diverged, Err: err}
}

func randomWeights(c *Cell, n int) []float64 {
	random, weights := c.Stream("start"), make([]float64, n)
	for i := range weights {
		weights[i] = random.Float64()
	}
	return weights
}

// scriptedStart returns the losses of the noisy training rows at the partial optimum of the clean
// ones at the path's first age, found from random weights by one alternation at each of many ages.
func (f *Fitted) scriptedStart(ctx context.Context, c *Cell) ([]float64, error) {
	clean, err := c.Problem(&f.parts.Clean)
	if err != nil {
		return nil, err
	}
	age := c.Method.Age.Min
	first := age / scriptsRatio
	path, err := baselines.ACS(ctx, clean, baselines.Ages(first, age, (age-first)/(scriptsAges-1)),
		baselines.ACSOptions{Tolerance: math.Inf(1), Weights: randomWeights(c, clean.X.Rows)})
	if err != nil {
		return nil, discards(fmt.Errorf("start at the clean training part: %w", err), raiseAge)
	}
	if len(path.Knots) == 0 {
		return nil, &experiment.StatusError{Status: experiment.Diverged, Err: fmt.Errorf("the clean training part has one class only up to age %g", age)}
	}
	predictor, err := gaga.NewPredictor(clean, f.Problem.X)
	if err != nil {
		return nil, err
	}
	losses := make([]float64, f.Problem.X.Rows)
	predictor.Predict(losses, path.Knots[len(path.Knots)-1].Theta)
	for i, u := range losses {
		losses[i], _, _ = f.Problem.Loss.Eval(u, f.Problem.Y[i])
	}
	return losses, nil
}

func scriptedWork(g *group, n, d float64) float64 {
	return (scriptsAges/2 + g.steps(scriptsStep)) / autoAges / 2 * fitted(searchOf, g, n, d)
}

// BesidePublished describes in sentences how the cells differ from the published ones, and lists
// the dimensions in which published rows may differ.
func (s *Section) BesidePublished() (words []string, otherwise []layout.Dimension) {
	if slices.ContainsFunc(s.Sweeps, func(s Sweep) bool { return s.Settings.Protocol == dataset.HeldOut }) {
		words = append(words, "This run does not follow the paper's protocol (protocol: paper in the grid), so that differences are to be expected.")
	}
	if some, _ := s.scripted(); some { // the scripts' machines have their own kernel, whatever the paper states
		otherwise = []layout.Dimension{DimKernel, DimKernelGamma}
		words = append(words, "This run follows the published scripts (protocol: scripts in the grid): published rows are shown next to it whatever they state of "+
			"kernel and kernel_gamma, and errors of regression are mean absolute ones.")
	}
	return words, otherwise
}
