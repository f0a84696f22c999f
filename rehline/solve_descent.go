package rehline

import (
	"math"

	"github.com/agepath/agepath/rehline/internal/kernel"
)

// descent is the first phase: dual coordinate descent as in ReHLine and
// LIBLINEAR (Hsieh et al., "A dual coordinate descent method for large-scale
// linear SVM", ICML 2008). The coefficients β = -Σ a x are kept current, so
// that an update costs one product with a row and one sum. Samples whose slopes
// stay at a bound are left out of later passes; the certificate takes all of
// them.
//
// It pays for kinked losses with strong regularization, which need a few passes.
// Each pass estimates the gap from what it meets, so that the phase ends as soon
// as the gap falls too slowly to be worth it.
type descent struct {
	inv    []float64 // 1/‖x_i‖², with 1 added to the norm for a penalized intercept
	active []int32   // samples in the order of the pass
	random uint64
	run    int  // samples that are visited in their order
	close  bool // the last pass's estimate of the gap was small
	visit  kernel.Pass
}

// A Newton phase costs about as much as patience passes over all samples: passes
// are given up when more than these are expected, from the fall of the estimate
// over the last memory passes, or were made.
const (
	patience  = 25
	memory    = 6
	nearCache = 1 << 20 // bytes of X beyond which the order of its rows matters
	runLength = 16
	hopeless  = 500 // passes expected where the estimate does not fall
)

// pays tells whether to begin with descent: where the dual is separable but for
// β, and there are kinks.
func (d *descent) pays(s *Solver) bool {
	return s.descends() && len(s.kinked) > 0
}

func (s *Solver) descends() bool {
	return s.l1 == nil && (s.dim == s.d || s.bend[s.d] != 0)
}

// init computes the norms.
func (d *descent) init(s *Solver) {
	d.inv = make([]float64, s.n)
	d.active = make([]int32, s.n)
	d.run = 1
	if 8*s.n*s.d > nearCache {
		d.run = runLength
	}
	s.x.norms(d.inv)
	for i, norm := range d.inv {
		if s.dim > s.d {
			norm++
		}
		d.inv[i] = 1 / max(norm, 1e-300)
	}
}

// reset makes all samples active.
func (d *descent) reset(n int) {
	d.active = d.active[:n]
	for i := range d.active {
		d.active[i] = int32(i)
	}
}

// shuffle permutes the active samples, by runs of them where X is larger than
// what the caches near the processor hold: within a run memory is read in order.
// As samples are dropped, the runs' ends move.
func (d *descent) shuffle() {
	x := d.random
	run := d.run
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

// descend makes passes until solved, which it tells, or until they no longer
// pay. only says that there is none.
func (s *Solver) descend(seed uint64, only bool) (bool, error) {
	d := &s.descent
	d.reset(s.n)
	d.random = seed*0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d
	d.close = false
	s.descendFrom()
	spread, spent, since := inf, 0.0, 0
	var past [memory]float64
	for pass := 0; ; pass++ {
		if pass > 0 {
			d.shuffle()
		}
		work := float64(len(d.active)) / float64(s.n)
		spent += work
		var estimate float64
		estimate, spread = s.visit(spread)
		estimate += s.project()
		s.limits.done.Passes++
		target := s.limits.tol * s.origin
		if p := math.Abs(s.point.primal); p > 0 {
			target = s.limits.tol * p
		}
		if estimate <= target || pass == 1 || pass%50 == 49 {
			spent += 0.4
			s.certifyDescent()
			s.tell()
			if s.solved() {
				s.point.status = Solved
				return true, nil
			}
			if estimate <= target && len(d.active) < s.n && (only || spent <= patience) {
				d.reset(s.n) // those left out count again
				spread, since = inf, 0
				continue
			}
		}
		if status, err := s.limits.reached(); status != 0 {
			s.certifyDescent()
			s.point.status = status
			return true, err
		}
		if !only && spent > patience {
			break
		}
		if before := past[since%memory]; !only && since >= memory {
			left := float64(hopeless)
			if estimate < before {
				left = min(left, memory*math.Log(target/estimate)/math.Log(estimate/before))
			}
			hope := float64(patience)
			if d.close = s.near.inner != nil && estimate <= nearGap*math.Abs(s.point.primal); d.close {
				hope = min(hope, s.worth())
			}
			if left*work > hope {
				break
			}
		}
		past[since%memory] = estimate
		since++
	}
	return false, nil
}

// recall makes the slopes and multipliers the centers of Newton steps.
func (s *Solver) recall() {
	for i := range s.kinked {
		copy(s.kinked[i].center, s.kinked[i].slope)
	}
	copy(s.guard.center, s.guard.xi)
	s.warm = true
}

// project updates the multipliers of the constraints and returns their part of
// the gap as it was met.
func (s *Solver) project() float64 {
	g := &s.guard
	w := s.beta[:s.d]
	var gap float64
	for k, xi := range g.xi {
		if g.norm[k] == 0 {
			continue
		}
		a := g.row(k)
		slack := kernel.Dot(a, w) + g.b[k]
		gap += math.Abs(xi * slack)
		n := xi - slack/g.norm[k]
		if !g.equal(k) {
			n = max(n, 0)
		}
		if n != xi {
			g.xi[k] = n
			kernel.Axpy(n-xi, a, w)
		}
	}
	return gap
}

// descendFrom starts from the centers of a warm start, or from slopes of zero.
func (s *Solver) descendFrom() {
	for i := range s.kinked {
		k := &s.kinked[i]
		if s.warm {
			copy(k.slope, k.center)
		} else {
			clear(k.slope)
		}
	}
	for i := range s.curved {
		c := &s.curved[i]
		if !s.warm {
			clear(c.slope)
			continue
		}
		for j, m := range c.sigma {
			if m == 0 {
				c.slope[j] = 0
				continue
			}
			c.slope[j] = min(max(c.slope[j], m*c.kl[j]), m*c.kh[j])
		}
	}
	clear(s.beta)
	copy(s.guard.xi, s.guard.center)
	if s.warm {
		s.collect()
		s.forces()
		copy(s.beta, s.v)
	}
	s.point.primal = 0
}

// certifyDescent computes the scores of all samples and the gap.
func (s *Solver) certifyDescent() {
	s.scores(s.z, s.beta)
	s.sums = sums{}
	for i := range s.kinked {
		k := &s.kinked[i] // evaluated for its value alone: the other results go to scratch
		s.sums.value += kernel.Kinked(s.z, k.kink, k.lo, k.hi, k.slope, k.center, s.g, s.h, 1)[0]
		s.sums.dual -= kernel.Dot(k.slope, k.kink)
	}
	for i := range s.curved {
		c := &s.curved[i]
		s.sums.value += c.value(s.z)
		s.sums.dual += c.dual()
	}
	copy(s.v, s.beta)
	s.guard.slacks(s.beta[:s.d])
	s.certify()
}

// visit makes a pass by the kernel where it can: one kinked term a sample and
// dense features.
func (s *Solver) visit(beyond float64) (estimate, spread float64) {
	x, ok := s.x.(dense)
	if !ok || len(s.kinked) != 1 || len(s.curved) != 0 {
		return s.pass(beyond)
	}
	d, k := &s.descent, &s.kinked[0]
	p := &d.visit
	p.Intercept, p.Bend = 0, 0
	if s.dim > s.d {
		p.Intercept, p.Bend = s.beta[s.d], 1
	}
	kept := kernel.Descend(x.Data, x.Stride, s.beta[:s.d], d.inv, k.kink, k.lo, k.hi, k.slope, d.active, beyond, p)
	d.active = d.active[:kept]
	if s.dim > s.d {
		s.beta[s.d] = p.Intercept
	}
	return p.Estimate, p.Spread
}

// pass visits the active samples. It returns an estimate of the gap, and the
// largest violation of the optimality conditions beyond which samples at a bound
// are left out of the next pass.
func (s *Solver) pass(beyond float64) (estimate, spread float64) {
	d := &s.descent
	kept := d.active[:0]
	w := s.beta[:s.d]
	intercept := s.dim > s.d
	for _, index := range d.active {
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
			kept = append(kept, index)
		}
	}
	d.active = kept
	return estimate, spread
}

// norms sets dst_i = ‖x_i‖².
func (x dense) norms(dst []float64) {
	for i := range dst {
		r := x.row(i)
		dst[i] = kernel.Dot(r, r)
	}
}

func (x sparse) norms(dst []float64) {
	for i := range dst {
		_, data := x.row(i)
		dst[i] = kernel.Dot(data, data)
	}
}
