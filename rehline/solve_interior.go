package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// interior is a primal-dual interior-point method with Mehrotra's predictor and corrector ([6] of
// doc.go). Its dual variables are independent, so that rounding errors of the scores do not reach
// them, however narrow the terms.
type interior struct {
	*newton
	samples  []barrier
	rows     barrier // of the constraints; its a are -ξ
	lasso    barrier
	pull     []float64
	pullRows []float64
	middle   []float64 // weighted mean of the rows of X; nil without a free intercept and a Gram matrix
}

// barrier keeps the dual variables a of terms max over lo <= a <= hi of a(z - kink) - soft a²/2
// inside their bounds. At the optimum
//
//	z - kink - soft a = p - q,  p (hi - a) = 0,  q (a - lo) = 0.
type barrier struct {
	kink, soft  []float64 // nil for zeros
	lo, hi, a   []float64
	over, under []float64 // hi - a and a - lo: infinite without a bound, zero if the bounds are equal
	p, q        []float64
	da, dp, dq  []float64
	best        []float64 // a at the smallest gap
	prox        float64   // added to soft in the step only, for equalities, which have no bounds
}

func (s *Solver) inside() *interior {
	if s.inner != nil {
		return s.inner
	}
	w := &s.newton
	t := &interior{newton: w, pull: make([]float64, len(w.z)), pullRows: make([]float64, len(w.guard.b))}
	for i := range w.terms.kinked {
		k := &w.terms.kinked[i]
		t.samples = append(t.samples, newBarrier(barrier{kink: k.kink, lo: k.lo, hi: k.hi}, k.slope))
	}
	for i := range w.terms.curved {
		c := &w.terms.curved[i]
		n := len(c.slope)
		t.samples = append(t.samples, newBarrier(barrier{kink: c.kink, soft: make([]float64, n), lo: make([]float64, n), hi: make([]float64, n)}, c.slope))
	}
	if k := len(w.guard.b); k > 0 {
		b := barrier{lo: make([]float64, k), hi: make([]float64, k)}
		for i, norm := range w.guard.norm {
			if norm > 0 {
				b.lo[i] = -inf
			}
			if norm > 0 && w.guard.equal(i) {
				b.hi[i] = inf
			}
		}
		t.rows = newBarrier(b, make([]float64, k))
	}
	if r := w.penalty.l1; r != nil {
		b := barrier{lo: make([]float64, len(r)), hi: r}
		kernel.Axpy(-1, r, b.lo)
		t.lasso = newBarrier(b, w.multipliers)
	}
	if _, ok := w.hessian.(*gram); ok && w.penalty.free {
		t.middle = make([]float64, w.penalty.d)
	}
	s.inner = t
	return t
}

func newBarrier(b barrier, a []float64) barrier {
	b.a = a
	for _, v := range []*[]float64{&b.over, &b.under, &b.p, &b.q, &b.da, &b.dp, &b.dq, &b.best} {
		*v = make([]float64, len(a))
	}
	return b
}

// begin sets a at most reach from zero, or halfway to the bound, and the multiplier of the nearer
// bound to size.
func (b *barrier) begin(reach, size float64) {
	for i, lo := range b.lo {
		hi := b.hi[i]
		b.a[i], b.over[i] = 0, 0
		if lo == hi {
			continue
		}
		switch {
		case lo == 0:
			b.a[i] = min(reach, hi/2)
		case hi == 0:
			b.a[i] = max(-reach, lo/2)
		}
		b.over[i], b.under[i] = hi-b.a[i], b.a[i]-lo
		if mu := size * min(b.over[i], b.under[i]); !math.IsInf(mu, 1) {
			b.p[i], b.q[i] = mu/b.over[i], mu/b.under[i]
		}
	}
}

// products sums p (hi - a) and q (a - lo) after a step of length t.
func (b *barrier) products(t float64) (sum, count float64) {
	for i, over := range b.over {
		if over == 0 {
			continue
		}
		if !math.IsInf(over, 1) {
			sum += (b.p[i] + t*b.dp[i]) * (over - t*b.da[i])
			count++
		}
		if under := b.under[i]; !math.IsInf(under, 1) {
			sum += (b.q[i] + t*b.dq[i]) * (under + t*b.da[i])
			count++
		}
	}
	return sum, count
}

// aim returns the target products of term i, with Mehrotra's correction.
func (b *barrier) aim(i int, mu float64) (p, q float64) {
	return mu + b.dp[i]*b.da[i], mu - b.dq[i]*b.da[i]
}

// newton returns da as a linear function of dz: curvature (dz + rest).
func (b *barrier) newton(i int, z, mu float64) (curvature, rest float64) {
	d := b.p[i]/b.over[i] + b.q[i]/b.under[i]
	p, q := b.aim(i, mu)
	rest = z + q/b.under[i] - p/b.over[i]
	if b.kink != nil {
		rest -= b.kink[i]
	}
	if b.soft != nil {
		d += b.soft[i]
		rest -= b.soft[i] * b.a[i]
	}
	return 1 / (d + b.prox), rest
}

// system adds the second derivatives to h and the changes of a for dz = 0 to pull.
func (b *barrier) system(z []float64, mu float64, h, pull []float64) {
	for i, over := range b.over {
		if over == 0 {
			continue
		}
		curvature, rest := b.newton(i, z[i], mu)
		h[i] += curvature
		pull[i] += curvature * rest
	}
}

// follow sets the step for dz, and returns its largest length inside the bounds.
func (b *barrier) follow(z, dz []float64, mu, longest float64) float64 {
	for i, over := range b.over {
		if over == 0 {
			continue
		}
		under := b.under[i]
		curvature, rest := b.newton(i, z[i], mu)
		p, q := b.aim(i, mu)
		da := curvature * (dz[i] + rest)
		dp := (p+b.p[i]*da)/over - b.p[i]
		dq := (q-b.q[i]*da)/under - b.q[i]
		b.da[i], b.dp[i], b.dq[i] = da, dp, dq
		if da > 0 {
			longest = min(longest, over/da)
		} else if da < 0 {
			longest = min(longest, -under/da)
		}
		if dp < 0 {
			longest = min(longest, -b.p[i]/dp)
		}
		if dq < 0 {
			longest = min(longest, -b.q[i]/dq)
		}
	}
	return longest
}

func (b *barrier) move(t float64) {
	for i, over := range b.over {
		if over == 0 {
			continue
		}
		b.over[i] = over - t*b.da[i]
		b.under[i] += t * b.da[i]
		b.p[i] += t * b.dp[i]
		b.q[i] += t * b.dq[i]
		switch over, under := b.over[i], b.under[i]; {
		case math.IsInf(over, 1) && math.IsInf(under, 1):
			b.a[i] += t * b.da[i]
		case under < over:
			b.a[i] = b.lo[i] + under
		default:
			b.a[i] = b.hi[i] - over
		}
	}
}

func (b *barrier) still() {
	clear(b.da)
	clear(b.dp)
	clear(b.dq)
}

func (t *interior) each(do func(b *barrier, z, dz, h, pull []float64)) {
	for i := range t.samples {
		do(&t.samples[i], t.z, t.dz, t.h, t.pull)
	}
	do(&t.rows, t.guard.slack, t.guard.turn, t.guard.weight, t.pullRows)
	do(&t.lasso, t.beta, t.step, t.bows, t.grad)
}

func (t *interior) mean(s float64) (mean, count float64) {
	var sum float64
	t.each(func(b *barrier, _, _, _, _ []float64) {
		v, n := b.products(s)
		sum, count = sum+v, count+n
	})
	return sum / max(1, count), max(1, count)
}

// aim sets the step towards products of mu and returns its largest length.
func (t *interior) aim(mu float64) float64 {
	clear(t.h)
	clear(t.pull)
	clear(t.guard.weight)
	clear(t.pullRows)
	clear(t.bows)
	t.penalty.follow(t.beta, 0)
	for j, b := range t.beta {
		t.grad[j] = t.penalty.bend[j]*(b-t.penalty.anchor[j]) - t.v[j] + t.multipliers[j]
	}
	t.each(func(b *barrier, z, _, h, pull []float64) { b.system(z, mu, h, pull) })
	t.addForce(t.grad, t.pull)
	if len(t.guard.b) > 0 {
		kernel.MulTransAdd(t.grad[:t.penalty.d], t.guard.a.Data, t.guard.a.Stride, t.pullRows)
	}
	t.hessian.forget()     // rounding errors of much larger second derivatives would remain
	t.ease = 2 * pivotPart // above rounding of the pivots
	t.centered()
	t.ease = 0
	t.guard.turns(t.step[:t.penalty.d])
	longest := inf
	t.each(func(b *barrier, z, dz, _, _ []float64) { longest = b.follow(z, dz, mu, longest) })
	return longest
}

// Without centring, features far from zero lose the pivots and the scores to rounding.
func (t *interior) centered() {
	total := kernel.Sum(t.h)
	if t.middle == nil || total == 0 {
		t.direction()
		t.scores(t.dz, t.step)
		return
	}
	m, d := t.hessian.(*gram), t.penalty.d
	clear(t.middle)
	kernel.MulTransAdd(t.middle, t.x.Data, t.x.Stride, t.h)
	kernel.ScaleTo(t.middle, 1/total, t.middle)
	m.middle = t.middle
	kernel.Axpy(-t.grad[d], t.middle, t.grad[:d])
	t.direction()
	for i := range t.dz {
		x := m.panel[:d]
		copy(x, row(t.x, i))
		kernel.Axpy(-1, t.middle, x)
		t.dz[i] = kernel.Dot(x, t.step[:d]) + t.step[d]
	}
	t.step[d] -= kernel.Dot(t.middle, t.step[:d])
	m.middle = nil
}

func (t *interior) assess() {
	for k, a := range t.rows.a {
		t.guard.xi[k] = -a
	}
	t.scores(t.z, t.beta)
	t.slacks()
	t.collect()
	t.forces()
	var scratch scratch
	t.sums = sums{}
	for from := 0; from < len(t.z); from += partSize {
		t.sums.add(t.terms.tally(t.z[from:min(from+partSize, len(t.z))], from, &scratch))
	}
	t.certify()
}

func (t *interior) start() {
	for i := range t.terms.kinked {
		t.samples[i].a = t.terms.kinked[i].slope // a solve that ends early exchanges the slopes with the centers
	}
	for i := range t.terms.curved {
		c, b := &t.terms.curved[i], &t.samples[len(t.terms.kinked)+i]
		for j, sigma := range c.sigma {
			b.lo[j], b.hi[j] = c.bounds(j)
			b.soft[j] = 0
			if sigma > 0 {
				b.soft[j] = 1 / sigma
			}
		}
	}
	for k, xi := range t.guard.xi {
		t.rows.a[k] = -xi
	}
	t.each(func(b *barrier, _, _, _, _ []float64) { copy(b.best, b.a) })
	clear(t.beta)
	size, count := 0.0, 0.0
	for i := range t.samples {
		b := &t.samples[i]
		for j, k := range b.kink {
			if b.lo[j] < b.hi[j] {
				size += math.Abs(k)
				count++
			}
		}
	}
	if size /= max(1, count); size == 0 {
		size = 1
	}
	kernel.Norms(t.pull, t.x.Data, t.x.Stride, t.penalty.d)
	squares := kernel.Sum(t.pull)
	if t.penalty.free {
		squares += float64(len(t.z))
	}
	if squares == 0 {
		squares = 1
	}
	for i := range t.samples {
		t.samples[i].begin(size/squares, size)
	}
	coefficient := size / math.Sqrt(squares/float64(len(t.z)))
	t.rows.prox = interiorSoft
	t.rows.begin(coefficient, coefficient)
	t.lasso.begin(coefficient, coefficient)
}

func (t *interior) solve() (Status, error) {
	defer t.hessian.forget()
	least := t.gap
	t.start()
	t.assess()
	lowest, since := inf, 0
	for {
		if t.solved() && t.complete() {
			return Solved, nil
		}
		t.meet()
		if t.gap < least && t.feasible() {
			least = t.gap
			t.each(func(b *barrier, _, _, _, _ []float64) { copy(b.best, b.a) })
		}
		status, err := t.limits.reached()
		if since++; t.gap < gapFall*lowest {
			lowest, since = t.gap, 0
		} else if since > interiorSteps && status == 0 {
			status = Stalled
		}
		if status != 0 {
			t.each(func(b *barrier, _, _, _, _ []float64) { copy(b.a, b.best) })
			t.assess()
			t.contract()
			return status, err
		}
		mu, count := t.mean(0)
		t.each(func(b *barrier, _, _, _, _ []float64) { b.still() })
		ahead, _ := t.mean(min(1, t.aim(0)))
		share := 0.0
		if mu > 0 {
			share = max(ahead/mu, 0)
		}
		enough := explained * t.limits.tol * max(math.Abs(t.primal), math.Abs(t.dual)) / count
		length := min(1, interiorReach*t.aim(max(mu*share*share*share, min(mu, enough))))
		kernel.Axpy(length, t.step, t.beta)
		t.each(func(b *barrier, _, _, _, _ []float64) { b.move(length) })
		t.limits.done.Newton++
		t.assess()
		t.tell()
	}
}

func (t *interior) complete() bool {
	if t.truncate() && !t.solved() {
		copy(t.beta, t.step)
		t.assess()
		return false
	}
	t.contract()
	if t.solved() {
		return true
	}
	t.assess()
	return false
}
