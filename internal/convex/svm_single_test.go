package convex

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// One sample without an intercept: the only multiplier is the smaller of its
// bound and 1/k(x, x). Shrinking takes it out after every update.
func TestSVMOneSample(t *testing.T) {
	t.Parallel()
	for _, kernel := range []Kernel{Linear{}, RBF{Gamma: 0.7}} {
		for _, x := range []float64{0, 1e-8, 0.5, 1, -3, 1e8} {
			for _, c := range []float64{1e-4, 0.5, 1, 1e4} {
				t.Run(fmt.Sprintf("%T, x = %v, C = %v", kernel, x, c), func(t *testing.T) {
					t.Parallel()
					s := NewSVM(blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{x}}, []float64{1}, c, kernel, false, SVMOptions{})
					solve(t, s, []float64{1})
					want := math.Min(c, 1/naiveKernel(kernel, []float64{x}, []float64{x}))
					if got := s.Duals()[0]; !(math.Abs(got-want) <= 1e-12*want) {
						t.Errorf("multiplier %v, want %v", got, want)
					}
				})
			}
		}
	}
}
