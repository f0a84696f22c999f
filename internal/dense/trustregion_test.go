package dense

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Steps are within the radius, and no point tried within their length is lower.
func TestTrustRegion(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 3, 12} {
		for _, radius := range []float64{1e-3, 0.3, 10, 1e6} {
			q := NewTrustRegion(n, Shifts{Least: 1e-6, Largest: 1e20, Back: 0.1})
			q.Size = 2
			metric := definite(random, n)
			for i := range n {
				q.Gradient[i] = random.NormFloat64()
				for j := i; j < n; j++ {
					q.Metric[i*n+j] = metric[i][j]
					q.Hess[i*n+j] = random.NormFloat64() // indefinite
				}
			}
			inside, ok := q.Aim(radius)
			if !ok || !(q.Length <= radius) || q.Fall < 0 {
				t.Fatalf("n = %d, radius %g: ok %v, length %g, fall %g", n, radius, ok, q.Length, q.Fall)
			}
			for range 300 {
				x := make([]float64, n)
				for i := range x {
					x[i] = random.NormFloat64()
				}
				by := random.Float64() * q.Length * q.Size / math.Sqrt(q.Form(q.Metric, x))
				value := 0.0
				for i := range x {
					x[i] *= by
					value += q.Gradient[i] * x[i]
				}
				if value += 0.5 * q.Form(q.Hess, x); value < -q.Fall-1e-9*math.Abs(q.Fall) {
					t.Errorf("n = %d, radius %g, inside %v: %g at a point, %g at the step", n, radius, inside, value, -q.Fall)
				}
			}
		}
	}
}
