package rehline

import (
	"cmp"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// start reports whether the centers are the multipliers of an earlier solution.
func (s *Solver) start(from *Solution) (warm bool) {
	a, w := &s.state, &s.newton
	clear(a.beta)
	clear(s.guard.center)
	clear(w.center)
	clear(w.multipliers)
	if from != nil {
		if d := copy(a.beta, from.Beta); len(a.beta) > d {
			a.beta[d] = from.Intercept
		}
	}
	a.penalty.follow(a.beta, inf)
	if from == nil || from.Dual.Lambda.Rows == 0 && from.Dual.Gamma.Rows == 0 {
		return false
	}
	if s.owns(from) {
		a.terms.center()
	} else {
		a.terms.setFromDual(&s.problem.Loss, &from.Dual, s.costs.unit)
	}
	a.terms.confine()
	for k, xi := range from.Dual.Xi {
		if !s.guard.equal(k) {
			xi = max(xi, 0)
		}
		s.guard.center[k] = xi / s.costs.unit
	}
	if a.penalty.l1 == nil {
		return true
	}
	// The multipliers of the L1 penalty are the remainder of the other forces.
	clear(a.g)
	for i := range a.terms.kinked {
		kernel.Axpy(1, a.terms.kinked[i].center, a.g)
	}
	for i := range a.terms.curved {
		kernel.Axpy(1, a.terms.curved[i].slope, a.g)
	}
	copy(s.guard.xi, s.guard.center)
	a.forces()
	for j, r := range a.penalty.l1 {
		w.center[j] = min(max(a.v[j], -r), r)
	}
	return true
}

func (s *Solver) fits(warm *Solution) error {
	const what = "Options.Warm."
	if s.owns(warm) {
		return nil
	}
	dual, loss := &warm.Dual, &s.problem.Loss
	if len(warm.Beta) != len(s.sol.Beta) {
		return shapeError(what+"Beta", "%d where %d are needed", len(warm.Beta), len(s.sol.Beta))
	}
	err := cmp.Or(checkVector(what+"Beta", warm.Beta, inf), checkVector(what+"Intercept", []float64{warm.Intercept}, inf))
	if err != nil || dual.Lambda.Rows == 0 && dual.Gamma.Rows == 0 && len(dual.Xi) == 0 {
		return err
	}
	for _, m := range []struct {
		name      string
		got, want blas64.General
	}{{"Dual.Lambda", dual.Lambda, loss.U}, {"Dual.Gamma", dual.Gamma, loss.S}} {
		if m.got.Rows != m.want.Rows {
			return shapeError(what+m.name, "%d rows where %d are needed", m.got.Rows, m.want.Rows)
		}
		if err := checkNumbers(what+m.name, m.got, s.costs.n, inf); err != nil {
			return err
		}
	}
	if len(dual.Xi) != len(s.guard.b) {
		return shapeError(what+"Dual.Xi", "%d where %d are needed", len(dual.Xi), len(s.guard.b))
	}
	return checkVector(what+"Dual.Xi", dual.Xi, inf)
}

// owns reports whether warm is the Solver's last solution, whose duals are still in the slopes.
func (s *Solver) owns(warm *Solution) bool {
	return len(warm.Beta) == len(s.sol.Beta) && &warm.Beta[0] == &s.sol.Beta[0]
}
