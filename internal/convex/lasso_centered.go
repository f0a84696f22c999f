package convex

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// centered is the Lasso for one solve's weights as a plain one: samples of
// positive weight, less the weighted means and times the roots of the weights
// over the largest.
type centered struct {
	p        *Lasso
	scaled   scaled
	target   []float64 // m scaled targets
	residual []float64 // m, target - column·w
	mean     float64   // weighted mean of y
}

func newCentered(p *Lasso) *centered {
	n := p.design.n
	return &centered{p: p, scaled: newScaled(&p.design), target: make([]float64, n), residual: make([]float64, n)}
}

// prepare states the problem for the weights over top: columns, target, and the
// start, where features that vanish have no coefficients.
func (c *centered) prepare(weights []float64, top float64) {
	p := c.p
	c.scaled.set(&p.design, weights, top, p.intercept)
	m := len(c.scaled.sample)
	c.target, c.residual = c.target[:m], c.residual[:m]
	c.mean, p.norm = c.scaled.fill(c.target, p.y, p.intercept)
	p.working.reset()
	for j, norm := range c.scaled.norm {
		if norm == 0 {
			p.w[j] = 0
		}
		if p.w[j] != 0 {
			p.working.add(j)
		}
	}
}

func (c *centered) keep() { copy(c.p.best, c.p.w) }

func (c *centered) finish() {
	p := c.p
	copy(p.theta, p.best)
	if p.intercept {
		p.theta[p.design.d] = p.yOrigin + c.mean - blas64.Dot(vector(c.scaled.mean), vector(p.best)) - p.design.offset(p.best)
	}
}

func (c *centered) evaluate() (Certificate, float64) {
	p := c.p
	clear(c.residual)
	for j, w := range p.w {
		if w != 0 {
			blas64.Axpy(w, vector(c.scaled.row(j)), vector(c.residual))
		}
	}
	unit := p.norm + blas64.Nrm2(vector(c.residual))
	for k, t := range c.target {
		c.residual[k] = t - c.residual[k]
	}
	for j := range p.gradient {
		p.gradient[j] = blas64.Dot(vector(c.scaled.row(j)), vector(c.residual))
	}
	r := blas64.Nrm2(vector(c.residual))
	return p.certify(r*r, unit), unit
}

func (c *centered) load(unit float64) {
	c.p.working.load(&c.scaled, c.p.w, c.p.gradient, c.p.mu, unit)
}

func (c *centered) store() { c.p.working.store(&c.scaled, c.p.w) }

// leastSquares solves the problem without a penalty: the Cholesky factor of
// the whole Gram matrix, refined with residuals from the samples.
func (p *Lasso) leastSquares(ctx context.Context) (Certificate, error) {
	q := &p.working
	q.reset()
	for j, norm := range p.norms {
		if norm == 0 || j >= len(p.centered.scaled.sample) {
			return Certificate{}, ErrSingular
		}
		q.add(j)
	}
	best := Certificate{KKT: math.Inf(1)}
	for iteration := 0; ; iteration++ {
		now, unit := p.form.evaluate()
		now.Iterations = iteration
		stalled := !(now.KKT <= best.KKT/2)
		if now.KKT < best.KKT {
			best = now
			p.form.keep()
		}
		p.form.load(unit)
		if iteration == 0 && !q.enterAll() {
			return Certificate{}, ErrSingular
		}
		decrease := q.newton()
		if best == now {
			best.Gap = relativeGap(decrease, now.Objective, p.terms())
		}
		if now.KKT <= refined || stalled {
			return best, nil
		}
		if err := ctx.Err(); err != nil {
			return best, err
		}
		p.form.store()
	}
}
