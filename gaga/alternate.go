package gaga

import (
	"context"
	"fmt"
	"math"

	"github.com/agepath/agepath/internal/convex"
)

// Alternation is alternate convex search (ACS): in turns it gives each sample
// the weight v*(l_i, λ) and fits the weighted convex problem. It never
// increases the implicit objective G_λ.
type Alternation struct {
	problem    *Problem
	solver     convex.Solver
	zones      []Zone
	thresholds []float64    // of the zones but the last, at the last age
	scores     []float64    // n, at the current solution
	losses     []float64    // n, at the current solution
	fitted     []float64    // n, v that the current solution was fitted with
	weights    []float64    // n, fitted times multiplicities; fitted itself where these are 1
	zone       []uint8      // n, of the losses at the current solution and the age weighed
	reweighed  []float64    // n, v* there
	slopes     [2][]float64 // n, scratch for a VectorLoss
	weighed    float64      // 0 where the solution is newer than reweighed

	certificate convex.Certificate // of the last weighted fit
	change      float64            // of the weights in the last step
}

// ErrOneClass says that a fit has no minimum: with a free intercept, all
// samples of positive weight have one label, and b runs off to infinity.
var ErrOneClass = convex.ErrOneClass

// NewAlternation prepares alternate convex search for a problem. The error
// says what is wrong with the problem, or that no convex solver fits its loss
// and penalty.
func NewAlternation(p *Problem) (*Alternation, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	solver, err := newSolver(p)
	if err != nil {
		return nil, err
	}
	n, zones := p.X.Rows, p.Regularizer.Zones()
	a := &Alternation{
		problem: p, solver: solver, zones: zones, thresholds: make([]float64, len(zones)-1),
		scores: make([]float64, n), losses: make([]float64, n), fitted: make([]float64, n),
		zone: make([]uint8, n), reweighed: make([]float64, n),
	}
	if p.Multiplicity != nil {
		a.weights = make([]float64, n)
	}
	if _, ok := p.Loss.(VectorLoss); ok {
		a.slopes = [2][]float64{make([]float64, n), make([]float64, n)}
	}
	return a, nil
}

// newSolver chooses the weighted convex solver of a problem: the one made for
// its loss and penalty, else the one for smooth losses.
func newSolver(p *Problem) (convex.Solver, error) {
	l1, l2 := p.Penalty.L1, p.Penalty.L2
	switch loss := p.Loss.(type) {
	case SquaredLoss:
		if p.Kernel == nil && l2 == 0 {
			return convex.NewLasso(p.X, p.Y, l1/(2*p.total()), p.total(), p.Intercept), nil
		}
	case HingeLoss:
		if l1 == 0 && l2 > 0 {
			kernel := p.Kernel
			if kernel == nil {
				kernel = convex.Linear{}
			}
			return convex.NewSVM(p.X, p.Y, loss.Cost()/l2, kernel, p.Intercept, convex.SVMOptions{}), nil
		}
	case ownSolver:
		if solver := loss.solver(p); solver != nil {
			return solver, nil
		}
	}
	if p.Kernel == nil && !p.Loss.Kinked() {
		return convex.NewSmooth(p.X, p.Y, p.Loss, convex.SmoothOptions{L1: l1, L2: l2, Intercept: p.Intercept, OneSided: p.oneSided()}), nil
	}
	return nil, fmt.Errorf("gaga: no convex solver for the %s loss with penalty L1 = %v, L2 = %v and kernel %v", p.Loss.Name(), l1, l2, p.Kernel)
}

// multiplicity returns how many samples row i stands for.
func (p *Problem) multiplicity(i int) float64 {
	if p.Multiplicity == nil {
		return 1
	}
	return p.Multiplicity[i]
}

// FitAll fits the problem with all weights 1.
func (a *Alternation) FitAll(ctx context.Context) error {
	for i := range a.fitted {
		a.fitted[i] = 1
	}
	return a.fit(ctx)
}

// Fit fits the problem with the given weights, n numbers >= 0, from the current
// solution on. The error is the context's, [ErrOneClass] or the solver's; the
// current solution then stays.
func (a *Alternation) Fit(ctx context.Context, weights []float64) error {
	copy(a.fitted, weights)
	a.change = 0 // of no step
	return a.fit(ctx)
}

// Losses writes the losses l_i at the current solution into dst, of length n.
func (a *Alternation) Losses(dst []float64) {
	a.lose()
	copy(dst, a.losses)
}

// fit makes the optimum for the weights in fitted the current solution.
func (a *Alternation) fit(ctx context.Context) error {
	weights := a.fitted
	if a.weights != nil {
		weights = a.weights
		for i, m := range a.problem.Multiplicity {
			weights[i] = a.fitted[i] * m
		}
	}
	a.weighed = 0
	var err error
	if a.certificate, err = a.solver.Solve(ctx, weights); err != nil {
		return fmt.Errorf("gaga: weighted fit: %w", err)
	}
	a.solver.Scores(a.scores)
	return nil
}

// Theta returns the current solution; the slice is the alternation's own.
func (a *Alternation) Theta() []float64 { return a.solver.Theta() }

// SetTheta makes theta the current solution.
func (a *Alternation) SetTheta(theta []float64) {
	a.weighed = 0
	a.solver.SetTheta(theta)
	a.solver.Scores(a.scores)
}

// guess has the next step weigh the samples by the given predictors instead of
// the current solution's; the fit starts from the current solution.
func (a *Alternation) guess(scores []float64) {
	a.weighed = 0
	copy(a.scores, scores)
}

// startAt is SetTheta with the predictors known: a support vector machine needs
// them only, to tell where the multipliers stand.
func (a *Alternation) startAt(theta, scores []float64) {
	svm, ok := a.solver.(*convex.SVM)
	if !ok {
		a.SetTheta(theta)
		return
	}
	svm.SetScores(scores, theta[len(theta)-1])
	a.guess(scores)
}

// weigh makes reweighed v*(l_i, λ) at the current solution.
func (a *Alternation) weigh(age float64) {
	if a.weighed == age {
		return
	}
	a.weighed = age
	a.lose()
	r := a.problem.Regularizer
	thresholdsAt(a.thresholds, r, age)
	for i, loss := range a.losses {
		zone := zoneAmong(a.zones, a.thresholds, loss)
		a.zone[i] = uint8(zone)
		a.reweighed[i], _, _ = r.Weight(zone, loss, age)
	}
}

// lose computes the losses at the current solution.
func (a *Alternation) lose() {
	y := a.problem.Y
	switch l := a.problem.Loss.(type) {
	case SquaredLoss: // as Eval has it, without the call
		for i, u := range a.scores {
			r := u - y[i]
			a.losses[i] = r * r
		}
	case HingeLoss:
		c := l.Cost()
		for i, u := range a.scores {
			a.losses[i] = max(0, c*(1-y[i]*u))
		}
	case VectorLoss:
		l.EvalAll(a.scores, y, a.losses, a.slopes[0], a.slopes[1])
	default:
		for i, u := range a.scores {
			a.losses[i], _, _ = l.Eval(u, y[i])
		}
	}
}

// Step does one alternation at an age. It returns by how much the weights that
// belong to the new solution differ from those it was fitted with, the largest
// over the samples: 0 means a partial optimum.
func (a *Alternation) Step(ctx context.Context, age float64) (change float64, err error) {
	a.weigh(age)
	a.fitted, a.reweighed = a.reweighed, a.fitted
	if err := a.fit(ctx); err != nil {
		return 0, err
	}
	a.weigh(age)
	for i, v := range a.reweighed {
		if c := math.Abs(v - a.fitted[i]); !(c <= change) {
			change = c
		}
	}
	a.change = change
	return change, nil
}

// NotConverged says that alternation used up its iterations.
type NotConverged struct {
	Age        float64
	Iterations int
	Change     float64 // of the weights in the last iteration
}

func (e *NotConverged) Error() string {
	return fmt.Sprintf("gaga: alternation at age %v still moves a weight by %.2g after %d iterations", e.Age, e.Change, e.Iterations)
}

// Converge alternates at an age until no weight moves by more than tolerance
// (0: 1e-10), at most limit times (0: 100,000). It returns the number of
// alternations. The error is the context's, the solver's or [*NotConverged].
func (a *Alternation) Converge(ctx context.Context, age, tolerance float64, limit int) (int, error) {
	if tolerance == 0 {
		tolerance = 1e-10
	}
	if limit == 0 {
		limit = 100_000
	}
	var change float64
	for k := 1; k <= limit; k++ {
		var err error
		if change, err = a.Step(ctx, age); err != nil {
			return k, err
		}
		if change <= tolerance {
			return k, nil
		}
	}
	return limit, &NotConverged{age, limit, change}
}

// Knot describes the current solution as a knot at an age. Its KKT is the
// residual of the last weighted fit plus the largest change of a weight that
// the solution would bring about.
func (a *Alternation) Knot(age float64, kind Kind) Knot {
	p := a.problem
	k := Knot{Age: age, Kind: kind, Index: -1, Scalar: math.NaN(), Theta: append([]float64(nil), a.Theta()...)}
	k.KKT = a.certificate.KKT + a.change
	k.Objective = a.Penalty()
	for i, u := range a.scores {
		loss, _, _ := p.Loss.Eval(u, p.Y[i])
		k.Objective += p.multiplicity(i) * p.Regularizer.Integral(loss, age)
		k.count(a.zones[zoneOf(p.Regularizer, a.zones, loss, age)].Kind, 1)
	}
	k.Active = active(k.Theta)
	return k
}

// Penalty returns R at the current solution.
func (a *Alternation) Penalty() float64 {
	p, theta := a.problem, a.Theta()
	last := len(theta) - 1
	var l1, l2 float64
	for i, w := range theta[:last] {
		if p.Kernel != nil { // ‖w‖² = Σ_i α_i y_i (f(x_i) - b)
			l2 += w * p.Y[i] * (a.scores[i] - theta[last])
			continue
		}
		l1 += math.Abs(w)
		l2 += w * w
	}
	return p.Penalty.L1*l1 + 0.5*p.Penalty.L2*l2
}

// count adds samples to the count of their zone's kind.
func (k *Knot) count(zone ZoneKind, samples int) {
	switch zone {
	case Easy, Satisfied, Pinned:
		k.Easy += samples
	case Middle:
		k.Middle += samples
	default:
		k.Discarded += samples
	}
}

// active returns the number of nonzero coefficients, the intercept apart.
func active(theta []float64) int {
	n := 0
	for _, w := range theta[:len(theta)-1] {
		if w != 0 {
			n++
		}
	}
	return n
}

// Certificate returns that of the last weighted fit.
func (a *Alternation) Certificate() convex.Certificate { return a.certificate }

// Discards reports whether the current solution's losses discard every sample
// at an age.
func (a *Alternation) Discards(age float64) bool {
	a.weigh(age)
	for _, v := range a.reweighed {
		if v > 0 {
			return false
		}
	}
	return true
}

// unfit reports whether the current solution's losses leave too little at an
// age for a fit: no sample, or for logistic regression with an intercept
// samples of one class only.
func (a *Alternation) unfit(age float64) bool {
	if a.Discards(age) {
		return true
	}
	if !a.problem.needsBoth() {
		return false
	}
	var here, there bool
	for i, y := range a.problem.Y {
		if a.reweighed[i] > 0 {
			here, there = here || y > 0, there || y < 0
		}
	}
	return !(here && there)
}
