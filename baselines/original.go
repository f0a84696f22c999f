// Package baselines computes the methods that age paths are compared with: the plain fit, alternate
// convex search on a grid of ages, multi-objective self-paced learning, and robust methods without
// ages.
package baselines

import (
	"context"

	"github.com/agepath/agepath/gaga"
)

// Original fits the problem with all weights 1, without a self-paced regularizer, and returns the
// solution, of length [gaga.Problem.Unknowns], and its relative KKT residual.
func Original(ctx context.Context, p *gaga.Problem) (theta []float64, kkt float64, err error) {
	a, err := gaga.NewAlternation(unpaced(p))
	if err != nil {
		return nil, 0, err
	}
	if err := a.FitAll(ctx); err != nil {
		return nil, 0, err
	}
	return a.Theta(), a.Certificate().KKT, nil
}

func unpaced(p *gaga.Problem) *gaga.Problem {
	q := *p
	if q.Regularizer == nil {
		q.Regularizer = gaga.Hard{}
	}
	return &q
}
