package dense

import (
	"math"
	"slices"
)

// HalfSolve replaces b, of Len entries, by z = L⁻¹b. For two of them,
// aᵀM⁻¹b = Σ_positive z_a z_b - Σ_negative z_a z_b.
func (s *Signed) HalfSolve(b []float64) { s.lower.Forward(b) }

// InverseForm returns vᵀM⁻¹v, for v of Len entries.
func (s *Signed) InverseForm(v []float64) float64 {
	z := slices.Clone(v)
	s.HalfSolve(z)
	a, b := s.squares(z)
	return a - b
}

// InverseDiagonal returns (M⁻¹)_rr. Its reciprocal is the pivot of row r: the
// Schur complement of all other rows.
func (s *Signed) InverseDiagonal(r int) float64 {
	a, b := s.inverse(r)
	return a - b
}

// LogAbsDet returns ln|det M|; the determinant's sign is that of (-1)^q.
func (s *Signed) LogAbsDet() float64 {
	sum := 0.0
	for i := range s.Len() {
		sum += math.Log(s.lower.Row(i)[i])
	}
	return 2 * sum
}
