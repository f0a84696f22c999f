package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results/report"
)

// flaky computes cells of the self-paced kind, except that acs fails in the second
// and the fourth repeat, and that gaga's path is cut off in the fifth as one that
// stops early is.
type flaky struct{ selfpaced.Kind }

func (k flaky) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	var method string
	var repeat int64
	for j, column := range k.Tables().Labels {
		switch value := task.Labels.At(column, j, 0); column.Name {
		case "method":
			method = value.(string)
		case "repeat":
			repeat = value.(int64)
		}
	}
	if method == selfpaced.ACS && repeat%2 == 0 {
		return experiment.Batch{}, nil, errors.New("out of luck")
	}
	measures, further, err := k.Kind.Compute(ctx, task, data)
	if err != nil || method != selfpaced.GAGA || repeat != 5 {
		return measures, further, err
	}
	return k.cut(measures, further)
}

// cutAfter is how many knots of a path that is cut off are left.
const cutAfter = 20

func (k flaky) cut(measures experiment.Batch, further map[string]experiment.Batch) (experiment.Batch, map[string]experiment.Batch, error) {
	var row experiment.Batch
	rows := map[string]experiment.Batch{}
	var reached, worst float64
	var tests []any                                    // by knot
	best := map[string]struct{ row, score, age any }{} // by part
	for _, table := range k.Tables().Further {
		columns := table.Columns[1:]
		all := further[table.Name]
		var kept experiment.Batch
		for i := range min(cutAfter, all.Rows) {
			values := make([]any, len(columns))
			for j, column := range columns {
				values[j] = all.At(column, j, i)
				switch column.Name {
				case "age":
					reached = values[j].(float64)
				case "kkt":
					worst = max(worst, values[j].(float64))
				case "test_score":
					tests = append(tests, values[j])
				}
			}
			for j, column := range columns {
				score, ok := values[j].(float64)
				part, isScore := strings.CutSuffix(column.Name, "_score")
				if had, there := best[part].score.(float64); ok && isScore && (!there || score < had) {
					best[part] = struct{ row, score, age any }{i, score, reached}
				}
			}
			if err := kept.Append(columns, values...); err != nil {
				return row, nil, err
			}
		}
		rows[table.Name] = kept
	}
	columns := k.Tables().Measures
	values := make([]any, len(columns))
	unit := 1.0
	for j, column := range columns {
		if column.Name == "target_scale" {
			unit = measures.At(column, j, 0).(float64)
		}
	}
	for j, column := range columns {
		switch values[j] = measures.At(column, j, 0); column.Name {
		case "test_at_end", "test_mae_at_end":
			values[j] = nil
		case "age_reached":
			values[j] = reached
		case "knots":
			values[j] = cutAfter
		case "max_kkt":
			values[j] = worst
		case "test_at_best_test":
			values[j] = best["test"].score
		case "age_of_best_test":
			values[j] = best["test"].age
		case "best_validation":
			values[j] = best["validation"].score
		case "age_of_best_validation":
			values[j] = best["validation"].age
		case "test_at_best_validation":
			values[j] = tests[best["validation"].row.(int)]
		case "test_mae_at_best_test", "test_mae_at_best_validation":
			values[j] = 0. // knots do not say it
		case "test_rmse":
			values[j] = tests[best["validation"].row.(int)].(float64) * unit
		}
	}
	if err := row.Append(columns, values...); err != nil {
		return row, nil, err
	}
	return row, rows, &experiment.StatusError{Status: experiment.Incomplete, Err: fmt.Errorf("the path stops at age %.4g of 20: event budget", reached)}
}

// TestFailedAndIncomplete runs a method that fails in two of five repeats, one whose
// path stops early in one, and one that does neither, and reads the report in all
// formats. A second run computes nothing, a retry of what is incomplete one cell.
func TestFailedAndIncomplete(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	const text = `
name: flaky
seed: 3
repeats: 5
data: [diabetes]
models: [{lasso: {alpha: 0.01, intercept: true}}]
regularizers: [{mixture: {gamma: [0.5]}}]
methods: [original, acs, gaga]
age: {min: 0.1, max: 20, acs_step: 1}
choose: {rule: best, trimmed: 0}
limits: {attempts: 3}
`
	grid, err := experiment.Parse([]byte(text), "grid.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	run := func(retry ...experiment.Status) *Summary {
		t.Helper()
		c := &Coordinator{Grid: grid, Plan: plan, Kind: flaky{}, Out: out, Workers: 1, Retry: retry}
		summary, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := summary.Counts; n[experiment.OK] != 17 || n[experiment.Incomplete] != 1 || n[experiment.Failed] != 2 || summary.Failed() != 2 {
			t.Fatalf("counts %v", n)
		}
		return summary
	}
	if n := run().Computed; n != 20 {
		t.Errorf("%d cells computed, want 20", n)
	}
	if n := run().Computed; n != 0 {
		t.Errorf("%d cells computed again", n)
	}
	if n := run(experiment.Incomplete).Computed; n != 1 {
		t.Errorf("%d cells computed by a retry of what is incomplete", n)
	}
	r, err := report.Write(t.Context(), out, report.Options{Formats: report.Formats})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) != 3 || r.Failures[0].Status != experiment.Incomplete {
		t.Fatalf("failures %+v", r.Failures)
	}
	cut, texts := r.Failures[0], reportTexts(t, r, out)
	listed := []string{cut.Cell, cut.Error, "out of luck"}
	counted := []string{"over 2 of 5 repeats", "(3 of 5; 2 failed)", "(4 of 5; 1 incomplete)"}
	for name, wants := range map[string][]string{
		"terminal":    append(slices.Clone(listed), counted...),
		"report.md":   append(slices.Clone(listed), counted...),
		"tables.tex":  append(slices.Clone(listed), counted...),
		"report.html": append(slices.Clone(listed), counted[0], `"3 of 5; 2 failed"`, `"4 of 5; 1 incomplete"`),
		"tables.csv":  {",acs,5,0,2,", ",gaga,5,1,0,"},
		"chosen.csv":  {",acs,5,0,2,", ",gaga,5,1,0,"},
		"score curve": {"3 to 5 of 5 repeats"},
	} {
		for _, want := range wants {
			if !strings.Contains(texts[name], want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

// reportTexts returns what a report says in each format, and what its score
// curve does.
func reportTexts(t *testing.T, r *report.Report, out string) map[string]string {
	t.Helper()
	var terminal strings.Builder
	if err := (report.Text{}).Write(&terminal, r); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"terminal": terminal.String()}
	for _, name := range []string{"report.md", "report.html", "tables.tex", "tables.csv", "chosen.csv"} {
		content, err := os.ReadFile(filepath.Join(out, "report", name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(content)
	}
	figures, err := filepath.Glob(filepath.Join(out, "report", "figures", "score-curve-*.svg"))
	if err != nil || len(figures) != 1 {
		t.Fatalf("score curves %v, %v", figures, err)
	}
	svg, err := os.ReadFile(figures[0])
	if err != nil {
		t.Fatal(err)
	}
	texts["score curve"] = string(svg)
	return texts
}
