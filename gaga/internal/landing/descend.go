package landing

import (
	"context"
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
)

// stepper makes majorization-minimization steps at an age.
type stepper interface {
	trail
	// begin goes to theta, of length P, at an age.
	begin(theta []float64, age float64)
	// step makes a step. An *unfinished says that there is none.
	step(ctx context.Context) (progress, error)
	// settle makes pt the current solution and puts all samples into their zones there:
	// where the corrector begins. It returns the implicit objective. It reports false where
	// the corrector can find nothing new; with final, nowhere.
	settle(pt *model.Point, final bool) (value float64, ok bool)
	limits() limits
}

// progress is what a step has done.
type progress struct {
	changed bool    // a sample's zone, or the support, is another
	moved   float64 // how far it went, 0 where that is rounding
	others  bool    // other samples are looked at
}

// limits of a stepper's steps.
type limits struct {
	plain  int  // steps before any is extrapolated
	quiet  int  // steps without a change of zone before the first try of the corrector
	most   int  // steps
	across bool // changes of zone only bend the way: an extrapolated step may cross some
}

// majorization is a descent by majorization-minimization steps.
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

// descend is run from where the stepper is.
func (m *majorization) descend(ctx context.Context, d *departure, pt *model.Point) (steps int, err error) {
	limits, detours, begins := m.limits(), 0, true
	trigger := newTrigger(limits.quiet)
	for steps < min(limits.most, d.most) {
		if err := ctx.Err(); err != nil {
			return steps, err
		}
		p, err := m.step(ctx)
		if err != nil {
			m.stop(d)
			return steps, err
		}
		steps++
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
	return steps, &unfinished{"the steps have not settled"}
}

// stop makes d where the steps have come to.
func (m *majorization) stop(d *departure) {
	theta, _, _ := m.solution()
	copy(d.theta, theta)
}

// detour goes on beside a point where steps stand still although it is no strict optimum:
// at the one of least support, which pt is, among many equal ones, or off a saddle.
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

// trigger tells when steps are worth a try of the corrector: once zones have stood still
// for a while, which doubles with each try, unless the steps grow; or where they stand
// still.
type trigger struct {
	least  int     // steps with the same zones before the first try
	quiet  int     // so many had the same zones
	next   int     // so many must have before the next try
	before float64 // how far the last step went
}

func newTrigger(least int) *trigger {
	return &trigger{least: least, next: least, before: math.Inf(1)}
}

// waits takes note of a step and reports whether to go on without a try; first says that
// nothing is known of the zones before it.
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
