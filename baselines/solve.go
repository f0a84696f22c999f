package baselines

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/rehline"
)

// wantedGap is the relative duality gap requested for piecewise linear-quadratic problems,
// allowedGap the one accepted if rounding prevents that.
const (
	wantedGap  = 1e-13
	allowedGap = 1e-10
)

func solve(ctx context.Context, p rehline.Problem) (rehline.Solution, error) {
	solution, err := rehline.Solve(ctx, p, rehline.Options{Tol: wantedGap})
	if err == nil && !(solution.Gap <= allowedGap) {
		err = fmt.Errorf("solved to a relative gap of %.2g, need %.0g: %v", solution.Gap, allowedGap, solution.Status)
	}
	return solution, err
}
