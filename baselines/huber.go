package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/rehline"
)

// HuberLasso fits Huber's loss with the penalty of a problem with the squared loss. For that of
// [gaga.Lasso] with the penalty α and n samples, counting multiplicities, it is the Huber Lasso
//
//	min over w and b of  (1/n) Σ_i H(y_i - x_i·w - b) + α ‖w‖₁
//
// where H(r) is r²/2 for |r| <= delta and delta |r| - delta²/2 beyond: the extended Lasso of
// Nasrabadi, Tran and Nguyen (NeurIPS 2011) without missing observations, with λ_w = α, λ_e =
// delta/n and the errors minimized out. Another penalty R is R/2n. The solution of a Lasso may not be
// unique. [Fit.KKT] is the relative duality gap. A problem without a penalty is an error.
func HuberLasso(ctx context.Context, p *gaga.Problem, delta float64) (*Fit, error) {
	if err := checkSquared(p); err != nil {
		return nil, err
	}
	if !(delta > 0) || math.IsInf(delta, 1) {
		return nil, fmt.Errorf("baselines: delta of the Huber Lasso is %v, need a number > 0", delta)
	}
	fit, err := solve(ctx, p, floats.Sum(multiplicities(p)), rehline.Problem{
		Loss: rehline.Huber(p.Y, delta), NoRidge: p.Penalty.L2 == 0, Ridge: p.Penalty.L2 / 2, L1: slices.Repeat([]float64{p.Penalty.L1 / 2}, p.X.Cols),
	})
	if err != nil {
		return nil, fmt.Errorf("baselines: Huber Lasso: %w", err)
	}
	return fit, nil
}

// checkSquared refuses problems without the squared loss of a linear model.
func checkSquared(p *gaga.Problem) error {
	if err := unpaced(p).Check(); err != nil {
		return err
	}
	if _, squared := p.Loss.(gaga.Squared); !squared || p.Kernel != nil {
		return fmt.Errorf("baselines: the %s loss with the kernel %v is not least squares: need the squared loss and no kernel", p.Loss.Name(), p.Kernel)
	}
	return nil
}
