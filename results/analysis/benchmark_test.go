package analysis

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

var inf = math.Inf(1)

// solversLayout is that of a kind that compares solvers.
var solversLayout = &layout.Layout{
	Dimensions: []layout.DimensionInfo{{Column: "dataset"}, {Column: "task"}, {Column: "n_rows"}},
	Solvers: &layout.Solvers{
		Main: "own", Targets: []layout.Target{{Gap: 1e-3, Column: "coarse"}, {Gap: 1e-5, Column: "fine"}},
		Family: "family", Setup: "setup", Gap: "final", Overclaims: "overclaims", Size: 2,
		Generator: func(s layout.Setting) string { return map[bool]string{true: "drawn"}[s[2].IsNumber] },
	},
}

// times makes a benchmark of one target; a time that is not a number is of a problem that the
// solver does not take.
func times(problems ...[]float64) *Benchmark {
	b := &Benchmark{
		Layout: solversLayout, Methods: []string{"own", "peer", "third"}, Labels: []string{"own", "peer", "third"},
		Families: []string{"ours", "generic", "generic"},
	}
	for i, seconds := range problems {
		p := Problem{Setting: Setting{{Text: fmt.Sprint("data ", i)}, {Text: "svm"}}, Results: make([]Result, len(b.Methods))}
		for m, s := range seconds {
			if !math.IsNaN(s) {
				p.Results[m] = Result{Repeats: 1, Seconds: []float64{s}, Cell: testrun.ID(10*i + m)}
			}
		}
		b.Problems = append(b.Problems, p)
	}
	return b
}

// TestBenchmark compares profiles, ratios and exceptions with those by hand.
func TestBenchmark(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	b := times([]float64{1, 2, inf}, []float64{3, 1, none}, []float64{inf, 4, 2}, []float64{inf, inf, inf})
	for m, want := range [][]float64{{1, 3}, {1, 2, 2}, {1}} { // over the fastest: 1, 1, 2
		if got := b.Profile(0, m); !slices.Equal(got, want) {
			t.Errorf("profile of %s: %v, want %v", b.Methods[m], got, want)
		}
	}
	for _, c := range []struct {
		methods []int
		best    bool
		want    Standing
	}{
		{[]int{0}, false, Standing{Taken: 4, Solved: 2, Fastest: 1, Compared: 2, Mean: 1, Least: 1, Most: 1}},
		{[]int{1}, false, Standing{Taken: 4, Solved: 3, Fastest: 1, Compared: 2, Mean: math.Sqrt(2. / 3), Least: 1. / 3, Most: 2}},
		{[]int{2}, false, Standing{Taken: 3, Solved: 1, Fastest: 1, Mean: none, Least: none, Most: none}},
		{b.All("generic"), false, Standing{Taken: 7, Solved: 4, Fastest: 2, Compared: 2, Mean: math.Sqrt(2. / 3), Least: 1. / 3, Most: 2}},
		{b.All("generic"), true, Standing{Taken: 4, Solved: 3, Fastest: 2, Compared: 2, Mean: math.Sqrt(2. / 3), Least: 1. / 3, Most: 2}},
	} {
		got := b.Standing(0, c.methods, c.best)
		near := testrun.Near(got.Mean, c.want.Mean) && testrun.Near(got.Least, c.want.Least) && testrun.Near(got.Most, c.want.Most)
		counts := func(s Standing) [4]int { return [4]int{s.Taken, s.Solved, s.Fastest, s.Compared} }
		if counts(got) != counts(c.want) || !near {
			t.Errorf("methods %v, best %v: %+v, want %+v", c.methods, c.best, got, c.want)
		}
	}
	want := []Exception{{&b.Problems[2], 0, 2, inf, false}, {&b.Problems[1], 0, 1, 3, false}}
	if got := b.Exceptions(0); !reflect.DeepEqual(got, want) {
		t.Errorf("exceptions %v, want %v", got, want)
	}
	if groups := b.Growth(); groups != nil {
		t.Errorf("problems of one size grow: %v", groups)
	}
}

// TestBenchmarkGrowth finds the exponents of times that are powers of the size.
func TestBenchmarkGrowth(t *testing.T) {
	t.Parallel()
	b := times([]float64{8, 3, inf}, []float64{1, inf, 5}, []float64{1, 1, 1}, []float64{512, 48, 7})
	for i, n := range map[int]float64{0: 4, 1: 1, 3: 64} {
		b.Problems[i].Setting[2] = Value{Number: n, IsNumber: true}
	}
	groups := b.Growth()
	if len(groups) != 1 || len(groups[0]) != 3 || b.Size(groups[0][0]) != 1 || b.Size(groups[0][2]) != 64 {
		t.Fatalf("groups %v", groups)
	}
	for m, want := range []float64{1.5, 1, math.Log(7./5) / math.Log(64)} {
		if got := b.Exponent(groups[0], 0, m); !testrun.Near(got, want) {
			t.Errorf("%s grows by the exponent %v, want %v", b.Methods[m], got, want)
		}
	}
	if got := b.Exponent(groups[0][:1], 0, 0); !math.IsNaN(got) {
		t.Errorf("one size has the exponent %v", got)
	}
}

// TestBenchmarkTally takes medians over the repeats that were computed.
func TestBenchmarkTally(t *testing.T) {
	t.Parallel()
	text, number, count := experiment.Text, experiment.Float, experiment.Int
	columns := []experiment.Column{
		{Name: "dataset", Type: text}, {Name: "task", Type: text}, {Name: "n_rows", Type: count}, {Name: "method", Type: text},
		{Name: "repeat", Type: count}, {Name: "status", Type: text}, {Name: "metric", Type: text}, {Name: "cell", Type: text},
		{Name: "cpu_seconds", Type: number}, {Name: "wall_seconds", Type: number}, {Name: "family", Type: text},
		{Name: "setup", Type: number}, {Name: "final", Type: number}, {Name: "overclaims", Type: count},
		{Name: "coarse", Type: number}, {Name: "fine", Type: number},
	}
	s := &schema{Layout: solversLayout}
	for _, c := range columns {
		s.columns = append(s.columns, c.Name)
	}
	f := &results.Frame{Columns: columns}
	f.Batch.Columns = make([]experiment.Vector, len(columns))
	add := func(cell int, method string, repeat int, status string, measured ...any) {
		row := append([]any{"d", "svm", 5, method, repeat, status, nil, testrun.ID(cell), 1.0, 1.0, "of " + method}, measured...)
		if err := f.Batch.Append(columns, row...); err != nil {
			t.Fatal(err)
		}
	}
	add(1, "peer", 2, "ok", 0.1, 1e-6, 1, 2.0, nil)
	add(2, "peer", 1, "ok", nil, 1e-7, 0, 1.0, nil)
	add(3, "peer", 3, "ok", 0.3, nil, 4, nil, 7.0)
	add(4, "own", 1, "failed", nil, nil, nil, nil, nil)
	tally := newBenchmarkTally(s)
	cells, err := newCellColumns(s, f, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	if err := tally.add(f, cells); err != nil {
		t.Fatal(err)
	}
	b := tally.benchmark()
	if !slices.Equal(b.Methods, []string{"own", "peer"}) || !slices.Equal(b.Families, []string{"of own", "of peer"}) || len(b.Problems) != 1 {
		t.Fatalf("%+v", b)
	}
	if got := b.Problems[0].Results[0]; got.Repeats != 0 {
		t.Errorf("a failed cell counts: %+v", got)
	}
	got := b.Problems[0].Results[1]
	if want := []float64{2, inf}; !slices.Equal(got.Seconds, want) {
		t.Errorf("seconds %v, want %v", got.Seconds, want)
	}
	if got.Repeats != 3 || got.Gap != 1e-6 || got.Overclaims != 5 || got.Repeat != 1 || got.Cell != testrun.ID(2) {
		t.Errorf("%+v", got)
	}
	if none := newBenchmarkTally(&schema{Layout: &layout.Layout{}}); none.columns() != nil || none.benchmark() != nil || none.add(f, cells) != nil {
		t.Error("a kind without solvers has a benchmark")
	}
}
