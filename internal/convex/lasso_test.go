package convex

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// problem is a random regression or classification problem for tests.
type problem struct {
	x       blas64.General
	y       []float64
	weights []float64
}

// randomProblem draws n x d correlated features, a target from d/3+1 of them
// with noise, and weights of which about a third are 0.
func randomProblem(seed uint64, n, d int) problem {
	r := rand.New(rand.NewPCG(seed, 1))
	p := problem{x: blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}}
	for i := range n {
		common := r.NormFloat64()
		target := r.NormFloat64()
		for j := range d {
			v := r.NormFloat64() + 0.5*common
			p.x.Data[i*d+j] = v
			if j <= d/3 {
				target += v * float64(j%3-1) * 2
			}
		}
		p.y = append(p.y, target)
		weight := r.Float64()
		if r.Float64() < 0.3 {
			weight = 0
		}
		p.weights = append(p.weights, weight)
	}
	return p
}

// lassoKKT recomputes the largest violation of the optimality conditions from
// their definition, each relative to the sum of the terms of its gradient in
// absolute value.
func lassoKKT(p problem, alpha, total float64, intercept bool, theta []float64) float64 {
	n, d := p.x.Rows, p.x.Cols
	residual := make([]float64, n)
	for i := range n {
		for j := range d {
			residual[i] += p.x.Data[i*p.x.Stride+j] * theta[j]
		}
		residual[i] += theta[d] - p.y[i]
	}
	violation := 0.0
	for j := range d + 1 {
		gradient, scale := 0.0, 0.0
		for i, v := range p.weights {
			x := 1.0
			if j < d {
				x = p.x.Data[i*p.x.Stride+j]
			}
			gradient += 2 * v * x * residual[i]
			scale += math.Abs(2 * v * x * residual[i])
		}
		if j == d {
			if intercept && scale > 0 {
				violation = max(violation, math.Abs(gradient)/scale)
			}
			continue
		}
		penalty := 2 * total * alpha
		v := max(0, math.Abs(gradient)-penalty)
		if theta[j] != 0 {
			v = math.Abs(gradient + math.Copysign(penalty, theta[j]))
		}
		if v > 0 {
			violation = max(violation, v/(scale+penalty))
		}
	}
	return violation
}

func TestLassoMeetsOptimalityConditions(t *testing.T) {
	t.Parallel()
	for seed, size := range [][2]int{{20, 3}, {50, 8}, {331, 10}, {40, 60}, {30, 200}, {200, 100}, {426, 30}, {100, 400}} {
		for _, alpha := range []float64{1e-4, 0.006, 0.1, 1} {
			for _, intercept := range []bool{false, true} {
				t.Run(fmt.Sprintf("%dx%d/%v/%v", size[0], size[1], alpha, intercept), func(t *testing.T) {
					p := randomProblem(uint64(seed), size[0], size[1])
					solver := NewLasso(p.x, p.y, alpha, float64(size[0]), intercept)
					certificate, err := solver.Solve(context.Background(), p.weights)
					if err != nil {
						t.Fatal(err)
					}
					kkt := lassoKKT(p, alpha, float64(size[0]), intercept, solver.Theta())
					t.Logf("%+v naive kkt %g", certificate, kkt)
					if kkt > 1e-11 {
						t.Errorf("relative KKT violation %g", kkt)
					}
				})
			}
		}
	}
}
