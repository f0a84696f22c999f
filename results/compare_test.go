package results

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/stats"
)

// sampled makes the entry of a method from scores at the best test age by
// repeat; NaN is a repeat without a score.
func sampled(metric Metric, best ...float64) ScoreEntry {
	e := ScoreEntry{Cells: len(best)}
	for i, x := range best {
		e.Sample = append(e.Sample, RepeatScore{Repeat: int64(i + 1), Score: [scores]float64{TestAtBestTest: x, TestAtBestValidation: math.NaN(), TestAtEnd: math.NaN()}, status: experiment.OK})
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
	if want := stats.SignedRank([]float64{-1, -1, 0}, stats.Pratt); c.Test != want || c.Adjusted != want.P {
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
	if !row.tested[TestAtBestTest] || row.tested[TestAtBestValidation] {
		t.Errorf("tested %v", row.tested)
	}
	// Six repeats cannot tell three methods apart: 3 · 2^-5 > 5 %.
	few := markedRow(Accuracy, sampled(Accuracy, worse[:6]...), sampled(Accuracy, best[:6]...), sampled(Accuracy, near[:6]...))
	if few.tested[TestAtBestTest] || few.Entries[0].Equal[TestAtBestTest] || few.Entries[2].Equal[TestAtBestTest] {
		t.Errorf("six repeats: %+v", few)
	}
	if got := []int{neededRepeats(1), neededRepeats(3), neededRepeats(6)}; !slices.Equal(got, []int{6, 7, 8}) {
		t.Errorf("needed repeats %v", got)
	}
}

func TestScoreSheetWords(t *testing.T) {
	t.Parallel()
	r := &Report{Tables: tablesOf(t, quickstart(8).cells)}
	var b strings.Builder
	if err := (Text{}).Write(&b, r); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "\n≈ not significantly worse than the best (Wilcoxon's") || strings.Contains(text, "Too few") {
		t.Error(text)
	}
	few := &Report{Tables: tablesOf(t, quickstart(3).cells)}
	s := scoreSheet(few.Tables[1], TestAtBestTest)
	if s.equal != "" || !strings.Contains(s.caption, "a test of 3 methods needs 7 repeats") {
		t.Errorf("%q, %q", s.equal, s.caption)
	}
}

func TestSelectionSheet(t *testing.T) {
	t.Parallel()
	table := tablesOf(t, quickstart(3).cells)[1] // RMSE
	s := selectionSheet(table)
	var heads []string
	for _, c := range s.columns {
		heads = append(heads, c.head)
	}
	if want := "regularizer noise α method at best validation at best test at end selection bias"; strings.Join(heads, " ") != want {
		t.Errorf("columns %q", heads)
	}
	if !strings.Contains(s.caption, "standard deviation over 3 repeats;") {
		t.Errorf("caption %q", s.caption)
	}
	if len(s.rows) != len(table.Rows)*len(table.Methods) {
		t.Errorf("%d rows for %d settings of %d methods", len(s.rows), len(table.Rows), len(table.Methods))
	}
	if !strings.Contains(s.caption, "Selection bias: at best validation - at best test") || !strings.Contains(selectionSheet(tablesOf(t, quickstart(3).cells)[0]).caption, "Selection bias: at best test - at best validation") {
		t.Error(s.caption)
	}
}

// rankedCells are three methods on n data sets of both metrics: c always best,
// a and b in turn.
func rankedCells(n int) []cellRow {
	var rows []cellRow
	for d := range n {
		base := cellRow{"dataset": string(rune('p' + d))}
		sign := 1.0
		if d%2 == 1 {
			base = merge(base, cellRow{"model": "svm", "alpha": nil, "c": 1.0, "metric": "accuracy"})
			sign = -1
		}
		for m, loss := range []float64{0.3 + 0.01*float64(d%3), 0.31, 0.2} {
			for repeat := range 2 {
				rows = append(rows, merge(base, cellRow{"method": string(rune('a' + m)), "repeat": repeat + 1, "test_at_best_test": 0.5 + sign*loss}))
			}
		}
	}
	return rows
}

func TestRanking(t *testing.T) {
	t.Parallel()
	r := newRanking(tablesOf(t, rankedCells(6)), TestAtBestTest)
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
	order, groups := r.cliques()
	if !slices.Equal(order, []int{2, 0, 1}) || !slices.Equal(groups, [][2]int{{1, 2}}) {
		t.Errorf("order %v, groups %v", order, groups)
	}
	s := r.sheet()
	if len(s.rows) != 3 || s.rows[0][0].text != "c" || s.rows[0][7].mark != bestMark || s.rows[1][7].mark != unmarked {
		t.Errorf("%+v", s.rows)
	}
	f := rankFigure(r)
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Join(svgTexts(t, svg), " ")
	for _, want := range []string{"CD = 1.35", "c  1.00", "2.50  b", "Mean ranks: age chosen by the test score"} {
		if !strings.Contains(texts, want) {
			t.Errorf("%q is not in the figure: %s", want, texts)
		}
	}
}

func TestRankingNeedsEnough(t *testing.T) {
	t.Parallel()
	if r := newRanking(tablesOf(t, rankedCells(1)), TestAtBestTest); r != nil {
		t.Errorf("one data set: %+v", r)
	}
	rows := rankedCells(4)
	if r := newRanking(tablesOf(t, rows), TestAtBestValidation); r != nil {
		t.Errorf("no scores: %+v", r)
	}
	// A method that is missing on one data set is left out, and two are too few.
	rows = slices.DeleteFunc(rows, func(row cellRow) bool { return row["method"] == "b" && row["dataset"] == "q" })
	if r := newRanking(tablesOf(t, rows), TestAtBestTest); r != nil {
		t.Errorf("two methods: %+v", r)
	}
	for _, row := range rankedCells(4) {
		if row["method"] == "a" {
			rows = append(rows, merge(row, cellRow{"method": "d"}))
		}
	}
	if r := newRanking(tablesOf(t, rows), TestAtBestTest); r == nil || !slices.Equal(r.LeftOut, []string{"b"}) || !strings.Contains(r.words(), "Left out, since they have no score on some data set: b.") {
		t.Errorf("%+v", r)
	}
}
