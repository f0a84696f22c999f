package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/stats"
)

// sampled makes the entry of a method from scores at the best test age by
// repeat; NaN is a repeat without a score.
func sampled(metric Metric, best ...float64) ScoreEntry {
	e := ScoreEntry{Cells: len(best)}
	for i, x := range best {
		e.Sample = append(e.Sample, RepeatScore{Repeat: int64(i + 1), Score: [scores]float64{TestAtBestTest: x, TestAtBestValidation: math.NaN(), TestAtEnd: math.NaN()}, Status: experiment.OK})
	}
	e.summarize(metric)
	return e
}

// tableOf makes a table whose rows have no settings, and marks it.
func tableOf(metric Metric, rows ...[]ScoreEntry) *ScoreTable {
	t := &ScoreTable{Metric: metric, Tests: DefaultTests}
	for _, entries := range rows {
		row := &ScoreRow{Entries: entries}
		row.compare()
		row.markBest(metric)
		t.Rows = append(t.Rows, row)
	}
	markEqual([]*ScoreTable{t})
	return t
}

// byTest compares by the score that sampled entries have.
func byTest(tables ...*ScoreTable) []ComparedTable {
	return compareBy(tables, func(*ScoreTable) Score { return TestAtBestTest })
}

func TestComparisonsPairByRepeat(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	entries := []ScoreEntry{
		sampled(metric.RMSE, 0.9, nan, 0.8, 0.5, 0.7),
		sampled(metric.RMSE, 0.8, 0.1, 0.7, 0.5), // 0.9 - 0.8 and 0.8 - 0.7 differ by rounding alone
		sampled(metric.RMSE, nan, nan, nan, nan, nan),
	}
	for j := range entries {
		for i := range entries[j].Sample {
			entries[j].Sample[i].Ratio = []float64{0.3, 9, 0.4, 0.5, 9}[i] // of repeats that are not compared
		}
	}
	list := byTest(tableOf(metric.RMSE, entries))[0].Rows[0].Comparisons
	if len(list) != 1 || list[0].Method != 1 || list[0].Against != 0 {
		t.Fatalf("%+v", list)
	}
	c := list[0]
	want := stats.Resampled([]float64{-0.1, -0.1, 0}, 0.4)
	if c.Test.N != 3 || math.Abs(c.Test.Ratio-0.4) > 1e-15 || math.Abs(c.Test.P-want.P) > 1e-9 || c.Q != c.Test.P {
		t.Errorf("%+v, want %+v", c, want)
	}
	// Without a constant the margin is 1 % of the larger mean, (0.9 + 0.8 + 0.5)/3.
	if math.Abs(c.Margin-0.01*2.2/3) > 1e-12 {
		t.Errorf("margin %v", c.Margin)
	}
	better, equal, worse := c.Chances(metric.RMSE)
	if other := c.Of(0); other.Method != 0 || other.Test.Mean != -c.Test.Mean {
		t.Errorf("%+v", other)
	} else if b, e, w := other.Chances(metric.RMSE); b != worse || w != better || math.Abs(e-equal) > 1e-12 || !(better > 0.7) {
		t.Errorf("chances %v %v %v and %v %v %v", better, equal, worse, b, e, w)
	}
}

// TestMarkEqual wants marks by the false discovery rate over the whole table, of which the other rows
// have no difference.
func TestMarkEqual(t *testing.T) {
	t.Parallel()
	const n = 10
	var best, near, worse []float64
	for i := range n {
		x := 0.8 + 0.01*float64(i%4)
		best, worse = append(best, x), append(worse, x-0.05-0.001*float64(i))
		near = append(near, x+0.02*float64(i%2)-0.011)
	}
	row := tableOf(metric.Accuracy, []ScoreEntry{sampled(metric.Accuracy, worse...), sampled(metric.Accuracy, best...), sampled(metric.Accuracy, near...)}).Rows[0]
	for j, want := range []struct{ best, equal bool }{{false, false}, {true, false}, {false, true}} {
		if e := row.Entries[j]; e.Best[TestAtBestTest] != want.best || e.Equal[TestAtBestTest] != want.equal {
			t.Errorf("method %d: best %v, equal %v, want %+v", j, e.Best[TestAtBestTest], e.Equal[TestAtBestTest], want)
		}
	}
	if !row.Tested[TestAtBestTest] || row.Tested[TestAtBestValidation] {
		t.Errorf("tested %v", row.Tested)
	}
	one := tableOf(metric.Accuracy, []ScoreEntry{sampled(metric.Accuracy, worse[0]), sampled(metric.Accuracy, best[0])}).Rows[0]
	if one.Tested[TestAtBestTest] || one.Entries[0].Equal[TestAtBestTest] {
		t.Errorf("one repeat: %+v", one)
	}
	// The smallest of 20 p-values counts 20 times.
	found := []float64{0.82, 0.823, 0.824, 0.821}
	base := []float64{0.8, 0.8, 0.8, 0.8}
	rows := [][]ScoreEntry{{sampled(metric.Accuracy, found...), sampled(metric.Accuracy, base...)}}
	alone := byTest(tableOf(metric.Accuracy, rows...))[0].Rows[0].Comparisons[0]
	for range 19 {
		rows = append(rows, []ScoreEntry{sampled(metric.Accuracy, 0.8, 0.9, 0.7), sampled(metric.Accuracy, 0.8, 0.7, 0.9)})
	}
	among := byTest(tableOf(metric.Accuracy, rows...))[0].Rows[0].Comparisons[0]
	if alone.Q != alone.Test.P || math.Abs(among.Q-20*among.Test.P) > 1e-12 {
		t.Errorf("alone %+v, among others %+v", alone, among)
	}
}

func TestRankingNeedsEnough(t *testing.T) {
	t.Parallel()
	if r := NewRanking(tablesOf(t, testrun.RankedCells(1)), TestAtBestTest, DefaultTests); r != nil {
		t.Errorf("one data set: %+v", r)
	}
	rows := testrun.RankedCells(4)
	if r := NewRanking(tablesOf(t, rows), TestAtBestValidation, DefaultTests); r != nil {
		t.Errorf("no scores: %+v", r)
	}
	// A method that is missing on one data set is left out, and Nemenyi's test takes three.
	rows = slices.DeleteFunc(rows, func(row testrun.Row) bool { return row["method"] == "b" && row["dataset"] == "q" })
	if r := NewRanking(tablesOf(t, rows), TestAtBestTest, DefaultTests); r.Shows() || len(r.Methods) != 2 {
		t.Errorf("two methods: %+v", r)
	}
	for _, row := range testrun.RankedCells(4) {
		if row["method"] == "a" {
			rows = append(rows, testrun.Merge(row, testrun.Row{"method": "d"}))
		}
	}
	if r := NewRanking(tablesOf(t, rows), TestAtBestTest, DefaultTests); r == nil || !slices.Equal(r.LeftOut, []string{"b"}) || !strings.Contains(r.Words(), "Left out, since they have no score on some data set: b.") {
		t.Errorf("%+v", r)
	}
}

// TestWilcoxonOfErrors has errors of eight data sets in eight units; a is worse once, by the smallest
// share: p = 2 P(W <= 1) = 4/2^8.
func TestWilcoxonOfErrors(t *testing.T) {
	t.Parallel()
	r := &Ranking{Metrics: 1, errors: true}
	for d := range 8 {
		unit, share := math.Pow(100, float64(d)), 0.2+0.01*float64(d)
		if d == 7 {
			share = -0.001
		}
		r.Losses = append(r.Losses, []float64{unit * (1 - share), unit * (1 + share)})
	}
	if p, better, ok := r.Wilcoxon(0, 1); p != 4./256 || better != 7 || !ok {
		t.Errorf("p = %v, better on %d, %t", p, better, ok)
	}
}

func TestRanking(t *testing.T) {
	t.Parallel()
	r := NewRanking(tablesOf(t, testrun.RankedCells(6)), TestAtBestTest, DefaultTests)
	if r == nil || !slices.Equal(r.Methods, []string{"a", "b", "c"}) || len(r.Datasets) != 6 || len(r.LeftOut) != 0 {
		t.Fatalf("%+v", r)
	}
	// a is before, level with and behind b in turn.
	for m, want := range []float64{2.5, 2.5, 1} {
		if math.Abs(r.Test.MeanRanks[m]-want) > 1e-15 {
			t.Errorf("mean ranks %v", r.Test.MeanRanks)
		}
	}
	if math.Abs(r.Critical-2.343*math.Sqrt(12.0/36)) > 1e-3 {
		t.Errorf("critical difference %v", r.Critical)
	}
	// Six data sets, c before a on all: p = 2/2^6. The metrics differ.
	if p, _, ok := r.Wilcoxon(2, 0); ok || p != 1./32 || !r.Shows() {
		t.Errorf("p = %v, %t", p, ok)
	}
	if n := r.Needed(); stats.CriticalDifference(3, n, 0.05) > 1 || stats.CriticalDifference(3, n-1, 0.05) <= 1 {
		t.Errorf("%d data sets", n)
	}
	order, groups := r.Cliques()
	if !slices.Equal(order, []int{2, 0, 1}) || !slices.Equal(groups, [][2]int{{1, 2}}) {
		t.Errorf("order %v, groups %v", order, groups)
	}
}
