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

// HuberLasso fits the Huber Lasso to a problem of [gaga.Lasso] with the penalty α: with n samples,
// counting multiplicities,
//
//	min over w and b of  (1/n) Σ_i H(y_i - x_i·w - b) + α ‖w‖₁
//
// where H(r) is r²/2 for |r| <= delta and delta |r| - delta²/2 beyond. It is the extended Lasso of
// Nasrabadi, Tran and Nguyen (NeurIPS 2011) without missing observations, with λ_w = α, λ_e =
// delta/n and the errors minimized out. The solution may not be unique. [Fit.KKT] is the relative
// duality gap.
func HuberLasso(ctx context.Context, p *gaga.Problem, delta float64) (*Fit, error) {
	if err := checkLasso(p); err != nil {
		return nil, err
	}
	if !(delta > 0) || math.IsInf(delta, 1) {
		return nil, fmt.Errorf("baselines: delta of the Huber Lasso is %v, need a number > 0", delta)
	}
	fit, err := solve(ctx, p, floats.Sum(multiplicities(p)), rehline.Problem{
		Loss: rehline.Huber(p.Y, delta), NoRidge: true, L1: slices.Repeat([]float64{p.Penalty.L1 / 2}, p.X.Cols),
	})
	if err != nil {
		return nil, fmt.Errorf("baselines: Huber Lasso: %w", err)
	}
	return fit, nil
}

// checkLasso refuses problems that [gaga.Lasso] does not make.
func checkLasso(p *gaga.Problem) error {
	if err := unpaced(p).Check(); err != nil {
		return err
	}
	if _, squared := p.Loss.(gaga.Squared); !squared || p.Kernel != nil || p.Penalty.L2 != 0 || !(p.Penalty.L1 > 0) {
		return fmt.Errorf("baselines: the %s loss with penalties L1 = %v, L2 = %v is no Lasso: need the squared loss, L1 > 0, L2 = 0 and no kernel", p.Loss.Name(), p.Penalty.L1, p.Penalty.L2)
	}
	return nil
}
