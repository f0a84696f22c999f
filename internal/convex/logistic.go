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
// violation by 10. The Hessian is inverted in R^d, or in R^n by the Woodbury
// identity where samples are fewer than features, see newKernelHessian.
//
// With σ_i = 1/(1 + exp(m_i)), ‖z‖_c² = Σ C v_i z_i², the violation of w_j's
// condition is divided by |w_j| + ‖x_j‖_c ‖σ‖_c, the terms of its gradient
// w_j - Σ C v_i y_i x_ij σ_i, that of b's condition by ‖1‖_c ‖σ‖_c. The gap is
// that to the dual point a_i = C v_i σ_i, where with an intercept those of one
// class are scaled down to meet the constraint Σ a_i y_i = 0.
type Logistic struct {
	design    design
	y         []float64
	c         float64
	intercept bool
	theta     []float64

	cost      []float64 // n, C v_i
	norm      []float64 // d, ‖x_j‖_c
	total     float64   // Σ C v_i
	loss      []float64 // n, derivative by x·w + b: -C v_i y_i σ_i
	curvature []float64 // n, second derivative
	score     []float64 // n, x·w + b
	now, best point
	step      point
	slope     []float64 // n, of score along step
	gradient  point
	hessian   hessian
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
		theta: make([]float64, d+1), cost: make([]float64, n), norm: make([]float64, d),
		loss: make([]float64, n), curvature: make([]float64, n), score: make([]float64, n), slope: make([]float64, n),
		now: newPoint(d), best: newPoint(d), step: newPoint(d), gradient: newPoint(d),
	}
	if d > n {
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

// prepare states the problem for the weights, and starts from the last solution
// or, where that is better, from w = 0 with the best intercept.
func (p *Logistic) prepare(weights []float64) error {
	var class [2]float64 // cost of the labels -1 and +1
	for i, v := range weights {
		p.cost[i] = p.c * v
		if p.y[i] > 0 {
			class[1] += p.cost[i]
		} else {
			class[0] += p.cost[i]
		}
	}
	p.total = class[0] + class[1]
	intercept := 0.0
	if p.intercept {
		if class[0] == 0 || class[1] == 0 {
			return ErrOneClass
		}
		intercept = math.Log(class[1]) - math.Log(class[0])
	}
	for j := range p.norm {
		sum := 0.0
		for i, x := range p.design.row(j) {
			sum += p.cost[i] * x * x
		}
		p.norm[j] = math.Sqrt(sum)
	}
	copy(p.now.w, p.theta)
	p.now.b = 0
	if p.intercept {
		p.now.b = p.theta[p.design.d] + p.design.offset(p.now.w)
	}
	for j, norm := range p.norm {
		if norm == 0 {
			p.now.w[j] = 0
		}
	}
	p.design.predict(p.score, p.now.w, p.now.b)
	zero := class[1]*softplus(-intercept) + class[0]*softplus(intercept)
	if !(p.objective() <= zero) {
		clear(p.now.w)
		p.now.b = intercept
	}
	return nil
}

// descend leaves the best point in p.best.
func (p *Logistic) descend(ctx context.Context) (Certificate, error) {
	const (
		steps = 500
		local = 1e-3 // violation below which steps are tried whole first
	)
	violation := p.evaluate()
	p.best.set(p.now)
	iterations, reuse, done := 0, false, false
	for iterations < steps && violation > refined && !done {
		if err := ctx.Err(); err != nil {
			return Certificate{KKT: violation, Gap: math.NaN(), Iterations: iterations}, err
		}
		reused := reuse
		if !reuse && !p.hessian.factor(p.curvature) {
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
			done = true // rounding
		default:
			t := p.search()
			p.now.add(-t, p.step)
			next = p.evaluate()
			p.best.set(p.now)
			reuse, done = false, t == 0
		}
		violation = next
	}
	p.now.set(p.best)
	violation = p.evaluate()
	objective := p.objective()
	return Certificate{KKT: violation, Gap: p.gap() / objective, Objective: objective, Iterations: iterations}, nil
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
	squares, sum := 0.0, 0.0
	for i, c := range p.cost {
		p.loss[i], p.curvature[i] = 0, 0
		if c == 0 {
			continue
		}
		sigma, slope := sigmoid(-p.y[i] * p.score[i])
		p.loss[i], p.curvature[i] = -p.y[i]*c*sigma, c*slope
		squares += c * sigma * sigma
		sum += p.loss[i]
	}
	copy(p.gradient.w, p.now.w)
	p.design.correlate(p.gradient.w, p.loss)
	p.gradient.b = 0
	violation, size := 0.0, math.Sqrt(squares)
	if p.intercept {
		p.gradient.b = sum
		violation = math.Abs(sum) / (math.Sqrt(p.total) * size)
	}
	for j, norm := range p.norm {
		if norm > 0 {
			violation = max(violation, math.Abs(p.gradient.w[j])/(math.Abs(p.now.w[j])+norm*size))
		}
	}
	return violation
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

// gap bounds the duality gap at p.now, evaluated before. The dual function is
// Σ C v_i H(a_i/(C v_i)) - ½‖Σ a_i y_i x_i‖² with the entropy H, 0 <= a_i <= C v_i.
// At a_i = C v_i σ_i it differs from the objective by ½‖gradient‖². Scaling the
// a_i of one class by 1-e adds at most C v_i e min(e exp(-m_i)/(2(1-e)), ln(1+exp(-m_i)))
// for each, by Taylor's formula and by the concavity of H.
func (p *Logistic) gap() float64 {
	copy(p.slope, p.loss)
	rest := 0.0
	if p.intercept && p.gradient.b != 0 {
		larger := 0.0 // Σ a_i of the class to scale down
		sign := -math.Copysign(1, p.gradient.b)
		for i, l := range p.loss {
			if p.y[i] == sign {
				larger += math.Abs(l)
			}
		}
		e := math.Abs(p.gradient.b) / larger
		for i, c := range p.cost {
			if p.y[i] == sign && c > 0 {
				p.slope[i] *= 1 - e
				m := p.y[i] * p.score[i]
				rest += c * e * min(e*math.Exp(-m)/(2*(1-e)), softplus(-m))
			}
		}
	}
	difference := p.step.w
	copy(difference, p.now.w)
	p.design.correlate(difference, p.slope)
	norm := blas64.Nrm2(vector(difference))
	return norm*norm/2 + rest
}
