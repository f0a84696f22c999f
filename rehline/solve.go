package rehline

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/agepath/agepath/rehline/internal/kernel"
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

	pure     bool    // no ridge
	ridge    float64 // without a ridge the unit of the objective
	constant float64 // cost of terms that do not depend on the score, divided by the ridge
	offset   float64 // Σ C w_i Offset_i
	origin   float64 // the objective at zero, divided by the ridge
	weights  []float64
	c        float64

	kinked []kinked
	curved []curved

	beta   []float64 // dim: coefficients, then the intercept
	bend   []float64 // dim: 1, or 0 for a free intercept: curvature of the penalty, or of the proximal term without a ridge
	anchor []float64 // dim: where the penalty is least; moves without a ridge, else 0
	l1     []float64 // dim, divided by the ridge; nil without
	z      []float64 // n: scores
	dz     []float64 // n: their change along the step
	g, h   []float64 // n: slopes and second derivatives of the smoothed loss
	v      []float64 // dim: Aᵀξ - Xᵀg
	grad   []float64 // dim: gradient of the smoothed objective
	step   []float64 // dim
	newton newton
	limits limits
	guard  constraints

	descent descent
	warm    bool // the centers are multipliers of an earlier solution
	sums    sums
	point   point
	sol     Solution
}

// New checks p and sets up a Solver. Errors: *InputError, *InfeasibleError.
func New(p Problem) (*Solver, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	n, d := p.size()
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
	for _, v := range []*[]float64{&s.z, &s.dz, &s.g, &s.h} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&s.beta, &s.bend, &s.anchor, &s.v, &s.grad, &s.step} {
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
	if p.Weights != nil {
		s.weights = append([]float64(nil), p.Weights...)
	}
	s.newton.init(n, s.dim)
	if s.descends() {
		s.descent.init(s)
	}
	s.weigh()
	s.sol = Solution{
		Beta: make([]float64, d),
		Dual: Dual{
			Lambda: newMatrix(p.Loss.U.Rows, n),
			Gamma:  newMatrix(p.Loss.S.Rows, n),
			Xi:     make([]float64, s.k),
		},
	}
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

// SetWeights replaces the weights of the samples, n values >= 0 that are
// copied, or nil for ones.
func (s *Solver) SetWeights(w []float64) error {
	if err := checkWeights("Weights", w, s.n); err != nil {
		return err
	}
	if w == nil {
		s.weights = nil
		s.weigh()
		return nil
	}
	if len(s.weights) != s.n {
		s.weights = make([]float64, s.n)
	}
	copy(s.weights, w)
	s.weigh()
	return nil
}

// SetC replaces the cost C >= 0; 0 is 1.
func (s *Solver) SetC(c float64) error {
	if err := checkScale("C", c); err != nil {
		return err
	}
	s.c = scale(c)
	s.weigh()
	return nil
}

// weigh sets the terms' bounds for the weights and C, and what follows from them.
func (s *Solver) weigh() {
	c := s.c / s.ridge
	cost := func(i int) float64 { return c }
	if s.weights != nil {
		cost = func(i int) float64 { return c * s.weights[i] }
	}
	s.constant, s.offset, s.origin = 0, 0, 0
	for i := range s.kinked {
		s.constant += s.kinked[i].weigh(&s.problem.Loss, cost)
	}
	for i := range s.curved {
		s.constant += s.curved[i].weigh(&s.problem.Loss, cost)
	}
	for i, o := range s.problem.Loss.Offset {
		s.offset += cost(i) * s.ridge * o
	}
	s.origin = s.constant
	for i := range s.kinked {
		s.origin += s.kinked[i].atZero()
	}
	for i := range s.curved {
		s.origin += s.curved[i].atZero()
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
	if err := s.start(o.Warm); err != nil {
		return Solution{}, err
	}
	err := s.run(o)
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

// run leaves the answer in the point.
func (s *Solver) run(o Options) error {
	if s.origin == s.constant && s.guard.zeroIsFeasible() {
		s.rest()
		return nil
	}
	if o.Method == DescentOnly && !s.descends() {
		return fmt.Errorf("%w: DescentOnly with an L1 penalty or a free intercept", ErrOptions)
	}
	if o.Method == DescentOnly || o.Method == Automatic && s.descent.pays(s) {
		done, err := s.descend(o.Seed, o.Method == DescentOnly)
		if done || err != nil {
			return err
		}
		s.warm = true
	}
	return s.ascend()
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

// forces sets v = Aᵀξ - Xᵀg; its last entry is -Σ g with an intercept.
func (s *Solver) forces() {
	clear(s.v)
	s.x.mulTransAdd(s.v[:s.d], s.g)
	for j := range s.v[:s.d] {
		s.v[j] = -s.v[j]
	}
	if s.dim > s.d {
		var t float64
		for _, g := range s.g {
			t += g
		}
		s.v[s.d] = -t
	}
	if s.k > 0 {
		kernel.MulTransAdd(s.v[:s.d], s.guard.a.Data, s.guard.a.Stride, s.guard.xi)
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
