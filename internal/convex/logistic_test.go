package convex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
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
	for seed, size := range linearTestSizes {
		for _, c := range []float64{1e-4, 0.1, 1, 1e4} {
			for _, intercept := range []bool{false, true} {
				t.Run(fmt.Sprintf("%dx%d/%v/%v", size[0], size[1], c, intercept), func(t *testing.T) {
					p := randomLinear(uint64(seed), size[0], size[1]).labels()
					solver := NewLogistic(p.x, p.y, c, intercept)
					certificate := solveLinear(t, solver, p.weights)
					if kkt := logisticKKT(p, c, intercept, solver.Theta()); kkt > 1e-12 {
						t.Errorf("relative KKT violation %g", kkt)
					}
					if want := p.logisticObjective(c, solver.Theta()); math.Abs(certificate.Objective-want) > 1e-12*want {
						t.Errorf("objective %v, by definition %v", certificate.Objective, want)
					}
				})
			}
		}
	}
}

// TestLogisticOnSpoiledProblems solves problems with every kind of degeneracy,
// cold and warm.
func TestLogisticOnSpoiledProblems(t *testing.T) {
	t.Parallel()
	solved := 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 7))
		n, d := 3+r.IntN(60), 1+r.IntN(40)
		p := randomLinear(seed, n, d)
		how := p.spoil(r)
		p = p.labels()
		c, intercept := math.Pow(10, -4+8*r.Float64()), r.IntN(2) == 0
		solver := NewLogistic(p.x, p.y, c, intercept)
		for range 3 {
			certificate, err := solver.Solve(context.Background(), p.weights)
			if intercept && p.oneClass() {
				if !errors.Is(err, ErrOneClass) {
					t.Errorf("seed %d: error %v, want %v", seed, err, ErrOneClass)
				}
			} else if kkt := logisticKKT(p, c, intercept, solver.Theta()); err != nil || kkt > 2e-9 { // what rounding leaves to the check
				t.Errorf("seed %d, %dx%d, C %g, intercept %v, %v: %+v, KKT violation %g, error %v",
					seed, n, d, c, intercept, how, certificate, kkt, err)
			} else {
				solved++
			}
			p.changeWeights(r)
		}
	}
	if solved < 1500 {
		t.Errorf("solved %d problems, want most of 1800", solved)
	}
}

// oneClass reports whether the positive weights lie on one label.
func (p linearProblem) oneClass() bool {
	var found [2]bool
	for i, v := range p.weights {
		if v > 0 {
			found[int(p.y[i]+1)/2] = true
		}
	}
	return found[0] != found[1]
}

// With one feature and no intercept the derivative increases with w: its root
// by bisection.
func TestLogisticOneFeature(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		p := randomLinear(seed, 30, 1).labels()
		c := math.Pow(10, float64(seed)/5-2)
		derivative := func(w float64) float64 {
			g := w
			for i, v := range p.weights {
				g -= v * c * p.y[i] * p.x.Data[i] / (1 + math.Exp(p.y[i]*p.x.Data[i]*w))
			}
			return g
		}
		low, high := -1e3, 1e3
		for range 100 {
			if middle := (low + high) / 2; derivative(middle) < 0 {
				low = middle
			} else {
				high = middle
			}
		}
		solver := NewLogistic(p.x, p.y, c, false)
		solveLinear(t, solver, p.weights)
		if got := solver.Theta()[0]; math.Abs(got-low) > 1e-12*(1+math.Abs(low)) {
			t.Errorf("seed %d: coefficient %v, want %v", seed, got, low)
		}
	}
}

// Without features the intercept is the logarithm of the classes' weights.
func TestLogisticInterceptOnly(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 3, Cols: 1, Stride: 1, Data: []float64{2, 2, 2}}
	for _, ratio := range []float64{1, 3, 1e-6, 1e12} {
		solver := NewLogistic(x, []float64{1, -1, 1}, 0.5, true)
		solveLinear(t, solver, []float64{ratio, 1, 0})
		if got, want := solver.Theta()[1], math.Log(ratio); solver.Theta()[0] != 0 || math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("ratio %v: %v, want 0 and %v", ratio, solver.Theta(), want)
		}
	}
}

// The two ways to invert the Hessian agree.
func TestLogisticHessians(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{30, 4}, {12, 40}, {150, 90}} {
		for _, intercept := range []bool{false, true} {
			p := randomLinear(5, size[0], size[1]).labels()
			c := NewLogistic(p.x, p.y, 1, intercept)
			var steps [2]point
			for k, h := range []hessian{newPrimalHessian(&c.rows, intercept), newKernelHessian(&c.rows, intercept)} {
				if !h.factor(p.weights) {
					t.Fatal("not positive definite")
				}
				steps[k] = newPoint(size[1])
				rhs := newPoint(size[1])
				for j := range rhs.w {
					rhs.w[j] = float64(j%7) - 3
				}
				if intercept {
					rhs.b = 2
				}
				h.solve(&steps[k], rhs)
			}
			if math.Abs(steps[0].b-steps[1].b) > 1e-11 {
				t.Errorf("%v: intercepts %v and %v", size, steps[0].b, steps[1].b)
			}
			for j, v := range steps[0].w {
				if math.Abs(v-steps[1].w[j]) > 1e-11 {
					t.Errorf("%v: component %d is %v and %v", size, j, v, steps[1].w[j])
				}
			}
		}
	}
}

// A feature of norm 1e8 among fewer samples than features spoils the solution
// in sample space; the solver notices.
func TestLogisticFallsBackToFeatureSpace(t *testing.T) {
	t.Parallel()
	p := randomLinear(6, 20, 30).labels()
	for i := range 20 {
		p.x.Data[30*i] *= 1e9
	}
	solver := NewLogistic(p.x, p.y, 100, false)
	if _, kernel := solver.second.model.(*ridgeModel).hessian.(*kernelHessian); !kernel {
		t.Fatal("started in feature space")
	}
	solveLinear(t, solver, p.weights)
	if _, primal := solver.second.model.(*ridgeModel).hessian.(*primalHessian); !primal {
		t.Error("stayed in sample space")
	}
	if kkt := logisticKKT(p, 100, false, solver.Theta()); kkt > 1e-11 {
		t.Errorf("relative KKT violation %g", kkt)
	}
}

func TestLogisticOneClass(t *testing.T) {
	t.Parallel()
	p := randomLinear(7, 30, 4).labels()
	solver := NewLogistic(p.x, p.y, 1, true)
	solveLinear(t, solver, p.weights)
	before := slices.Clone(solver.Theta())
	for i := range p.weights {
		if p.y[i] < 0 {
			p.weights[i] = 0
		}
	}
	if _, err := solver.Solve(context.Background(), p.weights); !errors.Is(err, ErrOneClass) {
		t.Errorf("error %v, want %v", err, ErrOneClass)
	}
	if !slices.Equal(before, solver.Theta()) {
		t.Errorf("solution %v, want the last one %v", solver.Theta(), before)
	}
	free := NewLogistic(p.x, p.y, 1, false) // without an intercept there is a minimum
	solveLinear(t, free, p.weights)
}

// A coefficient that the weights have left alone, and rounding not quite at 0,
// violates its condition by as much as it is. It must be 0 after the solve.
func TestLogisticLoneCoefficient(t *testing.T) {
	t.Parallel()
	for _, intercept := range []bool{false, true} {
		p := randomLinear(8, 60, 4).labels()
		for i := range 60 {
			if i%5 == 0 {
				p.weights[i] = 0
			} else {
				p.x.Data[4*i] = 0
			}
		}
		solver := NewLogistic(p.x, p.y, 3, intercept)
		solveLinear(t, solver, p.weights)
		for _, rest := range []float64{1e-3, -4e-18, 5e-25} {
			theta := slices.Clone(solver.Theta())
			theta[0] = rest
			solver.SetTheta(theta)
			solveLinear(t, solver, p.weights)
			if w := solver.Theta()[0]; w != 0 {
				t.Errorf("intercept %v: from %v to %v, want 0", intercept, rest, w)
			}
		}
	}
}

func TestLogisticRefusesBadInput(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 2}}
	for name, bad := range map[string]func(){
		"label":   func() { NewLogistic(x, []float64{1, 0}, 1, true) },
		"C":       func() { NewLogistic(x, []float64{1, -1}, 0, true) },
		"lengths": func() { NewLogistic(x, []float64{1}, 1, true) },
	} {
		mustPanic(t, name, bad)
	}
}
