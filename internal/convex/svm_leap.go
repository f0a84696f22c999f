package convex

import (
	"context"
	"fmt"
	"math"

	"github.com/agepath/agepath/internal/kernel"
	"github.com/agepath/agepath/rehline"
)

// leap finds the optimum of a linear machine by package rehline, whose Newton
// steps on the d coefficients cost far less than updates of the n multipliers.
// The polish takes it from there, to the exact free set and this package's
// tolerance.
type leap struct {
	solver  *rehline.Solver
	last    rehline.Solution // whose slices are the solver's
	started bool
	fresh   bool // the last solution is that of the present weights
	weights []float64
	theta   []float64 // d+1, work
}

// leapTolerance is the duality gap at which rehline hands over: mostly no
// exchange is left for the polish then.
const leapTolerance = 1e-11

// leapAhead makes rehline's solution for the bounds of the dual the present
// one. It reports false where rehline could not solve it.
func (s *SVM) leapAhead(ctx context.Context) (bool, error) {
	q := s.dual
	l := &s.leap
	if l.solver == nil {
		p := rehline.Problem{X: s.points.X, Loss: rehline.Hinge(s.y), C: s.c}
		if q.Equality {
			p.Intercept = rehline.FreeIntercept
		}
		var err error
		if l.solver, err = rehline.New(p); err != nil {
			return false, fmt.Errorf("setting up: %w", err)
		}
		l.weights, l.theta = make([]float64, len(s.y)), make([]float64, len(s.theta))
	}
	for i, u := range s.upper {
		l.weights[i] = u / s.c
	}
	if err := l.solver.SetWeights(l.weights); err != nil {
		return false, fmt.Errorf("weights: %w", err)
	}
	o := rehline.Options{Tol: leapTolerance, MaxPasses: s.options.MaxUpdates}
	if l.started {
		o.Warm = &l.last
	}
	l.started, l.fresh = false, false
	var err error
	if l.last, err = l.solver.Solve(ctx, o); err != nil || l.last.Status != rehline.Solved {
		return false, err
	}
	l.started, l.fresh = true, true
	for i, alpha := range l.last.Dual.Lambda.Data {
		q.Beta[i] = s.y[i] * alpha
		q.Settle(i)
	}
	q.B = l.last.Intercept
	q.stale = true
	q.evaluate()
	q.snap()
	return true, nil
}

// blurred is the rounding error of a score above which multipliers do not say what the scores are.
const blurred = 1e-7

// land makes rehline's solution for the present weights that of the machine, where the polish's, of
// the given certificate, is not good enough: where features are of very different sizes, no float64
// multipliers resolve the scores at the margin, which the polish counts as met then, while
// coefficients do. KKT is by how much the scores of both differ, relative to the terms of the
// latter; the gap alone decides.
func (s *SVM) land(ctx context.Context, polished Certificate) (Certificate, error) {
	l := &s.leap
	if !l.fresh {
		if _, err := s.leapAhead(ctx); err != nil {
			s.recall()
			return Certificate{}, fmt.Errorf("svm: %w", err)
		}
	}
	if !(l.last.Gap <= Tolerance) {
		s.recall()
		polished.Gap = max(polished.Gap, l.last.Gap)
		return polished, &ToleranceError{"svm", polished}
	}
	c := Certificate{Gap: l.last.Gap, KKT: s.mismatch(), Objective: l.last.Objective, Iterations: polished.Iterations}
	d := len(s.theta) - 1
	copy(l.theta, l.last.Beta)
	l.theta[d] = l.last.Intercept - s.atOrigin(l.theta[:d])
	s.SetTheta(l.theta)
	copy(s.alpha, l.last.Dual.Lambda.Data)
	return c, nil
}

// mismatch returns the largest difference of a score of rehline's coefficients from that of its
// multipliers, relative to the latter's terms.
func (s *SVM) mismatch() float64 {
	x, multipliers, difference := s.points.X, s.leap.last.Dual.Lambda.Data, s.leap.theta[:len(s.theta)-1]
	copy(difference, s.leap.last.Beta)
	for i, a := range multipliers {
		kernel.Axpy(-a*s.y[i], x.Data[i*x.Stride:][:x.Cols], difference)
	}
	largest, scale := 0.0, 1.0
	for i, a := range multipliers {
		row := x.Data[i*x.Stride:][:x.Cols]
		scale = max(scale, a*kernel.Dot(row, row))
		largest = max(largest, math.Abs(kernel.Dot(row, difference)))
	}
	return largest / scale
}
