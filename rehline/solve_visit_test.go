package rehline

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestBlocks descends as if no cache held the rows: by blocks, some times each. A
// pass visits every sample as often, and the solution is the one of plain passes.
func TestBlocks(t *testing.T) {
	t.Parallel()
	const n, d = 1000, 6
	r := rand.New(rand.NewPCG(4, 1))
	x := blas64.General{Rows: n, Cols: d, Stride: d + 1, Data: make([]float64, n*(d+1))}
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	class := make([]float64, n)
	for i := range class {
		class[i] = math.Copysign(1, x.Data[i*x.Stride]+0.5*r.NormFloat64())
	}
	p := Problem{X: x, Loss: Hinge(class), C: 0.01, Intercept: PenalizedIntercept}
	want, err := Solve(context.Background(), p, Options{Tol: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []int{1, 64, 300, 999, 1000, 5000} {
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		s.descent.block, s.descent.far = block, 100
		sol, err := s.Solve(context.Background(), Options{Tol: 1e-9, Method: DescentOnly})
		if err != nil || sol.Status != Solved {
			t.Fatalf("blocks of %d: %v, %v", block, sol.Status, err)
		}
		if math.Abs(sol.Objective-want.Objective) > 2e-9*want.Objective {
			t.Errorf("blocks of %d: objective %.12g, want %.12g", block, sol.Objective, want.Objective)
		}
		s.descent.reset()
		s.limits.done, s.limits.passes = Iterations{}, 6
		s.descent.visit(inf)
		s.descent.shuffle()
		list := slices.Clone(s.descent.lists[0].active)
		if slices.Sort(list); !slices.Equal(list, counting(n)) {
			t.Errorf("blocks of %d: a pass lost samples", block)
		}
		s.descent.visit(1e300)
		if got, want := s.limits.done, (Iterations{Passes: 5, Visits: 5 * n}); got != want {
			t.Errorf("blocks of %d: %+v, want %+v", block, got, want)
		}
		s.descent.visit(1e300)
		if got := s.limits.done.Passes; got != 6 {
			t.Errorf("blocks of %d: %d passes where 6 are allowed", block, got)
		}
	}
}

func counting(n int) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(i)
	}
	return v
}
