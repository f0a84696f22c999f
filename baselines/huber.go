package baselines

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
)

// HuberProblem states the Huber Lasso: with n samples, multiplicities counted,
//
//	min over w and b of  (1/n) Σ_i H(y_i - x_i·w - b) + α ‖w‖₁
//
// where H(r) is r²/2 for |r| <= Delta and Delta |r| - Delta²/2 beyond. A Delta
// above all residuals gives the Lasso of the same α, see [gaga.Lasso].
//
// It is the extended Lasso of Nasrabadi, Tran and Nguyen, "Robust Lasso with
// missing and grossly corrupted observations" (NeurIPS 2011), without missing
// observations: their
//
//	min over w and e of  (1/2n) ‖y - Xw - e‖² + λ_w ‖w‖₁ + λ_e ‖e‖₁
//
// with α = λ_w and Delta = n λ_e, where the errors e have been minimized out.
type HuberProblem struct {
	X            blas64.General // n x d, row-major
	Y            []float64      // n targets
	Multiplicity []float64      // how many identical samples a row stands for; nil means 1 each
	Alpha        float64        // weight of the penalty, > 0
	Delta        float64        // residual beyond which the loss is linear, > 0
	Intercept    bool           // whether a free b is fitted, else it is 0
}

// HuberFit is the solution of a [HuberProblem].
type HuberFit struct {
	Theta     []float64 // d coefficients, then the intercept, 0 without one
	Objective float64   // at Theta
	Gap       float64   // bound on Objective less the minimum, by a point of the dual problem
	KKT       float64   // violation of the optimality conditions relative to the gradient's terms
}

// HuberLasso fits the Huber Lasso. Where several coefficients attain the
// minimum it returns one of them. The error names what is wrong with the
// problem, or is that of the context or of the solver.
func HuberLasso(ctx context.Context, h HuberProblem) (*HuberFit, error) {
	for _, parameter := range []struct {
		name  string
		value float64
	}{{"Alpha", h.Alpha}, {"Delta", h.Delta}} {
		if !(parameter.value > 0) || math.IsInf(parameter.value, 1) {
			return nil, fmt.Errorf("baselines: %s of the Huber Lasso is %v, need a number > 0", parameter.name, parameter.value)
		}
	}
	p := gaga.Lasso(h.X, h.Y, h.Multiplicity, h.Alpha) // twice n times the objective
	p.Loss, p.Intercept = huber{h.Delta}, h.Intercept
	theta, kkt, err := Original(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("baselines: Huber Lasso: %w", err)
	}
	fit := &HuberFit{Theta: theta, KKT: kkt}
	fit.Objective, fit.Gap = h.certify(theta)
	return fit, nil
}

// huber is the loss 2 H of a residual: r² where that is at most Delta, as in
// [gaga.Squared].
type huber struct{ delta float64 }

func (huber) Name() string { return "huber" }
func (huber) Kinked() bool { return false }

func (h huber) Eval(u, y float64) (loss, slope, curvature float64) {
	r := u - y
	if math.Abs(r) <= h.delta {
		return r * r, 2 * r, 2
	}
	return h.delta * (2*math.Abs(r) - h.delta), math.Copysign(2*h.delta, r), 0
}

// certify returns the objective and its distance from the dual one,
//
//	(1/n) Σ_i (s_i y_i - s_i²/2)  where  |s_i| <= Delta, |Σ_i s_i x_ij| <= n α, with an intercept Σ_i s_i = 0,
//
// at the losses' slopes, centred and shrunk until they satisfy that.
func (h *HuberProblem) certify(theta []float64) (objective, gap float64) {
	rows, d := h.X.Rows, h.X.Cols
	slopes := make([]float64, rows)
	for i := range slopes {
		slopes[i] = theta[d]
	}
	w := blas64.Vector{N: d, Data: theta[:d], Inc: 1}
	s := blas64.Vector{N: rows, Data: slopes, Inc: 1}
	blas64.Gemv(blas.NoTrans, 1, h.X, w, 1, s)
	count := func(i int) float64 {
		if h.Multiplicity == nil {
			return 1
		}
		return h.Multiplicity[i]
	}
	var n, losses, sum float64
	for i, u := range slopes {
		m := count(i)
		r := h.Y[i] - u
		loss, _, _ := huber{h.Delta}.Eval(u, h.Y[i])
		n += m
		losses += m * loss / 2
		slopes[i] = math.Min(math.Max(r, -h.Delta), h.Delta)
		sum += m * slopes[i]
	}
	objective = losses/n + h.Alpha*blas64.Asum(w)
	shrink, largest := 1.0, 0.0
	for i := range slopes {
		if h.Intercept {
			slopes[i] -= sum / n
		}
		largest = math.Max(largest, math.Abs(slopes[i]))
	}
	if largest > h.Delta {
		shrink = h.Delta / largest
	}
	weighted := make([]float64, rows)
	for i, x := range slopes {
		weighted[i] = count(i) * x
	}
	pull := blas64.Vector{N: d, Data: make([]float64, d), Inc: 1}
	blas64.Gemv(blas.Trans, 1, h.X, blas64.Vector{N: rows, Data: weighted, Inc: 1}, 0, pull)
	if most := math.Abs(pull.Data[blas64.Iamax(pull)]); most > n*h.Alpha {
		shrink = math.Min(shrink, n*h.Alpha/most)
	}
	var dual float64
	for i, x := range slopes {
		x *= shrink
		dual += count(i) * x * (h.Y[i] - x/2)
	}
	return objective, objective - dual/n
}
