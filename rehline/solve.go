package rehline

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// Solver solves one Problem again and again, with other weights, costs and starts. New
// does everything that depends on the features alone and allocates all memory; after it
// Solve allocates nothing, except when it first needs the interior-point method. A Solver is not safe for use by several goroutines at a time.
type Solver struct {
	problem Problem
	arena   *arena
	costs   costs
	guard   constraints
	limits  limits
	state   state // of all samples
	descent descent
	newton  newton
	inner   *interior // nil until a solve needs it
	reuse   reuse
	chain   int // re-solves since everything was summed anew; -1: there is no solution
	near    vicinity
	sol     Solution
}

// reuse is what a re-solve from the Solver's own last solution takes of it.
type reuse uint8

const (
	reuseDuals  reuse = iota // the dual variables alone
	reuseScores              // scores and forces too, which Newton steps keep
	reuseNear                // and all samples that are far from their kinks
)

// start is where a solve begins.
type start uint8

const (
	cold start = iota // without multipliers
	warm              // from the multipliers of an earlier solution
	kept              // and with the scores and forces that belong to them
)

// New checks p and sets up a Solver. Errors: *InputError, *InfeasibleError.
func New(p Problem) (*Solver, error) {
	s, err := newSolver(p, new(arena))
	if err != nil {
		return nil, err
	}
	s.furnish()
	return s, nil
}

// newSolver is New with the memory of the first phase alone.
func newSolver(p Problem, from *arena) (*Solver, error) {
	norms, err := p.check(from)
	if err != nil {
		return nil, err
	}
	n, d := p.size()
	s := &Solver{problem: p, arena: from, chain: -1}
	penalty := newPenalty(from, &p, d)
	s.state = state{x: full{p.X}, norms: norms, terms: newTerms(from, &p.Loss, n), penalty: penalty,
		guard: &s.guard, costs: &s.costs, limits: &s.limits, vectors: newVectors(from, penalty.dim), z: from.scratch(n)}
	s.state.rest.force, s.state.best.beta = from.vector(penalty.dim), from.vector(penalty.dim)
	s.sol = Solution{Beta: make([]float64, d),
		Dual: Dual{from.matrix(p.Loss.U.Rows, n), from.matrix(p.Loss.S.Rows, n), make([]float64, p.Constraints.N())}}
	unit := scale(p.Ridge)
	if p.NoRidge {
		unit = s.state.terms.unit(p.L1, norms)
	}
	penalty.lasso(p.L1, unit)
	if err := s.guard.init(&p.Constraints, d); err != nil {
		return nil, err
	}
	if penalty.regime.exact() {
		s.reuse = reuseScores
	}
	if penalty.separable() {
		s.descent = newDescent(from, &s.state)
		if len(s.state.terms.curved) == 0 && len(s.state.terms.kinked) > 0 {
			s.descent.finish = passes(n, penalty.dim)
			s.reuse = reuseNear
		}
	}
	s.costs = costs{loss: &s.problem.Loss, terms: &s.state.terms, n: n, c: scale(p.C) / unit, unit: unit,
		weights: append([]float64(nil), p.Weights...)}
	s.costs.init()
	return s, nil
}

// furnish allocates what the second phase and re-solves need, unless it is there.
func (s *Solver) furnish() {
	if s.furnished() {
		return
	}
	a := &s.state
	n := len(a.z)
	s.slopes()
	a.force = newForce(s.arena, n, a.penalty.dim)
	if x, ok := a.x.(full); ok && x.Cols <= kernel.Width {
		a.force.most = 0
	}
	for k := range a.terms.kinked {
		a.terms.kinked[k].center = s.arena.vector(n)
	}
	s.newton = newNewton(s.arena, a, n)
	if s.reuse == reuseNear {
		s.near = newVicinity(s.arena, a, &s.descent, &s.newton)
	}
}

func (s *Solver) furnished() bool { return s.newton.state != nil }

// slopes allocates those of the smoothed loss, unless they are there.
func (s *Solver) slopes() {
	a, dual := &s.state, &s.sol.Dual
	if a.g != nil {
		return
	}
	a.dz, a.g = s.arena.scratch(len(a.z)), s.arena.scratch(len(a.z))
	switch { // the dual is written at the end, when h is not needed any more
	case dual.Lambda.Rows > 0:
		a.h = row(dual.Lambda, 0)
	case dual.Gamma.Rows > 0:
		a.h = row(dual.Gamma, 0)
	default:
		a.h = s.arena.vector(len(a.z))
	}
}

// steps gives descent room for those along curved terms: that of a Gram matrix of Newton steps,
// which is computed anew then, where there is one.
func (s *Solver) steps() {
	if m, ok := s.newton.hessian.(*gram); ok {
		m.forget()
		s.descent.steps = m.last
	} else if s.descent.steps == nil {
		s.descent.steps = s.arena.scratch(len(s.state.z))
	}
}

// Solve minimizes the objective. Errors: ctx.Err() with the best solution so far,
// ErrOptions, *InputError for a Warm of another shape and for numbers so far apart that
// what follows from them overflows. That a limit was reached is no error: see
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
	err = s.resolve(o)
	s.report()
	if overflow := s.overflow(); overflow != nil {
		return Solution{}, overflow
	}
	return s.sol, err
}

// Solve is New and Solver.Solve in memory that later calls use again, and without that which
// the first phase does not need where this one is enough.
func Solve(ctx context.Context, p Problem, o Options) (Solution, error) {
	from := arenas.Get().(*arena)
	defer arenas.Put(from)
	from.reset()
	s, err := newSolver(p, from)
	if err != nil {
		return Solution{}, err
	}
	if o.Warm != nil {
		s.furnish()
	}
	sol, err := s.Solve(ctx, o)
	for _, m := range []*blas64.General{&sol.Dual.Lambda, &sol.Dual.Gamma} {
		m.Data = append([]float64(nil), m.Data...) // without zeros before, unlike make and copy
	}
	return sol, err
}

// resolve begins with what the last solution left, where Warm is that one.
func (s *Solver) resolve(o Options) error {
	known := o.Warm != nil && s.owns(o.Warm) && s.chain >= 0 && s.chain < longest
	if known && s.reuse == reuseNear && o.Method == Automatic && s.costs.origin > s.costs.constant {
		s.chain++
		if s.near.again(o.Seed) {
			return nil
		}
	}
	from := s.start(o.Warm)
	if known && s.reuse == reuseScores {
		from = kept
	}
	err := s.run(o, from)
	switch {
	case err != nil || s.state.status != Solved || s.costs.origin == s.costs.constant:
		s.chain = -1
	case from == kept && s.limits.done.Passes == 0:
		s.chain++
	default:
		s.chain = 0
	}
	s.near.steps = s.limits.done.Newton > 0
	return err
}

// run takes one phase after the other.
func (s *Solver) run(o Options, from start) error {
	a := &s.state
	a.best.primal, a.lenient = inf, o.Method == DescentOnly
	if s.costs.origin == s.costs.constant && s.guard.zeroIsFeasible() {
		s.furnish()
		a.clear()
		return nil
	}
	separable := a.penalty.separable()
	if o.Method == DescentOnly && !separable {
		return fmt.Errorf("%w: DescentOnly with an L1 penalty or a free intercept", ErrOptions)
	}
	if o.Method == DescentOnly || o.Method == Automatic && separable && (len(a.terms.kinked) > 0 || from == cold && s.descent.strong()) {
		if done, err := s.descend(o, from); done {
			return err
		}
		from = warm
	}
	return s.ascend(from)
}

// descend is the phase of passes over the samples. It reports whether the solve ends with it.
func (s *Solver) descend(o Options, from start) (done bool, err error) {
	a := &s.state
	if len(a.terms.curved) > 0 {
		s.slopes()
		s.steps()
	}
	how, err := s.descent.descend(o.Seed, from != cold, o.Method == DescentOnly)
	if how == ended {
		if s.furnished() {
			a.settle()
			copy(s.near.anchor, a.beta)
		}
		return true, err
	}
	s.furnish()
	if how == isClose && s.near.complete() {
		return true, nil
	}
	a.terms.center()
	copy(s.guard.center, s.guard.xi)
	return false, nil
}

// ascend is the phase of Newton steps in the dual, the last one.
func (s *Solver) ascend(from start) error {
	a := &s.state
	s.furnish()
	if from == cold {
		a.terms.begin()
	}
	if from == kept {
		a.slacks()
	} else {
		a.rescore()
	}
	s.newton.widths(from != cold)
	status, err := s.newton.ascend()
	if status != Solved {
		a.refine()
		s.newton.repair()
		if status == Stalled {
			a.revalue() // the scores carry the rounding errors of all steps
			if a.relative() > interiorGap || !a.feasible() {
				status, err = s.inside().solve()
			}
		}
	}
	if a.status = status; status != Solved {
		a.lenient = true
		a.end(status, err, true)
	}
	copy(s.near.anchor, a.beta)
	return err
}

// report fills the solution.
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

// overflow returns an error where the solution, or the objective at zero that its gap is
// compared with, is no numbers, and forgets what was kept between solves.
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
	if s.furnished() {
		s.newton.hessian.forget()
	}
	return rangeError("Problem", -1, -1, "the sizes of its numbers are so far apart that the objective overflows")
}
