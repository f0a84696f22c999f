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
