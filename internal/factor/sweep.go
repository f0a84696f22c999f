package factor

import "github.com/agepath/agepath/internal/dense"

// sweep turns [L w] into [L' 0] with
//
//	L' J L'ᵀ = L J Lᵀ + sign w wᵀ
//
// over the rows from first on; w is over slots and zero before first. Column j zeroes w's entry j,
// by a Givens rotation if its sign in J is sign, else by a hyperbolic one. If a rotation does not
// exist, sweep returns false and leaves invalid data.
func (s *Signed) sweep(first int, sign float64) bool {
	front, back := sign < 0, sign > 0 // which part's rotations are hyperbolic
	if !s.turn.Sweep(s.data, s.n, s.w, first, s.p, front) {
		return false
	}
	start := max(first-s.p, 0)
	for t := start; t < s.q; t += dense.Group {
		i, size := s.n-1-t, min(dense.Group, s.q-t)
		rows, w := s.turn.Rows(s.data, s.n, s.w, i, size, -1)
		s.turn.Apply(rows, &w, first, s.p, front, false)
		if s.schur.known {
			copy(s.schur.moved[t:t+size], w[:size])
		}
		s.turn.Apply(rows, &w, i+1, s.n-start, back, true)
		if !s.turn.Corner(s.data, s.n, i, size, -1, &w, back) {
			return false
		}
	}
	return true
}
