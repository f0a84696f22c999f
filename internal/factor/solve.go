package factor

import "github.com/agepath/agepath/internal/kernel"

// Solve replaces b by M⁻¹b. Leading zeros of b save time.
func (s *Signed) Solve(b []float64) {
	s.check("right-hand side", len(b), s.Len())
	first := 0
	for first < len(b) && b[first] == 0 {
		first++
	}
	s.scatter(s.x, b)
	s.forward(s.x, first)
	tail := s.x[s.n-s.q:]
	for i, v := range tail {
		tail[i] = -v
	}
	s.backward(s.x)
	s.gather(b, s.x)
}

// SolveNegative replaces b by the negative part of M⁻¹(0, b).
func (s *Signed) SolveNegative(b []float64) {
	s.check("right-hand side", len(b), s.q)
	first := s.n - s.q
	x, u := s.x[first:], s.data[min(len(s.data), first*(s.n+1)):]
	for t, v := range b {
		x[s.q-1-t] = -v
	}
	kernel.SolveUpper(x, u, s.n)
	kernel.SolveUpperTrans(x, u, s.n)
	for t := range b {
		b[t] = x[s.q-1-t]
	}
}

// ExtendNegative replaces the positive part of b by that of the M⁻¹(0, c) with b's negative part.
func (s *Signed) ExtendNegative(b []float64) {
	s.check("solution", len(b), s.Len())
	clear(b[:s.p])
	s.scatter(s.x, b)
	s.backwardPositive(s.x)
	copy(b, s.x[:s.p])
}

// inverse returns (M⁻¹)_rr = a - b and leaves L⁻¹e_r in x.
func (s *Signed) inverse(r int) (a, b float64) {
	s.checkRow(r)
	clear(s.x)
	s.x[s.slot(r)] = 1
	s.forward(s.x, r)
	return s.squares(s.x, r)
}
