package gaga_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
)

// Between two knots At comes to the point that a path with a knot there has, also where
// another branch is close: from the knots alone a correction leads to that.
func TestAtStaysOnThePath(t *testing.T) {
	t.Parallel()
	column := func(x ...float64) blas64.General {
		return blas64.General{Rows: len(x), Cols: 1, Stride: 1, Data: x}
	}
	p := gaga.Ridge(column(0.2, -0.2, 0.5, -0.1, -1.5), []float64{-5, -0.9, 6.3, 2.7, 4.5}, nil, 0.01)
	p.Intercept, p.Regularizer = true, gaga.LOG{A: 1}
	var at []float64
	for age := 0.25; age < 25; age += 0.25 {
		at = append(at, age)
	}
	ages := gaga.Range{Min: 0.021, Max: 25}
	path, knots := track(t, p, gaga.Options{Age: ages}), track(t, p, gaga.Options{Age: ages, Grid: at})
	for _, age := range at {
		theta, err := path.At(age)
		if err != nil {
			t.Error(err)
			continue
		}
		if off := newOptimality(p).violation(theta, age); !(off <= residualLimit) {
			t.Errorf("age %v: residual %.2g", age, off)
		}
		if want, err := knots.At(age); err != nil || apart(want, theta) > 1e-9 {
			t.Errorf("age %v: %v, %v with a knot there, %v", age, theta, want, err)
		}
	}
}

// A landing may take MaxAlternations steps in all, whatever ways down it tries. Where the
// weight's slope is infinite at a threshold, as for orders above 2, it ends long before:
// its steps come to nothing but noise.
func TestLandingsAreBounded(t *testing.T) {
	t.Parallel()
	longest, landings := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 6 + rng.IntN(20)
		x, y, m := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			y[i] = float64(1 - 2*rng.IntN(2))
			x[i] = 1e4 * (rng.NormFloat64() + 0.3*y[i])
			m[i] = 0.5 + 3.5*rng.Float64()
		}
		p := gaga.SVM(blas64.General{Rows: n, Cols: 1, Stride: 1, Data: x}, y, m, 0.7, nil)
		p.Intercept, p.Regularizer = false, gaga.Polynomial{Order: 10}
		for _, most := range []int{20, 20_000} {
			path, err := gaga.Track(t.Context(), p, gaga.Options{Age: gaga.Range{Min: 0.13, Max: 3.6}, MaxAlternations: most})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, r := range path.Restarts() {
				landings++
				longest = max(longest, r.Iterations)
				if r.Iterations > most {
					t.Errorf("seed %d: the landing at age %v takes %d steps, at most %d are allowed", seed, r.Age, r.Iterations, most)
				}
			}
		}
	}
	t.Logf("%d landings, of %d steps at most", landings, longest)
	if longest > 5000 {
		t.Errorf("a landing takes %d steps", longest)
	}
}

// Equal samples' multipliers can grow without bound against each other while predictors
// stand still, and with them the rounding of the objective: a point that seems lower for
// that is none to leave to.
func TestLandingsAmongEqualSamples(t *testing.T) {
	t.Parallel()
	rises, landings := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 4))
		n := 15 + rng.IntN(10)
		x, y := make([]float64, 2*n), make([]float64, n)
		for i := range x {
			x[i] = float64(rng.IntN(5) - 2)
		}
		for i := range y {
			y[i] = float64(1 - 2*rng.IntN(2))
		}
		p := gaga.SVM(blas64.General{Rows: n, Cols: 2, Stride: 2, Data: x}, y, nil, 8, gaga.RBF{Gamma: 0.005})
		p.Intercept, p.Regularizer = false, gaga.Mixture{Gamma: 0.01}
		path, err := gaga.Track(t.Context(), p, gaga.Options{Age: gaga.Range{Min: 0.15, Max: 100}})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		o, knots := newOptimality(p), path.Knots()
		for k := 1; k < len(knots); k++ {
			if from, to := knots[k-1], knots[k]; to.Kind == gaga.Start {
				landings++
				if before, after := o.implicitObjective(from.Theta, to.Age), o.implicitObjective(to.Theta, to.Age); after > before*(1+1e-8) {
					rises++
					t.Errorf("seed %d: the landing at age %v raises the objective from %v to %v", seed, to.Age, before, after)
				}
			}
		}
	}
	t.Logf("%d landings, %d rise", landings, rises)
}
