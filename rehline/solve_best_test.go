package rehline

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestBest ends solves early after more and more steps: no step met feasible
// coefficients of a lesser objective than the ones returned, and the gap is that of
// the pair returned.
func TestBest(t *testing.T) {
	t.Parallel()
	const n, d = 300, 5
	r := rand.New(rand.NewPCG(8, 2))
	x := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = x.Data[i*d] - x.Data[i*d+2] + r.NormFloat64()
	}
	for _, method := range []Method{Automatic, DescentOnly, NewtonOnly} {
		p := Problem{X: x, Loss: Quantile(y, 0.3), C: 1, Constraints: Sum(d, 0.5)}
		for limit := 1; limit < 60; limit += 2 {
			least := math.Inf(1)
			s, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			sol, err := s.Solve(context.Background(), Options{Tol: 1e-13, MaxPasses: limit, Method: method, Progress: func(p Progress) {
				if p.PrimalInfeasibility <= 1e-13 {
					least = min(least, p.Objective)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if sol.Status != PassLimit {
				break
			}
			if sol.PrimalInfeasibility <= 1e-13 && sol.Objective > least*(1+1e-14) {
				t.Errorf("method %d, %d passes: objective %.15g where %.15g was met", method, limit, sol.Objective, least)
			}
			var loss, size float64
			for i, yi := range y {
				e := yi - sol.Beta[0]*x.Data[i*d]
				for j := 1; j < d; j++ {
					e -= sol.Beta[j] * x.Data[i*d+j]
				}
				loss += max(0.3*e, -0.7*e)
			}
			for _, b := range sol.Beta {
				size += b * b
			}
			if want := loss + size/2; math.Abs(sol.Objective-want) > 1e-11*want {
				t.Errorf("method %d, %d passes: objective %.12g, the coefficients have %.12g", method, limit, sol.Objective, want)
			}
		}
	}
}
