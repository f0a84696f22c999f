package gaga

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
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
	zone   []uint8   // n: zones at the left point
	sign   []float64 // p: signs at the left point
	active []int     // active coordinates at the left point
	slopes []float64 // n: m ∂φ/∂u at the left point, then its least value over the step
	least  []float64 // p x p: H with these
	diag   []float64 // p
	grad   []float64 // p: gradient of the samples' terms
}

func newSweep(s *primal) *sweep {
	return &sweep{
		zone: make([]uint8, s.n), sign: make([]float64, s.p), slopes: make([]float64, s.n),
		least: make([]float64, s.p*s.p), diag: make([]float64, s.p), grad: make([]float64, s.p),
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
// reports false, with the left point as it
// was, where the corrector fails or a jump could lie between.
func (t *tracker) leap(age float64) bool {
	w, l, r := t.sweep, t.left, t.right
	if t.assembled != l {
		t.assemble(l)
		if !t.factorize() {
			return false
		}
	}
	copy(w.zone, t.zone)
	copy(w.sign, t.sign)
	w.active = append(w.active[:0], t.active...)
	r.age = age
	copy(r.theta, l.theta)
	blas64.Axpy(age-l.age, vector(l.rate), vector(r.theta))
	if !t.semismooth(r) || t.discarded() || !t.safe(l, r) {
		t.comeBack()
		return false
	}
	t.tangent(r)
	t.left, t.right = r, l
	return true
}

// comeBack restores the zones and active coordinates of the left point.
func (t *tracker) comeBack() {
	t.setZones(t.sweep.zone, nil)
	copy(t.sign, t.sweep.sign)
	t.choose(t.sweep.active)
	t.assembled = nil
}

// choose makes the given coordinates the active ones, if they are not.
func (t *tracker) choose(active []int) {
	same := len(active) == len(t.active)
	for r := range active {
		same = same && active[r] == t.active[r]
	}
	if !same {
		t.setActive(active)
		t.gradients = len(active) < t.p
		clear(t.shadow)
	}
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
// is used as long as it takes the residual down to a quarter each time. On
// success H is factorized and positive definite at pt.
func (t *tracker) semismooth(pt *point) bool {
	last := math.Inf(1)
	for pt.iterations = 1; pt.iterations <= 40; pt.iterations++ {
		t.predict(pt.u, pt.theta)
		t.evaluate(pt)
		moved := t.rezone(pt)
		t.residuals(pt)
		turned := t.reselect(pt)
		res := t.relative()
		settled := !moved && !turned && (res <= tight || (res <= loose && res >= 0.1*last))
		if settled || turned || res > 0.25*last {
			t.assemble(pt)
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
		t.newtonStep(pt)
	}
	return false
}

// newtonStep makes a Newton step with the current factor. Coefficients that
// change their sign on the way become zero and inactive in the next iteration.
func (t *tracker) newtonStep(pt *point) {
	k := len(t.active)
	step := t.rhs[:k]
	copy(step, t.residual[:k])
	t.solve(step)
	for r, j := range t.active {
		pt.theta[j] -= step[r]
	}
}

// rezone puts each sample into the zone of its loss at pt and reports whether
// any changed.
func (t *tracker) rezone(pt *point) (moved bool) {
	for i, loss := range pt.loss {
		z := uint8(zoneOf(t.reg, t.zones, loss, pt.age))
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
	d := t.terms.(*direct)
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
		blas64.Gemv(blas.Trans, 1, general(t.n, k, t.xw[:t.n*k]), vector(d.phi), 1, vector(t.residual[:k]))
	}
}

// reselect drops coefficients of the wrong sign and activates coordinates whose
// gradient exceeds the L1 weight; it reports whether there were any.
func (t *tracker) reselect(pt *point) (turned bool) {
	if t.path.problem.Penalty.L1 == 0 {
		return false
	}
	for _, j := range t.active {
		if t.l1[j] > 0 && pt.theta[j]*t.sign[j] < 0 {
			pt.theta[j], t.sign[j], turned = 0, 0, true
		}
	}
	d, grad := t.terms.(*direct), t.sweep.grad
	blas64.Gemv(blas.Trans, 1, general(t.n, t.p, t.a), vector(d.phi), 0, vector(grad))
	for j, g := range grad {
		if t.l1[j] > 0 && t.sign[j] == 0 && !turned && pt.theta[j] == 0 && math.Abs(g) > t.l1[j]*(1+roundoff) {
			t.sign[j], turned = -sign(g), true
		}
	}
	if turned {
		active := make([]int, 0, t.p)
		for j := range t.p {
			if t.sign[j] != 0 || t.l1[j] == 0 {
				active = append(active, j)
			}
		}
		t.choose(active)
	}
	return turned
}

// safe reports whether H is positive definite on the whole way between two
// points, so that no event between can be a jump: with all coordinates that are
// active at either end, and with each sample's slope at a lower bound. Zones at
// l are those that the sweep keeps.
func (t *tracker) safe(l, r *point) bool {
	w := t.sweep
	for i := range t.n {
		from, to := int(w.zone[i]), int(t.zone[i])
		var b slopeBound
		b.take(t.reg.Weight(from, l.loss[i], l.age))
		b.take(t.reg.Weight(to, r.loss[i], r.age))
		here := b.between(l.slope[i], l.curvature[i], r.slope[i], r.curvature[i])
		for k := min(from, to); k < max(from, to); k++ {
			if t.zones[k].Break {
				return false
			}
			for _, age := range [2]float64{l.age, r.age} {
				threshold, _ := t.reg.Threshold(k, age)
				b.take(t.reg.Weight(k, threshold, age))
				b.take(t.reg.Weight(k+1, threshold, age))
			}
		}
		low := b.between(l.slope[i], l.curvature[i], r.slope[i], r.curvature[i])
		low -= margin * math.Max(math.Abs(low), math.Abs(here))
		if w.slopes[i] = t.m[i] * low; math.IsInf(low, 0) || math.IsNaN(low) {
			return false
		}
	}
	right := append([]int(nil), t.active...)
	t.choose(t.either())
	defer t.choose(right)
	return t.definite()
}

// slopeBound holds the least weight of a sample over a step, and the least
// derivative of it in the loss.
type slopeBound struct {
	v, dv float64
	any   bool
}

// take lets the bound hold for one more point.
func (b *slopeBound) take(v, dv, _ float64) {
	if !b.any {
		b.v, b.dv, b.any = v, dv, true
		return
	}
	b.v, b.dv = math.Min(b.v, v), math.Min(b.dv, dv)
}

// between returns a lower bound of ∂φ/∂u, v' l'² and v times the curvature, over a step between
// two points with the given slopes and curvatures of the loss. As the loss is
// convex, l'² is largest at an end; as weights and their derivatives are
// monotone in the loss within a zone, so are these.
func (b *slopeBound) between(slopeL, curvatureL, slopeR, curvatureR float64) float64 {
	steep, flat := math.Max(slopeL*slopeL, slopeR*slopeR), math.Min(slopeL*slopeL, slopeR*slopeR)
	low := b.v * math.Min(curvatureL, curvatureR)
	if b.dv < 0 {
		return low + b.dv*steep
	}
	return low + b.dv*flat
}

// either returns the coordinates active at the left point or now.
func (t *tracker) either() []int {
	var both []int
	for j := range t.p {
		if t.l1[j] == 0 || t.sign[j] != 0 || t.sweep.sign[j] != 0 {
			both = append(both, j)
		}
	}
	return both
}

// definite reports whether H with the sweep's slopes is positive definite over
// the active coordinates.
func (t *tracker) definite() bool {
	w, d, k := t.sweep, t.terms.(*direct), len(t.active)
	least, diag := w.least[:k*k], w.diag[:k]
	clear(least)
	clear(diag)
	for i, c := range w.slopes {
		if c != 0 {
			d.products.add(least, diag, t.xw[i*k:(i+1)*k], c)
		}
	}
	d.products.flush(least, diag)
	for r, j := range t.active {
		least[r*k+r] += t.l2[j]
		diag[r] += t.l2[j]
	}
	return positive(least, diag)
}

// margin is by how much, relative to it, a sample's lowest slope over a step is
// taken lower, as samples may go beyond the losses at the step's ends.
const margin = 0.1

// positive reports whether a symmetric matrix, of which the upper triangle is
// given and overwritten, is positive definite away from singularity; diag is
// its diagonal with all terms taken positive.
func positive(a, diag []float64) bool {
	k := len(diag)
	if k == 0 {
		return true
	}
	if _, ok := lapack64.Potrf(symmetric(k, a)); !ok {
		return false
	}
	for r, size := range diag {
		if pivot := a[r*k+r]; !(pivot*pivot > singular*size) {
			return false
		}
	}
	return true
}

// glide solves for the point of a sweep's path at an age between two
// neighbouring knots of one piece: in steps over turning points from the left
// one, or where none can be made, as close to a jump, on its zones.
func (t *tracker) glide(p *Path, left, right *Knot, age float64) ([]float64, error) {
	t.restore(&p.pieces[left.piece], left.change)
	pt := t.left
	pt.age = left.Age
	copy(pt.theta, left.Theta[:t.p])
	t.predict(pt.u, pt.theta)
	t.assemble(pt)
	if t.factorize() {
		t.tangent(pt)
		for h := age - left.Age; h > smallest*age; {
			if !t.leap(math.Min(t.left.age+h, age)) {
				h *= 0.5
				continue
			}
			if t.left.age >= age {
				return t.settled(t.left.theta), nil
			}
		}
	}
	theta, err := t.between(p, left, right, age)
	if err != nil {
		return nil, err
	}
	t.rezone(t.left)
	t.residuals(t.left)
	if off := t.relative(); off > 1e-9 {
		return nil, fmt.Errorf("gaga: no convergence at age %v between the knots at %v and %v: residual %.2g", age, left.Age, right.Age, off)
	}
	return theta, nil
}
