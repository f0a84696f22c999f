package convex

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
	"github.com/agepath/agepath/rehline"
)

// LinearSVM solves the weighted linear support vector machine
//
//	min ½‖w‖² + Σ_i v_i C max(0, 1 - y_i (x_i·w + b))
//
// by package rehline, and then exactly for the samples at the margin and on each side of it. The
// bias b is unpenalized, or absent (0); where no sample at the margin determines it, and with weights
// on one class, it is that of [SVM]. Without weights w = 0 and b is the mean score.
//
// The gap of its certificate is rehline's. KKT, the largest difference between scores by
// coefficients and by multipliers, relative to the latter's terms, is informative only: with
// features of very different sizes no float64 multipliers resolve the scores.
type LinearSVM struct {
	x         blas64.General // shifted by origin
	y         []float64
	c         float64
	origin    []float64 // subtracted from every row; may be nil
	solver    *rehline.Solver
	last      rehline.Solution // the solver owns its slices
	continues bool             // the next Solve starts from last, else from theta
	begun     bool

	weights  []float64
	alpha    []float64
	standing []Standing
	theta    []float64
	scores   []float64
	scored   bool
	start    []float64
	along    []float64
	exact    exact
}

// handOver is the relative duality gap first requested, which usually identifies the samples at the
// margin. linearGap is the final one, as alternate convex search converges no further than its
// solver.
const (
	handOver  = 1e-11
	linearGap = 1e-14
)

// NewLinearSVM keeps y, with labels of -1 and +1, and x, n x d, unless it centres x. It panics like
// [NewSVM].
func NewLinearSVM(x blas64.General, y []float64, c float64, intercept bool) (*LinearSVM, error) {
	checkSVM(x, y, c)
	n, d := x.Rows, x.Cols
	f := func(k int) []float64 { return make([]float64, k) }
	s := &LinearSVM{
		x: x, y: y, c: c, weights: f(n), alpha: f(n), standing: make([]Standing, n),
		theta: f(d + 1), scores: f(n), scored: true, start: f(d), along: f(n),
		exact: exact{beta: f(n), w: f(d)},
	}
	p := rehline.Problem{X: x, Loss: rehline.Hinge(y), C: c}
	if intercept {
		s.x, s.origin = Centred(x)
		p.X, p.Intercept = s.x, rehline.FreeIntercept
		for i := range n {
			s.exact.shift += kernel.Dot(s.row(i), s.row(i)) / float64(n)
		}
		if s.exact.shift == 0 {
			s.exact.shift = 1
		}
	}
	var err error
	if s.solver, err = rehline.New(p); err != nil {
		return nil, fmt.Errorf("svm: setting up: %w", err)
	}
	return s, nil
}

func (s *LinearSVM) Theta() []float64 { return s.theta }

// Duals returns the last solution's multipliers α_i >= 0. The next Solve overwrites the slice.
func (s *LinearSVM) Duals() []float64 { return s.alpha }

// Standing returns the position of multiplier i, by its margin, and if that is 1 by its value.
func (s *LinearSVM) Standing(i int) Standing { return s.standing[i] }

// SetTheta leaves duals and standings unchanged.
func (s *LinearSVM) SetTheta(theta []float64) {
	setTheta(s.theta, theta, s.origin != nil)
	s.scored, s.continues, s.begun = false, false, true
}

func (s *LinearSVM) Scores(dst []float64) {
	s.score()
	copy(dst, s.scores)
}

func (s *LinearSVM) score() {
	if s.scored {
		return
	}
	d := s.x.Cols
	s.predict(s.scores, s.theta[:d], s.theta[d]+s.atOrigin(s.theta[:d]))
	s.scored = true
}

func (s *LinearSVM) predict(dst, w []float64, b float64) {
	kernel.MulVec(dst, s.x.Data, s.x.Stride, w)
	for i := range dst {
		dst[i] += b
	}
}

func (s *LinearSVM) atOrigin(w []float64) (value float64) {
	for j, m := range s.origin {
		value += w[j] * m
	}
	return value
}

// Solve returns a [*ToleranceError] for a gap above [Tolerance].
func (s *LinearSVM) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	_, err := largestWeight(weights, len(s.y))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("svm: %w", err)
	}
	var class [2]bool
	for i, v := range weights {
		s.weights[i] = v
		class[0] = class[0] || s.c*v > 0 && s.y[i] < 0
		class[1] = class[1] || s.c*v > 0 && s.y[i] > 0
	}
	switch free := s.origin != nil; {
	case !class[0] && !class[1]:
		d := s.x.Cols
		s.settle(s.theta[d] + s.atOrigin(s.theta[:d])) // the mean score, which no shift of a column changes
		return Certificate{}, nil
	case free && !class[0]:
		s.settle(1)
		return Certificate{}, nil
	case free && !class[1]:
		s.settle(-1)
		return Certificate{}, nil
	}
	c, err := s.optimize(ctx, handOver)
	if err == nil && !s.take(&c) { // this one must finish: the last solution is lost
		c, err = s.optimize(context.WithoutCancel(ctx), linearGap)
		if err == nil && !s.take(&c) {
			s.place(0) // by margins alone, as multipliers are small or unreliable
			s.refine(&c)
		}
	}
	if err != nil {
		s.continues = false
		return c, err
	}
	return c, nil
}

// take reports whether rehline's last solution, now the current one, is exact.
func (s *LinearSVM) take(c *Certificate) bool {
	d := s.x.Cols
	copy(s.theta, s.last.Beta)
	s.theta[d] = s.last.Intercept - s.atOrigin(s.last.Beta)
	copy(s.alpha, s.last.Dual.Lambda.Data)
	s.predict(s.scores, s.last.Beta, s.last.Intercept)
	s.scored = true
	c.KKT = s.mismatch()
	s.place(nearly)
	return s.refine(c)
}

func (s *LinearSVM) settle(b float64) {
	clear(s.theta)
	clear(s.alpha)
	s.theta[s.x.Cols] = b
	for i := range s.scores {
		s.scores[i] = b
	}
	s.scored, s.continues, s.begun = true, false, true
	s.place(nearly)
}

// optimize requires a relative duality gap of [Tolerance], and tries for gap.
func (s *LinearSVM) optimize(ctx context.Context, gap float64) (Certificate, error) {
	if err := s.solver.SetWeights(s.weights); err != nil {
		return Certificate{}, fmt.Errorf("svm: weights: %w", err)
	}
	o := rehline.Options{Tol: gap}
	switch {
	case s.continues:
		o.Warm = &s.last
	case s.begun:
		d := s.x.Cols
		copy(s.start, s.theta)
		o.Warm = &rehline.Solution{Beta: s.start, Intercept: s.theta[d] + s.atOrigin(s.start)}
	}
	var err error
	if s.last, err = s.solver.Solve(ctx, o); err != nil {
		return Certificate{}, fmt.Errorf("svm: %w", err)
	}
	c := Certificate{Gap: s.last.Gap, Objective: s.last.Objective, Iterations: s.last.Iterations.Passes + s.last.Iterations.Newton}
	if !(c.Gap <= Tolerance) {
		return c, &ToleranceError{"svm", c}
	}
	s.continues, s.begun = true, true
	return c, nil
}

// place sets the standings; multipliers within part of a bound count as at the bound.
func (s *LinearSVM) place(part float64) {
	scale := 1.0
	for _, u := range s.scores {
		scale = max(scale, math.Abs(u))
	}
	for i, u := range s.scores {
		top, slack := s.c*s.weights[i], 1-s.y[i]*u
		switch {
		case slack > nearly*scale || slack > 0 && top == 0:
			s.standing[i] = AtUpper
		case slack < -nearly*scale || s.alpha[i] < part*top || top == 0:
			s.standing[i] = AtZero
		case s.alpha[i] > (1-part)*top:
			s.standing[i] = AtUpper
		default:
			s.standing[i] = Free
		}
	}
}

func (s *LinearSVM) mismatch() float64 {
	difference := s.start
	copy(difference, s.last.Beta)
	for i, a := range s.alpha {
		if a > 0 {
			kernel.Axpy(-a*s.y[i], s.row(i), difference)
		}
	}
	largest, scale := 0.0, 1.0
	for i, a := range s.alpha {
		if row := s.row(i); a > 0 {
			scale = max(scale, a*kernel.Dot(row, row))
		}
		largest = max(largest, math.Abs(kernel.Dot(s.row(i), difference)))
	}
	return largest / scale
}

func (s *LinearSVM) row(i int) []float64 { return s.x.Data[i*s.x.Stride:][:s.x.Cols] }
