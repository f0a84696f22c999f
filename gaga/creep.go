package gaga

import (
	"context"
	"math"

	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/agepath/agepath/internal/kernel"
)

// creep alternates on moments, for the landings of the squared loss under
// regularizers whose weights are polynomials in the residual: a weighted fit is
// then a small problem in the moments of the zones, and inside a neighbourhood only
// its watched samples can change their zones. An alternation costs the same for any
// n, so that the hundreds that lead away from a jump point cost little.
type creep struct {
	gram         []float64 // q x q: Σ m v z zᵀ
	factor, rest []float64 // of the active coordinates' part of it; a vector over these
	sign, theta  []float64 // p: of the fit
	active       []int
	last         []float64 // p, scratch: where the last alternation began
	trial        *point    // scratch, for objectives
}

// newCreep returns nil where the weights are no polynomials.
func newCreep(t *moments) *creep {
	for k := range t.zones {
		if t.reg.Series(k, 1).F[1] != 0 {
			return nil
		}
	}
	f := func(k int) []float64 { return make([]float64, k) }
	return &creep{gram: f(t.q * t.q), factor: f(t.p * t.p), rest: f(t.p), sign: f(t.p), theta: f(t.p), last: f(t.p), trial: newPoint(t.system)}
}

// creepSteps is the largest number of alternations of a creep.
const creepSteps = 20_000

// creepOn overwrites theta, the start of a landing at an age, with the partial optimum
// that alternation goes to from there, and returns the number of alternations. It
// reports false, with theta as it was, where it finds none or the problem is of
// another kind.
func (t *tracker) creepOn(ctx context.Context, age float64, theta []float64) (steps int, ok bool) {
	c := t.creep
	if c == nil {
		return 0, false
	}
	t.creeping = true
	defer func() { t.creeping = false }()
	pt := t.right
	pt.age = age
	t.closeWindow()
	for j, w := range theta {
		c.sign[j] = t.signOf(j, w)
	}
	t.takeSigns(c.sign, pt.theta)
	copy(pt.theta, theta)
	pace := newPace(2)
	var stride *stride
	for k := 1; k <= creepSteps && ctx.Err() == nil; k++ {
		if !t.inside(pt) {
			if !t.surround(pt) {
				return 0, false
			}
			if stride != nil { // other samples are watched
				t.predict(stride.anchorScores, stride.anchor)
			}
		}
		changed := t.reweigh(pt)
		copy(c.last, pt.theta)
		turned, ok := t.refit(pt)
		if !ok {
			return 0, false
		}
		moved := t.window.distance(c.last, pt.theta)
		if moved <= 1e-14*t.window.distance(nil, pt.theta) {
			moved = 0
		}
		if pace.wait(changed || turned, moved) {
			if stride == nil {
				stride = newStride(creepWalk{t, pt}, t.n)
			} else if k > plain {
				stride.extend()
			}
			continue
		}
		copy(c.last, pt.theta)
		t.assemble(pt)
		value := t.value(pt)
		if t.inside(pt) && t.correct(pt) && t.inside(pt) && t.value(pt) <= value*(1+1e-9) {
			if t.finish(pt); t.consistentNearby(pt) && t.consistentSigns(pt) {
				copy(theta, pt.theta)
				return k, true
			}
		}
		if copy(pt.theta, c.last); moved == 0 {
			break // it stands still where the optimum is not strict
		}
	}
	return 0, false
}

// creepWalk is the walk of a creep.
type creepWalk struct {
	t  *tracker
	pt *point
}

func (w creepWalk) solution() (theta, scores []float64) {
	w.t.predict(w.pt.u, w.pt.theta)
	return w.pt.theta, w.pt.u[:len(w.t.watch)]
}

func (w creepWalk) zonesStay(from []float64, by float64) bool {
	t := w.t
	for slot, i := range t.watch {
		u := w.pt.u[slot]
		loss, _, _ := t.loss.Eval(u+by*(u-from[slot]), t.y[i])
		if zoneOf(t.reg, t.zones, loss, w.pt.age) != int(t.zone[i]) {
			return false
		}
	}
	return true
}

func (w creepWalk) bends() bool { return true }

// objective is that of the moments, but for watched samples that are beyond their
// zones, and that of the samples outside the window.
func (w creepWalk) objective(theta, scores []float64) float64 {
	t, pt := w.t, w.t.creep.trial
	pt.age = w.pt.age
	copy(pt.theta, theta)
	if !t.inside(pt) {
		t.predictAll(t.scores, theta)
		return t.system.objective(theta, t.scores, pt.age)
	}
	t.assemble(pt)
	sum := t.value(pt)
	for slot, i := range t.watch {
		loss, _, _ := t.loss.Eval(scores[slot], t.y[i])
		if z := int(t.zone[i]); zoneOf(t.reg, t.zones, loss, pt.age) != z {
			f := t.moments.reg.Series(z, pt.age).F
			sum += t.m[i] * (t.reg.Integral(loss, pt.age) - f[0] - f[2]*loss - f[3]*loss*loss)
		}
	}
	return sum
}

func (w creepWalk) extend(theta, _ []float64) { copy(w.pt.theta, theta) }

// surround makes the window a neighbourhood of pt, of a radius in which few samples
// can change their zones, and watches these. All samples are moved to the zones of
// their losses. It reports false where too many are at a boundary.
func (t *tracker) surround(pt *point) bool {
	w := t.window
	t.predictAll(w.u, pt.theta)
	zones := make([]uint8, t.n)
	for i, u := range w.u {
		loss, _, _ := t.loss.Eval(u, t.y[i])
		zones[i] = uint8(zoneOf(t.reg, t.zones, loss, pt.age))
	}
	t.setZones(zones, w.u)
	t.choose()
	t.assemble(pt)
	t.moments.measure(w.u, pt.age)
	w.age = pt.age
	copy(w.theta, pt.theta)
	clear(w.rate)
	w.radius = 0
	w.measureNorms(t.primal, t.watchedColumns())
	if t.n <= manyWatched {
		w.length, w.moved = pt.age, math.Inf(1)
		t.setWatch(t.all)
		return true
	}
	edges, _ := t.edges(pt.age)
	for i, u := range w.u {
		r, _ := t.defect(i, u, 0)
		z := t.zone[i]
		w.near[i] = min(r-edges[z], edges[z+1]-r) / (w.norms[i] + math.SmallestNonzeroFloat64)
	}
	size := w.distance(nil, pt.theta)
	for w.length = size; ; w.length *= 0.5 { // near is in distances here, not in ages
		if t.within(ample); len(w.samples) <= t.mostWatched() {
			break
		}
		if !(w.length > 1e-9*size) {
			return false
		}
	}
	w.moved = w.length
	t.setWatch(w.samples)
	return true
}

// refit makes pt the weighted fit for the weights at pt, on the zones: an active-set
// method (Osborne, Presnell and Turlach, 2000) that goes from solution to solution on
// the active coordinates, drops the first that reaches zero on the way and activates
// the one that violates its condition most. It reports whether coordinates have become
// active or inactive, and false where it does not end.
func (t *tracker) refit(pt *point) (turned, ok bool) {
	c := t.creep
	t.moments.weighted(c.gram, pt.theta, pt.age)
	copy(c.sign, t.sign)
	copy(c.theta, pt.theta)
	for range 4 * (t.p + 1) {
		first, ok := c.solve(t)
		if !ok {
			return false, false
		}
		if first >= 0 {
			c.theta[first], c.sign[first] = 0, 0
			continue
		}
		worst := 0.0
		for j, l1 := range t.l1 {
			if l1 == 0 || c.sign[j] != 0 {
				continue
			}
			if over := math.Abs(c.slope(t, j)) - l1*(1+roundoff); over > worst {
				first, worst = j, over
			}
		}
		if first < 0 {
			turned = t.takeSigns(c.sign, pt.theta)
			copy(pt.theta, c.theta)
			return turned, true
		}
		c.sign[first] = -sign(c.slope(t, first))
	}
	return false, false
}

// takeSigns makes coordinates active as their signs say, and reports whether any
// were not.
func (t *tracker) takeSigns(signs, theta []float64) (turned bool) {
	for j, s := range signs {
		if s == t.sign[j] {
			continue
		}
		turned = true
		if t.sign[j] != 0 {
			t.apply(Dropped, j, 0, theta)
		}
		if s != 0 {
			t.apply(Activated, j, s, theta)
		}
	}
	return turned
}

// slope returns the gradient of the weighted fit's smooth part in coordinate j.
func (c *creep) slope(t *tracker, j int) float64 {
	q := t.moments.q
	sum := c.gram[j*q+t.p]
	for k, w := range c.theta {
		if w != 0 {
			sum += c.gram[j*q+k] * w
		}
	}
	return 2*sum + t.l2[j]*c.theta[j]
}

// solve takes theta to the minimum on the active coordinates and returns -1, or to
// where the first of them reaches zero on the way and returns that one. It reports
// false where they are collinear.
func (c *creep) solve(t *tracker) (first int, ok bool) {
	q := t.moments.q
	c.active = c.active[:0]
	for j := range t.p {
		if c.sign[j] != 0 || (t.l1[j] == 0 && !t.primal.zero[j] && !(t.frozen && t.l2[j] == 0)) {
			c.active = append(c.active, j)
		}
	}
	k := len(c.active)
	for r, j := range c.active {
		row := c.factor[r*k : (r+1)*k]
		for s := r; s < k; s++ {
			row[s] = 2 * c.gram[j*q+c.active[s]]
		}
		row[r] += t.l2[j]
		c.rest[r] = -(c.slope(t, j) + t.l1[j]*c.sign[j])
	}
	if k == 0 {
		return -1, true
	}
	if _, ok := lapack64.Potrf(symmetric(k, c.factor[:k*k])); !ok {
		return -1, false
	}
	kernel.SolveUpperTrans(c.rest[:k], c.factor, k)
	kernel.SolveUpper(c.rest[:k], c.factor, k)
	first, at := -1, 1.0
	for r, j := range c.active {
		from := c.theta[j]
		if to := from + c.rest[r]; c.sign[j] != 0 && to*c.sign[j] < 0 {
			if x := from / (from - to); first < 0 || x < at {
				first, at = j, x
			}
		}
	}
	for r, j := range c.active {
		c.theta[j] += at * c.rest[r]
	}
	return first, true
}
