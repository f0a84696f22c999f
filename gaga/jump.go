package gaga

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/convex"
)

var errEventLimit = errors.New("gaga: event budget used up")

// degenerate says that no strict partial optimum was found to go on from.
type degenerate struct {
	reason string
	cause  error // of the convex solver, or nil
}

func (e *degenerate) Error() string { return "gaga: " + e.reason }
func (e *degenerate) Unwrap() error { return e.cause }

// hair is how far beyond a jump point, relative to the age, its landing point
// is looked for.
const hair = 1e-9

// begin finds the path's first point: what alternation reaches at the lowest
// age from the fit with all weights 1. Where that age discards everybody, or
// all of one class, it is the first age that does not; where alternation ends
// with samples of one class only, it is looked for as a gap's end.
func (t *tracker) begin(ctx context.Context) error {
	err := t.search.FitAll(ctx)
	if errors.Is(err, convex.ErrOneClass) {
		return &degenerate{reason: err.Error(), cause: err}
	}
	if err != nil {
		return err
	}
	age := t.options.Age.Min
	if t.search.unfit(age) {
		if age = t.firstAge(age); !(age < t.options.Age.Max) {
			return &degenerate{reason: fmt.Sprintf("every sample, or one class, is discarded up to age %v", t.options.Age.Max)}
		}
		t.path.restarts = append(t.path.restarts, Restart{Age: age, Reason: fmt.Sprintf("every sample, or one class, is discarded below age %v", age)})
	}
	t.step = t.options.Age.Max - age
	start := fmt.Sprintf("start at age %v", age)
	if err = t.land(ctx, age, start); errors.Is(err, convex.ErrOneClass) {
		return t.bridge(ctx, age, start)
	}
	return err
}

// firstAge returns an age just above the one, not below lo, at which enough
// samples for a fit are not discarded at the current solution, by bisection;
// +Inf where there is none in the range.
func (t *tracker) firstAge(lo float64) float64 {
	if t.search.unfit(t.options.Age.Max) {
		return math.Inf(1)
	}
	return firstWhere(func(age float64) bool { return !t.search.unfit(age) }, lo, t.options.Age.Max)
}

// firstWhere returns an age of the interval just above the first at which a condition
// holds that holds from there on, by bisection to a relative 1e-6; hi where it holds
// nowhere before.
func firstWhere(holds func(age float64) bool, lo, hi float64) float64 {
	if holds(lo) {
		return lo
	}
	for range 200 {
		mid := 0.5 * (lo + hi)
		if hi-lo <= 1e-6*hi || mid <= lo || mid >= hi {
			break
		}
		if holds(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// jump leaves the left point, which the path cannot follow beyond its age, and
// lands where alternation goes from there: at a hair's breadth beyond it, or
// where the optimum is not yet strict, as behind a symmetric branching, at
// wider ones.
func (t *tracker) jump(ctx context.Context, c crossing, scalar float64) error {
	if t.spent() {
		return errEventLimit
	}
	detail := t.describe(c)
	k := t.record(Jump, c, detail, scalar)
	from, since := t.left.age, t.landed
	breadth := t.breadth()
	age := math.Min(from*(1+breadth), t.options.Age.Max)
	if t.wakes(c) {
		age = t.wakingAge(age)
	}
	widen := func() bool {
		if 100*breadth > widest || age >= t.options.Age.Max {
			return false
		}
		breadth *= 100
		age = math.Min(math.Max(age, from*(1+breadth)), t.options.Age.Max)
		return true
	}
	arrive := func(alternations int) error {
		t.startPiece(detail, alternations)
		t.leapt(k, c, since)
		return t.verify(crossing{}, detail)
	}
	if t.stepwise {
		if alternations, ok := t.landNearby(age); ok {
			return arrive(alternations)
		}
	}
	if t.hop(c, age) {
		return arrive(0)
	}
	theta, scores := t.push(c, age)
	crept, end := t.creepOver(ctx, age, theta)
	for end == circles && widen() {
		var more int
		more, end = t.creepOver(ctx, age, theta)
		crept += more
	}
	if end == landed {
		return arrive(crept)
	}
	if crept > 0 {
		t.predictAll(scores, theta)
	}
	start := t.publish(theta)
	steps, slid := t.creepOn(ctx, age, theta)
	slid = slid || t.slide(c, age, theta)
	for {
		if slid {
			t.search.SetTheta(t.publish(theta))
		} else {
			t.search.startAt(start, scores)
		}
		err := t.land(ctx, age, detail)
		if err == nil {
			break
		}
		if slid {
			steps, slid = 0, false // from the jump point then
			continue
		}
		if errors.Is(err, convex.ErrOneClass) {
			return t.bridge(ctx, from, detail)
		}
		var flat *degenerate
		if !errors.As(err, &flat) || !widen() {
			return err
		}
	}
	t.path.restarts[len(t.path.restarts)-1].Iterations += steps + crept
	t.leapt(k, c, since)
	return nil
}

// leapt takes note of a jump, the first since an age: one that landed where it
// left is a turning point, a kink.
func (t *tracker) leapt(k int, c crossing, since float64) {
	from := &t.path.knots[k]
	if c.cause != Stall && t.same(from, t.left) {
		from.Kind = Turning
	}
	if t.stepwise {
		t.window.jumped(from.Theta, t.left.theta, from.Age-since)
	}
}

// faint is the weight up to which a sample may as well have none: the optimality
// condition holds to a tenth of what the package promises either way. Multipliers
// that are all as small move no predictor by more than a solver's rounding, which
// then would decide who is at the margin.
const faint = 1e-10

// wakingAge returns the first age, from the one given on, at which a sample's weight
// at the left point, where nobody has any, is more than [faint]; the last of the
// range where there is none.
func (t *tracker) wakingAge(from float64) float64 {
	t.predictAll(t.scores, t.left.theta)
	awake := func(age float64) bool {
		for i, u := range t.scores {
			loss, slope, _ := t.loss.Eval(u, t.y[i])
			if slope == 0 || t.zone[i] == pinned && t.kinks > 0 {
				continue
			}
			if v, _, _ := t.reg.Weight(zoneOf(t.reg, t.zones[t.kinks:], loss, age), loss, age); v > faint {
				return true
			}
		}
		return false
	}
	return firstWhere(awake, from, t.options.Age.Max)
}

// widest bounds how far beyond a jump point a landing point is looked for.
const widest = 1e-3

// breadth returns how far beyond the left point, relative to the age, the
// landing point is looked for: a hair, which grows while jumps come right after
// landings, so that the path leaves a place where no branch lasts.
func (t *tracker) breadth() float64 {
	if t.left.age > t.landed*(1+100*hair) {
		t.restless = 0
		return hair
	}
	b := hair * math.Exp2(float64(max(0, t.restless-patience)))
	t.restless++
	return b
}

// patience is how many jumps right after landings are taken for real ones.
const patience = 8

// same reports whether the landing point is the point the path left.
func (t *tracker) same(k *Knot, pt *point) bool { return t.close(k, pt, 1e-7) }

// close reports whether two points are no further apart than the given part of their
// size.
func (t *tracker) close(k *Knot, pt *point, part float64) bool {
	var off, size float64
	for j, w := range pt.theta {
		off = math.Max(off, math.Abs(w-k.Theta[j]))
		size = math.Max(size, math.Max(math.Abs(w), math.Abs(k.Theta[j])))
	}
	return off <= part*size
}

// land alternates at an age from the search's current solution and finishes
// with Newton's method once the zones stand still. It accepts a point only if
// the optimality condition holds there, the zones agree with the losses, and
// H is positive definite. The left point becomes the landing point, the start
// of a new piece.
func (t *tracker) land(ctx context.Context, age float64, reason string) error {
	detours := 0
	least := 2 // alternations with the same zones before Newton's method is tried
	if t.primal == nil || (t.quickly() != nil && t.p >= fewColumns) {
		least = 8 // as they cost much less
	}
	pace := newPace(least)
	zones := make([]uint8, t.n)
	var refuted []uint8 // zones whose only stationary point is not the optimum
	var stride *stride
	for k := 1; k <= t.options.maxAlternations(); k++ {
		moved, err := t.alternate(ctx, age)
		if errors.Is(err, convex.ErrSingular) || errors.Is(err, convex.ErrOneClass) {
			return &degenerate{reason: fmt.Sprintf("%s: at age %v %v", reason, age, err), cause: err}
		}
		if err != nil {
			return err
		}
		if k == 1 {
			stride = newStride(searchWalk{t, age}, t.n) // a kernel machine has no solution before, only predictors
		}
		if moved <= 1e-14 {
			moved = 0
		}
		if pace.wait(!t.readZones(zones, age) || k == 1, moved) {
			if k > plain {
				stride.extend()
			}
			continue
		}
		if moved > 0 && t.fixed && slices.Equal(zones, refuted) {
			continue
		}
		ok, thin := t.polish(zones, age)
		refuted = append(refuted[:0], zones...)
		switch {
		case ok && (moved == 0 || t.drawn(t.left)):
			t.startPiece(reason, k)
			return t.verify(crossing{}, reason)
		case moved > 0:
		case thin && detours < 2*t.p:
			// One of many equal solutions: go on from one of least support.
			detours++
			t.search.SetTheta(t.publish(t.left.theta))
			stride = newStride(searchWalk{t, age}, t.n)
		case detours < 2*t.p && t.leaveSaddle(age):
			detours++
			reason += ", left a saddle point"
			stride = newStride(searchWalk{t, age}, t.n)
		default:
			return &degenerate{reason: fmt.Sprintf("%s: alternation settles at age %v where the optimum is not strict", reason, age)}
		}
	}
	return &degenerate{reason: fmt.Sprintf("%s: alternation has not settled at age %v after %d iterations", reason, age, t.options.maxAlternations())}
}

// plain is how many alternations of a landing are left as they are: they decide which
// way it goes, and only where the search creeps are its steps lengthened.
const plain = 12

// readZones stores the zones at the search's solution and reports whether
// they, and the support, are as they were.
func (t *tracker) readZones(zones []uint8, age float64) (unchanged bool) {
	unchanged = true
	if q := t.quickly(); q != nil && q.stands(age) {
		unchanged = slices.Equal(zones, q.now.zone)
		copy(zones, q.now.zone)
		return unchanged
	}
	svm, _ := t.search.solver.(*convex.SVM)
	t.search.weigh(age)
	for i, z := range t.search.zone {
		if z += uint8(t.kinks); svm != nil && t.search.losses[i] == 0 {
			z = satisfied
		}
		if svm != nil && t.search.fitted[i] > 0 {
			z = t.kinkZone(z, svm, i)
		}
		if zones[i] != z {
			zones[i], unchanged = z, false
		}
	}
	if t.problem.Penalty.L1 == 0 {
		return unchanged
	}
	for j, w := range t.search.Theta()[:t.p] {
		if s := t.signOf(j, w); s != t.sign[j] {
			t.sign[j], unchanged = s, false
		}
	}
	return unchanged
}

// kinkZone returns the zone of a sample that had weight in the last fit, given
// the one that its loss says: beside the kink its multiplier decides.
func (t *tracker) kinkZone(z uint8, svm *convex.SVM, i int) uint8 {
	switch svm.Standing(i) {
	case convex.Free:
		return pinned
	case convex.AtZero:
		return satisfied
	}
	return max(z, uint8(t.kinks))
}

// signOf returns the sign that a coefficient of the given value has as an
// active coordinate: 0 for columns without L1 weight, which are always active.
func (t *tracker) signOf(j int, w float64) float64 {
	switch {
	case t.l1[j] == 0 || w == 0:
		return 0
	case w > 0:
		return 1
	}
	return -1
}

// polish tries to make the search's solution an exact partial optimum at the
// age on the given zones. It reports whether the left point now is one, and
// whether coordinates had to be thinned out on the way to the left point.
func (t *tracker) polish(zones []uint8, age float64) (ok, thinned bool) {
	pt := t.left
	pt.age = age
	t.adopt(pt)
	t.setFloor(t.search.scores)
	t.setZones(zones, t.search.scores)
	t.choose()
	t.fix(pt.theta)
	if t.window != nil {
		t.closeWindow()
		t.watchNone()
		if t.moments != nil {
			t.moments.measure(t.search.scores, age)
			t.window.measured = t.moments.moves
		}
	}
	if t.primal != nil {
		t.refresh() // the last factor is of a point far away
	}
	if !t.correct(pt) {
		t.adopt(pt)
		if t.primal == nil || t.primal.activations == nil || !t.thin(pt) {
			return false, false
		}
		thinned = true
		if !t.correct(pt) {
			return false, true
		}
	}
	t.finish(pt)
	return t.consistent(pt), thinned
}

// drawn reports whether the implicit objective is as good as quadratic from where the
// corrector began to pt, its solution: the first step of Newton's method with H as it is
// at pt would have led there, up to a quarter of the way, both in units of θ and of the
// objective. Then alternation goes there, too; by a hollow as flat as before a fold, or
// beside the threshold of a polynomial regularizer, where weights change fast, it may pass.
func (t *tracker) drawn(pt *point) bool {
	if t.primal == nil || t.hinge != nil {
		return true
	}
	step := t.rhs[:t.unknowns()]
	copy(step, t.pull)
	t.solve(step)
	var off, size [2]float64 // in units of θ and of the objective
	for r, j := range t.active {
		way := t.begun[j] - pt.theta[j]
		for q, unit := range [2]float64{1, t.diag[r]} {
			off[q] += unit * (step[r] - way) * (step[r] - way)
			size[q] += unit * way * way
		}
	}
	return off[0] <= 0.0625*size[0] && off[1] <= 0.0625*size[1]
}

// consistent reports whether pt, a solution on the current zones and active
// coordinates, satisfies the optimality condition as a whole: losses lie in
// their zones, coefficients have their signs, gradients of inactive
// coordinates do not exceed the L1 weight, and alternation would go down to it.
func (t *tracker) consistent(pt *point) bool {
	if t.frozen && !(t.residualAt(pt) <= roundoff) {
		return false // the free coordinates have no equations, and stand where no gradient vanishes
	}
	return t.inZones(pt) && t.consistentSigns(pt) && t.objective(pt.theta, t.scores, pt.age) <= t.objective(t.search.Theta()[:t.p], t.search.scores, pt.age)*(1+1e-9)
}

// inZones reports whether all samples are in their zones at pt, and leaves their
// predictors in scores.
func (t *tracker) inZones(pt *point) bool {
	t.predictAll(t.scores, pt.theta)
	for i, u := range t.scores {
		if !t.inZone(pt, i, u) {
			return false
		}
	}
	return true
}

// consistentSigns is the coordinates' part of consistent.
func (t *tracker) consistentSigns(pt *point) bool {
	for j := range t.p {
		switch {
		case t.l1[j] == 0:
		case t.sign[j] != 0:
			if pt.theta[j]*t.sign[j] < 0 {
				return false
			}
		case math.Abs(pt.grad[j]) > t.l1[j]*(1+1e-9):
			return false
		}
	}
	return true
}

// inZone reports whether sample i, with the predictor u at pt, is in its zone, up
// to rounding.
func (t *tracker) inZone(pt *point, i int, u float64) bool {
	zone := int(t.zone[i]) - t.kinks
	if t.kinks > 0 && zone <= 0 {
		g, slack := 1-t.y[i]*u, roundoff*(1+math.Abs(u))
		switch top := t.bound * t.m[i]; {
		case t.zone[i] == satisfied:
			return g <= slack
		case t.zone[i] == pinned:
			return pt.dual[i] >= -roundoff*top && pt.dual[i] <= (1+roundoff)*top
		case g < -slack:
			return false
		}
	}
	loss, _, _ := t.eval(t.zone[i], u, t.y[i])
	if zone < len(pt.threshold) && loss-pt.threshold[zone] > roundoff*loss {
		return false
	}
	return zone <= 0 || pt.threshold[zone-1]-loss <= roundoff*loss
}

// adopt makes the search's solution pt's θ, and its multipliers those of pinned
// samples.
func (t *tracker) adopt(pt *point) {
	copy(pt.theta, t.search.Theta())
	if svm, ok := t.search.solver.(*convex.SVM); ok && !t.dualInTheta {
		copy(pt.dual, svm.Duals())
		blas64.Scal(t.problem.Penalty.L2, vector(pt.dual)) // the solver's are in units of it
	}
}
