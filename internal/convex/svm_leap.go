package convex

import (
	"context"
	"fmt"

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
	weights []float64
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
		l.weights = make([]float64, len(s.y))
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
	l.started = false
	var err error
	if l.last, err = l.solver.Solve(ctx, o); err != nil || l.last.Status != rehline.Solved {
		return false, err
	}
	l.started = true
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
