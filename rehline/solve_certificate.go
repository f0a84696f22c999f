package rehline

import "math"

type certificate struct {
	sums          sums
	primal, dual  float64
	gap           float64 // absolute, corrected for infeasibility
	young         float64 // part of the gap due to smoothing
	infeasibility float64
	share         float64 // feasible part of the dual variables
	status        Status
	best          best
	lenient       bool // a negligible gap counts as 0
}

// best are the feasible coefficients of minimum objective that a solve met.
type best struct {
	beta   []float64
	primal float64 // infinite if there are none
}

// relative is 0 for a negligible gap if the optimum may be zero or no method reduces the gap
// further, and for rounding of the objective itself.
func (s *state) relative() float64 {
	size := max(math.Abs(s.primal), math.Abs(s.dual))
	if s.gap <= noGap*size || s.negligible() && (s.lenient || s.dual-s.costs.constant <= noGap*s.costs.origin) {
		return 0
	}
	return s.gap / size
}

func (s *state) negligible() bool { return s.gap <= noGap*s.costs.origin }

func (s *state) solved() bool { return s.relative() <= s.limits.tol && s.feasible() }

func (s *state) feasible() bool { return s.infeasibility <= s.limits.feasible*s.guard.scale }

// certify computes the objectives of β and the dual variables from the terms' sums, given current
// v, slacks and ξ.
func (s *state) certify() {
	t := s.penalty.toll(s.beta, s.v)
	primal, dual, young := s.sums.value+t.cost, s.sums.dual-t.fall, s.sums.young
	var gain float64
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

func (s *state) meet() {
	if s.primal < s.best.primal && s.feasible() {
		s.best.primal = s.primal
		copy(s.best.beta, s.beta)
	}
}

// end chooses the result of a solve that ends early: the best coefficients, and the better of the
// dual variables and the centers of the smoothing, if any.
func (s *state) end(status Status, err error, centers bool) {
	if gap := s.gap; centers && len(s.terms.kinked) > 0 && !s.penalty.proximal {
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

func (s *state) revalue() {
	s.scores(s.z, s.beta)
	s.slacks()
	s.sums.value = s.terms.value(s.z)
	s.certify()
}

func (s *state) exchange() {
	for i := range s.terms.kinked {
		k := &s.terms.kinked[i]
		k.slope, k.center = k.center, k.slope
	}
	s.guard.xi, s.guard.center = s.guard.center, s.guard.xi
	s.refresh()
	s.balance()
}
