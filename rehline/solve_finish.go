package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// finished tells whether the point is good enough, after it has been made what
// a solution has to be: coefficients that an L1 penalty holds at zero are zero,
// and the dual is feasible for a free intercept.
func (s *Solver) finished() bool {
	if !s.solved() || !s.refine() {
		return false
	}
	if s.l1 != nil && s.truncate() && !s.solved() {
		copy(s.beta, s.step)
		s.scores(s.z, s.beta)
		s.guard.slacks(s.beta[:s.d])
		s.evaluate()
		return false
	}
	return s.repaired()
}

// settled tells whether the point is good enough once the dual is made feasible
// for a free intercept, where rounding alone keeps it from being so.
func (s *Solver) settled() bool {
	if !s.pure && (s.dim == s.d || s.bend[s.d] != 0) {
		return false
	}
	return s.repaired()
}

// repaired tells whether the point is good enough with a feasible dual; else it is
// evaluated anew.
func (s *Solver) repaired() bool {
	s.repair()
	if s.solved() {
		return true
	}
	s.evaluate()
	return false
}

// rest is the solution where no term is positive at scores of zero: all of it is
// zero.
func (s *Solver) rest() {
	clear(s.beta)
	clear(s.guard.xi)
	for i := range s.kinked {
		clear(s.kinked[i].slope)
	}
	for i := range s.curved {
		clear(s.curved[i].slope)
	}
	s.scores(s.z, s.beta)
	s.guard.slacks(s.beta[:s.d])
	s.sums = sums{}
	s.collect()
	s.forces()
	s.certify()
	s.point.status = Solved
}

// truncate sets the coefficients to zero whose multiplier is well within its
// bounds, keeps the former ones in step, and certifies them with the dual as it
// is. It tells whether there were any.
func (s *Solver) truncate() bool {
	copy(s.step, s.beta)
	any := false
	for j, r := range s.l1 {
		if s.beta[j] != 0 && math.Abs(s.newton.m[j]) < r*(1-1e-6) {
			s.beta[j] = 0
			any = true
		}
	}
	if any {
		s.scores(s.z, s.beta)
		s.guard.slacks(s.beta[:s.d])
		s.sums.value = s.loss()
		s.certify()
	}
	return any
}

// loss returns the terms' value at the scores.
func (s *Solver) loss() float64 {
	var t float64
	for i := range s.kinked {
		k := &s.kinked[i]
		for j, z := range s.z {
			r := z - k.kink[j]
			t += max(k.lo[j]*r, k.hi[j]*r)
		}
	}
	for i := range s.curved {
		t += s.curved[i].value(s.z)
	}
	return t
}

// collect sets g to the slopes and the sums' dual to theirs, whatever the
// scores.
func (s *Solver) collect() {
	clear(s.g)
	s.sums.dual = 0
	for i := range s.kinked {
		k := &s.kinked[i]
		kernel.Axpy(1, k.slope, s.g)
		s.sums.dual -= kernel.Dot(k.slope, k.kink)
	}
	for i := range s.curved {
		c := &s.curved[i]
		kernel.Axpy(1, c.slope, s.g)
		s.sums.dual += c.dual()
	}
}

// balance makes the slopes sum to zero, which the dual of a free intercept
// demands, by moving them within their bounds: first those that are not at a
// bound.
func (s *Solver) balance() {
	if s.dim == s.d || s.bend[s.d] != 0 {
		return
	}
	var excess, size float64
	for _, g := range s.g {
		excess += g
		size += math.Abs(g)
	}
	if math.Abs(excess) <= 1e-16*size {
		return
	}
	reach := 1.0
	for try := range 8 {
		excess = s.shift(excess, reach, try == 0)
		if math.Abs(excess) <= 1e-16*size {
			break
		}
		reach *= 100
	}
	s.collect()
	s.forces()
	s.certify()
}

// shift lowers the sum of the slopes by excess, in proportion to the room that
// each has, and returns what is left. Where a term has no bound its room is what
// reach times its curvature gives.
func (s *Solver) shift(excess, reach float64, inner bool) float64 {
	down := excess > 0
	room := func(a, lo, hi, most float64) float64 {
		if inner && (a <= lo || a >= hi) {
			return 0
		}
		if down {
			return min(a-lo, most)
		}
		return min(hi-a, most)
	}
	var total float64
	s.rooms(room, reach, func(_ *float64, r float64) { total += r })
	if total <= 0 {
		return excess
	}
	share := min(1, math.Abs(excess)/total)
	if !down {
		share = -share
	}
	s.rooms(room, reach, func(a *float64, r float64) { *a -= share * r })
	return excess - share*total
}

// rooms calls visit with every slope and its room.
func (s *Solver) rooms(room func(a, lo, hi, most float64) float64, reach float64, visit func(a *float64, r float64)) {
	for i := range s.kinked {
		k := &s.kinked[i]
		for j := range k.slope {
			visit(&k.slope[j], room(k.slope[j], k.lo[j], k.hi[j], inf))
		}
	}
	for i := range s.curved {
		c := &s.curved[i]
		for j, m := range c.sigma {
			if m > 0 {
				visit(&c.slope[j], room(c.slope[j], m*c.kl[j], m*c.kh[j], m*reach))
			}
		}
	}
}
