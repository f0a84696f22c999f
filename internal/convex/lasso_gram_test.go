package convex

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A fit in Gram form meets the optimality conditions of its quadratic, with coefficients
// without a penalty, others that stay, and columns of zeros.
func TestGramFit(t *testing.T) {
	t.Parallel()
	crossed := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 12))
		d := 1 + r.IntN(8)
		stride := d + 1
		h := make([]float64, stride*stride)
		for range 3 * stride {
			z := make([]float64, stride)
			for j := range z {
				z[j] = r.NormFloat64() * math.Pow(10, float64(j%3))
			}
			for j, a := range z {
				for k, b := range z {
					h[j*stride+k] += a * b
				}
			}
		}
		l1, theta, among := make([]float64, d), make([]float64, d), make([]bool, d)
		for j := range d {
			if among[j] = r.IntN(5) > 0; r.IntN(3) > 0 {
				l1[j] = 30 * r.Float64() * h[j*stride+j] / math.Sqrt(h[j*stride+j])
			}
			if r.IntN(2) == 0 {
				theta[j] = r.NormFloat64()
			}
			if r.IntN(6) == 0 {
				for k := range stride {
					h[j*stride+k], h[k*stride+j] = 0, 0
				}
			}
		}
		before := append([]float64(nil), theta...)
		if !NewGramFit(d, 1e-11).Fit(h, stride, l1, theta, among) {
			t.Fatalf("seed %d: no fit", seed)
		}
		for j, w := range theta {
			if !among[j] {
				if w != before[j] {
					t.Errorf("seed %d: coefficient %d moved from %v to %v", seed, j, before[j], w)
				}
				continue
			}
			if w*before[j] < 0 {
				crossed++
			}
			slope, terms := h[j*stride+d], math.Abs(h[j*stride+d])
			for k, v := range theta {
				slope += h[j*stride+k] * v
				terms += math.Abs(h[j*stride+k] * v)
			}
			off := max(0, math.Abs(slope)-l1[j])
			if w != 0 {
				off = math.Abs(slope + math.Copysign(l1[j], w))
			}
			if l1[j] == 0 {
				off = math.Abs(slope)
			}
			if off > 1e-10*(terms+l1[j]) {
				t.Errorf("seed %d: violation %v of coefficient %d, terms %v", seed, off, j, terms)
			}
		}
	}
	if crossed < 50 {
		t.Errorf("only %d coefficients changed their sign", crossed)
	}
}
