package analysis

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/stats"
)

// comparedRow is a cell of the runs that the tests compare.
func comparedRow(cell int, method string, repeat int, more testrun.Row) testrun.Row {
	return testrun.Merge(testrun.Row{
		"cell": testrun.ID(cell), "method": method, "repeat": repeat, "seed": 1000 + repeat, "worker": "w",
		"test_at_best_test": 0.5, "test_at_best_validation": 0.6, "test_at_end": 0.7,
		"cpu_seconds": 2.0, "wall_seconds": 4.0, "version": "v1", "max_kkt": 1e-12,
	}, more)
}

// twoRuns makes a baseline and a run of another version. gaga has six cells of both,
// whose scores, times and certificates differ; original has six that are equal, of
// which one is a copy; acs has two under other identities, of which one fails now;
// each run has one cell of its own.
func twoRuns(t *testing.T) (baseline, other []testrun.Row) {
	t.Helper()
	for r := 1; r <= 6; r++ {
		started := testrun.Row{"wall_seconds": 4.0 + float64(r)/100}
		baseline = append(baseline,
			comparedRow(r, "gaga", r, nil),
			comparedRow(10+r, "original", r, started))
		times := testrun.Row{"cpu_seconds": math.Ldexp(2, r-3), "wall_seconds": 8.0, "version": "v2", "worker": "x"}
		other = append(other,
			comparedRow(r, "gaga", r, testrun.Merge(times, testrun.Row{"test_at_best_test": 0.5 + 0.01*float64(r), "max_kkt": 3e-12})))
		if r == 1 { // taken over
			times = started
		}
		other = append(other, comparedRow(10+r, "original", r, times))
	}
	last := len(other) - 1 // by rounding
	other[last] = testrun.Merge(other[last], testrun.Row{"test_at_end": 0.7 * (1 + 1e-12)})
	baseline = append(baseline, comparedRow(21, "acs", 1, nil), comparedRow(22, "acs", 2, nil), comparedRow(30, "mospl", 1, nil))
	other = append(other, comparedRow(121, "acs", 1, testrun.Row{"version": "v2", "worker": "x"}),
		comparedRow(122, "acs", 2, testrun.Row{"status": "timeout", "error": "too long", "worker": "x", "test_at_best_test": nil, "test_at_end": nil}),
		comparedRow(31, "rlssvm", 1, nil))
	return baseline, other
}

func compareRows(t *testing.T, baseline, other []testrun.Row) *RunPair {
	t.Helper()
	a, b := testrun.Write(t, testrun.Tables{Cells: baseline}), testrun.Write(t, testrun.Tables{Cells: other})
	c, err := CompareRuns(t.Context(), []string{a, b}, CompareOptions{Rounding: Rounding})
	if err != nil {
		t.Fatal(err)
	}
	return c.Pairs[0]
}

func TestComparedCells(t *testing.T) {
	t.Parallel()
	baseline, other := twoRuns(t)
	p := compareRows(t, baseline, other)
	want := []CellCounts{
		{Method: "", Shared: 12, Counterparts: 2, OnlyBaseline: 1, OnlyOther: 1},
		{Method: "original", Shared: 6}, {Method: "acs", Counterparts: 2}, {Method: "mospl", OnlyBaseline: 1},
		{Method: "gaga", Shared: 6}, {Method: "rlssvm", OnlyOther: 1},
	}
	if !slices.Equal(p.Cells, want) {
		t.Errorf("cells %+v", p.Cells)
	}
	if p.Copied != 1 || p.Baseline.Cells != 15 || p.Other.Statuses[experiment.Timeout] != 1 {
		t.Errorf("%d copied; %+v, %+v", p.Copied, p.Baseline.Statuses, p.Other.Statuses)
	}
	if v := p.Other.Versions; !slices.Equal(v, []VersionCells{{"v2", 12}, {"v1", 3}}) {
		t.Errorf("versions %+v", v)
	}
	if !slices.Equal(p.Statuses, []StatusChange{{experiment.OK, experiment.Timeout, 1}}) {
		t.Errorf("statuses %+v", p.Statuses)
	}
	if f := p.Failures; len(f) != 1 || f[0].Cell != testrun.ID(22) || f[0].Error != "too long" || !strings.Contains(f[0].What, "acs: diabetes") {
		t.Errorf("failures %+v", f)
	}
	if n := strings.Join(p.Notes, "\n"); !strings.Contains(n, "2 cells with the same labels") || !strings.Contains(n, "1 cell of both runs are one computation") {
		t.Errorf("notes %s", n)
	}
}

// TestComparedScores works the statistics of six differences 0.01 to 0.06 out by hand:
// all signs agree, so that p is 2^-5; the Walsh means are symmetric about 0.035; the
// family has the three methods of the score.
func TestComparedScores(t *testing.T) {
	t.Parallel()
	baseline, other := twoRuns(t)
	p := compareRows(t, baseline, other)
	found := 0
	for _, s := range p.Scores {
		switch {
		case s.Method == "gaga" && s.Score == TestAtBestTest:
			found++
			if s.Better != 0 || s.Worse != 6 || s.Metric != metric.RMSE || !s.Differs() {
				t.Errorf("%+v", s)
			}
			if math.Abs(s.Baseline.Mean-0.5) > 1e-15 || math.Abs(s.Other.Mean-0.535) > 1e-15 {
				t.Errorf("means %v and %v", s.Baseline.Mean, s.Other.Mean)
			}
			// By another way: straight from the numbers.
			differences := []float64{0.01, 0.02, 0.03, 0.04, 0.05, 0.06}
			want := stats.Resampled(differences, 1./3)
			if math.Abs(s.Test.P-want.P) > 1e-9 || math.Abs(s.Test.Mean-0.035) > 1e-11 || math.Abs(s.Test.Error()-want.Error()) > 1e-11 || math.Abs(s.Q-2*want.P) > 1e-9 {
				t.Errorf("%+v, want %+v", s, want) // two methods have several repeats
			}
		case s.Method == "acs":
			found++
			if s.Test.N != 1 || s.Differs() || !math.IsNaN(s.Q) { // the other failed
				t.Errorf("%+v", s)
			}
		case s.Method == "original" && s.Score == TestAtEnd: // rounding is no difference
			found++
			if s.Test.N != 6 || s.Differs() || s.Test.P != 1 {
				t.Errorf("%+v", s)
			}
		}
	}
	if found != 1+3+1 {
		t.Errorf("%d of the scores in %+v", found, p.Scores)
	}
}

func TestComparedNumbers(t *testing.T) {
	t.Parallel()
	baseline, other := twoRuns(t)
	n := compareRows(t, baseline, other).Numbers
	if n.Same != 5 || n.Rounding != 1 || n.Beyond != 6 || len(n.Cells) != 6 {
		t.Fatalf("%+v", n)
	}
	want := map[string][3]float64{ // within rounding, beyond, farthest
		"gaga test_at_best_test": {0, 6, 0.06 / 0.56},
		"gaga max_kkt":           {6, 0, 2e-12},
		"original test_at_end":   {1, 0, 1e-12},
	}
	for _, c := range n.Columns {
		w, ok := want[c.Method+" "+c.Column]
		if !ok || c.Cells != 6 || c.Rounding != int(w[0]) || c.Beyond != int(w[1]) || math.Abs(c.Farthest.Distance-w[2]) > 1e-3*w[2] {
			t.Errorf("%+v, want %v", c, w)
		}
	}
	if len(n.Columns) != len(want) {
		t.Errorf("%+v", n.Columns)
	}
	if c := n.Cells[0]; c.Cell != testrun.ID(6) || c.Column != "test_at_best_test" || c.Baseline != "0.5" || c.Other != "0.56" {
		t.Errorf("farthest %+v", c)
	}
}

// TestComparedDistances has what is no small number: texts, nulls and counts.
func TestComparedDistances(t *testing.T) {
	t.Parallel()
	older := testrun.Row{}
	for _, column := range selfpaced.Tables().Measures {
		if column.Since > experiment.OldestSchema {
			older[column.Name] = nil
		}
	}
	for name, c := range map[string]struct {
		baseline, other testrun.Row
		beyond          bool
		distance        float64
	}{
		"text":          {testrun.Row{"path_status": "complete"}, testrun.Row{"path_status": "stopped"}, true, math.Inf(1)},
		"null":          {nil, testrun.Row{"test_at_end": nil}, true, math.Inf(1)},
		"count":         {testrun.Row{"knots": 1_000_000_000_000}, testrun.Row{"knots": 1_000_000_000_001}, true, 1e-12},
		"large numbers": {testrun.Row{"best_validation": -1e308}, testrun.Row{"best_validation": 1e308}, true, 2},
		"not a number":  {testrun.Row{"test_at_end": math.NaN()}, testrun.Row{"test_at_end": math.NaN()}, false, 0},
		"infinite":      {testrun.Row{"test_at_end": 1.0}, testrun.Row{"test_at_end": math.Inf(1)}, true, math.Inf(1)},
		"later null":    {testrun.Row{"test_rmse": 1.0, "test_mae": 1.0}, testrun.Row{"test_rmse": 1.0, "test_mae": nil}, true, math.Inf(1)},
		"older row":     {older, testrun.Row{"test_rmse": 1.0, "test_mae": 1.0}, false, 0},
		"zero":          {testrun.Row{"test_at_end": 0.0}, testrun.Row{"test_at_end": math.Copysign(0, -1)}, false, 0},
	} {
		n := compareRows(t, []testrun.Row{comparedRow(1, "gaga", 1, c.baseline)}, []testrun.Row{comparedRow(1, "gaga", 1, c.other)}).Numbers
		if !c.beyond {
			if n.Same != 1 || len(n.Columns) != 0 {
				t.Errorf("%s: %+v", name, n)
			}
			continue
		}
		if n.Beyond != 1 || len(n.Cells) != 1 || math.Abs(n.Cells[0].Distance-c.distance) > 1e-3*c.distance && n.Cells[0].Distance != c.distance {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

// TestComparedTimes has ratios 2^-2 to 2^3 of gaga's processor times and 2 of its
// elapsed times.
func TestComparedTimes(t *testing.T) {
	t.Parallel()
	baseline, other := twoRuns(t)
	times := compareRows(t, baseline, other).Times
	var names []string
	for _, r := range times {
		names = append(names, fmt.Sprintf("%s %s %d", r.Method, r.Column, r.Cells))
		if r.Method != "gaga" {
			continue
		}
		want, quantiles, total := math.Sqrt2, [...]float64{0.25, 0.3125, 0.625, 1.5, 3.5, 7, 8}, 2*15.75
		if r.Column == "wall_seconds" {
			want, quantiles, total = 2, [...]float64{2, 2, 2, 2, 2, 2, 2}, 48
		}
		if math.Abs(r.Mean-want) > 1e-12 || r.Baseline != map[string]float64{"cpu_seconds": 12, "wall_seconds": 24}[r.Column] || r.Other != total {
			t.Errorf("%+v", r)
		}
		for k, q := range r.Quantiles {
			if math.Abs(q-quantiles[k]) > 1e-12 {
				t.Errorf("quantiles %v, want %v", r.Quantiles, quantiles)
			}
		}
	}
	// original has a copy, which counts nowhere; of acs one cell failed.
	want := []string{" cpu_seconds 12", " wall_seconds 12", "original cpu_seconds 5", "original wall_seconds 5",
		"acs cpu_seconds 1", "acs wall_seconds 1", "gaga cpu_seconds 6", "gaga wall_seconds 6"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// TestCounterparts pairs by labels only what these tell apart, and never across data
// sets of one name that are not the same.
func TestCounterparts(t *testing.T) {
	t.Parallel()
	cell := func(id, repeat int, more testrun.Row) testrun.Row { return comparedRow(id, "gaga", repeat, more) }
	baseline := []testrun.Row{cell(1, 1, nil), cell(2, 1, nil), cell(3, 2, nil), cell(4, 3, nil), cell(5, 4, nil)}
	other := []testrun.Row{cell(11, 1, nil), cell(13, 2, nil), cell(14, 3, testrun.Row{"seed": 7}), cell(5, 4, nil)}
	a, b := testrun.Write(t, testrun.Tables{Cells: baseline}), testrun.Write(t, testrun.Tables{Cells: other})
	compare := func() CellCounts {
		c, err := CompareRuns(t.Context(), []string{a, b}, CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Pairs[0].Cells[0]
	}
	// Repeat 1 is there twice in the baseline, repeat 3 has another seed.
	if got, want := compare(), (CellCounts{Shared: 1, Counterparts: 1, OnlyBaseline: 3, OnlyOther: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for i, dir := range []string{a, b} {
		m := &results.Manifest{Name: "g", Run: fmt.Sprint("g-", i), Data: map[string]string{"diabetes": fmt.Sprint("digest ", i)}}
		if err := results.WriteManifest(dir, m); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := compare(), (CellCounts{Shared: 1, OnlyBaseline: 4, OnlyOther: 3}); got != want {
		t.Errorf("other data: %+v, want %+v", got, want)
	}
}

func TestCompareRunsRefuses(t *testing.T) {
	t.Parallel()
	baseline, _ := twoRuns(t)
	dir := testrun.Write(t, testrun.Tables{Cells: baseline})
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := CompareRuns(t.Context(), []string{dir, missing}, CompareOptions{}); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("no folder: %v", err)
	}
}
