package convex

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Logistic minimizes, over w in R^d and where asked an unpenalized intercept b,
//
//	½‖w‖² + Σ_i v_i C ln(1 + exp(-m_i)),    m_i = y_i (x_i·w + b).
//
// Newton's method with a line search along the Newton direction. Near the
// solution a Hessian is used for further steps as long as each divides the
// violation by 10. The Hessian is inverted in R^d or, for more than 2n/3
// features, where that is faster as measured, in R^n by the Woodbury identity.
//
// With σ_i = 1/(1 + exp(m_i)) the violation of w_j's condition is divided by
// |w_j| + Σ C v_i |x_ij| σ_i, the terms of its gradient, and that of b's by
// Σ C v_i σ_i; where there is an intercept x_ij is meant less a typical value of
// feature j. The gap is an upper bound on that to the dual point which a Newton
// step leads to, see gap.
type Logistic struct {
	design    design
	y         []float64
	c         float64
	intercept bool
	theta     []float64

	cost      []float64  // n, C v_i
	class     [2]float64 // Σ C v_i of the labels -1 and +1
	terms     []float64  // d, terms of the gradient by w
	loss      []float64  // n, derivative by x·w + b: -C v_i y_i σ_i
	curvature []float64  // n, second derivative
	score     []float64  // n, x·w + b
	now, best point
	step      point
	slope     []float64 // n, of score along step
	gradient  point
	hessian   hessian
	factored  []float64 // n, the curvatures of the hessian
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
	blas64.Axpy(t, vector(q.w), vector(p.w))
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
	p := &Logistic{
		design: newDesign(x, y, intercept), y: slices.Clone(y), c: c, intercept: intercept,
		theta: make([]float64, d+1), cost: make([]float64, n), terms: make([]float64, d),
		loss: make([]float64, n), curvature: make([]float64, n), score: make([]float64, n), slope: make([]float64, n), factored: make([]float64, n),
		now: newPoint(d), best: newPoint(d), step: newPoint(d), gradient: newPoint(d),
	}
	if 3*d > 2*n {
		p.hessian = newKernelHessian(&p.design, intercept)
	} else {
		p.hessian = newPrimalHessian(&p.design, intercept)
	}
	return p
}

// Theta implements [Solver]: d coefficients, then the intercept.
func (p *Logistic) Theta() []float64 { return p.theta }

// SetTheta implements [Solver]. Without an intercept the last entry is ignored.
func (p *Logistic) SetTheta(theta []float64) { setTheta(p.theta, theta, p.intercept) }

// Scores implements [Solver].
func (p *Logistic) Scores(dst []float64) {
	w := p.theta[:p.design.d]
	p.design.predict(dst, w, p.theta[p.design.d]+p.design.offset(w))
}

// Solve implements [Solver]. If all weights are 0 the coefficients become 0 and
// the intercept stays. With an intercept and weights on one class only it
// returns [ErrOneClass]. A solution short of [Tolerance] is a
// [*ToleranceError].
func (p *Logistic) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	top, err := largestWeight(weights, p.design.n)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("logistic regression: %w", err)
	}
	d := p.design.d
	if top == 0 {
		clear(p.theta[:d])
		return Certificate{}, nil
	}
	if err := p.prepare(weights); err != nil {
		return Certificate{}, fmt.Errorf("logistic regression: %w", err)
	}
	certificate, err := p.descend(ctx)
	if err != nil {
		return certificate, fmt.Errorf("logistic regression: %w", err)
	}
	if !(certificate.KKT <= Tolerance && certificate.Gap <= Tolerance) {
		return certificate, &ToleranceError{"logistic regression", certificate}
	}
	copy(p.theta, p.best.w)
	if p.intercept {
		p.theta[d] = p.best.b - p.design.offset(p.best.w)
	}
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
		p.now.b = p.theta[p.design.d] + p.design.offset(p.now.w)
	}
	return nil
}

// startAtZero starts from w = 0 with the best intercept, if that is better than
// the last solution.
func (p *Logistic) startAtZero() {
	b := 0.0
	if p.intercept {
		b = math.Log(p.class[1]) - math.Log(p.class[0])
	}
	if !(p.objective() <= p.class[1]*softplus(-b)+p.class[0]*softplus(b)) {
		clear(p.now.w)
		p.now.b = b
	}
}

// descend leaves the best point in p.best.
func (p *Logistic) descend(ctx context.Context) (Certificate, error) {
	const (
		steps = 500
		local = 1e-3 // violation below which steps are tried whole first
	)
	violation := p.evaluate()
	if !(violation <= local) {
		p.startAtZero()
		violation = p.evaluate()
	}
	p.best.set(p.now)
	iterations, reuse, done := 0, false, false
	for iterations < steps && violation > refined && !done {
		if err := ctx.Err(); err != nil {
			return Certificate{KKT: violation, Gap: math.NaN(), Iterations: iterations}, err
		}
		reused := reuse
		if !reuse && !p.factor() {
			break
		}
		iterations++
		p.hessian.solve(&p.step, p.gradient)
		next := violation
		if violation < local {
			next = p.wholeStep(violation)
		}
		switch {
		case next < violation:
			reuse = next <= violation/10
			done = !reused && next <= Tolerance && next > violation/2
		case reused:
			reuse = false
		case violation <= Tolerance:
			done = violation < 100*refined || !p.fallBack() // rounding
		default:
			t := p.search()
			p.now.add(-t, p.step)
			next = p.evaluate()
			p.best.set(p.now)
			reuse, done = false, t == 0 && !p.fallBack()
		}
		violation = next
	}
	p.now.set(p.best)
	violation = p.evaluate()
	objective := p.objective()
	gap := math.NaN()
	if iterations > 0 || p.factor() {
		gap = p.gap() / objective
	}
	return Certificate{KKT: violation, Gap: gap, Objective: objective, Iterations: iterations}, nil
}

// factor takes the Hessian at the point last evaluated.
func (p *Logistic) factor() bool {
	copy(p.factored, p.curvature)
	return p.hessian.factor(p.curvature) || p.fallBack()
}

// fallBack changes from solving in R^n, where features of very large norm can
// leave no digit of B but theirs, to solving in R^d. It reports whether there
// was a change to make, with the Hessian factored.
func (p *Logistic) fallBack() bool {
	if _, primal := p.hessian.(*primalHessian); primal {
		return false
	}
	p.hessian = newPrimalHessian(&p.design, p.intercept)
	return p.hessian.factor(p.curvature)
}

// wholeStep takes the step if that lowers the violation, else it stays. It
// returns the violation where it ends.
func (p *Logistic) wholeStep(violation float64) float64 {
	p.now.add(-1, p.step)
	if next := p.evaluate(); next < violation {
		p.best.set(p.now)
		return next
	}
	p.now.set(p.best)
	return p.evaluate()
}

// evaluate computes scores, derivatives and gradient at p.now and returns the
// violation of the optimality conditions.
func (p *Logistic) evaluate() float64 {
	p.design.predict(p.score, p.now.w, p.now.b)
	sum, size := 0.0, 0.0
	for i, c := range p.cost {
		p.loss[i], p.curvature[i] = 0, 0
		if c == 0 {
			continue
		}
		sigma, slope := sigmoid(-p.y[i] * p.score[i])
		p.loss[i], p.curvature[i] = -p.y[i]*c*sigma, c*slope
		sum += p.loss[i]
		size += c * sigma
	}
	violation := 0.0
	p.gradient.b = 0
	if p.intercept {
		p.gradient.b = sum
		violation = math.Abs(sum) / size
	}
	copy(p.gradient.w, p.now.w)
	p.design.correlate(p.gradient.w, p.loss)
	for j, w := range p.now.w {
		p.terms[j] = math.Abs(w) + absoluteDot(p.design.row(j), p.loss)
		if p.terms[j] != 0 { // NaN too
			violation = max(violation, math.Abs(p.gradient.w[j])/p.terms[j])
		}
	}
	return violation
}

// absoluteDot returns Σ |x_i y_i|.
func absoluteDot(x, y []float64) float64 {
	var a, b, c, d float64 // independent, so that additions overlap
	for len(x) >= 4 && len(y) >= 4 {
		a += math.Abs(x[0] * y[0])
		b += math.Abs(x[1] * y[1])
		c += math.Abs(x[2] * y[2])
		d += math.Abs(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += math.Abs(v * y[i])
	}
	return a + b + c + d
}

// sigmoid returns 1/(1 + exp(-z)) and its derivative, both to full relative
// accuracy.
func sigmoid(z float64) (value, slope float64) {
	e := math.Exp(-math.Abs(z))
	value = 1 / (1 + e)
	slope = e * value * value
	if z < 0 {
		value *= e
	}
	return value, slope
}

// softplus returns ln(1 + exp(z)).
func softplus(z float64) float64 {
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}

// objective returns the objective at p.now, whose scores must be known.
func (p *Logistic) objective() float64 { return p.objectiveAlong(0) }

// objectiveAlong is the objective at p.now - t p.step, for t > 0 from the
// slopes that search computes.
func (p *Logistic) objectiveAlong(t float64) float64 {
	value := 0.0
	for _, w := range p.now.w {
		value += w * w / 2
	}
	if t != 0 {
		w, s := vector(p.now.w), vector(p.step.w)
		value += t * (t*blas64.Dot(s, s)/2 - blas64.Dot(w, s))
	}
	for i, c := range p.cost {
		if c > 0 {
			value += c * softplus(-p.y[i]*(p.score[i]-t*p.slope[i]))
		}
	}
	return value
}

// search returns how much of the step to take: t > 0 at which the objective
// along it is lower and its derivative at most half as steep as at 0, or 0 if
// rounding hides the descent. The derivative increases with t, so that Newton's
// method between the bounds that its sign sets finds such a t.
func (p *Logistic) search() float64 {
	p.design.predict(p.slope, p.step.w, p.step.b)
	start, _ := p.derivatives(0)
	if !(start < 0) {
		return 0
	}
	low, high, t := 0.0, math.Inf(1), 1.0
	before := p.objective()
	for range 100 {
		first, second := p.derivatives(t)
		if math.Abs(first) <= -start/2 && (first <= 0 || p.objectiveAlong(t) < before) {
			return t
		}
		if first < 0 {
			low = t
		} else {
			high = t
		}
		next := t - first/second
		switch {
		case math.IsInf(high, 1):
			next = min(max(next, 1.5*t), 10*t)
		case !(next > low && next < high):
			next = (low + high) / 2
		}
		t = next
	}
	return low
}

// derivatives are the first and second of the objective by t at
// p.now - t p.step.
func (p *Logistic) derivatives(t float64) (first, second float64) {
	s := vector(p.step.w)
	second = blas64.Dot(s, s)
	first = t*second - blas64.Dot(vector(p.now.w), s)
	for i, c := range p.cost {
		if c == 0 {
			continue
		}
		sigma, slope := sigmoid(-p.y[i] * (p.score[i] - t*p.slope[i]))
		first += p.y[i] * c * sigma * p.slope[i]
		second += c * slope * p.slope[i] * p.slope[i]
	}
	return first, second
}

// gap bounds the duality gap at p.now, evaluated before, from above. The dual
// function is Σ C v_i H(a_i/(C v_i)) - ½‖Σ a_i y_i x_i‖² with the entropy H, for
// 0 <= a_i <= C v_i and, with an intercept, Σ a_i y_i = 0.
//
// Let the step s with the last Hessian change m_i by -t_i, and take
// a_i = C v_i σ_i + curvature_i t_i with that Hessian's curvatures. Then s
// solving the Newton equations says that Σ a_i y_i x_i = w - s.w and
// Σ a_i y_i = 0: the dual point is feasible, also where features differ in scale
// so much that C v_i σ_i would leave large gradients. The gap is ½‖s.w‖² plus
// C v_i times the Kullback-Leibler divergence of a_i/(C v_i) from σ_i, which the
// χ² divergence bounds.
func (p *Logistic) gap() float64 {
	p.hessian.solve(&p.step, p.gradient)
	p.design.predict(p.slope, p.step.w, p.step.b)
	gap := blas64.Dot(vector(p.step.w), vector(p.step.w)) / 2
	for i, t := range p.slope {
		change := p.factored[i] * t
		if change == 0 {
			continue
		}
		a := math.Abs(p.loss[i])
		if moved := a + p.y[i]*change; moved < 0 || moved > p.cost[i] {
			return math.Inf(1)
		}
		gap += change * change / p.curvature[i]
	}
	return gap
}
