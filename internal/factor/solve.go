package factor

import "math"

// Solve replaces b, of Len entries, by M⁻¹b.
func (s *Signed) Solve(b []float64) {
	s.check("right-hand side", len(b), s.Len())
	s.scatter(s.x, b)
	s.forward(s.x, 0)
	tail := s.x[s.n-s.q:]
	for i, v := range tail {
		tail[i] = -v
	}
	s.backward(s.x)
	s.gather(b, s.x)
}

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

// inverse returns the two parts of (M⁻¹)_rr = a - b and leaves L⁻¹e_r in x.
func (s *Signed) inverse(r int) (a, b float64) {
	s.checkRow(r)
	clear(s.x)
	s.x[s.slot(r)] = 1
	s.forward(s.x, r)
	return s.squares(s.x, r)
}

// LogAbsDet returns ln|det M|; the determinant's sign is that of (-1)^q.
func (s *Signed) LogAbsDet() float64 {
	sum := 0.0
	for i := range s.Len() {
		sum += math.Log(s.data[s.slot(i)*(s.n+1)])
	}
	return 2 * sum
}
