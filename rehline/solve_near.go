package rehline

import (
	"math"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// vicinity makes a re-solve cheap whose weights differ a little from those of the
// last one. While the coefficients stay within a ball around those that the
// scores z belong to, no score moves by more than radius ‖x_i‖; a sample whose
// slope is at a bound and whose score is further than that from its kink keeps
// its slope, and its term is linear. Such samples are left out: together they
// are a constant and a force, and the gap of the others is that of all. The
// certificate is thus as good as one that visits every sample. What is left is
// solved by a Solver of its own over the near samples.
type vicinity struct {
	inner  *Solver
	subset subset // the near samples, ascending
	ball
	chain  int       // re-solves since everything was summed anew; -1: there is no solution
	own    []float64 // memory for the near samples, where dz and h have not enough
	newton bool      // the last solve of all samples ended with Newton steps
}

// ball is where the coefficients have to stay.
type ball struct {
	anchor []float64 // dim: the center, the coefficients of the scores z
	radius float64   // 0 before the first re-solve
}

const (
	longest      = 50   // re-solves before everything is summed anew
	nearShare    = 0.05 // of the samples that are to be near
	nearDims     = 3    // or as many times the coefficients
	nearRoom     = 12   // times the coefficients that there is room for at least
	nearTries    = 4    // balls
	nearShrink   = 0.8  // of the smoothing, where the first multipliers are good ones
	nearChange   = 0.03 // of the squared slopes, beyond which a re-solve takes all samples
	nearGap      = 1e-3 // relative, from which on descent leaves the rest to near samples
	nearSteps    = 12   // Newton steps on near samples that it takes then
	nearPatience = 12   // passes over the near samples before Newton steps
	nearWidth    = 0.15 // of the smoothing, in radii of the scores
)

// init allocates. The near terms of many samples are in dz and h, which are free
// outside of Newton steps on all samples.
func (n *vicinity) init(s *Solver) {
	n.chain = -1
	n.anchor = make([]float64, s.dim)
	if len(s.curved) > 0 || len(s.kinked) == 0 || !s.descends() {
		return
	}
	slots := 4 + 5*len(s.kinked)
	room := 2*s.n/(slots+1) - 8
	if few := min(s.n, nearRoom*s.dim); few > room {
		room = few
		n.own = make([]float64, (room+8)*slots)
	}
	n.subset = subset{s.x, make([]int32, 0, room+8)}
	n.inner = &Solver{x: &n.subset, d: s.d, dim: s.dim, k: s.k, ridge: s.ridge, kinked: make([]kinked, len(s.kinked)),
		bend: s.bend, v: s.v, grad: s.grad, step: s.step, beta: s.beta, anchor: s.anchor, warm: true, base: make([]float64, s.dim)}
	n.inner.force = newForce(s.dim)
}

// holds tells whether the scores, slopes and forces are those of the last
// solution.
func (n *vicinity) holds() bool { return n.chain >= 0 && n.chain < longest }

// keep notes what a re-solve may rely on, after a solve of all samples.
func (n *vicinity) keep(s *Solver) {
	if s.point.status != Solved || s.origin == s.constant {
		n.chain = -1
		return
	}
	if n.chain++; !s.fresh {
		n.chain = 0
	}
	n.newton = s.limits.done.Newton > 0
}

// settle sets g and the force of the loss to those of the slopes, where v is
// their sum with the constraints' forces: after descent.
func (s *Solver) settle() {
	s.collect()
	f := &s.force
	clear(f.loss)
	if s.k > 0 {
		kernel.MulTransAdd(f.loss[:s.d], s.guard.a.Data, s.guard.a.Stride, s.guard.xi)
	}
	for j, v := range s.v {
		f.loss[j] = v - f.loss[j]
	}
	f.changes, f.rough, f.peak = 0, false, kernel.Dot(f.loss, f.loss)
}

// again solves anew by the near samples, and tells whether it could. The
// certificate needs no others.
func (s *Solver) again(seed uint64) bool {
	s.g, s.dz = s.dz, s.g
	s.collect()
	size := kernel.Dot(s.g, s.g)
	change := kernel.Dot(s.dz, s.dz) - 2*kernel.Dot(s.dz, s.g) + size
	s.pull()
	if change > nearChange*size {
		return false
	}
	return s.nearby(!s.near.newton, seed)
}

// finish solves by the near samples after descent came close, and tells whether
// it could.
func (s *Solver) finish() bool {
	copy(s.v, s.beta)
	s.settle()
	s.center()
	s.near.radius = 0
	return s.nearby(false, 0)
}

// center makes the coefficients the center of the next ball.
func (s *Solver) center() {
	s.scores(s.z, s.beta)
	copy(s.near.anchor, s.beta)
}

// nearby solves by near samples around the anchor or, where the coefficients
// leave the ball, around what was found, and tells whether it could.
func (s *Solver) nearby(descend bool, seed uint64) bool {
	n := &s.near
	if n.radius == 0 {
		n.radius = s.typical()
	}
	for range nearTries {
		if move := n.distance(s.beta); move > n.radius/2 {
			if !finite(move) {
				copy(s.beta, n.anchor)
				return false
			}
			s.center()
		}
		if descend && s.choose(max(n.radius, 1.5*n.distance(s.v))) {
			copy(s.beta, s.v)
			if s.sweep(seed) {
				return true
			}
		}
		if !s.choose(n.radius) && !s.choose(n.radius/3) {
			return false
		}
		if s.climb() {
			return true
		}
	}
	return false
}

// choose finds the near samples of a ball, sets up their Solver, and tells
// whether they are few. It adapts the radius of the next re-solve.
func (s *Solver) choose(radius float64) bool {
	n := &s.near
	if !s.within(radius) {
		return false
	}
	s.load(radius)
	few := s.few()
	switch count := float64(len(n.subset.index)); {
	case count > 1.5*few:
		n.radius *= 0.7
	case count < 0.7*few:
		n.radius *= 1.4
	}
	return true
}

// distance returns the distance of the coefficients from the anchor.
func (n *ball) distance(beta []float64) float64 {
	var t float64
	for j, b := range beta {
		e := b - n.anchor[j]
		t += e * e
	}
	return math.Sqrt(t)
}

// typical returns a radius that makes about as few samples near as wanted.
func (s *Solver) typical() float64 {
	list := s.newton.sample[:0]
	k := &s.kinked[0]
	stride := max(1, s.n/128)
	for i := 0; i < s.n && len(list) < cap(list); i += stride {
		list = append(list, math.Abs(s.z[i]-k.kink[i])*math.Sqrt(s.descent.inv[i]))
	}
	slices.Sort(list)
	return list[int(min(s.few()/float64(s.n), 0.5)*float64(len(list)-1))]
}

// few returns how many samples are to be near.
func (s *Solver) few() float64 { return max(nearShare*float64(s.n), float64(nearDims*s.dim)) }

// worth returns the number of passes over all samples that take as long as a
// solve by the near ones: four products with their rows and a factorization a
// step.
func (s *Solver) worth() float64 {
	return 1 + nearSteps*(2*s.few()+float64(s.dim*s.dim)/6)/float64(s.n)
}

// within lists the samples that the ball does not hold at their bounds, and
// tells whether there is room for them.
func (s *Solver) within(radius float64) bool {
	n := &s.near
	room := n.subset.index[:cap(n.subset.index)]
	limit := radius * radius * (1 + 1e-9)
	k := &s.kinked[0]
	if len(s.kinked) == 1 {
		count, ok := kernel.Near(s.z, k.kink, k.lo, k.hi, k.slope, s.descent.inv, limit, room)
		n.subset.index = room[:count]
		return ok
	}
	count := 0
	for i, z := range s.z {
		if s.holds(i, z, limit) {
			continue
		}
		if count == len(room) {
			return false
		}
		room[count] = int32(i)
		count++
	}
	n.subset.index = room[:count]
	return true
}

// holds tells whether the ball holds all slopes of sample i with the score z at
// their bounds.
func (s *Solver) holds(i int, z, limit float64) bool {
	for t := range s.kinked {
		k := &s.kinked[t]
		r := z - k.kink[i]
		bound := k.lo[i]
		if r > 0 {
			bound = k.hi[i]
		}
		if k.slope[i] != bound || r*r*s.descent.inv[i] <= limit {
			return false
		}
	}
	return true
}

// load sets up the Solver of the near samples.
func (s *Solver) load(radius float64) {
	n := &s.near
	in := n.inner
	index := n.subset.index
	size, room := len(index), [3][]float64{n.own, s.dz, s.h}
	take := func() []float64 {
		r := 0
		for len(room[r]) < size {
			r++
		}
		v := room[r][:size:size]
		room[r] = room[r][size:]
		return v
	}
	in.n = size
	in.z, in.dz, in.g, in.h = take(), take(), take(), take()
	in.constant, in.offset, in.origin = s.constant, s.offset, s.origin
	clear(in.g)
	for t := range s.kinked {
		k, to := &s.kinked[t], &in.kinked[t]
		to.kink, to.lo, to.hi, to.slope, to.center = take(), take(), take(), take(), take()
		for j, i := range index {
			a := k.slope[i]
			to.kink[j], to.lo[j], to.hi[j], to.slope[j] = k.kink[i], k.lo[i], k.hi[i], a
			in.g[j] += a
		}
		in.constant -= kernel.Dot(k.slope, k.kink) - kernel.Dot(to.slope, to.kink)
	}
	copy(in.base, s.force.loss)
	n.subset.mulTransAdd(in.base[:s.d], in.g)
	if s.dim > s.d {
		in.base[s.d] += kernel.Sum(in.g)
	}
	in.guard, in.limits = s.guard, s.limits
	in.ball = ball{n.anchor, radius}
}

// outside tells whether the coefficients left the ball, in the Solver of the
// near samples.
func (s *Solver) outside() bool { return s.ball.distance(s.beta) > s.ball.radius }

// sweep makes passes of descent over the near samples and tells whether they
// were enough.
func (s *Solver) sweep(seed uint64) bool {
	n, d := &s.near, &s.descent
	in := n.inner
	all := n.subset.index
	d.random = seed*0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d
	d.active = append(d.active[:0], all...)
	spread := inf
	most := s.limits.done.Visits + nearPatience*len(all)
	for pass := 0; s.limits.done.Visits <= most; pass++ {
		if pass > 0 {
			d.shuffle()
		}
		var estimate float64
		estimate, spread = s.visit(spread)
		estimate += s.project()
		if status, err := s.limits.reached(); status != 0 || err != nil {
			break
		}
		if estimate > s.limits.tol*math.Abs(s.point.primal) {
			continue
		}
		for t := range s.kinked {
			for j, i := range all {
				in.kinked[t].slope[j] = s.kinked[t].slope[i]
			}
		}
		in.certifyDescent()
		in.limits.done = s.limits.done
		in.tell()
		if in.outside() {
			break
		}
		if in.solved() {
			s.point = in.point
			s.point.status = Solved
			s.scatter()
			return true
		}
		d.active = append(d.active[:0], all...)
		spread = inf
	}
	copy(s.v, s.beta)
	s.settle()
	return false
}

// scatter takes over what the near samples' slopes became, with their force.
func (s *Solver) scatter() {
	in := s.near.inner
	for t := range s.kinked {
		for j, i := range s.near.subset.index {
			s.kinked[t].slope[i] = in.kinked[t].slope[j]
		}
	}
	s.settle()
}

// climb takes Newton steps on the near samples and tells whether they were
// enough.
func (s *Solver) climb() bool {
	n := &s.near
	in := n.inner
	w := &in.newton
	*w = s.newton
	s.newton.changes = anewAfter // the Gram matrix is that of the near samples
	w.changes = anewAfter
	if w.last != nil {
		w.last = w.last[:in.n]
	}
	var norm float64
	for _, i := range n.subset.index {
		norm += 1 / s.descent.inv[i]
	}
	w.widest = in.ball.radius * math.Sqrt(norm/float64(max(1, in.n)))
	if w.width = nearWidth * w.widest; !(w.width > 0) {
		w.widest, w.width = 1, 1 // there is no near sample, or all are zero
	}
	w.stiff, w.soft, w.narrow = 1, 1e-6, 1
	for t := range in.kinked {
		copy(in.kinked[t].center, in.kinked[t].slope)
	}
	copy(in.guard.center, in.guard.xi)
	err := in.ascend()
	s.limits.done = in.limits.done
	s.scatter()
	if err != nil || in.point.status != Solved {
		return false // all samples tell what is true, and whether to end
	}
	s.point = in.point
	return true
}
