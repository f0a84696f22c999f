package rehline

import (
	"math"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// newton is a proximal method of multipliers on the dual, whose inner problems a semismooth Newton
// method solves ([3, 4] of doc.go). Kinked terms are smoothed around their multipliers over a
// shrinking width of scores. The inner problem is piecewise quadratic and strictly convex, so that
// Newton steps with an exact line search terminate.
type newton struct {
	*state
	smoothing
	hessian     hessian
	multipliers []float64 // of the L1 penalties
	bows        []float64
	center      []float64
	ease        float64
	sample      []float64 // sorted distances from kinks
}

type smoothing struct {
	width  float64 // of scores, for kinked terms
	widest float64
	soft   float64
	narrow float64 // of coefficients, for L1 penalties
	stiff  float64 // mean diagonal of the Hessian, the scale of soft and narrow
}

func newNewton(s *state, n int) newton {
	dim := s.penalty.dim
	w := newton{state: s, multipliers: make([]float64, dim), bows: make([]float64, dim), center: make([]float64, dim)}
	w.sample = make([]float64, 512)[:0]
	if dim > denseDim {
		w.hessian = newConjugate(dim)
	} else {
		w.hessian = newGram(n, dim)
	}
	return w
}

type progress struct {
	best  float64 // smallest relative gap
	stuck int     // steps since it fell
	idle  int
	short int
}

func (p *progress) ended(gap float64, patience int) bool {
	if gap < gapFall*p.best {
		p.best, p.stuck = gap, 0
		return false
	}
	p.stuck++
	return p.stuck > patience || p.idle > stuckRelax*relaxSteps
}

func (w *newton) ascend() (Status, error) {
	p, exact, again := progress{best: inf}, false, false
	for {
		w.evaluate()
		if w.finished() || exact && w.settled() {
			return Solved, nil
		}
		w.meet()
		status, err := w.limits.reached()
		patience := stuckSteps
		if w.negligible() {
			patience = leftSteps
		}
		if p.ended(w.relative(), patience) && status == 0 {
			if w.penalty.proximal && !again {
				again = true
				p.best, p.stuck, p.idle = inf, 0, 0
				w.widths(false)
				w.penalty.follow(w.beta, inf)
				continue
			}
			status = Stalled
		}
		if status != 0 {
			return status, err
		}
		decrement := w.direction()
		t := w.search(-2 * decrement)
		w.advance(t)
		w.limits.done.Newton++
		w.tell()
		// Rounding allows no further gain.
		exact = decrement <= noGap*math.Abs(w.primal)
		w.adapt(&p, t, decrement, exact)
	}
}

// adapt updates the multipliers and the smoothing if a step ended an inner problem or was useless.
func (w *newton) adapt(p *progress, t, decrement float64, exact bool) {
	if t > shortStep {
		p.short = 0
	} else {
		p.short++
	}
	target := w.limits.tol * max(math.Abs(w.primal), math.Abs(w.dual))
	inner := exact || t == 1 && decrement <= w.young
	switch {
	case p.short == relaxSteps:
		p.short = 0
		p.idle += relaxSteps
		w.recenter(relax)
	case w.young > explained*target && inner, exact && !w.feasible():
		w.recenter(shrink)
	case exact:
		if p.idle++; p.idle%relaxSteps == 0 {
			w.recenter(relax)
		} else {
			w.recenter(shrink)
		}
	}
}

// widths chooses the first smoothing: about half of the samples are within it, or with known
// multipliers a multiple of the dimension. The minimum is a small share of the scores' size, for
// all may be at their kinks.
func (w *newton) widths(warm bool) {
	size := w.distances()
	widest := max(2*w.quantile(startShare), leastWidth*size)
	w.smoothing = smoothing{width: widest, widest: widest, soft: startSoft, narrow: 1, stiff: 1}
	if warm {
		near := float64(warmSamples*len(w.beta)) / float64(len(w.z)*max(1, len(w.terms.kinked)))
		w.width = min(widest, max(w.quantile(min(startShare, near)), leastWidth*widest))
	}
}

// distances sorts the distances of a sample of scores from their kinks, and returns the mean size
// of these scores and kinks.
func (w *newton) distances() float64 {
	list, n, count := w.sample[:0], len(w.z), len(w.terms.kinked)
	var size float64
	for i := range w.terms.kinked {
		k := &w.terms.kinked[i]
		stride := max(1, n*count/cap(list))
		for j := i % stride; j < n && len(list) < cap(list); j += stride {
			if k.hi[j] > k.lo[j] {
				list = append(list, math.Abs(w.z[j]-k.kink[j]))
				size += math.Abs(w.z[j]) + math.Abs(k.kink[j])
			}
		}
	}
	slices.Sort(list)
	w.sample = list
	if size == 0 {
		return 1
	}
	return size / float64(len(list))
}

func (w *newton) quantile(q float64) float64 {
	if len(w.sample) == 0 {
		return 1
	}
	return w.sample[int(q*float64(len(w.sample)-1))]
}

// recenter moves the centers to the multipliers at the current scores.
func (w *newton) recenter(factor float64) {
	for i := range w.terms.kinked {
		k := &w.terms.kinked[i]
		k.evaluate(w.z, 0, w.dz, w.h, w.width) // for the slopes; dz and h are scratch here
	}
	w.terms.center()
	w.guard.evaluate(w.soft)
	copy(w.guard.center, w.guard.xi)
	w.lasso()
	copy(w.center, w.multipliers)
	least := leastRidge
	if w.penalty.proximal {
		least = leastProximal
	}
	w.width = min(max(w.width*factor, least*w.widest), w.widest)
	fast := min(factor, factor*factor)
	w.soft = max(w.soft*fast, min(w.soft, least/w.stiff))
	w.narrow = max(w.narrow*fast, min(w.narrow, least/w.stiff))
	w.penalty.follow(w.beta, fast)
	w.limits.done.Outer++
}

func (w *newton) lasso() {
	for j, r := range w.penalty.l1 {
		w.multipliers[j] = min(max(w.center[j]+w.beta[j]/w.narrow, -r), r)
		w.bows[j] = 0
		if math.Abs(w.multipliers[j]) < r {
			w.bows[j] = 1 / w.narrow
		}
	}
}

func (w *newton) evaluate() {
	w.sums = w.terms.evaluate(w.z, w.g, w.h, w.width)
	w.guard.evaluate(w.soft)
	w.forces()
	w.lasso()
	for j, r := range w.penalty.l1 {
		w.sums.young += r*math.Abs(w.beta[j]) - w.multipliers[j]*w.beta[j]
	}
	for j, b := range w.beta {
		w.grad[j] = w.penalty.bend[j]*(b-w.penalty.anchor[j]) - w.v[j] + w.multipliers[j]
	}
	w.certify()
}

// direction sets step to minus the Newton direction, and returns the predicted decrease of the
// smoothed objective.
func (w *newton) direction() float64 {
	copy(w.step, w.grad)
	w.hessian.solve(w)
	decrement := kernel.Dot(w.grad, w.step) / 2
	for j := range w.step {
		w.step[j] = -w.step[j]
	}
	return decrement
}

func (w *newton) search(slope float64) float64 {
	w.scores(w.dz, w.step)
	w.guard.turns(w.step[:w.penalty.d])
	return lineSearch(w.along, slopePart*math.Abs(slope))
}

// lineSearch returns a step length near 1 at which the first derivative of a convex function is at
// most enough in size, by Newton steps within a bracket.
func lineSearch(along func(t float64) (first, second float64), enough float64) float64 {
	lo, hi, t := 0.0, inf, 1.0
	for range searchSteps {
		first, second := along(t)
		if math.Abs(first) <= enough || first == 0 {
			return t
		}
		if first < 0 {
			lo = t
		} else {
			hi = t
		}
		next := t - first/second
		switch {
		case !(next > lo) && math.IsInf(hi, 1) || math.IsNaN(next):
			next = 4 * t
		case math.IsInf(hi, 1):
			next = min(next, 100*t)
		case !(next > lo && next < hi):
			next = (lo + hi) / 2
		}
		if hi-lo <= 1e-14*lo {
			break
		}
		t = next
	}
	return max(lo, 1e-14)
}

func (w *newton) along(t float64) (first, second float64) {
	first, second = w.terms.along(w.z, w.dz, t, w.width)
	a, b := w.guard.along(t, w.soft)
	first, second = first+a, second+b
	p := w.penalty
	for j, e := range w.step {
		first += p.bend[j] * (w.beta[j] - p.anchor[j] + t*e) * e
		second += p.bend[j] * e * e
	}
	for j, r := range p.l1 {
		e := w.step[j]
		m := w.center[j] + (w.beta[j]+t*e)/w.narrow
		switch {
		case m >= r:
			first += r * e
		case m <= -r:
			first -= r * e
		default:
			first += m * e
			second += e * e / w.narrow
		}
	}
	return first, second
}

// If the coefficients have become much smaller, advance recomputes the scores, which carry the
// rounding errors of their largest size.
func (w *newton) advance(t float64) {
	kernel.Axpy(t, w.step, w.beta)
	w.slacks()
	size := kernel.Dot(w.beta, w.beta)
	if size < cancelled*w.peak {
		w.scores(w.z, w.beta)
		w.peak = size
		return
	}
	kernel.Axpy(t, w.dz, w.z)
	w.peak = max(w.peak, size)
}

// measure is the factor of second derivatives in the Gram matrix: the width if all terms are
// kinked, so that a change of the smoothing changes no row.
func (w *newton) measure() float64 {
	if len(w.terms.curved) > 0 {
		return 1
	}
	return w.width
}
