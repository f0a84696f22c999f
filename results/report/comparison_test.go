package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// changedRuns are two runs of six repeats by gaga whose test scores grow by 0.01 for
// each number of the repeat and whose times halve, but the second run fails in the
// last, and of one cell of a method with odd letters whose path ends otherwise.
func changedRuns(t *testing.T) *Comparison {
	t.Helper()
	var baseline, other []testrun.Row
	for r := 1; r <= 6; r++ {
		row := testrun.Row{"cell": testrun.ID(r), "method": "gaga", "repeat": r, "test_at_best_test": 0.5, "cpu_seconds": 2.0, "wall_seconds": 3.0, "path_status": "complete"}
		baseline = append(baseline, row)
		change := testrun.Row{"test_at_best_test": 0.5 + 0.01*float64(r), "cpu_seconds": 1.0, "wall_seconds": 1.5}
		if r == 6 {
			change = testrun.Row{"status": "memory", "error": "too | large\nstack", "test_at_best_test": nil}
		}
		other = append(other, testrun.Merge(row, change))
	}
	odd := testrun.Row{"cell": testrun.ID(7), "method": "o_d|d", "path_status": "complete", "best_validation": nil}
	baseline = append(baseline, odd)
	other = append(other, testrun.Merge(odd, testrun.Row{"path_status": "stopped", "best_validation": 0.5, "worker": "y"}))
	dirs := []string{testrun.Write(t, testrun.Tables{Cells: baseline}), testrun.Write(t, testrun.Tables{Cells: other})}
	runs, err := analysis.CompareRuns(t.Context(), dirs, analysis.CompareOptions{Rounding: analysis.Rounding})
	if err != nil {
		t.Fatal(err)
	}
	return &Comparison{runs}
}

// TestComparisonText holds every table against numbers worked out by hand: five differences
// 0.01 to 0.05 have the mean 0.03 and the variance 0.00025, and with parts of 3 for training
// and 1 for testing the error is sqrt(0.00025 (1/5 + 1/3)) = 0.01155. p and the quantile 2.776 of
// 4 degrees of freedom are R's.
func TestComparisonText(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := (Text{}).WriteComparison(&b, changedRuns(t)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"\nall          7            0       0       0\n",
		"GAGA        5  0.5000  0.5300       0      5        0.03  [-0.00206, 0.0621]  0.0602  0.0602\n",
		"Of 6 cells of equal identity and status, 0 are equal bit for bit, 0 differ by rounding (relative 1e-09 or less)",
		"GAGA    test_at_best_test      5            0       5    0.0909  00000000000000000000000000000005\n",
		"o_d|d   best_validation        1            0       1       inf  00000000000000000000000000000007\n",
		"o_d|d   path_status            1            0       1       inf  00000000000000000000000000000007\n",
		"Cells whose numbers changed: 6\n",
		"all     processor      5       10        5             0.5  0.5  0.5   0.5     0.5   0.5   0.5  0.5\n",
		"all     elapsed        5       15      7.5             0.5  0.5  0.5   0.5     0.5   0.5   0.5  0.5\n",
		"ok  memory      1\n",
		"\n00000000000000000000000000000007: o_d|d: diabetes, Lasso, no noise, ",
		"repeat 1 - column: best_validation, A: -, other: 0.5, relative: inf ",
		"\n- A: ok, other: memory, reason: too | large\n",
	} {
		if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "\n", " "), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) { // folders of tests can be long
		if len([]rune(line)) > 111 && !strings.Contains(line, t.Name()) {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
}

// TestComparisonSchema validates a comparison that has something in each list.
func TestComparisonSchema(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(changedRuns(t))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schemas/compare.json")
	if err != nil {
		t.Fatal(err)
	}
	object, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(object); err != nil {
		t.Errorf("%#v", err)
	}
	var plain struct {
		Pairs []struct {
			Scores, Times, Statuses, Failures []any
			Numbers                           struct {
				Columns []struct {
					Farthest struct{ Distance *float64 }
				}
				Cells []any
			}
		}
	}
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	p := plain.Pairs[0]
	for name, n := range map[string]int{"scores": len(p.Scores), "times": len(p.Times), "statuses": len(p.Statuses), "failures": len(p.Failures), "columns": len(p.Numbers.Columns), "cells": len(p.Numbers.Cells)} {
		if n == 0 {
			t.Errorf("no %s in %s", name, text)
		}
	}
	if p.Numbers.Columns[len(p.Numbers.Columns)-1].Farthest.Distance != nil {
		t.Errorf("a text has a distance: %s", text)
	}
}
