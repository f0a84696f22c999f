package results

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
)

// TestIncompletePaths wants paths that stop early to be counted by themselves and
// left out of every mean, of the choice of parameters too, though they have scores.
func TestIncompletePaths(t *testing.T) {
	t.Parallel()
	rows := []cellRow{
		{"method": "acs", "repeat": 1, "test_at_best_test": 0.5, "test_at_end": 0.75},
		{"method": "acs", "repeat": 2, "test_at_best_test": 0.25, "test_at_end": 0.5},
		{"method": "gaga", "repeat": 1, "test_at_best_test": 0.5, "test_at_end": 0.625},
		{"method": "gaga", "repeat": 2, "test_at_best_test": 0.0, "test_at_end": nil, "status": "incomplete", "error": "the path stops at age 1.4 of 20"},
		{"method": "gaga", "repeat": 3, "status": "failed", "error": "no", "metric": nil, "test_at_best_test": nil, "test_at_end": nil},
	}
	entry := tablesOf(t, rows)[0].Rows[0].Entries[1]
	if entry.Cells != 3 || entry.Incomplete != 1 || entry.Failed != 1 {
		t.Errorf("%d cells, %d incomplete, %d failed; want 3, 1, 1", entry.Cells, entry.Incomplete, entry.Failed)
	}
	if s := entry.Summary[TestAtBestTest]; s.N != 1 || s.Mean != 0.5 {
		t.Errorf("a mean of %v over %d repeats, want 0.5 over 1", s.Mean, s.N)
	}
	r := mustWrite(t, writeRun(t, runTables{cells: rows}), Options{Formats: Formats})
	if r.Incomplete != 1 || r.Failed != 1 || len(r.Failures) != 2 {
		t.Errorf("%d incomplete, %d failed, %d listed", r.Incomplete, r.Failed, len(r.Failures))
	}
	for _, format := range []string{"markdown", "html"} {
		text := written(t, format, r)
		for _, want := range []string{"Incomplete and failed cells", "Incomplete cells: 1", "Failed cells: 1", "the path stops at age 1.4 of 20", "cells incomplete"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", format, want, text)
			}
		}
	}
}

func tablesOf(t testing.TB, rows []cellRow) []*ScoreTable {
	t.Helper()
	tables, err := Sensitivity(cellsFrame(t, rows))
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// near compares to 1e-14 relative; NaN equals NaN.
func near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-14*max(math.Abs(a), math.Abs(b))
}

// scored makes cells of one method over repeats from 1, with the given scores at
// the best test age.
func scored(base cellRow, best ...float64) []cellRow {
	var rows []cellRow
	for i, score := range best {
		rows = append(rows, merge(cellRow{"repeat": i + 1, "test_at_best_test": score}, base))
	}
	return rows
}

func TestSensitivityGolden(t *testing.T) {
	t.Parallel()
	linear := cellRow{"regularizer": "linear"}
	mixture := cellRow{"regularizer": "mixture", "regularizer_param": 0.5}
	rows := slices.Concat(
		scored(cellRow{"method": "original"}, 0.5, 0.7),
		scored(merge(linear, cellRow{"method": "acs"}), 0.25, 0.5, 1),
		scored(merge(linear, cellRow{"method": "gaga"}), 1, 2, 3, 4),
		scored(merge(mixture, cellRow{"method": "gaga"}), 0.375),
	)
	tables := tablesOf(t, rows)
	if len(tables) != 1 || tables[0].Metric != RMSE || !slices.Equal(tables[0].Methods, []string{"original", "acs", "gaga"}) {
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
		if got := regularizerText(row.Setting); got != w.regularizer || row.Repeats != w.repeats {
			t.Errorf("row %d: %s with %d repeats, want %s with %d", i, got, row.Repeats, w.regularizer, w.repeats)
		}
		for j, s := range w.scores {
			got := row.Entries[j].Summary[TestAtBestTest]
			if row.Entries[j].Cells == 0 {
				got = none
			}
			if got.N != s.N || !near(got.Mean, s.Mean) || !near(got.Std, s.Std) {
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
	cells := quickstart(5).cells
	checked := 0
	for _, table := range tablesOf(t, cells) {
		for _, row := range table.Rows {
			for j, method := range table.Methods {
				for score, column := range scoreColumns {
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
func inRow(cell cellRow, setting Setting, method string) bool {
	for d, value := range setting {
		name := Dimension(d).String()
		if method == "original" && strings.HasPrefix(name, "regularizer") || value.IsNull() && slices.Contains(extents, Dimension(d)) {
			continue
		}
		have := cell[name]
		if have == nil && (name == "dataset" || name == "model" || name == "alpha") {
			if _, set := cell[name]; !set {
				have = testCell(experiment.Column{Name: name})
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
	cells := quickstart(4).cells
	want := tablesOf(t, cells)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		if got := tablesOf(t, cells); !reflect.DeepEqual(got, want) {
			t.Fatal("the tables depend on the order of the rows")
		}
	}
	for _, table := range want {
		if !slices.IsSortedFunc(table.Rows, func(a, b ScoreRow) int { return a.Setting.Compare(b.Setting) }) {
			t.Errorf("the rows of %s are not sorted", table.Metric)
		}
	}
}

func TestSensitivityBestAndSelectionBias(t *testing.T) {
	t.Parallel()
	rows := []cellRow{
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
	failed := cellRow{"status": "failed", "error": "no", "metric": nil, "test_at_best_test": nil, "test_at_best_validation": nil, "test_at_end": nil}
	rows := []cellRow{
		merge(failed, cellRow{"method": "acs", "repeat": 1}),
		merge(failed, cellRow{"method": "acs", "repeat": 2, "status": "timeout"}),
		{"method": "gaga", "repeat": 1, "test_at_best_test": math.NaN()},
		{"method": "gaga", "repeat": 2, "test_at_best_test": math.Inf(1)},
		{"method": "gaga", "repeat": 3, "test_at_best_test": nil},
		{"method": "gaga", "repeat": 4, "test_at_best_test": 0.25},
		// Another data set, of which nothing was scored: it is a Lasso too.
		merge(failed, cellRow{"method": "acs", "dataset": "music"}),
		// A model of which nothing was scored.
		merge(failed, cellRow{"method": "acs", "model": "svm"}),
	}
	tables := tablesOf(t, rows)
	if len(tables) != 2 || tables[0].Metric != "" || tables[1].Metric != RMSE || len(tables[1].Rows) != 2 {
		t.Fatalf("tables %+v", tables)
	}
	row := tables[1].Rows[0]
	acs, gaga := row.Entries[0], row.Entries[1]
	if row.Repeats != 4 || row.Failed() != 2 || acs.Failed != 2 || acs.Summary[TestAtBestTest].N != 0 || !math.IsNaN(acs.Summary[TestAtBestTest].Mean) {
		t.Errorf("acs %+v in a row with %d repeats and %d failed", acs, row.Repeats, row.Failed())
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
	for _, name := range sensitivityColumns {
		f := cellsFrame(t, []cellRow{{"method": "acs"}})
		f.Columns[f.Index(name)].Name = "other"
		if _, err := Sensitivity(f); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without the column %s the error is %v", name, err)
		}
	}
	f := cellsFrame(t, []cellRow{{"method": "acs", "cell": "short"}})
	if _, err := Sensitivity(f); err == nil {
		t.Error("a cell with a wrong identity is taken")
	}
}

func TestDecimals(t *testing.T) {
	t.Parallel()
	spread := func(stds ...float64) []Summary {
		var list []Summary
		for _, std := range stds {
			list = append(list, Summary{0.5, std, 3})
		}
		return list
	}
	tests := []struct {
		name      string
		summaries []Summary
		want      int
	}{
		{"two digits of the median", spread(0.0123, 0.9, 0.0001), 3},
		{"tenths", spread(0.2), 2},
		{"hundreds", spread(250), 0},
		{"tiny", spread(1e-9), 8},
		{"rounding is no spread", []Summary{{0.25, 1e-17, 3}}, 4},
		{"one repeat", []Summary{{0.25, math.NaN(), 1}}, 4},
		{"nothing", []Summary{{math.NaN(), math.NaN(), 0}}, 3},
		{"zeros", []Summary{{0, 0, 2}}, 3},
	}
	for _, test := range tests {
		if got := decimals(test.summaries); got != test.want {
			t.Errorf("%s: %d decimals, want %d", test.name, got, test.want)
		}
	}
}

// TestComparedOnCommonRepeats wants methods to be compared on the repeats that all
// of them have: the means, the marks, the tests, the rankings. Here acs failed on
// the hard repeats, so that its own mean is the best though it loses on every
// repeat that it has.
func TestComparedOnCommonRepeats(t *testing.T) {
	t.Parallel()
	score := func(method string, repeat int, x float64) cellRow {
		return cellRow{"method": method, "repeat": repeat, "test_at_best_test": x}
	}
	lost := func(method string, repeat int, status string) cellRow {
		return cellRow{"method": method, "repeat": repeat, "status": status, "error": status, "test_at_best_test": 0.01, "test_at_end": nil}
	}
	rows := []cellRow{
		score("original", 1, 0.30), score("original", 2, 0.90), score("original", 3, 0.32), score("original", 4, 0.94), score("original", 5, 0.36),
		score("acs", 1, 0.20), lost("acs", 2, "failed"), score("acs", 3, 0.22), lost("acs", 4, "timeout"), score("acs", 5, 0.24),
		score("gaga", 1, 0.10), score("gaga", 2, 0.70), score("gaga", 3, 0.12), score("gaga", 4, 0.74), lost("gaga", 5, "incomplete"),
	}
	table := tablesOf(t, rows)[0]
	row := &table.Rows[0]
	original, acs, gaga := &row.Entries[0], &row.Entries[1], &row.Entries[2]
	// By hand: repeats 1 and 3 are there for all.
	for _, c := range []struct {
		entry    *ScoreEntry
		own      int
		compared float64
		best     bool
		repeats  string
	}{
		{original, 5, (0.30 + 0.32) / 2, false, "5"},
		{acs, 3, (0.20 + 0.22) / 2, false, "3 of 5; 2 failed"},
		{gaga, 4, (0.10 + 0.12) / 2, true, "4 of 5; 1 incomplete"},
	} {
		own, compared := c.entry.Summary[TestAtBestTest], c.entry.Compared[TestAtBestTest]
		if own.N != c.own || compared.N != 2 || !near(compared.Mean, c.compared) || c.entry.Best[TestAtBestTest] != c.best {
			t.Errorf("own %+v, compared %+v, best %t; want %+v", own, compared, c.entry.Best[TestAtBestTest], c)
		}
		if got := c.entry.repeats(row.Repeats, TestAtBestTest); got != c.repeats {
			t.Errorf("repeats %q, want %q", got, c.repeats)
		}
	}
	if !(acs.Summary[TestAtBestTest].Mean < gaga.Summary[TestAtBestTest].Mean) {
		t.Error("acs has not the best mean of its own: the case shows nothing")
	}
	if got := row.rests(TestAtBestTest); got != "2 of 5" {
		t.Errorf("the row rests on %q", got)
	}
	for _, c := range row.Comparisons(TestAtBestTest) {
		if c.Pairs() != 2 {
			t.Errorf("%s and %s are compared on %d repeats", table.Methods[c.Method], table.Methods[c.Against], c.Pairs())
		}
	}
	r := mustWrite(t, writeRun(t, runTables{cells: rows}), Options{Formats: Formats, Figures: -1})
	if missing := strings.Join(r.Missing, "\n"); !strings.Contains(missing, "not all methods have them: 1 of 1.") {
		t.Errorf("missing: %s", missing)
	}
	for format, wants := range map[string][]string{
		"markdown": {"over 2 of 5 repeats;", "0.21 ± 0.01 (3 of 5; 2 failed)", "**0.11 ± 0.01** (4 of 5; 1 incomplete)", "Incomplete cells: 1", "Failed cells: 2"},
		"latex":    {"over 2 of 5 repeats;", `$\mathbf{0.11} \pm 0.01$ (4 of 5; 1 incomplete)`, "Incomplete cells: 1", "Failed cells: 2"},
		"html":     {"over 2 of 5 repeats;", `["0.21","0.01","3 of 5; 2 failed",0]`, "Incomplete cells: 1", "Failed cells: 2"},
		"csv":      {",acs,5,0,2,", ",gaga,5,1,0,"},
	} {
		text := written(t, format, r)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", format, want, text)
			}
		}
	}
}
