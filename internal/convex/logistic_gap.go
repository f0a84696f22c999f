package convex

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// nearGap bounds the duality gap at p.now, evaluated before, from above. The dual
// function is Σ C v_i H(a_i/(C v_i)) - ½‖Σ a_i y_i x_i‖² with the entropy H, for
// 0 <= a_i <= C v_i and, with an intercept, Σ a_i y_i = 0. At a_i = C v_i σ_i the
// gap is ½‖w - Σ a_i y_i x_i‖², half the gradient's square. Where the classes' sums
// of these differ, those of the larger are lessened by their share ε of the
// difference. That adds at most ε terms_j to the gradient, and to the gap
// C v_i times the Kullback-Leibler divergence of (1 - ε)σ_i from σ_i, which the χ²
// divergence ε² σ_i/(1 - σ_i) bounds.
func (p *Logistic) nearGap() float64 {
	part, gap := 0.0, 0.0
	if p.intercept {
		larger := max(p.pull[0], p.pull[1])
		part = math.Abs(p.gradient.b) / larger
		label := -1.0
		if p.pull[1] == larger {
			label = 1
		}
		for i, c := range p.curvature {
			if c > 0 && p.y[i] == label {
				gap += p.loss[i] * p.loss[i] / c
			} else if p.loss[i] != 0 && p.y[i] == label {
				return math.Inf(1)
			}
		}
		gap *= part * part
	}
	for j, g := range p.gradient.w {
		g = math.Abs(g) + part*p.terms[j]
		gap += g * g / 2
	}
	return gap
}

// gap bounds the duality gap at p.now, evaluated before and with the Hessian
// factored there, from above, also where features differ in scale so much that
// C v_i σ_i would leave large gradients.
//
// Let the step s with the last Hessian change m_i by -t_i, and take
// a_i = C v_i σ_i + curvature_i t_i with that Hessian's curvatures. Then s
// solving the Newton equations says that Σ a_i y_i x_i = w - s.w and
// Σ a_i y_i = 0: the dual point is feasible. The gap is ½‖s.w‖² plus C v_i times
// the Kullback-Leibler divergence of a_i/(C v_i) from σ_i, which the χ² divergence
// bounds.
func (p *Logistic) gap() float64 {
	p.hessian.solve(&p.step, p.gradient)
	p.rows.predict(p.slope, p.step.w, p.step.b)
	gap := kernel.Dot(p.step.w, p.step.w) / 2
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
