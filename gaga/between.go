package gaga

import (
	"fmt"
	"math"

	"github.com/agepath/agepath/gaga/internal/branch"
	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/convex"
)

type evaluator struct {
	path      *Path
	condition condition.Condition
	branch    *branch.Branch
	scores    []float64
}

func (p *Path) evaluator() *evaluator {
	if e, ok := p.evaluators.Get().(*evaluator); ok {
		return e
	}
	e := &evaluator{path: p, scores: make([]float64, p.problem.N)}
	if p.problem.Kernel != nil {
		e.condition = condition.NewKernel(p.problem, convex.NewKernelRows(p.problem.X, p.problem.Kernel, 0))
	} else {
		e.condition = condition.NewPlain(p.problem)
	}
	last := p.lambda(p.knots[len(p.knots)-1].Age)
	e.branch = branch.New(e.condition, newton.New(e.condition), window.Everything{}, last)
	return e
}

// at follows the branch from the nearer knot, which cannot end on another branch; if that fails, as
// near a branch point, from the other knot. A landing has its own zones.
func (e *evaluator) at(left, right *Knot, age float64) ([]float64, error) {
	zones := [2]*Knot{left, left}
	if right.Kind == Start {
		zones[1] = right
	}
	ends := [2]*Knot{left, right}
	nearer := 0
	if math.Abs(right.Age-age) < math.Abs(age-left.Age) {
		nearer = 1
	}
	to := e.path.lambda(age)
	for _, k := range [2]int{nearer, 1 - nearer} {
		e.restore(ends[k], zones[k])
		if e.branch.Stand() && e.branch.Follow(to) && e.solved() {
			return e.path.settled(e.condition.State(), e.branch.Left().Theta), nil
		}
	}
	return nil, fmt.Errorf("gaga: no partial optimum is found at age %v between the knots at %v and %v", age, left.Age, right.Age)
}

func (e *evaluator) solved() bool {
	return e.condition.Residual(e.branch.Left()) <= tolerance.KKT
}

// restore sets the left point to the knot from, with the zones after the knot left.
func (e *evaluator) restore(from, left *Knot) {
	pt, st := e.branch.Left(), e.condition.State()
	pt.Age = e.path.lambda(from.Age)
	copy(pt.Theta, e.path.frame.inner(from.Theta))
	if st.Intercept {
		pt.Theta[st.P-1] = from.level
	}
	if st.Kernel == nil {
		clear(pt.Dual) // the equations are linear in them
	}
	e.condition.PredictAll(e.scores, pt.Theta)
	pc := &e.path.pieces[left.piece]
	e.condition.Place(pc.zone, e.scores, nil)
	copy(st.Sign, pc.sign)
	for _, c := range pc.changes[:left.change] {
		switch c.cause {
		case model.SampleUp, model.SampleDown:
			e.condition.Shift(c.index, c.cause == model.SampleUp, nil)
		case model.Activated:
			st.Sign[c.index] = c.sign
		case model.Dropped:
			st.Sign[c.index] = 0
		}
	}
	e.condition.Choose()
	e.branch.Begin(0)
}
