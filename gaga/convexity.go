package gaga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/lapack/lapack64"
)

// convex reports whether H is positive definite from one point to the other, so
// that no event between can be a jump. Between events H changes steadily; what
// it loses on the way besides is what samples that change their zone have less
// there than at the ends. So it must stay positive definite at either end with
// the slopes of these samples, all together, at a lower bound, over all
// coordinates that are active at one of the ends, and half-way, where nothing
// says that H changes steadily, as nearly equal rates do. Zones and H at l are those that the sweep keeps.
func (t *tracker) convex(l, r *point) bool {
	w := t.sweep
	w.crossed, w.low = w.crossed[:0], w.low[:0]
	for i := range t.n {
		if from, to := int(w.zone[i]), int(t.zone[i]); from != to {
			low, ok := t.lowest(i, from, to, l, r)
			if !ok {
				return false
			}
			w.crossed, w.low = append(w.crossed, i), append(w.low, low)
		}
	}
	if slices.Equal(w.active, t.active) {
		if !t.staysDefinite(w.hess, w.diag, w.zone, l) || !t.staysDefinite(t.primal.hess, t.diag, t.zone, r) {
			return false
		}
		if len(t.active) >= fewColumns && w.bend <= straight {
			return true
		}
		t.middle(l, r)
		return t.staysDefinite(nil, nil, w.mid.zone, &w.mid.point)
	}
	t.middle(l, r)
	right := append([]int(nil), t.active...)
	t.only(t.either())
	ok := true
	for _, end := range []struct {
		zone []uint8
		pt   *point
	}{{w.zone, l}, {w.mid.zone, &w.mid.point}, {t.zone, r}} {
		ok = ok && t.staysDefinite(nil, nil, end.zone, end.pt)
	}
	t.only(right)
	t.assemble(r)
	return ok && t.factorize()
}

// middle evaluates the losses half-way between two points, by the cubic through
// both, and the zones there.
func (t *tracker) middle(l, r *point) {
	m := &t.sweep.mid
	h := r.age - l.age
	m.age = l.age + 0.5*h
	for i := range t.n {
		u := 0.5*(l.u[i]+r.u[i]) + 0.125*h*(l.du[i]-r.du[i])
		m.loss[i], m.slope[i], m.curvature[i] = t.loss.Eval(u, t.y[i])
		m.zone[i] = uint8(zoneOf(t.reg, t.zones, m.loss[i], m.age))
	}
}

// follows reports whether θ has moved between two points as the mean of its
// rates there says, and these differ little, each to a half of the larger rate:
// before a fold the rate grows without bound.
func (t *tracker) follows(l, r *point) bool {
	h := r.age - l.age
	var off, turn, left, right float64
	for q, j := range t.active {
		a, b, c := h*l.rate[j], h*r.rate[j], t.diag[q]
		d := r.theta[j] - l.theta[j] - 0.5*(a+b)
		off += c * d * d
		turn += c * (b - a) * (b - a)
		left += c * a * a
		right += c * b * b
	}
	turn = math.Max(off, turn)
	size := math.Max(left, right) + 4e-14*l.age*t.total // also where nothing moves
	t.sweep.bend = math.Sqrt(turn / size)
	return turn <= 0.25*size
}

// straight is the bend of a step below which the rates, H⁻¹ times what changes
// steadily, say that H changes steadily.
const straight = 0.1

// lowest returns a lower bound of m ∂φ/∂u of a sample that changes its zone
// between two points, false where its weight breaks on the way.
func (t *tracker) lowest(i, from, to int, l, r *point) (low float64, ok bool) {
	var b slopeBound
	b.take(t.reg.Weight(from, l.loss[i], l.age))
	b.take(t.reg.Weight(to, r.loss[i], r.age))
	for k := min(from, to); k < max(from, to); k++ {
		if t.zones[k].Break {
			return 0, false
		}
		for _, age := range [2]float64{l.age, r.age} {
			threshold, _ := t.reg.Threshold(k, age)
			b.take(t.reg.Weight(k, threshold, age))
			b.take(t.reg.Weight(k+1, threshold, age))
		}
	}
	low = t.m[i] * b.between(l.slope[i], l.curvature[i], r.slope[i], r.curvature[i])
	return low - margin*math.Abs(low), !math.IsInf(low, 0) && !math.IsNaN(low)
}

// staysDefinite reports whether H at an end of the step, where pt and the zones
// are, stays positive definite with the slopes of the samples that change their
// zone at their lower bounds. Without H given it is summed anew.
func (t *tracker) staysDefinite(hess, diag []float64, zone []uint8, pt *point) bool {
	w, d, k := t.sweep, t.primal.terms.(*direct), len(t.active)
	least, size := w.least[:k*k], w.size[:k]
	if hess != nil {
		copy(least, hess[:k*k])
		copy(size, diag[:k])
	} else {
		clear(least)
		clear(size)
		for i := range t.n {
			d.products.add(size, t.primal.xw[i*k:(i+1)*k], t.slopeAt(i, zone, pt))
		}
		for q, j := range t.active {
			least[q*k+q] += t.l2[j]
			size[q] += t.l2[j]
		}
	}
	for s, i := range w.crossed {
		d.products.add(size, t.primal.xw[i*k:(i+1)*k], w.low[s]-t.slopeAt(i, zone, pt))
	}
	d.products.flush(least)
	return positive(least, size)
}

// slopeAt returns m ∂φ/∂u of sample i at a point, with the zones given.
func (t *tracker) slopeAt(i int, zone []uint8, pt *point) float64 {
	v, dv, _ := t.reg.Weight(int(zone[i]), pt.loss[i], pt.age)
	return t.m[i] * (dv*pt.slope[i]*pt.slope[i] + v*pt.curvature[i])
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

// margin is by how much, relative to it, a sample's lowest slope over a step is
// taken lower, as the sample may go beyond the losses at the step's ends.
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
