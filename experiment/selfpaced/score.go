package selfpaced

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/gaga"
)

type scores struct {
	of                       *Fitted
	metric                   metric.Metric
	kept                     []bool      // by knot: some sample has weight
	test, validation         []knotScore // by knot; validation may be nil
	bestTest, bestValidation int         // knots; bestValidation may be -1
	valueOfChoice            float64     // criterion at bestValidation
	last                     int         // knot at the largest requested age, or -1

	chosen   []float64                   // each of metric.All at the chosen knot on the test part, in its own unit; NaN is null
	unit     float64                     // of the scaled target, in the target's own; NaN for classes
	outliers [2]float64                  // estimated shares in the validation and the test part, or NaN
	without  [len(metric.Shares)]float64 // [metric.Without] of the test part, NaN for classes
}

// metric is what the choice and the best scores are by.
func (c *Cell) metric() metric.Name {
	return cmp.Or(c.Metric, metric.First(c.Data.Task, c.Settings.Protocol))
}

// knotScore has the metric, its standard error and, for regression, the mean absolute error.
type knotScore struct{ score, deviation, mae float64 }

// score evaluates every knot that keeps a sample, and chooses one by held-out rows, if there are any.
func (f *Fitted) score(c *Cell, held []*heldOut) (*scores, error) {
	s := &scores{of: f, metric: c.metric().Of(), bestValidation: -1, last: f.end(), kept: f.kept()}
	if !slices.Contains(s.kept, true) {
		first, last := f.Knots[0].Age, f.Knots[f.end()].Age
		return nil, discards(fmt.Errorf("%w at every age from %.4g to %.4g", gaga.ErrDiscarded, first, last), raiseAge)
	}
	test := &heldOut{fit: f, part: &f.parts.Test, predictions: f.predictions.Test}
	tested, err := f.scoreRows(c, []*heldOut{test}, 0)
	if err != nil {
		return nil, err
	}
	s.test = tested[0]
	if held != nil {
		if s.validation, err = s.scoreHeldOut(c, held); err != nil {
			return nil, err
		}
		s.bestValidation, s.valueOfChoice = s.choose(c.Choice.rule(), s.validation)
	}
	s.bestTest, _ = s.choose(choice.Best, s.test)
	if !f.reached || !s.kept[s.last] {
		s.last = -1
	}
	return s, s.scoreChosen(c, [2]*heldOut{{fit: f, part: &f.parts.Validation, predictions: f.predictions.Validation}, test})
}

// scoreChosen scores the knot that the validation part chooses, else the test part, by every metric.
func (s *scores) scoreChosen(c *Cell, parts [2]*heldOut) (err error) {
	knot := s.bestValidation
	if knot < 0 {
		knot = s.bestTest
	}
	var rows *metric.Rows // of the test part, the last
	for i, h := range parts {
		if s.outliers[i] = math.NaN(); h.part.N == 0 {
			continue
		}
		if rows, err = s.of.rowsOf(c, h); err == nil {
			err = h.predict(rows.Predicted, knot)
		}
		if err != nil {
			return err
		}
		if c.Data.Task == dataset.Regression {
			s.outliers[i] = metric.Contaminated(rows.Predicted, rows.Y)
		}
	}
	rows.Outliers = metric.AtMost(s.outliers[0], parts[0].part.N, parts[1].part.N)
	s.without = metric.Without(nil, nil)
	if s.unit = math.NaN(); c.Data.Task == dataset.Regression {
		s.unit = s.of.parts.Target.Scale[0]
		s.outliers[1], s.without = metric.Far(rows.Predicted, rows.Y), metric.Without(rows.Predicted, rows.Y)
	}
	s.chosen = make([]float64, len(metric.All))
	for i, m := range metric.All {
		if s.chosen[i] = math.NaN(); m.Task == c.Data.Task {
			s.chosen[i], _ = m.Score(rows)
		}
		if m.InTarget {
			s.chosen[i] *= s.unit
		}
	}
	return nil
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

	predictor Predictor // made once
}

// predict predicts the rows by the fit's knot for a knot that is scored.
func (h *heldOut) predict(to []float64, knot int) (err error) {
	if h.matches != nil {
		knot = h.matches[knot]
	}
	if h.predictions != nil {
		copy(to, h.predictions[knot])
		return nil
	}
	if h.predictor == nil {
		if h.predictor, err = h.fit.predictor(h.part); err != nil {
			return err
		}
	}
	h.predictor.Predict(to[:h.part.N], h.fit.Knots[knot].Theta)
	return nil
}

func predict(held []*heldOut, to []float64, knot int) error {
	for _, h := range held {
		if err := h.predict(to, knot); err != nil {
			return err
		}
		to = to[h.part.N:]
	}
	return nil
}

// rowsOf returns the rows of parts together, not predicted yet.
func (f *Fitted) rowsOf(c *Cell, held ...*heldOut) (*metric.Rows, error) {
	r := &metric.Rows{Rarer: metric.Rarer(f.parts.Test.Y), Probable: c.Model.Name == Logistic || c.Method.Name == Constant}
	for _, h := range held {
		r.Y = append(r.Y, h.part.Y...)
	}
	if m := c.metric().Of(); m.Varying && !slices.ContainsFunc(r.Y, func(y float64) bool { return y != r.Y[0] }) {
		return nil, fmt.Errorf("the %s of %d held-out rows is undefined: their targets are all %g; use another metric or larger parts", m.Word, len(r.Y), r.Y[0])
	}
	r.Predicted = make([]float64, len(r.Y))
	return r, nil
}

// scoreRows scores each knot by the errors of all rows together, for each trimmed share of the
// largest that it leaves out, or by a robust scale.
func (f *Fitted) scoreRows(c *Cell, held []*heldOut, trimmed ...float64) ([][]knotScore, error) {
	rows, err := f.rowsOf(c, held...)
	if err != nil {
		return nil, err
	}
	score, mae := c.metric().Of().Score, metric.MAE.Of().Score
	lists := make([][]knotScore, len(trimmed))
	for k := range f.Knots {
		if err := predict(held, rows.Predicted, k); err != nil {
			return nil, err
		}
		var at knotScore
		if rows.Trimmed = 0; c.Data.Task == dataset.Regression {
			at.mae, _ = mae(rows)
		}
		for i, share := range trimmed {
			rows.Trimmed = share
			at.score, at.deviation = score(rows)
			lists[i] = append(lists[i], at)
		}
	}
	return lists, nil
}

// choose returns a knot and its criterion; without a finite score the first knot that keeps a
// sample.
func (s *scores) choose(rule choice.Rule, list []knotScore) (knot int, value float64) {
	c := choice.Curve{Higher: s.metric.Higher}
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
	return experiment.Known(s.test[max(k, 0)].mae, k >= 0 && s.metric.Task == dataset.Regression)
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
