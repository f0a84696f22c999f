package convex

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/anderson"
	"github.com/agepath/agepath/internal/kernel"
)

// Logistic minimizes, over w in R^d and where asked an unpenalized intercept b,
//
//	½‖w‖² + Σ_i v_i C ln(1 + exp(-m_i)),    m_i = y_i (x_i·w + b).
//
// Newton's method with a line search along the Newton direction. Near the
// solution a Hessian is used for further steps, and for the solves after it, as
// long as its steps get on faster than those with a new one, which costs as much
// as several: Anderson acceleration makes up for what it is wrong by, and what it
// has learned of that serves the next solves, too. A solve that begins near its
// solution ends when it has divided the violation by 10⁶, so that alternation,
// whose solves begin nearer and nearer, gets as exact as rounding allows. The
// Hessian is inverted in R^d or, for more than 2n/3 features, where that is faster
// as measured, in R^n by the Woodbury identity.
//
// With σ_i = 1/(1 + exp(m_i)) the violation of w_j's condition is divided by
// |w_j| + Σ C v_i |x_ij| σ_i, the terms of its gradient, and that of b's by
// Σ C v_i σ_i; where there is an intercept x_ij is meant less a typical value of
// feature j. The gap is an upper bound: on that to the dual point C v_i σ_i,
// scaled for the intercept (see nearGap), or where this is not good enough to the
// one which a Newton step leads to (see gap).
type Logistic struct {
	rows      rows
	y         []float64
	c         float64
	intercept bool
	theta     []float64

	cost      []float64  // n, C v_i
	class     [2]float64 // Σ C v_i of the labels -1 and +1
	pull      [2]float64 // Σ C v_i σ_i of the labels -1 and +1
	terms     []float64  // d, terms of the gradient by w
	value     []float64  // n, ln(1 + exp(-m_i))
	loss      []float64  // n, derivative by x·w + b: -C v_i y_i σ_i
	curvature []float64  // n, second derivative
	size      []float64  // one block: |loss|
	score     []float64  // n, x·w + b
	scored    bool       // score is theta's
	now, best point
	step      point
	slope     []float64 // n, of score along step
	gradient  point
	hessian   hessian
	factored  []float64 // n, the curvatures of the hessian
	kept      bool      // there is one
	mixer     *anderson.Mixer
	mixed     []float64 // d + 1: the step with that of b

	trial trial
}

// trial is a point along the step.
type trial struct {
	score, value, loss, curvature []float64 // n
}

// point is w with the intercept of the shifted features.
type point struct {
	w []float64
	b float64
}

func newPoint(d int) point { return point{w: make([]float64, d)} }

func (p *point) set(q point) {
	copy(p.w, q.w)
	p.b = q.b
}

func (p *point) add(t float64, q point) {
	kernel.Axpy(t, q.w, p.w)
	p.b += t * q.b
}

// hessian solves with the Hessian I + Σ curvature_i x_i x_iᵀ, bordered where
// there is an intercept.
type hessian interface {
	// factor takes the curvatures and reports whether the Hessian is positive
	// definite.
	factor(curvature []float64) bool
	// solve writes the solution for the right-hand side rhs into dst.
	solve(dst *point, rhs point)
}

// NewLogistic sets up logistic regression for the n x d samples x, which it
// copies, with labels y of -1 and +1. It panics if the lengths do not match, on
// other labels and if c is not positive and finite.
func NewLogistic(x blas64.General, y []float64, c float64, intercept bool) *Logistic {
	if !(c > 0) || math.IsInf(c, 1) {
		panic(fmt.Sprintf("convex: logistic regression with C = %v", c))
	}
	for i, label := range y {
		if label != 1 && label != -1 {
			panic(fmt.Sprintf("convex: label %d is %v, want -1 or +1", i, label))
		}
	}
	n, d := x.Rows, x.Cols
	f := func(k int) []float64 { return make([]float64, k) }
	p := &Logistic{
		rows: newRows(x, y, intercept), y: slices.Clone(y), c: c, intercept: intercept,
		theta: f(d + 1), cost: f(n), terms: f(d),
		value: f(n), loss: f(n), curvature: f(n), score: f(n), slope: f(n), factored: f(n),
		now: newPoint(d), best: newPoint(d), step: newPoint(d), gradient: newPoint(d),
		mixer: anderson.New(d + 1), mixed: f(d + 1), trial: trial{f(n), f(n), f(n), f(n)},
	}
	p.size = f(p.rows.block())
	if 3*d > 2*n {
		p.hessian = newKernelHessian(&p.rows, intercept)
	} else {
		p.hessian = newPrimalHessian(&p.rows, intercept)
	}
	return p
}

// Theta implements [Solver]: d coefficients, then the intercept.
func (p *Logistic) Theta() []float64 { return p.theta }

// SetTheta implements [Solver]. Without an intercept the last entry is ignored.
func (p *Logistic) SetTheta(theta []float64) {
	setTheta(p.theta, theta, p.intercept)
	p.scored = false
}

// Scores implements [Solver].
func (p *Logistic) Scores(dst []float64) {
	p.predict()
	copy(dst, p.score)
}

// predict makes score theta's.
func (p *Logistic) predict() {
	if !p.scored {
		w := p.theta[:p.rows.d]
		p.rows.predict(p.score, w, p.theta[p.rows.d]+p.rows.offset(w))
		p.scored = true
	}
}

// Solve implements [Solver]. If all weights are 0 the coefficients become 0 and
// the intercept stays. With an intercept and weights on one class only it
// returns [ErrOneClass]. A solution short of [Tolerance] is a
// [*ToleranceError].
func (p *Logistic) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	top, err := largestWeight(weights, p.rows.n)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("logistic regression: %w", err)
	}
	d := p.rows.d
	if top == 0 {
		clear(p.theta[:d])
		p.scored = false
		return Certificate{}, nil
	}
	if err := p.prepare(weights); err != nil {
		return Certificate{}, fmt.Errorf("logistic regression: %w", err)
	}
	p.predict()
	p.scored = false
	certificate, err := p.descend(ctx)
	if err != nil {
		return certificate, fmt.Errorf("logistic regression: %w", err)
	}
	if !(certificate.KKT <= Tolerance && certificate.Gap <= Tolerance) {
		return certificate, &ToleranceError{"logistic regression", certificate}
	}
	copy(p.theta, p.best.w)
	if p.intercept {
		p.theta[d] = p.best.b - p.rows.offset(p.best.w)
	}
	p.scored = true
	return certificate, nil
}

// prepare states the problem for the weights and starts from the last
// solution.
func (p *Logistic) prepare(weights []float64) error {
	p.class = [2]float64{}
	for i, v := range weights {
		p.cost[i] = p.c * v
		if p.y[i] > 0 {
			p.class[1] += p.cost[i]
		} else {
			p.class[0] += p.cost[i]
		}
	}
	if p.intercept && (p.class[0] == 0 || p.class[1] == 0) {
		return ErrOneClass
	}
	copy(p.now.w, p.theta)
	p.now.b = 0
	if p.intercept {
		p.now.b = p.theta[p.rows.d] + p.rows.offset(p.now.w)
	}
	return nil
}

// evaluate computes scores, losses, derivatives and gradient at p.now and returns
// the violation of the optimality conditions.
func (p *Logistic) evaluate() float64 { return p.derive(true) }

// derive is evaluate where the scores are known unless they are to be predicted.
func (p *Logistic) derive(predict bool) float64 {
	p.pull = [2]float64{}
	copy(p.gradient.w, p.now.w)
	for j, w := range p.now.w {
		p.terms[j] = math.Abs(w)
	}
	for from, step := 0, len(p.size); from < p.rows.n; from += step {
		to := min(from+step, p.rows.n)
		x, score := p.rows.from(from), p.score[from:to]
		if predict {
			kernel.MulVec(score, x, p.rows.stride, p.now.w)
			for i := range score {
				score[i] += p.now.b
			}
		}
		kernel.Logistic(score, p.y[from:to], p.value[from:to], p.loss[from:to], p.curvature[from:to])
		p.weigh(from, to)
		kernel.MulTransAdd(p.gradient.w, x, p.rows.stride, p.loss[from:to])
		kernel.MulTransAddAbs(p.terms, x, p.rows.stride, p.size[:to-from])
	}
	violation := 0.0
	p.gradient.b = 0
	if p.intercept {
		p.gradient.b = p.pull[0] - p.pull[1]
		violation = math.Abs(p.gradient.b) / (p.pull[0] + p.pull[1])
	}
	for j, g := range p.gradient.w {
		if p.terms[j] != 0 { // NaN too
			violation = max(violation, math.Abs(g)/p.terms[j])
		}
	}
	return violation
}

// weigh multiplies the derivatives of the block's losses by their costs and adds
// their sizes to the sums.
func (p *Logistic) weigh(from, to int) {
	cost, y := p.cost[from:to], p.y[from:to]
	loss, curvature, size := p.loss[from:to], p.curvature[from:to], p.size[:to-from]
	for i, c := range cost {
		if c == 0 { // whatever the score
			loss[i], curvature[i], size[i] = 0, 0, 0
			continue
		}
		loss[i] *= c
		curvature[i] *= c
		size[i] = math.Abs(loss[i])
		if y[i] > 0 {
			p.pull[1] += size[i]
		} else {
			p.pull[0] += size[i]
		}
	}
}

// objective returns the objective at p.now, evaluated before.
func (p *Logistic) objective() float64 { return p.penalty(0) + p.total(p.value) }

// penalty returns ½‖w‖² at p.now - t p.step.
func (p *Logistic) penalty(t float64) float64 {
	value := kernel.Dot(p.now.w, p.now.w) / 2
	if t != 0 {
		value += t * (t*kernel.Dot(p.step.w, p.step.w)/2 - kernel.Dot(p.now.w, p.step.w))
	}
	return value
}

// total returns the weighted sum of the losses given.
func (p *Logistic) total(losses []float64) (sum float64) {
	for i, c := range p.cost {
		if c > 0 {
			sum += c * losses[i]
		}
	}
	return sum
}
