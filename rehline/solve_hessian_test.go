package rehline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/internal/kernel"
)

// gramOf returns MᵀM + I for a random M, with the leading dimension ld.
func gramOf(r *rand.Rand, n, ld int) []float64 {
	m, a := make([]float64, n*n), make([]float64, ld*ld)
	for i := range m {
		m[i] = r.NormFloat64()
	}
	for i := range n {
		a[i*ld+i] = 1
		for j := range n {
			for k := range n {
				a[i*ld+j] += m[k*n+i] * m[k*n+j]
			}
		}
	}
	return a
}

// TestCholesky solves systems whose solution is known.
func TestCholesky(t *testing.T) {
	t.Parallel()
	for n := 1; n < 40; n++ {
		r := rand.New(rand.NewPCG(7, uint64(n)))
		f := newFactor(n)
		to, ld := f.Matrix(n)
		a := gramOf(r, n, ld)
		want, b := make([]float64, n), make([]float64, n)
		for j := range want {
			want[j] = r.NormFloat64()
		}
		for i := range b {
			b[i] = kernel.Dot(a[i*ld:][:n], want)
		}
		copy(to, a)
		factorize(&f)
		f.Solve(b)
		for j := range want {
			if !(math.Abs(b[j]-want[j]) <= 1e-8) {
				t.Fatalf("n = %d: entry %d is %v, want %v", n, j, b[j], want[j])
			}
		}
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{10, 30, 50, 64, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := newFactor(n)
			_, ld := f.Matrix(n)
			a := gramOf(rand.New(rand.NewPCG(1, 1)), n, ld)
			for b.Loop() {
				to, _ := f.Matrix(n)
				copy(to, a)
				factorize(&f)
			}
		})
	}
}
