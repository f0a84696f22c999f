package convex

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

type logisticLoss struct{}

func (logisticLoss) EvalAll(u, y, loss, slope, curvature []float64) {
	kernel.Logistic(u, y, loss, slope, curvature)
}

// NewLogistic minimizes, over w in R^d and optionally an unpenalized intercept b,
//
//	½‖w‖² + Σ_i v_i C ln(1 + exp(-m_i)),    m_i = y_i (x_i·w + b),
//
// for the n x d samples x, which it copies, and labels y of -1 and +1. It panics if lengths do not
// match, on other labels and if c is not positive and finite.
//
// With σ_i = 1/(1 + exp(m_i)) the violation of w_j's condition is divided by |w_j| + Σ C v_i |x_ij|
// σ_i, and that of b's by Σ C v_i σ_i. With an intercept and one class only, Solve returns
// [ErrOneClass].
func NewLogistic(x blas64.General, y []float64, c float64, intercept bool) *Smooth {
	if !(c > 0) || math.IsInf(c, 1) {
		panic(fmt.Sprintf("convex: logistic regression with C = %v", c))
	}
	for i, label := range y {
		if label != 1 && label != -1 {
			panic(fmt.Sprintf("convex: label %d is %v, want -1 or +1", i, label))
		}
	}
	p := newSmooth(x, y, logisticLoss{}, SmoothOptions{L2: 1, Intercept: intercept, OneSided: true})
	p.name, p.scale, p.logistic, p.round = "logistic regression", c, true, 0
	return p
}
