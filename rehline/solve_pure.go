package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// Without a ridge the objective is not strictly convex, and the L1 penalties
// bound the dual instead of adding to it:
//
//	max -Σ aκ - Σ a²/(2σ) - b·ξ  subject to  |(Aᵀξ - Xᵀg)_j| <= L1_j
//
// The method of multipliers becomes the proximal one (Rockafellar, "Augmented
// Lagrangians and applications of the proximal point algorithm in convex
// programming", Math. Oper. Res. 1 (1976)): ½ bend ‖β - anchor‖² takes the place
// of the ridge, the anchor follows β and the curvature falls with the
// smoothing. As zero is inside the bounds of all dual variables, a share of any
// dual point is feasible, so that the gap is certified all the same.

// loosest is the least curvature of the proximal term: below it the Hessian is
// singular up to rounding where the solution is not unique.
const loosest = 1e-8

// unit returns the unit of the objective, for which a curvature of 1 fits the
// data: the mean L1 penalty divided by the size of the coefficients, which is
// that of the kinks divided by that of the rows of X. It does not depend on the
// weights, which change.
func (s *Solver) unit() float64 {
	var kinks, terms float64
	add := func(list []float64) {
		for _, k := range list {
			kinks += math.Abs(k)
		}
		terms += float64(len(list))
	}
	for i := range s.kinked {
		add(s.kinked[i].kink)
	}
	for i := range s.curved {
		add(s.curved[i].kink)
	}
	var squares, penalty float64
	s.x.norms(s.dz)
	for _, v := range s.dz {
		squares += v / float64(s.n)
	}
	for _, r := range s.problem.L1 {
		penalty += r / float64(s.d)
	}
	if u := penalty * math.Sqrt(squares) * terms / kinks; u > 0 && finite(u) {
		return u
	}
	return penalty
}

// rein sets the curvature of the penalty on β, and of the proximal term without
// a ridge around an anchor of zero. A free intercept has none.
func (s *Solver) rein(curvature float64) {
	clear(s.anchor)
	for j := range s.bend {
		s.bend[j] = curvature
	}
	if s.problem.Intercept == FreeIntercept {
		s.bend[s.d] = 0
	}
}

// approach moves the anchor to β and changes the curvature by the factor.
func (s *Solver) approach(factor float64) {
	curvature := min(max(s.bend[0]*factor, loosest), 1)
	s.rein(curvature)
	copy(s.anchor, s.beta)
}

// restart begins anew with a wide smoothing around the multipliers and a strong
// proximal term around β.
func (s *Solver) restart() {
	s.widths(false)
	s.rein(1)
	copy(s.anchor, s.beta)
}

// share returns the largest share of the dual variables, at most all, whose
// forces v are within the L1 penalties.
func (s *Solver) share() float64 {
	share := 1.0
	for j, r := range s.l1[:s.d] {
		if v := math.Abs(s.v[j]); v > r {
			share = min(share, r/v)
		}
	}
	return share
}

// repair makes the dual variables feasible: for a free intercept, and without a
// ridge by polishing them and taking their share.
func (s *Solver) repair() {
	if s.pure {
		s.polish()
	}
	s.balance()
	share := s.point.share
	if share >= 1 {
		return
	}
	for i := range s.kinked {
		scaleBy(s.kinked[i].slope, share)
	}
	for i := range s.curved {
		scaleBy(s.curved[i].slope, share)
	}
	scaleBy(s.guard.xi, share)
	s.collect()
	s.forces()
	s.certify()
}

// polish takes Newton steps in the dual variables alone, which are not between
// their bounds by chance, so that the forces meet the L1 penalties. Those that
// follow from the scores carry the scores' rounding errors divided by the
// smoothing.
func (s *Solver) polish() {
	w := &s.newton
	for range 3 {
		clear(s.grad)
		worst := 0.0
		for j, r := range s.l1 {
			s.grad[j] = soft(-s.v[j], r)
			worst = max(worst, math.Abs(s.grad[j]))
		}
		if worst == 0 {
			return
		}
		s.direction()
		s.scores(s.dz, s.step)
		for i := range s.kinked {
			k := &s.kinked[i]
			for j, a := range k.slope {
				if lo, hi := k.lo[j], k.hi[j]; a > lo && a < hi {
					k.slope[j] = min(max(a+s.dz[j]*(hi-lo)/w.width, lo), hi)
				}
			}
		}
		for i := range s.curved {
			c := &s.curved[i]
			for j, a := range c.slope {
				if lo, hi := c.sigma[j]*c.kl[j], c.sigma[j]*c.kh[j]; a > lo && a < hi {
					c.slope[j] = min(max(a+c.sigma[j]*s.dz[j], lo), hi)
				}
			}
		}
		g := &s.guard
		for k, active := range g.active {
			if active {
				xi := g.xi[k] - kernel.Dot(g.row(k), s.step[:s.d])/(w.soft*g.norm[k])
				if !g.equal(k) {
					xi = max(xi, 0)
				}
				g.xi[k] = xi
			}
		}
		s.collect()
		s.forces()
		s.certify()
	}
}

func scaleBy(v []float64, factor float64) {
	for i := range v {
		v[i] *= factor
	}
}
