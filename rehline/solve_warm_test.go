package rehline_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/agepath/agepath/rehline"
)

// TestWarmStart changes 1 % of the weights, again and again others. A new solve from the
// last solution finds what one from zero finds, in fewer passes and Newton steps.
func TestWarmStart(t *testing.T) {
	t.Parallel()
	const n, d = 4000, 12
	x, class, y := data(10, n, d)
	sum := rehline.Sum(d, 0.4)
	for name, p := range map[string]rehline.Problem{
		"hinge":          {Loss: rehline.Hinge(class)},
		"sum":            {Loss: rehline.Hinge(class), Constraints: sum},
		"median":         {Loss: rehline.Quantile(y, 0.5), Intercept: rehline.FreeIntercept},
		"tube":           {Loss: rehline.EpsilonInsensitive(y, 0.1)},
		"huber":          {Loss: rehline.Huber(y, 0.5)},
		"smoothed hinge": {Loss: rehline.SmoothedHinge(class)},
	} {
		for _, c := range []float64{1.0 / n, 100.0 / n, 1} {
			p := p
			p.X, p.C = x, c
			t.Run(fmt.Sprintf("%s %g", name, c), func(t *testing.T) {
				t.Parallel()
				rewarm(t, p)
			})
		}
	}
}

func rewarm(t *testing.T, p rehline.Problem) {
	n := p.X.Rows
	w := vector(n, func(int) float64 { return 1 })
	solve := func(s *rehline.Solver, o rehline.Options) (rehline.Solution, int) {
		if err := s.SetWeights(w); err != nil {
			t.Fatal(err)
		}
		sol, err := s.Solve(context.Background(), o)
		if err != nil || sol.Status != rehline.Solved || sol.Gap > o.Tol {
			t.Fatalf("%v with gap %g: %v", sol.Status, sol.Gap, err)
		}
		return sol, (sol.Iterations.Visits+n-1)/n + sol.Iterations.Newton
	}
	fresh := func() *rehline.Solver {
		s, err := rehline.New(p)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := fresh()
	o := rehline.Options{Tol: 1e-6}
	last, _ := solve(s, o)
	var warm, cold int
	for k := range 4 {
		for i := k; i < n; i += 100 {
			w[i] = []float64{0.5, 0, 2, 1.5}[k]
		}
		o.Warm = &last
		sol, steps := solve(s, o)
		last = sol
		want, _ := solve(fresh(), rehline.Options{Tol: 1e-8})
		if !(math.Abs(sol.Objective-want.Objective) <= 2e-6*math.Abs(want.Objective)) {
			t.Errorf("objective %.12g, from zero it is %.12g", sol.Objective, want.Objective)
		}
		_, all := solve(fresh(), rehline.Options{Tol: 1e-6})
		warm += steps
		cold += all
	}
	t.Logf("%d steps warm, %d cold", warm, cold)
	if warm >= cold {
		t.Errorf("%d steps warm, %d cold", warm, cold)
	}
}
