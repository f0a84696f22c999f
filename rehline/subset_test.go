package rehline_test

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// TestSubset: a sample taken twice is one of twice the weight.
func TestSubset(t *testing.T) {
	t.Parallel()
	const n = 30
	x, class, y := data(13, n, 3)
	for name, loss := range losses(class, y) {
		for _, sparse := range []bool{false, true} {
			p := rehline.Problem{X: x, Loss: loss, Weights: vector(n, func(i int) float64 { return 1 + float64(i%2) }), Intercept: rehline.PenalizedIntercept}
			if sparse {
				p.Sparse, p.X = compress(x), blas64.General{}
			}
			samples := []int{29, 4, 4, 0, 17, 12, 13, 14, 4}
			subset, err := p.Subset(samples)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(subset.Weights, []float64{2, 1, 1, 1, 2, 1, 2, 1, 1}) {
				t.Errorf("weights %v", subset.Weights)
			}
			counts := make([]float64, n)
			for _, i := range samples {
				counts[i] += p.Weights[i]
			}
			p.Weights = counts
			o := rehline.Options{Tol: 1e-12}
			got, want := solve(t, subset, o), solve(t, p, o)
			if d := got.Objective - want.Objective; d > 1e-10*want.Objective || d < -1e-10*want.Objective {
				t.Errorf("%s, sparse %v: objective %v, not %v", name, sparse, got.Objective, want.Objective)
			}
		}
	}
	p := rehline.Problem{X: x, Loss: rehline.Hinge(class)}
	for _, bad := range [][]int{{n}, {3, -1}} {
		if _, err := p.Subset(bad); err == nil {
			t.Errorf("samples %v are accepted", bad)
		}
	}
}
