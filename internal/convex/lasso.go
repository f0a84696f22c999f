package convex

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// Lasso minimizes, over w in R^d and optionally an unpenalized intercept b,
//
//	Σ_i v_i (x_i·w + b - y_i)² + 2 n α ‖w‖₁.
//
// Gradients and certificates come from the samples, for all features: O(n d). The problem is solved
// in Gram form on a working set, the features that are nonzero or violate the optimality
// conditions, by an active-set method (Osborne, Presnell and Turlach, 2000), exact for its support.
// Repeating this refines away the Gram matrix's rounding.
//
// Without a penalty, or if rounding remains, [Smooth] solves the problem.
//
// The certificate is for centered features, with u = x·w + b and ‖z‖_v² = Σ v_i z_i²: the violation
// of feature j's condition is divided by the terms of its gradient, 2(‖x_j‖_v (‖u‖_v + ‖y‖_v) + n
// α).
type Lasso struct {
	design    design
	y         []float64 // minus yOrigin
	yOrigin   float64
	penalty   float64 // n α
	intercept bool
	theta     []float64
	smooth    *Smooth // created on first use

	weights    []float64
	scaled     scaled    // its columns are those of working and violating features
	target     []float64 // scaled and centered y
	mean, norm float64   // of the target
	now, best  point     // for the shifted features and target
	u          []float64
	weighted   []float64 // v (y - u)
	sum        float64   // of weighted
	gradient   []float64
	excess     []float64
	working    working
}

// NewLasso copies x, n x d. total is the n of the penalty, before duplicates were merged. It panics
// if lengths do not match, or if alpha or total is negative or not finite.
func NewLasso(x blas64.General, y []float64, alpha, total float64, intercept bool) *Lasso {
	penalty := alpha * total
	if !(alpha >= 0) || !(total >= 0) || math.IsInf(penalty, 0) || math.IsNaN(penalty) {
		panic(fmt.Sprintf("convex: Lasso with alpha %v and %v samples", alpha, total))
	}
	n, d := x.Rows, x.Cols
	f := func(k int) []float64 { return make([]float64, k) }
	samples := newRows(x, y, intercept)
	p := &Lasso{
		design: samples.columns(), y: slices.Clone(y), penalty: penalty, intercept: intercept, theta: f(d + 1),
		target: f(n), now: newPoint(d), best: newPoint(d), u: f(n), weighted: f(n), gradient: f(d), excess: f(d),
		working: newWorking(d, min(d, n+128)),
	}
	p.scaled = newScaled(&p.design)
	if intercept {
		p.yOrigin = typical(y)
		for i := range p.y {
			p.y[i] -= p.yOrigin
		}
	}
	return p
}

func (p *Lasso) Theta() []float64 { return p.theta }

// SetTheta ignores the last entry if there is no intercept.
func (p *Lasso) SetTheta(theta []float64) { setTheta(p.theta, theta, p.intercept) }

func setTheta(dst, theta []float64, intercept bool) {
	if len(theta) != len(dst) {
		panic(fmt.Sprintf("convex: %d parameters, want %d", len(theta), len(dst)))
	}
	copy(dst, theta)
	if !intercept {
		dst[len(dst)-1] = 0
	}
}

func (p *Lasso) Scores(dst []float64) {
	w := p.theta[:p.design.d]
	p.design.predict(dst, w, p.theta[p.design.d]+p.design.offset(w))
}

// Solve sets θ = 0 if all weights are 0. With α = 0 it returns [ErrSingular] if the solution is
// not unique; otherwise, with dependent features, it stays near its start. A solution short of
// [Tolerance] is a [*ToleranceError].
func (p *Lasso) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	top, err := largestWeight(weights, p.design.n)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("lasso: %w", err)
	}
	if top == 0 {
		clear(p.theta)
		return Certificate{}, nil
	}
	if certificate, ok := p.solveGram(ctx, weights, top); ok {
		return certificate, nil
	}
	return p.solveSmooth(ctx, weights)
}

func (p *Lasso) solveGram(ctx context.Context, weights []float64, top float64) (Certificate, bool) {
	const least, most = 1e-100, 1e100 // squares must not overflow or underflow
	if !(p.penalty > 0 && top >= least && top <= most) {
		return Certificate{}, false
	}
	p.start()
	if p.scale(weights); p.intercept && !(p.scaled.total > 0) || p.lead(ctx) != nil {
		return Certificate{}, false
	}
	certificate, err := p.descend(ctx)
	if err != nil || !(certificate.KKT <= refined) {
		return Certificate{}, false
	}
	certificate.Objective *= 2
	copy(p.theta, p.best.w)
	if p.intercept {
		p.theta[p.design.d] = p.yOrigin + p.best.b - p.design.offset(p.best.w)
	}
	return certificate, true
}

type squares struct{}

func (squares) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

func (p *Lasso) solveSmooth(ctx context.Context, weights []float64) (Certificate, error) {
	d := p.design.d
	if p.smooth == nil {
		o := SmoothOptions{L1: 2 * p.penalty, Intercept: p.intercept}
		p.smooth = newSmooth(p.design.samples(), p.y, oneByOne{squares{}}, o)
		p.smooth.name = "lasso"
	}
	p.start()
	theta := append(slices.Clone(p.now.w), 0)
	if b := p.theta[d] + p.design.offset(p.now.w) - p.yOrigin; !math.IsNaN(b - b) {
		theta[d] = b
	}
	p.smooth.SetTheta(theta)
	certificate, err := p.smooth.Solve(ctx, weights)
	if err != nil {
		return certificate, err
	}
	copy(p.theta, p.smooth.Theta())
	if p.intercept {
		p.theta[d] += p.yOrigin - p.design.offset(p.theta[:d])
	}
	return certificate, nil
}

func (p *Lasso) start() {
	support := 0
	for j := range p.now.w {
		p.now.w[j] = p.theta[j]
		if math.IsNaN(p.now.w[j] - p.now.w[j]) {
			p.now.w[j] = 0
		}
		if p.now.w[j] != 0 {
			support++
		}
	}
	if support > p.working.capacity {
		clear(p.now.w)
	}
}

// scale makes the working set the nonzero coefficients of p.now.w, and sets b for them.
func (p *Lasso) scale(weights []float64) {
	s := &p.scaled
	p.weights = weights
	s.weigh(weights, 1)
	p.mean, p.norm = s.fill(p.target[:len(s.sample)], p.y, p.intercept)
	p.working.reset()
	p.now.b = p.mean
	for j, w := range p.now.w {
		if w == 0 {
			continue
		}
		if s.setColumn(j, p.design.row(j), p.intercept); s.norm[j] == 0 {
			p.now.w[j] = 0
			continue
		}
		p.working.add(j)
		p.now.b -= s.mean[j] * w
	}
}

// lead moves p.now.w to the minimum on the working set.
func (p *Lasso) lead(ctx context.Context) error {
	s, a := &p.scaled, &p.working
	a.multiply(s)
	square, beta := 0.0, p.excess[:a.size()]
	for k, j := range a.feature {
		beta[k] = p.now.w[j] * s.norm[j]
	}
	for k, j := range a.feature {
		fit := kernel.Dot(a.row(k), beta)
		square += fit * beta[k]
		p.gradient[j] = kernel.Dot(s.row(j), p.target[:len(s.sample)]) - fit*s.norm[j]
	}
	a.begin(s.norm, p.now.w, p.gradient, p.penalty, p.norm+math.Sqrt(max(0, square)))
	p.sum = 0
	_, _, err := a.minimize(ctx)
	p.store()
	return err
}

func (p *Lasso) descend(ctx context.Context) (Certificate, error) {
	best := Certificate{KKT: math.Inf(1)}
	iterations, stalled := 0, 0
	for {
		now, unit := p.evaluate()
		if stalled++; now.KKT < best.KKT/2 {
			stalled = 0
		}
		if now.KKT < best.KKT {
			best = now
			p.best.set(p.now)
		}
		grown := p.working.grow(p.excess, p.now.w)
		slow := stalled > 1 && !grown || stalled > 20
		if now.KKT <= refined || slow || math.IsNaN(now.KKT) {
			best.Iterations = iterations
			return best, nil
		}
		p.load(unit)
		n, _, err := p.working.minimize(ctx)
		iterations += n
		if err != nil {
			best.Iterations = iterations
			return best, err
		}
		p.store()
	}
}

// evaluate returns the certificate, and ‖u‖ + ‖y‖.
func (p *Lasso) evaluate() (Certificate, float64) {
	s := &p.scaled
	p.design.predict(p.u, p.now.w, p.now.b)
	var squares, product, sum float64
	for i, y := range p.y {
		r := y - p.u[i]
		t := p.weights[i] * r
		p.weighted[i] = t
		squares += t * r
		product += t * y
		sum += t
	}
	p.sum = sum
	p.design.correlate(p.gradient, p.weighted)
	// ‖u‖² = ‖y‖² - 2 y·(y-u) + ‖y-u‖², all centered.
	square := p.norm*p.norm - 2*(product-p.mean*sum) + squares
	if p.intercept {
		square -= sum * sum / s.total
	}
	unit := p.norm + math.Sqrt(max(0, square))
	certificate := p.certify(squares, unit)
	if p.intercept && sum != 0 {
		certificate.KKT = max(certificate.KKT, math.Abs(sum)/(math.Sqrt(s.total)*unit))
	}
	return certificate, unit
}

func (p *Lasso) load(unit float64) {
	p.working.multiply(&p.scaled)
	for _, j := range p.working.feature {
		p.gradient[j] -= p.scaled.mean[j] * p.sum
	}
	p.working.begin(p.scaled.norm, p.now.w, p.gradient, p.penalty, unit)
}

func (p *Lasso) store() {
	s, a := &p.scaled, &p.working
	if p.intercept {
		p.now.b += p.sum / s.total
	}
	for k, j := range a.feature {
		w := a.beta[k] / s.norm[j]
		p.now.b -= s.mean[j] * (w - p.now.w[j])
		p.now.w[j] = w
	}
}

// certify takes the sum of weighted squared residuals and unit = ‖u‖ + ‖y‖.
func (p *Lasso) certify(squares, unit float64) Certificate {
	s := &p.scaled
	c := Certificate{Gap: math.NaN(), Objective: squares / 2}
	for j, g := range p.gradient {
		p.excess[j] = 0
		w, v := p.now.w[j], math.Abs(g)-p.penalty
		if w == 0 && v <= 0 {
			continue
		}
		if !p.working.member[j] {
			s.setColumn(j, p.design.row(j), p.intercept)
		}
		if s.norm[j] == 0 {
			continue
		}
		if w != 0 {
			v = math.Abs(g - math.Copysign(p.penalty, w))
		}
		p.excess[j] = v / (s.norm[j]*unit + p.penalty)
		c.KKT = max(c.KKT, p.excess[j])
		c.Objective += p.penalty * math.Abs(w)
	}
	return c
}
