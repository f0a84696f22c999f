package gaga

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// cross deals with a crossing at the left point: it classifies it by the sign
// test and either changes the zone or the active set and goes on (turning
// point), or leaves the point (jump point).
func (t *tracker) cross(ctx context.Context, c crossing) error {
	if t.spent() {
		return errEventLimit
	}
	if t.assembled != t.left { // a step beyond was tried
		t.assemble(t.left)
		if !t.factorize() {
			return t.jump(ctx, crossing{cause: Fold, index: -1}, math.NaN())
		}
	}
	if c.cause == Activated && t.collinear(c.index) {
		t.shadow[c.index] = true
		return nil
	}
	scalar := t.signTest(c)
	if !(scalar > 0) {
		return t.jump(ctx, c, scalar)
	}
	detail := t.describe(c)
	before := append(t.before[:0], t.left.theta...)
	for _, i := range t.multipliers {
		t.right.dual[i] = t.left.dual[i] // where revert finds them
	}
	if c.cause == Dropped {
		c.sign = t.sign[c.index]
	}
	t.change(c)
	if !t.settle(before, c) {
		// The sign test and the factorization disagree only within rounding of
		// a singular H: the branch ends here.
		t.revert(c, before)
		return t.jump(ctx, c, math.NaN())
	}
	t.last, t.lastAge = c, t.left.age
	t.record(Turning, c, detail, scalar)
	return t.verify(c, detail)
}

// settle recomputes H and the rates at the left point after its zones or
// active coordinates changed. It reports false where H is singular. Where all
// weights are small, the rounding in the crossing's age is not small against
// them: the corrector removes it, if it stays at the point before.
func (t *tracker) settle(before []float64, c crossing) bool {
	t.assemble(t.left)
	if !t.factorize() {
		return false
	}
	if t.relative() > loose {
		if !t.correct(t.left) || t.distance(before, t.left.theta) > 1e-20*t.left.age*t.total {
			return false
		}
		t.finish(t.left)
		return true
	}
	if t.summed {
		t.evaluate(t.left) // by the new zone's formula
	}
	if rate := t.rhs[:t.unknowns()]; t.carry(t.left, c.index, rate) {
		t.refine(t.left, rate)
	} else {
		t.tangent(t.left)
	}
	return true
}

// revert undoes a change and brings back the θ and the multipliers before it.
func (t *tracker) revert(c crossing, before []float64) {
	pc := &t.path.pieces[len(t.path.pieces)-1]
	pc.changes = pc.changes[:len(pc.changes)-1]
	copy(t.left.theta, before)
	t.apply(c.cause.opposite(), c.index, c.sign, t.left.theta)
	for _, i := range t.multipliers {
		t.left.dual[i] = t.right.dual[i]
	}
	t.stand()
}

// stand evaluates everything at the left point, where age, θ, multipliers and zones are
// set. It reports whether H is positive definite there; else its rates are not known.
func (t *tracker) stand() bool {
	pt := t.left
	t.predict(pt.u, pt.theta)
	t.assemble(pt)
	if !t.factorize() {
		return false
	}
	t.finish(pt)
	return true
}

// signTest returns the ratio of det H behind the crossing to det H before it
// (for an activated coordinate the Schur complement, relative to the size of
// its terms). The path goes on exactly when it is positive; it is -Inf where the
// weight itself breaks.
func (t *tracker) signTest(c crossing) float64 {
	switch c.cause {
	case SampleUp, SampleDown:
		return t.sampleTest(c)
	case Activated:
		schur, magnitude := t.schur(c.index)
		return schur / magnitude
	}
	return 1
}

// sampleTest is signTest for a sample's crossing. Pinning never jumps; to free a
// pinned sample H must be positive definite without the pin too.
func (t *tracker) sampleTest(c crossing) float64 {
	from, to := t.zonesOf(c)
	if t.kinks > 0 && to == pinned {
		return 1
	}
	if t.zones[min(from, to)].Break || t.wakes(c) {
		return math.Inf(-1)
	}
	change := t.slopeIn(c, to) - t.slopeIn(c, from)
	if math.IsInf(change, 0) { // polynomial above order 2, which breaks nearly
		return math.Inf(-1)
	}
	var variance float64
	if t.kinks > 0 && from == pinned {
		if variance = t.freedom(c.index); !(variance > 0) {
			return variance
		}
	} else {
		variance = t.variance(c.index)
	}
	if variance == 0 {
		return 1
	}
	return 1 + change*variance
}

// wakes reports whether the crossing brings the first sample of weight while
// free coordinates are frozen: they then jump to where it is fitted best.
func (t *tracker) wakes(c crossing) bool {
	return t.frozen && c.cause == SampleDown && !t.penalized
}

// slopeIn returns m ∂φ/∂u of the sample that crosses at the left point by the
// formula of the given zone. The loss is the threshold that is crossed, without
// the point's rounding, on which a slope that is infinite there depends.
func (t *tracker) slopeIn(c crossing, zone int) float64 {
	loss, slope, curvature := t.eval(uint8(zone), t.left.u[c.slot], t.y[c.index])
	from, to := t.zonesOf(c)
	if lower := min(from, to) - t.kinks; lower >= 0 {
		loss = t.left.threshold[lower]
	}
	v, dv, _ := t.weight(uint8(zone), loss, t.left.age)
	return t.m[c.index] * (dv*slope*slope + v*curvature)
}

// schur returns the Schur complement of inactive coordinate j in H and the sum
// of the positive parts of its diagonal entry.
func (t *tracker) schur(j int) (complement, magnitude float64) {
	g := t.rhs[:len(t.active)]
	diagonal, magnitude := t.primal.border(g, j)
	return diagonal - t.primal.quadratic(g), magnitude
}

// zonesOf returns the zones that a sample's crossing leaves and enters.
func (t *tracker) zonesOf(c crossing) (from, to int) {
	from = int(t.zone[c.index])
	if c.cause == SampleUp {
		return from, from + 1
	}
	return from, from - 1
}

// describe says what the crossing does in words.
func (t *tracker) describe(c crossing) string {
	switch c.cause {
	case SampleUp, SampleDown:
		from, to := t.zonesOf(c)
		return fmt.Sprintf("sample %d: %v to %v", c.index, t.zones[from].Kind, t.zones[to].Kind)
	case Activated:
		return fmt.Sprintf("coordinate %d becomes active", c.index)
	case Dropped:
		return fmt.Sprintf("coordinate %d becomes zero", c.index)
	case Fold:
		return "the branch turns back"
	case Stall:
		return "no progress between critical points"
	}
	return ""
}

// change applies the crossing to the zones or to the active coordinates, and
// to the path's record of changes.
func (t *tracker) change(c crossing) {
	pc := &t.path.pieces[len(t.path.pieces)-1]
	pc.changes = append(pc.changes, change{c.cause, c.index, c.sign})
	t.apply(c.cause, c.index, c.sign, t.left.theta)
}

// apply makes one change of zones or active coordinates.
func (t *tracker) apply(cause Cause, index int, sign float64, theta []float64) {
	t.fold = fold{}
	switch cause {
	case SampleUp:
		t.shift(index, true, theta)
		t.rezone(index, 0)
	case SampleDown:
		t.shift(index, false, theta)
		clear(t.shadow) // its terms may tell collinear columns apart
		t.rezone(index, t.m[index])
	case Activated:
		t.sign[index] = sign
		t.choose()
	case Dropped:
		t.sign[index] = 0
		theta[index] = 0
		t.choose()
	}
}

// rezone brings the unknowns up to date after a sample's change of zone; at a
// kink it begins with the given multiplier, in units of the slope.
func (t *tracker) rezone(i int, multiplier float64) {
	if t.kinks > 0 && t.zone[i] == pinned {
		t.left.dual[i] = t.bound * multiplier
	}
	if t.kinks > 0 || t.frozen != t.undetermined() {
		t.choose()
	}
}

// choose chooses the unknowns for the current zones and signs.
func (t *tracker) choose() {
	t.reactivate()
	if t.window != nil && !slices.Equal(t.window.columns, t.watchedColumns()) {
		t.closeWindow()
	}
	t.gradients = t.hinge == nil && len(t.active) < t.p
	clear(t.shadow)
}

// closeWindow makes the next step choose anew which samples to watch.
func (t *tracker) closeWindow() {
	t.window.length = 0
}

// piece is the record of one continuous piece of the path, from which zones
// and active coordinates can be rebuilt anywhere on it.
type piece struct {
	zone    []uint8
	sign    []float64
	changes []change
}

type change struct {
	cause Cause
	index int
	sign  float64
}

// restore sets zones and active coordinates as they are in a piece after the
// given number of changes.
func (t *tracker) restore(pc *piece, changes int) {
	if t.primal != nil && t.primal.margins != nil {
		t.primal.margins.expire()
	}
	t.setZones(pc.zone, nil)
	copy(t.sign, pc.sign)
	for _, c := range pc.changes[:changes] {
		switch c.cause {
		case SampleUp:
			t.shift(c.index, true, nil)
		case SampleDown:
			t.shift(c.index, false, nil)
		case Activated:
			t.sign[c.index] = c.sign
		case Dropped:
			t.sign[c.index] = 0
		}
	}
	t.choose()
}

// publish copies a θ of the tracker into the form that users see: the features'
// coefficients, then the intercept, 0 where there is none.
func (t *tracker) publish(theta []float64) []float64 {
	out := make([]float64, t.problem.Unknowns())
	copy(out, theta)
	return out
}
