package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// solvers are the four triangular systems, with gonum's names for them.
var solvers = []struct {
	name  string
	solve func(x, t []float64, stride int)
	uplo  blas.Uplo
	trans blas.Transpose
}{
	{"lower", SolveLower, blas.Lower, blas.NoTrans},
	{"lower transposed", SolveLowerTrans, blas.Lower, blas.Trans},
	{"upper", SolveUpper, blas.Upper, blas.NoTrans},
	{"upper transposed", SolveUpperTrans, blas.Upper, blas.Trans},
}

// triangular returns a square matrix with a diagonal that keeps solutions small.
func triangular(r *rand.Rand, n, stride int) []float64 {
	t := normal(r, n*stride)
	for i := range n {
		t[i*stride+i] = float64(n) + 1
	}
	return t
}

// Solutions are those of gonum's reference implementation, and neither the other
// triangle nor what is between rows is read.
func TestTriangles(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		for _, s := range solvers {
			stride := n + 3
			m, b := triangular(r, n, stride), normal(r, n)
			x, check := guarded(t, b)
			s.solve(x, m, stride)
			check()
			if n == 0 {
				continue
			}
			blas64.Trsv(s.trans, blas64.Triangular{Uplo: s.uplo, Diag: blas.NonUnit, N: n, Stride: stride, Data: m}, blas64.Vector{N: n, Inc: 1, Data: b})
			same(t, s.name, x, b)
		}
	})
}

func BenchmarkTriangles(b *testing.B) {
	for _, n := range []int{16, 60, 120, 400} {
		r := rand.New(rand.NewPCG(1, 2))
		m, right, x := triangular(r, n, n), normal(r, n), make([]float64, n)
		for _, s := range solvers {
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				for b.Loop() {
					copy(x, right)
					s.solve(x, m, n)
				}
			})
			t := blas64.Triangular{Uplo: s.uplo, Diag: blas.NonUnit, N: n, Stride: n, Data: m}
			b.Run(fmt.Sprintf("gonum %s/%d", s.name, n), func(b *testing.B) {
				for b.Loop() {
					copy(x, right)
					blas64.Trsv(s.trans, t, blas64.Vector{N: n, Inc: 1, Data: x})
				}
			})
		}
	}
}
