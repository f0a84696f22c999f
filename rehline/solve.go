package rehline

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/internal/kernel"
)

// Solver solves one Problem repeatedly, with different weights, costs and starts. New does all work
// that depends on the features alone and allocates all memory except that of the interior-point
// method. A Solver is not safe for concurrent use.
type Solver struct {
	problem Problem
	costs   costs
	guard   constraints
	limits  limits
	state   state
	descent descent
	newton  newton
	inner   *interior // nil until a solve needs it
	sol     Solution
}

// New checks p and sets up a Solver. Errors: *InputError.
func New(p Problem) (*Solver, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	n, d := p.X.Rows, p.X.Cols
	norms := make([]float64, n)
	kernel.Norms(norms, p.X.Data, p.X.Stride, d)
	s := &Solver{problem: p}
	penalty := newPenalty(&p, d)
	vector := func() []float64 { return make([]float64, penalty.dim) }
	s.state = state{x: p.X, norms: norms, terms: newTerms(&p.Loss, n), penalty: penalty, guard: &s.guard,
		costs: &s.costs, limits: &s.limits, beta: vector(), v: vector(), grad: vector(), step: vector(), z: make([]float64, n)}
	s.state.best.beta = vector()
	s.sol = Solution{Beta: make([]float64, d),
		Dual: Dual{newMatrix(p.Loss.U.Rows, n), newMatrix(p.Loss.S.Rows, n), make([]float64, p.Constraints.N())}}
	unit := scale(p.Ridge)
	if p.NoRidge {
		unit = s.state.terms.unit(p.L1, norms)
	}
	penalty.lasso(p.L1, unit)
	s.guard.init(&p.Constraints)
	if penalty.separable() {
		s.descent = newDescent(&s.state)
	}
	s.costs = costs{loss: &s.problem.Loss, terms: &s.state.terms, n: n, c: scale(p.C) / unit, unit: unit,
		weights: append([]float64(nil), p.Weights...)}
	s.costs.init()
	s.furnish()
	return s, nil
}

// furnish allocates what the second phase and warm starts need.
func (s *Solver) furnish() {
	a, n, dual := &s.state, len(s.state.z), &s.sol.Dual
	a.dz, a.g = make([]float64, n), make([]float64, n)
	switch { // h is no longer needed when the dual is written
	case dual.Lambda.Rows > 0:
		a.h = row(dual.Lambda, 0)
	case dual.Gamma.Rows > 0:
		a.h = row(dual.Gamma, 0)
	default:
		a.h = make([]float64, n)
	}
	for k := range a.terms.kinked {
		a.terms.kinked[k].center = make([]float64, n)
	}
	s.newton = newNewton(a, n)
}

// Solve minimizes the objective. Errors: ctx.Err() with the best solution so far, ErrOptions,
// *InputError for a Warm of another shape or for overflow. Reaching a limit is not an error: see
// Solution.Status.
func (s *Solver) Solve(ctx context.Context, o Options) (Solution, error) {
	limits, err := newLimits(ctx, o)
	if err != nil {
		return Solution{}, err
	}
	s.limits = limits
	if o.Warm != nil {
		if err := s.fits(o.Warm); err != nil {
			return Solution{}, err
		}
	}
	err = s.run(o, s.start(o.Warm))
	s.report()
	if overflow := s.overflow(); overflow != nil {
		return Solution{}, overflow
	}
	return s.sol, err
}

// Solve is New and Solver.Solve.
func Solve(ctx context.Context, p Problem, o Options) (Solution, error) {
	s, err := New(p)
	if err != nil {
		return Solution{}, err
	}
	return s.Solve(ctx, o)
}

func (s *Solver) run(o Options, warm bool) error {
	a := &s.state
	a.best.primal, a.lenient = inf, o.Method == DescentOnly
	if s.costs.origin == s.costs.constant && s.guard.zeroIsFeasible() {
		a.clear()
		return nil
	}
	separable := a.penalty.separable()
	if o.Method == DescentOnly && !separable {
		return fmt.Errorf("%w: DescentOnly with an L1 penalty or a free intercept", ErrOptions)
	}

	// For smooth losses Newton steps are as fast as coordinate descent.
	if o.Method == DescentOnly || o.Method == Automatic && separable && len(a.terms.kinked) > 0 {
		ended, err := s.descent.descend(o.Seed, warm, o.Method == DescentOnly)
		if ended {
			return err
		}
		a.terms.center()
		copy(s.guard.center, s.guard.xi)
		warm = true
	}

	if !warm {
		a.terms.begin()
	}
	a.rescore()
	s.newton.widths(warm)
	status, err := s.newton.ascend()
	if status != Solved {
		s.newton.repair()
	}

	// The interior-point method, if rounding stopped the others too early.
	if status == Stalled {
		a.revalue() // the scores carry the rounding errors of all steps
		if a.relative() > interiorGap || !a.feasible() {
			status, err = s.inside().solve()
		}
	}
	if a.status = status; status != Solved {
		a.lenient = true
		a.end(status, err, true)
	}
	return err
}

func (s *Solver) report() {
	a, out, unit := &s.state, &s.sol, s.costs.unit
	d := copy(out.Beta, a.beta)
	out.Intercept = 0
	if len(a.beta) > d {
		out.Intercept = a.beta[d]
	}
	a.terms.give(&s.problem.Loss, &out.Dual, unit)
	for k, xi := range s.guard.xi {
		out.Dual.Xi[k] = xi * unit
	}
	out.Objective = a.primal*unit + s.costs.offset
	out.DualObjective = a.dual*unit + s.costs.offset
	out.Gap = a.relative()
	out.PrimalInfeasibility = a.infeasibility
	out.Iterations = s.limits.done
	out.Status = a.status
}

// overflow returns an error if the result is not finite, and discards what is kept between solves.
func (s *Solver) overflow() error {
	a := &s.state
	ok := finite(s.costs.c)
	for _, v := range [...]float64{s.costs.origin, a.primal, a.dual, a.gap, a.infeasibility} {
		ok = ok && finite(v)
	}
	for _, b := range a.beta {
		ok = ok && finite(b)
	}
	if ok {
		return nil
	}
	s.newton.hessian.forget()
	return rangeError("Problem", -1, -1, "the sizes of its numbers are so far apart that the objective overflows")
}
