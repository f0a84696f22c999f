package baselines

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/convex"
)

// RobustSVM fits the problem of a support vector machine, made by [gaga.SVM], by
// the label-noise robust one of Biggio, Nelson and Laskov (Asian Conference on
// Machine Learning, 2011), for labels that are flipped independently with the
// probability flip in [0, 0.5). A label is then y_i (1 - 2ε_i), ε_i = 1 with
// that probability μ, and the dual's matrix Q_ij = y_i y_j k(x_i, x_j) is
// replaced by its expectation: as ε_i and ε_j are independent,
// E(1 - 2ε_i)(1 - 2ε_j) = (1 - 2μ)² = 1 - S with S = 4μ(1 - μ) for i ≠ j, and 1
// for i = j,
//
//	min over α of ½ αᵀQ'α - 1ᵀα   subject to   0 <= α_i <= C, yᵀα = 0,
//	Q'_ij = (1 - S) Q_ij for i ≠ j,   Q'_ii = k(x_i, x_i).
//
// The diagonal counts more than without flips, which spreads α over more
// samples. A probability of 0 is the plain support vector machine. A row of
// multiplicity m counts as m samples with flips of their own.
//
// Q' is the matrix of the kernel (1 - S) k with S k(x_i, x_i) added for a sample
// with itself, so that the decision function, which the optimality conditions of
// α and b belong to, is
//
//	f(x) = (1 - S) Σ_i α_i y_i k(x_i, x) + b,
//
// y_iα_i with its expected effect: new samples are other samples. Fit.Theta has
// the multipliers (1 - S) α, or w = (1 - S) Σ α_i y_i x_i, and b, and
// [Fit.Objective] is the dual's optimum with its sign changed. Published
// implementations differ here: some leave out 1 - S, which scales f but not b,
// or average b over all support vectors, bounded ones too. They also allow
// μ > 0.5, which is 1 - μ.
//
// The problem's own solver is used, to its tolerance: the matrix is 1 - S times
// K + diag(S/(1 - S) k(x_i, x_i)), so that (1 - S) α are the multipliers of the
// latter for the bound (1 - S) C.
func RobustSVM(ctx context.Context, p *gaga.Problem, flip float64) (*Fit, error) {
	if !(flip >= 0 && flip < 0.5) {
		return nil, fmt.Errorf("baselines: flip probability %v, allowed is 0 up to, not including, 0.5", flip)
	}
	checked := *p
	if checked.Regularizer == nil {
		checked.Regularizer = gaga.Hard{} // not used
	}
	if err := checked.Check(); err != nil {
		return nil, err
	}
	hinge, ok := p.Loss.(gaga.Hinge)
	if !ok || p.Penalty != (gaga.Penalty{L2: 1}) {
		return nil, fmt.Errorf("baselines: the %s loss with penalties L1 = %v, L2 = %v is no support vector machine: need the hinge loss, L1 = 0 and L2 = 1", p.Loss.Name(), p.Penalty.L1, p.Penalty.L2)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	kernel := p.Kernel
	if kernel == nil {
		kernel = convex.Linear{}
	}
	n := p.X.Rows
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1
	}
	fit := &Fit{Weights: append([]float64(nil), weights...)}
	if p.Multiplicity != nil {
		copy(weights, p.Multiplicity)
	}
	off := 1 - 4*flip*(1-flip)
	extra := make([]float64, n)
	kernel.Diagonal(extra, convex.NewPoints(p.X))
	for i := range extra {
		extra[i] *= (1 - off) / off / weights[i]
	}
	svm := convex.NewSVM(p.X, p.Y, off*hinge.C, kernel, p.Intercept, convex.SVMOptions{Diagonal: extra})
	certificate, err := svm.Solve(ctx, weights)
	if err != nil {
		return nil, fmt.Errorf("baselines: label-noise robust support vector machine: %w", err)
	}
	fit.Theta = append(fit.Theta, svm.Theta()...)
	fit.Objective, fit.KKT, fit.Iterations = certificate.Objective/off, certificate.KKT, certificate.Iterations
	return fit, nil
}
