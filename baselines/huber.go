package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/rehline"
)

// HuberProblem states the Huber Lasso: with n samples, counting multiplicities,
//
//	min over w and b of  (1/n) Σ_i H(y_i - x_i·w - b) + α ‖w‖₁
//
// where H(r) is r²/2 for |r| <= Delta and Delta |r| - Delta²/2 beyond. A Delta above all residuals
// gives the Lasso of the same α, see gaga.Lasso.
//
// It is the extended Lasso of Nasrabadi, Tran and Nguyen, "Robust Lasso with missing and grossly
// corrupted observations" (NeurIPS 2011), without missing observations:
//
//	min over w and e of  (1/2n) ‖y - Xw - e‖² + λ_w ‖w‖₁ + λ_e ‖e‖₁
//
// with α = λ_w, Delta = n λ_e, and the errors e minimized out.
type HuberProblem struct {
	X            blas64.General // n x d, row-major
	Y            []float64      // n targets
	Multiplicity []float64      // number of identical samples of a row; nil means 1 each
	Alpha        float64        // weight of the penalty, > 0
	Delta        float64        // residual beyond which the loss is linear, > 0
	Intercept    bool           // whether a free b is fitted
}

// HuberFit is the solution of a [HuberProblem].
type HuberFit struct {
	Theta     []float64 // d coefficients, then the intercept, 0 without one
	Objective float64   // at Theta
	Gap       float64   // bound on Objective minus the minimum, from a point of the dual problem
	KKT       float64   // Gap relative to the objectives
}

// HuberLasso fits the Huber Lasso. If several coefficients attain the minimum, it returns one of
// them. The error names a wrong parameter, or is that of the context or of the solver.
func HuberLasso(ctx context.Context, h HuberProblem) (*HuberFit, error) {
	for _, parameter := range []struct {
		name  string
		value float64
	}{{"Alpha", h.Alpha}, {"Delta", h.Delta}} {
		if !(parameter.value > 0) || math.IsInf(parameter.value, 1) {
			return nil, fmt.Errorf("baselines: %s of the Huber Lasso is %v, need a number > 0", parameter.name, parameter.value)
		}
	}
	n := float64(h.X.Rows)
	if h.Multiplicity != nil {
		n = floats.Sum(h.Multiplicity)
	}
	p := rehline.Problem{
		X: h.X, Loss: rehline.Huber(h.Y, h.Delta), Weights: h.Multiplicity,
		NoRidge: true, L1: slices.Repeat([]float64{n * h.Alpha}, h.X.Cols),
	}
	if h.Intercept {
		p.Intercept = rehline.FreeIntercept
	}
	s, err := solve(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("baselines: Huber Lasso: %w", err)
	}
	theta := append(slices.Clone(s.Beta), s.Intercept)
	return &HuberFit{Theta: theta, Objective: s.Objective / n, Gap: (s.Objective - s.DualObjective) / n, KKT: s.Gap}, nil
}
