package factor

import "math"

// Delete removes row and column r of M, in the positive part only if (M⁻¹)_rr > 0 beyond the
// tolerance: the negative part is then downdated by the row's part. Otherwise the error is
// ErrNegative and the factor is unchanged. It may also be ErrLost.
func (s *Signed) Delete(r int) error {
	s.checkRow(r)
	sign := 1.0
	if r >= s.p {
		sign = -1
	} else if s.q > 0 {
		if a, b := s.inverse(r); !s.sound(a-b, a, b) {
			return ErrNegative
		}
	}
	at := s.slot(r)
	for i := r + 1; i < s.Len(); i++ {
		w := s.slot(i)
		s.w[w] = s.data[w*s.n+at]
	}
	if err := s.change(r+1, sign); err != nil {
		return err
	}
	if r < s.p {
		if s.schur.known {
			s.schur.column(s.q, sign)
		}
		s.closePositive(r)
	} else {
		if s.schur.known {
			s.schur.remove(r-s.p, s.q)
		}
		s.closeNegative(r)
	}
	return nil
}

func (s *Signed) change(first int, sign float64) error {
	s.next.kind = none
	if !s.sweep(first, sign) {
		s.Reset()
		return ErrLost
	}
	s.changes++
	return nil
}

// Update changes M to M + c v vᵀ. Leading zeros of v save time.
//
// For c > 0 the error is ErrNegative if the inertia would change: 1 + c vᵀM⁻¹v is not positive
// beyond the tolerance. For c < 0 it is ErrPositive if the positive part would lose its
// definiteness: 1 + c v₁ᵀM₁₁⁻¹v₁ is not positive. With either the factor is unchanged. It may also
// be ErrLost.
func (s *Signed) Update(c float64, v []float64) error {
	s.check("vector", len(v), s.Len())
	first := 0
	for first < len(v) && v[first] == 0 {
		first++
	}
	s.scatter(s.w, v)
	return s.update(first, c)
}

// update takes v over slots in w, zero before first.
func (s *Signed) update(first int, c float64) error {
	if c == 0 || first == s.Len() {
		return nil
	}
	root, sign := math.Sqrt(math.Abs(c)), math.Copysign(1, c)
	for i := range s.w {
		s.w[i] *= root
	}
	if c > 0 && s.q > 0 {
		copy(s.x, s.w)
		s.forward(s.x, first)
		if a, b := s.squares(s.x, first); !s.sound(1+a-b, 1+a, b) {
			return ErrNegative
		}
	}
	if !(c > 0) && first < s.p {
		copy(s.x, s.w)
		s.forwardPositive(s.x, first)
		if a := dot(s.x[first:s.p], s.x[first:s.p]); !s.sound(1-a, 1, a) {
			return ErrPositive
		}
	}
	s.schur.known = false
	return s.change(first, sign)
}
