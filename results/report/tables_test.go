package report

import (
	"math"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// TestIncompletePaths wants paths that stop early to be counted by themselves and
// left out of every mean, of the choice of parameters too, though they have scores.
func TestIncompletePaths(t *testing.T) {
	t.Parallel()
	rows := []testrun.Row{
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
	if s := entry.Summary[analysis.TestAtBestTest]; s.N != 1 || s.Mean != 0.5 {
		t.Errorf("a mean of %v over %d repeats, want 0.5 over 1", s.Mean, s.N)
	}
	r := mustWrite(t, testrun.Write(t, testrun.Tables{Cells: rows}), Options{Formats: Formats})
	if r.Incomplete != 1 || r.Failed != 1 || len(r.Reasons) != 2 {
		t.Errorf("%d incomplete, %d failed, %d listed", r.Incomplete, r.Failed, len(r.Reasons))
	}
	for _, format := range []string{"markdown", "html"} {
		text := written(t, format, r)
		for _, want := range []string{"Failed cells: 1; incomplete: 1", "1 x GAGA incomplete", "the path stops at age 1.4 of 20", "cells incomplete"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", format, want, text)
			}
		}
	}
}

// TestConditions wants a row for each protocol, split, scaling and intercept of which a
// data set has several, and no word of those of which it has one. A method that has no
// intercept to choose stands beside both.
func TestConditions(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for _, protocol := range []string{"held-out", "paper"} {
		for _, validation := range []float64{0.1, 0.2} {
			for _, intercept := range []any{"true", "false", nil} {
				method := "original"
				if intercept == nil {
					method = "rlssvm"
				}
				rows = append(rows, testrun.Row{
					"method": method, "protocol": protocol, "split_train": 3.0, "split_test": 1.0,
					"split_validation": validation, "scale_features": "standard", "intercept": intercept,
				})
			}
		}
	}
	table := tablesOf(t, rows)[0]
	if len(table.Rows) != 2*2*2 {
		t.Errorf("%d rows, want 8", len(table.Rows))
	}
	for i := range table.Rows {
		s := table.Rows[i].Setting
		if s[selfpaced.DimProtocol].IsNull() || s[selfpaced.DimSplitValidation].IsNull() || s[selfpaced.DimIntercept].IsNull() ||
			!s[selfpaced.DimSplitTrain].IsNull() || !s[selfpaced.DimScaleFeatures].IsNull() {
			t.Errorf("a row states %v", selfpaced.Layout.Fields(s))
		}
		if entries := table.Rows[i].Entries; len(entries) != 2 || entries[0].Cells != 1 || entries[1].Cells != 1 {
			t.Errorf("row %v has %d entries", selfpaced.Layout.Fields(s), len(entries))
		}
	}
	text := written(t, "markdown", mustWrite(t, testrun.Write(t, testrun.Tables{Cells: rows}), Options{Formats: Formats}))
	for _, want := range []string{"| protocol |", "validation 0.1", "no intercept"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
}

// TestComparedOnCommonRepeats wants methods to be compared on the repeats that all
// of them have: the means, the marks, the tests, the rankings. Here acs failed on
// the hard repeats, so that its own mean is the best though it loses on every
// repeat that it has.
func TestComparedOnCommonRepeats(t *testing.T) {
	t.Parallel()
	score := func(method string, repeat int, x float64) testrun.Row {
		return testrun.Row{"method": method, "repeat": repeat, "test_at_best_test": x}
	}
	lost := func(method string, repeat int, status string) testrun.Row {
		return testrun.Row{"method": method, "repeat": repeat, "status": status, "error": status, "test_at_best_test": 0.01, "test_at_end": nil}
	}
	rows := []testrun.Row{
		score("original", 1, 0.30), score("original", 2, 0.90), score("original", 3, 0.32), score("original", 4, 0.94), score("original", 5, 0.36),
		score("acs", 1, 0.20), lost("acs", 2, "failed"), score("acs", 3, 0.22), lost("acs", 4, "timeout"), score("acs", 5, 0.24),
		score("gaga", 1, 0.10), score("gaga", 2, 0.70), score("gaga", 3, 0.12), score("gaga", 4, 0.74), lost("gaga", 5, "incomplete"),
	}
	table := tablesOf(t, rows)[0]
	row := table.Rows[0]
	original, acs, gaga := &row.Entries[0], &row.Entries[1], &row.Entries[2]
	// By hand: repeats 1 and 3 are there for all.
	for _, c := range []struct {
		entry    *analysis.ScoreEntry
		own      int
		compared float64
		best     bool
		repeats  string
	}{
		{original, 5, (0.30 + 0.32) / 2, false, "5"},
		{acs, 3, (0.20 + 0.22) / 2, false, "3 of 5; 2 failed"},
		{gaga, 4, (0.10 + 0.12) / 2, true, "4 of 5; 1 incomplete"},
	} {
		own, compared := c.entry.Summary[analysis.TestAtBestTest], c.entry.Compared[analysis.TestAtBestTest]
		if own.N != c.own || compared.N != 2 || !testrun.Near(compared.Mean, c.compared) || c.entry.Best[analysis.TestAtBestTest] != c.best {
			t.Errorf("own %+v, compared %+v, best %t; want %+v", own, compared, c.entry.Best[analysis.TestAtBestTest], c)
		}
		if got := c.entry.Repeats(row.Repeats, analysis.TestAtBestTest); got != c.repeats {
			t.Errorf("repeats %q, want %q", got, c.repeats)
		}
	}
	if !(acs.Summary[analysis.TestAtBestTest].Mean < gaga.Summary[analysis.TestAtBestTest].Mean) {
		t.Error("acs has not the best mean of its own: the case shows nothing")
	}
	if got := row.Rests(analysis.TestAtBestTest); got != "2 of 5" {
		t.Errorf("the row rests on %q", got)
	}
	for _, c := range analysis.Compare([]*analysis.ScoreTable{table})[0].Rows[0].Comparisons {
		if c.Test.N != 2 {
			t.Errorf("%s and %s are compared on %d repeats", table.Methods[c.Method], table.Methods[c.Against], c.Test.N)
		}
	}
	r := mustWrite(t, testrun.Write(t, testrun.Tables{Cells: rows}), Options{Formats: Formats, Figures: -1})
	for format, wants := range map[string][]string{
		"markdown": {"over 2 of 5 repeats\n", "0.21 ± 0.01 (3 of 5; 2 failed)", "**0.11 ± 0.01** (4 of 5; 1 incomplete)", "Failed cells: 2; incomplete: 1"},
		"latex":    {"over 2 of 5 repeats.", `$\mathbf{0.11} \pm 0.01$ (4 of 5; 1 incomplete)`, "Failed cells: 2; incomplete: 1"},
		"html":     {"over 2 of 5 repeats<", `["0.21","0.01","3 of 5; 2 failed",0,""]`, "Failed cells: 2; incomplete: 1"},
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

func TestDecimals(t *testing.T) {
	t.Parallel()
	spread := func(stds ...float64) []analysis.Summary {
		var list []analysis.Summary
		for _, std := range stds {
			list = append(list, analysis.Summary{Mean: 0.5, Std: std, N: 3})
		}
		return list
	}
	tests := []struct {
		name      string
		summaries []analysis.Summary
		want      int
	}{
		{"two digits of the median", spread(0.0123, 0.9, 0.0001), 3},
		{"tenths", spread(0.2), 2},
		{"hundreds", spread(250), 0},
		{"tiny", spread(1e-9), 8},
		{"rounding is no spread", []analysis.Summary{{Mean: 0.25, Std: 1e-17, N: 3}}, 4},
		{"one repeat", []analysis.Summary{{Mean: 0.25, Std: math.NaN(), N: 1}}, 4},
		{"nothing", []analysis.Summary{{Mean: math.NaN(), Std: math.NaN(), N: 0}}, 3},
		{"zeros", []analysis.Summary{{Mean: 0, Std: 0, N: 2}}, 3},
	}
	for _, test := range tests {
		if got := decimals(test.summaries); got != test.want {
			t.Errorf("%s: %d decimals, want %d", test.name, got, test.want)
		}
	}
}

func TestScoreSheetWords(t *testing.T) {
	t.Parallel()
	r := loaded(t, testrun.Quickstart(8).Cells)
	var b strings.Builder
	if err := (Text{}).Write(&b, r); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "≈ not significantly worse (false discovery rate 5 %)") || strings.Contains(text, "nothing is tested") {
		t.Error(text)
	}
	few := loaded(t, testrun.Quickstart(1).Cells).Answer()
	if s, last := few.Sheets[1], few.Verdict[len(few.Verdict)-1]; s.Equal != "" || !strings.HasPrefix(last, "With 1 repeat nothing is tested: it takes 2") {
		t.Errorf("%q, %q", s.Equal, few.Verdict)
	}
}

// TestRankSheet wants the methods by rank and the best one marked.
func TestRankSheet(t *testing.T) {
	t.Parallel()
	r := analysis.NewRanking(tablesOf(t, testrun.RankedCells(6)), analysis.TestAtBestTest, analysis.DefaultTests)
	s := rankSheet(r)
	if len(s.Rows) != 3 || s.Rows[0][0].Text != "c" || s.Rows[0][7].Mark != layout.BestMark || s.Rows[1][7].Mark != layout.Unmarked {
		t.Errorf("%+v", s.Rows)
	}
}

// loaded returns the report of cells without figures.
func loaded(t testing.TB, rows []testrun.Row) *Report {
	t.Helper()
	r, err := Load(t.Context(), testrun.Write(t, testrun.Tables{Cells: rows}), Options{Figures: -1})
	if err != nil {
		t.Fatal(err)
	}
	r.Missing = nil
	return r
}

func tablesOf(t testing.TB, rows []testrun.Row) []*analysis.ScoreTable {
	t.Helper()
	standing := analysis.NewStanding(testrun.Kind(t))
	if err := standing.AddRows(testrun.Frame(t, rows)); err != nil {
		t.Fatal(err)
	}
	return standing.Tables()
}
