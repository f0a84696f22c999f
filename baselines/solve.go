package baselines

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/rehline"
)

// wantedGap is the relative duality gap to which piecewise linear-quadratic
// problems are solved, and allowedGap the one with which they may end where
// rounding prevents that.
const (
	wantedGap  = 1e-13
	allowedGap = 1e-10
)

// solve solves a problem to these gaps.
func solve(ctx context.Context, p rehline.Problem) (rehline.Solution, error) {
	solution, err := rehline.Solve(ctx, p, rehline.Options{Tol: wantedGap})
	if err == nil && !(solution.Gap <= allowedGap) {
		err = fmt.Errorf("solved to a relative gap of %.2g, need %.0g: %v", solution.Gap, allowedGap, solution.Status)
	}
	return solution, err
}
