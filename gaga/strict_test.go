package gaga_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

func rows(x ...[]float64) blas64.General {
	out := blas64.General{Rows: len(x), Cols: len(x[0]), Stride: len(x[0])}
	for _, row := range x {
		out.Data = append(out.Data, row...)
	}
	return out
}

// A path stops only where no strict optimum continues. Each of these once stopped although
// alternation goes on: where everything is fitted exactly, where the terms of sums or of
// predictors cancel, at symmetric saddles, and where ties at the margin depend on each other.
func TestStrictOptimaContinue(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	normal := func(seed uint64, n, d int) (x blas64.General, y []float64) {
		rng := rand.New(rand.NewPCG(seed, 38))
		x, y = blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}, make([]float64, n)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = rng.NormFloat64() + x.Data[i*d]
		}
		return x, y
	}
	type problem struct {
		name string
		p    *gaga.Problem
		ages gaga.Range
	}
	var problems []problem
	add := func(name string, p *gaga.Problem, r gaga.Regularizer, ages gaga.Range) {
		p.Regularizer, p.Intercept = r, true
		problems = append(problems, problem{fmt.Sprintf("%s, %s %v", name, r.Name(), r), p, ages})
	}
	for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.3}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 1}} {
		x, y := normal(1, 17, 3)
		for i := range y {
			y[i] = -0.93
		}
		add("constant targets", gaga.Ridge(x, y, nil, 2), r, gaga.Range{Min: 0.01, Max: 5})
		add("two samples", gaga.SVM(rows([]float64{0}, []float64{1}), []float64{-1, 1}, nil, 0.7, gaga.RBF{Gamma: 1}), r, gaga.Range{Min: 0.35, Max: 10})
		add("three of four samples", gaga.SVM(rows([]float64{0, 0}, []float64{0, 1}, []float64{1, 0}, []float64{1, 1}), []float64{1, -1, -1, 1}, nil, 0.9, gaga.RBF{Gamma: 2}), r, gaga.Range{Min: 0.45, Max: 10})
		x = rows([]float64{590.8610942515116, 0, 0}, []float64{1, 0, 0}, []float64{0, 0, 1}, []float64{0, 0, 0}, []float64{1, 0, 0}, []float64{1, 0, 0}, []float64{1, 0, 0}, []float64{0, 1, 1}, []float64{0, 1, 0},
			[]float64{1, 1, 0}, []float64{1, 0, 1}, []float64{0, 0, 0}, []float64{1, 1, 1}, []float64{0, 0, 1}, []float64{0, 0, 1}, []float64{0, 0, 0}, []float64{1, 1, 1}, []float64{1, 0, 0}, []float64{0, 1, 1})
		labels := []float64{1, -1, 1, -1, 1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, -1, -1, 1, -1}
		add("dependent samples at the margin", gaga.SVM(x, labels, nil, 2.7957169654372938, nil), r, gaga.Range{Min: 0.02, Max: 2})
	}
	for seed := range uint64(6) {
		x, y := normal(seed, 150, 6)
		y[0] *= 0.1
		for j := range 6 {
			x.Data[j] *= 120
		}
		add(fmt.Sprintf("a row far off, %d", seed), gaga.Ridge(x, y, nil, 0.6), gaga.Linear{}, gaga.Range{Min: 1e-3, Max: 5})
	}
	for _, c := range problems {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path, err := gaga.Track(t.Context(), c.p, gaga.Options{Age: c.ages, MaxAlternations: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			if path.Status() != gaga.Complete {
				t.Fatalf("%v at age %v: %s", path.Status(), path.Range().Max, path.Reason())
			}
			for _, k := range path.Knots() {
				if !(k.KKT <= residualLimit) {
					t.Errorf("age %v: residual %.2g", k.Age, k.KKT)
				}
			}
		})
	}
}

// A path on which nobody has a weight at any age begins where alternation from the fit with
// all weights 1 keeps samples, and where there is no such age it is not complete. A Lasso of
// years without scaling and ridge regression with a strong penalty are of this kind.
func TestNobodyKept(t *testing.T) {
	t.Parallel()
	x, y := blas64.General{Rows: 40, Cols: 1, Stride: 1, Data: make([]float64, 40)}, make([]float64, 40)
	rng := rand.New(rand.NewPCG(7, 38))
	for i := range y {
		x.Data[i] = float64(2000 + rng.IntN(20))
		y[i] = 700 + 0.3*(x.Data[i]-2000) + 0.3*rng.NormFloat64()
	}
	years := gaga.Lasso(x, y, nil, 0.01)
	years.Intercept = true
	// All weights 1 fit w = 1.5 and the first sample exactly. It alone fits w = 0.75, which
	// is too far off for all, and losses at w = 0 are 2.25 and more.
	strong := gaga.Ridge(rows([]float64{1}, []float64{1}, []float64{1}), []float64{1.5, 2, 2.5}, nil, 1)
	for _, c := range []struct {
		name string
		p    *gaga.Problem
		ages gaga.Range
		kept int
	}{
		{"years", years, gaga.Range{Min: 1e-3, Max: 20}, 40},
		{"a strong penalty", strong, gaga.Range{Min: 0.01, Max: 2}, 3},
		{"a strong penalty, ages too low", strong, gaga.Range{Min: 0.01, Max: 0.1}, 0},
	} {
		c.p.Regularizer = gaga.Hard{}
		path, err := gaga.Track(t.Context(), c.p, gaga.Options{Age: c.ages})
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, k := range path.Knots() {
			kept = max(kept, k.Easy)
		}
		if complete := path.Status() == gaga.Complete; kept != c.kept || complete != (kept > 0) {
			t.Errorf("%s: %d samples kept from age %v on, want %d: %v: %s", c.name, kept, path.Range().Min, c.kept, path.Status(), path.Reason())
		}
	}
}
