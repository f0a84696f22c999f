package landing

import (
	"context"
	"fmt"
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
)

type stepper interface {
	trail
	begin(theta []float64, age float64)
	// step returns an *unfinished if no step is possible.
	step(ctx context.Context) (progress, error)
	// settle sets pt to the current solution, with all samples in their zones. It reports false if
	// the corrector can find nothing new; with final, never.
	settle(pt *model.Point, final bool) (value float64, ok bool)
	limits() limits
}

type progress struct {
	changed bool    // zones or support
	moved   float64 // 0 if it is rounding
	others  bool    // other near samples
}

type limits struct {
	plain  int  // steps before extrapolation
	quiet  int  // steps in the same zones before the corrector
	across bool // changes of zone only bend the way
}

type majorization struct {
	*site
	stepper
	extrapolation *extrapolation
}

func newMajorization(s *site, m stepper) *majorization {
	return &majorization{s, m, newExtrapolation(s, m, m.limits().across)}
}

func (m *majorization) run(ctx context.Context, d *departure, pt *model.Point) (steps int, err error) {
	m.begin(d.theta, d.age)
	return m.descend(ctx, d, pt)
}

func (m *majorization) descend(ctx context.Context, d *departure, pt *model.Point) (steps int, err error) {
	limits, detours, begins := m.limits(), 0, true
	var before, last float64 // lengths of steps
	trigger := &trigger{least: limits.quiet, next: limits.quiet, before: math.Inf(1)}
	for steps < d.most {
		if err := ctx.Err(); err != nil {
			return steps, err
		}
		p, err := m.step(ctx)
		if err != nil {
			m.stop(d)
			return steps, err
		}
		steps++
		before, last = last, p.moved
		theta, _, _ := m.solution()
		if err := m.lowers("majorization-minimization step", d.age, theta); err != nil {
			return steps, err
		}
		if begins {
			m.extrapolation.begin(d.age)
		} else if p.others {
			m.extrapolation.look()
		}
		waits := trigger.waits(p, begins)
		if begins = false; waits {
			if steps > limits.plain && m.extrapolation.extend() {
				theta, _, _ = m.solution()
				err = m.lowers("extrapolated step", d.age, theta)
			}
			if err != nil {
				return steps, err
			}
			continue
		}
		still := p.moved == 0
		value, ok := m.settle(pt, still)
		if !ok {
			continue
		}
		accepted, thinned := m.finish(pt, theta, value, still)
		switch {
		case accepted:
			return steps, m.lowers("corrector", d.age, pt.Theta)
		case still && detours < 2*m.state.P && m.detour(d, pt, thinned):
			detours++
			begins = true
		case still:
			m.stop(d)
			return steps, &unfinished{"the steps settle where the optimum is not strict"}
		}
	}
	m.stop(d)
	return steps, &unfinished{fmt.Sprintf("%d steps have not settled, the last of %g of the one before", steps, last/before)}
}

func (m *majorization) stop(d *departure) {
	theta, _, _ := m.solution()
	copy(d.theta, theta)
}

// detour continues from another point when steps have stopped at no strict optimum: from pt, the
// one of smallest support among equal ones, or off a saddle.
func (m *majorization) detour(d *departure, pt *model.Point, thinned bool) bool {
	if thinned {
		m.begin(pt.Theta, d.age)
		return true
	}
	theta, _, _ := m.solution()
	off, ok := m.offSaddle(pt, theta, d.age)
	if ok {
		d.way += ", left a saddle point"
		m.begin(off, d.age)
	}
	return ok
}

// trigger decides when to try the corrector: when the steps no longer move, or after a number of
// steps in the same zones, which doubles with each try, unless the steps grow.
type trigger struct {
	least  int // quiet before the first try
	quiet  int // steps with the same zones
	next   int // quiet before the next try
	before float64
}

// waits reports whether to continue without a try; with first, earlier zones are unknown.
func (t *trigger) waits(p progress, first bool) bool {
	if t.quiet++; p.changed || first {
		t.quiet, t.next = 0, t.least
	}
	leaving := p.moved > t.before // no optimum is near
	t.before = p.moved
	if (t.quiet < t.next || leaving) && p.moved > 0 {
		return true
	}
	t.next *= 2
	return false
}
