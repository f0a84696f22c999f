package convex

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

type model interface {
	// factor takes curvatures, some positive, and reports whether the model has a minimum.
	factor(curvature []float64) bool
	// solve writes the step to the minimum into p.step.
	solve(ctx context.Context, p *Smooth) (int, error)
}

// ridgeModel is the model with an L2 penalty only, a linear system in R^d or, for more than 2n/3
// features, where that was measured faster, in R^n by the Woodbury identity.
type ridgeModel struct {
	hessian  hessian
	l2       float64
	relative []float64
	rhs      point
}

func newRidgeModel(p *Smooth) *ridgeModel {
	m := &ridgeModel{l2: p.options.L2, relative: make([]float64, p.rows.n), rhs: newPoint(p.rows.d)}
	if 3*p.rows.d > 2*p.rows.n {
		m.hessian = newKernelHessian(&p.rows, p.options.Intercept)
	} else {
		m.hessian = newPrimalHessian(&p.rows, p.options.Intercept)
	}
	return m
}

func (m *ridgeModel) factor(curvature []float64) bool {
	for i, c := range curvature {
		m.relative[i] = c / m.l2
	}
	return m.hessian.factor(m.relative)
}

func (m *ridgeModel) solve(_ context.Context, p *Smooth) (int, error) {
	for j, g := range p.at.gradient.w {
		m.rhs.w[j] = -g / m.l2
	}
	m.rhs.b = -p.at.gradient.b / m.l2
	m.hessian.solve(&p.step, m.rhs)
	return 1, nil
}

func (m *ridgeModel) fallBack(p *Smooth) bool {
	if _, primal := m.hessian.(*primalHessian); primal {
		return false
	}
	m.hessian = newPrimalHessian(&p.rows, p.options.Intercept)
	return true
}

// sparseModel is the Lasso's working set, with an L1 penalty or none. An L2 penalty adds to the
// Gram matrix's diagonal.
type sparseModel struct {
	design      design
	options     SmoothOptions
	scaled      scaled // by the curvatures divided by unit
	unit        float64
	mu          float64
	working     working
	free        bool      // without a penalty, all features take part
	correlation []float64 // negative centered gradient, divided by unit
}

func newSparseModel(p *Smooth) *sparseModel {
	n, d := p.rows.n, p.rows.d
	capacity := d
	if p.options.L2 == 0 { // no more features than samples are independent
		capacity = min(d, n+128)
	}
	columns := p.rows.columns()
	m := &sparseModel{
		design: columns, options: p.options, scaled: newScaled(&columns),
		working: newWorking(d, capacity), correlation: make([]float64, d),
	}
	if m.free = p.options.L1 == 0 && p.options.L2 == 0; m.free {
		m.working.flat = singular
	}
	return m
}

func (m *sparseModel) factor(curvature []float64) bool {
	m.unit = 0
	for _, c := range curvature {
		m.unit = max(m.unit, c)
	}
	m.scaled.weigh(curvature, m.unit)
	for j := range m.scaled.norm {
		m.scaled.setColumn(j, m.design.row(j), m.options.Intercept)
	}
	ridge := math.Sqrt(m.options.L2 / m.unit)
	for j, norm := range m.scaled.norm {
		m.scaled.norm[j] = min(math.Hypot(norm, ridge), 1e150)
	}
	m.mu = min(m.options.L1/m.unit, 1e200)
	m.working.reset()
	return !m.options.Intercept || m.scaled.total > 0
}

func (m *sparseModel) solve(ctx context.Context, p *Smooth) (int, error) {
	mean := m.scaled.mean
	for j, g := range p.at.gradient.w {
		m.correlation[j] = -(g - p.at.gradient.b*mean[j]) / m.unit
	}
	n, err := m.descend(ctx, p)
	if err != nil {
		return n, err
	}
	p.step.b = 0
	if p.options.Intercept {
		p.step.b = -p.at.gradient.b/m.unit/m.scaled.total - blas64.Dot(vector(mean), vector(p.step.w))
	}
	return n, nil
}

func (m *sparseModel) descend(ctx context.Context, p *Smooth) (int, error) {
	q := &m.working
	for j, w := range p.now.w {
		p.step.w[j] = 0
		switch constant := m.scaled.norm[j] == 0; {
		case m.free && (constant || j >= len(m.scaled.sample)):
			return 0, ErrSingular
		case constant: // only the penalty depends on it
			p.step.w[j], p.at.excess[j] = -w, 0
		case (w != 0 || m.free) && !q.member[j] && q.size() < q.capacity:
			q.add(j)
		}
	}
	q.grow(p.at.excess, p.now.w)
	m.load(p)
	n, _, err := q.minimize(ctx)
	if m.free && len(q.support.dependent) > 0 {
		return n, ErrSingular
	}
	m.store(p)
	return n, err
}

// load starts at p.now; violations within rounding count as 0.
func (m *sparseModel) load(p *Smooth) {
	q := &m.working
	q.multiply(&m.scaled)
	for k, j := range q.feature {
		norm := m.scaled.norm[j]
		q.beta[k], q.q[k], q.mu[k] = p.now.w[j]*norm, m.correlation[j]/norm, m.mu/norm
		q.tolerance[k] = refined / 2 * p.at.terms[j] / m.unit / norm
	}
}

func (m *sparseModel) store(p *Smooth) {
	for k, j := range m.working.feature {
		p.step.w[j] = m.working.beta[k]/m.scaled.norm[j] - p.now.w[j]
	}
}
