package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/rehline"
)

// RobustSVM fits the problem of a support vector machine, made by [gaga.SVM], by the label-noise
// robust machine of Biggio, Nelson and Laskov (Asian Conference on Machine Learning, 2011), for
// labels flipped independently with the probability flip = μ in [0, 0.5). The dual's matrix Q_ij =
// y_i y_j k(x_i, x_j) is replaced by its expectation, with S = 4μ(1 - μ),
//
//	min over α of ½ αᵀQ'α - 1ᵀα   subject to   0 <= α_i <= C, yᵀα = 0,
//	Q'_ij = (1 - S) Q_ij for i ≠ j,   Q'_ii = k(x_i, x_i).
//
// A row of multiplicity m counts as m samples with independent flips. The decision function of the
// optimality conditions is
//
//	f(x) = (1 - S) Σ_i α_i y_i k(x_i, x) + b.
//
// Fit.Theta has the multipliers (1 - S) α, or w = (1 - S) Σ α_i y_i x_i, and b; [Fit.Objective] is
// the dual's optimum with its sign changed. Some published implementations leave out 1 - S, which
// scales f but not b, or average b over bounded support vectors as well.
//
// With a kernel the problem's own solver is used: the matrix is 1 - S times K + diag(S/(1 - S)
// k(x_i, x_i)), so that (1 - S) α are its multipliers for the bound (1 - S) C. Nearly all
// multipliers are then free, which costs O(n³). Without a kernel the primal is solved in O(nd²).
func RobustSVM(ctx context.Context, p *gaga.Problem, flip float64) (*Fit, error) {
	if !(flip >= 0 && flip < 0.5) {
		return nil, fmt.Errorf("baselines: flip probability %v, allowed is 0 up to, not including, 0.5", flip)
	}
	if err := unpaced(p).Check(); err != nil {
		return nil, err
	}
	hinge, ok := p.Loss.(gaga.Hinge)
	if !ok || p.Penalty != (gaga.Penalty{L2: 1}) {
		return nil, fmt.Errorf("baselines: the %s loss with penalties L1 = %v, L2 = %v is no support vector machine: need the hinge loss, L1 = 0 and L2 = 1", p.Loss.Name(), p.Penalty.L1, p.Penalty.L2)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fit, err := robustSVM(ctx, p, hinge.C, 1-4*flip*(1-flip))
	if err != nil {
		return nil, fmt.Errorf("baselines: label-noise robust support vector machine: %w", err)
	}
	fit.Weights = slices.Repeat([]float64{1}, p.X.Rows)
	return fit, nil
}

func robustSVM(ctx context.Context, p *gaga.Problem, c, off float64) (*Fit, error) {
	weights := multiplicities(p)
	var svm convex.Solver
	switch {
	case p.Kernel != nil:
		extra := make([]float64, p.X.Rows)
		p.Kernel.Diagonal(extra, convex.NewPoints(p.X))
		for i := range extra {
			extra[i] *= (1 - off) / off / weights[i]
		}
		svm = convex.NewSVM(p.X, p.Y, off*c, p.Kernel, p.Intercept, convex.SVMOptions{Diagonal: extra})
	case off == 1 || p.Intercept && !bothClasses(p.Y): // labels of one sign leave the intercept open
		var err error
		if svm, err = convex.NewLinearSVM(p.X, p.Y, c, p.Intercept); err != nil {
			return nil, err
		}
	default:
		return robustPrimal(ctx, p, c, off)
	}
	certificate, err := svm.Solve(ctx, weights)
	if err != nil {
		return nil, err
	}
	return &Fit{Theta: slices.Clone(svm.Theta()), Objective: certificate.Objective / off, KKT: certificate.KKT}, nil
}

func bothClasses(y []float64) bool {
	return slices.Contains(y, 1) && slices.Contains(y, -1)
}

// robustPrimal fits by the primal of the linear machine,
//
//	min over w, b of ½‖w‖² + off Σ_i m_i φ_i(1 - y_i (x_i·w + b)),
//
// where φ_i is the conjugate of the diagonal's part of the dual: with q_i = S ‖x_i‖² it is g²/2q_i
// from 0 to C q_i and has slope C beyond. KKT is the relative duality gap.
func robustPrimal(ctx context.Context, p *gaga.Problem, c, off float64) (*Fit, error) {
	n, d := p.X.Rows, p.X.Cols
	row := func() blas64.General { return blas64.General{Rows: 1, Cols: n, Stride: n, Data: make([]float64, n)} }
	loss := rehline.Loss{U: row(), V: row(), S: row(), T: row(), Tau: row()}
	for i, y := range p.Y {
		x := blas64.Vector{N: d, Inc: 1, Data: p.X.Data[i*p.X.Stride : i*p.X.Stride+d]}
		q := (1 - off) * blas64.Dot(x, x)
		if q == 0 {
			loss.U.Data[i], loss.V.Data[i] = -c*y, c
			continue
		}
		root := math.Sqrt(q)
		loss.S.Data[i], loss.T.Data[i], loss.Tau.Data[i] = -y/root, 1/root, c*root
	}
	return solve(ctx, p, off, rehline.Problem{Loss: loss, C: off})
}
