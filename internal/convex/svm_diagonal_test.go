package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestSVMDiagonal compares an addition to the diagonal with a feature of each
// sample's own that has the same effect, with and without room for kernel rows.
func TestSVMDiagonal(t *testing.T) {
	t.Parallel()
	const n, d = 120, 3
	random := rand.New(rand.NewPCG(21, 21))
	x := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	wide := blas64.General{Rows: n, Cols: d + n, Stride: d + n, Data: make([]float64, n*(d+n))}
	y, weights, diagonal := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Data[i*d+j] = random.NormFloat64() + 1
		}
		y[i] = math.Copysign(1, x.Data[i*d]-1+random.NormFloat64())
		weights[i], diagonal[i] = 0.5+random.Float64(), 2*random.Float64()
		copy(wide.Data[i*(d+n):], x.Data[i*d:(i+1)*d])
		wide.Data[i*(d+n)+d+i] = math.Sqrt(diagonal[i])
	}
	for _, cache := range []int64{0, 20 * 8 * n} {
		one := NewSVM(x, y, 1, Linear{}, true, SVMOptions{Diagonal: diagonal, CacheBytes: cache})
		two := NewSVM(wide, y, 1, Linear{}, true, SVMOptions{})
		certificate, err := one.Solve(t.Context(), weights)
		if err != nil {
			t.Fatal(err)
		}
		want, err := two.Solve(t.Context(), weights)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(certificate.Objective-want.Objective) > 1e-9*want.Objective {
			t.Errorf("cache %d: objective %v, want %v", cache, certificate.Objective, want.Objective)
		}
		if off := distance(one.Theta(), two.Theta()); off > 1e-8 {
			t.Errorf("cache %d: θ is off by %v", cache, off)
		}
		u, v := make([]float64, n), make([]float64, n)
		one.Scores(u)
		two.Scores(v)
		for i := range u {
			if math.Abs(u[i]-v[i]) > 1e-8 {
				t.Errorf("cache %d: score %d is %v, want %v", cache, i, u[i], v[i])
			}
		}
	}
}
