package figure

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"gonum.org/v1/plot/plotter"
)

func knot(number int64, age float64, event string, score float64) analysis.Knot {
	return analysis.Knot{Number: number, Age: age, Event: event, Score: score, Begins: event == analysis.EventStart}
}

func TestScorePath(t *testing.T) {
	t.Parallel()
	// A line from (1, 0) to (2, 1), a jump to 5, a line to (4, 9); at 3 a
	// second jump and a third at the same age.
	knots, _ := analysis.KnotsToDraw([]analysis.Knot{
		knot(6, 3, analysis.EventStart, 20), knot(0, 1, analysis.EventStart, 0), knot(1, 2, "jump", 1), knot(2, 2, analysis.EventStart, 5),
		knot(3, 3, "jump", 7), knot(4, 3, analysis.EventStart, 10), knot(5, 3, "jump", 10), knot(7, 4, "end", 22), knot(8, 5, "end", math.NaN()),
	})
	p := newScorePath(knots)
	tests := []struct{ age, before, after, heldBefore, heldAfter float64 }{
		{1, 0, 0, 0, 0},
		{1.5, 0.5, 0.5, 0, 0},
		{2, 1, 5, 0, 5},
		{2.5, 6, 6, 5, 5},
		{3, 7, 20, 5, 20},
		{3.5, 21, 21, 20, 20},
		{4, 22, 22, 20, 22},
	}
	for _, test := range tests {
		if got, _ := p.before(test.age, true); got != test.before {
			t.Errorf("before %v: %v, want %v", test.age, got, test.before)
		}
		if got, _ := p.after(test.age, true); got != test.after {
			t.Errorf("after %v: %v, want %v", test.age, got, test.after)
		}
		if got, _ := p.before(test.age, false); got != test.heldBefore {
			t.Errorf("held before %v: %v, want %v", test.age, got, test.heldBefore)
		}
		if got, _ := p.after(test.age, false); got != test.heldAfter {
			t.Errorf("held after %v: %v, want %v", test.age, got, test.heldAfter)
		}
	}
	if newScorePath([]analysis.Knot{knot(0, 1, analysis.EventStart, math.NaN())}) != nil {
		t.Error("there is a path of no scores")
	}
}

// The mean of a path that is the age and one that jumps from 0 to 1 at age 2
// is a line with one gap.
func TestMeanCurveContinuous(t *testing.T) {
	t.Parallel()
	identity := newScorePath([]analysis.Knot{knot(0, 0.5, analysis.EventStart, 0.5), knot(1, 3, "end", 3)})
	step := newScorePath([]analysis.Knot{knot(0, 1, analysis.EventStart, 0), knot(1, 2, "jump", 0), knot(2, 2, analysis.EventStart, 1), knot(3, 4, "end", 1)})
	pieces, lo, hi := meanCurve([]*scorePath{identity, step}, true)
	if lo != 1 || hi != 3 || len(pieces) != 2 {
		t.Fatalf("%d pieces over [%v, %v]", len(pieces), lo, hi)
	}
	for i, piece := range pieces {
		if first, last := piece[0].X, piece[len(piece)-1].X; first != float64(i+1) || last != float64(i+2) {
			t.Errorf("piece %d goes from %v to %v", i, first, last)
		}
		if len(piece) < curvePoints/3 {
			t.Errorf("piece %d has %d points", i, len(piece))
		}
		for _, p := range piece {
			if want := (p.X + float64(i)) / 2; math.Abs(p.Y-want) > 1e-12 {
				t.Fatalf("at %v: %v, want %v", p.X, p.Y, want)
			}
		}
	}
}

func TestMeanCurveSteps(t *testing.T) {
	t.Parallel()
	a := newScorePath([]analysis.Knot{knot(0, 1, analysis.EventStart, 0), knot(1, 2, "grid", 4), knot(2, 4, "end", 6)})
	b := newScorePath([]analysis.Knot{knot(0, 1, analysis.EventStart, 2), knot(1, 3, "grid", 0), knot(2, 4, "end", 0)})
	pieces, _, _ := meanCurve([]*scorePath{a, b}, false)
	// The deviation of two scores is their difference over √2.
	near, far := 2/math.Sqrt2, 4/math.Sqrt2
	want := [][]layout.Point{{{X: 1, Y: 1, Band: near}, {X: 2, Y: 1, Band: near}}, {{X: 2, Y: 3, Band: near}, {X: 3, Y: 3, Band: near}}, {{X: 3, Y: 2, Band: far}, {X: 4, Y: 2, Band: far}}}
	same := func(a, b layout.Point) bool { return a.X == b.X && a.Y == b.Y && math.Abs(a.Band-b.Band) < 1e-12 }
	if !slices.EqualFunc(pieces, want, func(a, b []layout.Point) bool { return slices.EqualFunc(a, b, same) }) {
		t.Errorf("%v, want %v", pieces, want)
	}
}

func TestMeanCurveBounded(t *testing.T) {
	t.Parallel()
	var knots []analysis.Knot
	for i := range 5000 {
		age := 1 + float64(i)/1000
		knots = append(knots, knot(int64(2*i), age, analysis.EventStart, age), knot(int64(2*i+1), age+0.001, "jump", age))
	}
	pieces, lo, hi := meanCurve([]*scorePath{newScorePath(knots)}, true)
	if len(pieces) != curvePoints-1 || pieces[0][0].X != lo || pieces[len(pieces)-1][1].X != hi {
		t.Errorf("%d pieces", len(pieces))
	}
	for _, piece := range pieces {
		for _, p := range piece {
			if math.Abs(p.Y-p.X) > 0.0011 {
				t.Fatalf("at %v: %v", p.X, p.Y)
			}
		}
	}
}

func TestMeanCurveWithoutCommonAges(t *testing.T) {
	t.Parallel()
	a := newScorePath([]analysis.Knot{knot(0, 1, analysis.EventStart, 0), knot(1, 2, "end", 4)})
	b := newScorePath([]analysis.Knot{knot(0, 2, analysis.EventStart, 2), knot(1, 3, "end", 0)})
	for _, paths := range [][]*scorePath{nil, {a, b}} {
		if pieces, _, _ := meanCurve(paths, true); pieces != nil {
			t.Errorf("%d pieces of %d paths", len(pieces), len(paths))
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	var points plotter.XYs
	for i := range 1001 {
		points = append(points, plotter.XY{X: math.Pow(10, float64(i)/500)})
	}
	got := spread(points, 4, true)
	want := []float64{1, math.Pow(10, 0.5), 10, math.Pow(10, 1.5)}
	for i := range want {
		if len(got) < len(want) || math.Abs(got[i].X-want[i]) > 0.01*want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	if got := spread(points[:4], 4, true); len(got) != 4 {
		t.Errorf("%d of 4 points", len(got))
	}
}

func curveFigure(t *testing.T, table *analysis.ScoreTable, paths []*scorePath) *Figure {
	t.Helper()
	f := scoreCurveFigure(table, table.Rows[0], &analysis.DataFacts{}, func(*analysis.ScoreEntry) [2][]*scorePath { return [2][]*scorePath{paths} })
	if f == nil {
		t.Fatal("no figure")
	}
	return New(&layout.FigurePlan{Methods: table.Methods}, f)
}

// TestScoreCurveBand wants the band of a score curve to be one standard
// deviation of the scores at the age, and all of it on the axis, however small the
// differences of the means are beside it.
func TestScoreCurveBand(t *testing.T) {
	t.Parallel()
	paths := []*scorePath{
		newScorePath([]analysis.Knot{knot(0, 1, analysis.EventStart, 0.10), knot(1, 2, "end", 0.11)}),
		newScorePath([]analysis.Knot{knot(0, 1, analysis.EventStart, 0.40), knot(1, 2, "end", 0.41)}),
		newScorePath([]analysis.Knot{knot(0, 1, analysis.EventStart, 0.70), knot(1, 2, "end", 0.71)}),
	}
	table := tablesOf(t, []testrun.Row{{"method": "gaga", "regularizer": "linear"}})[0]
	f := curveFigure(t, table, paths)
	const deviation = 0.3 // of 0.1, 0.4, 0.7
	for _, piece := range f.Series[0].Pieces {
		for _, p := range piece {
			if math.Abs(p.Band-deviation) > 1e-12 {
				t.Fatalf("at age %v the band is %v, want %v", p.X, p.Band, deviation)
			}
		}
	}
	p, err := f.plot()
	if err != nil {
		t.Fatal(err)
	}
	if p.Y.Min > 0.10 || p.Y.Max < 0.71 {
		t.Errorf("the axis goes from %v to %v", p.Y.Min, p.Y.Max)
	}
	if !strings.Contains(f.Note, "mean ± standard deviation over 3 ") {
		t.Errorf("note %q", f.Note)
	}
}

// TestScoreCurveChoices wants a mark for each repeat at the age that validation chose, and the
// constant's score as a level line over all ages.
func TestScoreCurveChoices(t *testing.T) {
	t.Parallel()
	path := newScorePath([]analysis.Knot{knot(0, 1, analysis.EventStart, 0.10), knot(1, 2, "end", 0.11)})
	table := tablesOf(t, []testrun.Row{
		{"method": "gaga", "regularizer": "linear", "repeat": 1, "age_of_best_validation": 1.25, "test_at_best_validation": 0.102, "best_validation": 0.1},
		{"method": "gaga", "regularizer": "linear", "repeat": 2, "age_of_best_validation": 1.75, "test_at_best_validation": 0.108, "best_validation": 0.1},
		{"method": "constant", "repeat": 1, "test_at_best_validation": 0.3, "best_validation": 0.3},
		{"method": "constant", "repeat": 2, "test_at_best_validation": 0.5, "best_validation": 0.3},
	})[0]
	f := curveFigure(t, table, []*scorePath{path, path})
	want := map[string][][]layout.Point{
		"constant":                {{{X: 1, Y: 0.4}, {X: 2, Y: 0.4}}},
		"GAGA, age by validation": {{{X: 1.25, Y: 0.102}}, {{X: 1.75, Y: 0.108}}},
	}
	for _, s := range f.Series {
		if pieces, ok := want[s.Name]; ok && !reflect.DeepEqual(s.Pieces, pieces) {
			t.Errorf("%s: %v, want %v", s.Name, s.Pieces, pieces)
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("no series %v", want)
	}
	if _, err := f.SVG(); err != nil {
		t.Error(err)
	}
}
