package convex

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// linearSolvers makes the solvers that the tests of this file share.
var linearSolvers = map[string]func(p linearProblem, intercept bool) Solver{
	"lasso": func(p linearProblem, intercept bool) Solver {
		return NewLasso(p.x, p.y, 0.02, float64(p.x.Rows), intercept)
	},
	"logistic": func(p linearProblem, intercept bool) Solver {
		return NewLogistic(p.x, p.labels().y, 2, intercept)
	},
	"ridge": func(p linearProblem, intercept bool) Solver {
		return NewSmooth(p.x, p.y, squared{}, SmoothOptions{L2: 3, Intercept: intercept})
	},
	"elastic net": func(p linearProblem, intercept bool) Solver {
		return NewSmooth(p.x, p.y, squared{}, SmoothOptions{L1: 4, L2: 3, Intercept: intercept})
	},
	"sparse logistic": func(p linearProblem, intercept bool) Solver {
		return NewSmooth(p.x, p.labels().y, logLoss{2}, SmoothOptions{L1: 0.5, L2: 1, Intercept: intercept})
	},
	"pseudo-Huber": func(p linearProblem, intercept bool) Solver {
		return NewSmooth(p.x, p.y, pseudoHuber{0.1}, SmoothOptions{L2: 0.3, Intercept: intercept})
	},
}

// eachLinear runs a test for all solvers, more and fewer samples than
// features, with and without an intercept.
func eachLinear(t *testing.T, test func(t *testing.T, p linearProblem, intercept bool, solver Solver)) {
	t.Parallel()
	for name, solverOf := range linearSolvers {
		for shape, size := range map[string][2]int{"tall": {80, 12}, "wide": {20, 50}} {
			for suffix, intercept := range map[string]bool{"/free": true, "/through 0": false} {
				t.Run(name+"/"+shape+suffix, func(t *testing.T) {
					p := randomLinear(11, size[0], size[1])
					test(t, p, intercept, solverOf(p, intercept))
				})
			}
		}
	}
}

func TestLinearScores(t *testing.T) {
	eachLinear(t, func(t *testing.T, p linearProblem, intercept bool, solver Solver) {
		solveLinear(t, solver, p.weights)
		scores := make([]float64, p.x.Rows)
		solver.Scores(scores)
		for i, got := range scores {
			if want := p.score(i, solver.Theta()); math.Abs(got-want) > 1e-12 {
				t.Errorf("sample %d has score %v, want %v", i, got, want)
			}
		}
		if b := solver.Theta()[p.x.Cols]; (b != 0) != intercept {
			t.Errorf("intercept %v", b)
		}
	})
}

// A solution is where Solve stays, and where it comes to from elsewhere.
func TestLinearWarmStart(t *testing.T) {
	eachLinear(t, func(t *testing.T, p linearProblem, intercept bool, solver Solver) {
		cold := solveLinear(t, solver, p.weights)
		first := slices.Clone(solver.Theta())
		again := solveLinear(t, solver, p.weights)
		if again.Iterations >= cold.Iterations {
			t.Errorf("%d iterations from the solution, %d from 0", again.Iterations, cold.Iterations)
		}
		compare := func(what string, tolerance float64) {
			t.Helper()
			for j, got := range solver.Theta() {
				if math.Abs(got-first[j]) > tolerance {
					t.Errorf("%s: parameter %d is %v, was %v", what, j, got, first[j])
				}
			}
		}
		compare("again", 1e-13)
		r := rand.New(rand.NewPCG(1, 1))
		theta := make([]float64, len(first))
		for _, scale := range []float64{0.1, 10, 1e4, math.Inf(1)} {
			for j := range theta {
				theta[j] = scale * r.NormFloat64()
			}
			solver.SetTheta(theta)
			solveLinear(t, solver, p.weights)
			compare("from a random point", 1e-11)
		}
	})
}

func TestLinearScalingWeightsAndPenaltyTogether(t *testing.T) {
	t.Parallel()
	p := randomLinear(12, 60, 9)
	for _, factor := range []float64{1e-250, 1e-12, 1e12, 1e200} {
		weights := slices.Clone(p.weights)
		for i := range weights {
			weights[i] *= factor
		}
		a, b := NewLasso(p.x, p.y, 0.02, 60, true), NewLasso(p.x, p.y, 0.02*factor, 60, true)
		solveLinear(t, a, p.weights)
		solveLinear(t, b, weights)
		c, d := NewLogistic(p.x, p.labels().y, 2, true), NewLogistic(p.x, p.labels().y, 2/factor, true)
		solveLinear(t, c, p.weights)
		solveLinear(t, d, weights)
		for j := range a.Theta() {
			if math.Abs(a.Theta()[j]-b.Theta()[j]) > 1e-13 {
				t.Errorf("factor %g: Lasso coefficient %v and %v", factor, a.Theta()[j], b.Theta()[j])
			}
			if math.Abs(c.Theta()[j]-d.Theta()[j]) > 1e-12 {
				t.Errorf("factor %g: logistic coefficient %v and %v", factor, c.Theta()[j], d.Theta()[j])
			}
		}
	}
}

// A sample of weight 2 is two samples, and one of weight 0 is none.
func TestLinearWeightsAreMultiplicities(t *testing.T) {
	t.Parallel()
	p := randomLinear(13, 40, 6)
	var q linearProblem
	q.x = blas64.General{Cols: 6, Stride: 6}
	for i := range p.weights {
		p.weights[i] = float64(i % 3)
		for range i % 3 {
			q.x.Rows++
			q.x.Data = append(q.x.Data, p.x.Data[6*i:6*i+6]...)
			q.y = append(q.y, p.y[i])
			q.weights = append(q.weights, 1)
		}
	}
	for name, pair := range map[string][2]Solver{
		"lasso":    {NewLasso(p.x, p.y, 0.05, 40, true), NewLasso(q.x, q.y, 0.05, 40, true)},
		"logistic": {NewLogistic(p.x, p.labels().y, 0.5, true), NewLogistic(q.x, q.labels().y, 0.5, true)},
		"elastic net": {
			NewSmooth(p.x, p.y, squared{}, SmoothOptions{L1: 3, L2: 2, Intercept: true}),
			NewSmooth(q.x, q.y, squared{}, SmoothOptions{L1: 3, L2: 2, Intercept: true}),
		},
		"sparse logistic": {
			NewSmooth(p.x, p.labels().y, logLoss{2}, SmoothOptions{L1: 1, L2: 2, Intercept: true}),
			NewSmooth(q.x, q.labels().y, logLoss{2}, SmoothOptions{L1: 1, L2: 2, Intercept: true}),
		},
	} {
		solveLinear(t, pair[0], p.weights)
		solveLinear(t, pair[1], q.weights)
		for j, got := range pair[0].Theta() {
			if want := pair[1].Theta()[j]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: parameter %d is %v, want %v", name, j, got, want)
			}
		}
	}
}

func TestLinearWithoutWeights(t *testing.T) {
	eachLinear(t, func(t *testing.T, p linearProblem, intercept bool, solver Solver) {
		solveLinear(t, solver, p.weights)
		if certificate := solveLinear(t, solver, make([]float64, p.x.Rows)); certificate != (Certificate{}) {
			t.Errorf("certificate %+v, want zeros", certificate)
		}
		for j, w := range solver.Theta() { // the intercept, too: it is not that of the fit before
			if w != 0 {
				t.Errorf("parameter %d is %v, want 0", j, w)
			}
		}
	})
}

func TestLinearDoesNotAllocate(t *testing.T) {
	for name, solverOf := range linearSolvers {
		for _, size := range [][2]int{{300, 20}, {150, 100}, {90, 200}} {
			p := randomLinear(14, size[0], size[1])
			solver := solverOf(p, true)
			zero := slices.Clone(solver.Theta())
			other := slices.Clone(p.weights)
			slices.Reverse(other)
			if allocations := testing.AllocsPerRun(5, func() {
				solver.SetTheta(zero)
				solveLinear(t, solver, p.weights)
				solveLinear(t, solver, other)
			}); allocations != 0 {
				t.Errorf("%s %v: %v allocations", name, size, allocations)
			}
		}
	}
}

func TestLinearRefusesBadWeights(t *testing.T) {
	eachLinear(t, func(t *testing.T, p linearProblem, intercept bool, solver Solver) {
		solveLinear(t, solver, p.weights)
		before := slices.Clone(solver.Theta())
		for _, bad := range []float64{-1e-300, math.NaN(), math.Inf(1)} {
			weights := slices.Clone(p.weights)
			weights[3] = bad
			_, err := solver.Solve(context.Background(), weights)
			if err == nil || !strings.Contains(err.Error(), "weight 3 is") {
				t.Errorf("weight %v: error %v", bad, err)
			}
		}
		if !slices.Equal(before, solver.Theta()) {
			t.Error("the solution changed")
		}
		mustPanic(t, "weights", func() { _, _ = solver.Solve(context.Background(), p.weights[1:]) })
		mustPanic(t, "parameters", func() { solver.SetTheta(before[1:]) })
	})
}

// doneAfter is a context that is cancelled at the given call of Err.
type doneAfter struct {
	context.Context
	calls int
}

func (c *doneAfter) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever a Solve is cancelled, the last solution stays.
func TestLinearCancellation(t *testing.T) {
	eachLinear(t, func(t *testing.T, p linearProblem, intercept bool, solver Solver) {
		solveLinear(t, solver, p.weights)
		before := slices.Clone(solver.Theta())
		slices.Reverse(p.weights)
		for calls := range 1000 {
			_, err := solver.Solve(&doneAfter{context.Background(), calls}, p.weights)
			if err == nil {
				if calls < 2 {
					t.Errorf("the context was asked %d times only", calls)
				}
				return
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("error %v, want %v", err, context.Canceled)
			}
			if !slices.Equal(before, solver.Theta()) {
				t.Fatalf("cancelled at call %d the solution changed", calls)
			}
		}
		t.Error("never finished")
	})
}

func TestLassoRefusesBadInput(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 2}}
	for name, bad := range map[string]func(){
		"alpha":   func() { NewLasso(x, []float64{1, 0}, -1, 2, true) },
		"NaN":     func() { NewLasso(x, []float64{1, 0}, math.NaN(), 2, true) },
		"total":   func() { NewLasso(x, []float64{1, 0}, 1, -2, true) },
		"lengths": func() { NewLasso(x, []float64{1}, 1, 2, true) },
	} {
		mustPanic(t, name, bad)
	}
}

func TestToleranceErrorTellsHowFar(t *testing.T) {
	t.Parallel()
	err := error(&ToleranceError{"lasso", Certificate{Gap: 2e-7, KKT: 3e-9, Iterations: 12}})
	for _, part := range []string{"lasso", "2e-07", "3e-09", "12 iterations", "1e-10"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not tell %q", err, part)
		}
	}
}
