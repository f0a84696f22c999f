package benchmark

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/report"
)

// race is a comparison of three solvers on three problems.
func race() *comparison {
	c := times([]float64{0.001, 0.5, math.NaN()}, []float64{0.01, 0.002, inf}, []float64{inf, inf, 8})
	for i := range c.problems {
		p := &c.problems[i]
		rows := float64(1000 * (i + 1))
		p.setting = layout.Setting{dimDataset: {Text: fmt.Sprintf("generated-%gx5", rows)}, dimTask: {Text: "svm"}, dimRows: {Number: rows, IsNumber: true}}
		for m := range p.results {
			if of := &p.results[m]; of.repeats > 0 {
				of.seconds = []float64{inf, of.seconds[0], inf}
				of.repeats, of.setup, of.gap, of.overclaims, of.cells = 3, 0.0005, 1e-9, int64(m*i), []string{testrun.ID(10*i + m)}
			}
		}
	}
	return c
}

// TestSections has every table of the solvers in Markdown, and the file of the format csv.
func TestSections(t *testing.T) {
	t.Parallel()
	c := race()
	r := &report.Report{Run: &analysis.Run{Name: "race", Layout: Layout, Own: &layout.Part{Sections: c.sections()}}}
	var b strings.Builder
	if err := report.Formats[0].Files[0].Write(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## Solvers", "### Time to the relative gap 1e-05",
		"| rehline | ours | 3 | 2 | 1 | 1 | 2 | 1 | 1 | 1 |",
		"| peer | generic | 3 | 2 | 1 | 1 | 2 | 10 | 0.2 | 500 |",
		"| all of the family | generic | 5 | 3 | 2 | 2 | 2 | 10 | 0.2 | 500 |",
		"| the fastest of the family | generic | 3 | 3 | 2 | 2 | 2 | 10 | 0.2 | 500 |",
		"## Exceptions", "2 of 3 at 1e-05, of which 0 by the same steps", "Task: svm.",
		"| 1e-05 | generated-3000x5 | 3000 | third | others | 8 | not reached | - |",
		"| 1e-05 | generated-2000x5 | 2000 | peer | others | 0.002 | 0.01 | 5 |",
		"## Ratios of times",
		"| generated-1000x5 | 1000 | **0.001** | 500 | - |",
		"| generated-2000x5 | 2000 | 0.01 | **0.2** | not reached |",
		"| generated-3000x5 | 3000 | not reached | not reached | **8 s** |",
		"## Growth", "| generated, 5 features, svm | rehline | 0.001 | 0.01 | not reached | 3.32 |", "| generated, 5 features, svm | third | - | not reached | 8 | - |",
		"## Gaps by the solvers' own word", "| third | generic | 2 | 2 | 6 | 1e-09 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("report.md lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
	b.Reset()
	out, file := results.NewCSV(&b), c.file()
	out.Add(file.Head)
	for _, line := range file.Lines {
		out.Add(line...)
	}
	want := "dataset,task,task_params,regime,n_rows,method,family,repeats,setup_seconds,final_gap,overclaims,seconds_1e3,seconds_1e5,seconds_1e8\n" +
		"generated-1000x5,svm,,,1000,rehline,ours,3,0.0005,1e-09,0,,0.001,\n"
	if err := out.Flush(); err != nil || !strings.HasPrefix(b.String(), want) {
		t.Errorf("%s lacks %q:\n%s", file.Name, want, b.String())
	}
}

// TestFigures compares profiles with those by hand, and wants no figure of what no solver reached.
func TestFigures(t *testing.T) {
	t.Parallel()
	c := times([]float64{1, 2}, []float64{10, 20}, []float64{4, 1})
	for i, rows := range []float64{10, 1000, 7} {
		c.problems[i].setting = layout.Setting{dimDataset: {Text: fmt.Sprintf("generated-%gx5", rows)}, dimTask: {Text: "svm"}, dimRows: {Number: rows, IsNumber: true}}
	}
	c.problems[2].setting[dimDataset].Text = "read"
	o := &layout.Part{}
	c.Dir = t.TempDir()
	c.addFigures(o)
	var names []string
	for _, f := range o.Figures {
		names = append(names, f.Name)
		drawn, _ := f.Draw()
		if nothing := !strings.Contains(f.Name, "0.001"); (drawn == nil) != nothing {
			t.Errorf("%s: nothing is drawn, or what no solver reached", f.Name)
		}
	}
	want := []string{
		"profile-0.001", "growth-0.001-generated-5-features-svm", "profile-1e-05", "growth-1e-05-generated-5-features-svm",
		"profile-1e-08", "growth-1e-08-generated-5-features-svm",
	}
	if !slices.Equal(names, want) {
		t.Fatalf("figures %q, want %q", names, want)
	}
	if len(o.Missing) != 1 || !strings.Contains(o.Missing[0], "there is no curve.arrow (keep: {curve: true}") {
		t.Errorf("missing: %q", o.Missing)
	}
	// Ratios to the fastest: rehline's 1, 1 and 4, peer's 2, 2 and 1.
	for m, points := range [][]layout.Point{
		{{X: 1}, {X: 1, Y: 1. / 3}, {X: 1, Y: 1. / 3}, {X: 1, Y: 2. / 3}, {X: 4, Y: 2. / 3}, {X: 4, Y: 1}, {X: 12, Y: 1}},
		{{X: 1}, {X: 1, Y: 1. / 3}, {X: 2, Y: 1. / 3}, {X: 2, Y: 2. / 3}, {X: 2, Y: 2. / 3}, {X: 2, Y: 1}, {X: 12, Y: 1}},
	} {
		drawn, _ := o.Figures[0].Draw()
		if got := drawn.Series[m].Pieces[0]; !slices.Equal(got, points) {
			t.Errorf("profile of %s: %v, want %v", c.Methods[m], got, points)
		}
	}
}

// written writes the report of a folder, and returns its Markdown too.
func written(t *testing.T, dir string) (*report.Report, string) {
	t.Helper()
	r, err := report.Write(t.Context(), dir, report.Options{Formats: report.Formats[:4]})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report", "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	return r, string(text)
}

// TestSolverTies tells the solvers that make the same steps up to the gap from those that are
// faster by others, from the files of a run.
func TestSolverTies(t *testing.T) {
	t.Parallel()
	dir, tables := t.TempDir(), Tables()
	var cells, curve []testrun.Row
	// The descent alone takes half the time of rehline throughout. Points are of a gap above
	// 1e-5, and of two below.
	for i, c := range []struct {
		dataset           string
		repeat            int
		passes, objective [3]float64
	}{
		{"first alike", 1, [3]float64{1, 2, 3}, [3]float64{7, 6, 6}},
		{"first alike", 2, [3]float64{1, 4, 3}, [3]float64{7, 6, 6}},
		{"second alike", 1, [3]float64{1, 2, 3}, [3]float64{7, 6, 6}},
		{"second alike", 2, [3]float64{1, 2, 3}, [3]float64{7, math.Nextafter(6, 7), 6}},
		{"fewer passes", 1, [3]float64{1, 2, 3}, [3]float64{7, 6, 6}},
		{"beyond the gap", 1, [3]float64{1, 2, 3}, [3]float64{7, 6, 5.5}},
	} {
		for j, method := range []string{"rehline", "rehline-coordinate-descent"} {
			id := testrun.ID(2*i + j)
			cells = append(cells, testrun.Row{
				"cell": id, "dataset": c.dataset, "task": "svm", "task_params": nil, "n_rows": 100, "regime": "1", "method": method, "repeat": c.repeat,
				"family": "rehline", "metric": "seconds", "seconds_1e3": 0.2 / float64(j+1), "seconds_1e5": 0.2 / float64(j+1), "seconds_1e8": nil,
			})
			for k := range 3 {
				passes, objective := c.passes[k], c.objective[k]
				if j == 1 && c.dataset == "fewer passes" && k == 1 {
					passes--
				}
				if j == 1 && c.dataset == "second alike" && c.repeat == 2 {
					objective = 6
				}
				if j == 1 && c.dataset == "beyond the gap" && k == 2 {
					objective = 5
				}
				curve = append(curve, testrun.Row{
					"cell": id, "point": k, "seconds": 0.01, "passes": passes, "objective": objective, "violation": 0.0,
					"gap": []float64{1e-2, 1e-6, 1e-7}[k],
				})
			}
		}
	}
	writeRows(t, dir, tables.Cells(), cells)
	writeRows(t, dir, tables.Further[0], curve)
	if err := results.WriteManifest(dir, &results.Manifest{Name: "race", Run: "test", Kind: Name, Cells: int64(len(cells))}); err != nil {
		t.Fatal(err)
	}
	_, text := written(t, dir)
	for _, want := range []string{
		"| rehline | rehline | 4 | 4 | 0 | 2 | 4 | 1 | 1 | 1 |", "| rehline, descent alone | rehline | 4 | 4 | 4 | 4 | 4 | 0.5 | 0.5 | 0.5 |",
		"4 of 4 at 1e-05, of which 2 by the same steps",
		"| 1e-05 | first alike | rehline, descent alone | the same | 0.1 | 0.2 | 2 |",
		"| 1e-05 | second alike | rehline, descent alone | others |", "| 1e-05 | fewer passes | rehline, descent alone | others |",
		"| 1e-05 | beyond the gap | rehline, descent alone | the same |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("report.md lacks %q:\n%s", want, text)
		}
	}
}

// writeRows writes a table of rows, with values of their own where a row has none.
func writeRows(t *testing.T, dir string, table experiment.Table, rows []testrun.Row) {
	t.Helper()
	batch := experiment.Batch{Columns: make([]experiment.Vector, len(table.Columns))}
	for _, row := range rows {
		var values []any
		for _, column := range table.Columns {
			value, ok := row[column.Name]
			if !ok {
				value = testrun.Cell(column)
			}
			values = append(values, value)
		}
		if err := batch.Append(table.Columns, values...); err != nil {
			t.Fatal(err)
		}
	}
	if err := results.WriteTable(filepath.Join(dir, table.Name+".arrow"), table, "test", &batch, results.ZSTD); err != nil {
		t.Fatal(err)
	}
}

// TestSolverRun has the sections and figures of the files of a run of the kind solver-benchmark.
func TestSolverRun(t *testing.T) {
	t.Parallel()
	dir, tables := t.TempDir(), Tables()
	var cells, curve []testrun.Row
	for i, rows := range []int{100, 1000} {
		for j, method := range []string{"rehline", "cvxopt", "clp"} {
			cell := testrun.Row{
				"cell": testrun.ID(3*i + j), "dataset": fmt.Sprintf("generated-%dx5", rows), "task": "quantile", "task_params": `{"level":0.25,"intercept":"none"}`,
				"n_rows": rows, "regime": "1/n", "method": method, "family": "generic", "metric": "seconds", "seconds_1e3": 0.001, "seconds_1e5": 0.01 * float64((i+1)*(j+1)),
				"seconds_1e8": nil, "overclaims": j,
			}
			if method == "clp" {
				cell = testrun.Merge(cell, testrun.Row{"status": "skipped", "error": "there is no clp in the PATH", "metric": nil, "seconds_1e3": nil, "seconds_1e5": nil})
			}
			cells = append(cells, cell)
			for k := range 3 {
				curve = append(curve, testrun.Row{
					"cell": cell["cell"], "point": k, "seconds": 0.01 * float64(k+j+1), "gap": math.Pow(0.1, float64(3*k+1)), "violation": 1e-5 * float64(k/2),
				})
			}
		}
	}
	writeRows(t, dir, tables.Cells(), cells)
	writeRows(t, dir, tables.Further[0], curve)
	if err := results.WriteManifest(dir, &results.Manifest{Name: "race", Run: "test", Kind: Name, Cells: 6}); err != nil {
		t.Fatal(err)
	}
	r, text := written(t, dir)
	var names, titles []string
	for _, f := range r.Figures {
		names = append(names, f.Name)
		if f.Kind == figureGap && (len(f.Series) != 2 || len(f.Series[0].Pieces[0]) != 2) {
			t.Errorf("%s: %+v, want two points of two solvers", f.Name, f.Series)
		}
	}
	for _, s := range r.Sections() {
		titles = append(titles, s.Title)
	}
	if want := []string{"profile-0.001", "growth-0.001-generated-5-features-quantile-level-0.25-intercept-none-regime-1-n", "profile-1e-05",
		"growth-1e-05-generated-5-features-quantile-level-0.25-intercept-none-regime-1-n",
		"gap-generated-1000x5-quantile-level-0.25-intercept-none-regime-1-n", "gap-generated-100x5-quantile-level-0.25-intercept-none-regime-1-n"}; !slices.Equal(names, want) {
		t.Errorf("figures %q, want %q", names, want)
	}
	if want := []string{"Answer", "Solvers", "Exceptions", "Ratios of times", "Growth", "Gaps by the solvers' own word"}; !slices.Equal(titles, want) {
		t.Errorf("sections %q, want %q", titles, want)
	}
	for _, want := range []string{
		"| generated-1000x5 | 1000 | **0.02** | 2 | - |", "Settings: level=0.25 intercept=none. C: 1/n.",
		"| generated, 5 features, quantile, level=0.25 intercept=none, C=1/n | CVXOPT | 0.02 | 0.04 | 0.301 |",
		"\nFastest to a relative gap of 1e-05, of 2 solved problems: rehline on 2.\n", "| CVXOPT | 1 (2) | 2 (2) | - (0) |", "| 2 x | there is no clp in the PATH | Clp (2) |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("report.md lacks %q:\n%s", want, text)
		}
	}
}
