// Package baselines computes the methods that age paths are compared with: the plain fit, alternate
// convex search on a grid of ages, multi-objective self-paced learning, and robust methods without
// ages.
package baselines

import (
	"context"
	"fmt"
	"slices"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/rehline"
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

// wantedGap is the relative duality gap requested for piecewise linear-quadratic problems,
// allowedGap the one accepted if rounding prevents that.
const (
	wantedGap  = 1e-13
	allowedGap = 1e-10
)

// solve fits another loss and penalty to the data of a problem; unit divides the objective.
func solve(ctx context.Context, p *gaga.Problem, unit float64, other rehline.Problem) (*Fit, error) {
	other.X, other.Weights = p.X, p.Multiplicity
	if p.Intercept {
		other.Intercept = rehline.FreeIntercept
	}
	s, err := rehline.Solve(ctx, other, rehline.Options{Tol: wantedGap})
	if err == nil && !(s.Gap <= allowedGap) {
		err = fmt.Errorf("solved to a relative gap of %.2g, need %.0g: %v", s.Gap, allowedGap, s.Status)
	}
	if err != nil {
		return nil, err
	}
	return &Fit{Theta: append(slices.Clone(s.Beta), s.Intercept), Objective: s.Objective / unit, KKT: s.Gap}, nil
}
