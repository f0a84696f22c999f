package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// handChoice is what validation chooses for a method in one repeat of handCells,
// and what the test part would, worked out by hand.
type handChoice struct {
	method, regularizer string
	repeat              int
	alpha               float64 // by the validation score
	byValidation        float64 // test score there
	byTest              float64 // best test score of all cells
}

var handChoices = []handChoice{
	{"original", "", 1, 0.2, 0.60, 0.50},
	{"original", "", 2, 0.1, 0.62, 0.52},
	{"gaga", "linear", 1, 0.1, 0.90, 0.25},
	{"gaga", "linear", 2, 0.2, 0.45, 0.28},
}

// handMeans are their means over the repeats: by validation the plain fit wins,
// by the test part gaga does.
var handMeans = map[string][2]float64{"original": {0.61, 0.51}, "gaga": {0.675, 0.265}}

// handCells are the cells that handChoices choose among. The mean of
// test_at_best_validation is lowest at α = 0.3 for both methods, which no repeat
// chooses by validation: 0.51 and 0.34.
func handCells() []testrun.Row {
	var rows []testrun.Row
	add := func(method string, regularizer any, repeat int, scores ...[3]float64) {
		for a, s := range scores {
			rows = append(rows, testrun.Row{
				"dataset": "by-hand", "noise_kind": "gaussian", "noise_level": 0.3, "method": method, "regularizer": regularizer,
				"repeat": repeat, "alpha": 0.1 * float64(a+1),
				"best_validation": s[0], "test_at_best_validation": s[1], "test_at_best_test": s[2], "test_at_end": 1.0,
			})
		}
	}
	add("original", nil, 1, [3]float64{0.80, 0.80, 0.80}, [3]float64{0.70, 0.60, 0.60}, [3]float64{0.90, 0.50, 0.50})
	add("original", nil, 2, [3]float64{0.75, 0.62, 0.62}, [3]float64{0.76, 0.66, 0.66}, [3]float64{0.77, 0.52, 0.52})
	add("gaga", "linear", 1, [3]float64{0.50, 0.90, 0.40}, [3]float64{0.60, 0.30, 0.25}, [3]float64{0.55, 0.35, 0.30})
	add("gaga", "linear", 2, [3]float64{0.70, 0.31, 0.30}, [3]float64{0.65, 0.45, 0.28}, [3]float64{0.66, 0.33, 0.32})
	for i, row := range rows {
		row["alpha"] = math.Round(10*row["alpha"].(float64)) / 10
		row["cell"] = fmt.Sprintf("%032x", 1_000_000+i)
	}
	return rows
}

// classified makes accuracies of an SVM's C of errors of a Lasso's α.
func classified(rows []testrun.Row) []testrun.Row {
	for i, row := range rows {
		row["dataset"], row["task"], row["model"], row["metric"] = "by-hand-too", "classification", "svm", "accuracy"
		row["c"], row["alpha"] = row["alpha"], nil
		row["cell"] = fmt.Sprintf("%032x", 2_000_000+i)
		for _, name := range []string{"best_validation", "test_at_best_validation", "test_at_best_test", "test_at_end"} {
			row[name] = 1 - row[name].(float64)
		}
	}
	return rows
}

// TestChosenLacksValidation wants a repeat without a validation score to have no
// choice by it, and to keep the choice by the test score.
func TestChosenLacksValidation(t *testing.T) {
	t.Parallel()
	rows := handCells()
	for _, row := range rows {
		if row["repeat"] == 2 {
			row["best_validation"], row["test_at_best_validation"] = nil, nil
		}
	}
	r := mustWrite(t, testrun.Write(t, testrun.Tables{Cells: rows}), Options{Figures: -1})
	for _, c := range handChoices {
		if c.repeat == 2 {
			continue
		}
		table := r.Chosen[0]
		e := &table.Rows[0].Entries[slices.Index(table.Methods, c.method)]
		if s := e.Summary[analysis.TestAtBestValidation]; s.N != 1 || s.Mean != c.byValidation {
			t.Errorf("%s by validation: %+v, want %v once", c.method, s, c.byValidation)
		}
		if s := e.Summary[analysis.TestAtBestTest]; s.N != 2 || math.Abs(s.Mean-handMeans[c.method][1]) > 1e-12 {
			t.Errorf("%s by test: %+v, want the mean %v of two", c.method, s, handMeans[c.method][1])
		}
		if s := e.Summary[analysis.TestAtEnd]; s.N != 1 {
			t.Errorf("%s at the end: %+v", c.method, s)
		}
	}
}

// TestChosen holds the tables that lead a report against choices by hand.
func TestChosen(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Tables{Cells: slices.Concat(handCells(), classified(handCells()))})
	r := mustWrite(t, dir, Options{Figures: -1})
	if len(r.Chosen) != 2 {
		t.Fatalf("%d tables", len(r.Chosen))
	}
	for i, sign := range []float64{-1, 1} { // accuracy, RMSE
		table := r.Chosen[i]
		if len(table.Rows) != 1 || !slices.Equal(table.Methods, []string{"original", "gaga"}) {
			t.Fatalf("%s: %+v", table.Metric, table)
		}
		if want := []string{"C", "α"}[i]; !slices.Equal(table.Parameters, []string{want}) {
			t.Errorf("%s: parameters %q, want %s", table.Metric, table.Parameters, want)
		}
		score := func(x float64) float64 { return max(0, -sign) + sign*x } // x or 1 - x
		for j, method := range table.Methods {
			e := &table.Rows[0].Entries[j]
			want := handMeans[method]
			for score, x := range map[analysis.Score]float64{
				analysis.TestAtBestValidation: score(want[0]), analysis.TestAtBestTest: score(want[1]), analysis.SelectionBias: want[0] - want[1],
			} {
				if s := e.Summary[score]; s.N != 2 || math.Abs(s.Mean-x) > 1e-12 {
					t.Errorf("%s of %s: %s %+v, want the mean %v", table.Metric, method, score, s, x)
				}
			}
			if first := method == "original"; e.Best[analysis.TestAtBestValidation] != first || e.Best[analysis.TestAtBestTest] == first {
				t.Errorf("%s: %s is marked %v", table.Metric, method, e.Best)
			}
			for k, c := range slices.DeleteFunc(slices.Clone(handChoices), func(c handChoice) bool { return c.method != method }) {
				if s := e.Sample[k]; s.Repeat != int64(c.repeat) || math.Abs(s.Score[analysis.TestAtBestValidation]-score(c.byValidation)) > 1e-12 ||
					math.Abs(s.Score[analysis.TestAtBestTest]-score(c.byTest)) > 1e-12 {
					t.Errorf("%s of %s in repeat %d: %v", table.Metric, method, c.repeat, s.Score)
				}
			}
		}
	}
	// It leads every format.
	var text strings.Builder
	if err := (Text{}).Write(&text, r); err != nil {
		t.Fatal(err)
	}
	const want = `
Test RMSE (lower is better), mean ± standard deviation over 2 repeats
Chosen by validation: age and α. Oracle: by the test part. Data set: by-hand. Model: Lasso.
Regularizer: linear. Noise: gaussian 0.3. * best. ≈ not significantly worse (false discovery rate 5
%).
Original      oracle  GAGA          oracle
--------------------  --------------------
0.610 ± 0.014* 0.510  0.675 ± 0.318≈ 0.265

Chosen by validation: age, C and α
What most repeats chose; the median age.
data set     Original  GAGA
-----------  --------  --------
by-hand-too  C=0.2; 0  C=0.1; 0
by-hand      α=0.2; 0  α=0.1; 0
`
	const verdict = "Original has the best mean test score in both settings; the best differs significantly from every\nother method in 0 of 2 (false discovery rate 5 %). Self-paced learning did not help measurably: its\n"
	if !strings.Contains(text.String(), want) || !strings.HasPrefix(text.String(), verdict) {
		t.Errorf("the terminal shows\n%s\nnot\n%s", text.String(), want)
	}
	var lines strings.Builder
	if err := csvFiles[2].Write(&lines, r); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(lines.String(), "\n"); n != 1+2*2 || !strings.Contains(lines.String(), ",0.265,") {
		t.Errorf("chosen.csv:\n%s", lines.String())
	}
	for _, format := range []string{"markdown", "latex", "html"} {
		report := written(t, format, r)
		first, next := strings.Index(report, "Chosen by validation: age and C."), strings.Index(report, "Each value of the parameters")
		if format == "latex" { // which has no titles of sections
			next = strings.Index(report, "Chosen by validation: age.")
		}
		if first < 0 || next < first {
			t.Errorf("%s: the lead is at %d, the next table at %d", format, first, next)
		}
	}
}

// TestAllIn wants the words for ages at which no row is out in the table of choices, and the verdict to
// count the cells that have no others.
func TestAllIn(t *testing.T) {
	t.Parallel()
	rows := handCells()
	for _, row := range rows {
		if row["method"] == "gaga" {
			row["age_of_best_validation"], row["age_of_best_test"], row["age_last_out"] = 8.5e9, 2.0, 3.0
			if row["repeat"] == 1 {
				row["age_last_out"] = 0.0
			}
		} else {
			row["age_of_best_validation"], row["age_of_best_test"], row["age_last_out"] = nil, nil, nil
		}
	}
	r := mustWrite(t, testrun.Write(t, testrun.Tables{Cells: rows}), Options{Figures: -1})
	var text strings.Builder
	if err := (Text{}).Write(&text, r); err != nil {
		t.Fatal(err)
	}
	cells := 0
	for _, row := range rows {
		if row["method"] == "gaga" {
			cells++
		}
	}
	for _, want := range []string{"; all in\n", fmt.Sprintf("; no row is out at any age of GAGA in %d of %d cells.", cells/2, cells)} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " ")+"\n", strings.TrimSuffix(want, "\n")) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "8.5e") {
		t.Errorf("the age is in\n%s", text.String())
	}
}
