// Package search is alternate convex search.
package search

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/convex"
)

// Search is alternate convex search (ACS), see gaga.Alternation. It owns the slices it returns.
type Search struct {
	problem *model.Problem
	solver  convex.Solver
	theta   []float64
	scores  []float64
	losses  []float64
	slopes  []float64
	bends   []float64
	fitted  []float64
	weights []float64 // fitted times multiplicities; nil if all are 1

	weighed    float64 // age of the next three; 0 if the solution is newer
	thresholds []float64
	zone       []uint8
	reweighed  []float64

	certificate convex.Certificate
	change      float64
}

// New returns a search for a problem by a solver of its weighted problems.
func New(p *model.Problem, solver convex.Solver) *Search {
	f := func(k int) []float64 { return make([]float64, k) }
	s := &Search{
		problem: p, solver: solver, theta: f(p.X.Cols + 1), scores: f(p.N), losses: f(p.N),
		fitted: f(p.N), thresholds: f(p.Thresholds()), zone: make([]uint8, p.N), reweighed: f(p.N),
	}
	if p.Kernel != nil {
		s.theta = f(p.N + 1)
	}
	for _, m := range p.M {
		if m != 1 {
			s.weights = f(p.N)
			break
		}
	}
	if _, ok := p.Loss.(model.VectorLoss); ok {
		s.slopes, s.bends = f(p.N), f(p.N)
	}
	return s
}

func (s *Search) FitAll(ctx context.Context) error {
	for i := range s.fitted {
		s.fitted[i] = 1
	}
	return s.fit(ctx)
}

// Fit fits the problem with N weights >= 0, see gaga.Alternation.
func (s *Search) Fit(ctx context.Context, weights []float64) error {
	copy(s.fitted, weights)
	return s.fit(ctx)
}

func (s *Search) fit(ctx context.Context) error {
	weights := s.fitted
	if s.weights != nil {
		weights = s.weights
		for i, m := range s.problem.M {
			weights[i] = s.fitted[i] * m
		}
	}
	s.weighed, s.change = 0, 0
	var err error
	if s.certificate, err = s.solver.Solve(ctx, weights); err != nil {
		return fmt.Errorf("gaga: weighted fit: %w", err)
	}
	s.solver.Scores(s.scores)
	return nil
}

// Step makes one step, see gaga.Alternation. Its error also wraps [convex.ErrOneClass] if the
// solver fails with almost no weight left on one class.
func (s *Search) Step(ctx context.Context, age float64) (change float64, err error) {
	s.Weigh(age)
	s.fitted, s.reweighed = s.reweighed, s.fitted
	if err := s.fit(ctx); err != nil {
		var short *convex.ToleranceError
		if errors.As(err, &short) && s.LosesClass() {
			err = fmt.Errorf("%w; %w", err, convex.ErrOneClass)
		}
		return 0, err
	}
	s.Weigh(age)
	for i, v := range s.reweighed {
		if c := math.Abs(v - s.fitted[i]); !(c <= change) {
			change = c
		}
	}
	s.change = change
	return change, nil
}

// Theta returns the solution with an entry for the intercept, 0 if the problem has none.
func (s *Search) Theta() []float64 { return s.solver.Theta() }

// SetTheta makes theta the current solution; the intercept may be missing if the problem has none.
func (s *Search) SetTheta(theta []float64) {
	s.weighed = 0
	s.solver.SetTheta(s.whole(theta))
	s.solver.Scores(s.scores)
}

func (s *Search) whole(theta []float64) []float64 {
	s.theta[len(s.theta)-1] = 0
	copy(s.theta, theta)
	return s.theta
}

// StartAt is SetTheta with known predictors, by which a kernel machine decides which multipliers
// are at a bound.
func (s *Search) StartAt(theta, scores []float64) {
	svm, ok := s.solver.(*convex.SVM)
	if !ok {
		s.SetTheta(theta)
		return
	}
	svm.SetScores(scores, s.whole(theta)[len(s.theta)-1])
	s.Guess(scores)
}

// Guess gives the predictors by which the next step weighs the samples; its fit starts as usual.
func (s *Search) Guess(scores []float64) {
	s.weighed = 0
	copy(s.scores, scores)
}

func (s *Search) Scores() []float64 { return s.scores }

func (s *Search) Losses(dst []float64) {
	s.lose()
	copy(dst, s.losses)
}

func (s *Search) lose() {
	p, y := s.problem, s.problem.Y
	vector, ok := p.Loss.(model.VectorLoss)
	switch {
	case p.Squared: // Eval inlined
		for i, u := range s.scores {
			r := u - y[i]
			s.losses[i] = r * r
		}
	case p.Kinked():
		for i, u := range s.scores {
			s.losses[i] = max(0, p.Cost*(1-y[i]*u))
		}
	case ok:
		vector.EvalAll(s.scores, y, s.losses, s.slopes, s.bends)
	default:
		for i, u := range s.scores {
			s.losses[i], _, _ = p.Loss.Eval(u, y[i])
		}
	}
}

// Weigh computes losses, zones and weights at the current solution.
func (s *Search) Weigh(age float64) {
	if s.weighed == age {
		return
	}
	s.weighed = age
	s.lose()
	p := s.problem
	p.ThresholdsAt(s.thresholds, age)
	for i, loss := range s.losses {
		zone := p.Among(s.thresholds, loss)
		s.zone[i] = uint8(zone)
		s.reweighed[i], _, _ = p.Regularizer.Weight(zone, loss, age)
	}
}

// Zone returns the regularizer's zones at the last Weigh.
func (s *Search) Zone() []uint8 { return s.zone }

// Fitted returns the weights of the last fit, without multiplicities.
func (s *Search) Fitted() []float64 { return s.fitted }

func (s *Search) Thresholds() []float64 { return s.thresholds }

// Discards reports whether the current solution gives every sample weight 0.
func (s *Search) Discards(age float64) bool {
	s.Weigh(age)
	for _, v := range s.reweighed {
		if v > 0 {
			return false
		}
	}
	return true
}

// Unfit reports whether the current solution leaves too few samples for a fit: none, or one class
// if both are needed.
func (s *Search) Unfit(age float64) bool {
	if s.Discards(age) {
		return true
	}
	if !s.problem.NeedsBoth() {
		return false
	}
	small, _ := Classes(s.reweighed, s.problem.Y)
	return !(small > 0)
}

// LosesClass reports whether the last fit had almost no weight on a required class, which may be
// beyond the solver's precision.
func (s *Search) LosesClass() bool {
	if !s.problem.NeedsBoth() {
		return false
	}
	small, large := Classes(s.fitted, s.problem.Y)
	return small < tolerance.KKT*large
}

// Classes returns the smaller and the larger sum of weights of the two classes.
func Classes(weights, y []float64) (small, large float64) {
	for i, w := range weights {
		if y[i] > 0 {
			small += w
		} else {
			large += w
		}
	}
	return math.Min(small, large), math.Max(small, large)
}

func (s *Search) Certificate() convex.Certificate { return s.certificate }

// Change returns the largest change of a weight in the last step; 0 after a fit.
func (s *Search) Change() float64 { return s.change }

func (s *Search) Penalty() (sum float64) {
	p, theta := s.problem, s.Theta()
	if p.Kernel == nil {
		return p.Penalty.Value(theta)
	}
	for j, alpha := range theta[:p.N] { // ‖w‖² = Σ_i α_i y_i (f(x_i) - b)
		sum += 0.5 * p.L2[j] * alpha * p.Y[j] * (s.scores[j] - theta[p.N])
	}
	return sum
}

// Objective returns the implicit objective.
func (s *Search) Objective(age float64) float64 {
	return s.Penalty() + s.problem.Integrals(s.scores, age)
}

type machine interface {
	Standing(i int) convex.Standing
	Duals() []float64
}

// Standing returns the position of sample i's multiplier in a support vector machine's last fit.
func (s *Search) Standing(i int) (convex.Standing, bool) {
	m, ok := s.solver.(machine)
	if !ok {
		return 0, false
	}
	return m.Standing(i), true
}

// Duals returns the N multipliers of a support vector machine's last fit, each at most the bound of
// its hinge loss times its weight; nil for other problems.
func (s *Search) Duals() []float64 {
	if m, ok := s.solver.(machine); ok {
		return m.Duals()
	}
	return nil
}

// FirstWhere returns by bisection an age in [lo, hi] just above the first from which on a condition
// holds; hi if none is found.
func FirstWhere(holds func(age float64) bool, lo, hi float64) float64 {
	if holds(lo) {
		return lo
	}
	for {
		mid := 0.5 * (lo + hi)
		switch {
		case hi-lo <= tolerance.FirstAge*hi || mid <= lo || mid >= hi:
			return hi
		case holds(mid):
			hi = mid
		default:
			lo = mid
		}
	}
}
