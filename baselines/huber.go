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
// where H(r) is r²/2 for |r| <= Delta and Delta |r| - Delta²/2 beyond. It is the extended Lasso of
// Nasrabadi, Tran and Nguyen (NeurIPS 2011) without missing observations, with λ_w = α, λ_e =
// Delta/n and the errors minimized out.
type HuberProblem struct {
	X            blas64.General
	Y            []float64
	Multiplicity []float64 // nil means 1 each
	Alpha        float64   // > 0
	Delta        float64   // > 0
	Intercept    bool
}

// HuberFit is the solution of a [HuberProblem].
type HuberFit struct {
	Theta     []float64 // d coefficients, then the intercept, 0 without one
	Objective float64
	Gap       float64 // bound on Objective minus the minimum
	KKT       float64 // Gap relative to the objectives
}

// HuberLasso fits the Huber Lasso. The solution may not be unique.
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
