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
		trial := creepTrial{
			problem: twoPopulations(random, 2*manyWatched, 2+int(seed%4), seed%2 == 0, Linear{}),
			starts:  6, tolerance: 1e-8,
			age:    func() float64 { return 0.05 * math.Pow(100, random.Float64()) },
			factor: random.Float64,
			creep: func(tr *tracker, age float64, theta []float64) ([]float64, int, bool) {
				steps, ok := tr.creepOn(context.Background(), age, theta[:tr.p])
				return theta, steps, ok
			},
		}
		ended, steps := trial.run(t, seed)
		crept += ended
		alternations += steps
	}
	if crept < 40 {
		t.Errorf("only %d creeps ended", crept)
	}
	t.Logf("%d creeps, %d alternations", crept, alternations)
}

// creepTrial compares a creep with alternate convex search, from points beside the fit
// to all samples.
type creepTrial struct {
	problem   *Problem
	starts    int
	tolerance float64
	age       func() float64 // of the next start
	factor    func() float64 // of the next coefficient
	creep     func(tr *tracker, age float64, theta []float64) (end []float64, steps int, ok bool)
}

// run returns how many creeps ended, and their alternations.
func (c *creepTrial) run(t *testing.T, seed uint64) (ended, alternations int) {
	t.Helper()
	p := c.problem
	search, err := NewAlternation(p)
	if err != nil {
		t.Fatal(err)
	}
	tracker, err := newTracker(p, Options{Age: Range{0.01, 20}})
	if err != nil {
		t.Fatal(err)
	}
	tracker.setFloor(make([]float64, p.X.Rows))
	for range c.starts {
		age := c.age()
		if err := search.FitAll(context.Background()); err != nil {
			t.Fatal(err)
		}
		theta := append([]float64(nil), search.Theta()...)
		for j := range theta[:p.X.Cols] {
			theta[j] *= c.factor()
		}
		search.SetTheta(theta)
		if search.unfit(age) {
			continue
		}
		end, steps, ok := c.creep(tracker, age, theta)
		if !ok {
			continue
		}
		plain, err := search.Converge(context.Background(), age, 1e-13, 0)
		if err != nil {
			t.Fatalf("seed %d, %s, age %v: %v", seed, p.Regularizer.Name(), age, err)
		}
		if off := far(end, search.Theta()); off > c.tolerance {
			t.Errorf("seed %d, %s, age %v: %v after %d steps, search ends at %v after %d", seed, p.Regularizer.Name(), age, end, steps, search.Theta(), plain)
		}
		ended++
		alternations += steps
	}
	return ended, alternations
}
