package analysis

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/layout"
)

func tablesOf(t testing.TB, rows []testrun.Row) []*ScoreTable {
	t.Helper()
	standing := NewStanding(testrun.Kind(t))
	if err := standing.AddRows(testrun.Frame(t, rows)); err != nil {
		t.Fatal(err)
	}
	return standing.Tables()
}

func TestSensitivityGolden(t *testing.T) {
	t.Parallel()
	linear := testrun.Row{"regularizer": "linear"}
	mixture := testrun.Row{"regularizer": "mixture", "regularizer_param": 0.5}
	rows := slices.Concat(
		testrun.Scored(testrun.Row{"method": "original"}, 0.5, 0.7),
		testrun.Scored(testrun.Merge(linear, testrun.Row{"method": "acs"}), 0.25, 0.5, 1),
		testrun.Scored(testrun.Merge(linear, testrun.Row{"method": "gaga"}), 1, 2, 3, 4),
		testrun.Scored(testrun.Merge(mixture, testrun.Row{"method": "gaga"}), 0.375),
	)
	tables := tablesOf(t, rows)
	if len(tables) != 1 || tables[0].Metric != metric.RMSE || !slices.Equal(tables[0].Methods, []string{"original", "acs", "gaga"}) {
		t.Fatalf("tables %+v", tables)
	}
	// By hand: (0.25, 0.5, 1) has mean 7/12 and variance 7/48; (1, 2, 3, 4)
	// has mean 5/2 and variance 5/3; (0.5, 0.7) has variance 1/50.
	original := Summary{0.6, math.Sqrt(1. / 50), 2}
	none := Summary{math.NaN(), math.NaN(), 0}
	want := []struct {
		regularizer string
		repeats     int
		scores      [3]Summary
		best        int
	}{
		{"linear", 4, [3]Summary{original, {7. / 12, math.Sqrt(7. / 48), 3}, {2.5, math.Sqrt(5. / 3), 4}}, 1},
		{"mixture γ=0.5", 2, [3]Summary{original, none, {0.375, math.NaN(), 1}}, 2},
	}
	if len(tables[0].Rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(tables[0].Rows), len(want))
	}
	for i, w := range want {
		row := tables[0].Rows[i]
		if got := selfpaced.Layout.Aspects[5].Text(row.Setting); got != w.regularizer || row.Repeats != w.repeats {
			t.Errorf("row %d: %s with %d repeats, want %s with %d", i, got, row.Repeats, w.regularizer, w.repeats)
		}
		for j, s := range w.scores {
			got := row.Entries[j].Summary[TestAtBestTest]
			if row.Entries[j].Cells == 0 {
				got = none
			}
			if got.N != s.N || !testrun.Near(got.Mean, s.Mean) || !testrun.Near(got.Std, s.Std) {
				t.Errorf("row %d, method %d: %+v, want %+v", i, j, got, s)
			}
			if row.Entries[j].Best[TestAtBestTest] != (j == w.best) {
				t.Errorf("row %d, method %d: best is %v", i, j, row.Entries[j].Best[TestAtBestTest])
			}
		}
	}
}

// Every mean and deviation of a whole run against the textbook's one-pass
// formulas over the raw rows.
func TestSensitivityAgainstRows(t *testing.T) {
	t.Parallel()
	cells := testrun.Quickstart(5).Cells
	checked := 0
	for _, table := range tablesOf(t, cells) {
		for _, row := range table.Rows {
			for j, method := range table.Methods {
				for score, column := range ScoreColumns {
					var n, sum, squares float64
					for _, cell := range cells {
						if cell["method"] != method || !inRow(cell, row.Setting, method) {
							continue
						}
						x := cell[column].(float64)
						n, sum, squares = n+1, sum+x, squares+x*x
					}
					got := row.Entries[j].Summary[score]
					std := math.Sqrt((squares - sum*sum/n) / (n - 1))
					if n != 5 || got.N != 5 || math.Abs(got.Mean-sum/n) > 1e-14 || math.Abs(got.Std-std) > 1e-7 {
						t.Fatalf("%v %s %s: %+v, want %v ± %v of %v", row.Setting, method, column, got, sum/n, std, n)
					}
					checked++
				}
			}
		}
	}
	if want := 16*3*3 + 12*2*3; checked != want {
		t.Errorf("%d summaries, want %d", checked, want)
	}
}

// inRow tells whether a cell belongs to a row; original has no regularizer
// and belongs to that of each.
func inRow(cell testrun.Row, setting layout.Setting, method string) bool {
	for d, value := range setting {
		name := selfpaced.Layout.Column(layout.Dimension(d))
		if method == "original" && strings.HasPrefix(name, "regularizer") || value.IsNull() && slices.ContainsFunc(selfpaced.Layout.Extents, func(e layout.Extent) bool { return e.Dimension == layout.Dimension(d) }) {
			continue
		}
		have := cell[name]
		if have == nil && (name == "dataset" || name == "model" || name == "alpha") {
			if _, set := cell[name]; !set {
				have = testrun.Cell(experiment.Column{Name: name})
			}
		}
		want := any(nil)
		switch {
		case value.IsNumber:
			want = value.Number
		case value.Text != "":
			want = value.Text
		}
		if have != want {
			return false
		}
	}
	return true
}

func TestSensitivityOrderOfRows(t *testing.T) {
	t.Parallel()
	cells := testrun.Quickstart(4).Cells
	want := tablesOf(t, cells)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		if got := tablesOf(t, cells); !reflect.DeepEqual(got, want) {
			t.Fatal("the tables depend on the order of the rows")
		}
	}
	for _, table := range want {
		if !slices.IsSortedFunc(table.Rows, func(a, b *ScoreRow) int { return a.Setting.Compare(b.Setting) }) {
			t.Errorf("the rows of %s are not sorted", table.Metric)
		}
	}
}

func TestSensitivityBestAndSelectionBias(t *testing.T) {
	t.Parallel()
	rows := []testrun.Row{
		{"method": "original", "test_at_best_test": 0.5, "test_at_best_validation": 0.75, "test_at_end": 0.75},
		{"method": "gaga", "test_at_best_test": 0.25, "test_at_best_validation": 0.75, "test_at_end": 1.0},
		{"method": "acs", "test_at_best_test": 0.25, "test_at_best_validation": 1.0, "test_at_end": 1.0},
	}
	best := func(metric string) (marks [3][3]bool, bias [3]float64) {
		for _, row := range rows {
			row["metric"] = metric
		}
		table := tablesOf(t, rows)[0]
		for j, e := range table.Rows[0].Entries { // original, acs, gaga
			copy(marks[j][:], e.Best[:])
			bias[j] = e.Summary[SelectionBias].Mean
			if e.Best[SelectionBias] {
				t.Errorf("%s: a selection bias is marked as best", metric)
			}
		}
		return marks, bias
	}
	marks, bias := best("rmse")
	if want := [3][3]bool{{true, false, true}, {false, true, false}, {true, true, false}}; marks != want {
		t.Errorf("rmse: best %v, want %v", marks, want)
	}
	if want := [3]float64{0.25, 0.75, 0.5}; bias != want {
		t.Errorf("rmse: bias %v, want %v", bias, want)
	}
	marks, bias = best("accuracy")
	if want := [3][3]bool{{false, true, false}, {true, false, true}, {false, false, true}}; marks != want {
		t.Errorf("accuracy: best %v, want %v", marks, want)
	}
	if want := [3]float64{-0.25, -0.75, -0.5}; bias != want {
		t.Errorf("accuracy: bias %v, want %v", bias, want)
	}
}

func TestSensitivityWithoutScores(t *testing.T) {
	t.Parallel()
	failed := testrun.Row{"status": "failed", "error": "no", "metric": nil, "test_at_best_test": nil, "test_at_best_validation": nil, "test_at_end": nil}
	rows := []testrun.Row{
		testrun.Merge(failed, testrun.Row{"method": "acs", "repeat": 1}),
		testrun.Merge(failed, testrun.Row{"method": "acs", "repeat": 2, "status": "timeout"}),
		{"method": "gaga", "repeat": 1, "test_at_best_test": math.NaN()},
		{"method": "gaga", "repeat": 2, "test_at_best_test": math.Inf(1)},
		{"method": "gaga", "repeat": 3, "test_at_best_test": nil},
		{"method": "gaga", "repeat": 4, "test_at_best_test": 0.25},
		// Another data set, of which nothing was scored: it is a Lasso too.
		testrun.Merge(failed, testrun.Row{"method": "acs", "dataset": "music"}),
		// A model of which nothing was scored.
		testrun.Merge(failed, testrun.Row{"method": "acs", "model": "svm"}),
	}
	tables := tablesOf(t, rows)
	if len(tables) != 2 || tables[0].Metric != "" || tables[1].Metric != metric.RMSE || len(tables[1].Rows) != 2 {
		t.Fatalf("tables %+v", tables)
	}
	row := tables[1].Rows[0]
	acs, gaga := row.Entries[0], row.Entries[1]
	if row.Repeats != 4 || acs.Failed != 2 || acs.Summary[TestAtBestTest].N != 0 || !math.IsNaN(acs.Summary[TestAtBestTest].Mean) {
		t.Errorf("acs %+v in a row with %d repeats", acs, row.Repeats)
	}
	if s := gaga.Summary[TestAtBestTest]; gaga.Failed != 0 || s.N != 1 || s.Mean != 0.25 || !math.IsNaN(s.Std) || gaga.Best[TestAtBestTest] {
		t.Errorf("gaga %+v", gaga)
	}
	if music := tables[1].Rows[1]; music.Entries[0].Best[TestAtBestTest] || music.Entries[1].Cells != 0 {
		t.Errorf("music %+v", music)
	}
}

func TestSensitivityColumns(t *testing.T) {
	t.Parallel()
	for _, name := range experiment.Names(schemaOf(testrun.Kind(t)).cellColumns()) {
		f := testrun.Frame(t, []testrun.Row{{"method": "acs"}})
		f.Columns[f.Index(name)].Name = "other"
		if err := NewStanding(testrun.Kind(t)).AddRows(f); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without the column %s the error is %v", name, err)
		}
	}
	f := testrun.Frame(t, []testrun.Row{{"method": "acs", "cell": "short"}})
	if err := NewStanding(testrun.Kind(t)).AddRows(f); err == nil {
		t.Error("a cell with a wrong identity is taken")
	}
}
