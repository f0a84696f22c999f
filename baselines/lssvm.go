package baselines

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
)

// LSSVM returns the problem of the least squares support vector machine
// (Suykens and Vandewalle, 1999) for regression, and with the labels -1 and +1
// for classification, where y_i e_i = y_i - f(x_i) makes both the same problem:
//
//	min over w, b of ½‖w‖² + (C/2) Σ_i m_i (y_i - w·φ(x_i) - b)²
//
// That is the squared loss r² with the penalty L2 = 2/C and a free intercept, up
// to the factor C/2. A nil kernel is the linear one. C > 0 is the papers' γ.
func LSSVM(x blas64.General, y, multiplicity []float64, c float64, kernel gaga.Kernel) *gaga.Problem {
	return &gaga.Problem{X: x, Y: y, Multiplicity: multiplicity, Loss: gaga.Squared{}, Penalty: gaga.Penalty{L2: 2 / c}, Kernel: kernel, Intercept: true}
}

// Fit is the model that a robust method found.
type Fit struct {
	// Theta has the coefficients, or with a kernel a multiplier for each training
	// row, and the intercept, as [gaga.Predictor] takes them: of the squared loss
	// the multipliers are signed.
	Theta []float64
	// Weights are the n final weights of the samples in [0, 1].
	Weights []float64
	// Objective is that of the method, in the scale in which it documents it.
	Objective float64
	// KKT is the largest violation of the optimality conditions of Theta for the
	// method's final convex problem, relative to the size of their terms, or its
	// relative duality gap where a method says so.
	KKT float64
	// Iterations counts convex problems solved, over all starts.
	Iterations int
}

// fitter solves weighted least squares support vector machines,
//
//	min over w, b of ½‖w‖² + (C/2) Σ_i a_i (t_i - u_i)²,   u_i = w·φ(x_i) + b.
//
// Without any weight w is 0 and b stays.
type fitter interface {
	// weigh sets the n weights a_i >= 0 and factorizes for them.
	weigh(ctx context.Context, a []float64) error
	// fit finds the optimum for the n targets and returns the relative violation
	// of its optimality conditions. The targets of samples without weight do not
	// matter.
	fit(targets []float64) (kkt float64)
	// predict writes u of the n training samples.
	predict(u []float64)
	// norm returns ‖w‖².
	norm() float64
	// theta returns the solution as [Fit] has it.
	theta() []float64
	// newLeverages returns room for leverages, which fills it in for the weights.
	newLeverages() *leverages
	leverages(ctx context.Context, h *leverages) error
}

// machine is a least squares support vector machine and what the robust methods
// need beside its fits.
type machine struct {
	fitter
	c            float64
	y            []float64
	multiplicity []float64 // n, never nil
	total        float64   // Σ m
	residual     []float64 // n: y - u
	solved       int
}

// newMachine prepares a problem of [LSSVM]: in the primal with factors of size
// d, or in the dual with factors of size n, for a kernel and for fewer rows than
// columns.
func newMachine(ctx context.Context, p *gaga.Problem) (*machine, error) {
	if err := checkLSSVM(p); err != nil {
		return nil, err
	}
	n := p.X.Rows
	m := &machine{c: 2 / p.Penalty.L2, y: p.Y, multiplicity: p.Multiplicity, residual: make([]float64, n)}
	if m.multiplicity == nil {
		m.multiplicity = make([]float64, n)
		for i := range m.multiplicity {
			m.multiplicity[i] = 1
		}
	}
	for _, v := range m.multiplicity {
		m.total += v
	}
	if p.Kernel == nil && n >= p.X.Cols {
		m.fitter = newPrimal(p.X, m.c)
		return m, nil
	}
	dual, err := newDual(ctx, p.X, p.Kernel, m.c)
	m.fitter = dual
	return m, err
}

func checkLSSVM(p *gaga.Problem) error {
	if err := unpaced(p).Check(); err != nil {
		return err
	}
	_, squared := p.Loss.(gaga.Squared)
	switch {
	case !squared || !(p.Penalty.L2 > 0) || p.Penalty.L1 != 0:
		return fmt.Errorf("baselines: the %s loss with penalties L1 = %v, L2 = %v is no least squares support vector machine: need the squared loss, L1 = 0 and L2 > 0", p.Loss.Name(), p.Penalty.L1, p.Penalty.L2)
	case !p.Intercept:
		return errors.New("baselines: least squares support vector machines have an intercept, Intercept is false")
	}
	return nil
}

// solve weighs the samples by a and fits the machine to y. The residuals are
// then those of the fit.
func (m *machine) solve(ctx context.Context, a []float64) (kkt float64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := m.weigh(ctx, a); err != nil {
		return 0, err
	}
	return m.refit(m.y), nil
}

// resolved returns an error for a fit whose optimality conditions do not hold.
func resolved(kkt float64) error {
	const tolerance = 1e-8
	if kkt <= tolerance {
		return nil
	}
	return fmt.Errorf("the least squares system is solved to a relative residual of %.1e only, not %g: scale the features, or lower C", kkt, tolerance)
}

// refit fits to the targets with the weights as they are.
func (m *machine) refit(targets []float64) (kkt float64) {
	kkt = m.fit(targets)
	m.solved++
	m.predict(m.residual)
	for i, u := range m.residual {
		m.residual[i] = m.y[i] - u
	}
	return kkt
}

// weighted returns ½‖w‖² + (C/2) Σ a_i e_i² for the residuals e.
func (m *machine) weighted(a []float64) float64 {
	sum := 0.0
	for i, e := range m.residual {
		sum += a[i] * e * e
	}
	return (m.norm() + m.c*sum) / 2
}

// shares returns the weights a relative to the multiplicities.
func (m *machine) shares(a []float64) []float64 {
	v := make([]float64, len(a))
	for i := range v {
		v[i] = a[i] / m.multiplicity[i]
	}
	return v
}

// labels reports whether all targets are -1 or +1.
func (m *machine) labels() bool {
	for _, y := range m.y {
		if math.Abs(y) != 1 {
			return false
		}
	}
	return true
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// largest returns max |x_i|.
func largest(x []float64) float64 {
	worst := 0.0
	for _, v := range x {
		worst = max(worst, math.Abs(v))
	}
	return worst
}

// ratio returns a/b, 0 for 0/0.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}
