package baselines

import (
	"context"
	"fmt"
	"slices"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/rehline"
)

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
