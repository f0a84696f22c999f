package selfpaced

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/gaga"
)

// Kind computes the cells of the self-paced kind.
type Kind struct{}

var _ experiment.Kind = Kind{}

func (Kind) Name() string { return Name }

func (Kind) Tables() experiment.Tables { return Tables() }

func (Kind) Check(task *experiment.Task) error {
	cell, err := DecodeCell(task.Spec)
	if err != nil {
		return err
	}
	return task.Matches(cell)
}

// Compute prepares the cell's data, runs its method and scores the path. A path that stops early is
// scored as far as it goes, with an error of the status incomplete.
func (Kind) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	c, err := compute(ctx, task, data)
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	measures, further, err := c.scores.tables(task)
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	return measures, further, advise(c.scores.of.incomplete(), &c.prepared.Train, c.set.Features)
}

type computed struct {
	cell     *Cell
	set      *dataset.Dataset
	prepared *dataset.Prepared
	scores   *scores
}

func compute(ctx context.Context, task *experiment.Task, data experiment.Data) (*computed, error) {
	cell, err := DecodeCell(task.Spec)
	if err != nil {
		return nil, err
	}
	set, err := data.Dataset(ctx, cell.Data.Digest)
	if err != nil {
		return nil, fmt.Errorf("data set of the cell: %w", err)
	}
	prepared, err := cell.Prepare(ctx, set)
	if err != nil {
		return nil, &experiment.DataError{Err: err}
	}
	if err := cell.fits(prepared, task.Limits.Memory); err != nil {
		return nil, err
	}
	var commands *outside.Host
	if data, ok := data.(experiment.CommandData); ok {
		commands = data.Commands()
	}
	result, err := cell.fitOver(ctx, prepared, commands, nil)
	if err != nil {
		return nil, advise(err, &prepared.Train, set.Features)
	}
	held, err := cell.choosing(ctx, result, commands)
	if err != nil {
		return nil, advise(err, &prepared.Train, set.Features)
	}
	scores, err := result.score(cell, held)
	if err != nil {
		return nil, err
	}
	return &computed{cell, set, prepared, scores}, nil
}

// advise names features of very different scales, a likely cause.
func advise(err error, train *dataset.Part, names []string) error {
	var fixed *experiment.StatusError
	of := errors.As(err, &fixed)
	if err == nil || errors.Is(err, context.Canceled) || of && fixed.Status == experiment.Skipped {
		return err
	}
	advice := train.Uneven(names)
	if advice == "" {
		return err
	}
	err = fmt.Errorf("%w; %s", err, advice)
	if of {
		return &experiment.StatusError{Status: fixed.Status, Err: err}
	}
	return err
}

func (c *Cell) Prepare(ctx context.Context, set *dataset.Dataset) (*dataset.Prepared, error) {
	settings := c.Settings
	settings.Boundary = boundary
	return dataset.Prepare(ctx, set, settings, c.Stream)
}

// boundary returns the decision values of a linear support vector machine with C = 1, distances for
// the noise kind flip-boundary.
func boundary(ctx context.Context, x []float64, n, d int, y []float64) ([]float64, error) {
	problem := gaga.SVM(general(n, d, x), y, nil, 1, nil)
	return decisions(ctx, problem, problem.X)
}

// decisions fits a machine and returns its decision values of rows.
func decisions(ctx context.Context, machine *gaga.Problem, x blas64.General) ([]float64, error) {
	theta, _, err := baselines.Original(ctx, machine)
	if err != nil {
		return nil, err
	}
	predictor, err := gaga.NewPredictor(machine, x)
	if err != nil {
		return nil, err
	}
	values := make([]float64, x.Rows)
	predictor.Predict(values, theta)
	return values, nil
}

// Fitted is the result of a cell's method: a path of knots, or one knot without an age.
type Fitted struct {
	Problem *gaga.Problem // nil for ERM and the constant
	Knots   []gaga.Knot   // ascending in age, then those of a path down, descending

	// Predict predicts from a knot's coefficients for the rows of x; nil means [gaga.NewPredictor].
	Predict func(x blas64.General) (Predictor, error)

	parts       *dataset.Prepared
	commands    *outside.Host       // nil if not allowed
	outside     bool                // a command or the constant, whose knots lack weights and optimality
	linear      bool                // knots have coefficients
	predictions outside.Predictions // instead of coefficients
	weights     [][]float64         // of the training rows by knot, from methods with weights of their own

	status   string    // how the path ended
	falling  int       // knots of a path down, the last ones
	span     []float64 // derived ages
	start    []float64 // weights of the fit before the first of them, nil for all 1
	stopped  string    // why and where it stops early
	reached  bool      // to the last requested age, or none was requested
	critical bool      // critical points were located
	restarts int
}

func (f *Fitted) incomplete() error {
	if f.stopped == "" {
		return nil
	}
	return &experiment.StatusError{Status: experiment.Incomplete, Err: errors.New(f.stopped)}
}

// Predictor writes the linear predictor, or the decision value, of each row into dst.
type Predictor interface{ Predict(dst, theta []float64) }

func (f *Fitted) predictor(part *dataset.Part) (Predictor, error) {
	x := general(part.N, part.D, part.X)
	if f.linear {
		return linearPredictor{x}, nil
	}
	if f.Predict != nil {
		return f.Predict(x)
	}
	return gaga.NewPredictor(f.Problem, x)
}

// fitOver runs the method, a command by commands, over a span; nil means the ages that the cell
// derives or is given.
func (c *Cell) fitOver(ctx context.Context, prepared *dataset.Prepared, commands *outside.Host, span []float64) (*Fitted, error) {
	fitted := &Fitted{parts: prepared, commands: commands, span: span}
	if c.Model.Name != ERM && c.Model != (Model{}) && c.Method.Command == "" {
		var err error
		if fitted.Problem, err = c.Problem(&prepared.Train); err != nil {
			return nil, err
		}
	}
	method, err := c.Method.info()
	if err != nil {
		return nil, err
	}
	if c.Method.Age.Auto != 0 {
		if c, err = fitted.derive(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := method.fit(ctx, fitted, c, &prepared.Train); err != nil {
		return nil, err
	}
	fitted.addOut()
	if len(fitted.Knots) == 0 {
		return nil, &experiment.StatusError{Status: experiment.Diverged, Err: fmt.Errorf("%s found no point of the path: %s", c.Method.Name, fitted.status)}
	}
	fitted.reached = !method.aged || fitted.Knots[fitted.end()].Age >= c.Method.Age.Max
	return fitted, nil
}

func (c *Cell) Problem(train *dataset.Part) (*gaga.Problem, error) {
	x := general(train.N, train.D, train.X)
	var p *gaga.Problem
	switch m := c.Model; m.Name {
	case Lasso:
		p = gaga.Lasso(x, train.Y, train.Multiplicity, m.Alpha)
	case ElasticNet:
		p = gaga.ElasticNet(x, train.Y, train.Multiplicity, m.Alpha, m.L1Ratio)
	case Ridge:
		p = gaga.Ridge(x, train.Y, train.Multiplicity, m.Alpha)
	case Logistic:
		p = gaga.LogisticRegression(x, train.Y, train.Multiplicity, m.C)
	case SVM:
		var kernel gaga.Kernel // nil for the linear one
		if m.Kernel == RBF {
			var err error
			if kernel, err = rbf(m.KernelGamma, train, "give kernel_gamma a number"); err != nil {
				return nil, err
			}
		}
		p = gaga.SVM(x, train.Y, train.Multiplicity, m.C, kernel)
	default:
		return nil, fmt.Errorf("there is no model %q", m.Name)
	}
	p.Intercept = c.Model.Intercept
	if r := c.Method.Regularizer; r.Name != "" {
		info := gridfile.Lookup(regularizerTable, r.Name)
		if info == nil {
			return nil, unknown("regularizer", r.Name)
		}
		p.Regularizer = info.make(r.Param)
	}
	return p, nil
}

// rbf interprets [ScaleGamma] as 1/(d var(X)) over the training part, and 1 if no feature varies,
// as scikit-learn does. Otherwise is a remedy.
func rbf(gamma float64, train *dataset.Part, otherwise string) (gaga.Kernel, error) {
	if gamma == ScaleGamma {
		gamma = 1
		v := variance(train)
		if v != 0 && dataset.Spread(slices.Min(train.X), slices.Max(train.X)) != 0 {
			gamma = 1 / (float64(train.D) * v)
		}
		if !(gamma > 0 && !math.IsInf(gamma, 0)) {
			return nil, fmt.Errorf("the kernel width γ = scale is 1/(d var(X)), which is %g for the variance %g of the features; scale the features, or %s", gamma, v, otherwise)
		}
	}
	return gaga.RBF{Gamma: gamma}, nil
}

// variance is over all entries, with multiplicities.
func variance(part *dataset.Part) float64 {
	var weight, mean, m2 float64
	for i := range part.N {
		w := part.Count(i)
		for _, x := range part.X[i*part.D : (i+1)*part.D] {
			weight += w
			delta := x - mean
			mean += w * delta / weight
			m2 += w * delta * (x - mean)
		}
	}
	return m2 / weight
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}
