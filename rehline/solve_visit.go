package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// visit makes a pass over the active samples, or some of them block by block, and drops
// those at rest. It returns the estimate of the gap and the spread, both as each sample was
// met first. Beyond is infinite in a pass that no other one precedes: what it finds out
// about all samples, more turns would not.
func (d *descent) visit(beyond float64) (estimate, spread float64) {
	done := &d.limits.done
	longest, turns := 0, 1
	for t := range d.lists {
		d.lists[t].kept = 0
		longest = max(longest, len(d.lists[t].active))
	}
	block, far := max(1, longest), d.isFar()
	if far {
		block = d.block
	}
	if far && beyond != inf && len(d.terms.kinked) > 0 {
		turns = max(1, min(blockTurns, d.limits.passes-done.Passes-done.Newton))
	}
	for from := 0; from < longest; from += block {
		for t := range d.lists {
			l := &d.lists[t]
			l.part = span(l.active, from, from+block)
		}
		for turn := range turns {
			e, most := d.visitAll(beyond)
			if turn == 0 {
				estimate += e
				spread = max(spread, most)
			}
		}
		for t := range d.lists {
			l := &d.lists[t]
			l.kept += copy(l.active[l.kept:], l.part)
		}
	}
	done.Passes += turns
	for t := range d.lists {
		d.lists[t].active = d.lists[t].active[:d.lists[t].kept]
	}
	return estimate, spread
}

// span returns the samples from one on to another, as far as there are such.
func span(samples []int32, from, to int) []int32 {
	return samples[min(from, len(samples)):min(to, len(samples))]
}

// kernelled tells whether the kernel visits samples: dense ones with kinked terms, or with one
// that is curved.
func (d *descent) kernelled() bool {
	_, ok := d.x.(full)
	kinked, curved := len(d.terms.kinked), len(d.terms.curved)
	return ok && (curved == 0 && kinked > 0 || curved == 1 && kinked == 0)
}

// visitAll visits the lists' parts, of which it leaves those not to be left out. Estimate is of the
// gap, spread the largest violation of the optimality conditions beyond which samples at a bound
// are left out of the next pass.
func (d *descent) visitAll(beyond float64) (estimate, spread float64) {
	if d.kernelled() {
		return d.visitFaces(beyond)
	}
	samples, kept := d.lists[0].part, 0
	d.limits.done.Visits += len(samples)
	w, intercept := d.beta[:d.penalty.d], d.beta[d.penalty.d:]
	for _, index := range samples {
		i := int(index)
		z := d.x.dot(i, w)
		if len(intercept) > 0 {
			z += intercept[0]
		}
		v := d.terms.visit(i, z, d.inv[i], beyond)
		estimate += v.estimate
		spread = max(spread, v.spread)
		if v.total != 0 {
			d.x.axpy(i, -v.total, w)
			if len(intercept) > 0 {
				intercept[0] -= v.total
			}
		}
		if !v.idle {
			samples[kept] = index
			kept++
		}
	}
	d.lists[0].part = samples[:kept]
	return estimate, spread
}

// visitFace has the kernel visit one term of every sample.
func (d *descent) visitFace(f *face, samples []int32, beyond float64) (kept int, estimate, spread float64) {
	w, intercept := d.beta[:d.penalty.d], d.beta[d.penalty.d:]
	x, p := d.x.(full), &d.visitor
	p.Intercept, p.Bend = 0, 0
	if len(intercept) > 0 {
		p.Intercept, p.Bend = intercept[0], 1
	}
	kept = kernel.Descend(x.Data, x.Stride, w, f.step, f.kink, f.lo, f.hi, f.slope, f.soft, f.stiff, samples, beyond, p)
	if len(intercept) > 0 {
		intercept[0] = p.Intercept
	}
	return kept, p.Estimate, p.Spread
}

// visitFaces visits some samples of one face after the other, whose rows stay in the first cache.
func (d *descent) visitFaces(beyond float64) (estimate, spread float64) {
	longest, count := 0, 0
	for t := range d.lists {
		d.lists[t].stay = 0
		longest = max(longest, len(d.lists[t].part))
		count += len(d.lists[t].part)
	}
	d.limits.done.Visits += (count + len(d.lists) - 1) / len(d.lists)
	step := max(1, longest)
	if len(d.lists) > 1 {
		step = together
	}
	for from := 0; from < longest; from += step {
		for t := range d.lists {
			l := &d.lists[t]
			samples := span(l.part, from, from+step)
			count, e, most := d.visitFace(&d.faces[t], samples, beyond)
			l.stay += copy(l.part[l.stay:], samples[:count])
			estimate += e
			spread = max(spread, most)
		}
	}
	for t := range d.lists {
		d.lists[t].part = d.lists[t].part[:d.lists[t].stay]
	}
	return estimate, spread
}

// visited is what a visit of a sample found and changed.
type visited struct {
	z        float64 // its score
	norm     float64 // ‖x_i‖²
	estimate float64 // of its part of the gap
	spread   float64 // largest change of its score by its own update
	total    float64 // by which its slopes changed
	idle     bool    // all slopes stay at bounds
}

// update makes a slope n and tells whether it was another.
func (v *visited) update(slope *float64, n float64) bool {
	e := n - *slope
	if e == 0 {
		return false
	}
	*slope = n
	v.total += e
	v.z -= e * v.norm
	v.spread = max(v.spread, math.Abs(e)*v.norm)
	return true
}

// visit updates the slopes of sample i with the score z, one after the other; inv is the
// reciprocal of its squared norm.
func (t *terms) visit(i int, z, inv, beyond float64) visited {
	v := visited{z: z, norm: 1 / inv, idle: true}
	for b := range t.kinked {
		k := &t.kinked[b]
		a, lo, hi := k.slope[i], k.lo[i], k.hi[i]
		r := v.z - k.kink[i]
		v.estimate += max(lo*r, hi*r) - a*r
		if v.update(&k.slope[i], min(max(a+r*inv, lo), hi)) || !(math.Abs(r) > beyond) {
			v.idle = false
		}
	}
	for b := range t.curved {
		c := &t.curved[b]
		m := c.sigma[i]
		if m == 0 {
			continue
		}
		v.idle = false
		e, share := v.z-c.kink[i], c.slope[i]/m
		u := min(max(e, c.kl[i]), c.kh[i])
		v.estimate += m * (u - share) * (e - (u+share)/2)
		v.update(&c.slope[i], min(max(c.slope[i]+(e-share)/(v.norm+1/m), m*c.kl[i]), m*c.kh[i]))
	}
	return v
}
