package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/agepath/agepath/results/analysis"
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
		"| own | ours | 3 | 2 | 1 | 2 | 1 | 1 | 1 |",
		"| peer | generic | 3 | 2 | 1 | 2 | 10 | 0.2 | 500 |",
		"| all of the family | generic | 5 | 3 | 2 | 2 | 10 | 0.2 | 500 |",
		"| the fastest of the family | generic | 3 | 3 | 2 | 2 | 10 | 0.2 | 500 |",
		"## Exceptions", "2 of 3 at 1e-05.", "task: svm.",
		"| 1e-05 | data-2 | 3000 | third | 8 | not reached | - |",
		"| 1e-05 | data-1 | 2000 | peer | 0.002 | 0.01 | 5 |",
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
