package rehline

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestSketch solves problems with strong regularization by a sketch, which spares most visits,
// and finds what Newton steps alone find: also where the sketch's samples are unlike the others.
func TestSketch(t *testing.T) {
	t.Parallel()
	const n, d = 3000, 5
	r := rand.New(rand.NewPCG(7, 1))
	x := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	y, class, weights := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		size := 1.0
		if i%leastEvery == 0 && i > n/2 {
			size = 3
		}
		for j := range d {
			x.Data[i*d+j] = size * r.NormFloat64()
		}
		y[i] = size*x.Data[i*d] - x.Data[i*d+1] + 0.5*r.NormFloat64()
		class[i] = math.Copysign(1, y[i])
		weights[i] = r.Float64()
	}
	weights[0] = 0
	for name, p := range map[string]Problem{
		"hinge":        {Loss: Hinge(class)},
		"weights":      {Loss: Hinge(class), Weights: weights},
		"median":       {Loss: Quantile(y, 0.5), Intercept: PenalizedIntercept},
		"tube":         {Loss: EpsilonInsensitive(y, 0.1)},
		"tube, offset": {Loss: EpsilonInsensitive(y, 0.1), Intercept: PenalizedIntercept},
	} {
		p.X, p.C = x, 0.5/n
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		sol, err := s.Solve(context.Background(), Options{Tol: 1e-6})
		if err != nil || sol.Status != Solved || !s.descent.sketches() {
			t.Fatalf("%s: %v, %v; sketch %v", name, sol.Status, err, s.descent.sketches())
		}
		if sol.Iterations.Visits > 3*n/2 || sol.Iterations.Newton > 0 {
			t.Errorf("%s: %+v", name, sol.Iterations)
		}
		want, err := Solve(context.Background(), p, Options{Tol: 1e-9, Method: NewtonOnly})
		if err != nil || math.Abs(sol.Objective-want.Objective) > 2e-6*want.Objective {
			t.Errorf("%s: objective %.12g, want %.12g, %v", name, sol.Objective, want.Objective, err)
		}
	}
}
