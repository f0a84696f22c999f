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
	norm   []float64 // ‖x_i‖², with 1 for a penalized intercept
	active []int32   // samples in the order of the pass
	random uint64
}

// Passes are given up when more than this many full ones are expected to be
// left: a Newton phase costs about as much.
const patience = 6

// pays tells whether to begin with descent: where the dual is separable but for
// β, and there are kinks.
func (d *descent) pays(s *Solver) bool {
	return s.descends() && len(s.kinked) > 0 && !s.warm
}

func (s *Solver) descends() bool {
	return s.l1 == nil && s.k == 0 && (s.dim == s.d || s.bend[s.d] != 0)
}

// prepare computes the norms, once, and makes all samples active.
func (d *descent) prepare(s *Solver, seed uint64) {
	if d.norm == nil {
		d.norm = make([]float64, s.n)
		d.active = make([]int32, s.n)
		s.x.norms(d.norm)
		if s.dim > s.d {
			for i := range d.norm {
				d.norm[i]++
			}
		}
	}
	d.reset(s.n)
	d.random = seed*0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d
}

func (d *descent) reset(n int) {
	d.active = d.active[:n]
	for i := range d.active {
		d.active[i] = int32(i)
	}
}

// shuffle permutes the active samples.
func (d *descent) shuffle() {
	x := d.random
	for i := len(d.active) - 1; i > 0; i-- {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		j := (x >> 32) * uint64(i+1) >> 32
		d.active[i], d.active[j] = d.active[j], d.active[i]
	}
	d.random = x
}

// descend makes passes until solved, which it tells, or until they no longer
// pay; then slopes and coefficients are left as centers and start for the Newton
// phase. only says that there is none.
func (s *Solver) descend(seed uint64, only bool) (bool, error) {
	d := &s.descent
	d.prepare(s, seed)
	s.descendFrom()
	last, spread := inf, inf
	for pass := 0; ; pass++ {
		if pass > 0 {
			d.shuffle()
		}
		work := float64(len(d.active)) / float64(s.n)
		whole := len(d.active) == s.n
		var estimate float64
		estimate, spread = s.pass(spread)
		s.limits.done.Passes++
		target := s.limits.tol * s.origin
		if p := math.Abs(s.point.primal); p > 0 {
			target = s.limits.tol * p
		}
		if estimate <= target || pass == 1 || pass%10 == 9 {
			s.certifyDescent()
			s.tell()
			if s.solved() {
				s.point.status = Solved
				return true, nil
			}
			if estimate <= target && !whole {
				d.reset(s.n)
				last, spread = inf, inf
				continue
			}
		}
		if status, err := s.limits.reached(); status != 0 {
			s.certifyDescent()
			s.point.status = status
			return true, err
		}
		if !only && pass > 0 {
			rate := estimate / last
			if left := math.Log(target/estimate) / math.Log(rate) * work; !(rate < 1 && left <= patience) {
				break
			}
		}
		last = estimate
	}
	for i := range s.kinked {
		copy(s.kinked[i].center, s.kinked[i].slope)
	}
	return false, nil
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
	s.sums = sums{value: s.loss()}
	s.collect()
	copy(s.v, s.beta)
	s.certify()
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
		norm := d.norm[i]
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
			if a == lo && r < -beyond || a == hi && r > beyond {
				continue
			}
			idle = false
			var n float64
			switch {
			case norm > 0:
				n = min(max(a+r/norm, lo), hi)
			case r > 0:
				n = hi
			default:
				n = lo
			}
			if e := n - a; e != 0 {
				k.slope[i] = n
				total += e
				z -= e * norm
				r -= e * norm
				spread = max(spread, math.Abs(e)*norm)
			}
			estimate += max(lo*r, hi*r) - n*r
		}
		for b := range s.curved {
			c := &s.curved[b]
			m := c.sigma[i]
			if m == 0 {
				continue
			}
			idle = false
			a := c.slope[i]
			r := z - c.kink[i] - a/m
			n := min(max(a+r/(norm+1/m), m*c.kl[i]), m*c.kh[i])
			if e := n - a; e != 0 {
				c.slope[i] = n
				total += e
				z -= e * norm
				spread = max(spread, math.Abs(e)*norm)
			}
			u := min(max(z-c.kink[i], c.kl[i]), c.kh[i])
			estimate += m * (u - n/m) * (z - c.kink[i] - (u+n/m)/2)
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
