package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
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

func markedRow(metric Metric, entries ...ScoreEntry) *ScoreRow {
	row := &ScoreRow{Entries: entries}
	row.compare()
	row.markBest(metric)
	row.markEqual()
	return row
}

func TestComparisonsPairByRepeat(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	row := ScoreRow{Entries: []ScoreEntry{
		sampled(RMSE, 0.9, nan, 0.8, 0.5, 0.7),
		sampled(RMSE, 0.8, 0.1, 0.7, 0.5), // 0.9 - 0.8 and 0.8 - 0.7 differ by rounding alone
		sampled(RMSE, nan, nan, nan, nan, nan),
	}}
	row.compare()
	list := row.Comparisons(TestAtBestTest)
	if len(list) != 1 || list[0].Method != 1 || list[0].Against != 0 {
		t.Fatalf("%+v", list)
	}
	c := list[0]
	if c.Pairs() != 3 || c.Test.Zeros != 1 || c.differences[0] != c.differences[1] || math.Abs(c.differences[0]+0.1) > 1e-11 {
		t.Errorf("%+v of %v", c.Test, c.differences)
	}
	if want := stats.SignedRank([]float64{-1, -1, 0}); c.Test != want || c.Adjusted != want.P {
		t.Errorf("%+v, want %+v", c, want)
	}
}

func TestMarkEqual(t *testing.T) {
	t.Parallel()
	const n = 10
	var best, near, worse []float64
	for i := range n {
		x := 0.8 + 0.01*float64(i%4)
		best, worse = append(best, x), append(worse, x-0.05-0.001*float64(i))
		near = append(near, x+0.02*float64(i%2)-0.011)
	}
	row := markedRow(Accuracy, sampled(Accuracy, worse...), sampled(Accuracy, best...), sampled(Accuracy, near...))
	for j, want := range []struct{ best, equal bool }{{false, false}, {true, false}, {false, true}} {
		if e := row.Entries[j]; e.Best[TestAtBestTest] != want.best || e.Equal[TestAtBestTest] != want.equal {
			t.Errorf("method %d: best %v, equal %v, want %+v", j, e.Best[TestAtBestTest], e.Equal[TestAtBestTest], want)
		}
	}
	if !row.Tested[TestAtBestTest] || row.Tested[TestAtBestValidation] {
		t.Errorf("tested %v", row.Tested)
	}
	// Six repeats cannot tell three methods apart: 3 · 2^-5 > 5 %.
	few := markedRow(Accuracy, sampled(Accuracy, worse[:6]...), sampled(Accuracy, best[:6]...), sampled(Accuracy, near[:6]...))
	if few.Tested[TestAtBestTest] || few.Entries[0].Equal[TestAtBestTest] || few.Entries[2].Equal[TestAtBestTest] {
		t.Errorf("six repeats: %+v", few)
	}
	if got := []int{NeededRepeats(1), NeededRepeats(3), NeededRepeats(6)}; !slices.Equal(got, []int{6, 7, 8}) {
		t.Errorf("needed repeats %v", got)
	}
}

func TestRankingNeedsEnough(t *testing.T) {
	t.Parallel()
	if r := NewRanking(tablesOf(t, testrun.RankedCells(1)), TestAtBestTest); r != nil {
		t.Errorf("one data set: %+v", r)
	}
	rows := testrun.RankedCells(4)
	if r := NewRanking(tablesOf(t, rows), TestAtBestValidation); r != nil {
		t.Errorf("no scores: %+v", r)
	}
	// A method that is missing on one data set is left out, and two are too few.
	rows = slices.DeleteFunc(rows, func(row testrun.Row) bool { return row["method"] == "b" && row["dataset"] == "q" })
	if r := NewRanking(tablesOf(t, rows), TestAtBestTest); r != nil {
		t.Errorf("two methods: %+v", r)
	}
	for _, row := range testrun.RankedCells(4) {
		if row["method"] == "a" {
			rows = append(rows, testrun.Merge(row, testrun.Row{"method": "d"}))
		}
	}
	if r := NewRanking(tablesOf(t, rows), TestAtBestTest); r == nil || !slices.Equal(r.LeftOut, []string{"b"}) || !strings.Contains(r.Words(), "Left out, since they have no score on some data set: b.") {
		t.Errorf("%+v", r)
	}
}

func TestRanking(t *testing.T) {
	t.Parallel()
	r := NewRanking(tablesOf(t, testrun.RankedCells(6)), TestAtBestTest)
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
	order, groups := r.Cliques()
	if !slices.Equal(order, []int{2, 0, 1}) || !slices.Equal(groups, [][2]int{{1, 2}}) {
		t.Errorf("order %v, groups %v", order, groups)
	}
}
