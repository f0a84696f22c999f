package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
)

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
