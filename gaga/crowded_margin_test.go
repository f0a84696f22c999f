package gaga

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/testing/needs"
)

// nearlyTied is a linear support vector machine on few different rows, each of which
// comes many times but for a tiny difference, with labels that contradict each other:
// at the margin there is always a crowd.
func nearlyTied(random *rand.Rand, n, d int, intercept bool, r Regularizer) *Problem {
	rows := make([]float64, 5*d*d)
	for i := range rows {
		rows[i] = float64(random.IntN(3))
	}
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range n {
		row := random.IntN(5*d) * d
		side := 0.0
		for j := range d {
			x[i*d+j] = rows[row+j] + 1e-8*random.NormFloat64()
			side += (rows[row+j] - 1) * (1 + float64(j%3))
		}
		if y[i] = 1; side < 0 {
			y[i] = -1
		}
		if random.IntN(4) == 0 {
			y[i] = -y[i]
		}
	}
	p := SVM(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, 1, nil)
	p.Intercept, p.Regularizer = intercept, r
	return p
}

// Where a crowd at the margin stops a sample that comes free at once, the path goes on at
// the point where alternation from the jump point ends, or next to it.
func TestCrowdedMargin(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	const next = 1e-5 // relative to the solution
	landings, landed, elsewhere := 0, 0, 0
	every := 3 // landings, each with AGEPATH_LONG=1
	if needs.Long() {
		every = 1
	}
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 41))
		p := nearlyTied(random, 300, 3+int(seed%4), seed%2 == 0, []Regularizer{Linear{}, Mixture{0.5}, LOG{1}, Polynomial{1.35}}[seed%4])
		path, err := Track(context.Background(), p, Options{Age: Range{0.3, 10}, Verify: true})
		if err != nil || path.Status() != Complete {
			t.Errorf("seed %d: %v, %s, %v", seed, path.Status(), path.Reason(), err)
		}
		search, err := NewAlternation(p)
		if err != nil {
			t.Fatal(err)
		}
		for k, knot := range path.Knots() {
			if k == 0 || knot.Kind != Start {
				continue
			}
			if landings++; landings%every != 0 {
				continue
			}
			landed++
			search.SetTheta(path.Knots()[k-1].Theta)
			var unsettled *NotConverged
			if _, err := search.Converge(context.Background(), knot.Age, 1e-14, 2000); err != nil && !errors.As(err, &unsettled) {
				t.Fatal(err)
			}
			if off := far(search.Theta(), knot.Theta); off > next {
				elsewhere++
				t.Logf("seed %d, age %v, %s: alternation ends %.2g away, relative to the solution", seed, knot.Age, path.Knots()[k-1].Detail, off)
			}
		}
	}
	if t.Logf("%d landings, %d elsewhere", landed, elsewhere); landed < 100 {
		t.Errorf("only %d landings", landed)
	}
	if 100*elsewhere > landed {
		t.Errorf("%d of %d landings end elsewhere than alternation", elsewhere, landed)
	}
}
