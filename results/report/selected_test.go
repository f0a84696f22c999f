package report

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
)

// tuned are cells of three methods over two repeats: the plain fit with two α,
// huber-lasso with two α and two δ, and gaga with two α and two regularizers.
func tuned() []testrun.Row {
	var rows []testrun.Row
	add := func(row testrun.Row) {
		row["cell"] = testrun.ID(len(rows))
		rows = append(rows, row)
	}
	// BestValidation prefers the first α in repeat 1 and the second in repeat 2, the
	// test score always the first.
	for repeat := 1; repeat <= 2; repeat++ {
		for a, alpha := range []float64{0.001, 0.01} {
			BestValidation := 1 + 0.1*float64((a+repeat-1)%2)
			base := testrun.Row{"repeat": repeat, "alpha": alpha, "noise_kind": "gaussian", "noise_level": 0.3}
			add(testrun.Merge(base, testrun.Row{"method": "original", "test_at_best_test": 2 + 0.1*float64(a), "best_validation": BestValidation}))
			for _, delta := range []string{`{"delta":10,"size":4}`, `{"delta":2,"size":4}`} {
				add(testrun.Merge(base, testrun.Row{"method": "huber-lasso", "method_params": delta, "test_at_best_test": 1.0, "best_validation": BestValidation}))
			}
			for r, param := range []any{nil, 0.5} {
				row := testrun.Row{"method": "gaga", "regularizer": []string{"linear", "mixture"}[r], "regularizer_param": param,
					"test_at_best_test": 0.5 + 0.1*float64(a), "best_validation": BestValidation}
				if repeat == 2 && a == 1 { // the best one has no result
					row = testrun.Merge(row, testrun.Row{"status": "failed", "test_at_best_test": nil, "best_validation": nil, "metric": nil})
				}
				add(testrun.Merge(base, row))
			}
		}
	}
	return rows
}

func selectReport(t *testing.T, rows []testrun.Row, by experiment.Select) (*Report, string) {
	t.Helper()
	dir := testrun.Write(t, testrun.Tables{Cells: rows})
	if err := results.WriteManifest(dir, &results.Manifest{Kind: selfpaced.Name, Cells: int64(len(rows)), Select: by}); err != nil {
		t.Fatal(err)
	}
	r, err := Write(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r, filepath.Join(dir, results.ReportFolder)
}

func TestSelectBest(t *testing.T) {
	t.Parallel()
	for by, want := range map[experiment.Select]map[string][2]string{
		experiment.SelectValidation: {
			"original":        {"alpha=0.001", "alpha=0.01"},
			"huber-lasso":     {"alpha=0.001 delta=2", "alpha=0.01 delta=2"}, // of equals the smallest δ, as a number
			"gaga in linear":  {"alpha=0.001", "alpha=0.001"},                // 0.01 failed in repeat 2
			"gaga in mixture": {"alpha=0.001", "alpha=0.001"},
		},
		experiment.SelectTest: {
			"original":        {"alpha=0.001", "alpha=0.001"},
			"huber-lasso":     {"alpha=0.001 delta=2", "alpha=0.001 delta=2"},
			"gaga in linear":  {"alpha=0.001", "alpha=0.001"},
			"gaga in mixture": {"alpha=0.001", "alpha=0.001"},
		},
	} {
		rows := tuned()
		r, folder := selectReport(t, rows, by)
		if len(r.Selected) != 2*4 {
			t.Fatalf("%s: %d choices", by, len(r.Selected))
		}
		for i := range r.Selected {
			s := &r.Selected[i]
			name := analysis.MethodName(s.Method)
			if regularizer := s.Setting[selfpaced.DimRegularizer].Text; regularizer != "" {
				name += " in " + regularizer
			}
			if got := strings.TrimSpace("alpha=" + s.Setting[selfpaced.DimAlpha].String() + " " + s.Shown); got != want[name][s.Repeat-1] {
				t.Errorf("%s: %s chose %q in repeat %d, want %q", by, name, got, s.Repeat, want[name][s.Repeat-1])
			}
			failed := 0
			if strings.HasPrefix(name, "gaga") && s.Repeat == 2 {
				failed = 1
			}
			if s.Failed != failed || s.Candidates != map[bool]int{false: 2, true: 4}[name == "huber-lasso"] {
				t.Errorf("%s: %s: %d candidates, %d failed", by, name, s.Candidates, s.Failed)
			}
		}
		// One table with a row for each regularizer; the methods without one are
		// in both, the parameter of the mixture, which has one value, stays.
		if len(r.Tables) != 1 || len(r.Tables[0].Rows) != 2 || len(r.Tables[0].Methods) != 3 || r.Tables[0].Select != by {
			t.Fatalf("%s: %+v", by, r.Tables)
		}
		for _, row := range r.Tables[0].Rows {
			if !row.Setting[selfpaced.DimAlpha].IsNull() || row.Repeats != 2 || row.Setting[selfpaced.DimRegularizerParam].IsNull() != (row.Setting[selfpaced.DimRegularizer].Text == "linear") {
				t.Errorf("%s: row %+v", by, row.Setting)
			}
			if got := row.Entries[0].Summary[analysis.TestAtBestTest].Mean; by == experiment.SelectValidation && math.Abs(got-2.05) > 1e-12 {
				t.Errorf("the plain fit has the mean %v, want 2.05", got)
			}
		}
		if text := strings.Join(r.Missing, " "); !strings.Contains(text, "choices of parameters among fewer cells than the grid has for them, because some are incomplete, failed or are not in the files: ") {
			t.Errorf("%s: %q does not tell of failed candidates", by, text)
		}
		checkSelectedFile(t, filepath.Join(folder, analysis.SelectedFile), r.Selected)
		report, err := os.ReadFile(filepath.Join(folder, "report.md"))
		if err != nil || !strings.Contains(string(report), "\n### Chosen by the oracle (the test part): age, regularizer, α and settings of methods\n") || !strings.Contains(string(report), "α=0.001, delta=2") {
			t.Errorf("%s: report.md does not tell what was chosen, %v", by, err)
		}
	}
}

// TestSelectBestCaption wants a parameter that one method has one value of, and
// another several, to be none of the row's.
func TestSelectBestCaption(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for i, alpha := range []float64{0.1, 0.2, 0.006} {
		row := testrun.Row{"cell": testrun.ID(i), "method": "original", "alpha": alpha}
		if i == 2 {
			row = testrun.Merge(row, testrun.Row{"method": "gaga", "regularizer": "mixture", "regularizer_param": 0.5})
		}
		rows = append(rows, row)
	}
	r, _ := selectReport(t, rows, experiment.SelectTest)
	row := r.Tables[0].Rows[0]
	if len(r.Tables[0].Rows) != 1 || !row.Setting[selfpaced.DimAlpha].IsNull() || row.Setting[selfpaced.DimRegularizerParam].IsNull() {
		t.Errorf("row %+v", row.Setting)
	}
}

// checkSelectedFile wants the file to hold the choices.
func checkSelectedFile(t *testing.T, path string, selected []analysis.Selected) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil || len(lines) != 1+len(selected) {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	at := map[string]int{}
	for j, name := range lines[0] {
		at[name] = j
	}
	for i, s := range selected {
		line := lines[1+i]
		if line[at["cell"]] != s.Cell || line[at["alpha"]] != s.Setting[selfpaced.DimAlpha].String() || line[at["chosen_by"]] != string(s.By) {
			t.Errorf("line %d: %q for %+v", i, line, s)
		}
	}
}

// TestSelectBestWithoutScores wants repeats in which nothing can be chosen to
// count as failed, and equal files for equal rows in another order.
func TestSelectBestWithoutScores(t *testing.T) {
	t.Parallel()
	rows := tuned()
	for _, row := range rows {
		if row["method"] == "original" && row["repeat"] == 1 {
			row["status"], row["test_at_best_test"], row["best_validation"], row["metric"] = "failed", nil, nil, nil
		}
	}
	r, folder := selectReport(t, rows, experiment.SelectValidation)
	if s := r.Selected[0]; s.Method != "original" || s.Cell != "" || s.Failed != 2 || !math.IsNaN(s.Value) {
		t.Errorf("%+v was chosen among failed cells", s)
	}
	if e := r.Tables[0].Rows[0].Entries[0]; e.Failed != 2 || e.Summary[analysis.TestAtBestTest].N != 1 {
		t.Errorf("%+v", e)
	}
	want, err := os.ReadFile(filepath.Join(folder, analysis.SelectedFile))
	if err != nil {
		t.Fatal(err)
	}
	for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
	_, folder = selectReport(t, rows, experiment.SelectValidation)
	if got, err := os.ReadFile(filepath.Join(folder, analysis.SelectedFile)); err != nil || string(got) != string(want) {
		t.Errorf("another order of rows gives\n%s\nnot\n%s, %v", got, want, err)
	}
}

// TestSelectAll wants a grid without select to keep every value and to remove
// an earlier list of choices.
func TestSelectAll(t *testing.T) {
	t.Parallel()
	rows := tuned()
	dir := testrun.Write(t, testrun.Tables{Cells: rows})
	stale := filepath.Join(dir, results.ReportFolder, analysis.SelectedFile)
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stale, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Write(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err == nil || r.Selected != nil {
		t.Errorf("choices remain: %+v, %v", r.Selected, err)
	}
	if text := strings.Join(r.Missing, " "); !strings.Contains(text, "choices of parameters among fewer cells than the grid has for them, because some are incomplete, failed or are not in the files: 2.") {
		t.Errorf("%q does not say that two choices lack a failed cell", text)
	}
	// Settings of a method are chosen in the table that leads, those that are
	// the same in all cells stay.
	if lead := r.Chosen[0]; strings.Join(lead.Methods, ", ") != "original, gaga, huber-lasso size=4" ||
		strings.Join(lead.Parameters, ", ") != "α, settings of methods" || len(lead.Rows) != 2 {
		t.Errorf("methods %q, parameters %q in %d rows", lead.Methods, lead.Parameters, len(lead.Rows))
	}
	want := []string{"original", "gaga", "huber-lasso delta=2 size=4", "huber-lasso delta=10 size=4"}
	if got := r.Tables[0].Methods; strings.Join(got, ", ") != strings.Join(want, ", ") || len(r.Tables[0].Rows) != 2*2 {
		t.Errorf("methods %q in %d rows, want %q in 4", got, len(r.Tables[0].Rows), want)
	}
	// Labels tell what differs.
	if labels := analysis.MethodLabels(want); labels[2] != "Huber Lasso delta=2" || labels[3] != "Huber Lasso delta=10" {
		t.Errorf("labels %q and %q", labels[2], labels[3])
	}
}

// TestSpreadIgnored puts methods that ignore a model's parameters beside every
// value of them.
func TestSpreadIgnored(t *testing.T) {
	t.Parallel()
	svm := testrun.Row{"model": "svm", "alpha": nil, "dataset": "digits", "metric": "accuracy"}
	var rows []testrun.Row
	add := func(row testrun.Row) {
		rows = append(rows, testrun.Merge(testrun.Merge(svm, row), testrun.Row{"cell": testrun.ID(len(rows))}))
	}
	for _, c := range []float64{1, 10} {
		add(testrun.Row{"method": "gaga", "regularizer": "linear", "kernel": "linear", "c": c})
		add(testrun.Row{"method": "original", "kernel": "linear", "c": c})
		for _, gamma := range []any{nil, 0.5} { // the first is the width scale
			add(testrun.Row{"method": "gaga", "regularizer": "linear", "kernel": "rbf", "kernel_gamma": gamma, "c": c})
			add(testrun.Row{"method": "original", "kernel": "rbf", "kernel_gamma": gamma, "c": c})
		}
	}
	add(testrun.Row{"method": "free"})                          // ignores C and kernel
	add(testrun.Row{"method": "kernelled", "kernel": "linear"}) // ignores C
	tables := tablesOf(t, rows)
	if len(tables) != 1 || len(tables[0].Rows) != 6 {
		t.Fatalf("%+v", tables)
	}
	for _, row := range tables[0].Rows {
		has := map[string]bool{}
		for j, method := range tables[0].Methods {
			has[method] = row.Entries[j].Cells == 1
		}
		if !has["gaga"] || !has["original"] || !has["free"] || has["kernelled"] != (row.Setting[selfpaced.DimKernel].Text == "linear") {
			t.Errorf("%s: %v", selfpaced.Layout.Describe(row.Setting), has)
		}
	}
}
