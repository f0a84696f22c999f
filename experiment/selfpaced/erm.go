package selfpaced

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/internal/spelling"
	"github.com/agepath/agepath/rehline"
)

// ermTolerance is the relative duality gap of fits of [ERM].
const ermTolerance = 1e-10

// Term is the loss or the constraint of the model [ERM].
type Term struct {
	Name     string            `json:"name"`
	Settings gridfile.Settings `json:"settings,omitzero"`
}

// text returns the name, or JSON with the parameters.
func (t *Term) text() string {
	if t.Settings.IsZero() {
		return t.Name
	}
	return string(gridfile.JSON(map[string]json.RawMessage{t.Name: json.RawMessage(t.Settings.Text())}))
}

type lossInfo struct {
	name     string
	task     dataset.Task
	settings []gridfile.SettingInfo
	loss     func(y []float64, s *gridfile.Settings) rehline.Loss
}

var (
	levelSetting     = gridfile.SettingInfo{Name: "q", Rule: gridfile.Level, Standard: gridfile.Setting{Number: 0.5}}
	toleranceSetting = gridfile.SettingInfo{Name: "epsilon", Rule: gridfile.AtLeastZero, Standard: gridfile.Setting{Number: 0.1}}
)

func (l *lossInfo) Declaration() (string, []gridfile.SettingInfo) { return l.name, l.settings }

// lossTable has the order of messages and documents.
var lossTable = []*lossInfo{
	{"hinge", dataset.Classification, nil, plainLoss(rehline.Hinge)},
	{"squared-hinge", dataset.Classification, nil, plainLoss(rehline.SquaredHinge)},
	{"smoothed-hinge", dataset.Classification, nil, plainLoss(rehline.SmoothedHinge)},
	{"squared", dataset.Regression, nil, plainLoss(rehline.Squared)},
	{"absolute", dataset.Regression, nil, plainLoss(rehline.Absolute)},
	{"huber", dataset.Regression, []gridfile.SettingInfo{{Name: "delta", Rule: gridfile.Positive, Standard: gridfile.Setting{Number: defaultDelta}}},
		func(y []float64, s *gridfile.Settings) rehline.Loss { return rehline.Huber(y, s.Number("delta")) }},
	{"quantile", dataset.Regression, []gridfile.SettingInfo{levelSetting},
		func(y []float64, s *gridfile.Settings) rehline.Loss { return rehline.Quantile(y, s.Number("q")) }},
	{"epsilon-insensitive", dataset.Regression, []gridfile.SettingInfo{toleranceSetting},
		func(y []float64, s *gridfile.Settings) rehline.Loss {
			return rehline.EpsilonInsensitive(y, s.Number("epsilon"))
		}},
	{"squared-epsilon-insensitive", dataset.Regression, []gridfile.SettingInfo{toleranceSetting},
		func(y []float64, s *gridfile.Settings) rehline.Loss {
			return rehline.SquaredEpsilonInsensitive(y, s.Number("epsilon"))
		}},
	{"epsilon-insensitive-quantile", dataset.Regression, []gridfile.SettingInfo{levelSetting, toleranceSetting},
		func(y []float64, s *gridfile.Settings) rehline.Loss {
			return rehline.EpsilonInsensitiveQuantile(y, s.Number("q"), s.Number("epsilon"))
		}},
}

func plainLoss(f func(y []float64) rehline.Loss) func([]float64, *gridfile.Settings) rehline.Loss {
	return func(y []float64, _ *gridfile.Settings) rehline.Loss { return f(y) }
}

type constraintInfo struct {
	name        string
	settings    []gridfile.SettingInfo
	constraints func(train *dataset.Part, s *gridfile.Settings) rehline.Constraints
}

func (c *constraintInfo) Declaration() (string, []gridfile.SettingInfo) { return c.name, c.settings }

const (
	increasing = "increasing"
	decreasing = "decreasing"
)

// constraintTable has the order of messages and documents.
var constraintTable = []*constraintInfo{
	{"nonnegative", nil, func(train *dataset.Part, _ *gridfile.Settings) rehline.Constraints {
		return rehline.NonNegative(train.D)
	}},
	{"box", []gridfile.SettingInfo{{Name: "lower", Rule: gridfile.AnyNumber, Needed: true}, {Name: "upper", Rule: gridfile.AnyNumber, Needed: true}},
		func(train *dataset.Part, s *gridfile.Settings) rehline.Constraints {
			return rehline.Box(slices.Repeat([]float64{s.Number("lower")}, train.D), slices.Repeat([]float64{s.Number("upper")}, train.D))
		}},
	{"monotone", []gridfile.SettingInfo{{Name: "direction", Words: []string{increasing, decreasing}, Standard: gridfile.Setting{Word: increasing}}},
		func(train *dataset.Part, s *gridfile.Settings) rehline.Constraints {
			return rehline.Monotone(train.D, s.Word("direction") == increasing)
		}},
	{"sum", []gridfile.SettingInfo{{Name: "total", Rule: gridfile.AnyNumber, Standard: gridfile.Setting{Number: 1}}},
		func(train *dataset.Part, s *gridfile.Settings) rehline.Constraints {
			return rehline.Sum(train.D, s.Number("total"))
		}},
	{fairness, []gridfile.SettingInfo{
		{Name: "columns", Rule: gridfile.Rule{Want: "a list of names or indexes of features"}, Columns: true, Needed: true},
		{Name: "tolerance", Rule: gridfile.AtLeastZero, Standard: gridfile.Setting{Number: 0.01}},
	}, fair},
}

const fairness = "fairness"

// terms returns the loss and the constraint of [ERM], or nil, and refuses those that do not fit.
func (m *Model) terms(task dataset.Task) (*lossInfo, *constraintInfo, error) {
	if m.Name != ERM {
		if m.Loss != (Term{}) || m.Constraint != (Term{}) {
			return nil, nil, fmt.Errorf("the model %s has no loss and no constraint to choose", m.Name)
		}
		return nil, nil, nil
	}
	loss := gridfile.Lookup(lossTable, m.Loss.Name)
	if loss == nil {
		return nil, nil, unknown("loss", m.Loss.Name)
	}
	if loss.task != task {
		return nil, nil, fmt.Errorf("%s is a loss for %s, not for %s", loss.name, loss.task, task)
	}
	if err := gridfile.CheckSettings(loss, m.Loss.Settings, ""); err != nil || m.Constraint == (Term{}) {
		return loss, nil, err
	}
	constraint := gridfile.Lookup(constraintTable, m.Constraint.Name)
	if constraint == nil {
		return nil, nil, unknown("constraint", m.Constraint.Name)
	}
	return loss, constraint, gridfile.CheckSettings(constraint, m.Constraint.Settings, "")
}

func (f *Fitted) erm(ctx context.Context, c *Cell, train *dataset.Part) error {
	m := &c.Model
	loss, constraint, err := m.terms(c.Data.Task)
	if err != nil {
		return err
	}
	p := rehline.Problem{
		X: general(train.N, train.D, train.X), Loss: loss.loss(train.Y, &m.Loss.Settings), C: m.C,
		Weights: train.Multiplicity, Ridge: 1 - m.L1Ratio,
	}
	if m.L1Ratio > 0 {
		p.L1 = slices.Repeat([]float64{m.L1Ratio}, train.D)
	}
	if m.Intercept {
		p.Intercept = rehline.FreeIntercept
	}
	if constraint != nil {
		p.Constraints = constraint.constraints(train, &m.Constraint.Settings)
	}
	solution, err := rehline.Solve(ctx, p, rehline.Options{Tol: ermTolerance})
	if err != nil {
		return fmt.Errorf("fitting the %s loss: %w", m.Loss.text(), err)
	}
	if solution.Status != rehline.Solved {
		return &experiment.StatusError{Status: experiment.Diverged, Err: fmt.Errorf("fitting the %s loss: %s at a duality gap of %.2g", m.Loss.text(), solution.Status, solution.Gap)}
	}
	f.linear = true
	f.single(append(slices.Clone(solution.Beta), solution.Intercept), solution.Gap, train.N)
	return nil
}

// linearPredictor has the intercept last.
type linearPredictor struct{ x blas64.General }

func (p linearPredictor) Predict(dst, theta []float64) {
	d := len(theta) - 1
	for i := range dst {
		dst[i] = theta[d]
	}
	blas64.Gemv(blas.NoTrans, 1, p.x, blas64.Vector{N: d, Inc: 1, Data: theta}, 1, blas64.Vector{N: len(dst), Inc: 1, Data: dst})
}

// fair bounds the covariance of the score with each column over the training rows, with
// multiplicities.
func fair(train *dataset.Part, s *gridfile.Settings) rehline.Constraints {
	var attributes [][]float64
	for _, column := range gridfile.ColumnIndexes(s.Word("columns")) {
		attribute := make([]float64, train.N)
		for i := range attribute {
			attribute[i] = train.X[i*train.D+column]
		}
		attributes = append(attributes, attribute)
	}
	return rehline.Fairness(general(train.N, train.D, train.X), train.Multiplicity, attributes, s.Number("tolerance"))
}

// resolve translates a grid's columns, names or indices with commas, for a cell. A name takes
// precedence over an index.
func resolve(word string, features []string) (string, error) {
	var list []int
	for field := range strings.SplitSeq(word, ",") {
		i := slices.Index(features, field)
		if i < 0 {
			number, err := strconv.Atoi(field)
			if err != nil || number < 0 || number >= len(features) {
				return "", fmt.Errorf("there is no feature %q; allowed are names and indexes from 0 to %d%s",
					gridfile.Clip(field), len(features)-1, spelling.After(field, features))
			}
			i = number
		}
		list = append(list, i)
	}
	slices.Sort(list)
	words := make([]string, len(list))
	for k, i := range list {
		if k > 0 && i == list[k-1] {
			return "", fmt.Errorf("the feature %q is given twice", features[i])
		}
		words[k] = strconv.Itoa(i)
	}
	return strings.Join(words, ","), nil
}
