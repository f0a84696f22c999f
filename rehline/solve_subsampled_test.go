package rehline

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestSubsampled solves smooth problems by the Hessian of a sample and finds what Newton steps on
// all samples find: also where the sample is unlike the others, has no weight, or is of zeros, where
// the phase gives up.
func TestSubsampled(t *testing.T) {
	t.Parallel()
	const n, d = 3000, 5
	r := rand.New(rand.NewPCG(8, 1))
	x := blas64.General{Rows: n, Cols: d, Stride: d + 1, Data: make([]float64, n*(d+1))}
	y, class, weights, few := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		for j := range d {
			x.Data[i*x.Stride+j] = r.NormFloat64()
		}
		y[i] = x.Data[i*x.Stride] - x.Data[i*x.Stride+1] + 0.5*r.NormFloat64()
		class[i] = math.Copysign(1, y[i])
		weights[i] = r.Float64()
		few[i] = float64(min(1, i%leastShare)) // none in the sample
	}
	unlike := blas64.General{Rows: n, Cols: d, Stride: x.Stride, Data: slices.Clone(x.Data)}
	for i := 0; i < n; i += leastShare {
		for j := range d {
			unlike.Data[i*x.Stride+j] *= float64(2 * (i % 2))
		}
	}
	for name, p := range map[string]Problem{
		"smoothed hinge": {X: x, Loss: SmoothedHinge(class)},
		"squared hinge":  {X: x, Loss: SquaredHinge(class), Intercept: PenalizedIntercept},
		"Huber":          {X: x, Loss: Huber(y, 0.7), Weights: weights, Intercept: PenalizedIntercept},
		"squared":        {X: x, Loss: Squared(y), Weights: weights},
		"two terms":      {X: x, Loss: SquaredEpsilonInsensitive(y, 0.3)},
		"no weights":     {X: x, Loss: Squared(y), Weights: few},
		"unlike":         {X: unlike, Loss: Huber(y, 1.0), Intercept: PenalizedIntercept},
	} {
		p.C = 0.5 / n
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		if !s.subsamples() {
			t.Fatalf("%s: no sample", name)
		}
		for _, tol := range []float64{1e-5, 1e-10} {
			sol, err := s.Solve(context.Background(), Options{Tol: tol})
			if err != nil || sol.Status != Solved || sol.Gap > tol {
				t.Fatalf("%s: %v, %v, gap %g", name, sol.Status, err, sol.Gap)
			}
			want, err := Solve(context.Background(), p, Options{Tol: 1e-12, Method: NewtonOnly})
			if err != nil || math.Abs(sol.Objective-want.Objective) > tol*want.Objective {
				t.Errorf("%s: objective %.12g, want %.12g, %v", name, sol.Objective, want.Objective, err)
			}
			again, err := s.Solve(context.Background(), Options{Tol: tol, Warm: &sol})
			if err != nil || again.Status != Solved || again.Iterations.Newton > 0 {
				t.Errorf("%s: warm %v, %v, %+v", name, again.Status, err, again.Iterations)
			}
		}
	}
}
