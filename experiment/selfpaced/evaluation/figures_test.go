package evaluation

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// TestEventFigures wants the shares of the points of a kind, and their mean number.
func TestEventFigures(t *testing.T) {
	t.Parallel()
	run, err := analysis.Load(t.Context(), testrun.Write(t, testrun.Quickstart(3)), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for _, of := range run.Own.Figures {
		if of.Kind != selfpaced.FigureEvents {
			continue
		}
		cells := map[string]bool{}
		for _, cell := range of.Cells {
			cells[cell] = true
		}
		if err := run.Own.Read(t.Context(), cells); err != nil {
			t.Fatal(err)
		}
		f, missing := of.Draw()
		if f == nil {
			t.Fatal(missing)
		}
		drawn++
		// appendPath has 18 turning points and 2 jumps.
		if len(f.Series) != 2 || !strings.Contains(f.Note, "18.0 turning points and 2.0 jumps a path, mean over 3 repeats") {
			t.Errorf("%s: %d series, %s", of.Name, len(f.Series), f.Note)
		}
		for _, s := range f.Series {
			sum := 0.0
			for _, p := range s.Pieces[0] {
				sum += p.Y
			}
			if !testrun.Near(sum, 100) {
				t.Errorf("%s: %s sum to %v %%", of.Name, s.Name, sum)
			}
		}
	}
	if drawn != 2 {
		t.Errorf("%d figures, want 2", drawn)
	}
}

// TestWithoutCoefficients wants the critical points of paths whose coefficients were not kept.
func TestWithoutCoefficients(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Quickstart(1))
	if err := os.Remove(filepath.Join(dir, "coefficients.arrow")); err != nil {
		t.Fatal(err)
	}
	run, err := analysis.Load(t.Context(), dir, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Own.Figures) != 2 || len(run.Own.Missing) != 0 {
		t.Fatalf("%d figures, missing %q", len(run.Own.Figures), run.Own.Missing)
	}
	of := run.Own.Figures[0]
	if err := run.Own.Read(t.Context(), map[string]bool{of.Cells[0]: true}); err != nil {
		t.Fatal(err)
	}
	if f, missing := of.Draw(); f == nil {
		t.Error(missing)
	}
}

func TestPathFigure(t *testing.T) {
	t.Parallel()
	f := steppedPath().figure()
	names := make([]string, len(f.Series))
	for i, s := range f.Series {
		names[i] = s.Name
	}
	if want := []string{"feature 0", "feature 1", "1 turning point", "1 jump"}; !slices.Equal(names, want) {
		t.Fatalf("series %q, want %q", names, want)
	}
	want := [][]layout.Point{{{X: 1, Y: 0}, {X: 1.5, Y: 1}, {X: 2, Y: 2}}, {{X: 2, Y: -3}, {X: 4, Y: -3}}}
	if !slices.EqualFunc(f.Series[0].Pieces, want, slices.Equal) {
		t.Errorf("feature 0 is %v, want %v", f.Series[0].Pieces, want)
	}
	if turn, jump := f.Series[2].Pieces[0], f.Series[3].Pieces[0]; turn[0].X != 1.5 || jump[0].X != 2 || turn[0].Y >= -3 || jump[0].Y >= turn[0].Y {
		t.Errorf("turning point %v, jump %v", turn, jump)
	}
	if f.Series[2].Style.Mark == f.Series[3].Style.Mark || !slices.Equal(f.Rules, []float64{2}) || f.X.Log {
		t.Errorf("marks of critical points: %+v", f)
	}
}

func TestPathFigureManyCoefficients(t *testing.T) {
	t.Parallel()
	p := &agePath{ages: []float64{0.1, 20}, events: []string{"start", "end"}, values: [][]float64{make([]float64, 101), make([]float64, 101)}}
	for j := range 90 {
		p.values[1][j] = float64(j)
	}
	for range 100 {
		p.names = append(p.names, strings.Repeat("x", len(p.names)+1))
	}
	f := p.figure()
	if len(f.Series) != namedCoefficients+1 || f.Series[0].Name != p.names[89] || f.Series[namedCoefficients].Name != "60 smaller" || !f.X.Log {
		t.Errorf("%d series, first %q", len(f.Series), f.Series[0].Name)
	}
	if f.Caption != "Not drawn: 22 smaller coefficients and 11 coefficients, 0 at every knot. " { // 89 that are not 0, 7 and 60 drawn
		t.Errorf("caption %q", f.Caption)
	}
}

// TestPathFaults wants paths that cannot be drawn to be told, and none drawn of coefficients that
// are 0.
func TestPathFaults(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*agePath){
		"knot 0 has no coefficient": func(p *agePath) { p.values[0] = p.values[0][:1] },
		"knot 2 has 1 values":       func(p *agePath) { p.values[2] = p.values[2][:1] },
		"knot 1 has a value that":   func(p *agePath) { p.values[1][0] = math.NaN() },
		"knot 4 has a value that":   func(p *agePath) { p.ages[4] = math.Inf(1) },
	} {
		p := steppedPath()
		spoil(p)
		if fault := p.fault(); !strings.Contains(fault, want) {
			t.Errorf("%q, want %q", fault, want)
		}
	}
	p := steppedPath()
	if p.values = slices.Repeat([][]float64{{0, 0, 0, 1}}, 5); p.fault() != "" || p.figure() != nil {
		t.Error("a figure of coefficients that are 0")
	}
}

// steppedPath is a path of three coefficients with a jump at age 2.
func steppedPath() *agePath {
	return &agePath{
		ages:   []float64{1, 1.5, 2, 2, 4},
		events: []string{"start", "turning", "jump", "start", "end"},
		begins: []bool{true, false, false, true, false},
		values: [][]float64{{0, 0.5, 0, 9}, {1, 0.5, 0, 9}, {2, 0.5, 0, 9}, {-3, 0.25, 0, 9}, {-3, 0.25, 0, 9}},
	}
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	linear := histogram([]float64{0, 0.4, 1.5, 24}, 0, 24, false)
	if len(linear) != eventBins+1 || linear[0] != (layout.Point{Y: 50}) || linear[1] != (layout.Point{X: 1, Y: 25}) || linear[23] != (layout.Point{X: 23, Y: 25}) || linear[24] != (layout.Point{X: 24}) {
		t.Errorf("%v", linear)
	}
	logarithmic := histogram([]float64{1, 15, math.Pow(2, 23.5)}, 1, math.Pow(2, 24), true)
	if !testrun.Near(logarithmic[1].X, 2) || !testrun.Near(logarithmic[3].Y, 100./3) || !testrun.Near(logarithmic[23].Y, 100./3) {
		t.Errorf("%v", logarithmic)
	}
}

// TestConsistencyFigure counts the ages at which alternate convex search is on the
// path, between knots and before a jump, and elsewhere.
func TestConsistencyFigure(t *testing.T) {
	t.Parallel()
	path := &agePath{
		ages:   []float64{1, 3, 3, 5},
		events: []string{"start", "jump", "start", "end"},
		begins: []bool{true, false, true, false},
		values: [][]float64{{0, 1, 0}, {2, 1, 0}, {8, 1, 0}, {8, 1, 0}},
	}
	steps := &agePath{
		ages:   []float64{0.5, 1, 2, 2.9, 4, 5},
		events: []string{"start", "grid", "grid", "grid", "grid", "end"},
		values: [][]float64{{0, 1, 0}, {0, 1, 0}, {1, 1, 0}, {8, 1, 0}, {8, 1.1, 0}, {8.05, 1, 0}},
	}
	f := path.consistencyFigure(steps)
	if !strings.Contains(f.Note, "at 3 of 5 ages") || len(f.Series) != 4 {
		t.Errorf("%d series, %s", len(f.Series), f.Note)
	}
	steps.ages = []float64{6, 7, 8, 9, 10, 11}
	if f = path.consistencyFigure(steps); f != nil {
		t.Errorf("ages apart: %v", f)
	}
}
