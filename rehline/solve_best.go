package rehline

import "math"

// best are the feasible coefficients of the least objective that a solve met. A
// solve that ends early returns them: they are a better half of the pair than the
// last ones.
type best struct {
	beta   []float64 // dim
	primal float64   // infinite where there are none
}

// meet notes the coefficients of the point, which is certified.
func (s *Solver) meet() {
	b, p := &s.best, &s.point
	if p.primal < b.primal && p.infeasibility <= s.limits.feasible*s.guard.scale {
		b.primal = p.primal
		copy(b.beta, s.beta)
	}
}

// last makes the best of a solve that ends early: of the dual variables at hand
// and those that the smoothing is centered around the better ones, and the best
// coefficients.
func (s *Solver) last(centers bool) {
	if gap := s.point.gap; centers && len(s.kinked) > 0 && !s.pure {
		s.exchange()
		if !(s.point.gap < gap) {
			s.exchange()
		}
	}
	b := &s.best
	if !(b.primal < s.point.primal) && s.point.infeasibility <= s.limits.feasible*s.guard.scale || math.IsInf(b.primal, 1) {
		return
	}
	copy(s.beta, b.beta)
	s.scores(s.z, s.beta)
	s.guard.slacks(s.beta[:s.d])
	s.sums.value = s.loss()
	s.certify()
}

// exchange swaps the dual variables with the centers and certifies them.
func (s *Solver) exchange() {
	for i := range s.kinked {
		k := &s.kinked[i]
		k.slope, k.center = k.center, k.slope
	}
	s.guard.xi, s.guard.center = s.guard.center, s.guard.xi
	s.collect()
	s.forces()
	s.certify()
	s.balance()
}
