package gaga

import (
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/kernel"
)

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
