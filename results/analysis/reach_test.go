package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
)

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
	reaches := tablesOf(t, rows)[0].Reaches()
	if len(reaches) != 1 {
		t.Fatalf("%d settings, want 1", len(reaches))
	}
	want := []ReachPoint{ // the error falls: shares are path's / own
		{Method: 0, Step: math.NaN(), Time: 0.5, Share: Summary{0.5, 0, 2}},
		{Method: 1, Step: 0.1, Time: 2, Share: Summary{1, math.NaN(), 1}},
		{Method: 1, Step: 0.5, Time: 1. / 8, Share: Summary{0.9, math.Sqrt(0.02), 2}}, // 1/4 and 1/16
		{Method: 2, Step: math.NaN(), Time: 1, Share: Summary{1, 0, 2}},
	}
	if !slices.EqualFunc(reaches[0].Points, want, func(a, b ReachPoint) bool {
		return a.Method == b.Method && testrun.Near(a.Step, b.Step) && testrun.Near(a.Time, b.Time) &&
			testrun.Near(a.Share.Mean, b.Share.Mean) && testrun.Near(a.Share.Std, b.Share.Std) && a.Share.N == b.Share.N
	}) {
		t.Errorf("got %+v, want %+v", reaches[0].Points, want)
	}

	for i := range rows { // an accuracy rises
		rows[i] = testrun.Merge(rows[i], testrun.Row{"metric": "accuracy", "task": "classification"})
	}
	if p := tablesOf(t, rows)[0].Reaches()[0].Points[0]; !testrun.Near(p.Share.Mean, 2) {
		t.Errorf("share %g of an accuracy twice that of the path", p.Share.Mean)
	}
	if list := tablesOf(t, rows[:4])[0].Reaches(); list != nil {
		t.Errorf("one size of steps gives %+v", list)
	}
}
