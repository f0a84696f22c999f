package selfpaced

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

// Paths of logistic regression on very many rows have the jumps of those with a
// knot at every critical point, and no knots at turning points.
func TestSweptPath(t *testing.T) {
	t.Parallel()
	const n = sweepRows
	rng := rand.New(rand.NewPCG(7, 7))
	x := blas64.General{Rows: n, Cols: 2, Stride: 2, Data: make([]float64, 2*n)}
	y := make([]float64, n)
	for i := range y {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.Data[2*i], x.Data[2*i+1] = a, b
		y[i] = math.Copysign(1, a+0.5*b+0.3*rng.NormFloat64())
		if rng.Float64() < 0.2 {
			y[i] = -y[i]
		}
	}
	problem := gaga.LogisticRegression(x, y, nil, 1)
	problem.Regularizer = gaga.Linear{}
	cell := &Cell{Model: Model{Name: Logistic}, Method: Method{Name: GAGA, Age: Age{Min: 0.3, Max: 0.7}}}
	fitted := &Fitted{Problem: problem}
	if err := fitGAGA(t.Context(), fitted, cell, &dataset.Part{N: n}); err != nil {
		t.Fatal(err)
	}
	exact, err := gaga.Track(t.Context(), problem, gaga.Options{Age: gaga.Range{Min: 0.3, Max: 0.7}})
	if err != nil {
		t.Fatal(err)
	}
	var turning int
	var want, got []float64
	for _, event := range exact.Events() {
		if event.Kind == gaga.Jump {
			want = append(want, event.Age)
		} else {
			turning++
		}
	}
	kept := 0
	for _, knot := range fitted.Knots {
		switch knot.Kind {
		case gaga.Jump:
			got = append(got, knot.Age)
		case gaga.Turning:
			kept++
		}
	}
	t.Logf("exact: %d turning points, jumps %v; swept: %d and %d, jumps %v, %s", turning, want, kept, fitted.passed, got, fitted.status)
	if turning < 30 || kept > turning/2 || kept+fitted.passed != turning {
		t.Errorf("%d turning points kept and %d passed, want %d in all", kept, fitted.passed, turning)
	}
	if len(got) != len(want) {
		t.Fatalf("jumps at %v, want %v", got, want)
	}
	for k := range want {
		if math.Abs(got[k]-want[k]) > 1e-8*want[k] {
			t.Errorf("jumps at %v, want %v", got, want)
		}
	}
	if !strings.HasPrefix(fitted.status, "complete; turning points have no knots") {
		t.Errorf("status %q", fitted.status)
	}
	last, end := fitted.Knots[len(fitted.Knots)-1].Theta, exact.Knots()[len(exact.Knots())-1].Theta
	for j := range end {
		if math.Abs(last[j]-end[j]) > 1e-8*math.Max(1, math.Abs(end[j])) {
			t.Errorf("coefficients %v at the end, want %v", last, end)
		}
	}
}
