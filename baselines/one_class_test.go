package baselines_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// TestACSAfterOneClass wants the ages after one at which only one class has weight to begin at the
// plain fit, as if they were the first. Where the search stopped, it would find other optima.
func TestACSAfterOneClass(t *testing.T) {
	t.Parallel()
	restarts, elsewhere := 0, 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		x, y := blas64.General{Rows: 30, Cols: 2, Stride: 2, Data: make([]float64, 60)}, make([]float64, 30)
		for i := range y {
			y[i] = math.Copysign(1, random.Float64()-0.35)
			x.Data[2*i], x.Data[2*i+1] = y[i]+1.5*random.NormFloat64(), random.NormFloat64()
		}
		p := gaga.LogisticRegression(x, y, nil, 10)
		p.Regularizer = gaga.Linear{}
		var ages []float64
		for age := 0.02; age < 4; age *= 1.3 {
			ages = append(ages, age)
		}
		if seed%2 == 1 {
			slices.Reverse(ages)
		}
		path, err := baselines.ACS(t.Context(), p, ages, baselines.ACSOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if path.OneClass == 0 {
			continue
		}
		if path.Complete() {
			t.Error("a path with a gap is complete")
		}
		last := 0 // age of one class
		for k := range ages {
			upTo, err := baselines.ACS(t.Context(), p, ages[:k+1], baselines.ACSOptions{})
			if err == nil && upTo.OneClass == path.OneClass {
				last = k
				break
			}
		}
		rest, err := baselines.ACS(t.Context(), p, ages[last+1:], baselines.ACSOptions{})
		if err != nil {
			continue // every later age discards all
		}
		have := path.Knots[len(path.Knots)-len(rest.Knots):]
		for k, want := range rest.Knots {
			if have[k].Age != want.Age || baselines.Differ(have[k].Theta, want.Theta) {
				t.Fatalf("seed %d: at age %v %v, from the plain fit %v at %v", seed, have[k].Age, have[k].Theta, want.Theta, want.Age)
			}
		}
		restarts++
		if goesElsewhere(t, p, ages[:last+1], ages[last+1:], rest.Knots) {
			elsewhere++
		}
	}
	if elsewhere == 0 {
		t.Errorf("a search that goes on after one class finds the same optima in all of %d problems", restarts)
	}
}

// goesElsewhere reports whether a search that is not begun again after the first ages has other
// models than the knots.
func goesElsewhere(t *testing.T, p *gaga.Problem, first, rest []float64, knots []gaga.Knot) bool {
	t.Helper()
	a, err := gaga.NewAlternation(p)
	if err == nil {
		err = a.FitAll(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, age := range first {
		if _, err := a.Converge(t.Context(), age, 0, 0); err != nil && !errors.Is(err, gaga.ErrOneClass) && !errors.Is(err, gaga.ErrDiscarded) {
			t.Fatal(err)
		}
	}
	for _, age := range rest {
		if _, err := a.Converge(t.Context(), age, 0, 0); err != nil {
			continue
		}
		k := slices.IndexFunc(knots, func(k gaga.Knot) bool { return k.Age == age })
		if k < 0 || baselines.Differ(a.Theta(), knots[k].Theta) {
			return true
		}
	}
	return false
}
