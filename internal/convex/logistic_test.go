package convex

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// logisticKKT recomputes the largest violation of the optimality conditions
// from their definition, each relative to the sum of the terms of its gradient
// in absolute value.
func logisticKKT(p linearProblem, c float64, intercept bool, theta []float64) float64 {
	n, d := p.x.Rows, p.x.Cols
	violation := 0.0
	slope := make([]float64, n)
	for i, v := range p.weights {
		score := theta[d]
		for j := range d {
			score += p.x.Data[i*p.x.Stride+j] * theta[j]
		}
		slope[i] = -v * c * p.y[i] / (1 + math.Exp(p.y[i]*score))
	}
	for j := range d + 1 {
		gradient, scale := 0.0, 0.0
		if j < d {
			gradient, scale = theta[j], math.Abs(theta[j])
		} else if !intercept {
			continue
		}
		for i := range p.weights {
			x := 1.0
			if j < d {
				x = p.x.Data[i*p.x.Stride+j]
			}
			gradient += slope[i] * x
			scale += math.Abs(slope[i] * x)
		}
		if scale > 0 {
			violation = max(violation, math.Abs(gradient)/scale)
		}
	}
	return violation
}

func TestLogisticMeetsOptimalityConditions(t *testing.T) {
	t.Parallel()
	for seed, size := range [][2]int{{20, 3}, {50, 8}, {331, 10}, {40, 60}, {30, 200}, {200, 100}, {426, 30}, {100, 400}} {
		for _, c := range []float64{1e-4, 0.1, 1, 1e4} {
			for _, intercept := range []bool{false, true} {
				t.Run(fmt.Sprintf("%dx%d/%v/%v", size[0], size[1], c, intercept), func(t *testing.T) {
					p := randomLinear(uint64(seed), size[0], size[1]).labels()
					solver := NewLogistic(p.x, p.y, c, intercept)
					certificate, err := solver.Solve(context.Background(), p.weights)
					if err != nil {
						t.Fatal(err)
					}
					kkt := logisticKKT(p, c, intercept, solver.Theta())
					t.Logf("%+v naive kkt %g", certificate, kkt)
					if kkt > 1e-11 {
						t.Errorf("relative KKT violation %g", kkt)
					}
				})
			}
		}
	}
}
