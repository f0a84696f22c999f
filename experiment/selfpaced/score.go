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

const (
	RMSE     = "rmse"     // lower is better
	MAE      = "mae"      // lower is better; of regression under the protocol scripts
	Accuracy = "accuracy" // higher is better
)

type scores struct {
	of                       *Fitted
	metric                   string
	kept                     []bool      // by knot: some sample has weight
	test, validation         []knotScore // by knot; validation may be nil
	bestTest, bestValidation int         // knots; bestValidation may be -1
	valueOfChoice            float64     // criterion at bestValidation
	last                     int         // knot at the largest requested age, or -1
}

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

// knotScore has the metric, its standard error and, for regression, the mean absolute error.
type knotScore struct{ score, deviation, mae float64 }

// score evaluates every knot that keeps a sample, and chooses one by the validation part or by
// folds.
func (f *Fitted) score(prepared *dataset.Prepared, metric string, by Choice, folds []knotScore) (*scores, error) {
	s := &scores{of: f, metric: metric, bestValidation: -1, last: f.end(), kept: f.kept()}
	if !slices.Contains(s.kept, true) {
		first, last := f.Knots[0].Age, f.Knots[f.end()].Age
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

// kept says at which knots a sample has weight; without any the coefficients are no solution.
func (f *Fitted) kept() []bool {
	kept := make([]bool, len(f.Knots))
	for k := range f.Knots {
		knot := &f.Knots[k]
		kept[k] = f.outside || knot.Easy+knot.Middle > 0 || knot.Discarded == 0 || !f.discards(knot.Age)
	}
	return kept
}

// discards reports whether a sample beyond an age has no weight at all, as with all regularizers
// but LOG.
func (f *Fitted) discards(age float64) bool {
	if f.Problem == nil || f.Problem.Regularizer == nil || f.status == "" {
		return false
	}
	beyond := []float64{1e100}
	gaga.Weights(f.Problem.Regularizer, beyond, age)
	return beyond[0] == 0
}

// heldOut has rows that a fit has not seen.
type heldOut struct {
	fit         *Fitted
	part        *dataset.Part
	predictions [][]float64 // by the fit's knot and row; nil if its coefficients predict
	matches     []int       // the fit's knot by the knot that is scored; nil if these are the fit's
}

// scorePart scores the knots by one part.
func (f *Fitted) scorePart(part *dataset.Part, given [][]float64, metric string, trimmed float64) ([]knotScore, error) {
	return f.scoreRows([]heldOut{{f, part, given, nil}}, metric, trimmed)
}

// scoreRows scores each knot by the errors of all rows together. It leaves out the trimmed share of
// the largest, or scores by [mixture].
func (f *Fitted) scoreRows(held []heldOut, metric string, trimmed float64) ([]knotScore, error) {
	predictors := make([]Predictor, len(held))
	var y []float64
	for i, h := range held {
		y = append(y, h.part.Y...)
		if h.predictions != nil {
			continue
		}
		var err error
		if predictors[i], err = h.fit.predictor(h.part); err != nil {
			return nil, err
		}
	}
	predicted, losses := make([]float64, len(y)), make([]float64, len(y))
	list := make([]knotScore, len(f.Knots))
	for k := range list {
		at := predicted
		for i, h := range held {
			match := k
			if h.matches != nil {
				match = h.matches[k]
			}
			switch {
			case h.predictions != nil:
				copy(at, h.predictions[match])
			case k > 0 && h.matches != nil && match == h.matches[k-1]: // predicted already
			default:
				predictors[i].Predict(at[:h.part.N], h.fit.Knots[match].Theta)
			}
			at = at[h.part.N:]
		}
		list[k] = scoreOf(predicted, y, metric, trimmed, losses)
	}
	return list, nil
}

// scoreOf uses losses as scratch.
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
	if trimmed == choice.Auto {
		s.score, s.deviation = mixture(losses, metric == MAE)
		return s
	}
	s.score, s.deviation = trimmedMean(losses, trimmed)
	if metric == RMSE {
		s.score = math.Sqrt(s.score)
		if s.score > 0 {
			s.deviation /= 2 * s.score // of the root, to first order
		}
	}
	return s
}

// trimmedMean returns the mean without a share of the largest losses, and its standard error: that
// of the losses with the trimmed ones set to the largest of the others, divided by the remaining
// share (Wilcox, Introduction to Robust Estimation, 2012). It sorts losses if it leaves some out.
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

// choose returns a knot and its criterion; without a finite score the first knot that keeps a
// sample.
func (s *scores) choose(rule choice.Rule, list []knotScore) (knot int, value float64) {
	c := choice.Curve{Higher: s.metric == Accuracy}
	for k, at := range list {
		age := s.of.Knots[k].Age
		if !s.of.aged() {
			age = math.NaN()
		}
		if !s.kept[k] {
			at.score = math.NaN()
		}
		c.Add(age, at.score, at.deviation, s.of.Knots[k].Kind == gaga.Start, s.of.falls(k))
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

// testAt returns nil for no knot, -1.
func (s *scores) testAt(k int) any { return experiment.Known(s.test[max(k, 0)].score, k >= 0) }

func (s *scores) maeAt(k int) any {
	return experiment.Known(s.test[max(k, 0)].mae, k >= 0 && s.metric != Accuracy)
}

func (s *scores) validationAt(k int) (score, deviation any) {
	if s.validation == nil || k < 0 {
		return nil, nil
	}
	return s.validation[k].score, s.validation[k].deviation
}

// ageAt returns nil for methods without ages.
func (s *scores) ageAt(k int) any {
	return experiment.Known(s.of.Knots[max(k, 0)].Age, k >= 0 && s.of.aged())
}

func (k *scoredKnot) direction() string {
	if k.of.falls(k.number) {
		return down
	}
	return up
}

func (f *Fitted) falls(knot int) bool { return knot >= len(f.Knots)-f.falling }

func (f *Fitted) aged() bool { return f.status != "" }

func (f *Fitted) count(kind gaga.Kind) (n int) {
	for k := range f.Knots {
		if f.Knots[k].Kind == kind {
			n++
		}
	}
	return n
}

func (f *Fitted) worst() (worst float64) {
	for k := range f.Knots {
		worst = math.Max(worst, f.Knots[k].KKT)
	}
	return worst
}

type scoredKnot struct {
	*gaga.Knot
	*scores
	number int
	scored int // number, or -1
}

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
