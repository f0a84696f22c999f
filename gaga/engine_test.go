package gaga

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/audit"
	"github.com/agepath/agepath/gaga/internal/branch"
	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/landing"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/convex"
)

// gram returns the n x n kernel matrix of a problem's samples.
func gram(p *Problem) []float64 {
	n := p.X.Rows
	k := make([]float64, n*n)
	points := convex.NewPoints(p.X)
	p.Kernel.Block(blas64.General{Rows: n, Cols: n, Stride: n, Data: k}, points, points)
	return k
}

// newPlainTracker returns a tracker of one event at a time that sums its terms over all
// samples at each point, without windows.
func newPlainTracker(p *Problem, o Options) (*tracker, error) {
	t, err := newTracker(p, o)
	if err != nil {
		return nil, err
	}
	m := p.engine()
	c := condition.NewPlain(m)
	corrector, horizon := newton.New(c), window.Everything{}
	t.condition = c
	t.branch = branch.New(c, corrector, horizon, branch.Options{Last: o.Age.Max})
	t.lander = landing.New(c, corrector, t.search, horizon, landing.Options{
		MaxAlternations: o.maxAlternations(), Last: o.Age.Max, Verify: o.verifying(),
	})
	auditor := audit.New(m)
	t.audit = func(behind model.Crossing) string {
		return auditor.Check(c.State(), t.branch.Left(), c.Scope().Floor, behind)
	}
	return t, nil
}
