package selfpaced

import (
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
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
	bestTest, bestValidation int         // knots; bestValidation, which the rule chooses, is -1 without a validation part
	valueOfChoice            float64     // what the rule goes by at bestValidation
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

// knotScore is the metric with its standard error and, for regression, the mean absolute error.
type knotScore struct{ score, deviation, mae float64 }

// score evaluates every knot that keeps a sample on the test and the validation part, and
// chooses a knot by the latter, or by the scores of folds where they are given.
func (f *Fitted) score(prepared *dataset.Prepared, metric string, by Choice, folds []knotScore) (*scores, error) {
	s := &scores{of: f, metric: metric, bestValidation: -1, last: len(f.Knots) - 1, kept: f.kept()}
	if !slices.Contains(s.kept, true) {
		first, last := f.Knots[0].Age, f.Knots[len(f.Knots)-1].Age
		return nil, discards(fmt.Errorf("%w at every age from %.4g to %.4g", gaga.ErrDiscarded, first, last), raiseAge)
	}
	var err error
	if s.test, err = f.scorePart(&prepared.Test, f.predictions.Test, s.metric, 0); err != nil {
		return nil, err
	}
	if s.validation = folds; folds == nil && prepared.Validation.N > 0 {
		if s.validation, err = f.scorePart(&prepared.Validation, f.predictions.Validation, s.metric, by.Trimmed); err != nil {
			return nil, err
		}
	}
	if s.validation != nil {
		s.bestValidation, s.valueOfChoice = s.choose(by.rule(), s.validation)
	}
	s.bestTest, _ = s.choose(choice.Best, s.test)
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

// scorePart evaluates every knot on a part, by given predictions where there are any. The
// trimmed share of the largest errors is left out.
func (f *Fitted) scorePart(part *dataset.Part, given [][]float64, metric string, trimmed float64) ([]knotScore, error) {
	var predictor Predictor
	if given == nil {
		var err error
		if predictor, err = f.predictor(part); err != nil {
			return nil, err
		}
	}
	predicted, losses := make([]float64, part.N), make([]float64, part.N)
	list := make([]knotScore, len(f.Knots))
	for k := range f.Knots {
		if given != nil {
			predicted = given[k]
		} else {
			predictor.Predict(predicted, f.Knots[k].Theta)
		}
		list[k] = scoreOf(predicted, part.Y, metric, trimmed, losses)
	}
	return list, nil
}

// scoreOf scores predictions; losses is scratch of their length.
func scoreOf(predicted, y []float64, metric string, trimmed float64, losses []float64) (s knotScore) {
	for i, u := range predicted {
		r := math.Abs(u - y[i])
		s.mae += r
		switch {
		case metric == MAE:
			losses[i] = r
		case metric == RMSE:
			losses[i] = r * r
		case (u >= 0) == (y[i] > 0):
			losses[i] = 1
		default:
			losses[i] = 0
		}
	}
	s.mae /= float64(len(y))
	s.score, s.deviation = trimmedMean(losses, trimmed)
	if metric == RMSE {
		s.score = math.Sqrt(s.score)
		if s.score > 0 {
			s.deviation /= 2 * s.score // of the root, to first order
		}
	}
	return s
}

// trimmedMean returns the mean without the largest losses, of which a share is left out, and its
// standard error: that of the losses with those set to the largest of the others, over the share
// that is left (Wilcox, Introduction to Robust Estimation, 2012). It sorts losses where it leaves
// some out.
func trimmedMean(losses []float64, share float64) (mean, deviation float64) {
	n := len(losses)
	kept := n - int(share*float64(n))
	if kept < n {
		slices.Sort(losses)
	}
	for _, x := range losses[:kept] {
		mean += x
	}
	mean /= float64(kept)
	if n < 2 {
		return mean, 0
	}
	level := (mean*float64(kept) + losses[kept-1]*float64(n-kept)) / float64(n)
	squares := 0.0
	for _, x := range losses[:kept] {
		squares += (x - level) * (x - level)
	}
	squares += (losses[kept-1] - level) * (losses[kept-1] - level) * float64(n-kept)
	return mean, math.Sqrt(squares/float64(n-1)/float64(n)) * float64(n) / float64(kept)
}

// choose returns the knot that a rule takes by scores, and what it goes by there. Without a
// finite score that is the first knot that keeps a sample.
func (s *scores) choose(rule choice.Rule, list []knotScore) (knot int, value float64) {
	n := len(list)
	c := choice.Curve{Scores: make([]float64, n), Errors: make([]float64, n), Begins: make([]bool, n), Higher: s.metric == Accuracy}
	for k := range list {
		c.Scores[k], c.Errors[k], c.Begins[k] = list[k].score, list[k].deviation, s.of.Knots[k].Kind == gaga.Start
		if !s.kept[k] {
			c.Scores[k] = math.NaN()
		}
		if s.of.aged() {
			c.Ages = append(c.Ages, s.of.Knots[k].Age)
		}
	}
	if knot, value = rule.Choose(&c); knot < 0 {
		knot = slices.Index(s.kept, true)
		value = list[knot].score
	}
	return knot, value
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

// validationAt returns the validation score and its standard error, nil without such a part.
func (s *scores) validationAt(k int) (score, deviation any) {
	if s.validation == nil || k < 0 {
		return nil, nil
	}
	return s.validation[k].score, s.validation[k].deviation
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
