package convex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
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
	for seed, size := range linearTestSizes {
		for _, alpha := range []float64{1e-4, 0.006, 0.1, 1} {
			for _, intercept := range []bool{false, true} {
				t.Run(fmt.Sprintf("%dx%d/%v/%v", size[0], size[1], alpha, intercept), func(t *testing.T) {
					p := randomLinear(uint64(seed), size[0], size[1])
					solver := NewLasso(p.x, p.y, alpha, float64(size[0]), intercept)
					certificate := solveLinear(t, solver, p.weights)
					strict, backward := lassoKKT(p, alpha, float64(size[0]), intercept, solver.Theta())
					if strict > Tolerance || backward > 1e-14 {
						t.Errorf("relative KKT violation %g, %g", strict, backward)
					}
					if want := p.lassoObjective(alpha, float64(size[0]), solver.Theta()); math.Abs(certificate.Objective-want) > 1e-12*want {
						t.Errorf("objective %v, by definition %v", certificate.Objective, want)
					}
				})
			}
		}
	}
}

// TestLassoOnSpoiledProblems solves problems with every kind of degeneracy,
// cold and warm.
func TestLassoOnSpoiledProblems(t *testing.T) {
	t.Parallel()
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 7))
		n, d := 3+r.IntN(60), 1+r.IntN(40)
		p := randomLinear(seed, n, d)
		how := p.spoil(r)
		alpha, intercept := math.Pow(10, -5+5*r.Float64()), r.IntN(2) == 0
		solver := NewLasso(p.x, p.y, alpha, float64(n), intercept)
		for range 3 {
			certificate, err := solver.Solve(context.Background(), p.weights)
			_, kkt := lassoKKT(p, alpha, float64(n), intercept, solver.Theta())
			if err != nil || kkt > 1e-12 {
				t.Errorf("seed %d, %dx%d, alpha %g, intercept %v, %v: %+v, KKT violation %g, error %v",
					seed, n, d, alpha, intercept, how, certificate, kkt, err)
			}
			p.changeWeights(r)
		}
	}
}

// With one feature, S = Σ v x², c = Σ v x y, both centered where there is an
// intercept, the solution is sign(c) max(0, |c| - nα)/S.
func TestLassoOneFeature(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		p := randomLinear(seed, 30, 1)
		for _, intercept := range []bool{false, true} {
			var total, x, y float64
			for i, v := range p.weights {
				if intercept {
					total += v
					x += v * p.x.Data[i]
					y += v * p.y[i]
				}
			}
			if intercept {
				x /= total
				y /= total
			}
			var s, c float64
			for i, v := range p.weights {
				s += v * (p.x.Data[i] - x) * (p.x.Data[i] - x)
				c += v * (p.x.Data[i] - x) * (p.y[i] - y)
			}
			alpha := float64(seed) / 50
			w := math.Copysign(max(0, math.Abs(c)-30*alpha)/s, c)
			solver := NewLasso(p.x, p.y, alpha, 30, intercept)
			solveLinear(t, solver, p.weights)
			theta := solver.Theta()
			if math.Abs(theta[0]-w) > 1e-12*(1+math.Abs(w)) || math.Abs(theta[1]-(y-x*w)) > 1e-12*(1+math.Abs(y)) {
				t.Errorf("seed %d, intercept %v: %v, want %v and %v", seed, intercept, theta, w, y-x*w)
			}
		}
	}
}

// With orthogonal features of length 1 under the weights, the solution is the
// soft threshold of the correlations.
func TestLassoOrthogonalDesign(t *testing.T) {
	t.Parallel()
	const n = 16
	p := linearProblem{x: blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}}
	for i := range n {
		p.weights = append(p.weights, float64(1+i%5))
		p.y = append(p.y, float64((7*i)%11)-5)
		for j := range n { // Walsh functions
			sign := 1 - 2*float64(bits.OnesCount(uint(i&j))%2)
			p.x.Data[i*n+j] = sign / math.Sqrt(n*p.weights[i])
		}
	}
	solver := NewLasso(p.x, p.y, 0.1, n, false)
	solveLinear(t, solver, p.weights)
	zeros := 0
	for j := range n {
		c := 0.0
		for i, v := range p.weights {
			c += v * p.x.Data[i*n+j] * p.y[i]
		}
		want := math.Copysign(max(0, math.Abs(c)-0.1*n), c)
		if want == 0 {
			zeros++
		}
		if got := solver.Theta()[j]; math.Abs(got-want) > 1e-12 {
			t.Errorf("coefficient %d is %v, want %v", j, got, want)
		}
	}
	if zeros == 0 || zeros == n {
		t.Errorf("%d of %d coefficients are 0, want some", zeros, n)
	}
}

func TestLassoWithoutPenalty(t *testing.T) {
	t.Parallel()
	t.Run("exact fit", func(t *testing.T) {
		p := randomLinear(1, 40, 3)
		for i := range p.y {
			p.y[i] = 2*p.x.Data[3*i] - p.x.Data[3*i+2] + 5
		}
		solver := NewLasso(p.x, p.y, 0, 40, true)
		solveLinear(t, solver, p.weights)
		for j, want := range []float64{2, 0, -1, 5} {
			if got := solver.Theta()[j]; math.Abs(got-want) > 1e-13 {
				t.Errorf("parameter %d is %v, want %v", j, got, want)
			}
		}
	})
	t.Run("least squares", func(t *testing.T) {
		p := randomLinear(2, 40, 5)
		solver := NewLasso(p.x, p.y, 0, 40, true)
		solveLinear(t, solver, p.weights)
		if kkt, _ := lassoKKT(p, 0, 40, true, solver.Theta()); kkt > 1e-13 {
			t.Errorf("relative KKT violation %g", kkt)
		}
	})
	for name, change := range map[string]func(p *linearProblem){
		"duplicated feature": func(p *linearProblem) {
			for i := range 40 {
				p.x.Data[5*i] = p.x.Data[5*i+1]
			}
		},
		"constant feature": func(p *linearProblem) {
			for i := range 40 {
				p.x.Data[5*i] = 0.1
			}
		},
		"too few samples": func(p *linearProblem) { clear(p.weights[5:]) },
	} {
		t.Run(name, func(t *testing.T) {
			p := randomLinear(3, 40, 5)
			for i := range p.weights {
				p.weights[i]++
			}
			change(&p)
			if _, err := NewLasso(p.x, p.y, 0, 40, true).Solve(context.Background(), p.weights); !errors.Is(err, ErrSingular) {
				t.Errorf("error %v, want %v", err, ErrSingular)
			}
		})
	}
}

// The coefficients of duplicates are not unique; a solution stays.
func TestLassoKeepsSolutionAmongSeveral(t *testing.T) {
	t.Parallel()
	p := randomLinear(4, 50, 4)
	for i := range 50 {
		p.x.Data[4*i+3] = p.x.Data[4*i]
	}
	solver := NewLasso(p.x, p.y, 0.01, 50, true)
	solveLinear(t, solver, p.weights)
	theta := slices.Clone(solver.Theta())
	sum := theta[0] + theta[3]
	theta[0], theta[3] = 0.25*sum, 0.75*sum
	solver.SetTheta(theta)
	solveLinear(t, solver, p.weights)
	for j, got := range solver.Theta() {
		if math.Abs(got-theta[j]) > 1e-12 {
			t.Errorf("coefficient %d moved from %v to %v", j, theta[j], got)
		}
	}
}
