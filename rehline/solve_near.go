package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// vicinity makes a re-solve cheap whose weights differ a little from those of the last
// one. Samples that the screen holds at their bounds are left out: together they are a
// constant and a linear term, and the gap of the others is that of all. The certificate is
// thus as good as one that visits every sample. What is left is a state of its own, over
// the near samples.
type vicinity struct {
	screen
	whole   *state
	descent *descent
	near    state
	newton  newton    // on near; its Hessian is that of the steps on all samples
	own     []float64 // memory for the near samples, where the whole has not enough
	steps   bool      // the last solve of all samples ended with Newton steps
}

// newVicinity allocates for kinked terms and a separable dual. The near terms of many
// samples are in dz and h of the whole, which are free outside of its Newton steps.
func newVicinity(from *arena, s *state, d *descent, w *newton) vicinity {
	n, dim := len(s.z), s.penalty.dim
	d.invert()
	slots := 4 + 5*len(s.terms.kinked)
	room := 2*n/(slots+1) - 8
	v := vicinity{whole: s, descent: d}
	if least := min(n, nearRoom*dim); least > room {
		room = least
		v.own = from.scratch((room + 8) * slots)
	}
	v.screen = screen{rows: subset{s.x, from.list(room + 8)[:0]}, inv: d.inv, anchor: from.vector(dim)}
	v.near = state{penalty: s.penalty, guard: s.guard, costs: s.costs, limits: s.limits, vectors: s.vectors,
		terms: terms{kinked: make([]kinked, len(s.terms.kinked))}, force: newForce(from, n, dim)}
	v.near.rest.force = from.vector(dim)
	v.newton = newton{hessian: w.hessian, multipliers: w.multipliers, bows: w.bows, center: w.center, sample: w.sample}
	return v
}

// passes returns the number of passes over all n samples that take as long as a solve by
// the near ones: four products with their rows and a factorization a step.
func passes(n, dim int) float64 {
	return 1 + nearSteps*(2*few(n, dim)+nearFactor*float64(dim))/float64(n)
}

// again solves anew where the scores, slopes and forces are those of the last solution,
// and tells whether it could.
func (v *vicinity) again(seed uint64) bool {
	s := v.whole
	s.g, s.dz = s.dz, s.g
	s.collect()
	size := kernel.Dot(s.g, s.g)
	change := kernel.Dot(s.dz, s.dz) - 2*kernel.Dot(s.dz, s.g) + size
	s.pull()
	if change > nearChange*size {
		return false
	}
	return v.solve(!v.steps, seed)
}

// complete solves after descent came close, and tells whether it could.
func (v *vicinity) complete() bool {
	s := v.whole
	copy(s.v, s.beta)
	s.settle()
	v.recenter()
	v.typed = 0
	return v.solve(false, 0)
}

// recenter makes the coefficients the center of the next ball.
func (v *vicinity) recenter() {
	v.whole.scores(v.whole.z, v.whole.beta)
	copy(v.anchor, v.whole.beta)
}

// solve takes the near samples around the anchor or, where the coefficients leave the
// ball, around what was found, and tells whether that was enough. It begins with descent
// where told.
func (v *vicinity) solve(descend bool, seed uint64) bool {
	s := v.whole
	if v.typed == 0 {
		v.typed = v.typical(&s.terms.kinked[0], s.z, v.newton.sample)
	}
	for range nearTries {
		if move := v.distance(s.beta); move > v.typed/2 {
			if !finite(move) {
				copy(s.beta, v.anchor)
				return false
			}
			v.recenter()
		}
		if descend && v.load(max(v.typed, 1.5*v.distance(s.v))) {
			copy(s.beta, s.v)
			if v.descend(seed) {
				return true
			}
		}
		if !v.load(v.typed) && !v.load(v.typed/3) {
			return false
		}
		if v.climb() {
			return true
		}
	}
	return false
}

// load sets up the state of the near samples of a ball, and tells whether there was room.
func (v *vicinity) load(radius float64) bool {
	s, in := v.whole, &v.near
	if !v.choose(&s.terms, s.z, radius) {
		return false
	}
	index := v.rows.index
	size, room := len(index), [3][]float64{v.own, s.dz, s.h}
	take := func() []float64 {
		r := 0
		for len(room[r]) < size {
			r++
		}
		part := room[r][:size:size]
		room[r] = room[r][size:]
		return part
	}
	in.x = &v.rows
	in.z, in.dz, in.g, in.h = take(), take(), take(), take()
	clear(in.g)
	in.rest.value = 0
	for t := range s.terms.kinked {
		k, to := &s.terms.kinked[t], &in.terms.kinked[t]
		to.kink, to.lo, to.hi, to.slope, to.center = take(), take(), take(), take(), take()
		for j, i := range index {
			a := k.slope[i]
			to.kink[j], to.lo[j], to.hi[j], to.slope[j] = k.kink[i], k.lo[i], k.hi[i], a
			in.g[j] += a
		}
		in.rest.value -= kernel.Dot(k.slope, k.kink) - kernel.Dot(to.slope, to.kink)
	}
	copy(in.rest.force, s.force.loss)
	in.addForce(in.rest.force, in.g)
	return true
}

// descend makes passes of descent over the near samples and tells whether they were enough.
func (v *vicinity) descend(seed uint64) bool {
	s, d, in := v.whole, v.descent, &v.near
	all := v.rows.index
	d.seed(seed)
	d.face()
	d.some(all)
	spread := inf
	most := s.limits.done.Visits + nearPatience*len(all)
	for pass := 0; s.limits.done.Visits <= most; pass++ {
		if pass > 0 {
			d.shuffle()
		}
		var estimate float64
		estimate, spread = d.visit(spread)
		estimate += s.guard.project(s.beta[:s.penalty.d])
		if status, err := s.limits.reached(); status != 0 || err != nil {
			break
		}
		if estimate > s.limits.tol*math.Abs(s.primal) {
			continue
		}
		for t := range s.terms.kinked {
			for j, i := range all {
				in.terms.kinked[t].slope[j] = s.terms.kinked[t].slope[i]
			}
		}
		in.tally(inf)
		in.tell()
		if !v.inside(s.beta) {
			break
		}
		if in.solved() {
			v.adopt()
			return true
		}
		d.some(all)
		spread = inf
	}
	copy(s.v, s.beta)
	s.settle()
	return false
}

// adopt takes over the near samples' certificate and slopes, with their force.
func (v *vicinity) adopt() {
	best := v.whole.best
	v.whole.certificate = v.near.certificate
	v.whole.best, v.whole.status = best, Solved
	v.scatter()
}

// scatter takes over what the near samples' slopes became, with their force.
func (v *vicinity) scatter() {
	s := v.whole
	for t := range s.terms.kinked {
		for j, i := range v.rows.index {
			s.terms.kinked[t].slope[i] = v.near.terms.kinked[t].slope[j]
		}
	}
	s.settle()
}

// climb takes Newton steps on the near samples and tells whether they were enough.
func (v *vicinity) climb() bool {
	in, w := &v.near, &v.newton
	w.state = in
	w.hessian.forget()
	defer w.hessian.forget() // the Gram matrix is that of the near samples
	var norm float64
	for _, i := range v.rows.index {
		norm += 1 / v.inv[i]
	}
	widest := v.radius * math.Sqrt(norm/float64(max(1, len(in.z))))
	width := nearWidth * widest
	if !(width > 0) {
		widest, width = 1, 1 // there is no near sample, or all are zero
	}
	w.smoothing = smoothing{width: width, widest: widest, soft: warmSoft, narrow: 1, stiff: 1, factor: nearShrink}
	in.terms.center()
	copy(in.guard.center, in.guard.xi)
	in.rescore()
	status, err := w.ascend()
	if err != nil || status != Solved || !v.inside(in.beta) {
		v.scatter()
		return false // all samples tell what is true, and whether to end
	}
	v.adopt()
	return true
}
