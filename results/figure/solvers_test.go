package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// race is a benchmark of two targets on drawn data of two sizes and on data of one.
func race() *analysis.Benchmark {
	b := &analysis.Benchmark{
		Layout: &layout.Layout{
			Dimensions: []layout.DimensionInfo{{Column: "dataset"}, {Column: "task"}, {Column: "n_rows", Named: true}},
			Aspects:    []layout.Aspect{layout.Plain("data set", 0, false, nil), layout.Plain("task", 1, false, nil)},
			Solvers: &layout.Solvers{
				Main: "own", Targets: []layout.Target{{Gap: 1e-3, Column: "coarse"}, {Gap: 1e-5, Column: "fine"}}, Size: 2,
				Generator: func(s layout.Setting) string {
					return map[bool]string{true: "drawn, 5 features"}[strings.HasPrefix(s[0].Text, "drawn")]
				},
			},
		},
		Methods: []string{"own", "peer"}, Labels: []string{"own", "peer"}, Families: []string{"ours", "generic"},
	}
	inf := math.Inf(1)
	for i, of := range []struct {
		data string
		rows float64
		fine [2]float64
	}{{"drawn-10", 10, [2]float64{1, 2}}, {"drawn-1000", 1000, [2]float64{10, 20}}, {"read", 7, [2]float64{4, 1}}} {
		p := analysis.Problem{Setting: analysis.Setting{{Text: of.data}, {Text: "svm"}, {Number: of.rows, IsNumber: true}}}
		for m, fine := range of.fine {
			p.Results = append(p.Results, analysis.Result{Repeats: 1, Seconds: []float64{inf, fine}, Cell: testrun.ID(2*i + m)})
		}
		b.Problems = append(b.Problems, p)
	}
	return b
}

// TestSolverFigures draws profiles, growth and curves, and compares a profile with that by hand.
func TestSolverFigures(t *testing.T) {
	t.Parallel()
	b := race()
	curves := map[string][]Point{
		testrun.ID(0): {{X: 0.5, Y: 1e-3}, {X: 1, Y: 1e-9}}, testrun.ID(1): {{X: 2, Y: 1e-6}, {X: 3, Y: 1e-7}},
	}
	var names []string
	figures := map[string]*Figure{}
	for _, plan := range planSolvers(b, curves) {
		names = append(names, plan.name)
		f := plan.draw()
		figures[plan.name] = f
		if f == nil {
			continue
		}
		f.Kind, f.Name = plan.kind, plan.name
		checkFigure(t, f)
	}
	want := []string{
		"profile-0.001", "growth-0.001-drawn-5-features-svm", "profile-1e-05", "growth-1e-05-drawn-5-features-svm",
		"gap-drawn-10-svm", "gap-drawn-1000-svm", "gap-read-svm",
	}
	if !slices.Equal(names, want) {
		t.Fatalf("figures %q, want %q", names, want)
	}
	for _, name := range []string{want[0], want[1], want[5], want[6]} {
		if figures[name] != nil {
			t.Errorf("%s shows what nobody reached", name)
		}
	}
	// Ratios to the fastest: own 1, 1 and 4, peer 2, 2 and 1.
	for m, points := range [][]Point{
		{{X: 1}, {X: 1, Y: 1. / 3}, {X: 1, Y: 1. / 3}, {X: 1, Y: 2. / 3}, {X: 4, Y: 2. / 3}, {X: 4, Y: 1}, {X: 12, Y: 1}},
		{{X: 1}, {X: 1, Y: 1. / 3}, {X: 2, Y: 1. / 3}, {X: 2, Y: 2. / 3}, {X: 2, Y: 2. / 3}, {X: 2, Y: 1}, {X: 12, Y: 1}},
	} {
		if got := figures["profile-1e-05"].Series[m].Pieces[0]; !slices.Equal(got, points) {
			t.Errorf("profile of %s: %v, want %v", b.Methods[m], got, points)
		}
	}
	if planSolvers(nil, nil) != nil {
		t.Error("a run without solvers has figures of them")
	}
}
