package report

import (
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/prose"
)

// TestDigitsOfRows has methods that go astray by hundreds in one repeat next to a plain fit with
// an error of 0.27: its digits stay, in rows of a method and in rows of all methods.
func TestDigitsOfRows(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for repeat, astray := range []float64{0.28, 727.8, 213.7, 0.27} {
		for method, score := range map[string]float64{"original": 0.27 + 0.002*float64(repeat%2), "acs": astray, "gaga": astray} {
			rows = append(rows, testrun.Row{
				"method": method, "repeat": repeat + 1, "best_validation": score, "test_at_best_validation": score, "test_at_best_test": score, "test_at_end": score,
			})
		}
	}
	r, err := Load(t.Context(), testrun.Write(t, testrun.Tables{Cells: rows}), Options{Figures: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range r.Sections()[:1] {
		for _, s := range section.Sheets[:1] {
			found := ""
			for _, row := range s.Rows {
				for _, cell := range row {
					if strings.HasPrefix(cell.Text, "0.27") {
						found = cell.Text + " ± " + cell.Std
					}
				}
			}
			if !strings.HasPrefix(found, "0.27") || !strings.Contains(found, "± 0.001") {
				t.Errorf("%s: the plain fit is %q in %v", s.Title, found, s.Rows)
			}
		}
	}
}

// TestRowDecimals: a row has the table's digits unless they are off by more than one.
func TestRowDecimals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ofTable   int
		mean, std float64
		want      string
	}{
		{3, 0.97, 0.0081, "0.970"}, {3, 0.97, 0.28, "0.970"}, {0, 0.27, 0.04, "0.270"}, {4, 94, 232, "94"}, {0, 0.27, 0.9, "0.27"}, {0, 0.0271, 0.003, "0.0271"},
	} {
		s := analysis.Summary{Mean: test.mean, Std: test.std, N: 3}
		if got := prose.Fixed(test.mean, rowDecimals(test.ofTable, s)); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
