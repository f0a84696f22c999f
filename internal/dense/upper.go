package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Upper overwrites the upper triangle of a, of as many rows as size has entries, with the
// factor U of a = UᵀU. It reports false where a squared pivot is not above tolerance times
// the row's entry of size.
func Upper(a, size []float64, tolerance float64) bool {
	n := len(size)
	if n == 0 {
		return true
	}
	if _, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: a, Uplo: blas.Upper}); !ok {
		return false
	}
	for r, entry := range size {
		if pivot := a[r*n+r]; !(pivot*pivot > tolerance*entry) {
			return false
		}
	}
	return true
}

// NullVector returns a vector z with a z = 0, if there is one, for a positive semidefinite
// matrix a, k x k, of which it overwrites the lower triangle: by Gaussian elimination in
// order of the rows, where a pivot of at most tolerance times its diagonal entry is zero.
func NullVector(a []float64, k int, tolerance float64) ([]float64, bool) {
	for r := range k {
		whole := a[r*k+r]
		for q := range r {
			sum := a[r*k+q]
			for c := range q {
				sum -= a[r*k+c] * a[q*k+c]
			}
			a[r*k+q] = sum / a[q*k+q]
			a[r*k+r] -= a[r*k+q] * a[r*k+q]
		}
		if a[r*k+r] > tolerance*whole {
			a[r*k+r] = math.Sqrt(a[r*k+r])
			continue
		}
		// Column r depends on those before it: solve Lᵀz = row r.
		z := make([]float64, k)
		z[r] = -1
		for q := r - 1; q >= 0; q-- {
			sum := a[r*k+q]
			for c := q + 1; c < r; c++ {
				sum -= a[c*k+q] * z[c]
			}
			z[q] = sum / a[q*k+q]
		}
		return z, true
	}
	return nil, false
}
