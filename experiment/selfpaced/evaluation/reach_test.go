package evaluation

import (
	"math"
	"slices"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

func tablesOf(t *testing.T, rows []testrun.Row) []*analysis.ScoreTable {
	t.Helper()
	standing := analysis.NewStanding(testrun.Kind(t))
	if err := standing.AddRows(testrun.Frame(t, rows)); err != nil {
		t.Fatal(err)
	}
	return standing.Tables()
}

// TestReaches compares shares and times with numbers worked out by hand.
func TestReaches(t *testing.T) {
	t.Parallel()
	cell := func(method string, step any, repeat int, validation, seconds float64) testrun.Row {
		row := testrun.Row{
			"method": method, "repeat": repeat, "best_validation": validation, "cpu_seconds": seconds, "age_step": step,
			"regularizer": "linear", "age_min": 0.1, "age_max": 20.0,
		}
		if method == "original" {
			row = testrun.Row{"method": method, "repeat": repeat, "best_validation": validation, "cpu_seconds": seconds}
		}
		return row
	}
	rows := []testrun.Row{
		cell("gaga", nil, 1, 0.2, 4), cell("gaga", nil, 2, 0.4, 16),
		cell("acs", 0.5, 1, 0.25, 1), cell("acs", 0.5, 2, 0.4, 1),
		cell("acs", 0.1, 1, 0.2, 8),
		cell("original", nil, 1, 0.4, 2), cell("original", nil, 2, 0.8, 8),
	}
	reaches := reachesOf(tablesOf(t, rows)[0])
	if len(reaches) != 1 {
		t.Fatalf("%d settings, want 1", len(reaches))
	}
	want := []reachPoint{ // the error falls: shares are path's / own
		{method: 0, step: math.NaN(), time: 0.5, share: analysis.Summary{Mean: 0.5, Std: 0, N: 2}},
		{method: 1, step: 0.1, time: 2, share: analysis.Summary{Mean: 1, Std: math.NaN(), N: 1}},
		{method: 1, step: 0.5, time: 1. / 8, share: analysis.Summary{Mean: 0.9, Std: math.Sqrt(0.02), N: 2}}, // 1/4 and 1/16
		{method: 2, step: math.NaN(), time: 1, share: analysis.Summary{Mean: 1, Std: 0, N: 2}},
	}
	if !slices.EqualFunc(reaches[0].points, want, func(a, b reachPoint) bool {
		return a.method == b.method && testrun.Near(a.step, b.step) && testrun.Near(a.time, b.time) &&
			testrun.Near(a.share.Mean, b.share.Mean) && testrun.Near(a.share.Std, b.share.Std) && a.share.N == b.share.N
	}) {
		t.Errorf("got %+v, want %+v", reaches[0].points, want)
	}

	for i := range rows { // an accuracy rises
		rows[i] = testrun.Merge(rows[i], testrun.Row{"metric": "accuracy", "task": "classification"})
	}
	if p := reachesOf(tablesOf(t, rows)[0])[0].points[0]; !testrun.Near(p.share.Mean, 2) {
		t.Errorf("share %g of an accuracy twice that of the path", p.share.Mean)
	}
	if list := reachesOf(tablesOf(t, rows[:4])[0]); list != nil {
		t.Errorf("one size of steps gives %+v", list)
	}
}

// TestReachSheet has the table and a point in the figure for each size of steps, by time, where a
// grid has several, and only there.
func TestReachSheet(t *testing.T) {
	t.Parallel()
	rows := testrun.Steps()
	o := &layout.Part{}
	if addReaches(o, tablesOf(t, rows[:2])[0]); len(o.Time)+len(o.Figures) != 0 {
		t.Errorf("of one size of steps: %+v", o)
	}
	table := tablesOf(t, rows)[0]
	addReaches(o, table)
	if len(o.Time) != 1 || len(o.Figures) != 1 {
		t.Fatalf("%d tables, %d figures", len(o.Time), len(o.Figures))
	}
	var got [][]string
	for _, cells := range o.Time[0].Rows {
		var line []string
		for _, cell := range cells {
			line = append(line, cell.Text)
		}
		got = append(got, line)
	}
	want := [][]string{{"ACS", "0.1", "1", "2", "1.0000"}, {"ACS", "0.5", "1", "0.25", "0.8000"}, {"GAGA", "", "1", "1", "1.0000"}}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("rows %q, want %q", got, want)
	}
	f, _ := o.Figures[0].Draw()
	points := map[string][]layout.Point{"acs": {{X: 0.25, Y: 0.8}, {X: 2, Y: 1}}, "gaga": {{X: 1, Y: 1}}}
	if len(f.Series) != len(points) {
		t.Fatalf("%d series, want %d", len(f.Series), len(points))
	}
	for _, s := range f.Series {
		if !slices.EqualFunc(s.Pieces[0], points[analysis.MethodName(table.Methods[s.Method])], func(a, b layout.Point) bool { return testrun.Near(a.X, b.X) && testrun.Near(a.Y, b.Y) }) {
			t.Errorf("%s: %v", table.Methods[s.Method], s.Pieces)
		}
	}
}
