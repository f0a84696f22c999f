package gaga

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// sweep is the state of the mode that passes many turning points in a step
// (Options.Sweep). A step's end is found by a semismooth Newton method, which
// changes zones and active coordinates as it goes. The step is taken only if no
// jump can lie in it: H stays positive definite even with each sample's slope
// at the least value that it takes on the way. Where steps become as short as
// the distance to the next event, the tracker goes on event by event: it is
// then close to a jump, which it locates, classifies and leaves as always.
type sweep struct {
	step   float64   // next step to try
	failed bool      // the last one tried failed
	bend   float64   // of the last one: how much the rates differ between its ends, relative to them
	zone   []uint8   // n: zones at the left point
	sign   []float64 // p: signs at the left point
	active []int     // active coordinates at the left point
	held   bool      // these and the next are those of the left point
	hess   []float64 // p x p: H at the left point
	diag   []float64 // p: its diagonal with all terms taken positive

	quick   *quick // alternation for landings, where it applies
	mid     halfway
	crossed []int     // samples that change their zone in the step
	low     []float64 // lower bounds of their slopes
	least   []float64 // p x p: H with these
	size    []float64 // p: its diagonal with all terms taken positive
	grad    []float64 // p: gradient of the samples' terms

	thresholds []float64 // scratch
}

// halfway is a point between two others, with the zones there.
type halfway struct {
	point
	zone []uint8
}

func newSweep(t *tracker) *sweep {
	s := t.system
	return &sweep{
		quick: newQuick(t),
		mid:   halfway{point{loss: make([]float64, s.n), slope: make([]float64, s.n), curvature: make([]float64, s.n)}, make([]uint8, s.n)},
		zone:  make([]uint8, s.n), sign: make([]float64, s.p),
		hess: make([]float64, s.p*s.p), diag: make([]float64, s.p),
		least: make([]float64, s.p*s.p), size: make([]float64, s.p), grad: make([]float64, s.p), thresholds: make([]float64, len(s.zones)-1),
	}
}

// Passed returns the number of changes of zones and active coordinates that a
// sweep passed without a knot; 0 for paths without [Options.Sweep].
func (p *Path) Passed() int { return p.passed }

// sweepOn makes one step of a sweep: over as many turning points as it can, or
// like advance.
func (t *tracker) sweepOn(ctx context.Context) error {
	if t.spent() {
		return errEventLimit
	}
	w, from := t.sweep, t.left.age
	next := math.Inf(1)
	if first, found := t.firstCrossing(t.left, nil); found {
		next = first.at
	}
	if w.step == 0 {
		w.step = 0.01 * from
	}
	room := t.target() - from
	for h := math.Min(math.Min(w.step, longest*from), room); ; h *= 0.5 {
		if h < 2*next && next < h || h < smallest*from || t.frozen {
			w.step = math.Max(h, smallest*from)
			break
		}
		w.bend = 0
		if t.leap(math.Min(from+h, t.target())) {
			if !w.failed && h >= w.step {
				w.step *= 2
			} else if w.failed {
				w.step = h
			}
			w.failed = false
			t.note()
			return t.arrive()
		}
		w.failed = true
		if next >= h {
			w.step = h
			break // no event is near: let the exact step find out why
		}
	}
	return t.exact(ctx)
}

// exact makes one step of the exact mode. A turning point's knot becomes a
// step's end, as others are not recorded.
func (t *tracker) exact(ctx context.Context) error {
	from := t.left.age
	t.sweep.held = false
	if err := t.advance(ctx); err != nil {
		return err
	}
	path := t.path
	if k := &path.knots[len(path.knots)-1]; k.Kind == Turning {
		k.Kind, k.Cause, k.Index, k.Detail, k.Scalar = Step, NoCause, -1, "", math.NaN()
		path.passed++
	}
	t.sweep.step = math.Max(t.sweep.step, 2*(t.left.age-from))
	return nil
}

// arrive records the knot at the end of a step over turning points.
func (t *tracker) arrive() error {
	if t.left.age < t.options.Age.Max {
		kind := Step
		if len(t.grid) > 0 && t.left.age >= t.grid[0] {
			kind = Grid
			t.grid = t.grid[1:]
		}
		t.record(kind, crossing{index: -1}, "", math.NaN())
	}
	return t.verify(crossing{}, "step over turning points")
}

// leap moves the left point to an age, over any turning points between. It
// reports false, with the left point as it was, where the corrector fails or a jump could lie between.
func (t *tracker) leap(age float64) bool {
	l, r := t.left, t.right
	if t.assembled != l && !t.sweep.held {
		t.assemble(l)
		if !t.factorize() {
			return false
		}
	}
	t.keep()
	r.age = age
	copy(r.theta, l.theta)
	blas64.Axpy(age-l.age, vector(l.rate), vector(r.theta))
	if !t.semismooth(r) || t.discarded() {
		t.comeBack()
		return false
	}
	t.tangent(r)
	if !t.follows(l, r) || !t.convex(l, r) {
		t.comeBack()
		return false
	}
	t.left, t.right = r, l
	t.sweep.held = false
	return true
}

// keep takes the zones, active coordinates and H of the left point, unless a step
// from there was tried before.
func (t *tracker) keep() {
	w, k := t.sweep, len(t.active)
	if w.held {
		return
	}
	w.held = true
	copy(w.zone, t.zone)
	copy(w.sign, t.sign)
	w.active = append(w.active[:0], t.active...)
	t.primal.curve()
	copy(w.hess[:k*k], t.primal.hess[:k*k])
	copy(w.diag[:k], t.diag[:k])
}

// comeBack restores the zones, active coordinates and the factor of the left
// point.
func (t *tracker) comeBack() {
	w := t.sweep
	t.setZones(w.zone, nil)
	copy(t.sign, w.sign)
	if !slices.Equal(w.active, t.active) {
		t.choose()
	}
	k := len(t.active)
	copy(t.primal.hess[:k*k], w.hess[:k*k])
	copy(t.diag[:k], w.diag[:k])
	t.assembled = nil
	w.held = t.primal.decompose()
}

// only makes the given coordinates the active ones.
func (t *tracker) only(active []int) {
	t.active = append(t.active[:0], active...)
	t.primal.gatherRows()
}

// note adds the changes of zones and signs since the left point to the piece.
func (t *tracker) note() {
	pc := &t.path.pieces[len(t.path.pieces)-1]
	count := len(pc.changes)
	for i, z := range t.zone {
		for k := int(t.sweep.zone[i]); k < int(z); k++ {
			pc.changes = append(pc.changes, change{SampleUp, i, 0})
		}
		for k := int(t.sweep.zone[i]); k > int(z); k-- {
			pc.changes = append(pc.changes, change{SampleDown, i, 0})
		}
	}
	for j, s := range t.sign {
		if before := t.sweep.sign[j]; s != before {
			if before != 0 {
				pc.changes = append(pc.changes, change{Dropped, j, 0})
			}
			if s != 0 {
				pc.changes = append(pc.changes, change{Activated, j, s})
			}
		}
	}
	t.path.passed += len(pc.changes) - count
	t.path.eventCount += len(pc.changes) - count
}

// semismooth runs Newton's method on the optimality condition from pt.theta at
// pt.age with the zones and active coordinates of each iterate. A factor of H
// is used as long as it takes the residual down to a quarter each time, or with
// few columns to a hundredth. On success H is factorized and positive definite at pt.
func (t *tracker) semismooth(pt *point) bool {
	slow := t.primal.slow()
	last := math.Inf(1)
	for pt.iterations = 1; pt.iterations <= 40; pt.iterations++ {
		t.predict(pt.u, pt.theta)
		t.evaluate(pt)
		moved := t.zonesAt(pt)
		t.residuals(pt)
		turned := t.reselect(pt)
		res := t.relative()
		settled := !moved && !turned && (res <= enough || onlyRounding(res, last))
		if settled || turned || res > slow*last {
			t.primal.collect(pt)
			if !t.factorize() {
				return false
			}
			if res = t.relative(); settled && res <= loose {
				return true
			}
		}
		if !(res < 100*last) && !turned {
			return false
		}
		last = res
		t.newtonStep(pt, false)
	}
	return false
}

// enough is the relative residual at which the semismooth method stops.
const enough = 1e-12

// fewColumns is the number of active coordinates below which summing H costs no
// more than evaluating the losses, so that an old factor saves little.
const fewColumns = 32

// zonesAt puts each sample into the zone of its loss at pt and reports whether
// any changed.
func (t *tracker) zonesAt(pt *point) (moved bool) {
	thresholds := t.sweep.thresholds
	thresholdsAt(thresholds, t.reg, pt.age)
	for i, loss := range pt.loss {
		z := uint8(zoneAmong(t.zones, thresholds, loss))
		if was := t.zone[i]; z != was {
			t.members[was]--
			t.members[z]++
			t.zone[i], moved = z, true
		}
	}
	return moved
}

// residuals evaluates the residual at pt, where losses and zones are current;
// its scale stays as it was.
func (t *tracker) residuals(pt *point) {
	d := t.primal.terms.(*direct)
	t.assembled = nil
	for i, loss := range pt.loss {
		v, _, _ := t.reg.Weight(int(t.zone[i]), loss, pt.age)
		d.phi[i] = t.m[i] * v * pt.slope[i]
	}
	k := len(t.active)
	for r, j := range t.active {
		t.residual[r] = t.l2[j]*pt.theta[j] + t.l1[j]*t.sign[j]
	}
	if k > 0 {
		kernel.MulTransAdd(t.residual[:k], t.primal.xw, k, d.phi)
	}
}

// reselect drops coefficients of the wrong sign and activates coordinates whose
// gradient exceeds the L1 weight; it reports whether there were any.
func (t *tracker) reselect(pt *point) (turned bool) {
	if t.problem.Penalty.L1 == 0 {
		return false
	}
	for _, j := range t.active {
		if t.l1[j] > 0 && pt.theta[j]*t.sign[j] < 0 {
			pt.theta[j], t.sign[j], turned = 0, 0, true
		}
	}
	d, grad := t.primal.terms.(*direct), t.sweep.grad
	blas64.Gemv(blas.Trans, 1, general(t.n, t.p, t.primal.a), vector(d.phi), 0, vector(grad))
	for j, g := range grad {
		if t.l1[j] > 0 && t.sign[j] == 0 && !turned && pt.theta[j] == 0 && math.Abs(g) > t.l1[j]*(1+roundoff) {
			t.sign[j], turned = -sign(g), true
		}
	}
	if turned {
		t.choose()
	}
	return turned
}
