package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// Rows of X that the caches near the processor do not hold are visited in runs,
// within which memory is read in order. Where the second cache does not hold X,
// reading it takes longer than visiting its rows: blocks of them that it holds are
// then visited some times in a row while the next block is fetched.
const (
	nearCache  = 1 << 20 // bytes of X
	farCache   = 2 << 20
	runLength  = 16
	blockBytes = 192 << 10
	stateBytes = 5*8 + 4 // of a sample, in the kernel's other arrays
)

// isFar tells whether the active samples are visited block by block.
func (d *descent) isFar() bool { return d.block > 0 && len(d.active) > d.far }

// shuffle permutes the active samples, by runs of them where X is larger than
// what the caches near the processor hold: within a run memory is read in order.
// As samples are dropped, the runs' ends move.
func (d *descent) shuffle() {
	x, run := d.random, d.run
	if d.isFar() {
		run = d.block
	}
	for i := len(d.active)/run - 1; i > 0; i-- {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		j := int((x >> 32) * uint64(i+1) >> 32)
		if run == 1 {
			d.active[i], d.active[j] = d.active[j], d.active[i]
			continue
		}
		p, q := d.active[i*run:][:run], d.active[j*run:][:run]
		for k, v := range p {
			p[k], q[k] = q[k], v
		}
	}
	d.random = x
}

// visit makes a pass over the active samples, or some of them block by block, and
// drops those at rest. It returns the estimate of the gap and the spread, both as
// each sample was met first. Beyond is infinite in a pass that no other one
// precedes: what it finds out about all samples, more turns would not.
func (s *Solver) visit(beyond float64) (estimate, spread float64) {
	d, done := &s.descent, &s.limits.done
	left, block, turns := 0, max(1, len(d.active)), 1
	far := d.isFar()
	if far {
		block = d.block
	}
	if far && beyond != inf {
		turns = max(1, min(kernel.Parts, s.limits.passes-done.Passes-done.Newton))
	}
	for from := 0; from < len(d.active); from += block {
		to := min(from+block, len(d.active))
		part := d.active[from:to]
		d.visitor.Next = d.active[to:min(to+block, len(d.active))]
		for turn := range turns {
			d.visitor.Part = turn
			done.Visits += len(part)
			kept, e, most := s.visitAll(part, beyond)
			part = part[:kept]
			if turn == 0 {
				estimate += e
				spread = max(spread, most)
			}
		}
		left += copy(d.active[left:], part)
	}
	done.Passes += turns
	d.active = d.active[:left]
	return estimate, spread
}

// kernelled tells whether the kernel visits samples: dense ones with one kinked
// term.
func (s *Solver) kernelled() bool {
	_, ok := s.x.(dense)
	return ok && len(s.kinked) == 1 && len(s.curved) == 0
}

// visitAll visits samples. The first ones, as many as it returns, are those not to
// be left out.
func (s *Solver) visitAll(samples []int32, beyond float64) (kept int, estimate, spread float64) {
	if !s.kernelled() {
		return s.pass(samples, beyond)
	}
	x := s.x.(dense)
	k, p := &s.kinked[0], &s.descent.visitor
	p.Intercept, p.Bend = 0, 0
	if s.dim > s.d {
		p.Intercept, p.Bend = s.beta[s.d], 1
	}
	kept = kernel.Descend(x.Data, x.Stride, s.beta[:s.d], s.descent.inv, k.kink, k.lo, k.hi, k.slope, samples, beyond, p)
	if s.dim > s.d {
		s.beta[s.d] = p.Intercept
	}
	return kept, p.Estimate, p.Spread
}

// pass is visitAll for any terms and features. Estimate is of the gap, spread
// the largest violation of the optimality conditions beyond which samples at a
// bound are left out of the next pass.
func (s *Solver) pass(samples []int32, beyond float64) (kept int, estimate, spread float64) {
	d := &s.descent
	w := s.beta[:s.d]
	intercept := s.dim > s.d
	for _, index := range samples {
		i := int(index)
		inv := d.inv[i]
		norm := 1 / inv
		z := s.x.dot(i, w)
		if intercept {
			z += s.beta[s.d]
		}
		var total float64
		idle := true
		for b := range s.kinked {
			k := &s.kinked[b]
			a, lo, hi := k.slope[i], k.lo[i], k.hi[i]
			r := z - k.kink[i]
			estimate += max(lo*r, hi*r) - a*r
			n := min(max(a+r*inv, lo), hi)
			if e := n - a; e != 0 {
				k.slope[i] = n
				total += e
				z -= e * norm
				spread = max(spread, math.Abs(e)*norm)
			} else if math.Abs(r) > beyond {
				continue
			}
			idle = false
		}
		for b := range s.curved {
			c := &s.curved[b]
			m := c.sigma[i]
			if m == 0 {
				continue
			}
			idle = false
			a := c.slope[i]
			u := min(max(z-c.kink[i], c.kl[i]), c.kh[i])
			estimate += m * (u - a/m) * (z - c.kink[i] - (u+a/m)/2)
			r := z - c.kink[i] - a/m
			n := min(max(a+r/(norm+1/m), m*c.kl[i]), m*c.kh[i])
			if e := n - a; e != 0 {
				c.slope[i] = n
				total += e
				z -= e * norm
				spread = max(spread, math.Abs(e)*norm)
			}
		}
		if total != 0 {
			s.x.axpy(i, -total, w)
			if intercept {
				s.beta[s.d] -= total
			}
		}
		if !idle {
			samples[kept] = index
			kept++
		}
	}
	return kept, estimate, spread
}
