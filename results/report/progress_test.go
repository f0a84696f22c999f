package report

import (
	"slices"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// TestReportTellsItsSteps wants every step of a report to be told, figures counted
// one by one.
func TestReportTellsItsSteps(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Quickstart(3))
	var steps []string
	last := map[string]analysis.Step{}
	report, err := Write(t.Context(), dir, Options{Figures: 5, Formats: Formats, Progress: func(s analysis.Step) {
		if before, there := last[s.What]; !there {
			steps = append(steps, s.What)
		} else if s.At != before.At+1 || s.Of != before.Of {
			t.Errorf("%+v follows %+v", s, before)
		}
		last[s.What] = s
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"checking the files", "reading the cells", "making tables", "reading the knots of figures", "making figures", "drawing figures", "writing the report"}
	if !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	for what, n := range map[string]int{"drawing figures": len(report.Figures), "writing the report": len(Formats)} {
		if s := last[what]; n == 0 || s.At != n || s.Of != n {
			t.Errorf("%s ends at %+v, want %d", what, s, n)
		}
	}
}
