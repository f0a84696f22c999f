package convex

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// lassoKKT recomputes the largest violation of the optimality conditions from
// their definition: relative to the terms Σ v_i |x_ij| |residual_i| + nα of each
// gradient, and relative to what they have with the terms of the residuals,
// which bounds the rounding of both the solution and this check.
func lassoKKT(p linearProblem, alpha, total float64, intercept bool, theta []float64) (strict, backward float64) {
	n, d := p.x.Rows, p.x.Cols
	residual, terms := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range d {
			residual[i] += p.x.Data[i*p.x.Stride+j] * theta[j]
			terms[i] += math.Abs(p.x.Data[i*p.x.Stride+j] * theta[j])
		}
		residual[i] += theta[d] - p.y[i]
		terms[i] += math.Abs(theta[d]) + math.Abs(p.y[i])
	}
	for j := range d + 1 {
		gradient, scale, all := 0.0, 0.0, 0.0
		for i, v := range p.weights {
			x := 1.0
			if j < d {
				x = p.x.Data[i*p.x.Stride+j]
			}
			gradient += 2 * v * x * residual[i]
			scale += math.Abs(2 * v * x * residual[i])
			all += math.Abs(2 * v * x * terms[i])
		}
		penalty := 2 * total * alpha
		violation := max(0, math.Abs(gradient)-penalty)
		switch {
		case j == d && !intercept:
			continue
		case j == d:
			penalty, violation = 0, math.Abs(gradient)
		case theta[j] != 0:
			violation = math.Abs(gradient + math.Copysign(penalty, theta[j]))
		}
		if violation > 0 {
			strict = max(strict, violation/(scale+penalty))
			backward = max(backward, violation/(all+penalty))
		}
	}
	return strict, backward
}

func TestLassoMeetsOptimalityConditions(t *testing.T) {
	t.Parallel()
	for seed, size := range [][2]int{{20, 3}, {50, 8}, {331, 10}, {40, 60}, {30, 200}, {200, 100}, {426, 30}, {100, 400}} {
		for _, alpha := range []float64{1e-4, 0.006, 0.1, 1} {
			for _, intercept := range []bool{false, true} {
				t.Run(fmt.Sprintf("%dx%d/%v/%v", size[0], size[1], alpha, intercept), func(t *testing.T) {
					p := randomLinear(uint64(seed), size[0], size[1])
					solver := NewLasso(p.x, p.y, alpha, float64(size[0]), intercept)
					certificate, err := solver.Solve(context.Background(), p.weights)
					if err != nil {
						t.Fatal(err)
					}
					kkt, _ := lassoKKT(p, alpha, float64(size[0]), intercept, solver.Theta())
					t.Logf("%+v naive kkt %g", certificate, kkt)
					if kkt > 1e-11 {
						t.Errorf("relative KKT violation %g", kkt)
					}
				})
			}
		}
	}
}
