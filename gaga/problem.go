package gaga

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/convex"
)

// Problem is a self-paced learning problem
//
//	min over θ and v in [0,1]^n of  R(θ) + Σ_i m_i [ v_i l(u_i, y_i) + f(v_i, λ) ]
//
// with the linear predictor u_i = x_i·w (+ b). Samples are the rows of X.
type Problem struct {
	X            blas64.General // n x d, row-major
	Y            []float64      // n targets; -1 or +1 for classification losses
	Multiplicity []float64      // identical samples of a row; nil means 1 each
	Loss         Loss
	Penalty      Penalty
	Kernel       Kernel // nil: the predictor is linear in θ
	Intercept    bool   // free, without a penalty
	Regularizer  Regularizer
}

// Penalty is R(θ) = L1 ‖w‖₁ + L2/2 ‖w‖², without the intercept. With a kernel w is in the kernel's
// space and L1 must be 0.
type Penalty struct{ L1, L2 float64 }

// Kernel is a positive semidefinite kernel of two feature rows.
type Kernel = convex.Kernel

// RBF is the kernel exp(-Gamma ‖x - x'‖²).
type RBF = convex.RBF

// Lasso returns the Lasso's problem: the loss r² and the penalty 2nα‖w‖₁, n counting
// multiplicities, so that the objective is (1/2n) Σ v_i r_i² + α‖w‖₁ up to the factor 2n. The
// caller sets Regularizer.
func Lasso(x blas64.General, y, multiplicity []float64, alpha float64) *Problem {
	p := &Problem{X: x, Y: y, Multiplicity: multiplicity, Loss: Squared{}}
	p.Penalty.L1 = 2 * p.total() * alpha
	return p
}

// SVM returns the support vector machine's problem with a free intercept, the loss C max(0, 1 - yu)
// and the penalty ½‖w‖². A nil kernel is the linear one.
func SVM(x blas64.General, y, multiplicity []float64, c float64, kernel Kernel) *Problem {
	return &Problem{X: x, Y: y, Multiplicity: multiplicity, Loss: Hinge{c}, Penalty: Penalty{L2: 1}, Kernel: kernel, Intercept: true}
}

// LogisticRegression returns the problem of logistic regression with a free intercept, the loss C
// ln(1 + exp(-yu)) and the penalty ½‖w‖².
func LogisticRegression(x blas64.General, y, multiplicity []float64, c float64) *Problem {
	return &Problem{X: x, Y: y, Multiplicity: multiplicity, Loss: Logistic{c}, Penalty: Penalty{L2: 1}, Intercept: true}
}

func (p *Problem) total() float64 {
	if p.Multiplicity == nil {
		return float64(p.X.Rows)
	}
	var n float64
	for _, m := range p.Multiplicity {
		n += m
	}
	return n
}

// Unknowns returns the length of θ: d coefficients, or n multipliers with a kernel, and the
// intercept, 0 if the model has none.
func (p *Problem) Unknowns() int {
	if p.Kernel != nil {
		return p.X.Rows + 1
	}
	return p.X.Cols + 1
}

// Check returns an error that names the first invalid field.
func (p *Problem) Check() error {
	n, d := p.X.Rows, p.X.Cols
	switch {
	case n < 1 || d < 1:
		return fmt.Errorf("gaga: X is %d x %d, need at least one row and one column", n, d)
	case p.X.Stride < d || len(p.X.Data) < (n-1)*p.X.Stride+d:
		return fmt.Errorf("gaga: X has %d values at stride %d for %d x %d", len(p.X.Data), p.X.Stride, n, d)
	case len(p.Y) != n:
		return fmt.Errorf("gaga: Y has %d targets for %d rows", len(p.Y), n)
	case p.Multiplicity != nil && len(p.Multiplicity) != n:
		return fmt.Errorf("gaga: Multiplicity has %d entries for %d rows", len(p.Multiplicity), n)
	case p.Loss == nil:
		return errors.New("gaga: Loss is nil")
	case p.Regularizer == nil:
		return errors.New("gaga: Regularizer is nil")
	}
	if err := p.checkValues(); err != nil {
		return err
	}
	return p.checkParameters()
}

func (p *Problem) checkValues() error {
	for i := range p.X.Rows {
		for j, x := range p.X.Data[i*p.X.Stride : i*p.X.Stride+p.X.Cols] {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("gaga: X[%d,%d] is %v", i, j, x)
			}
		}
		if y := p.Y[i]; math.IsNaN(y) || math.IsInf(y, 0) {
			return fmt.Errorf("gaga: Y[%d] is %v", i, y)
		}
		if p.Multiplicity != nil {
			if m := p.Multiplicity[i]; !(m > 0) || math.IsInf(m, 0) {
				return fmt.Errorf("gaga: Multiplicity[%d] is %v, need a positive number", i, m)
			}
		}
	}
	if _, classes := p.Loss.(ClassificationLoss); classes {
		for i, y := range p.Y {
			if y != 1 && y != -1 {
				return fmt.Errorf("gaga: Y[%d] is %v, the %s loss needs -1 or +1", i, y, p.Loss.Name())
			}
		}
	}
	return nil
}

func checkParameter(name string, x float64, ok bool, need string) error {
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("gaga: %s is %v, need %s", name, x, need)
	}
	return nil
}

func (p *Problem) checkParameters() error {
	var err error
	for _, part := range [2]any{p.Loss, p.Regularizer} {
		if c, ok := part.(CheckedParameters); ok {
			err = errors.Join(err, c.CheckParameters())
		}
	}
	if h, ok := p.Loss.(HingeLoss); ok {
		err = errors.Join(err, checkParameter("the hinge loss's Cost", h.Cost(), h.Cost() > 0, "a number > 0"))
	}
	pen := p.Penalty
	err = errors.Join(err,
		checkParameter("Penalty.L1", pen.L1, pen.L1 >= 0, "a number >= 0"),
		checkParameter("Penalty.L2", pen.L2, pen.L2 >= 0, "a number >= 0"))
	if _, linear := p.Kernel.(convex.Linear); linear {
		err = errors.Join(err, errors.New("gaga: Kernel is linear; leave it nil"))
	}
	if p.Kernel != nil && pen.L1 != 0 {
		err = errors.Join(err, errors.New("gaga: Penalty.L1 must be 0 with a kernel"))
	}
	return err
}
