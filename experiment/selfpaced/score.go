package selfpaced

import (
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

// Metrics of the scores.
const (
	RMSE     = "rmse"     // root mean squared error, lower is better
	MAE      = "mae"      // mean absolute error, lower is better: of regression under the protocol scripts
	Accuracy = "accuracy" // fraction of right labels, higher is better
)

// scores are what a path is worth on the test and on the validation part.
type scores struct {
	metric                   string
	kept                     []bool      // by knot: whether any sample has weight there, else there is no score
	test, validation         []knotScore // by knot; validation is nil without such a part
	bestTest, bestValidation int         // knots; bestValidation is -1 without a validation part
}

// metric returns what the cell's scores measure.
func (c *Cell) metric() string { return metricFor(c.Data.Task, c.Settings.Protocol) }

func metricFor(task dataset.Task, protocol dataset.Protocol) string {
	switch {
	case task != dataset.Regression:
		return Accuracy
	case protocol == dataset.Scripts:
		return MAE
	}
	return RMSE
}

// knotScore is the metric and, for regression, the mean absolute error.
type knotScore struct{ score, mae float64 }

// score evaluates every knot that keeps a sample on the test and the validation part.
func (f *Fitted) score(prepared *dataset.Prepared, metric string) (*scores, error) {
	s := &scores{metric: metric, bestValidation: -1, kept: f.kept()}
	if !slices.Contains(s.kept, true) {
		first, last := f.Knots[0].Age, f.Knots[len(f.Knots)-1].Age
		return nil, discards(fmt.Errorf("%w at every age from %.4g to %.4g", gaga.ErrDiscarded, first, last), raiseAge)
	}
	var err error
	if s.test, err = f.scorePart(&prepared.Test, f.predictions.Test, s.metric); err != nil {
		return nil, err
	}
	if prepared.Validation.N > 0 {
		if s.validation, err = f.scorePart(&prepared.Validation, f.predictions.Validation, s.metric); err != nil {
			return nil, err
		}
		s.bestValidation = best(s.validation, s.kept, s.metric)
	}
	s.bestTest = best(s.test, s.kept, s.metric)
	return s, nil
}

// kept says at which knots a sample has weight. What the last fit with weights left behind is
// no solution where none has.
func (f *Fitted) kept() []bool {
	kept := make([]bool, len(f.Knots))
	for k := range f.Knots {
		knot := &f.Knots[k]
		kept[k] = f.outside || knot.Easy+knot.Middle > 0 || knot.Discarded == 0 || !f.discards(knot.Age)
	}
	return kept
}

// discards reports whether a sample beyond an age has no weight at all, as with all
// regularizers but LOG; false for a method without a regularizer.
func (f *Fitted) discards(age float64) bool {
	if f.Problem == nil || f.Problem.Regularizer == nil || f.status == "" {
		return false
	}
	beyond := []float64{1e100}
	gaga.Weights(f.Problem.Regularizer, beyond, age)
	return beyond[0] == 0
}

// scorePart evaluates every knot on a part, by given predictions where there are any.
func (f *Fitted) scorePart(part *dataset.Part, given [][]float64, metric string) ([]knotScore, error) {
	var predictor Predictor
	if given == nil {
		var err error
		if predictor, err = f.predictor(part); err != nil {
			return nil, err
		}
	}
	predicted := make([]float64, part.N)
	list := make([]knotScore, len(f.Knots))
	for k := range f.Knots {
		if given != nil {
			predicted = given[k]
		} else {
			predictor.Predict(predicted, f.Knots[k].Theta)
		}
		switch metric {
		case Accuracy:
			list[k].score = accuracy(predicted, part.Y)
		case MAE:
			list[k] = errorsOf(predicted, part.Y)
			list[k].score = list[k].mae
		default:
			list[k] = errorsOf(predicted, part.Y)
		}
	}
	return list, nil
}

func errorsOf(predicted, y []float64) knotScore {
	var squares, absolute float64
	for i, u := range predicted {
		r := u - y[i]
		squares += r * r
		absolute += math.Abs(r)
	}
	n := float64(len(y))
	return knotScore{math.Sqrt(squares / n), absolute / n}
}

func accuracy(predicted, y []float64) float64 {
	right := 0
	for i, u := range predicted {
		if (u >= 0) == (y[i] > 0) {
			right++
		}
	}
	return float64(right) / float64(len(y))
}

// best returns the first knot with the best score among those that are kept, of which there is
// one.
func best(list []knotScore, kept []bool, metric string) int {
	first := slices.Index(kept, true)
	for k := range list {
		if kept[k] && better(list[k].score, list[first].score, metric) {
			first = k
		}
	}
	return first
}

func better(a, b float64, metric string) bool {
	if metric == Accuracy {
		return a > b
	}
	return a < b
}

// tables makes the rows that a cell leaves behind.
func (f *Fitted) tables(cell *Cell, s *scores) (measures experiment.Batch, further map[string]experiment.Batch, err error) {
	if err := measures.Append(measureColumns, f.measures(s)...); err != nil {
		return experiment.Batch{}, nil, err
	}
	further = map[string]experiment.Batch{}
	for _, table := range furtherTables {
		var batch experiment.Batch
		columns := table.Columns[1:] // without cell
		switch {
		case table.Name == "knots" && cell.Keep.Knots:
			err = f.knotRows(&batch, columns, s)
		case table.Name == "coefficients" && cell.Keep.Coefficients:
			err = f.coefficientRows(&batch, columns)
		default:
			continue
		}
		if err != nil {
			return experiment.Batch{}, nil, err
		}
		further[table.Name] = batch
	}
	return measures, further, nil
}

// measures returns the values of the measures' columns, in their order.
func (f *Fitted) measures(s *scores) []any {
	last := len(f.Knots) - 1
	if !f.reached || !s.kept[last] {
		last = -1
	}
	mae := func(k int) any { return value(s.test[max(k, 0)].mae, s.metric != Accuracy && k >= 0) }
	aged := f.status != ""
	turning, jumps := f.passed, 0
	worst := 0.0
	for k := range f.Knots {
		worst = math.Max(worst, f.Knots[k].KKT)
		switch f.Knots[k].Kind {
		case gaga.Turning:
			turning++
		case gaga.Jump:
			jumps++
		}
	}
	chosen := max(s.bestValidation, 0)
	var validation any
	if s.bestValidation >= 0 {
		validation = s.validation[chosen].score
	}
	return []any{
		s.metric,
		s.test[s.bestTest].score, value(s.test[chosen].score, s.bestValidation >= 0), value(s.test[max(last, 0)].score, last >= 0), validation,
		mae(s.bestTest), mae(s.bestValidation), mae(last),
		value(f.Knots[s.bestTest].Age, aged), value(f.Knots[chosen].Age, aged && s.bestValidation >= 0),
		value(f.Knots[len(f.Knots)-1].Age, aged),
		len(f.Knots), value(turning, f.critical), value(jumps, f.critical), value(f.restarts, f.critical),
		value(worst, !f.outside), value(f.status, aged),
	}
}

func (f *Fitted) knotRows(batch *experiment.Batch, columns []experiment.Column, s *scores) error {
	for k := range f.Knots {
		knot := &f.Knots[k]
		var validation any
		if s.validation != nil && s.kept[k] {
			validation = s.validation[k].score
		}
		aged := f.status != ""
		err := batch.Append(columns, k, value(knot.Age, aged), knot.Kind.String(), value(knot.Detail, knot.Detail != ""),
			value(knot.Index, knot.Index >= 0), value(knot.Objective, aged && !f.outside), value(s.test[k].score, s.kept[k]), validation,
			value(knot.Easy, !f.outside), value(knot.Middle, !f.outside), value(knot.Discarded, !f.outside),
			value(knot.Active, !f.outside || f.linear), value(knot.KKT, !f.outside))
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Fitted) coefficientRows(batch *experiment.Batch, columns []experiment.Column) error {
	for k := range f.Knots {
		if err := batch.Append(columns, k, f.Knots[k].Theta); err != nil {
			return err
		}
	}
	return nil
}

// value returns x, or nil, which stands for null, where it does not apply.
func value[T any](x T, applies bool) any {
	if !applies {
		return nil
	}
	return x
}
