package model_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/agepath/agepath/rehline"
	"github.com/agepath/agepath/rehline/model"
)

func TestCosts(t *testing.T) {
	t.Parallel()
	got := model.Costs(0.01, 100, 5)
	for k, want := range []float64{0.01, 0.1, 1, 10, 100} {
		if math.Abs(got[k]-want) > 1e-14*want {
			t.Errorf("cost %d is %v, not %v", k, got[k], want)
		}
	}
	if got := model.Costs(2, 8, 1); len(got) != 1 || got[0] != 2 {
		t.Errorf("one cost: %v", got)
	}
	for _, bad := range [][2]float64{{0, 1}, {1, -1}, {math.NaN(), 1}, {1, math.Inf(1)}} {
		if got := model.Costs(bad[0], bad[1], 3); got != nil {
			t.Errorf("costs from %v: %v", bad, got)
		}
	}
	if model.Costs(1, 2, 0) != nil {
		t.Error("no costs are nil")
	}
}

// TestPathIsColdSolves compares every point of a path with a solve of its own,
// and the work of both: Newton steps, and passes, of which 25 cost about as much
// as one Newton phase of some ten steps.
func TestPathIsColdSolves(t *testing.T) {
	t.Parallel()
	x, class, y := data(5, 400, 8)
	costs := model.Costs(1e-4, 10, 12)
	o := rehline.Options{Tol: 1e-9}
	var warm, cold, total float64
	work := func(i rehline.Iterations) float64 { return float64(i.Newton) + float64(i.Passes)/2.5 }
	for name, l := range losses(class, y) {
		for _, p := range []rehline.Problem{
			{X: x, Loss: l},
			{X: x, Loss: l, Intercept: rehline.FreeIntercept, L1: vector(8, func(int) float64 { return 0.01 })},
			{X: x, Loss: l, Intercept: rehline.PenalizedIntercept, Constraints: rehline.NonNegative(8)},
		} {
			points, err := model.Path(context.Background(), p, costs, false, o)
			if err != nil {
				t.Fatal(err)
			}
			for k, point := range points {
				p.C = costs[k]
				want := solve(t, p, o)
				got := point.Solution
				if point.C != costs[k] || got.Status != rehline.Solved || got.Gap > o.Tol ||
					math.Abs(got.Objective-want.Objective) > 3e-9*math.Abs(want.Objective) {
					t.Errorf("%s, C = %g: %v with gap %g and objective %.12g, a cold solve has %.12g",
						name, point.C, got.Status, got.Gap, got.Objective, want.Objective)
				}
				if got.Dual.Lambda.Rows+got.Dual.Gamma.Rows != 0 {
					t.Errorf("%s: duals that were not asked for", name)
				}
				warm += work(got.Iterations)
				cold += work(want.Iterations)
				total++
			}
		}
	}
	t.Logf("a solve takes %.1f steps warm and %.1f cold", warm/total, cold/total)
	if warm > 0.9*cold {
		t.Errorf("warm starts take %.0f steps, cold ones %.0f", warm, cold)
	}
}

// TestPathKeepsDuals: a point with its dual starts another solve at its end.
func TestPathKeepsDuals(t *testing.T) {
	t.Parallel()
	x, class, _ := data(6, 200, 5)
	p := rehline.Problem{X: x, Loss: rehline.Hinge(class), Intercept: rehline.FreeIntercept}
	points, err := model.Path(context.Background(), p, []float64{0.1, 1}, true, rehline.Options{Tol: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range points {
		p.C = point.C
		again := solve(t, p, rehline.Options{Tol: 1e-6, Warm: &point.Solution})
		if fresh := solve(t, p, rehline.Options{Tol: 1e-6}); again.Iterations.Newton >= fresh.Iterations.Newton {
			t.Errorf("C = %g: %d Newton steps from the solution, %d without", point.C, again.Iterations.Newton, fresh.Iterations.Newton)
		}
	}
}

func TestPathErrors(t *testing.T) {
	t.Parallel()
	x, class, _ := data(7, 20, 2)
	p := rehline.Problem{X: x, Loss: rehline.Hinge(class)}
	for _, costs := range [][]float64{nil, {1, 0}, {-1}, {math.NaN()}, {math.Inf(1)}} {
		var input *rehline.InputError
		if _, err := model.Path(context.Background(), p, costs, false, rehline.Options{}); !errors.As(err, &input) {
			t.Errorf("costs %v: %v", costs, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := rehline.New(p)
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	for _, err := range model.Along(ctx, s, model.Costs(0.1, 10, 9), rehline.Options{}) {
		points++
		if points == 3 {
			cancel()
		}
		if (err != nil) != (points == 4) || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("point %d: %v", points, err)
		}
	}
	if points != 4 {
		t.Errorf("%d points of a path that was cancelled after 3", points)
	}
}
