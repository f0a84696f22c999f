package gaga

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// twoPopulations is a Lasso of more samples than a window watches, of which a third
// follow another coefficient vector, so that its path jumps.
func twoPopulations(random *rand.Rand, n, d int, intercept bool, r Regularizer) *Problem {
	x, y := make([]float64, n*d), make([]float64, n)
	one, other := make([]float64, d), make([]float64, d)
	for j := range d {
		one[j], other[j] = random.NormFloat64(), random.NormFloat64()
	}
	for i := range n {
		w := one
		if i%3 == 0 {
			w = other
		}
		y[i] = 0.1 * random.NormFloat64()
		for j := range d {
			x[i*d+j] = random.NormFloat64()
			y[i] += w[j] * x[i*d+j]
		}
	}
	p := Lasso(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, 0.02)
	p.Intercept, p.Regularizer = intercept, r
	return p
}

// A creep ends where alternate convex search does, which sums over all samples.
func TestCreep(t *testing.T) {
	t.Parallel()
	crept, alternations := 0, 0
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 31))
		p := twoPopulations(random, 2*manyWatched, 2+int(seed%4), seed%2 == 0, Linear{})
		search, err := NewAlternation(p)
		if err != nil {
			t.Fatal(err)
		}
		tracker, err := newTracker(p, Options{Age: Range{0.01, 20}})
		if err != nil {
			t.Fatal(err)
		}
		tracker.setFloor(make([]float64, p.X.Rows))
		for range 6 {
			// From the solution for the age before, or a point beside it, to another age.
			age := 0.05 * math.Pow(100, random.Float64())
			if err := search.FitAll(context.Background()); err != nil {
				t.Fatal(err)
			}
			theta := append([]float64(nil), search.Theta()...)
			for j := range theta[:p.X.Cols] {
				theta[j] *= random.Float64()
			}
			search.SetTheta(theta)
			if search.unfit(age) {
				continue
			}
			steps, ok := tracker.creepOn(context.Background(), age, theta[:tracker.p])
			if !ok {
				continue
			}
			plain, err := search.Converge(context.Background(), age, 1e-13, 0)
			if err != nil {
				t.Fatalf("seed %d, age %v: %v", seed, age, err)
			}
			if off := far(theta, search.Theta()); off > 1e-8 {
				t.Errorf("seed %d, age %v: %v after %d steps, search ends at %v after %d", seed, age, theta, steps, search.Theta(), plain)
			}
			crept++
			alternations += steps
		}
	}
	if crept < 40 {
		t.Errorf("only %d creeps ended", crept)
	}
	t.Logf("%d creeps, %d alternations", crept, alternations)
}
