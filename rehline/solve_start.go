package rehline

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// start sets β and the centers from warm, which fits, or else from zero.
func (s *Solver) start(warm *Solution) {
	clear(s.beta)
	clear(s.guard.center)
	clear(s.newton.center)
	clear(s.newton.m)
	if s.pure {
		s.rein(1)
	}
	s.warm = warm != nil && (warm.Dual.Lambda.Rows > 0 || warm.Dual.Gamma.Rows > 0)
	if warm != nil {
		copy(s.beta, warm.Beta)
		if s.dim > s.d {
			s.beta[s.d] = warm.Intercept
		}
		if s.pure {
			copy(s.anchor, s.beta)
		}
	}
	if s.warm {
		s.resume(&warm.Dual, s.owns(warm))
		return
	}
	for i := range s.kinked {
		k := &s.kinked[i]
		for j := range k.center {
			k.center[j] = (k.lo[j] + k.hi[j]) / 2
		}
	}
}

// fits returns an error where warm is no solution of a problem of this shape.
func (s *Solver) fits(warm *Solution) error {
	wrong := func(what string, got, want int) error {
		return shapeError("Options.Warm."+what, "%d where %d are needed", got, want)
	}
	if s.owns(warm) {
		return nil
	}
	if len(warm.Beta) != s.d {
		return wrong("Beta", len(warm.Beta), s.d)
	}
	if err := checkFiniteSlice("Options.Warm.Beta", warm.Beta); err != nil {
		return err
	}
	if !finite(warm.Intercept) {
		return &InputError{"Options.Warm.Intercept", -1, -1, fmt.Sprint(warm.Intercept), ErrNotFinite}
	}
	dual := &warm.Dual
	if dual.Lambda.Rows == 0 && dual.Gamma.Rows == 0 && len(dual.Xi) == 0 {
		return nil
	}
	for _, m := range []struct {
		name      string
		got, want blas64.General
	}{{"Options.Warm.Dual.Lambda", dual.Lambda, s.problem.Loss.U}, {"Options.Warm.Dual.Gamma", dual.Gamma, s.problem.Loss.S}} {
		if m.got.Rows != m.want.Rows {
			return shapeError(m.name, "%d rows where %d are needed", m.got.Rows, m.want.Rows)
		}
		if err := checkMatrix(m.name, m.got, s.n); err != nil {
			return err
		}
		if err := checkFinite(m.name, m.got); err != nil {
			return err
		}
	}
	if len(dual.Xi) != s.k {
		return wrong("Dual.Xi", len(dual.Xi), s.k)
	}
	return checkFiniteSlice("Options.Warm.Dual.Xi", dual.Xi)
}

// owns tells whether warm is the Solver's last solution, whose duals are still
// in the terms' slopes.
func (s *Solver) owns(warm *Solution) bool {
	return len(warm.Beta) == s.d && &warm.Beta[0] == &s.sol.Beta[0]
}

// resume sets the centers from the duals, within the bounds.
func (s *Solver) resume(dual *Dual, own bool) {
	for i := range s.kinked {
		k := &s.kinked[i]
		if own {
			copy(k.center, k.slope)
		} else {
			gather(k.source, k.center, s.ridge, s.problem.Loss.U, dual.Lambda)
		}
		for j, a := range k.center {
			k.center[j] = min(max(a, k.lo[j]), k.hi[j])
		}
	}
	for i := range s.curved {
		c := &s.curved[i]
		if own {
			continue
		}
		gather(c.source, c.slope, s.ridge, s.problem.Loss.S, dual.Gamma)
	}
	for k, xi := range dual.Xi {
		if !s.guard.equal(k) {
			xi = max(xi, 0)
		}
		s.guard.center[k] = xi / s.ridge
	}
	if s.l1 == nil {
		return
	}
	// The multipliers of the L1 penalty are what the other forces leave.
	clear(s.g)
	for i := range s.kinked {
		for j, a := range s.kinked[i].center {
			s.g[j] += a
		}
	}
	for i := range s.curved {
		for j, a := range s.curved[i].slope {
			s.g[j] += a
		}
	}
	copy(s.guard.xi, s.guard.center)
	s.forces()
	for j, r := range s.l1 {
		s.newton.center[j] = min(max(s.v[j], -r), r)
	}
}
