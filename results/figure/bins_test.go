package figure

import (
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// TestBandOnLogarithmicAxis draws a band that goes below 0.
func TestBandOnLogarithmicAxis(t *testing.T) {
	t.Parallel()
	checkFigure(t, New(&layout.FigurePlan{Name: "time-x", Methods: []string{"gaga"}}, &layout.Figure{
		X: layout.AxisLabel{Text: "rows"}, Y: layout.AxisLabel{Text: "time", Log: true},
		Series: []layout.Series{{Pieces: [][]layout.Point{{{X: 1, Y: 1, Band: 2}, {X: 2, Y: 100, Band: 300}}}}},
	}))
}

func TestOutline(t *testing.T) {
	t.Parallel()
	stairs := outline([]layout.Point{{X: 0, Y: 2}, {X: 1, Y: 3}, {X: 2}})
	if want := []layout.Point{{}, {Y: 2}, {X: 1, Y: 2}, {X: 1, Y: 3}, {X: 2, Y: 3}, {X: 2}}; !slices.Equal(stairs, want) {
		t.Errorf("outline %v, want %v", stairs, want)
	}
}

// TestExtents wants rows to tell numbers of training rows and ages only where a
// data set has several, and figures of one to take the fullest.
func TestExtents(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for _, n := range []int{100, 200} {
		for _, step := range []float64{0.5, 0.1} {
			rows = append(rows, testrun.Row{"method": "acs", "n_train": n, "regularizer": "linear", "age_min": 0.1, "age_max": 20.0, "age_step": step})
		}
		rows = append(rows, testrun.Row{"method": "gaga", "n_train": n, "regularizer": "linear", "age_min": 0.1, "age_max": 20.0})
	}
	rows = append(rows, testrun.Row{"method": "acs", "dataset": "digits", "n_train": 50, "regularizer": "linear", "age_min": 0.2, "age_max": 20.0, "age_step": 1.0})
	table := tablesOf(t, rows)[0]
	var got []string
	for _, row := range table.Rows {
		cells := 0
		for _, entry := range row.Entries {
			cells += entry.Cells
		}
		got = append(got, selfpaced.Layout.Describe(row.Setting, selfpaced.DimModel, selfpaced.DimRegularizer, selfpaced.DimNoiseLevel, selfpaced.DimAlpha))
		if want := map[bool]int{true: 2, false: 1}[row.Setting[selfpaced.DimDataset].Text == "diabetes"]; cells != want {
			t.Errorf("%s: %d cells, want %d", got[len(got)-1], cells, want)
		}
	}
	want := []string{"diabetes, 100 training rows, ACS step 0.1", "diabetes, 100 training rows, ACS step 0.5",
		"diabetes, 200 training rows, ACS step 0.1", "diabetes, 200 training rows, ACS step 0.5", "digits"}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	full := analysis.AtFullExtent(table)
	if len(full.Rows) != 2 || full.Rows[0].Setting[selfpaced.DimTrain].Number != 200 || full.Rows[0].Setting[selfpaced.DimAgeStep].Number != 0.1 {
		t.Errorf("fullest %+v", full.Rows)
	}
}
