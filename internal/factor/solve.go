package factor

// Solve replaces b, of Len entries, by M⁻¹b. Zeros at b's beginning save time.
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

// inverse returns the two parts of (M⁻¹)_rr = a - b and leaves L⁻¹e_r in x.
func (s *Signed) inverse(r int) (a, b float64) {
	s.checkRow(r)
	clear(s.x)
	s.x[s.slot(r)] = 1
	s.forward(s.x, r)
	return s.squares(s.x, r)
}
