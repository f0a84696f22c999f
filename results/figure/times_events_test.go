package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// TestTimeFigures wants a figure of times along rows and along ages, in processor
// time where every cell has it.
func TestTimeFigures(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for i, n := range []int{100, 1000, 3000} {
		for repeat := 1; repeat <= 2; repeat++ {
			row := testrun.Row{"n_train": n, "repeat": repeat, "regularizer": "linear", "age_min": 0.1, "age_max": 20.0}
			seconds := math.Pow10(i) * float64(repeat)
			rows = append(rows,
				testrun.Merge(row, testrun.Row{"method": "acs", "age_step": 0.5, "cpu_seconds": 2 * seconds, "wall_seconds": 100.0}),
				testrun.Merge(row, testrun.Row{"method": "gaga", "cpu_seconds": seconds, "wall_seconds": 100.0}))
		}
	}
	plans := planTimes(tablesOf(t, rows)[0])
	if len(plans) != 1 || plans[0].axis.Dimension != selfpaced.DimTrain {
		t.Fatalf("plans %+v", plans)
	}
	f := timeFigure(plans[0], &analysis.DataFacts{})
	if !f.X.Log || !f.Y.Log || f.Y.Text != "processor time (s)" || strings.Contains(f.Title, "training rows,") {
		t.Errorf("axes %+v %+v, title %s", f.X, f.Y, f.Title)
	}
	want := []Point{{X: 100, Y: 1.5, Band: math.Sqrt(0.5)}, {X: 1000, Y: 15, Band: math.Sqrt(50)}, {X: 3000, Y: 150, Band: math.Sqrt(5000)}}
	for i, p := range f.Series[1].Pieces[0] {
		if p.X != want[i].X || !testrun.Near(p.Y, want[i].Y) || !testrun.Near(p.Band, want[i].Band) {
			t.Errorf("point %v, want %v", p, want[i])
		}
	}
	checkFigure(t, f)

	for i := range rows {
		rows[i] = testrun.Merge(rows[i], testrun.Row{"n_train": 100, "age_max": float64(1 + i/4)})
	}
	rows[0]["cpu_seconds"] = nil
	plans = planTimes(tablesOf(t, rows)[0])
	if len(plans) != 1 || plans[0].axis.Dimension != selfpaced.DimAgeMax {
		t.Fatalf("plans %+v", plans)
	}
	if f = timeFigure(plans[0], &analysis.DataFacts{}); f.Y.Text != "elapsed time (s)" || len(f.Series[0].Pieces[0]) != 3 {
		t.Errorf("%+v", f)
	}
	checkFigure(t, f)
}

// TestBandOnLogarithmicAxis draws a band that goes below 0.
func TestBandOnLogarithmicAxis(t *testing.T) {
	t.Parallel()
	f := &Figure{Kind: Times, Name: "time-x", X: AxisLabel{Text: "rows"}, Y: AxisLabel{Text: "time", Log: true}, Series: []Series{{
		Name: "a", Pieces: [][]Point{{{X: 1, Y: 1, Band: 2}, {X: 2, Y: 100, Band: 300}}}, style: stylesOf([]string{"gaga"})[0].series(),
	}}}
	checkFigure(t, f)
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	linear := histogram([]float64{0, 0.4, 1.5, 24}, 0, 24, false)
	if len(linear) != eventBins+1 || linear[0] != (Point{Y: 50}) || linear[1] != (Point{X: 1, Y: 25}) || linear[23] != (Point{X: 23, Y: 25}) || linear[24] != (Point{X: 24}) {
		t.Errorf("%v", linear)
	}
	logarithmic := histogram([]float64{1, 15, math.Pow(2, 23.5)}, 1, math.Pow(2, 24), true)
	if !testrun.Near(logarithmic[1].X, 2) || !testrun.Near(logarithmic[3].Y, 100./3) || !testrun.Near(logarithmic[23].Y, 100./3) {
		t.Errorf("%v", logarithmic)
	}
	stairs := outline([]Point{{X: 0, Y: 2}, {X: 1, Y: 3}, {X: 2}})
	if want := []Point{{}, {Y: 2}, {X: 1, Y: 2}, {X: 1, Y: 3}, {X: 2, Y: 3}, {X: 2}}; !slices.Equal(stairs, want) {
		t.Errorf("outline %v, want %v", stairs, want)
	}
}

func TestEventFigure(t *testing.T) {
	t.Parallel()
	r := drawn(t, testrun.Write(t, testrun.Quickstart(3)))
	for _, f := range r.Figures {
		if f.Kind != Events {
			continue
		}
		// appendPath has 18 turning points and 2 jumps.
		if len(f.Series) != 2 || !strings.Contains(f.Note, "18.0 turning points and 2.0 jumps a path, mean over 3 repeats") {
			t.Errorf("%s: %d series, %s", f.Name, len(f.Series), f.Note)
		}
		for _, s := range f.Series {
			sum := 0.0
			for _, p := range s.Pieces[0] {
				sum += p.Y
			}
			if !testrun.Near(sum, 100) {
				t.Errorf("%s: %s sum to %v %%", f.Name, s.Name, sum)
			}
		}
	}
}

// TestConsistencyFigure counts the ages at which alternate convex search is on the
// path, between knots and before a jump, and elsewhere.
func TestConsistencyFigure(t *testing.T) {
	t.Parallel()
	path := &AgePath{
		Ages:   []float64{1, 3, 3, 5},
		Events: []string{"start", "jump", "start", "end"},
		Values: [][]float64{{0, 1, 0}, {2, 1, 0}, {8, 1, 0}, {8, 1, 0}},
	}
	steps := &AgePath{
		Ages:   []float64{0.5, 1, 2, 2.9, 4, 5},
		Events: []string{"start", "grid", "grid", "grid", "grid", "end"},
		Values: [][]float64{{0, 1, 0}, {0, 1, 0}, {1, 1, 0}, {8, 1, 0}, {8, 1.1, 0}, {8.05, 1, 0}},
	}
	f, err := consistencyFigure(selfpaced.Layout.Path, path, steps)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(f.Note, "at 3 of 5 ages") || len(f.Series) != 4 {
		t.Errorf("%d series, %s", len(f.Series), f.Note)
	}
	f.Name = "consistency"
	checkFigure(t, f)
	steps.Ages = []float64{6, 7, 8, 9, 10, 11}
	if f, err = consistencyFigure(selfpaced.Layout.Path, path, steps); f != nil || err != nil {
		t.Errorf("ages apart: %v, %v", f, err)
	}
	steps.Values[0] = []float64{1, 0}
	if _, err = consistencyFigure(selfpaced.Layout.Path, path, steps); err == nil {
		t.Error("no error for rows of different length")
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
