package benchmark

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

var inf = math.Inf(1)

// times makes a benchmark of one target; a time that is not a number is of a problem that the
// solver does not take.
func times(problems ...[]float64) *comparison {
	names := []string{mainSolver, "peer", "third"}
	b := &comparison{
		Run: &analysis.Run{Layout: Layout}, Methods: names, Labels: names, families: []string{"ours", "generic", "generic"},
	}
	for i, seconds := range problems {
		p := compared{setting: layout.Setting{{Text: fmt.Sprint("data ", i)}, {Text: "svm"}}, results: make([]reached, len(b.Methods))}
		for m, s := range seconds {
			if !math.IsNaN(s) {
				p.results[m] = reached{repeats: 1, seconds: []float64{s, inf, inf}}
			}
		}
		b.problems = append(b.problems, p)
	}
	return b
}

// TestBenchmark compares profiles, ratios and exceptions with those by hand.
func TestBenchmark(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	b := times([]float64{1, 2, inf}, []float64{3, 1, none}, []float64{inf, 4, 2}, []float64{inf, inf, inf})
	for m, want := range [][]float64{{1, 3}, {1, 2, 2}, {1}} { // over the fastest: 1, 1, 2
		if got := b.profile(0, m); !slices.Equal(got, want) {
			t.Errorf("profile of %s: %v, want %v", b.Methods[m], got, want)
		}
	}
	for _, c := range []struct {
		methods []int
		best    bool
		want    standing
	}{
		{[]int{0}, false, standing{taken: 4, solved: 2, fastest: 1, compared: 2, mean: 1, least: 1, most: 1}},
		{[]int{1}, false, standing{taken: 4, solved: 3, fastest: 1, compared: 2, mean: math.Sqrt(2. / 3), least: 1. / 3, most: 2}},
		{[]int{2}, false, standing{taken: 3, solved: 1, fastest: 1, mean: none, least: none, most: none}},
		{b.all("generic"), false, standing{taken: 7, solved: 4, fastest: 2, compared: 2, mean: math.Sqrt(2. / 3), least: 1. / 3, most: 2}},
		{b.all("generic"), true, standing{taken: 4, solved: 3, fastest: 2, compared: 2, mean: math.Sqrt(2. / 3), least: 1. / 3, most: 2}},
	} {
		got := b.standing(0, c.methods, c.best)
		near := testrun.Near(got.mean, c.want.mean) && testrun.Near(got.least, c.want.least) && testrun.Near(got.most, c.want.most)
		counts := func(s standing) [4]int { return [4]int{s.taken, s.solved, s.fastest, s.compared} }
		if counts(got) != counts(c.want) || !near {
			t.Errorf("methods %v, best %v: %+v, want %+v", c.methods, c.best, got, c.want)
		}
	}
	want := []exception{{&b.problems[2], 2, inf, false}, {&b.problems[1], 1, 3, false}}
	if got := b.exceptions(0); !reflect.DeepEqual(got, want) {
		t.Errorf("exceptions %v, want %v", got, want)
	}
	if groups := b.growth(); groups != nil {
		t.Errorf("problems of one size grow: %v", groups)
	}
}

// TestBenchmarkGrowth finds the exponents of times that are powers of the size.
func TestBenchmarkGrowth(t *testing.T) {
	t.Parallel()
	b := times([]float64{8, 3, inf}, []float64{1, inf, 5}, []float64{1, 1, 1}, []float64{512, 48, 7})
	for i, n := range map[int]float64{0: 4, 1: 1, 3: 64} {
		b.problems[i].setting[dimDataset].Text = fmt.Sprintf("generated-%gx5", n)
		b.problems[i].setting[dimRows] = layout.Value{Number: n, IsNumber: true}
	}
	groups := b.growth()
	if len(groups) != 1 || len(groups[0]) != 3 || groups[0][0].size() != 1 || groups[0][2].size() != 64 {
		t.Fatalf("groups %v", groups)
	}
	for m, want := range []float64{1.5, 1, math.Log(7./5) / math.Log(64)} {
		if got := exponent(groups[0], 0, m); !testrun.Near(got, want) {
			t.Errorf("%s grows by the exponent %v, want %v", b.Methods[m], got, want)
		}
	}
	if got := exponent(groups[0][:1], 0, 0); !math.IsNaN(got) {
		t.Errorf("one size has the exponent %v", got)
	}
}

// TestReachedBy takes medians over the repeats that were computed.
func TestReachedBy(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	a, b, c := testrun.ID(1), testrun.ID(2), testrun.ID(3)
	measures := map[string]measured{
		b: {none, 1e-7, 0, []float64{1, inf, inf}}, a: {0.1, 1e-6, 1, []float64{2, inf, inf}}, c: {0.3, inf, 4, []float64{inf, 7, inf}},
	}
	var cells []analysis.RepeatScore
	for i, name := range []string{b, a, c, "d"} {
		sample := analysis.RepeatScore{Repeat: int64(i + 1), Status: experiment.Failed}
		if name != "d" {
			sample.Status = experiment.OK
			var err error
			if sample.Cell, err = results.ParseCell(name); err != nil {
				t.Fatal(err)
			}
		}
		cells = append(cells, sample)
	}
	got := reachedBy(cells, measures)
	if want := []float64{2, inf, inf}; !slices.Equal(got.seconds, want) {
		t.Errorf("seconds %v, want %v", got.seconds, want)
	}
	if got.repeats != 3 || got.gap != 1e-6 || got.overclaims != 5 || !slices.Equal(got.cells, []string{b, a, c}) {
		t.Errorf("%+v", got)
	}
	if got := reachedBy(cells[3:], measures); got.repeats != 0 {
		t.Errorf("a failed cell counts: %+v", got)
	}
}

// TestMedian compares the median with the definition: at least half of the numbers are at most it,
// and at least half at least it; of two in the middle it is the mean.
func TestMedian(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		numbers []float64
		want    float64
	}{
		{[]float64{7}, 7}, {[]float64{3, 1, 2}, 2}, {[]float64{9, 1, 4, 3, 100}, 4}, {[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{inf, 1, 2}, 2}, {[]float64{inf, 1}, inf}, {[]float64{inf, inf, inf}, inf},
	} {
		if have := dataset.MedianOf(of.numbers); have != of.want {
			t.Errorf("of %v: %g, want %g", of.numbers, have, of.want)
		}
	}
	a := attempt{setups: []float64{0.3, 0.1, 0.2}}
	if have := a.setup(); have != 0.2 {
		t.Errorf("the time of set-up is %v, want 0.2", have)
	}
}
