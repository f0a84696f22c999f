package convex

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Lasso minimizes, over w in R^d and optionally an unpenalized intercept b,
//
//	Σ_i v_i (x_i·w + b - y_i)² + 2 n α ‖w‖₁.
//
// Gradients and certificates come from the samples, for all features: O(n d). The problem is solved
// in Gram form on a working set, the features that are nonzero or violate the optimality
// conditions: cyclic coordinate descent until the signs settle, then an active-set method (Osborne,
// Presnell and Turlach, 2000), exact for its support. Repeating this refines away the Gram matrix's
// rounding.
//
// The Gram matrix comes from sums kept between solves: a change of few weights needs no full sum.
// If centering would cancel too many digits, or without a penalty, [Smooth] solves the problem,
// without a gap in its certificate.
//
// The certificate is for centered features, with u = x·w + b and ‖z‖_v² = Σ v_i z_i²: the violation
// of feature j's condition is divided by the terms of its gradient, 2(‖x_j‖_v (‖u‖_v + ‖y‖_v) + n
// α). Both it and the gap, relative to the objective, allow for rounding of terms of size T = ‖y‖_v
// + Σ_j ‖x_j‖_v |w_j|: the dual point meets its constraints up to rounding of ‖x_j‖_v T, and if the
// objective is below rounding of T², a gap of that size is accepted.
type Lasso struct {
	design    design
	y         []float64 // minus yOrigin
	yOrigin   float64
	penalty   float64 // n α
	intercept bool
	theta     []float64

	quick    *quick
	smooth   *Smooth   // created on first use
	norms    []float64 // d, of working and violating features
	norm     float64
	w        []float64
	best     []float64
	gradient []float64
	excess   []float64
	working  working
}

// NewLasso copies x, n x d. total is the n of the penalty, before duplicates were merged. It panics
// if lengths do not match, or if alpha or total is negative or not finite.
func NewLasso(x blas64.General, y []float64, alpha, total float64, intercept bool) *Lasso {
	penalty := alpha * total
	if !(alpha >= 0) || !(total >= 0) || math.IsInf(penalty, 0) || math.IsNaN(penalty) {
		panic(fmt.Sprintf("convex: Lasso with alpha %v and %v samples", alpha, total))
	}
	n, d := x.Rows, x.Cols
	p := &Lasso{
		design: newDesign(x, y, intercept), y: slices.Clone(y), penalty: penalty, intercept: intercept,
		theta: make([]float64, d+1),
		w:     make([]float64, d), best: make([]float64, d), gradient: make([]float64, d),
		excess: make([]float64, d), norms: make([]float64, d),
	}
	if intercept {
		p.yOrigin = typical(y)
		for i := range p.y {
			p.y[i] -= p.yOrigin
		}
	}
	p.working = newWorking(d, min(d, n+128))
	p.quick = newQuick(p)
	return p
}

func (p *Lasso) Theta() []float64 { return p.theta }

// SetTheta ignores the last entry if there is no intercept.
func (p *Lasso) SetTheta(theta []float64) {
	setTheta(p.theta, theta, p.intercept)
	p.quick.current = false
}

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
	if p.quick.current {
		p.quick.scores(dst)
		return
	}
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
	p.quick.current = false
	if top == 0 {
		clear(p.theta)
		return Certificate{}, nil
	}
	if certificate, ok := p.solveQuick(ctx, weights, top); ok {
		return certificate, nil
	}
	return p.solveSmooth(ctx, weights)
}

func (p *Lasso) solveQuick(ctx context.Context, weights []float64, top float64) (Certificate, bool) {
	p.start()
	if !(p.penalty > 0) || !p.quick.prepare(ctx, weights, top) {
		return Certificate{}, false
	}
	certificate, err := p.descend(ctx)
	if err != nil || p.quick.spoiled || !(certificate.KKT <= refined && certificate.Gap <= Tolerance) {
		return Certificate{}, false
	}
	certificate.Objective *= 2
	p.quick.finish()
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
	theta := append(slices.Clone(p.w), 0)
	if b := p.theta[d] + p.design.offset(p.w) - p.yOrigin; !math.IsNaN(b - b) {
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
	for j := range p.w {
		p.w[j] = p.theta[j]
		if math.IsNaN(p.w[j] - p.w[j]) {
			p.w[j] = 0
		}
		if p.w[j] != 0 {
			support++
		}
	}
	if support > p.working.capacity {
		clear(p.w)
	}
}

func (p *Lasso) descend(ctx context.Context) (Certificate, error) {
	best := Certificate{KKT: math.Inf(1)}
	iterations, stalled := 0, 0
	for {
		now, unit := p.quick.evaluate()
		if stalled++; now.KKT < best.KKT/2 {
			stalled = 0
		}
		if now.KKT < best.KKT {
			best = now
			p.quick.keep()
		}
		grown := p.working.grow(p.excess, p.w)
		solved := now.KKT <= refined && now.Gap <= Tolerance
		slow := stalled > 1 && !grown && best.Gap <= Tolerance || stalled > 20
		if solved || slow || math.IsNaN(now.KKT) {
			best.Iterations = iterations
			return best, nil
		}
		p.quick.load(unit)
		n, err := p.working.minimize(ctx, grown)
		iterations += n
		if err != nil {
			best.Iterations = iterations
			return best, err
		}
		p.quick.store()
	}
}

// certify takes the sum of weighted squared residuals and unit = ‖u‖ + ‖y‖.
func (p *Lasso) certify(squares, unit float64) Certificate {
	terms := p.terms()
	// The dual point is the residual times shrink.
	shrink, violation := 1.0, 0.0
	for j, g := range p.gradient {
		p.excess[j] = 0
		w, v := p.w[j], math.Abs(g)-p.penalty
		if w == 0 && v <= 0 || p.norms[j] == 0 {
			continue
		}
		if v > rounding*p.norms[j]*terms {
			shrink = min(shrink, p.penalty/math.Abs(g))
		}
		if w != 0 {
			v = math.Abs(g - math.Copysign(p.penalty, w))
		}
		p.excess[j] = v / (p.norms[j]*unit + p.penalty)
		violation = max(violation, p.excess[j])
	}
	objective, gap := p.objective(squares, shrink)
	return Certificate{KKT: violation, Gap: relativeGap(gap, objective, terms), Objective: objective}
}

func (p *Lasso) terms() float64 {
	terms := p.norm
	for j, w := range p.w {
		if w != 0 {
			terms += p.norms[j] * math.Abs(w)
		}
	}
	return terms
}

// rounding bounds the relative error of a sum of products.
const rounding = 16 * 0x1p-52

// objective returns ½‖y - u‖² + mu‖w‖₁ and the gap to the dual point, with y = residual + u to
// avoid a difference of large terms.
func (p *Lasso) objective(squares, shrink float64) (objective, gap float64) {
	objective, gap = squares/2, (1-shrink)*(1-shrink)*squares/2
	for j, w := range p.w {
		if w != 0 {
			objective += p.penalty * math.Abs(w)
			gap += max(0, p.penalty*math.Abs(w)-shrink*w*p.gradient[j])
		}
	}
	return objective, gap
}

// relativeGap is gap/objective, forgiving rounding of terms²/2.
func relativeGap(gap, objective, terms float64) float64 {
	if gap == 0 {
		return 0
	}
	if gap <= rounding*terms*terms/2 {
		return min(gap/objective, Tolerance)
	}
	return gap / objective
}
