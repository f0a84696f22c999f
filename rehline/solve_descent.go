package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
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
	inv     []float64 // 1/‖x_i‖², with 1 added to the norm for a penalized intercept
	active  []int32   // samples in the order of the pass
	random  uint64
	run     int  // samples that are visited in their order
	block   int  // the same where no cache holds them all; 0 where the kernel does not visit them
	far     int  // active samples beyond which this is so
	close   bool // the last pass's estimate of the gap was small
	visitor kernel.Pass
}

// A Newton phase costs about as much as patience passes over all samples: passes
// are given up when more than these are expected, from the fall of the estimate
// over the last memory passes, or were made.
const (
	patience = 25
	memory   = 6
	hopeless = 500 // passes expected where the estimate does not fall
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
	if x, ok := s.x.(dense); ok && s.kernelled() {
		size := 8*x.Stride + stateBytes
		d.block, d.far = max(runLength, blockBytes/size), farCache/size
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
		target := s.limits.tol * s.origin
		if p := math.Abs(s.point.primal); p > 0 {
			target = s.limits.tol * p
		}
		if estimate <= target || pass == 1 || pass%50 == 49 {
			spent += 0.4
			s.certifyDescent()
			s.meet()
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
			s.last(false)
			if s.point.status = status; s.solved() && err == nil {
				s.point.status = Solved
			}
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
