package report

import (
	"slices"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
)

// TestAlikeFits wants the report to say where most ages of a method by steps give the same model.
func TestAlikeFits(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for repeat := 1; repeat <= 3; repeat++ {
		for c, fits := range map[float64]int{0.1: 2, 1: 20, 10: 40} {
			rows = append(rows, testrun.Row{"method": "acs", "regularizer": "hard", "repeat": repeat, "alpha": c, "knots": 41, "distinct_fits": fits + repeat - 1})
		}
	}
	r := mustWrite(t, testrun.Write(t, testrun.Tables{Cells: rows}), Options{Figures: -1})
	const want = "ACS: 2 different fits at 41 ages, and fewer than half of the ages in 2 of 3 settings."
	if !slices.Contains(r.Missing, want) {
		t.Errorf("%q, want %q", r.Missing, want)
	}
}
