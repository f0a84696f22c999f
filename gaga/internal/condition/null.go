package condition

import (
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// NullVector returns a vector z over the given columns with a·z = 0 on every sample
// whose zone has weight, if there is one.
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
	return dense.NullVector(gram, k, tolerance.Singular)
}
