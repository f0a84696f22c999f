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
// by their concave-convex procedure from the plain fit: with min(e², θ²) = e² - max(0, e² - θ²) and
// the second term linearized at the last residuals, the next problem is a plain fit in which the
// target of a sample with |e_i| > θ is its last prediction. If five problems in a row truncate the
// same samples, the limit, the fit to the other samples, is computed directly. The procedure ends at
// a stationary point, when that fit truncates the same samples again. Fit.Weights are 0 for
// truncated samples. If every sample is truncated, the error is [gaga.ErrDiscarded]. For labels,
// θ = 1 leaves out samples on the wrong side, or beyond 2.
func ReLSSVM(ctx context.Context, p *gaga.Problem, theta float64) (*Fit, error) {
	if !(theta > 0) {
		return nil, fmt.Errorf("baselines: truncation %v, need a number > 0", theta)
	}
	m, err := newMachine(ctx, p)
	if err != nil {
		return nil, err
	}
	t := &truncation{machine: m, bound: theta, kept: slices.Repeat([]float64{1}, len(m.y)), lowest: math.Inf(1)}
	fit, err := t.run(ctx)
	switch {
	case err != nil:
	case slices.Max(fit.Weights) == 0:
		err = fmt.Errorf("residuals from %v on are truncated: %w", theta, gaga.ErrDiscarded)
	default:
		err = m.resolved()
	}
	if err != nil {
		return nil, fmt.Errorf("baselines: concave-convex procedure: %w", err)
	}
	return fit, nil
}

type truncation struct {
	*machine
	bound   float64
	kept    []float64 // weights: 0 if truncated
	lowest  float64   // objective
	descent []float64
}

func (t *truncation) run(ctx context.Context) (*Fit, error) {
	for {
		if err := t.Fit(ctx, t.kept); err != nil {
			return nil, err
		}
		kept := slices.Clone(t.kept)
		lower := t.record()
		if changed := t.truncate(); !changed || !lower {
			// Residuals at θ may differ by rounding: return the weights of the fit.
			return &Fit{Theta: t.theta(), Weights: kept, Objective: t.descent[len(t.descent)-1], KKT: t.kkt, Descent: t.descent}, nil
		}
		if err := t.iterate(ctx); err != nil {
			return nil, err
		}
	}
}

// iterate solves problems of the procedure until they truncate the same samples.
func (t *truncation) iterate(ctx context.Context) error {
	const steady = 5
	if err := t.weigh(ctx, t.multiplicity); err != nil {
		return err
	}
	targets := make([]float64, len(t.y))
	for same, lower := 0, true; same < steady && lower; {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, y := range t.y {
			targets[i] = y - (1-t.kept[i])*t.residual[i]
		}
		t.refit(targets)
		lower = t.record()
		if same++; t.truncate() {
			same = 0
		}
	}
	return nil
}

// truncate reports whether other samples are truncated now.
func (t *truncation) truncate() (changed bool) {
	for i, e := range t.residual {
		v := 1.0
		if math.Abs(e) > t.bound {
			v = 0
		}
		changed = changed || v != t.kept[i]
		t.kept[i] = v
	}
	return changed
}

// record reports whether the objective is lower than all before.
func (t *truncation) record() (lower bool) {
	sum := 0.0
	for i, e := range t.residual {
		e = min(math.Abs(e), t.bound)
		sum += t.multiplicity[i] * e * e
	}
	objective := (t.norm() + t.c*sum) / 2
	t.descent = append(t.descent, objective)
	lower = objective < t.lowest
	t.lowest = min(t.lowest, objective)
	return lower
}
