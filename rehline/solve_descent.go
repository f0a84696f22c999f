package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// descent is the first phase: dual coordinate descent as in ReHLine and LIBLINEAR (Hsieh
// et al., "A dual coordinate descent method for large-scale linear SVM", ICML 2008). The
// coefficients β = -Σ a x are kept current, so that an update costs one product with a row
// and one sum. Samples whose slopes stay at a bound are left out of later passes; the
// certificate takes all of them.
//
// It pays for kinked losses with strong regularization, which need a few passes. Each pass
// estimates the gap from what it meets, so that the phase ends as soon as the gap falls
// too slowly to be worth it.
type descent struct {
	*state
	inv     []float64 // 1/‖x_i‖², with 1 added to the norm for a penalized intercept; see invert
	steps   []float64 // of a curved term
	lists   []list    // of active samples: one of each face, or one where the kernel does not visit them
	random  uint64
	run     int     // samples that are visited in their order
	block   int     // the same where no cache holds them all; 0 where the kernel does not visit them
	far     int     // active samples beyond which this is so
	finish  float64 // passes that a finish by near samples costs; infinite where there is none
	visitor kernel.Pass
	faces   []face // of the terms; none where the kernel does not visit them and some are curved
}

// list are samples that passes visit.
type list struct {
	active []int32 // in the order of the pass
	kept   int     // of the blocks before
	part   []int32 // those of a block that were kept so far
	stay   int     // of them in this turn
}

// face is a term of every sample, the maximum over lo <= a <= hi of
// a(z - kink) - soft a²/2, with 1/soft and the step of the slope by the distance from where it
// would not change.
type face struct{ step, kink, lo, hi, slope, soft, stiff []float64 }

// outcome is how descent ended.
type outcome uint8

const (
	ended   outcome = iota // solved or at a limit
	gaveUp                 // more passes do not pay
	isClose                // the same, and near samples are likely to finish
)

func newDescent(from *arena, s *state) descent {
	n := len(s.z)
	d := descent{state: s, run: 1, finish: inf}
	if 8*n*s.penalty.d > nearCache {
		d.run = runLength
	}
	if x, ok := s.x.(full); ok && d.kernelled() {
		size := 8*x.Stride + stateBytes
		d.block, d.far = max(runLength, blockBytes/size), farCache/size
	}
	terms := len(s.terms.kinked) + len(s.terms.curved)
	d.faces = make([]face, 0, terms)
	d.lists = make([]list, 1)
	if d.kernelled() {
		d.lists = make([]list, terms)
	}
	for t := range d.lists {
		d.lists[t].active = from.list(n + 8)
	}
	return d
}

// strong tells of terms that are all curved whether the ridge is so strong beside their
// mean curvature along a coefficient that a few passes are likely to do.
func (d *descent) strong() bool {
	if !d.kernelled() || d.penalty.dim < strongDim {
		return false
	}
	return d.curvature() <= strongCurvature
}

// curvature returns the mean one of terms that are all curved along a coefficient, by some of the
// samples.
func (d *descent) curvature() float64 {
	n := len(d.z)
	stride := max(1, n/nearSample)
	var sum float64
	for t := range d.terms.curved {
		sigma := d.terms.curved[t].sigma
		for i := 0; i < n; i += stride {
			sum += sigma[i] * d.extent(i)
		}
	}
	return sum * float64(stride) / float64(d.penalty.dim)
}

// extent returns ‖x_i‖² of a sample, with 1 added for a penalized intercept.
func (d *descent) extent(i int) float64 {
	if d.inv != nil {
		return 1 / d.inv[i]
	}
	return d.norms[i] + d.bend()
}

// bend is 1 with a penalized intercept, else 0.
func (d *descent) bend() float64 { return float64(d.penalty.dim - d.penalty.d) }

// invert computes inv, which Newton steps do not need, in place of the norms.
func (d *descent) invert() {
	if d.inv == nil {
		kernel.Invert(d.norms, d.bend(), leastExtent)
		d.inv = d.norms
	}
}

// face sets the faces. A curved term has its own where g, dz and h are, which descent does
// not need.
func (d *descent) face() {
	d.faces = d.faces[:0]
	if len(d.terms.curved) > 0 && !d.kernelled() {
		return
	}
	for i := range d.terms.kinked {
		k := &d.terms.kinked[i]
		d.faces = append(d.faces, face{step: d.inv, kink: k.kink, lo: k.lo, hi: k.hi, slope: k.slope})
	}
	for i := range d.terms.curved {
		c := &d.terms.curved[i]
		f := face{d.steps, c.kink, d.g, d.dz, c.slope, d.h, c.sigma}
		for j, m := range c.sigma {
			f.lo[j], f.hi[j] = c.bounds(j)
			if f.soft[j] = 0; m > 0 {
				f.soft[j] = 1 / m
			}
			f.step[j] = d.inv[j] / (1 + d.inv[j]*f.soft[j])
		}
		d.faces = append(d.faces, f)
	}
}

// reset makes all samples active.
func (d *descent) reset() {
	for t := range d.lists {
		active := d.lists[t].active[:len(d.z)]
		for i := range active {
			active[i] = int32(i)
		}
		d.lists[t].active = active
	}
}

// some makes others the active samples.
func (d *descent) some(samples []int32) {
	for t := range d.lists {
		d.lists[t].active = append(d.lists[t].active[:0], samples...)
	}
}

// visits returns how many visits of a sample a pass has: those of several faces count as one.
func (d *descent) visits() float64 {
	var count int
	for t := range d.lists {
		count += len(d.lists[t].active)
	}
	return float64(count) / float64(len(d.lists))
}

func (d *descent) seed(seed uint64) { d.random = seed*0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d }

// begin starts from the centers, where they are multipliers of an earlier solution, or
// from slopes of zero.
func (d *descent) begin(warm bool) {
	clear(d.beta)
	copy(d.guard.xi, d.guard.center)
	d.primal = 0
	if !warm {
		d.terms.slopes(func(slope []float64) { clear(slope) })
		return
	}
	d.terms.resume()
	d.collect()
	d.forces()
	copy(d.beta, d.v)
}

// hope predicts how many passes are to come, from the estimates of the last ones.
type hope struct {
	past  [memory]float64
	since int
}

// left returns the passes expected, by the fall over all of these or the latest ones, whichever is
// steeper, and whether there were enough to tell.
func (h *hope) left(estimate, target float64) (float64, bool) {
	left := float64(hopeless)
	for _, back := range [...]int{memory, latest} {
		if before := h.past[(h.since+memory-back)%memory]; estimate < before {
			left = min(left, float64(back)*math.Log(target/estimate)/math.Log(estimate/before))
		}
	}
	h.past[h.since%memory] = estimate
	h.since++
	return left, h.since > memory
}

// pass visits the active samples and the constraints.
func (d *descent) pass(spread float64) (estimate, next float64) {
	estimate, next = d.visit(spread)
	if len(d.terms.curved) > 0 {
		next = inf // their slopes leave a bound more often than one is left out for
	}
	return estimate + d.guard.project(d.beta[:d.penalty.d]), next
}

// target is the gap that is asked for.
func (d *descent) target() float64 {
	if p := math.Abs(d.primal); p > 0 {
		return d.limits.tol * p
	}
	return d.limits.tol * d.costs.origin
}

// descend makes passes until solved, or until they no longer pay. only says that there is
// no other phase.
func (d *descent) descend(seed uint64, warm, only bool) (outcome, error) {
	n := len(d.z)
	d.seed(seed)
	d.begin(warm)
	d.invert()
	d.reset()
	d.face()
	spread, spent, before, how := inf, 0.0, inf, gaveUp
	var h hope
	for pass := 0; ; pass++ {
		if pass > 0 {
			d.shuffle()
		}
		work := d.visits() / float64(n)
		spent += work
		var estimate float64
		estimate, spread = d.pass(spread)
		target := d.target()
		last := before
		before = estimate
		if due(pass, work, estimate, last, target) {
			spent += testCost
			if d.test(target, math.IsInf(last, 1)) {
				return ended, nil
			}
			if estimate <= target && work < 1 && (only || spent <= patience) {
				d.restrict() // those left out count again
				spread, before, h.since = inf, inf, 0
				continue
			}
		}
		if status, err := d.limits.reached(); status != 0 {
			d.tally(inf)
			d.end(status, err, false)
			return ended, err
		}
		if only {
			continue
		}
		if spent > patience {
			return how, nil
		}
		if left, ok := h.left(estimate, target); ok {
			var most float64
			if how, most = d.allowed(estimate); left*work > most {
				return how, nil
			}
		}
	}
}

// due tells whether to certify after a pass. The estimate is of the coefficients met on the way:
// those at the end of a pass over most samples are likely to be better by what it fell last.
func due(pass int, work, estimate, last, target float64) bool {
	soon := pass == 1 || math.IsInf(last, 1) || estimate*estimate <= target*last
	return estimate <= target || work > testCost && soon || pass%testEvery == testEvery-1
}

// allowed returns how many passes over all samples may be to come, and what it is called
// if more are.
func (d *descent) allowed(estimate float64) (how outcome, most float64) {
	if d.finish < inf && estimate <= nearGap*math.Abs(d.primal) {
		return isClose, min(patience, d.finish)
	}
	return gaveUp, patience
}

// test certifies the point and tells whether it is good enough. Where no estimate before tells
// what to expect, it leaves off as soon as some samples deny it.
func (d *descent) test(target float64, blind bool) bool {
	most := inf
	if blind {
		most = target
	}
	if !d.tally(most) {
		return false
	}
	return d.certified()
}

// certified notes the certified point and tells whether it is good enough.
func (d *descent) certified() bool {
	d.meet()
	d.tell()
	if !d.solved() {
		return false
	}
	d.status = Solved
	return true
}

// restrict leaves those samples active that are likely to have other slopes at the solution, where the scores
// are those of a certified point: a score moves by no more than ‖x_i‖ times the root of twice the gap,
// mostly by much less (gap safe screening, [5] of the package's documentation).
func (d *descent) restrict() {
	if len(d.terms.curved) > 0 || len(d.lists) < len(d.terms.kinked) {
		d.reset()
		return
	}
	for t := range d.lists {
		k, l := &d.terms.kinked[t], &d.lists[t]
		room := l.active[:cap(l.active)]
		count, _ := kernel.Near(d.z, k.kink, k.lo, k.hi, k.slope, d.inv, 2*restrictPart*restrictPart*max(d.gap, 0), room)
		l.active = room[:count]
	}
}

// isFar tells whether the active samples are visited block by block.
func (d *descent) isFar() bool { return d.block > 0 && d.visits() > float64(d.far) }

// shuffle permutes the active samples, by runs of them where X is larger than what the
// caches near the processor hold. As samples are dropped, the runs' ends move.
func (d *descent) shuffle() {
	run := d.run
	if d.isFar() {
		run = d.block
	}
	begin := d.random
	for t := range d.lists { // equal ones stay so
		d.random = begin
		d.permute(d.lists[t].active, run)
	}
}

func (d *descent) permute(active []int32, run int) {
	x := d.random
	for i := len(active)/run - 1; i > 0; i-- {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		j := int((x >> 32) * uint64(i+1) >> 32)
		if run == 1 {
			active[i], active[j] = active[j], active[i]
			continue
		}
		p, q := active[i*run:][:run], active[j*run:][:run]
		for k, v := range p {
			p[k], q[k] = q[k], v
		}
	}
	d.random = x
}
