package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/testing/needs"
)

// Weights of 1e-10 on one class leave the other's samples all at the margin, where b
// is the mean of hundreds of numbers that are all but -1: their sum must not round.
func TestSVMSmallWeights(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n, d := 1200, 20
		x, y, weights := make([]float64, n*d), make([]float64, n), make([]float64, n)
		for k := range x {
			x[k] = math.Round(3 * rng.NormFloat64())
		}
		for i := range n {
			y[i] = -1
			if rng.Float64() < 0.32 {
				y[i] = 1
			}
		}
		s := NewSVM(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, 1, RBF{Gamma: 0.02}, true, SVMOptions{})
		start := make([]float64, n+1)
		start[n] = -1
		s.SetTheta(start)
		for k := range 4 {
			for i := range weights {
				if weights[i] = 1; y[i] > 0 {
					weights[i] = 3e-10 * (1 + 0.01*float64(k)*rng.Float64())
				}
			}
			if _, err := s.Solve(t.Context(), weights); err != nil {
				t.Errorf("seed %d, fit %d: %v", seed, k, err)
			}
		}
	}
}
