package rehline_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// data are n standard normal samples of d features and noisy targets.
func data(seed uint64, n, d int) (x blas64.General, class, y []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	x = general(n, d, func(int, int) float64 { return r.NormFloat64() })
	y = vector(n, func(i int) float64 {
		return x.Data[i*d] - 0.5*x.Data[i*d+d-1] + 0.5*r.NormFloat64()
	})
	return x, vector(n, func(i int) float64 { return math.Copysign(1, y[i]) }), y
}

func solve(t *testing.T, p rehline.Problem, o rehline.Options) rehline.Solution {
	t.Helper()
	sol, err := rehline.Solve(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// TestWide takes more features than a dense Hessian is made for, by conjugate
// gradients.
func TestWide(t *testing.T) {
	t.Parallel()
	const n, d = 60, 1600
	x, class, y := data(1, n, d)
	want := solve(t, rehline.Problem{X: x, Loss: rehline.Hinge(class)}, rehline.Options{Tol: 1e-9, Method: rehline.DescentOnly})
	got := solve(t, rehline.Problem{X: x, Loss: rehline.Hinge(class)}, rehline.Options{Tol: 1e-9, Method: rehline.NewtonOnly})
	if got.Status != rehline.Solved || math.Abs(got.Objective-want.Objective) > 2e-9*want.Objective {
		t.Errorf("%v with objective %v, coordinate descent has %v", got.Status, got.Objective, want.Objective)
	}
	lasso := solve(t, rehline.Problem{X: x, Loss: rehline.Huber(y, 1.0), L1: vector(d, func(int) float64 { return 5 }),
		Intercept: rehline.FreeIntercept, Constraints: rehline.Sum(d, 0.5)}, rehline.Options{Tol: 1e-8})
	if lasso.Status != rehline.Solved {
		t.Errorf("elastic net: %v with gap %v", lasso.Status, lasso.Gap)
	}
}

// TestExactZeros: an elastic net returns zeros, not small numbers.
func TestExactZeros(t *testing.T) {
	t.Parallel()
	x, _, y := data(2, 1000, 10)
	sol := solve(t, rehline.Problem{X: x, Loss: rehline.Squared(y), L1: vector(10, func(int) float64 { return 99 }), Ridge: 1}, rehline.Options{Tol: 1e-10})
	zeros := 0
	for j, b := range sol.Beta {
		if b == 0 {
			zeros++
		} else if math.Abs(b) < 1e-4 {
			t.Errorf("β_%d = %g", j, b)
		}
	}
	if sol.Status != rehline.Solved || zeros != 8 {
		t.Errorf("%v, %d zeros in %v; the data have two features that matter", sol.Status, zeros, sol.Beta)
	}
}

// TestOneSample has a closed form: the squared hinge's β is 2c y x (1 - m), and
// so on.
func TestOneSample(t *testing.T) {
	t.Parallel()
	x := general(1, 2, func(_, j int) float64 { return float64(3 + j) }) // ‖x‖² = 25
	for _, c := range []struct {
		name string
		loss rehline.Loss
		beta float64 // multiple of x
	}{
		{"hinge, kink", rehline.Hinge([]float64{1}), 1.0 / 25},
		{"squared hinge", rehline.SquaredHinge([]float64{-1}), -2.0 / 51},
		{"absolute, kink", rehline.Absolute([]float64{0.5}), 0.5 / 25},
		{"absolute, slope", rehline.Absolute([]float64{100}), 1},
		{"squared", rehline.Squared([]float64{1}), 2.0 / 51},
		{"huber, slope", rehline.Huber([]float64{100}, 0.25), 0.25},
	} {
		sol := solve(t, rehline.Problem{X: x, Loss: c.loss}, rehline.Options{Tol: 1e-12})
		for j := range 2 {
			if want := c.beta * x.Data[j]; math.Abs(sol.Beta[j]-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s: β_%d = %v, want %v", c.name, j, sol.Beta[j], want)
			}
		}
	}
}

// TestScaleFree: the tolerance means the same for any cost.
func TestScaleFree(t *testing.T) {
	t.Parallel()
	x, class, y := data(4, 300, 5)
	for _, c := range []float64{1e-6, 1e-3, 1, 1e3, 1e6} {
		for name, l := range map[string]rehline.Loss{"median": rehline.Quantile(y, 0.5), "hinge": rehline.Hinge(class), "squared hinge": rehline.SquaredHinge(class)} {
			sol := solve(t, rehline.Problem{X: x, Loss: l, C: c}, rehline.Options{Tol: 1e-9})
			if sol.Status != rehline.Solved || !(sol.Gap <= 1e-9) || sol.DualObjective > sol.Objective*(1+1e-12) {
				t.Errorf("%s with C = %g: %v, gap %g", name, c, sol.Status, sol.Gap)
			}
		}
	}
}

// TestQuantileLevels: a free intercept moves with the level.
func TestQuantileLevels(t *testing.T) {
	t.Parallel()
	x, _, y := data(5, 501, 3)
	for _, level := range []float64{0.1, 0.5, 0.9} {
		sol := solve(t, rehline.Problem{X: x, Loss: rehline.Quantile(y, level), C: 10, Intercept: rehline.FreeIntercept}, rehline.Options{Tol: 1e-9})
		below := 0.0
		for i := range y {
			z := sol.Intercept
			for j, b := range sol.Beta {
				z += b * x.Data[i*3+j]
			}
			if y[i] < z {
				below++
			}
		}
		if share := below / float64(len(y)); math.Abs(share-level) > 5.0/501 {
			t.Errorf("level %v: %v of the targets are below", level, share)
		}
	}
}

// TestNoTolerance: two inequalities that leave no more than an equality have its solution.
func TestNoTolerance(t *testing.T) {
	t.Parallel()
	const n, d = 300, 4
	x, class, y := data(28, n, d)
	private := [][]float64{vector(n, func(i int) float64 { return x.Data[i*d] + y[i] })}
	for name, loss := range map[string]rehline.Loss{"hinge": rehline.Hinge(class), "median": rehline.Quantile(y, 0.5), "squared": rehline.Squared(y)} {
		c := rehline.Fairness(x, nil, private, 0)
		got := solve(t, rehline.Problem{X: x, Loss: loss, Constraints: c}, rehline.Options{Tol: 1e-10})
		want := solve(t, rehline.Problem{X: x, Loss: loss, Constraints: exactly(c)}, rehline.Options{Tol: 1e-10})
		if got.Status != rehline.Solved || want.Status != rehline.Solved || math.Abs(got.Objective-want.Objective) > 1e-8*want.Objective {
			t.Errorf("%s: %v with %.12g, as an equality %v with %.12g", name, got.Status, got.Objective, want.Status, want.Objective)
		}
	}
}

// TestInfeasible wants a violation of contradictory constraints instead of a solution: β >= 0 and
// Σ β <= -1 leave at least 1/4 if all rows share it.
func TestInfeasible(t *testing.T) {
	t.Parallel()
	x, class, _ := data(6, 20, 3)
	c := both(rehline.NonNegative(3), rehline.Sum(3, -1))
	sol := solve(t, rehline.Problem{X: x, Loss: rehline.Hinge(class), Constraints: c}, rehline.Options{})
	if sol.Status == rehline.Solved || sol.PrimalInfeasibility < 0.25-1e-9 {
		t.Errorf("%v with a violation of %g", sol.Status, sol.PrimalInfeasibility)
	}
	zero := rehline.Custom(general(1, 3, func(int, int) float64 { return 0 }), []float64{-1})
	if _, err := rehline.New(rehline.Problem{X: x, Loss: rehline.Hinge(class), Constraints: zero}); !errors.Is(err, rehline.ErrInfeasible) {
		t.Errorf("a row of zeros below zero: %v", err)
	}
	zero.B[0] = 1
	if _, err := rehline.New(rehline.Problem{X: x, Loss: rehline.Hinge(class), Constraints: zero}); err != nil {
		t.Errorf("a row of zeros above zero: %v", err)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(p *rehline.Problem)
		want   error
	}{
		"NaN in X":            {func(p *rehline.Problem) { p.X.Data[4] = math.NaN() }, rehline.ErrNotFinite},
		"Inf in X":            {func(p *rehline.Problem) { p.X.Data[4] = math.Inf(1) }, rehline.ErrNotFinite},
		"short X":             {func(p *rehline.Problem) { p.X.Data = p.X.Data[:7] }, rehline.ErrShape},
		"no samples":          {func(p *rehline.Problem) { p.X, p.Loss = blas64.General{Cols: 3, Stride: 3}, rehline.Hinge(nil) }, rehline.ErrShape},
		"no features":         {func(p *rehline.Problem) { p.X = blas64.General{Rows: 8} }, rehline.ErrShape},
		"nothing":             {func(p *rehline.Problem) { *p = rehline.Problem{} }, rehline.ErrShape},
		"loss of other n":     {func(p *rehline.Problem) { p.Loss = rehline.Hinge([]float64{1}) }, rehline.ErrShape},
		"a loss that is none": {func(p *rehline.Problem) { p.Loss = rehline.Huber([]float64{1}, -1) }, rehline.ErrRange},
		"loss without values": {func(p *rehline.Problem) { p.Loss = rehline.Loss{U: blas64.General{Rows: 1, Cols: 8}} }, rehline.ErrShape},
		"X of 1e200":          {func(p *rehline.Problem) { p.X.Data[4] = 1e200 }, rehline.ErrRange},
		"an objective that overflows": {func(p *rehline.Problem) {
			p.C = 1e100
			p.Weights = vector(8, func(int) float64 { return 1e100 })
			p.X.Data[0] = 1e100
			p.Loss = rehline.Hinge(vector(8, func(int) float64 { return 1e100 }))
		}, rehline.ErrRange},
		"negative threshold": {func(p *rehline.Problem) {
			p.Loss = rehline.SquaredHinge(vector(8, func(int) float64 { return 1 }))
			p.Loss.Tau.Data[2] = -1
		}, rehline.ErrRange},
		"negative weight":       {func(p *rehline.Problem) { p.Weights = []float64{1, 1, 1, 1, 1, -1, 1, 1} }, rehline.ErrRange},
		"NaN weight":            {func(p *rehline.Problem) { p.Weights = []float64{1, 1, 1, 1, 1, math.NaN(), 1, 1} }, rehline.ErrNotFinite},
		"few weights":           {func(p *rehline.Problem) { p.Weights = []float64{1} }, rehline.ErrShape},
		"negative L1":           {func(p *rehline.Problem) { p.L1 = []float64{0, -1, 0} }, rehline.ErrRange},
		"negative C":            {func(p *rehline.Problem) { p.C = -1 }, rehline.ErrRange},
		"infinite ridge":        {func(p *rehline.Problem) { p.Ridge = math.Inf(1) }, rehline.ErrRange},
		"unknown intercept":     {func(p *rehline.Problem) { p.Intercept = 7 }, rehline.ErrRange},
		"constraints of others": {func(p *rehline.Problem) { p.Constraints = rehline.NonNegative(4) }, rehline.ErrShape},
	} {
		x, class, _ := data(7, 8, 3)
		p := rehline.Problem{X: x, Loss: rehline.Hinge(class)}
		c.change(&p)
		_, err := rehline.Solve(context.Background(), p, rehline.Options{})
		var input *rehline.InputError
		if !errors.Is(err, c.want) || !errors.As(err, &input) {
			t.Errorf("%s: error %v, want one of %v", name, err, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	x, class, _ := data(8, 200, 4)
	p := rehline.Problem{X: x, Loss: rehline.Hinge(class), C: 100}
	for _, o := range []rehline.Options{{Tol: -1}, {Tol: math.NaN()}, {MaxPasses: -1}, {MaxTime: -1}, {Method: 9}} {
		if _, err := rehline.Solve(context.Background(), p, o); !errors.Is(err, rehline.ErrOptions) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	sol := solve(t, p, rehline.Options{Tol: 1e-14, MaxPasses: 3})
	if sol.Status != rehline.PassLimit || !(sol.Gap > 0) || math.IsNaN(sol.Objective) {
		t.Errorf("3 passes: %v with gap %v", sol.Status, sol.Gap)
	}
	sol = solve(t, p, rehline.Options{Tol: 1e-14, MaxTime: time.Nanosecond})
	if sol.Status != rehline.TimeLimit {
		t.Errorf("a nanosecond: %v", sol.Status)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if sol, err := rehline.Solve(ctx, p, rehline.Options{}); !errors.Is(err, context.Canceled) || len(sol.Beta) != 4 {
		t.Errorf("cancelled: %v", err)
	}
	calls := 0
	sol = solve(t, p, rehline.Options{Progress: func(p rehline.Progress) {
		if p.Elapsed > 0 {
			calls++
		}
	}})
	if calls == 0 || sol.Status != rehline.Solved {
		t.Errorf("%d calls of Progress, %v", calls, sol.Status)
	}
	a, b := solve(t, p, rehline.Options{Seed: 5}), solve(t, p, rehline.Options{Seed: 5})
	for j := range a.Beta {
		if a.Beta[j] != b.Beta[j] {
			t.Errorf("the same seed gave %v and %v", a.Beta, b.Beta)
		}
	}
	if _, err := rehline.Solve(context.Background(), p, rehline.Options{Warm: &rehline.Solution{Beta: []float64{1}}}); !errors.Is(err, rehline.ErrShape) {
		t.Errorf("warm start of another shape: %v", err)
	}
}

// TestNoAllocation: after New a Solver allocates nothing, whatever changes.
func TestNoAllocation(t *testing.T) {
	x, class, y := data(9, 150, 6)
	for name, p := range map[string]rehline.Problem{
		"hinge":       {X: x, Loss: rehline.Hinge(class)},
		"constraints": {X: x, Loss: rehline.Quantile(y, 0.4), Constraints: rehline.NonNegative(6), Intercept: rehline.FreeIntercept},
		"elastic net": {X: x, Loss: rehline.Huber(y, 1.0), L1: vector(6, func(int) float64 { return 1 })},
	} {
		s, err := rehline.New(p)
		if err != nil {
			t.Fatal(err)
		}
		weights := vector(150, func(i int) float64 { return float64(i % 3) })
		if err := s.SetWeights(weights); err != nil {
			t.Fatal(err)
		}
		var sol rehline.Solution
		if n := testing.AllocsPerRun(10, func() {
			weights[3] += 0.1
			if err := s.SetWeights(weights); err != nil {
				t.Fatal(err)
			}
			var o rehline.Options
			o.Tol = 1e-8
			if sol.Beta != nil {
				o.Warm = &sol
			}
			if sol, err = s.Solve(context.Background(), o); err != nil || sol.Status != rehline.Solved {
				t.Fatal(sol.Status, err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
