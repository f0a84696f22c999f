package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/gaga"
)

// ReLSSVM fits a problem of [LSSVM] with the truncated least squares loss of the robust least
// squares support vector machine (Yang, Tan and He, Neurocomputing 140, 2014),
//
//	min over w, b of ½‖w‖² + (C/2) Σ_i m_i min(e_i², θ²),   e_i = y_i - w·φ(x_i) - b,
//
// by their concave-convex procedure: with min(e², θ²) = e² - max(0, e² - θ²) and the second term
// linearized at the last residuals, the next problem is a plain fit in which the target of a sample
// with |e_i| > θ is its last prediction. If five problems in a row truncate the same samples, the
// limit, the fit to the other samples, is computed directly. The procedure ends at a stationary
// point, when that fit truncates the same samples again. Fit.Weights are 0 for truncated samples.
// If both starts truncate every sample, the error is [gaga.ErrDiscarded]. For labels, θ = 1 leaves
// out samples on the wrong side, or beyond 2.
//
// Chosen here: two starts, of which the lower objective counts. These are the
// plain fit, and a fit with truncations from its largest residual down to θ, halved each time,
// which finds the majority when θ truncates nearly all samples of the plain fit.
func ReLSSVM(ctx context.Context, p *gaga.Problem, theta float64) (*Fit, error) {
	if !(theta > 0) {
		return nil, fmt.Errorf("baselines: truncation %v, need a number > 0", theta)
	}
	m, err := newMachine(ctx, p)
	if err != nil {
		return nil, err
	}
	t := &truncation{machine: m, theta: theta, weights: slices.Clone(m.multiplicity)}
	best, err := t.run(ctx)
	if err == nil && slices.Contains(best.Weights, 0) {
		var other *Fit
		if err = t.narrow(ctx); err == nil {
			other, err = t.run(ctx)
		}
		if err == nil && (other.Objective < best.Objective || slices.Max(best.Weights) == 0) {
			best = other
		}
	}
	if err == nil && slices.Max(best.Weights) == 0 {
		err = fmt.Errorf("residuals from %v on are truncated: %w", theta, gaga.ErrDiscarded)
	}
	if err == nil {
		err = resolved(best.KKT)
	}
	if err != nil {
		return nil, fmt.Errorf("baselines: concave-convex procedure: %w", err)
	}
	return best, nil
}

type truncation struct {
	machine *machine
	theta   float64
	weights []float64 // the multiplicities, 0 if truncated
	descent []float64
}

func (t *truncation) narrow(ctx context.Context) error {
	m := t.machine
	if _, err := m.solve(ctx, m.multiplicity); err != nil {
		return err
	}
	for level := largest(m.residual) / 2; level > t.theta; level /= 2 {
		t.truncate(level)
		if _, err := m.solve(ctx, t.weights); err != nil {
			return err
		}
	}
	t.truncate(t.theta)
	return nil
}

func (t *truncation) run(ctx context.Context) (*Fit, error) {
	m := t.machine
	t.descent = nil
	for {
		kkt, err := m.solve(ctx, t.weights)
		if err != nil {
			return nil, err
		}
		before := t.last()
		after := t.record()
		kept := slices.Clone(t.weights)
		if !t.truncate(t.theta) || !(after < before) {
			// Residuals at θ may differ by rounding: return the weights of the fit.
			return &Fit{Theta: m.theta(), Weights: m.shares(kept), Objective: after, KKT: kkt, Descent: t.descent}, nil
		}
		if err := t.iterate(ctx); err != nil {
			return nil, err
		}
	}
}

func (t *truncation) iterate(ctx context.Context) error {
	const steady = 5
	m := t.machine
	if err := m.weigh(ctx, m.multiplicity); err != nil {
		return err
	}
	targets := make([]float64, len(m.y))
	for same := 0; same < steady; {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, y := range m.y {
			targets[i] = y
			if t.weights[i] == 0 {
				targets[i] = y - m.residual[i]
			}
		}
		m.refit(targets)
		before := t.last()
		after := t.record()
		if same++; t.truncate(t.theta) {
			same = 0
		}
		if !(after < before) {
			return nil
		}
	}
	return nil
}

func (t *truncation) truncate(theta float64) bool {
	changed := false
	for i, e := range t.machine.residual {
		v := t.machine.multiplicity[i]
		if math.Abs(e) > theta {
			v = 0
		}
		changed = changed || v != t.weights[i]
		t.weights[i] = v
	}
	return changed
}

func (t *truncation) record() float64 {
	m := t.machine
	sum := 0.0
	for i, e := range m.residual {
		e = min(math.Abs(e), t.theta)
		sum += m.multiplicity[i] * e * e
	}
	objective := (m.norm() + m.c*sum) / 2
	t.descent = append(t.descent, objective)
	return objective
}

func (t *truncation) last() float64 {
	if len(t.descent) == 0 {
		return math.Inf(1)
	}
	return t.descent[len(t.descent)-1]
}
