package convex

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

type logisticLoss struct{}

func (logisticLoss) EvalAll(u, y, loss, slope, curvature []float64) {
	kernel.Logistic(u, y, loss, slope, curvature)
}

// NewLogistic minimizes, over w in R^d and optionally an unpenalized intercept b,
//
//	½‖w‖² + Σ_i v_i C ln(1 + exp(-m_i)),    m_i = y_i (x_i·w + b),
//
// for the n x d samples x, which it copies, and labels y of -1 and +1. It panics if lengths do not
// match, on other labels and if c is not positive and finite.
//
// With σ_i = 1/(1 + exp(m_i)) the violation of w_j's condition is divided by |w_j| + Σ C v_i |x_ij|
// σ_i, and that of b's by Σ C v_i σ_i. The gap is an upper bound, by the dual point C v_i σ_i,
// scaled for the intercept, or if that is too loose by that of a Newton step. With an intercept and
// one class only, Solve returns [ErrOneClass].
func NewLogistic(x blas64.General, y []float64, c float64, intercept bool) *Smooth {
	if !(c > 0) || math.IsInf(c, 1) {
		panic(fmt.Sprintf("convex: logistic regression with C = %v", c))
	}
	for i, label := range y {
		if label != 1 && label != -1 {
			panic(fmt.Sprintf("convex: label %d is %v, want -1 or +1", i, label))
		}
	}
	p := newSmooth(x, y, logisticLoss{}, SmoothOptions{L2: 1, Intercept: intercept, OneSided: true})
	p.name, p.scale, p.logistic, p.round = "logistic regression", c, true, 0
	return p
}

// logisticGap bounds the relative duality gap at the evaluated p.now; NaN if it finds no bound.
func (p *Smooth) logisticGap(objective float64) float64 {
	gap := p.nearGap() / objective
	if gap <= Tolerance {
		return gap
	}
	gap = math.NaN()
	if p.bend(0); p.factor() {
		if m, ok := p.second.model.(*ridgeModel); ok {
			gap = p.newtonGap(m) / objective
		}
	}
	return gap
}

// nearGap is the bound without a Newton step. The dual function is Σ C v_i H(a_i/(C v_i)) - ½‖Σ a_i
// y_i x_i‖² with the entropy H, for 0 <= a_i <= C v_i and, with an intercept, Σ a_i y_i = 0. At a_i
// = C v_i σ_i the gap is ½‖w - Σ a_i y_i x_i‖², half the gradient's square. If the sums of the two
// classes differ, the larger is reduced by its share ε of the difference. That adds at most ε
// terms_j to the gradient, and to the gap C v_i times the Kullback-Leibler divergence of (1 - ε)σ_i
// from σ_i, at most the χ² divergence ε² σ_i/(1 - σ_i).
func (p *Smooth) nearGap() float64 {
	part, gap := 0.0, 0.0
	if p.options.Intercept {
		larger := max(p.at.pull[0], p.at.pull[1])
		part = math.Abs(p.at.gradient.b) / larger
		label := -1.0
		if p.at.pull[1] == larger {
			label = 1
		}
		for i, c := range p.at.curvature {
			if c > 0 && p.y[i] == label {
				gap += p.at.slope[i] * p.at.slope[i] / c
			} else if p.at.slope[i] != 0 && p.y[i] == label {
				return math.Inf(1)
			}
		}
		gap *= part * part
	}
	for j, g := range p.at.gradient.w {
		g = math.Abs(g) + part*p.at.terms[j]
		gap += g * g / 2
	}
	return gap
}

// newtonGap is the bound with the model's Hessian, for features of very different scale, which
// leave large gradients at C v_i σ_i. If the step s changes m_i by -t_i, let a_i = C v_i σ_i +
// curvature_i t_i. By the Newton equations Σ a_i y_i x_i = w - s.w and Σ a_i y_i = 0: the dual
// point is feasible. The gap is ½‖s.w‖² plus C v_i times the divergence of a_i/(C v_i) from σ_i,
// bounded as in nearGap.
func (p *Smooth) newtonGap(m *ridgeModel) float64 {
	m.hessian.solve(&p.step, p.at.gradient)
	p.rows.predict(p.along, p.step.w, p.step.b)
	gap := kernel.Dot(p.step.w, p.step.w) / 2
	for i, t := range p.along {
		change := p.second.factored[i] * t
		if change == 0 {
			continue
		}
		a := math.Abs(p.at.slope[i])
		if moved := a + p.y[i]*change; moved < 0 || moved > p.cost[i] {
			return math.Inf(1)
		}
		gap += change * change / p.at.curvature[i]
	}
	return gap
}
