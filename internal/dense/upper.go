package dense

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// Upper overwrites the upper triangle of a with the factor U of a = UᵀU; the lower triangle is
// scratch. It returns false if a squared pivot is not above tolerance * size.
func Upper(a, size []float64, tolerance float64) bool {
	n := len(size)
	for r, entry := range size {
		row := a[r*n+r : (r+1)*n]
		above := a[r*n : r*n+r]
		for q := range above {
			above[q] = -a[q*n+r]
		}
		kernel.MulTransAdd(row, a[r:], n, above)
		if !(row[0] > 0 && row[0] > tolerance*entry) {
			return false
		}
		row[0] = math.Sqrt(row[0])
		over := 1 / row[0]
		for c := range row[1:] {
			row[c+1] *= over
		}
	}
	return true
}

// NullVector returns a z with a z = 0, if any, for a positive semidefinite k x k matrix a, whose
// lower triangle it overwrites: a pivot of at most tolerance times its diagonal entry is zero.
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
