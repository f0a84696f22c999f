package gaga

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/agepath/agepath/internal/convex"
)

// point is a point of the path with all that a step needs of it.
type point struct {
	age                   float64
	theta, rate           []float64 // p: θ (zero while inactive) and dθ/dλ
	dual, ddual           []float64 // n, for losses with a kink: multipliers α_i of the pinned samples and their rates
	u, du                 []float64 // watched samples: predictors and their rates
	loss, slope           []float64 // watched samples: losses and their derivatives in u
	curvature             []float64 // watched samples: second derivatives
	grad, dgrad           []float64 // p: Σ_i a_i m φ + l2 θ of the smooth terms, and its rate
	threshold, dthreshold []float64 // the regularizer's thresholds and their rates
	iterations            int       // corrector iterations that led here
}

func newPoint(s *system) *point {
	n, p, edges := s.n, s.p, len(s.zones)-s.kinks-1
	f := func(k int) []float64 { return make([]float64, k) }
	pt := &point{
		theta: f(p), rate: f(p), grad: f(p), dgrad: f(p),
		u: f(n), du: f(n), loss: f(n), slope: f(n), curvature: f(n),
		threshold: f(edges), dthreshold: f(edges),
	}
	switch {
	case s.dualInTheta:
		pt.dual, pt.ddual = pt.theta[:n], pt.rate[:n]
	case s.hinge != nil:
		pt.dual, pt.ddual = f(n), f(n)
	}
	return pt
}

// tracker follows one path. Between two calls of advance, left is a partial
// optimum on the current zones and active coordinates, with H factorized
// there and its rates current.
type tracker struct {
	*system
	primal  *primal // the back-end, where it is this one, else nil
	problem *Problem
	options Options
	search  *Alternation
	path    *Path

	moments     *moments     // terms, where they are moments, else nil
	expansion   *expansion   // terms, where they are an expansion, else nil
	window      *window      // where not all samples are watched, else nil
	stepwise    bool         // landings need no look at all samples, see landNearby
	descent     *slide       // starts of landings, where it applies, else nil
	creep       *creep       // alternation on moments, where it applies, else nil
	creeping    bool         // it is at work
	marginal    *marginCreep // alternation of linear support vector machines, else nil
	sweep       *sweep       // where steps pass many turning points, else nil
	left, right *point
	fold        fold      // where the branch is expected to turn back
	step        float64   // largest step in age that the corrector's behaviour allows
	penalized   bool      // no coordinate is free of any penalty
	shadow      []bool    // p: inactive coordinates that are collinear with the active ones
	kernel      []float64 // n x n, where invariants are checked with a kernel
	verifies    bool      // check invariants
	screened    screen
	gradients   bool // some coordinate can be activated: gradients are needed
	grid        []float64
	idle        int      // steps since the age last moved
	idleAge     float64  // the age then
	last        crossing // the last turning point's
	lastAge     float64  // its age
	landed      float64  // age of the last landing
	restless    int      // jumps in a row that came right after a landing
	total       float64  // samples, multiplicities counted
	theta0      []float64
	before      []float64 // p, scratch: θ before a change
	begun       []float64 // p, scratch: θ that a corrector began with
	pull        []float64 // p, scratch: the residual there, of the active coordinates
	scores      []float64 // n, scratch: predictors of all samples
	rhs, rhs2   []float64 // of each unknown, scratch
	along       []float64
}

func newTracker(pr *Problem, o Options) (*tracker, error) {
	search, err := NewAlternation(pr)
	if err != nil {
		return nil, err
	}
	var t *tracker
	switch {
	case pr.Kernel != nil:
		t = newFollower(pr, newKerneled(pr, search.solver.(*convex.SVM).KernelRows()).system, nil)
	case o.Sweep:
		t = newFollower(pr, nil, newPlain(pr, design(pr)))
	default:
		t = newFollower(pr, nil, newPrimal(pr))
		t.watchFew()
	}
	t.options, t.search, t.verifies, t.grid = o, search, o.verifying(), o.Grid
	t.path = &Path{problem: t.own(pr), sweeps: o.Sweep}
	if o.Sweep {
		t.sweep = newSweep(t)
		if t.n >= slideFewest {
			t.descent = newSlide(t)
		}
	} else {
		t.marginal = newMarginCreep(t)
	}
	return t, nil
}

// newFollower returns a tracker that follows branches from a given point on: it has no
// search to land by, and records no path. The system is that of primal where that is
// given.
func newFollower(pr *Problem, s *system, primal *primal) *tracker {
	if primal != nil {
		s = primal.system
	}
	room := len(s.residual)
	t := &tracker{
		system: s, primal: primal, problem: pr, left: newPoint(s), right: newPoint(s),
		shadow: make([]bool, s.p), total: pr.total(), penalized: true,
		theta0: make([]float64, s.p), before: make([]float64, s.p), begun: make([]float64, s.p), pull: make([]float64, s.p), scores: make([]float64, s.n),
		rhs: make([]float64, room+1), rhs2: make([]float64, room), along: make([]float64, room),
	}
	for j, l1 := range s.l1 {
		t.penalized = t.penalized && (l1 > 0 || s.l2[j] > 0)
	}
	return t
}

// watchFew prepares windows, where the terms allow not to watch all samples.
func (t *tracker) watchFew() {
	t.moments, _ = t.primal.terms.(*moments)
	t.expansion, _ = t.primal.terms.(*expansion)
	if t.summed || t.expansion != nil {
		t.window = newWindow(t.primal)
	}
	if t.moments != nil {
		t.stepwise, t.creep = t.moments.stepwise(), newCreep(t.moments)
	}
}

// own returns the problem in arrays of the tracker's own, but for the features of a
// kernel model, which are the caller's.
func (t *tracker) own(pr *Problem) *Problem {
	p := *pr
	p.Y, p.Multiplicity = slices.Clone(p.Y), slices.Clone(p.Multiplicity)
	if t.primal != nil {
		p.X.Stride, p.X.Data = t.p, t.primal.a
	}
	return &p
}

// run follows the path to the end of the range, or until it has to stop.
func (t *tracker) run(ctx context.Context) error {
	if err := t.begin(ctx); err != nil {
		return t.stop(ctx, err)
	}
	forward := t.advance
	if t.sweep != nil {
		forward = t.sweepOn
	}
	for t.path.status == Complete && t.left.age < t.options.Age.Max {
		if err := ctx.Err(); err != nil {
			return t.stop(ctx, err)
		}
		if err := forward(ctx); errors.Is(err, errVanished) {
			return nil
		} else if err != nil {
			return t.stop(ctx, err)
		}
	}
	t.record(End, crossing{index: -1}, "", math.NaN())
	return nil
}

// advance makes one step: to the next critical point, to a grid age or the end
// of the range, or as far as the corrector carries.
func (t *tracker) advance(ctx context.Context) error {
	if t.stalled() {
		return t.jump(ctx, crossing{cause: Stall, index: -1}, math.NaN())
	}
	target := math.Min(t.target(), t.left.age+t.ahead())
	next, found := t.firstCrossing(t.left, nil)
	if found && next.at == 0 {
		return t.cross(ctx, next)
	}
	shortest := smallest * t.left.age
	h := math.Min(math.Min(math.Max(t.step, shortest), longest*t.left.age), target-t.left.age)
	room := t.toFold()
	if room < shortest {
		return t.jump(ctx, crossing{cause: Fold, index: -1}, math.NaN())
	}
	h = math.Min(h, foldStep*room)
	located := false
	if found && next.at <= h {
		beyond := 1.5
		if located = t.locate(next, t.left.age+next.at, target, nil); !located {
			beyond = 0.5 // the branch may well end before
		}
		h = math.Min(h, math.Max(beyond*next.at, shortest))
	}
	if !located {
		next = crossing{cause: NoCause, index: -1}
		if !t.shorten(h, target) {
			return t.jump(ctx, crossing{cause: Fold, index: -1}, math.NaN())
		}
	}
	// Is there an earlier crossing than the one, if any, at the right end?
	for range 100 {
		earlier, found := t.firstCrossing(t.left, t.right)
		if !found || (earlier.cause == next.cause && earlier.index == next.index && earlier.at > 1-1e-9) {
			return t.accept(ctx, next)
		}
		if earlier.at == 0 {
			return t.cross(ctx, earlier)
		}
		end := t.right.age
		age := t.left.age + earlier.at*(end-t.left.age)
		if t.locate(earlier, age, end, t.right) && t.right.age < end {
			next = earlier
			continue
		}
		// The event function is too curved for its interpolant: shorten the step.
		next = crossing{cause: NoCause, index: -1}
		if h = 0.5 * math.Max(age-t.left.age, 0.25*(end-t.left.age)); h < shortest {
			break
		}
		if !t.shorten(h, target) {
			return t.jump(ctx, crossing{cause: Fold, index: -1}, math.NaN())
		}
	}
	return t.jump(ctx, crossing{cause: Stall, index: -1}, math.NaN())
}

// shorten moves the right point on by h, or by the longest of its halvings
// that the corrector carries, behind which the next step is no longer. It reports
// false where none does: the branch ends here.
func (t *tracker) shorten(h, target float64) bool {
	if t.reach(math.Min(t.left.age+h, target)) {
		return true
	}
	for h *= 0.5; h >= smallest*t.left.age; h *= 0.5 {
		if t.reach(math.Min(t.left.age+h, target)) {
			t.step = math.Min(t.step, h)
			return true
		}
	}
	return false
}

// stalled counts the steps that leave the age where it is, and reports whether
// there were more than a tie of all samples and coordinates accounts for.
func (t *tracker) stalled() bool {
	if t.left.age > t.idleAge*(1+idleWidth) {
		t.idle, t.idleAge = 0, t.left.age
	}
	t.idle++
	return t.idle > 2*(t.n+4*t.p+64)
}

// idleWidth is the relative growth of the age below which it counts as
// standing still.
const idleWidth = 1e-9

// smallest is the shortest step, relative to the age, that still counts as
// progress along a segment: much shorter ones would leave the age as it is.
const smallest = 1e-11

// longest is the longest step relative to the age: event functions depend on
// the age also where θ stands still, and their interpolants must be good.
const longest = 0.5

// target returns the next age at which the path must stop.
func (t *tracker) target() float64 {
	for len(t.grid) > 0 && t.grid[0] <= t.left.age {
		t.grid = t.grid[1:]
	}
	if len(t.grid) > 0 && t.grid[0] < t.options.Age.Max {
		return t.grid[0]
	}
	return t.options.Age.Max
}

// accept makes the right point the left one and deals with the crossing, if
// any, that it was located at. A grid age gets its knot before a critical point
// that falls on it.
func (t *tracker) accept(ctx context.Context, c crossing) error {
	t.left, t.right = t.right, t.left
	t.expectFold(t.right, t.left)
	if err := t.verify(crossing{}, "step"); err != nil {
		return err
	}
	if len(t.grid) > 0 && t.left.age >= t.grid[0] && t.left.age < t.options.Age.Max {
		t.record(Grid, crossing{index: -1}, "", math.NaN())
		t.grid = t.grid[1:]
	}
	if c.cause == NoCause {
		return nil
	}
	return t.cross(ctx, c)
}

// reach moves the right point to an age on the current zones and active
// coordinates. It reports whether the corrector converged near the
// prediction, and adapts the step.
func (t *tracker) reach(age float64) bool {
	l, r := t.left, t.right
	h := age - l.age
	t.predictPoint(r, h)
	copy(t.theta0, r.theta)
	r.age = age
	if !t.correct(r) || !t.near(t.theta0, r.theta, h) || !t.inside(r) {
		return false
	}
	t.finish(r)
	switch {
	case r.iterations <= t.quick:
		t.step = math.Max(t.step, 2*h)
	case r.iterations > t.quick+2:
		t.step = 0.5 * h
	}
	return true
}

// near reports whether a corrected θ is as close to its prediction over a step
// h as a smooth branch allows: else the corrector may have left the branch. Where
// the branch stands still the rounding of θ is all that there is.
func (t *tracker) near(predicted, corrected []float64, h float64) bool {
	var moved, size float64 // squared, in units of the objective
	for r, j := range t.active {
		m, w := h*t.left.rate[j], t.left.theta[j]
		moved += t.diag[r] * m * m
		size += t.diag[r] * w * w
	}
	return t.distance(predicted, corrected) <= 0.09*moved+1e-14*t.left.age*t.total+1e-16*size
}
