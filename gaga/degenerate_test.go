package gaga_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

var regularizers = []gaga.Regularizer{
	gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.3}, gaga.Polynomial{Order: 2.5}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 1},
}

// table is a regression problem that tests bend.
type table struct {
	n, d int
	x, y []float64
}

func newTable(n, d int, seed uint64) *table {
	rng := rand.New(rand.NewPCG(seed, 5))
	t := &table{n, d, make([]float64, n*d), make([]float64, n)}
	for i := range t.x {
		t.x[i] = rng.NormFloat64()
	}
	for i := range t.y {
		for j := range d {
			t.y[i] += t.x[i*d+j] * float64(1+j%3) / 4
		}
		t.y[i] += rng.NormFloat64() / 2
	}
	return t
}

func (t *table) problem(alpha float64, r gaga.Regularizer) *gaga.Problem {
	p := gaga.Lasso(blas64.General{Rows: t.n, Cols: t.d, Stride: t.d, Data: t.x}, t.y, nil, alpha)
	p.Regularizer = r
	return p
}

// Bent data must give a complete path, or one that says honestly why it ends.
func TestDegenerateData(t *testing.T) {
	t.Parallel()
	column := func(t *table, j int, f func(i int) float64) {
		for i := range t.n {
			t.x[i*t.d+j] = f(i)
		}
	}
	cases := []struct {
		name  string
		n, d  int
		alpha float64
		ages  gaga.Range
		bend  func(t *table)
	}{
		{name: "duplicated column", n: 30, d: 4, bend: func(t *table) { column(t, 3, func(i int) float64 { return t.x[i*t.d] }) }},
		{name: "collinear columns", n: 30, d: 4, bend: func(t *table) { column(t, 3, func(i int) float64 { return 2*t.x[i*t.d] - t.x[i*t.d+1] }) }},
		{name: "constant column", n: 30, d: 3, bend: func(t *table) { column(t, 1, func(int) float64 { return 1 }) }},
		{name: "zero column", n: 30, d: 3, bend: func(t *table) { column(t, 1, func(int) float64 { return 0 }) }},
		{name: "all zero", n: 5, d: 2, bend: func(t *table) { clear(t.x); clear(t.y) }},
		{name: "integer data", n: 40, d: 3, bend: func(t *table) {
			for i := range t.x {
				t.x[i] = math.Round(t.x[i])
			}
			for i := range t.y {
				t.y[i] = math.Round(t.y[i])
			}
		}},
		{name: "n < d", n: 6, d: 15},
		{name: "one sample", n: 1, d: 1},
		{name: "one sample, more features", n: 1, d: 4},
		{name: "nobody easy at first", n: 20, d: 2, ages: gaga.Range{Min: 1e-12, Max: 1}},
		{name: "nobody easy at all", n: 20, d: 2, alpha: 1e3, ages: gaga.Range{Min: 1e-14, Max: 1e-13}},
		{name: "everybody easy", n: 20, d: 2, ages: gaga.Range{Min: 1e6, Max: 1e7}},
		{name: "constant targets", n: 20, d: 2, bend: func(t *table) {
			for i := range t.y {
				t.y[i] = 0.5
			}
		}},
		{name: "zero targets", n: 20, d: 2, bend: func(t *table) { clear(t.y) }},
		{name: "binary targets", n: 40, d: 3, bend: func(t *table) {
			for i := range t.y {
				t.y[i] = float64(i % 2)
			}
		}},
		{name: "tiny and huge features", n: 30, d: 3, bend: func(t *table) {
			column(t, 0, func(i int) float64 { return 1e-8 * t.x[i*t.d] })
			column(t, 1, func(i int) float64 { return 1e8 * t.x[i*t.d+1] })
		}},
		{name: "nothing active", n: 20, d: 3, alpha: 1e6},
		{name: "no penalty", n: 30, d: 3, alpha: -1},
		{name: "repeated rows", n: 30, d: 3, bend: func(t *table) {
			copy(t.x[15*t.d:], t.x[:15*t.d])
			copy(t.y[15:], t.y[:15])
		}},
		{name: "one sample, repeated", n: 10, d: 2, bend: func(t *table) {
			for i := range t.n {
				copy(t.x[i*t.d:(i+1)*t.d], t.x[:t.d])
				t.y[i] = t.y[0]
			}
		}},
	}
	for _, c := range cases {
		for _, r := range regularizers {
			for _, intercept := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, intercept %v", c.name, r.Name(), intercept), func(t *testing.T) {
					data := newTable(c.n, c.d, 1)
					if c.bend != nil {
						c.bend(data)
					}
					alpha, ages := c.alpha, c.ages
					switch {
					case alpha == 0:
						alpha = 0.006
					case alpha < 0:
						alpha = 0
					}
					if ages.Max == 0 {
						ages = gaga.Range{Min: 0.1, Max: 20}
					}
					p := data.problem(alpha, r)
					p.Intercept = intercept
					path, err := gaga.Track(context.Background(), p, gaga.Options{Age: ages, MaxAlternations: 50_000})
					if err != nil {
						t.Fatal(err)
					}
					checkKnots(t, path)
					for _, k := range path.Knots() {
						if slices.ContainsFunc(k.Theta, math.IsNaN) {
							t.Errorf("age %v: %v", k.Age, k.Theta)
						}
					}
					if path.Status() == gaga.Complete {
						return
					}
					nobody := c.name == "nobody easy at all" || c.name == "nobody easy at first"
					if path.Reason() == "" || (!nobody && c.alpha >= 0) {
						t.Errorf("%v: %s", path.Status(), path.Reason())
					}
				})
			}
		}
	}
}

// Two classes as a regression on 0 and 1: hundreds of samples tie at age 1.
func TestBinaryTargets(t *testing.T) {
	t.Parallel()
	for _, r := range regularizers {
		t.Run(fmt.Sprintf("%s %v", r.Name(), r), func(t *testing.T) {
			t.Parallel()
			p := lasso(training(t, "breast_cancer", dataset.Regression, 0, 1), 0.006, r)
			p.Intercept = true
			path := track(t, p, gaga.Options{Age: gaga.Range{Min: 0.1, Max: 5}})
			checkKnots(t, path)
			turning, jumps := count(path)
			t.Logf("%d turning points, %d jumps, %d landings", turning, jumps, len(path.Restarts()))
		})
	}
}

func TestCancelAndBudget(t *testing.T) {
	t.Parallel()
	p := newTable(60, 4, 2).problem(0.006, gaga.Linear{})
	ages := gaga.Range{Min: 0.1, Max: 20}
	whole := track(t, p, gaga.Options{Age: ages})
	path, err := gaga.Track(context.Background(), p, gaga.Options{Age: ages, MaxEvents: 3})
	if err != nil || path.Status() != gaga.EventLimit || len(path.Events()) != 3 || path.Reason() == "" {
		t.Errorf("with a budget of 3 events: %d events, %v, %q, %v", len(path.Events()), path.Status(), path.Reason(), err)
	}
	for i, e := range path.Events() {
		if want := whole.Events()[i]; e.Age != want.Age || e.Kind != want.Kind || e.Index != want.Index {
			t.Errorf("event %d is %+v with a budget and %+v without", i, e, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path, err = gaga.Track(ctx, p, gaga.Options{Age: ages})
	if err != nil || path.Status() != gaga.Interrupted {
		t.Errorf("cancelled: %v, %v", path.Status(), err)
	}
	var outside *gaga.AgeError
	if _, err := whole.At(ages.Max + 1); !errors.As(err, &outside) {
		t.Errorf("an age beyond the path: %v", err)
	}
}

// Every grid age has a knot, also one at which an event falls.
func TestGridKnots(t *testing.T) {
	t.Parallel()
	p := newTable(30, 2, 3).problem(0.006, gaga.Linear{})
	ages := gaga.Range{Min: 0.1, Max: 10}
	first := track(t, p, gaga.Options{Age: ages})
	grid := []float64{ages.Max, ages.Min, 3, 3, 0.05, 11}
	for _, e := range first.Events() {
		grid = append(grid, e.Age)
	}
	path := track(t, p, gaga.Options{Age: ages, Grid: grid})
	for _, age := range grid {
		if age < ages.Min || age > ages.Max {
			continue
		}
		if !slices.ContainsFunc(path.Knots(), func(k gaga.Knot) bool { return math.Abs(k.Age-age) <= 1e-8*age }) {
			t.Errorf("no knot at age %v", age)
		}
	}
	if a, b := len(first.Events()), len(path.Events()); a != b {
		t.Errorf("%d events without a grid, %d with one", a, b)
	}
}

func TestBadProblemsAndOptions(t *testing.T) {
	t.Parallel()
	good := func() *gaga.Problem { return newTable(5, 2, 1).problem(0.1, gaga.Linear{}) }
	ages := gaga.Range{Min: 0.1, Max: 1}
	cases := []struct {
		name string
		bend func(p *gaga.Problem, o *gaga.Options)
	}{
		{"no age", func(_ *gaga.Problem, o *gaga.Options) { o.Age = gaga.Range{} }},
		{"ages descend", func(_ *gaga.Problem, o *gaga.Options) { o.Age = gaga.Range{Min: 2, Max: 1} }},
		{"infinite age", func(_ *gaga.Problem, o *gaga.Options) { o.Age.Max = math.Inf(1) }},
		{"NaN in the grid", func(_ *gaga.Problem, o *gaga.Options) { o.Grid = []float64{math.NaN()} }},
		{"NaN feature", func(p *gaga.Problem, _ *gaga.Options) { p.X.Data[3] = math.NaN() }},
		{"infinite target", func(p *gaga.Problem, _ *gaga.Options) { p.Y[1] = math.Inf(-1) }},
		{"short targets", func(p *gaga.Problem, _ *gaga.Options) { p.Y = p.Y[1:] }},
		{"no rows", func(p *gaga.Problem, _ *gaga.Options) { p.X.Rows = 0 }},
		{"multiplicity 0", func(p *gaga.Problem, _ *gaga.Options) { p.Multiplicity = make([]float64, 5) }},
		{"negative penalty", func(p *gaga.Problem, _ *gaga.Options) { p.Penalty.L1 = -1 }},
		{"no regularizer", func(p *gaga.Problem, _ *gaga.Options) { p.Regularizer = nil }},
		{"order near 1", func(p *gaga.Problem, _ *gaga.Options) { p.Regularizer = gaga.Polynomial{Order: 1.19} }},
		{"gamma 0", func(p *gaga.Problem, _ *gaga.Options) { p.Regularizer = gaga.Mixture{} }},
		{"a NaN", func(p *gaga.Problem, _ *gaga.Options) { p.Regularizer = gaga.LOG{A: math.NaN()} }},
		{"regression targets for a class", func(p *gaga.Problem, _ *gaga.Options) { p.Loss = gaga.Logistic{C: 1} }},
		{"a kinked loss of one's own", func(p *gaga.Problem, _ *gaga.Options) { p.Loss, p.Penalty = absolute{}, gaga.Penalty{L2: 1} }},
	}
	for _, c := range cases {
		p, o := good(), gaga.Options{Age: ages}
		c.bend(p, &o)
		if path, err := gaga.Track(context.Background(), p, o); err == nil {
			t.Errorf("%s: no error, %v", c.name, path.Status())
		}
	}
}

// absolute is a loss with a kink that the package does not know.
type absolute struct{}

func (absolute) Name() string { return "absolute" }
func (absolute) Kinked() bool { return true }
func (absolute) Eval(u, y float64) (loss, slope, curvature float64) {
	return math.Abs(u - y), math.Copysign(1, u-y), 0
}
