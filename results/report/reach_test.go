package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// TestReachSheet has the table where a grid has steps of several sizes, and only there.
func TestReachSheet(t *testing.T) {
	t.Parallel()
	rows := testrun.Steps()
	text := func(rows []testrun.Row) string {
		tables, err := analysis.Sensitivity(testrun.Kind(t), testrun.Frame(t, rows))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeMarkdown(&b, &Report{Run: &analysis.Run{Name: "steps", Layout: tables[0].Layout, Tables: tables}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := text(rows)
	for _, want := range []string{
		"### Time to the same information", "| method | step | repeats | time | share |",
		"| ACS | 0.1 | 1 | 2 | 1.0000 |", "| ACS | 0.5 | 1 | 0.25 | 0.8000 |", "| GAGA | - | 1 | 1 | 1.0000 |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(text(rows[:2]), "Time to the same") {
		t.Error("a table of one size of steps")
	}
}

// TestHoursSheet adds up the time of the methods, of failed cells too, and tells cells whose
// processor time is not known. A folder without such times has no table.
func TestHoursSheet(t *testing.T) {
	t.Parallel()
	text := func(cells ...testrun.Row) string {
		run := testrun.Quickstart(1)
		for i, more := range cells {
			run.Cells[i] = testrun.Merge(run.Cells[i], more)
		}
		r, err := Load(t.Context(), testrun.Write(t, run), Options{Figures: -1})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeMarkdown(&b, r); err != nil {
			t.Fatal(err)
		}
		_, sheet, _ := strings.Cut(b.String(), "### CPU hours by method")
		sheet, _, _ = strings.Cut(sheet, "\n#")
		return sheet
	}
	cell := func(method string, cpu any, wall float64) testrun.Row {
		return testrun.Row{"method": method, "cpu_seconds": cpu, "wall_seconds": wall}
	}
	failed := testrun.Merge(cell("acs", 1800.0, 3600), testrun.Row{"status": "failed", "error": "x"})
	got := text(cell("gaga", 3600.0, 7200), cell("gaga", 5400.0, 7200), failed, cell("acs", nil, 360))
	for _, want := range []string{"| GAGA | 17 | 17 | 2.5000 | 4.0000 |", "| ACS | 28 | 27 | 0.5000 | 1.1000 |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := text(); got != "" {
		t.Errorf("without times there is\n%s", got)
	}
}
