package kernel

import (
	"math/rand/v2"
	"testing"
)

func TestMulAdd(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		for _, m := range []int{0, 1, 3, 8, 13} {
			k := r.IntN(9)
			ldc, ldb := n+2, n+1
			a, b, start := normal(r, m*k), normal(r, k*ldb), normal(r, m*ldc)
			got, check := guarded(t, start)
			want := append([]float64(nil), start...)
			MulAdd(got, ldc, a, k, 1, b, ldb, m, n, k)
			plainMulAdd(want, ldc, a, k, 1, b, ldb, m, n, k)
			check()
			same(t, "product", got, want)
			MulAdd(got, ldc, a, 1, m, b, ldb, m, n, k)
			plainMulAdd(want, ldc, a, 1, m, b, ldb, m, n, k)
			check()
			same(t, "transposed product", got, want)
		}
	})
}

// TestMulAddSplit: rows and columns have the same bits on whatever tile they are.
func TestMulAddSplit(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		const m, k = 11, 7
		a, b := normal(r, m*k), normal(r, k*n)
		whole, parts := make([]float64, m*n), make([]float64, m*n)
		MulAdd(whole, n, a, k, 1, b, n, m, n, k)
		for i := range m {
			for j := range n {
				MulAdd(parts[i*n+j:], n, a[i*k:], k, 1, b[j:], n, 1, 1, k)
			}
		}
		for i := range whole {
			if whole[i] != parts[i] {
				t.Fatalf("entry %d is %v as part of a tile and %v alone", i, whole[i], parts[i])
			}
		}
	})
}

func plainMulAdd(c []float64, ldc int, a []float64, rowA, colA int, b []float64, ldb int, m, n, k int) {
	const columns = 16
	var sums [columns]float64
	for i := range m {
		for j := 0; j < n; j += columns {
			width := min(columns, n-j)
			row := sums[:width]
			clear(row)
			for p := range k {
				s := a[i*rowA+p*colA]
				for l, v := range b[p*ldb+j:][:width] {
					row[l] += s * v
				}
			}
			for l, v := range row {
				c[i*ldc+j+l] += v
			}
		}
	}
}
