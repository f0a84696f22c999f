package rehline

import "math"

// certificate is what a state is worth, divided by the unit.
type certificate struct {
	sums          sums
	primal, dual  float64
	gap           float64 // absolute, with what infeasibility gains made up for
	young         float64 // part of the gap that is due to smoothing
	infeasibility float64
	share         float64 // of the dual variables that is feasible
	status        Status
	best          best
	lenient       bool // what is negligible counts as none
}

// best are the feasible coefficients of the least objective that a solve met. A solve
// that ends early returns them: they are a better half of the pair than the last ones.
type best struct {
	beta   []float64 // dim
	primal float64   // infinite where there are none
}

// relative returns the gap relative to the objective. A negligible one is none where the optimum
// may be zero, and where no method makes it smaller; what rounding leaves of the objective itself
// is none either.
func (s *state) relative() float64 {
	size := max(math.Abs(s.primal), math.Abs(s.dual))
	if s.gap <= noGap*size || s.negligible() && (s.lenient || s.dual-s.costs.constant <= noGap*s.costs.origin) {
		return 0
	}
	return s.gap / size
}

// negligible tells whether the gap is what rounding leaves of the objective at zero, where the
// terms are of their natural size.
func (s *state) negligible() bool { return s.gap <= noGap*s.costs.origin }

// solved tells whether the point is good enough.
func (s *state) solved() bool { return s.relative() <= s.limits.tol && s.feasible() }

// feasible tells whether the constraints hold.
func (s *state) feasible() bool { return s.infeasibility <= s.limits.feasible*s.guard.scale }

// certify computes the objectives of β and the dual variables from the terms' sums;
// v = Aᵀξ - Xᵀg, the slacks and ξ are current.
func (s *state) certify() {
	t := s.penalty.regime.toll(s.beta, s.v)
	primal, dual, young := s.sums.value+t.cost, s.sums.dual-t.fall, s.sums.young
	var gain float64 // what infeasibility makes the gap too small by
	if d := s.penalty.d; s.penalty.free {
		gain = math.Abs(s.v[d]*s.beta[d]) + s.v[d]*s.beta[d]
	}
	s.infeasibility = 0
	for k, xi := range s.guard.xi {
		slack := s.guard.slack[k]
		dual -= xi * s.guard.b[k]
		gain += math.Abs(xi*slack) - xi*slack
		young += math.Abs(xi * slack)
		violation := max(-slack, 0)
		if s.guard.equal(k) {
			violation = math.Abs(slack)
		}
		s.infeasibility = max(s.infeasibility, violation)
	}
	constant := s.costs.constant
	s.gap = primal - t.share*dual + t.share*gain
	s.primal, s.dual, s.young, s.share = primal+constant, t.share*dual+constant, young+t.lag, t.share
}

// meet notes the coefficients, which are certified.
func (s *state) meet() {
	if s.primal < s.best.primal && s.feasible() {
		s.best.primal = s.primal
		copy(s.best.beta, s.beta)
	}
}

// end makes the best of a solve that ends early: of the dual variables at hand and those
// that the smoothing is centered around, where there are such, the better ones, and the
// best coefficients.
func (s *state) end(status Status, err error, centers bool) {
	if gap := s.gap; centers && len(s.terms.kinked) > 0 && s.penalty.regime.exact() {
		s.exchange()
		if !(s.gap < gap) {
			s.exchange()
		}
	}
	if b := &s.best; !math.IsInf(b.primal, 1) && (b.primal < s.primal || !s.feasible()) {
		copy(s.beta, b.beta)
		s.revalue()
	}
	if s.status = status; s.solved() && err == nil {
		s.status = Solved
	}
}

// revalue certifies other coefficients with the dual variables as they are.
func (s *state) revalue() {
	s.scores(s.z, s.beta)
	s.slacks()
	s.sums.value = s.terms.value(s.z)
	s.certify()
}

// exchange swaps the dual variables with the centers and certifies them.
func (s *state) exchange() {
	for i := range s.terms.kinked {
		k := &s.terms.kinked[i]
		k.slope, k.center = k.center, k.slope
	}
	s.guard.xi, s.guard.center = s.guard.center, s.guard.xi
	s.refresh()
	s.balance()
}
