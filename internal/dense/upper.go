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

// NullVector returns a z with a z = 0, if any, for a positive semidefinite k x k matrix a, given by its
// lower triangle: a pivot of at most tolerance times its diagonal entry is zero. The largest relative
// pivot is next, as nearly equal rows would hide that others depend on them.
func NullVector(a []float64, k int, tolerance float64) ([]float64, bool) {
	entry := func(i, j int) float64 { return a[max(i, j)*k+min(i, j)] }
	l, left, order := make([]float64, k*k), make([]float64, k), make([]int, k)
	for i := range k {
		left[i], order[i] = entry(i, i), i
	}
	for r := range k {
		for q := r + 1; q < k; q++ {
			if i, j := order[r], order[q]; left[j]*entry(i, i) > left[i]*entry(j, j) {
				order[r], order[q] = j, i
			}
		}
		i := order[r]
		if !(left[i] > tolerance*entry(i, i)) {
			// Row i depends on those before it: solve Lᵀz = row i.
			z := make([]float64, k)
			z[i] = -1
			for q := r - 1; q >= 0; q-- {
				sum := l[i*k+q]
				for c := q + 1; c < r; c++ {
					sum -= l[order[c]*k+q] * z[order[c]]
				}
				z[order[q]] = sum / l[order[q]*k+q]
			}
			return z, true
		}
		l[i*k+r] = math.Sqrt(left[i])
		for _, j := range order[r+1:] {
			sum := entry(i, j)
			for c := range r {
				sum -= l[i*k+c] * l[j*k+c]
			}
			l[j*k+r] = sum / l[i*k+r]
			left[j] -= l[j*k+r] * l[j*k+r]
		}
	}
	return nil, false
}
