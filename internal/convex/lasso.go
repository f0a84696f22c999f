package convex

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Lasso minimizes, over w in R^d and where asked an unpenalized intercept b,
//
//	Σ_i v_i (x_i·w + b - y_i)² + 2 n α ‖w‖₁.
//
// Gradients and certificates are computed in residual form from the samples,
// for all features: O(n d). The problem itself is solved in Gram form on a
// working set, the features that are nonzero or were found to violate the
// optimality conditions: cyclic coordinate descent until the signs settle,
// then an active-set method on the Gram matrix (Osborne, Presnell and Turlach,
// 2000) that ends with the exact solution for its support. The two alternate
// until the violation is down to rounding, so that the Gram matrix's own
// rounding is refined away. Which form serves what is a matter of size: with at
// most smallGram features all that violate enter the working set at once, so
// that a second certificate ends the solve; with more, the worst enter first,
// and the Gram matrix stays as small as the support.
//
// The certificate is for the problem in centered features, where
// u = x·w + b: with ‖z‖_v² = Σ v_i z_i², the violation of feature j's condition
// is divided by 2(‖x_j‖_v (‖u‖_v + ‖y‖_v) + n α), the terms of its gradient. The
// gap is relative to the objective. Both parts of it hold up to rounding of
// their terms, of size T = ‖y‖_v + Σ_j ‖x_j‖_v |w_j|: the dual point meets its
// constraints up to rounding of ‖x_j‖_v T, and where the fit is so close that
// the objective is below rounding of T², a gap of that rounding passes.
type Lasso struct {
	design    design
	y         []float64 // less yOrigin
	yOrigin   float64
	penalty   float64 // n α
	intercept bool
	theta     []float64

	scaled   scaled
	target   []float64 // m scaled targets
	residual []float64 // m, target - column·w
	mean     float64   // weighted mean of y
	norm     float64   // of target
	terms    float64   // norm + Σ_j norm of column j times |w_j|
	mu       float64   // penalty for the scaled weights
	w        []float64
	best     []float64
	gradient []float64 // d, column·residual
	working  working
	excess   []float64 // d, relative violation of features outside the working set
	entering []int
}

// smallGram is how many violating features enter the working set at once, or as
// many as it has where that is more. On 200x2000 samples and a solution reached
// in 190 steps, 64 at once took about a quarter of the time of all at once; up
// to 64 features limits of 1 to 64 differed by no more than the measurement's
// noise.
const smallGram = 64

// NewLasso sets up the Lasso for the n x d samples x, which it copies. total is
// the n of the penalty: the number of samples before identical ones were
// merged into one with a weight. It panics if the lengths do not match, or if
// alpha or total are negative or not finite.
func NewLasso(x blas64.General, y []float64, alpha, total float64, intercept bool) *Lasso {
	penalty := alpha * total
	if !(alpha >= 0) || !(total >= 0) || math.IsInf(penalty, 0) || math.IsNaN(penalty) {
		panic(fmt.Sprintf("convex: Lasso with alpha %v and %v samples", alpha, total))
	}
	n, d := x.Rows, x.Cols
	p := &Lasso{
		design: newDesign(x, y, intercept), y: slices.Clone(y), penalty: penalty, intercept: intercept,
		theta: make([]float64, d+1), target: make([]float64, n), residual: make([]float64, n),
		w: make([]float64, d), best: make([]float64, d), gradient: make([]float64, d),
		excess: make([]float64, d), entering: make([]int, 0, d),
	}
	if intercept {
		p.yOrigin = typical(y)
		for i := range p.y {
			p.y[i] -= p.yOrigin
		}
	}
	p.scaled = newScaled(&p.design)
	p.working = newWorking(d, min(d, n+128))
	return p
}

// Theta implements [Solver]: d coefficients, then the intercept.
func (p *Lasso) Theta() []float64 { return p.theta }

// SetTheta implements [Solver]. Without an intercept the last entry is ignored.
func (p *Lasso) SetTheta(theta []float64) {
	setTheta(p.theta, theta, p.intercept)
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

// Scores implements [Solver].
func (p *Lasso) Scores(dst []float64) {
	w := p.theta[:p.design.d]
	p.design.predict(dst, w, p.theta[p.design.d]+p.design.offset(w))
}

// Solve implements [Solver]. If all weights are 0 the coefficients become 0 and
// the intercept stays. With α = 0 it solves least squares, or returns
// [ErrSingular] where the solution is not unique. Otherwise the solution always
// exists; among several, which takes dependent features, it stays near the one
// it started from. A solution short of [Tolerance] is a [*ToleranceError].
func (p *Lasso) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	top, err := largestWeight(weights, p.design.n)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("lasso: %w", err)
	}
	d := p.design.d
	if top == 0 {
		clear(p.theta[:d])
		return Certificate{}, nil
	}
	p.prepare(weights, top)
	var certificate Certificate
	if p.mu > 0 {
		certificate, err = p.descend(ctx)
	} else {
		certificate, err = p.leastSquares(ctx)
	}
	certificate.Objective *= 2 * top
	if err != nil {
		return certificate, fmt.Errorf("lasso: %w", err)
	}
	if !(certificate.KKT <= Tolerance && certificate.Gap <= Tolerance) {
		return certificate, &ToleranceError{"lasso", certificate}
	}
	copy(p.theta, p.best)
	if p.intercept {
		p.theta[d] = p.yOrigin + p.mean - blas64.Dot(vector(p.scaled.mean), vector(p.best)) - p.design.offset(p.best)
	}
	return certificate, nil
}

// prepare states the problem for the weights over top: columns, target, penalty
// and the start.
func (p *Lasso) prepare(weights []float64, top float64) {
	p.scaled.set(&p.design, weights, top, p.intercept)
	m := len(p.scaled.sample)
	p.target, p.residual = p.target[:m], p.residual[:m]
	p.mean, p.norm = p.scaled.fill(p.target, p.y, p.intercept)
	p.mu = min(p.penalty/top, 1e200) // weights near 0 must not make it infinite
	support := 0
	for j := range p.w {
		p.w[j] = p.theta[j]
		if p.scaled.norm[j] == 0 || math.IsNaN(p.w[j]-p.w[j]) { // 0, or no number to start from
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

// descend alternates certificates from all features with solutions on the
// working set. It leaves the best point in p.best.
func (p *Lasso) descend(ctx context.Context) (Certificate, error) {
	p.working.reset()
	for j, w := range p.w {
		if w != 0 {
			p.working.add(j)
		}
	}
	best := Certificate{KKT: math.Inf(1)}
	iterations, stalled := 0, 0
	for {
		now, unit := p.evaluate()
		if stalled++; now.KKT < best.KKT/2 {
			stalled = 0
		}
		if now.KKT < best.KKT {
			best = now
			copy(p.best, p.w)
		}
		grown := p.grow(unit)
		solved := now.KKT <= refined && now.Gap <= Tolerance
		slow := stalled > 1 && !grown && best.Gap <= Tolerance || stalled > 20
		if solved || slow || math.IsNaN(now.KKT) {
			best.Iterations = iterations
			return best, nil
		}
		p.working.load(&p.scaled, p.w, p.gradient, p.mu, unit)
		n, err := p.working.minimize(ctx, grown)
		iterations += n
		if err != nil {
			best.Iterations = iterations
			return best, err
		}
		p.working.store(&p.scaled, p.w)
	}
}

// evaluate computes residual and gradient at p.w from the samples, and returns
// the certificate, with the objective of the scaled problem
// ½‖target - column·w‖² + mu‖w‖₁, and ‖u‖ + ‖y‖.
func (p *Lasso) evaluate() (Certificate, float64) {
	clear(p.residual)
	p.terms = p.norm
	for j, w := range p.w {
		if w != 0 {
			p.terms += p.scaled.norm[j] * math.Abs(w)
			blas64.Axpy(w, vector(p.scaled.row(j)), vector(p.residual))
		}
	}
	unit := p.norm + blas64.Nrm2(vector(p.residual))
	for k, t := range p.target {
		p.residual[k] = t - p.residual[k]
	}
	// The dual point is the residual times shrink.
	shrink, violation := 1.0, 0.0
	for j, norm := range p.scaled.norm {
		g := blas64.Dot(vector(p.scaled.row(j)), vector(p.residual))
		p.gradient[j] = g
		if norm == 0 {
			continue
		}
		v := math.Abs(g) - p.mu
		if v > rounding*norm*p.terms {
			shrink = min(shrink, p.mu/math.Abs(g))
		}
		if w := p.w[j]; w != 0 {
			v = math.Abs(g - math.Copysign(p.mu, w))
		}
		violation = max(violation, v/(norm*unit+p.mu))
	}
	objective, gap := p.objective(shrink)
	return Certificate{KKT: violation, Gap: p.relative(gap, objective), Objective: objective}, unit
}

// rounding bounds the relative error of a sum of products.
const rounding = 16 * 0x1p-52

// objective returns the objective of the scaled problem at p.w and its
// distance from the dual one at the residual times shrink. With target =
// residual + column·w that comes without a difference of large terms.
func (p *Lasso) objective(shrink float64) (objective, gap float64) {
	r := blas64.Nrm2(vector(p.residual))
	objective, gap = r*r/2, (1-shrink)*(1-shrink)*r*r/2
	for j, w := range p.w {
		if w != 0 {
			objective += p.mu * math.Abs(w)
			gap += max(0, p.mu*math.Abs(w)-shrink*w*p.gradient[j])
		}
	}
	return objective, gap
}

// relative is the gap over the objective, except for rounding of terms²/2.
func (p *Lasso) relative(gap, objective float64) float64 {
	if gap == 0 {
		return 0
	}
	if gap <= rounding*p.terms*p.terms/2 {
		return min(gap/objective, Tolerance)
	}
	return gap / objective
}

// grow adds features that violate their condition to the working set, the
// worst first, and reports whether there were any.
func (p *Lasso) grow(unit float64) bool {
	p.entering = p.entering[:0]
	for j, g := range p.gradient {
		norm := p.scaled.norm[j]
		if norm == 0 || p.working.member[j] {
			continue
		}
		if v := (math.Abs(g) - p.mu) / (norm*unit + p.mu); v > refined {
			p.excess[j] = v
			p.entering = append(p.entering, j)
		}
	}
	if limit := max(smallGram, len(p.working.feature)); len(p.entering) > limit {
		slices.SortFunc(p.entering, func(a, b int) int {
			switch {
			case p.excess[a] > p.excess[b]:
				return -1
			case p.excess[a] < p.excess[b]:
				return 1
			}
			return a - b
		})
		p.entering = p.entering[:limit]
		slices.Sort(p.entering)
	}
	if len(p.entering) == 0 {
		return false
	}
	if len(p.working.feature)+len(p.entering) > p.working.capacity {
		p.working.shrink(p.w)
	}
	for _, j := range p.entering {
		if len(p.working.feature) < p.working.capacity {
			p.working.add(j)
		}
	}
	return true
}

// leastSquares solves the problem without a penalty: the Cholesky factor of
// the whole Gram matrix, refined with residuals from the samples.
func (p *Lasso) leastSquares(ctx context.Context) (Certificate, error) {
	q := &p.working
	q.reset()
	for j, norm := range p.scaled.norm {
		if norm == 0 || j >= len(p.scaled.sample) {
			return Certificate{}, ErrSingular
		}
		q.add(j)
	}
	best := Certificate{KKT: math.Inf(1)}
	for iteration := 0; ; iteration++ {
		now, unit := p.evaluate()
		now.Iterations = iteration
		stalled := !(now.KKT <= best.KKT/2)
		if now.KKT < best.KKT {
			best = now
			copy(p.best, p.w)
		}
		q.load(&p.scaled, p.w, p.gradient, 0, unit)
		if iteration == 0 && !q.enterAll() {
			return Certificate{}, ErrSingular
		}
		decrease := q.newton()
		if best == now {
			best.Gap = p.relative(decrease, now.Objective)
		}
		if now.KKT <= refined || stalled {
			return best, nil
		}
		if err := ctx.Err(); err != nil {
			return best, err
		}
		q.store(&p.scaled, p.w)
	}
}
