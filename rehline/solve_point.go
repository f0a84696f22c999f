package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// point is what is known of the current primal-dual pair, divided by the
// ridge.
type point struct {
	primal, dual  float64
	gap           float64 // absolute, with what infeasibility gains made up for
	young         float64 // part of the gap that is due to smoothing
	infeasibility float64
	balance       float64 // Σ g with a free intercept: how infeasible the dual is
	share         float64 // of the dual variables that is feasible
	status        Status
}

// relative returns the gap relative to the objective. What rounding leaves of
// the objective at zero, where the terms are of their natural size, is no gap:
// the optimum may be zero.
func (s *Solver) relative() float64 {
	p := &s.point
	if p.gap <= 0x1p-48*s.origin {
		return 0
	}
	return p.gap / max(math.Abs(p.primal), math.Abs(p.dual))
}

// solved tells whether the point is good enough.
func (s *Solver) solved() bool {
	return s.relative() <= s.limits.tol && s.point.infeasibility <= s.limits.feasible*s.guard.scale
}

// soft returns x shrunk by r towards zero.
func soft(x, r float64) float64 {
	switch {
	case x > r:
		return x - r
	case x < -r:
		return x + r
	}
	return 0
}

// certify computes the objectives of β and the dual variables from the terms'
// sums; v = Aᵀξ - Xᵀg, the slacks and ξ are current.
func (s *Solver) certify() {
	p, t := &s.point, &s.sums
	cost, fall, share := s.penalty()
	primal, dual, young := t.value+cost, t.dual-fall, t.young
	var gain float64 // what infeasibility makes the gap too small by
	if s.base != nil {
		primal -= kernel.Dot(s.base, s.beta)
	}
	if s.dim > s.d && s.bend[s.d] == 0 {
		p.balance = -s.v[s.d]
		gain = math.Abs(p.balance*s.beta[s.d]) - p.balance*s.beta[s.d]
	}
	p.infeasibility = 0
	for k, xi := range s.guard.xi {
		slack := s.guard.slack[k]
		dual -= xi * s.guard.b[k]
		gain += math.Abs(xi*slack) - xi*slack
		young += math.Abs(xi * slack)
		violation := max(-slack, 0)
		if s.guard.equal(k) {
			violation = math.Abs(slack)
		}
		p.infeasibility = max(p.infeasibility, violation)
	}
	p.gap = primal - share*dual + share*gain
	if s.pure {
		for j, b := range s.beta {
			young += s.bend[j] * math.Abs((b-s.anchor[j])*b)
		}
	}
	p.primal, p.dual, p.young, p.share = primal+s.constant, share*dual+s.constant, young, share
}

// penalty returns the penalty on β, its conjugate at the forces v, and the share
// of the dual variables that is feasible: 1 with a ridge.
func (s *Solver) penalty() (cost, fall, share float64) {
	if s.pure {
		for j, r := range s.l1[:s.d] {
			cost += r * math.Abs(s.beta[j])
		}
		return cost, 0, s.share()
	}
	for j, b := range s.beta {
		v := s.v[j]
		cost += s.bend[j] * b * b / 2
		if s.l1 != nil {
			cost += s.l1[j] * math.Abs(b)
			v = soft(v, s.l1[j])
		}
		fall += s.bend[j] * v * v / 2
	}
	return cost, fall, 1
}

// report fills the solution from the point.
func (s *Solver) report() {
	p, out := &s.point, &s.sol
	copy(out.Beta, s.beta[:s.d])
	out.Intercept = 0
	if s.dim > s.d {
		out.Intercept = s.beta[s.d]
	}
	for i := range s.kinked {
		k := &s.kinked[i]
		spread(k.source, k.slope, s.ridge, s.problem.Loss.U, out.Dual.Lambda)
	}
	for i := range s.curved {
		c := &s.curved[i]
		spread(c.source, c.slope, s.ridge, s.problem.Loss.S, out.Dual.Gamma)
	}
	for k, xi := range s.guard.xi {
		out.Dual.Xi[k] = xi * s.ridge
	}
	out.Objective = p.primal*s.ridge + s.offset
	out.DualObjective = p.dual*s.ridge + s.offset
	out.Gap = s.relative()
	out.PrimalInfeasibility = p.infeasibility
	out.Iterations = s.limits.done
	out.Status = p.status
}

// overflow returns an error where the solution, or the objective at zero that its
// gap is compared with, is no numbers, and forgets what was kept between solves.
func (s *Solver) overflow() error {
	p := &s.point
	ok := finite(s.c/s.ridge) && finite(s.origin) && finite(p.primal) && finite(p.dual) && finite(p.gap) && finite(p.infeasibility)
	for _, b := range s.beta {
		ok = ok && finite(b)
	}
	if ok {
		return nil
	}
	s.newton.changes = anewAfter
	return &InputError{"Problem", -1, -1, "the sizes of its numbers are so far apart that the objective overflows", ErrRange}
}
