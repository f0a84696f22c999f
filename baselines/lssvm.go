package baselines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/convex"
)

// LSSVM returns the problem of the least squares support vector machine (Suykens and Vandewalle,
// 1999) for regression or labels ±1,
//
//	min over w, b of ½‖w‖² + (C/2) Σ_i m_i (y_i - w·φ(x_i) - b)²
//
// That is the squared loss with the penalty L2 = 2/C and a free intercept, up to the factor C/2. A
// nil kernel is the linear one.
func LSSVM(x blas64.General, y, multiplicity []float64, c float64, kernel gaga.Kernel) *gaga.Problem {
	return &gaga.Problem{X: x, Y: y, Multiplicity: multiplicity, Loss: gaga.Squared{}, Penalty: gaga.Penalty{L2: 2 / c}, Kernel: kernel, Intercept: true}
}

// Fit is the model of a robust method.
type Fit struct {
	// Theta has the coefficients, or with a kernel a signed multiplier per training row, and the
	// intercept, in the form of [gaga.Predictor].
	Theta []float64
	// Weights are the final weights of the samples in [0, 1].
	Weights []float64
	// Objective is that of the method, in its documented scale.
	Objective float64
	// KKT is the largest relative violation of the optimality conditions of the final convex
	// problem, or its relative duality gap if the method says so.
	KKT float64

	Age     float64   // of a path
	Rates   FlipRates // of [Forward]
	Trimmed float64   // the objective of the first stage of [RLSSVM], [SparseLTS] and [MM]
	Center  float64   // of its residuals, of [SparseLTS]
	Scale   float64   // σ̂ of the first stage's residuals
	Descent []float64 // the objective of [ReLSSVM] after each convex problem, not increasing
}

// TrimOptions tune [RLSSVM], [SparseLTS], [TrimmedLoss] and [MM].
type TrimOptions struct {
	// Coverage is the share of the samples that is not trimmed, in [0.5, 1]; 0.5 withstands the
	// most outliers. 0: 0.7 of [RLSSVM], 0.75 of [SparseLTS] and [TrimmedLoss].
	Coverage float64
	// Starts is the number of random subsets of [SparseLTS] and [MM], 0: 500, and of [RLSSVM], 0: 20.
	Starts int
	// Random draws the subsets. nil: a fixed seed.
	Random *rand.Rand
	// Raw omits the second stage of [SparseLTS].
	Raw bool
}

func (o *TrimOptions) complete(coverage float64, starts int) error {
	o.Coverage, o.Starts = cmp.Or(o.Coverage, coverage), cmp.Or(o.Starts, starts)
	switch {
	case !(o.Coverage >= 0.5 && o.Coverage <= 1):
		return fmt.Errorf("baselines: coverage %v, allowed is 0.5 to 1", o.Coverage)
	case o.Starts < 0:
		return fmt.Errorf("baselines: %d starts, need at least 1", o.Starts)
	}
	if o.Random == nil {
		o.Random = rand.New(rand.NewPCG(0, 0))
	}
	return nil
}

// fitter solves weighted least squares support vector machines,
//
//	min over w, b of ½‖w‖² + (C/2) Σ_i a_i (t_i - u_i)²,   u_i = w·φ(x_i) + b.
//
// If all weights are 0, w is 0 and b is unchanged.
type fitter interface {
	weigh(ctx context.Context, a []float64) error
	// fit returns the relative violation of the optimality conditions. Targets of samples of weight
	// 0 are ignored.
	fit(targets []float64) (kkt float64)
	predict(u []float64)
	norm() float64
	theta() []float64
}

// machine has the weighted fits of a problem of [LSSVM].
type machine struct {
	fitter
	c            float64
	y            []float64
	multiplicity []float64 // never nil
	weights      []float64 // of the last fit, with multiplicities
	residual     []float64 // y - u
	kkt          float64
}

// newMachine prepares a problem of [LSSVM]: in the primal, or, for a kernel or fewer rows than
// columns, in the dual.
func newMachine(ctx context.Context, p *gaga.Problem) (*machine, error) {
	if err := checkLSSVM(p); err != nil {
		return nil, err
	}
	n := p.X.Rows
	m := &machine{c: 2 / p.Penalty.L2, y: p.Y, multiplicity: multiplicities(p), weights: make([]float64, n), residual: make([]float64, n)}
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

// Fit fits the machine to y with weights of the samples.
func (m *machine) Fit(ctx context.Context, weights []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.weigh(ctx, floats.MulTo(m.weights, weights, m.multiplicity)); err != nil {
		return err
	}
	m.refit(m.y)
	return nil
}

func (m *machine) refit(targets []float64) {
	m.kkt = m.fit(targets)
	m.predict(m.residual)
	floats.SubTo(m.residual, m.y, m.residual)
}

// resolved reports a last fit that rounding has spoilt.
func (m *machine) resolved() error {
	const tolerance = 1e-8
	if m.kkt <= tolerance {
		return nil
	}
	return fmt.Errorf("the least squares system is solved to a relative residual of %.1e only, not %g: scale the features, or lower C", m.kkt, tolerance)
}

// objective is ½‖w‖² + (C/2) Σ a e² with the weights of the last fit.
func (m *machine) objective() float64 {
	sum := m.norm()
	for i, e := range m.residual {
		sum += m.c * m.weights[i] * e * e
	}
	return sum / 2
}

// Losses writes (C/2) e².
func (m *machine) Losses(dst []float64) {
	floats.ScaleTo(dst, m.c/2, floats.MulTo(dst, m.residual, m.residual))
}

func (m *machine) Penalty() float64 { return m.norm() / 2 }

func (m *machine) Theta() []float64 { return m.theta() }

func (m *machine) Certificate() convex.Certificate { return convex.Certificate{KKT: m.kkt} }

func largest(x []float64) float64 { return floats.Norm(x, math.Inf(1)) }

func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}
