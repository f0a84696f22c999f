package selfpaced

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

// figure is a value of a column; NaN is null.
type figure float64

func (f figure) is() bool { return !math.IsNaN(float64(f)) }

func (f figure) String() string {
	if !f.is() {
		return "null"
	}
	return fmt.Sprintf("%.17g", float64(f))
}

func columnOf(columns []experiment.Column, b *experiment.Batch, name string) *experiment.Vector {
	return &b.Columns[slices.IndexFunc(columns, func(c experiment.Column) bool { return c.Name == name })]
}

func figureOf(v *experiment.Vector, row int) figure {
	if v.Floats == nil && !v.IsNull(row) {
		return figure(v.Ints[row])
	}
	return figure(v.Float(row, math.NaN()))
}

// consistent refuses scores that contradict each other or the cell's knots.
func consistent(o *experiment.Outcome) error {
	measure := func(name string) figure { return figureOf(columnOf(measureColumns, &o.Measures, name), 0) }
	metric, err := metricOf(o)
	if err != nil {
		return err
	}
	best := measure("test_at_best_test")
	for _, at := range []string{"best_test", "best_validation", "end"} {
		score, mae := measure("test_at_"+at), measure("test_mae_at_"+at)
		if err := inRange("test_at_"+at, score, metric); err != nil {
			return err
		}
		switch {
		case !best.is():
			return errors.New("test_at_best_test is null")
		case score.is() && better(float64(score), float64(best), metric):
			return fmt.Errorf("test_at_%s is %v, better than test_at_best_test, %v", at, score, best)
		case mae.is() != (score.is() && metric != Accuracy):
			return fmt.Errorf("test_mae_at_%s is %v where test_at_%[1]s is %v in %s", at, mae, score, metric)
		case mae < 0, metric == MAE && mae.is() && mae != score, metric == RMSE && mae.is() && !rootOfSquares(float64(score), float64(mae)):
			return fmt.Errorf("test_mae_at_%s is %v, which is impossible with an %s of %v", at, mae, metric, score)
		}
	}
	validation := measure("best_validation")
	if err := inRange("best_validation", validation, metric); err != nil {
		return err
	}
	if validation.is() != measure("test_at_best_validation").is() {
		return fmt.Errorf("best_validation is %v, and test_at_best_validation %v", validation, measure("test_at_best_validation"))
	}
	if knots, ok := o.Further["knots"]; ok {
		rule := choice.Best
		if words := columnOf(labelColumns, &o.Labels, "choice"); !words.IsNull(0) {
			rule = choice.Of(words.Texts[0])
		}
		return consistentKnots(measure, metric, rule, &knots)
	}
	return nil
}

func metricOf(o *experiment.Outcome) (metric string, err error) {
	metric = columnOf(measureColumns, &o.Measures, "metric").Texts[0]
	task, protocol := columnOf(labelColumns, &o.Labels, "task").Texts[0], columnOf(labelColumns, &o.Labels, "protocol").Texts[0]
	if want := metricFor(dataset.Task(task), dataset.Protocol(protocol)); metric != want {
		return "", fmt.Errorf("metric is %.40q; that of %s with the protocol %s is %s", metric, task, protocol, want)
	}
	return metric, nil
}

func inRange(name string, score figure, metric string) error {
	if score < 0 || metric == Accuracy && score > 1 {
		return fmt.Errorf("%s is %v, which is no %s", name, score, metric)
	}
	return nil
}

// rootOfSquares reports whether the two can be of the same residuals. The slack is for rounding and
// for squares that underflow.
func rootOfSquares(rmse, mae float64) bool { return mae <= rmse*(1+1e-8)+1e-150 }

func consistentKnots(measure func(string) figure, metric string, rule choice.Rule, knots *experiment.Batch) error {
	columns := furtherTables[0].Columns[1:]
	of := func(name string) *experiment.Vector { return columnOf(columns, knots, name) }
	last := knots.Rows - 1
	if n := measure("knots"); n != figure(knots.Rows) || last < 0 {
		return fmt.Errorf("knots is %v, and there are %d", n, knots.Rows)
	}
	ages, kkts := of("age"), of("kkt")
	worst := figure(math.NaN())
	for k := range knots.Rows {
		if kkt := figureOf(kkts, k); !(kkt <= worst) && kkt.is() {
			worst = kkt
		}
	}
	largest, err := orderedAges(ages, of("direction"), knots.Rows)
	if err != nil {
		return err
	}
	test, validation := of("test_score"), of("validation_score")
	for _, part := range []*experiment.Vector{test, validation} {
		for k := range knots.Rows {
			if err := inRange("a score of the knots", figureOf(part, k), metric); err != nil {
				return err
			}
		}
	}
	type want struct {
		name string
		is   figure
	}
	wants := []want{{"age_reached", figureOf(ages, last)}, {"max_kkt", worst}}
	if end := measure("test_at_end"); end.is() {
		wants = append(wants, want{"test_at_end", figureOf(test, largest)})
	}
	k, score := chosenOf(choice.Best, test, columns, knots, metric)
	wants = append(wants, want{"test_at_best_test", score}, want{"age_of_best_test", figureOf(ages, k)})
	if k, score = chosenOf(rule, validation, columns, knots, metric); score.is() {
		wants = append(wants, want{"test_at_best_validation", figureOf(test, k)}, want{"age_of_best_validation", figureOf(ages, k)})
	} else {
		wants = append(wants, want{"age_of_best_validation", figure(math.NaN())})
	}
	wants = append(wants, want{"best_validation", score})
	for _, w := range wants {
		if have := measure(w.name); have != w.is && (have.is() || w.is.is()) {
			return fmt.Errorf("%s is %v; by its knots it is %v", w.name, have, w.is)
		}
	}
	return nil
}

// orderedAges wants the ages to rise and those of a path down, the last ones, to fall. It returns the
// knot at the largest age.
func orderedAges(ages, directions *experiment.Vector, knots int) (largest int, err error) {
	for k := range knots {
		falls := directions.Texts[k] == down
		if !falls {
			largest = k
		}
		if k == 0 || !figureOf(ages, 0).is() || falls && directions.Texts[k-1] != down {
			continue
		}
		if before, age := figureOf(ages, k-1), figureOf(ages, k); falls && !(age <= before) || !falls && !(age >= before) {
			return 0, fmt.Errorf("knot %d has age %v, after %v", k, age, before)
		}
	}
	return largest, nil
}

// chosenOf returns the knot that a rule chooses, and its criterion there.
func chosenOf(rule choice.Rule, scores *experiment.Vector, columns []experiment.Column, knots *experiment.Batch, metric string) (int, figure) {
	directions := columnOf(columns, knots, "direction")
	ages, deviations, events := columnOf(columns, knots, "age"), columnOf(columns, knots, "validation_error"), columnOf(columns, knots, "event")
	c := choice.Curve{Higher: metric == Accuracy}
	for k := range knots.Rows {
		c.Add(float64(figureOf(ages, k)), float64(figureOf(scores, k)), float64(figureOf(deviations, k)), events.Texts[k] == gaga.Start.String(), directions.Texts[k] == down)
	}
	knot, value := rule.Choose(&c)
	return max(knot, 0), figure(value)
}
