package kernel

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// summed are sums of sums by gonum's assembly on amd64.
var summed = map[string]float64{"Dot": 13.912884243515622, "Dot with gaps": -2.20595760263211, "Gemv": -9.956290214202827}

// TestOrder wants the sums of gonum's assembly on every processor.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = random.NormFloat64()
		}
		return v
	}
	got := map[string]float64{}
	keep := func(name string, v ...float64) {
		for _, x := range v { // each bit changes the result
			got[name] = 0.75*got[name] + x
		}
	}
	for n := range 70 {
		x, y := draw(n), draw(n)
		keep("Dot", blas64.Dot(blas64.Vector{N: n, Inc: 1, Data: x}, blas64.Vector{N: n, Inc: 1, Data: y}))
		keep("Dot with gaps", blas64.Dot(blas64.Vector{N: n, Inc: 1, Data: x}, blas64.Vector{N: n, Inc: 3, Data: draw(3 * n)}))
		if n == 0 {
			continue
		}
		for _, beta := range []float64{0, 1, 0.3} {
			m := n/2 + 1
			z := draw(2 * m)
			blas64.Gemv(blas.NoTrans, 1.3, blas64.General{Rows: m, Cols: n, Stride: n, Data: draw(m * n)},
				blas64.Vector{N: n, Inc: 1, Data: x}, beta, blas64.Vector{N: m, Inc: 2, Data: z})
			keep("Gemv", z...)
		}
	}
	for name, want := range summed {
		if got[name] != want {
			t.Errorf("%s: the sums are %v, want %v", name, got[name], want)
		}
	}
	if len(got) != len(summed) {
		t.Errorf("%#v", got)
	}
}
