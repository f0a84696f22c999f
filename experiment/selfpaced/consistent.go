package selfpaced

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/gaga"
)

func columnOf(columns []experiment.Column, b *experiment.Batch, name string) *experiment.Vector {
	return &b.Columns[slices.IndexFunc(columns, func(c experiment.Column) bool { return c.Name == name })]
}

// consistent refuses scores and ages that are not those of the cell's knots, where these are kept.
func consistent(o *experiment.Outcome) error {
	knots, ok := o.Further["knots"]
	if !ok {
		return nil
	}
	null := math.NaN()
	m, rule := metric.Name(columnOf(measureColumns, &o.Measures, "metric").Texts[0]).Of(), choice.Best
	if words := columnOf(labelColumns, &o.Labels, "choice"); !words.IsNull(0) {
		rule = choice.Of(words.Texts[0])
	}
	columns := furtherTables[0].Columns[1:]
	of := func(name string) *experiment.Vector { return columnOf(columns, &knots, name) }
	if n := columnOf(measureColumns, &o.Measures, "knots").Ints[0]; n != int64(knots.Rows) || n == 0 {
		return fmt.Errorf("knots is %d, and there are %d", n, knots.Rows)
	}
	ages, kkts := of("age"), of("kkt")
	worst := null
	for k := range knots.Rows {
		if kkt := kkts.Float(k, null); !(kkt <= worst) && !math.IsNaN(kkt) {
			worst = kkt
		}
	}
	largest, err := orderedAges(ages, of("direction"), knots.Rows)
	if err != nil {
		return err
	}
	test, validation := of("test_score"), of("validation_score")
	best, bestScore := chosenOf(choice.Best, test, columns, &knots, m)
	wants := map[string]float64{
		"age_reached": ages.Float(knots.Rows-1, null), "max_kkt": worst,
		"test_at_best_test": bestScore, "age_of_best_test": ages.Float(best, null),
		"age_of_best_validation": null, "test_at_best_validation": null,
	}
	if !columnOf(measureColumns, &o.Measures, "test_at_end").IsNull(0) {
		wants["test_at_end"] = test.Float(largest, null)
	}
	chosen, score := chosenOf(rule, validation, columns, &knots, m)
	if wants["best_validation"] = score; !math.IsNaN(score) {
		wants["test_at_best_validation"] = test.Float(chosen, null)
		wants["age_of_best_validation"] = ages.Float(chosen, null)
	}
	for _, name := range slices.Sorted(maps.Keys(wants)) {
		have, want := columnOf(measureColumns, &o.Measures, name).Float(0, null), wants[name]
		if have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
			return fmt.Errorf("%s is %v; by its knots it is %v", name, have, want)
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
		if k == 0 || ages.IsNull(0) || falls && directions.Texts[k-1] != down {
			continue
		}
		if before, age := ages.Float(k-1, math.NaN()), ages.Float(k, math.NaN()); falls && !(age <= before) || !falls && !(age >= before) {
			return 0, fmt.Errorf("knot %d has age %v, after %v", k, age, before)
		}
	}
	return largest, nil
}

// chosenOf returns the knot that a rule chooses, and its criterion there.
func chosenOf(rule choice.Rule, scores *experiment.Vector, columns []experiment.Column, knots *experiment.Batch, m metric.Metric) (int, float64) {
	directions := columnOf(columns, knots, "direction")
	ages, deviations, events := columnOf(columns, knots, "age"), columnOf(columns, knots, "validation_error"), columnOf(columns, knots, "event")
	c, null := choice.Curve{Higher: m.Higher}, math.NaN()
	for k := range knots.Rows {
		c.Add(ages.Float(k, null), scores.Float(k, null), deviations.Float(k, null), events.Texts[k] == gaga.Start.String(), directions.Texts[k] == down)
	}
	knot, value := rule.Choose(&c)
	return max(knot, 0), value
}
