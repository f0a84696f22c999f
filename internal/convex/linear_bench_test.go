package convex

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// benchmarkLinear solves problems with 30 % zero weights, from 0 each time
// ("cold") and as alternate convex search does, from the last solution with
// weights that change a little ("warm").
func benchmarkLinear(b *testing.B, sizes [][2]int, make func(linearProblem) Solver) {
	for _, size := range sizes {
		p := randomLinear(1, size[0], size[1])
		r := rand.New(rand.NewPCG(2, 3))
		other := slices.Clone(p.weights)
		for i := range other {
			other[i] *= 1 - 0.02*r.Float64()
			if r.Float64() < 0.01 {
				other[i] = r.Float64()
			}
		}
		zero := slices.Clone(make(p).Theta())
		for _, warm := range []bool{false, true} {
			name := "cold"
			if warm {
				name = "warm"
			}
			b.Run(fmt.Sprintf("%dx%d/%s", size[0], size[1], name), func(b *testing.B) {
				solver := make(p)
				b.ReportAllocs()
				iterations := 0
				weights := [2][]float64{p.weights, other}
				if _, err := solver.Solve(context.Background(), other); err != nil {
					b.Fatal(err)
				}
				for i := 0; b.Loop(); i++ {
					if !warm {
						solver.SetTheta(zero)
					}
					certificate, err := solver.Solve(context.Background(), weights[i%2])
					if err != nil {
						b.Fatal(err)
					}
					iterations += certificate.Iterations
				}
				b.ReportMetric(float64(iterations)/float64(b.N), "iterations/op")
			})
		}
	}
}

var linearSizes = [][2]int{{331, 10}, {426, 30}, {1000, 64}, {10000, 40}, {15480, 8}, {200, 2000}}

func BenchmarkLasso(b *testing.B) {
	for _, alpha := range []float64{0.3, 0.006} {
		b.Run(fmt.Sprintf("alpha=%v", alpha), func(b *testing.B) {
			benchmarkLinear(b, linearSizes, func(p linearProblem) Solver {
				return NewLasso(p.x, p.y, alpha, float64(p.x.Rows), true)
			})
		})
	}
}

func BenchmarkLogistic(b *testing.B) {
	for _, c := range []float64{0.1, 10} {
		b.Run(fmt.Sprintf("C=%v", c), func(b *testing.B) {
			benchmarkLinear(b, linearSizes, func(p linearProblem) Solver {
				p = p.labels()
				return NewLogistic(p.x, p.y, c, true)
			})
		})
	}
}

func BenchmarkSmooth(b *testing.B) {
	for _, problem := range []struct {
		name  string
		loss  Loss
		share [2]float64 // L1 and L2 for each sample
	}{
		{"ridge", squared{}, [2]float64{0, 0.01}},
		{"elastic net", squared{}, [2]float64{0.01, 0.01}},
		{"logistic", logLoss{1}, [2]float64{0, 0.01}},
		{"sparse logistic", logLoss{1}, [2]float64{0.01, 0.01}},
		{"pseudo-Huber", pseudoHuber{0.1}, [2]float64{0.001, 0.001}},
	} {
		b.Run(problem.name, func(b *testing.B) {
			benchmarkLinear(b, linearSizes[:5], func(p linearProblem) Solver {
				if _, labels := problem.loss.(logLoss); labels {
					p = p.labels()
				}
				n := float64(p.x.Rows)
				return NewSmooth(p.x, p.y, problem.loss, SmoothOptions{L1: n * problem.share[0], L2: n * problem.share[1], Intercept: true})
			})
		})
	}
}
