package condition

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// NullVector returns a vector z over the given columns with a·z = 0 on every sample
// whose zone has weight, if there is one: Gaussian elimination, in order of the columns,
// on the Gram matrix of those samples.
func NullVector(c *Primal, columns []int) ([]float64, bool) {
	s, k := c.State(), len(columns)
	gram := make([]float64, k*k)
	for i := range s.N {
		if !s.Weighed && int(s.Zone[i]) == len(s.Zones)-1 {
			continue
		}
		x := s.Row(i)
		for r, j := range columns {
			for q, l := range columns[:r+1] {
				gram[r*k+q] += x[j] * x[l]
			}
		}
	}
	// Cholesky row by row: row r of the factor, in the lower triangle.
	for r := range k {
		whole := gram[r*k+r]
		for q := range r {
			sum := gram[r*k+q]
			for c := range q {
				sum -= gram[r*k+c] * gram[q*k+c]
			}
			gram[r*k+q] = sum / gram[q*k+q]
			gram[r*k+r] -= gram[r*k+q] * gram[r*k+q]
		}
		if gram[r*k+r] > tolerance.Singular*whole {
			gram[r*k+r] = math.Sqrt(gram[r*k+r])
			continue
		}
		// Column r depends on those before it: solve Lᵀz = row r.
		z := make([]float64, k)
		z[r] = -1
		for q := r - 1; q >= 0; q-- {
			sum := gram[r*k+q]
			for c := q + 1; c < r; c++ {
				sum -= gram[c*k+q] * z[c]
			}
			z[q] = sum / gram[q*k+q]
		}
		return z, true
	}
	return nil, false
}
