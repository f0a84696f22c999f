package gaga_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// classes is a problem of two classes that tests bend: labels follow the first
// feature, but for some that are wrong.
type classes struct {
	n, d int
	x, y []float64
	c    float64
}

func newClasses(n, d int) *classes {
	rng := rand.New(rand.NewPCG(3, 5))
	t := &classes{n, d, make([]float64, n*d), make([]float64, n), 1}
	for i := range t.y {
		t.y[i] = float64(1 - 2*(i%2))
		for j := range d {
			t.x[i*d+j] = rng.NormFloat64()
		}
		if i%7 != 6 {
			t.x[i*d] += t.y[i]
		}
	}
	return t
}

func (t *classes) column(j int, f func(i int) float64) {
	for i := range t.n {
		t.x[i*t.d+j] = f(i)
	}
}

// classCases are the ways in which data for classification degenerate.
var classCases = []struct {
	name string
	n, d int
	ages gaga.Range // in units of C; 0: [0.01, 100]
	bend func(t *classes)
}{
	{name: "general position", n: 20, d: 3},
	{name: "duplicated rows", n: 20, d: 3, bend: func(t *classes) {
		copy(t.x[10*t.d:], t.x[:10*t.d])
		copy(t.y[10:], t.y[:10])
	}},
	{name: "duplicated rows of both labels", n: 20, d: 3, bend: func(t *classes) {
		copy(t.x[10*t.d:], t.x[:10*t.d])
		for i := range 10 {
			t.y[10+i] = -t.y[i]
		}
	}},
	{name: "one sample, repeated", n: 10, d: 2, bend: func(t *classes) {
		for i := range t.n {
			copy(t.x[i*t.d:(i+1)*t.d], t.x[:t.d])
			t.y[i] = t.y[0]
		}
	}},
	{name: "duplicated column", n: 20, d: 3, bend: func(t *classes) { t.column(2, func(i int) float64 { return t.x[i*t.d] }) }},
	{name: "collinear columns", n: 20, d: 4, bend: func(t *classes) { t.column(3, func(i int) float64 { return 2*t.x[i*t.d] - t.x[i*t.d+1] }) }},
	{name: "constant column", n: 20, d: 3, bend: func(t *classes) { t.column(1, func(int) float64 { return 1 }) }},
	{name: "zero column", n: 20, d: 3, bend: func(t *classes) { t.column(1, func(int) float64 { return 0 }) }},
	{name: "zero rows", n: 20, d: 3, bend: func(t *classes) { clear(t.x[:7*t.d]) }},
	{name: "all zero", n: 6, d: 2, bend: func(t *classes) { clear(t.x) }},
	{name: "integer columns", n: 24, d: 3, bend: func(t *classes) {
		for i := range t.x {
			t.x[i] = math.Round(t.x[i])
		}
	}},
	{name: "n < d", n: 6, d: 15},
	{name: "one sample", n: 1, d: 1, bend: func(t *classes) { t.x[0] = 1 }},
	{name: "one sample of the other label", n: 1, d: 4, bend: func(t *classes) { t.y[0] = -1 }},
	{name: "one sample at the origin", n: 1, d: 1, bend: func(t *classes) { t.x[0] = 0 }},
	{name: "labels all equal", n: 20, d: 3, bend: func(t *classes) {
		for i := range t.y {
			t.y[i] = -1
		}
	}},
	{name: "one class in the easy set", n: 20, d: 2, bend: func(t *classes) {
		for i := range t.y { // the few of the one amid the many of the other
			t.y[i] = 1
			if i%6 == 0 {
				t.y[i], t.x[i*t.d] = -1, 1
			}
		}
	}},
	{name: "separable, far apart", n: 20, d: 2, bend: func(t *classes) { t.column(0, func(i int) float64 { return 100 * t.y[i] }) }},
	{name: "nobody easy at first", n: 20, d: 2, ages: gaga.Range{Min: 1e-12, Max: 1}},
	{name: "nobody easy at all", n: 20, d: 2, ages: gaga.Range{Min: 1e-14, Max: 1e-13}},
	{name: "everybody easy", n: 20, d: 2, ages: gaga.Range{Min: 1e6, Max: 1e7}},
	{name: "tiny features", n: 20, d: 3, bend: func(t *classes) { t.scale(1e-8) }},
	{name: "huge features", n: 20, d: 3, bend: func(t *classes) { t.scale(1e8) }},
	{name: "a tiny and a huge feature", n: 20, d: 3, bend: func(t *classes) {
		t.column(0, func(i int) float64 { return 1e-8 * t.x[i*t.d] })
		t.column(1, func(i int) float64 { return 1e8 * t.x[i*t.d+1] })
	}},
	{name: "C 1e-4", n: 20, d: 3, bend: func(t *classes) { t.c = 1e-4 }},
	{name: "C 1e4", n: 20, d: 3, bend: func(t *classes) { t.c = 1e4 }},
}

func (t *classes) scale(by float64) {
	for i := range t.x {
		t.x[i] *= by
	}
}

// Bent data of two classes must give a complete path, or one that says why it
// ends, in bounded time; and at every age that it covers a solution.
func TestDegenerateClasses(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	models := map[string]func(c *classes, x blas64.General) *gaga.Problem{
		"linear": func(c *classes, x blas64.General) *gaga.Problem { return gaga.SVM(x, c.y, nil, c.c, nil) },
		"rbf": func(c *classes, x blas64.General) *gaga.Problem {
			return gaga.SVM(x, c.y, nil, c.c, gaga.RBF{Gamma: 1 / float64(c.d)})
		},
		"logistic": func(c *classes, x blas64.General) *gaga.Problem { return gaga.LogisticRegression(x, c.y, nil, c.c) },
	}
	for name, model := range models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			complete, paths := 0, 0
			for _, c := range classCases {
				for _, r := range regularizers {
					for _, intercept := range []bool{false, true} {
						data := newClasses(c.n, c.d)
						if c.bend != nil {
							c.bend(data)
						}
						ages := c.ages
						if ages.Max == 0 {
							ages = gaga.Range{Min: 0.01, Max: 100}
						}
						ages = gaga.Range{Min: data.c * ages.Min, Max: data.c * ages.Max}
						p := model(data, blas64.General{Rows: c.n, Cols: c.d, Stride: c.d, Data: data.x})
						p.Regularizer, p.Intercept = r, intercept
						path, err := trackDegenerate(p, ages)
						paths++
						switch {
						case err != nil:
							t.Errorf("%s, %#v, intercept %v: %v", c.name, r, intercept, err)
						case path.Status() == gaga.Complete:
							complete++
						default:
							t.Logf("%s, %#v, intercept %v: %s", c.name, r, intercept, path.Reason())
						}
					}
				}
			}
			t.Logf("%d of %d paths are complete", complete, paths)
			if complete*10 < paths*7 {
				t.Errorf("only %d of %d paths are complete", complete, paths)
			}
		})
	}
}

// trackDegenerate tracks a path and returns an error where it breaks a promise.
func trackDegenerate(p *gaga.Problem, ages gaga.Range) (*gaga.Path, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	path, err := gaga.Track(ctx, p, gaga.Options{Age: ages, MaxAlternations: 50_000})
	switch {
	case err != nil:
		return nil, err
	case path.Status() == gaga.Interrupted:
		return nil, fmt.Errorf("no end: %d knots, up to age %v", len(path.Knots()), path.Range().Max)
	case path.Status().Early() != (path.Reason() != ""):
		return nil, fmt.Errorf("%v for the reason %q", path.Status(), path.Reason())
	}
	last := 0.0
	for _, k := range path.Knots() {
		if !(k.KKT <= 1e-9) || k.Age < last || slices.ContainsFunc(k.Theta, math.IsNaN) || math.IsNaN(k.Objective) {
			return nil, fmt.Errorf("knot %+v", k)
		}
		last = k.Age
	}
	covered := path.Range()
	if len(path.Knots()) == 0 || covered.Min == covered.Max {
		return path, nil
	}
	for x := 0.03; x < 1; x += 0.12 {
		age := covered.Min * math.Pow(covered.Max/covered.Min, x)
		theta, err := path.At(age)
		if _, ok := errors.AsType[*gaga.GapError](err); ok {
			continue
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(theta, math.IsNaN) {
			return nil, fmt.Errorf("NaN at age %v", age)
		}
	}
	return path, nil
}
