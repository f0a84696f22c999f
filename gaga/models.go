package gaga

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/kernel"
)

// ElasticNet returns the elastic net's problem (Zou and Hastie, 2005) in the parametrization of
// scikit-learn: with n the number of samples, counting multiplicities, and ρ = l1ratio in [0, 1],
//
//	(1/2n) Σ v_i r_i² + α ρ ‖w‖₁ + ½ α (1 - ρ) ‖w‖²
//
// up to the factor 2n: the loss r² with L1 = 2nαρ and L2 = 2nα(1 - ρ). The caller sets Regularizer.
func ElasticNet(x blas64.General, y, multiplicity []float64, alpha, l1ratio float64) *Problem {
	p := LeastSquares(x, y, multiplicity)
	all := 2 * p.total() * alpha
	p.Penalty = Penalty{L1: all * l1ratio, L2: all * (1 - l1ratio)}
	return p
}

// Ridge returns the problem of ridge regression in the parametrization of scikit-learn, Σ v_i r_i²
// + α ‖w‖²: the loss r² with L2 = 2α. The caller sets Regularizer.
func Ridge(x blas64.General, y, multiplicity []float64, alpha float64) *Problem {
	p := LeastSquares(x, y, multiplicity)
	p.Penalty.L2 = 2 * alpha
	return p
}

// LeastSquares returns the problem of least squares: the loss r² without a penalty. Where the
// samples of positive weight do not determine the coefficients, paths end as [Degenerate] and
// [Alternation] returns an error. The caller sets Regularizer.
func LeastSquares(x blas64.General, y, multiplicity []float64) *Problem {
	return &Problem{X: x, Y: y, Multiplicity: multiplicity, Loss: Squared{}}
}

func (l Logistic) EvalAll(u, y, loss, slope, curvature []float64) {
	kernel.Logistic(u, y, loss, slope, curvature)
	if l.C == 1 {
		return
	}
	kernel.ScaleTo(loss, l.C, loss)
	kernel.ScaleTo(slope, l.C, slope)
	kernel.ScaleTo(curvature, l.C, curvature)
}

type ownSolver interface {
	// solver returns nil if the loss has no special solver for the problem.
	solver(p *Problem) convex.Solver
}

func (l Logistic) solver(p *Problem) convex.Solver {
	if p.Kernel == nil && p.Penalty.L1 == 0 && p.Penalty.L2 > 0 {
		return convex.NewLogistic(p.X, p.Y, l.C/p.Penalty.L2, p.Intercept)
	}
	return nil
}
