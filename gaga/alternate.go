package gaga

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/agepath/agepath/gaga/internal/search"
	"github.com/agepath/agepath/internal/convex"
	"gonum.org/v1/gonum/floats"
)

// Alternation is alternate convex search (ACS): each step sets each weight to v*(l_i, λ) and fits
// the weighted convex problem. No step increases the implicit objective G_λ.
type Alternation struct {
	frame  *frame
	search *search.Search
	kinds  []ZoneKind
}

// ErrOneClass reports that all samples of positive weight have one label: with a free intercept the
// fit then has no minimum.
var ErrOneClass = convex.ErrOneClass

// ErrDiscarded reports that every sample has weight 0 at an age.
var ErrDiscarded = errors.New("every sample is discarded")

// NewAlternation returns an error if the problem is invalid or has no convex solver.
func NewAlternation(p *Problem) (*Alternation, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	return newAlternation(p.framed())
}

func newAlternation(p *Problem, f *frame) (*Alternation, error) {
	solver, err := newSolver(p)
	if err != nil {
		return nil, err
	}
	a := &Alternation{frame: f, search: search.New(p.engine(), solver)}
	for _, z := range p.Regularizer.Zones() {
		a.kinds = append(a.kinds, z.Kind)
	}
	return a, nil
}

func newSolver(p *Problem) (convex.Solver, error) {
	l1, l2 := p.Penalty.L1, p.Penalty.L2
	switch loss := p.Loss.(type) {
	case SquaredLoss:
		if p.Kernel == nil && l2 == 0 {
			return convex.NewLasso(p.X, p.Y, l1/(2*p.total()), p.total(), p.Intercept), nil
		}
	case HingeLoss:
		if l1 == 0 && l2 > 0 {
			if p.Kernel == nil {
				return convex.NewLinearSVM(p.X, p.Y, loss.Cost()/l2, p.Intercept)
			}
			return convex.NewSVM(p.X, p.Y, loss.Cost()/l2, p.Kernel, p.Intercept, convex.SVMOptions{}), nil
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

func (p *Problem) multiplicity(i int) float64 {
	if p.Multiplicity == nil {
		return 1
	}
	return p.Multiplicity[i]
}

// FitAll fits the problem with all weights 1.
func (a *Alternation) FitAll(ctx context.Context) error { return a.search.FitAll(ctx) }

// Fit fits the problem with n weights >= 0, starting at the current solution. On an error (the
// context's, [ErrOneClass] or the solver's) the current solution is unchanged.
func (a *Alternation) Fit(ctx context.Context, weights []float64) error {
	return a.search.Fit(ctx, weights)
}

// Losses writes the n losses at the current solution into dst.
func (a *Alternation) Losses(dst []float64) { a.search.Losses(dst) }

// Theta returns the current solution.
func (a *Alternation) Theta() []float64 { return a.frame.outer(a.search.Theta()) }

// SetTheta makes theta the current solution: with more features than samples and the penalty L2
// alone, its part in the span of the samples, which has the same predictors.
func (a *Alternation) SetTheta(theta []float64) { a.search.SetTheta(a.frame.inner(theta)) }

// Step does one alternation. It returns the largest difference between the weights for the new
// solution and those it was fitted with; 0 means a partial optimum. An error of Fit, or
// [ErrDiscarded], leaves the current solution unchanged.
func (a *Alternation) Step(ctx context.Context, age float64) (change float64, err error) {
	if a.Discards(age) {
		return 0, fmt.Errorf("gaga: alternation at age %v: %w", age, ErrDiscarded)
	}
	return a.search.Step(ctx, age)
}

// NotConverged reports that alternation reached its iteration limit.
type NotConverged struct {
	Age        float64
	Iterations int
	Change     float64
}

func (e *NotConverged) Error() string {
	return fmt.Sprintf("gaga: alternation at age %v still moves a weight by %.2g after %d iterations", e.Age, e.Change, e.Iterations)
}

// roundingSteps is the number of steps after which alternation is at rounding if the weights are within
// a tenth of it times the least change of a step: steps that lead somewhere add up, also the small ones
// near a fold.
const roundingSteps = 1000

// Converge alternates until no weight changes by more than tolerance (0: 1e-10), or until the steps no
// longer add up, as at ages of the size of the solver's errors. It does so at most limit times (0:
// 100,000), and returns how often. Errors are those of Step, or [*NotConverged].
func (a *Alternation) Converge(ctx context.Context, age, tolerance float64, limit int) (int, error) {
	if tolerance == 0 {
		tolerance = 1e-10
	}
	if limit == 0 {
		limit = 100_000
	}
	var change float64
	var before []float64
	least := math.Inf(1)
	for k := 1; k <= limit; k++ {
		var err error
		if change, err = a.Step(ctx, age); err != nil {
			return k, err
		}
		if change <= tolerance {
			return k, nil
		}
		if least = min(least, change); k%roundingSteps == 0 {
			if before != nil && floats.Distance(before, a.search.Fitted(), math.Inf(1)) <= roundingSteps/10*least {
				return k, nil
			}
			before, least = append(before[:0], a.search.Fitted()...), math.Inf(1)
		}
	}
	return limit, &NotConverged{age, limit, change}
}

// Knot describes the current solution. Its KKT is the residual of the last weighted fit plus the
// largest change of a weight in the next step.
func (a *Alternation) Knot(age float64, kind Kind) Knot {
	k := Knot{Age: age, Kind: kind, Index: -1, Scalar: math.NaN(), Theta: a.Theta()}
	k.KKT = a.search.Certificate().KKT + a.search.Change()
	k.Objective = a.search.Objective(age)
	a.search.Weigh(age)
	for _, zone := range a.search.Zone() {
		k.count(a.kinds[zone], 1)
	}
	k.Active = active(k.Theta)
	return k
}

// Penalty returns R at the current solution.
func (a *Alternation) Penalty() float64 { return a.search.Penalty() }

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

func active(theta []float64) int {
	n := 0
	for _, w := range theta[:len(theta)-1] {
		if w != 0 {
			n++
		}
	}
	return n
}

// Certificate returns the certificate of the last weighted fit.
func (a *Alternation) Certificate() convex.Certificate { return a.search.Certificate() }

// Discards reports whether the current solution gives every sample weight 0.
func (a *Alternation) Discards(age float64) bool { return a.search.Discards(age) }
