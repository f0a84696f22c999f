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
	of                       *Fitted
	metric                   string
	kept                     []bool      // by knot: whether any sample has weight there, else there is no score
	test, validation         []knotScore // by knot; validation is nil without such a part
	bestTest, bestValidation int         // knots; bestValidation is -1 without a validation part
	last                     int         // knot at the last age asked for, -1 where none has a score there
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
	s := &scores{of: f, metric: metric, bestValidation: -1, last: len(f.Knots) - 1, kept: f.kept()}
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
	if !f.reached || !s.kept[s.last] {
		s.last = -1
	}
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
func (s *scores) tables(task *experiment.Task) (measures experiment.Batch, further map[string]experiment.Batch, err error) {
	if measures, err = measureFields.Rows([]*scores{s}); err != nil {
		return experiment.Batch{}, nil, err
	}
	further = map[string]experiment.Batch{}
	for _, table := range []struct {
		name string
		of   experiment.Fields[*scoredKnot]
	}{{"knots", knotFields}, {"coefficients", coefficientFields}} {
		if !task.Keeps(table.name) {
			continue
		}
		if further[table.name], err = table.of.Rows(s.knots()); err != nil {
			return experiment.Batch{}, nil, err
		}
	}
	return measures, further, nil
}

// testAt returns the test score of a knot, nil for the knot -1, which is none.
func (s *scores) testAt(k int) any { return experiment.Known(s.test[max(k, 0)].score, k >= 0) }

// maeAt returns the mean absolute error on the test part.
func (s *scores) maeAt(k int) any {
	return experiment.Known(s.test[max(k, 0)].mae, k >= 0 && s.metric != Accuracy)
}

// validationAt returns the validation score, nil without such a part.
func (s *scores) validationAt(k int) any {
	if s.validation == nil || k < 0 {
		return nil
	}
	return s.validation[k].score
}

// ageAt returns the age, nil for methods without.
func (s *scores) ageAt(k int) any {
	return experiment.Known(s.of.Knots[max(k, 0)].Age, k >= 0 && s.of.aged())
}

// aged reports whether the method has ages.
func (f *Fitted) aged() bool { return f.status != "" }

// count counts the knots of a kind.
func (f *Fitted) count(kind gaga.Kind) (n int) {
	for k := range f.Knots {
		if f.Knots[k].Kind == kind {
			n++
		}
	}
	return n
}

// worst returns the largest violation of the optimality conditions.
func (f *Fitted) worst() (worst float64) {
	for k := range f.Knots {
		worst = math.Max(worst, f.Knots[k].KKT)
	}
	return worst
}

// scoredKnot is a knot of a path with its scores.
type scoredKnot struct {
	*gaga.Knot
	*scores
	number int
	scored int // the knot's number, -1 where every sample is discarded
}

// knots returns the knots with their scores.
func (s *scores) knots() []*scoredKnot {
	list := make([]*scoredKnot, len(s.of.Knots))
	for k := range list {
		list[k] = &scoredKnot{&s.of.Knots[k], s, k, k}
		if !s.kept[k] {
			list[k].scored = -1
		}
	}
	return list
}
