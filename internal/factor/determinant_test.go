package factor

import "math"

// HalfSolve replaces b, of Len entries, by z = L⁻¹b. For two of them,
// aᵀM⁻¹b = Σ_positive z_a z_b - Σ_negative z_a z_b.
func (s *Signed) HalfSolve(b []float64) {
	s.check("right-hand side", len(b), s.Len())
	s.scatter(s.x, b)
	s.forward(s.x, 0)
	s.gather(b, s.x)
}

// InverseForm returns vᵀM⁻¹v, for v of Len entries. 1 + c vᵀM⁻¹v is the
// factor by which M + c v vᵀ changes the determinant, whose sign says whether
// the inertia stays. With y as a border, as a free intercept makes it,
// [M y; yᵀ 0] has inertia (p, q+1) exactly when yᵀM⁻¹y > 0.
func (s *Signed) InverseForm(v []float64) float64 {
	s.check("vector", len(v), s.Len())
	s.scatter(s.x, v)
	s.forward(s.x, 0)
	a, b := s.squares(s.x, 0)
	return a - b
}

// InverseDiagonal returns (M⁻¹)_rr. Its reciprocal is the pivot of row r: the
// Schur complement of all other rows.
func (s *Signed) InverseDiagonal(r int) float64 {
	a, b := s.inverse(r)
	return a - b
}

// UpdateDiagonal changes M to M + c e_r e_rᵀ, with the errors of Update. The
// determinant changes by the factor 1 + c InverseDiagonal(r). Lowering the
// diagonal in the negative part is always possible.
func (s *Signed) UpdateDiagonal(r int, c float64) error {
	s.checkRow(r)
	clear(s.w)
	s.w[s.slot(r)] = 1
	return s.update(r, c)
}

// LogAbsDet returns ln|det M|; the determinant's sign is that of (-1)^q.
func (s *Signed) LogAbsDet() float64 {
	sum := 0.0
	for i := range s.Len() {
		sum += math.Log(s.data[s.slot(i)*(s.n+1)])
	}
	return 2 * sum
}
