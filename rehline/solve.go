package rehline

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Solver solves one Problem again and again, with other weights, costs and
// starts. New does everything that depends on the features alone and allocates
// all memory; after it Solve allocates nothing. A Solver is not safe for use by
// several goroutines at a time.
type Solver struct {
	problem Problem
	x       features
	n, d, k int
	dim     int // d, plus one with an intercept

	pure     bool      // no ridge
	ridge    float64   // without a ridge the unit of the objective
	constant float64   // cost of terms that do not depend on the score, divided by the ridge
	level    bool      // there are such terms
	offset   float64   // Σ C w_i Offset_i
	origin   float64   // the objective at zero, divided by the ridge
	most     float64   // the largest origin since it was summed anew
	weighed  int       // samples whose weight changed since then
	weights  []float64 // n; empty for ones
	c        float64

	kinked []kinked
	curved []curved

	beta   []float64 // dim: coefficients, then the intercept
	bend   []float64 // dim: 1, or 0 for a free intercept: curvature of the penalty, or of the proximal term without a ridge
	anchor []float64 // dim: where the penalty is least; moves without a ridge, else 0
	l1     []float64 // dim, divided by the ridge; nil without
	z      []float64 // n: scores
	dz     []float64 // n: their change along the step
	g, h   []float64 // n: slopes and second derivatives of the smoothed loss; h is in sol.Dual
	v      []float64 // dim: Aᵀξ - Xᵀg
	grad   []float64 // dim: gradient of the smoothed objective
	step   []float64 // dim
	force  force
	newton newton
	limits limits
	guard  constraints

	descent descent
	near    vicinity
	base    []float64 // dim: force of samples left out, in the Solver of near ones
	ball    ball      // the same
	warm    bool      // the centers are multipliers of an earlier solution
	fresh   bool      // the scores and the force of the loss are those of β and g
	sums    sums
	point   point
	best    best
	sol     Solution
}

// New checks p and sets up a Solver. Errors: *InputError, *InfeasibleError.
func New(p Problem) (*Solver, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	n, d := p.Size()
	s := &Solver{problem: p, n: n, d: d, dim: d, k: p.Constraints.A.Rows, pure: p.NoRidge, ridge: scale(p.Ridge), c: scale(p.C)}
	if p.Sparse != nil {
		s.x = sparse{p.Sparse}
	} else {
		s.x = dense{p.X}
	}
	if p.Intercept != NoIntercept {
		s.dim++
	}
	s.kinked, s.curved = newTerms(&p.Loss, n)
	s.sol = Solution{
		Beta: make([]float64, d),
		Dual: Dual{
			Lambda: newMatrix(p.Loss.U.Rows, n),
			Gamma:  newMatrix(p.Loss.S.Rows, n),
			Xi:     make([]float64, s.k),
		},
	}
	switch dual := &s.sol.Dual; { // which is written at the end, when h is not needed any more
	case dual.Lambda.Rows > 0:
		s.h = row(dual.Lambda, 0)
	case dual.Gamma.Rows > 0:
		s.h = row(dual.Gamma, 0)
	default:
		s.h = make([]float64, n)
	}
	for _, v := range []*[]float64{&s.z, &s.dz, &s.g} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&s.beta, &s.bend, &s.anchor, &s.v, &s.grad, &s.step, &s.best.beta} {
		*v = make([]float64, s.dim)
	}
	s.rein(1)
	if s.pure {
		s.ridge = s.unit()
	}
	s.penalize()
	if err := s.guard.init(&p.Constraints, d); err != nil {
		return nil, err
	}
	s.weights = append([]float64(nil), p.Weights...)
	s.newton.init(n, s.dim)
	s.force = newForce(s.dim)
	if s.descends() {
		s.descent.init(s)
	}
	s.near.init(s)
	for i := range n {
		s.weigh(i)
		s.level = s.level || s.flat(i) > 0
	}
	s.sum()
	return s, nil
}

// penalize copies the L1 weights, where one is not zero.
func (s *Solver) penalize() {
	for j, r := range s.problem.L1 {
		if r > 0 {
			if s.l1 == nil {
				s.l1 = make([]float64, s.dim)
			}
			s.l1[j] = r / s.ridge
		}
	}
}

// Solve minimizes the objective. Errors: ctx.Err() with the best solution so
// far, ErrOptions, *InputError for a Warm of another shape and for numbers so far
// apart that what follows from them overflows. That a limit was
// reached is no error: see Solution.Status.
func (s *Solver) Solve(ctx context.Context, o Options) (Solution, error) {
	if err := s.limits.init(ctx, o); err != nil {
		return Solution{}, err
	}
	if o.Warm != nil {
		if err := s.fits(o.Warm); err != nil {
			return Solution{}, err
		}
	}
	err := s.resolve(o)
	s.report()
	if overflow := s.overflow(); overflow != nil {
		return Solution{}, overflow
	}
	return s.sol, err
}

// resolve begins with what the last solution left, where Warm is that one.
func (s *Solver) resolve(o Options) error {
	n := &s.near
	known := o.Warm != nil && s.owns(o.Warm) && n.holds()
	if known && n.inner != nil && o.Method == Automatic && s.origin > s.constant {
		n.chain++
		if s.again(o.Seed) {
			return nil
		}
		n.chain = -1
	}
	s.fresh = known && n.inner == nil && !s.pure
	s.start(o.Warm)
	err := s.run(o)
	n.keep(s)
	return err
}

// Solve is New and Solver.Solve.
func Solve(ctx context.Context, p Problem, o Options) (Solution, error) {
	s, err := New(p)
	if err != nil {
		return Solution{}, err
	}
	return s.Solve(ctx, o)
}

// run leaves the answer in the point.
func (s *Solver) run(o Options) error {
	s.best.primal = inf
	if s.origin == s.constant && s.guard.zeroIsFeasible() {
		s.rest()
		return nil
	}
	if o.Method == DescentOnly && !s.descends() {
		return fmt.Errorf("%w: DescentOnly with an L1 penalty or a free intercept", ErrOptions)
	}
	if o.Method == DescentOnly || o.Method == Automatic && s.descent.pays(s) {
		s.fresh = false
		done, err := s.descend(o.Seed, o.Method == DescentOnly)
		if done || err != nil {
			s.settle()
			copy(s.near.anchor, s.beta)
			return err
		}
		if s.descent.close && s.finish() {
			return nil
		}
		s.recall()
	}
	err := s.ascend()
	copy(s.near.anchor, s.beta)
	return err
}

// scores sets z = X β + b0.
func (s *Solver) scores(z, beta []float64) {
	s.x.mulVec(z, beta[:s.d])
	if s.dim > s.d {
		b := beta[s.d]
		for i := range z {
			z[i] += b
		}
	}
}

// limits say when to stop.
type limits struct {
	ctx      context.Context
	tol      float64
	feasible float64
	passes   int
	began    time.Time
	time     time.Duration
	progress func(Progress)
	done     Iterations
}

func (l *limits) init(ctx context.Context, o Options) error {
	if !(o.Tol >= 0) || math.IsInf(o.Tol, 1) {
		return fmt.Errorf("%w: Tol %g; it is >= 0", ErrOptions, o.Tol)
	}
	if o.MaxPasses < 0 || o.MaxTime < 0 {
		return fmt.Errorf("%w: MaxPasses %d, MaxTime %v; they are >= 0", ErrOptions, o.MaxPasses, o.MaxTime)
	}
	if o.Method > NewtonOnly {
		return fmt.Errorf("%w: Method %d", ErrOptions, o.Method)
	}
	*l = limits{ctx: ctx, tol: o.Tol, passes: o.MaxPasses, began: time.Now(), time: o.MaxTime, progress: o.Progress}
	if l.tol == 0 {
		l.tol = DefaultTol
	}
	if l.passes == 0 {
		l.passes = 100_000
	}
	l.feasible = min(l.tol, 1e-6)
	return nil
}

// reached tells whether to stop for another reason than the gap.
func (l *limits) reached() (Status, error) {
	if err := l.ctx.Err(); err != nil {
		return TimeLimit, err
	}
	if l.done.Passes+l.done.Newton >= l.passes {
		return PassLimit, nil
	}
	if l.time > 0 && time.Since(l.began) >= l.time {
		return TimeLimit, nil
	}
	return 0, nil
}
