package report

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/solverbench"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/figure"
	"github.com/agepath/agepath/results/layout"
)

// race is a report on two solvers and three problems.
func race() *Report {
	l := &layout.Layout{
		Dimensions: []layout.DimensionInfo{{Column: "dataset"}, {Column: "task"}, {Column: "n_rows"}},
		Aspects: []layout.Aspect{
			layout.Plain("data set", 0, false, nil), layout.Plain("task", 1, false, nil), layout.Plain("rows", 2, true, layout.Behind("rows")),
		},
		Solvers: &layout.Solvers{
			Main: "own", Targets: []layout.Target{{Gap: 1e-5, Column: "seconds_1e5"}}, Family: "family", Setup: "setup_seconds",
			Gap: "final_gap", Overclaims: "overclaims", Size: 2, Generator: func(layout.Setting) string { return "drawn" },
		},
	}
	b := &analysis.Benchmark{
		Layout: l, Methods: []string{"own", "peer", "third"}, Labels: []string{"own", "peer", "third"}, Families: []string{"ours", "generic", "generic"},
	}
	inf := math.Inf(1)
	for i, seconds := range [][]float64{{0.001, 0.5}, {0.01, 0.002, inf}, {inf, inf, 8}} {
		p := analysis.Problem{
			Setting: analysis.Setting{{Text: fmt.Sprint("data-", i)}, {Text: "svm"}, {Number: float64(1000 * (i + 1)), IsNumber: true}},
			Results: make([]analysis.Result, 3),
		}
		for m, s := range seconds {
			p.Results[m] = analysis.Result{Repeats: 3, Seconds: []float64{s}, Setup: 0.0005, Gap: 1e-9, Overclaims: int64(m * i)}
		}
		b.Problems = append(b.Problems, p)
	}
	return &Report{Run: &analysis.Run{Name: "race", Layout: l, Benchmark: b}}
}

// TestSolverSections has every table of the solvers in every format.
func TestSolverSections(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := writeMarkdown(&b, race()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## Solvers", "### Time to the relative gap 1e-05",
		"| own | ours | 3 | 2 | 1 | 1 | 2 | 1 | 1 | 1 |",
		"| peer | generic | 3 | 2 | 1 | 1 | 2 | 10 | 0.2 | 500 |",
		"| all of the family | generic | 5 | 3 | 2 | 2 | 2 | 10 | 0.2 | 500 |",
		"| the fastest of the family | generic | 3 | 3 | 2 | 2 | 2 | 10 | 0.2 | 500 |",
		"## Exceptions", "2 of 3 at 1e-05, of which 0 by the same steps.", "task: svm.",
		"| 1e-05 | data-2 | 3000 | third | others | 8 | not reached | - |",
		"| 1e-05 | data-1 | 2000 | peer | others | 0.002 | 0.01 | 5 |",
		"## Ratios of times",
		"| data-0 | 1000 | **0.001** | 500 | - |",
		"| data-1 | 2000 | 0.01 | **0.2** | not reached |",
		"| data-2 | 3000 | not reached | not reached | **8 s** |",
		"## Growth", "| drawn, svm | own | 0.001 | 0.01 | not reached | 3.32 |", "| drawn, svm | third | - | not reached | 8 | - |",
		"## Gaps by the solvers' own word", "| third | generic | 2 | 2 | 6 | 1e-09 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("report.md lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
	for _, format := range Formats {
		for _, file := range format.Files {
			b.Reset()
			if file.Empty == nil || !file.Empty(race()) {
				if err := file.Write(&b, race()); err != nil {
					t.Errorf("%s: %v", file.Name, err)
				}
			}
			if want := "data-1,svm,2000,own,ours,3,0.0005,1e-09,0,0.01\n"; file.Name == "solvers.csv" && !strings.Contains(b.String(), want) {
				t.Errorf("solvers.csv lacks %q:\n%s", want, b.String())
			}
			if none := (&Report{Run: &analysis.Run{}}); file.Name == "solvers.csv" && !file.Empty(none) {
				t.Error("a run without solvers has solvers.csv")
			}
		}
	}
}

// TestSolverTies tells the solvers that make the same steps up to the gap from those that are
// faster by others, from the files of a run.
func TestSolverTies(t *testing.T) {
	t.Parallel()
	dir, tables := t.TempDir(), solverbench.Tables()
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
	if err := results.WriteManifest(dir, &results.Manifest{Name: "race", Run: "test", Kind: solverbench.Name, Cells: int64(len(cells))}); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, Options{Formats: Formats[:1]})
	text := filesIn(t, dir)[filepath.Join(reportFolder, "report.md")]
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
	dir, tables := t.TempDir(), solverbench.Tables()
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
	if err := results.WriteManifest(dir, &results.Manifest{Name: "race", Run: "test", Kind: solverbench.Name, Cells: 6}); err != nil {
		t.Fatal(err)
	}
	r := mustWrite(t, dir, Options{Formats: Formats[:4]})
	var names, titles []string
	for _, f := range r.Figures {
		names = append(names, f.Name)
		if f.Kind == figure.Gap && (len(f.Series) != 2 || len(f.Series[0].Pieces[0]) != 2) {
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
	if want := []string{"Solvers", "Exceptions", "Ratios of times", "Growth", "Gaps by the solvers' own word", "Skipped cells"}; !slices.Equal(titles, want) {
		t.Errorf("sections %q, want %q", titles, want)
	}
	text := filesIn(t, dir)[filepath.Join(reportFolder, "report.md")]
	for _, want := range []string{
		"| generated-1000x5 | 1000 | **0.02** | 2 | - |", "settings: level=0.25 intercept=none. C: 1/n.",
		"| generated, 5 features, quantile, level=0.25 intercept=none, C=1/n | CVXOPT | 0.02 | 0.04 | 0.301 |", `pl.col("seconds_1e3", "setup_seconds")`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("report.md lacks %q:\n%s", want, text)
		}
	}
}
