package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// descent is dual coordinate descent ([1, 2] of doc.go). The coefficients β = -Σ a x are kept
// current, so that an update costs one product with a row and one sum. Later passes skip samples
// whose slopes stay at a bound; the certificate takes all samples.
type descent struct {
	*state
	inv    []float64 // 1/‖x_i‖², in the memory of the norms
	faces  []face
	random uint64
}

// face is a term of every sample: the maximum over lo <= a <= hi of a(z - kink) - soft a²/2. Stiff
// is 1/soft, step the change of the slope per distance from the score at which the slope would not
// change.
type face struct {
	step, kink, lo, hi, slope, soft, stiff []float64
	active                                 []int32
}

func newDescent(s *state) descent {
	d := descent{state: s, faces: make([]face, len(s.terms.kinked)+len(s.terms.curved))}
	for t := range d.faces {
		d.faces[t].active = make([]int32, len(s.z))
	}
	return d
}

func (d *descent) begin(seed uint64, warm bool) {
	d.random = seed*0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d
	clear(d.beta)
	copy(d.guard.xi, d.guard.center)
	d.primal = 0
	if warm {
		d.terms.resume()
		d.collect()
		d.forces()
		copy(d.beta, d.v)
	} else {
		d.terms.slopes(func(slope []float64) { clear(slope) })
	}
	if d.inv == nil {
		d.inv = d.norms
		for i, v := range d.inv {
			d.inv[i] = 1 / max(v, 1/(largest*largest))
		}
	}
	for i := range d.terms.kinked {
		k, f := &d.terms.kinked[i], &d.faces[i]
		f.step, f.kink, f.lo, f.hi, f.slope = d.inv, k.kink, k.lo, k.hi, k.slope
	}
	for i := range d.terms.curved {
		d.faces[len(d.terms.kinked)+i].curve(&d.terms.curved[i], d.inv)
	}
	d.reset()
}

func (f *face) curve(c *curved, inv []float64) {
	f.kink, f.slope, f.stiff = c.kink, c.slope, c.sigma
	if f.soft == nil {
		for _, v := range []*[]float64{&f.step, &f.lo, &f.hi, &f.soft} {
			*v = make([]float64, len(inv))
		}
	}
	for j, m := range c.sigma {
		f.lo[j], f.hi[j] = c.bounds(j)
		if f.soft[j] = 0; m > 0 {
			f.soft[j] = 1 / m
		}
		f.step[j] = inv[j] / (1 + inv[j]*f.soft[j])
	}
}

func (d *descent) reset() {
	for t := range d.faces {
		f := &d.faces[t]
		f.active = f.active[:len(d.z)]
		for i := range f.active {
			f.active[i] = int32(i)
		}
	}
}

// restrict activates the samples that may have other slopes at the solution: a score moves by at
// most ‖x_i‖ times the root of twice the gap (gap safe screening, [5] of doc.go). Slopes of curved
// terms leave a bound too often for this.
func (d *descent) restrict() {
	if len(d.terms.curved) > 0 {
		d.reset()
		return
	}
	reach := 2 * max(d.gap, 0)
	for t := range d.faces {
		f := &d.faces[t]
		f.active = f.active[:0]
		for i, z := range d.z {
			r, bound := z-f.kink[i], f.lo[i]
			if r > 0 {
				bound = f.hi[i]
			}
			if f.slope[i] != bound || r*r*d.inv[i] <= reach {
				f.active = append(f.active, int32(i))
			}
		}
	}
}

type hope struct {
	past  [memory]float64
	since int
}

// left returns the expected passes, by the steeper of the long and the recent decrease; false
// before there are enough estimates.
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

// descend makes passes until solved or at a limit, which it reports, or until they no longer pay;
// only means that there is no other phase.
func (d *descent) descend(seed uint64, warm, only bool) (ended bool, err error) {
	d.begin(seed, warm)
	spread, spent, before := inf, 0.0, inf
	var h hope
	for pass := 0; ; pass++ {
		if pass > 0 {
			d.shuffle()
		}
		work := d.work()
		spent += work
		var estimate float64
		estimate, spread = d.visit(spread)
		estimate += d.guard.project(d.beta)
		last := before
		before = estimate

		// Certify if the estimate is small enough. If the gap is larger although the active samples
		// are done, reconsider the others.
		target := d.target()
		if estimate <= target || work > testCost && soon(pass, estimate, last, target) {
			spent += testCost
			if d.certified() {
				return true, nil
			}
			if estimate <= target && work < 1 && (only || spent <= patience) {
				d.restrict()
				spread, before, h.since = inf, inf, 0
				continue
			}
		}
		if status, err := d.limits.reached(); status != 0 {
			d.tally()
			d.end(status, err, false)
			return true, err
		}

		if only {
			continue
		}
		left, ok := h.left(estimate, target)
		if spent > patience || ok && left*work > patience {
			return false, nil
		}
	}
}

func (d *descent) work() float64 {
	var count int
	for t := range d.faces {
		count += len(d.faces[t].active)
	}
	return float64(count) / float64(max(1, len(d.faces))*len(d.z))
}

// visit drops samples whose slope stays at a bound while their score is more than beyond from
// leaving it. It returns the estimate of the gap and the largest change of a score by its own
// update.
func (d *descent) visit(beyond float64) (estimate, spread float64) {
	var visits int
	for t := range d.faces {
		f := &d.faces[t]
		visits += len(f.active)
		kept, part, most := kernel.Descend(d.x.Data, d.x.Stride, d.beta, f.step, f.kink, f.lo, f.hi, f.slope, f.soft, f.stiff, f.active, beyond)
		f.active = f.active[:kept]
		estimate += part
		spread = max(spread, most)
	}
	d.limits.done.Passes++
	d.limits.done.Visits += (visits + len(d.faces) - 1) / max(1, len(d.faces))
	if len(d.terms.curved) > 0 {
		spread = inf // their slopes leave a bound too often to drop samples
	}
	return estimate, spread
}

func (d *descent) target() float64 {
	if p := math.Abs(d.primal); p > 0 {
		return d.limits.tol * p
	}
	return d.limits.tol * d.costs.origin
}

// soon reports whether the gap is likely at the target. The estimate is of the coefficients during
// the pass; after a pass over most samples the gap is smaller by the last decrease.
func soon(pass int, estimate, last, target float64) bool {
	return pass == 1 || math.IsInf(last, 1) || estimate*estimate <= target*last
}

func (d *descent) certified() bool {
	d.tally()
	d.meet()
	d.tell()
	if !d.solved() {
		return false
	}
	d.status = Solved
	return true
}

// shuffle gives equal lists the same order.
func (d *descent) shuffle() {
	begin := d.random
	for t := range d.faces {
		x, active := begin, d.faces[t].active
		for i := len(active) - 1; i > 0; i-- {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			j := int((x >> 32) * uint64(i+1) >> 32)
			active[i], active[j] = active[j], active[i]
		}
		d.random = x
	}
}
