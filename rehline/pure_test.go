package rehline_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/rehline"
)

// TestPureL1 is TestAccuracy without a ridge: linear programs for the losses
// with kinks, quadratic ones that are not strictly convex for the others.
func TestPureL1(t *testing.T) {
	t.Parallel()
	const n, d = 16, 4
	r := rand.New(rand.NewPCG(5, 4))
	x := general(n, d, func(int, int) float64 { return float64(min(1, r.IntN(4))) * r.NormFloat64() })
	clear(x.Data[5*d : 6*d]) // a row of zeros
	y := vector(n, func(i int) float64 { return x.Data[i*d] - 0.5*x.Data[i*d+1] + 0.4*r.NormFloat64() + 0.3 })
	class := vector(n, func(i int) float64 { return math.Copysign(1, y[i]) })
	weights := vector(n, func(i int) float64 { return float64(i%4) * r.Float64() })
	step := 1
	if testing.Short() {
		step = 3
	}
	for loss, l := range losses(class, y) {
		for name, c := range constraintsOf(x, r) {
			t.Run(loss+"/"+name, func(t *testing.T) {
				t.Parallel()
				for k := 0; k < 6; k += step {
					p := rehline.Problem{X: x, Loss: l, Weights: weights, Constraints: c, NoRidge: true, Intercept: rehline.Intercept(k % 2)}
					p.L1 = vector(d, func(j int) float64 { return []float64{0.01, 0.5, 4}[k/2] * float64(1+j) })
					compare(t, fmt.Sprintf("case %d", k), p, reference(t, p))
				}
			})
		}
	}
}

// TestPureScales: the certificate without a ridge holds where columns and penalties
// are of all sizes.
func TestPureScales(t *testing.T) {
	t.Parallel()
	const n, d = 300, 30
	x, class, y := data(11, n, d)
	for i := range x.Data {
		x.Data[i] *= []float64{100, 1, 0.01}[i%d%3] // columns of all sizes
	}
	for name, l := range losses(class, y) {
		p := rehline.Problem{X: x, Loss: l, NoRidge: true, L1: vector(d, func(j int) float64 { return 2 + float64(j%4) }), Intercept: rehline.FreeIntercept,
			Constraints: both(rehline.NonNegative(d), rehline.Sum(d, 0.5))}
		sol := solve(t, p, rehline.Options{Tol: 1e-10})
		if sol.Status != rehline.Solved || !(sol.Gap <= 1e-10) {
			t.Errorf("%s: %v with gap %g", name, sol.Status, sol.Gap)
		}
		certify(t, name, p, sol, 1e-10)
	}
}

// TestPureWarm: the solution itself is where a second solve stays, and a small
// change of the weights needs less than the first one.
func TestPureWarm(t *testing.T) {
	t.Parallel()
	const n, d = 400, 10
	x, _, y := data(12, n, d)
	s, err := rehline.New(rehline.Problem{X: x, Loss: rehline.Absolute(y), NoRidge: true, L1: vector(d, func(int) float64 { return 10 }), Intercept: rehline.FreeIntercept})
	if err != nil {
		t.Fatal(err)
	}
	cold, err := s.Solve(context.Background(), rehline.Options{Tol: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	objective, steps := cold.Objective, cold.Iterations.Newton
	again, err := s.Solve(context.Background(), rehline.Options{Tol: 1e-8, Warm: &cold})
	if err != nil || again.Status != rehline.Solved || math.Abs(again.Objective-objective) > 1e-8*objective || 2*again.Iterations.Newton > steps {
		t.Errorf("again: %v, %v, objective %v after %v, %+v after %d Newton steps", err, again.Status, again.Objective, objective, again.Iterations, steps)
	}
}

func TestPureL1NeedsPenalties(t *testing.T) {
	t.Parallel()
	x, class, _ := data(13, 8, 3)
	for name, c := range map[string]struct {
		change func(p *rehline.Problem)
		want   error
		what   string
	}{
		"no penalty":        {func(p *rehline.Problem) { p.L1 = nil }, rehline.ErrShape, "L1"},
		"a penalty of zero": {func(p *rehline.Problem) { p.L1[1] = 0 }, rehline.ErrRange, "L1"},
		"a ridge":           {func(p *rehline.Problem) { p.Ridge = 1 }, rehline.ErrRange, "Ridge"},
	} {
		p := rehline.Problem{X: x, Loss: rehline.Hinge(class), NoRidge: true, L1: []float64{1, 1, 1}}
		c.change(&p)
		_, err := rehline.New(p)
		var input *rehline.InputError
		if !errors.As(err, &input) || !errors.Is(err, c.want) || input.What != c.what {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
