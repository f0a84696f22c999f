package rehline

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/agepath/agepath/internal/kernel"
)

// newton is the second phase: a proximal method of multipliers on the dual,
// whose inner problems are solved by a semismooth Newton method (Li, Sun, Toh,
// "A highly efficient semismooth Newton augmented Lagrangian method for solving
// Lasso problems", SIAM J. Optim. 28 (2018)). The terms with kinks are smoothed
// around their multipliers over a width of scores that shrinks; curved terms
// need no smoothing. The inner problem is piecewise quadratic and strictly
// convex, so that Newton steps with an exact line search end after finitely
// many.
type newton struct {
	width  float64 // of scores, for kinked terms
	widest float64 // the first width
	peak   float64 // largest ‖β‖² since the scores were summed
	soft   float64 // for constraints
	stiff  float64 // mean diagonal of the Hessian, which soft and narrow have to be small against
	narrow float64 // of coefficients, for L1 penalties

	m, center []float64 // dim: multipliers of the L1 penalties
	ld        int
	gram      []float64 // ld x ld: Σ h_i x_i x_iᵀ for the h in last, in the lower triangle
	last      []float64 // n
	changes   int       // of gram since it was computed anew
	hess      []float64 // ld x ld: Hessian, then its Cholesky factor, in the lower triangle
	list      []int32   // samples whose h changed
	rows      int       // in panel
	panel     []float64 // rows of X
	scaled    []float64 // the same rows, times the change of h
	sample    []float64 // for quantiles
	cholesky  cholesky

	cg    [4][]float64 // vectors of conjugate gradients
	extra []float64    // diagonal of the Hessian besides that of the penalty and the loss
}

// smoothing is a width of the smoothing of kinks relative to the first one, and
// of constraints and L1 penalties relative to the stiffness.
type smoothing struct{ width, soft, narrow float64 }

// Where rounding errors of the scores and slacks, divided by the smoothing, begin
// to matter: without a ridge the forces have to meet the L1 penalties themselves.
var (
	leastRidge = smoothing{width: 1e-8, soft: 1e-9, narrow: 1e-9}
	leastPure  = smoothing{width: 1e-4, soft: 1e-3, narrow: 1e-4}
)

const (
	panelRows  = 64
	shortStep  = 1e-6 // of a Newton step: rounding errors of the slopes make it useless
	relaxSteps = 4    // that rounding makes useless, until the smoothing is made wider
	stuckSteps = 400  // without a smaller gap, until nothing more is expected
	stuckRelax = 6    // times that the smoothing is made wider
	shrink     = 0.5  // factor of the smoothing from one inner problem to the next
)

func (w *newton) init(n, dim int) {
	w.ld = kernel.Pad(dim)
	w.m = make([]float64, dim)
	w.center = make([]float64, dim)
	w.sample = make([]float64, 0, 512)
	if dim > denseDim {
		w.extra = make([]float64, dim)
		for i := range w.cg {
			w.cg[i] = make([]float64, dim)
		}
		return
	}
	w.hess = make([]float64, w.ld*w.ld)
	w.gram = make([]float64, w.ld*w.ld)
	w.last = make([]float64, n)
	w.cholesky = newCholesky(w.ld)
	w.list = make([]int32, min(n, max(n/32, 256))+8)
	w.panel = make([]float64, panelRows*w.ld)
	w.scaled = make([]float64, panelRows*w.ld)
}

// errOutside says that the coefficients left the ball of the near samples.
var errOutside = errors.New("outside the ball")

// ascend runs Newton steps from the current β and centers until solved.
func (s *Solver) ascend() error {
	if !s.fresh {
		s.scores(s.z, s.beta)
		s.newton.peak = kernel.Dot(s.beta, s.beta)
		s.force.stale()
	}
	s.guard.slacks(s.beta[:s.d])
	if s.base == nil {
		s.widths(s.warm)
	}
	best, stuck, idle, short, exact, again, shrink := inf, 0, 0, 0, false, false, shrink
	if s.base != nil {
		shrink = nearShrink
	}
	for {
		s.evaluate()
		if s.finished() || exact && s.settled() {
			if s.base != nil && s.outside() {
				return errOutside
			}
			s.point.status = Solved
			return nil
		}
		if s.base == nil {
			s.meet()
		}
		status, err := s.limits.reached()
		if r := s.relative(); r < 0.9*best {
			best, stuck = r, 0
		} else if stuck++; (stuck > stuckSteps || idle > stuckRelax*relaxSteps) && status == 0 {
			if status = Stalled; s.pure && !again {
				again = true
				best, stuck, idle = inf, 0, 0
				s.restart()
				continue
			}
		}
		if status != 0 {
			s.refine()
			if s.repair(); s.base == nil {
				s.last(true)
			}
			if s.point.status = status; s.solved() && err == nil {
				s.point.status = Solved
			}
			return err
		}
		decrement := s.direction()
		t := s.search(-2 * decrement)
		s.advance(t)
		s.limits.done.Newton++
		s.tell()
		target := s.limits.tol * max(math.Abs(s.point.primal), math.Abs(s.point.dual))
		exact = decrement <= max(1e-14*math.Abs(s.point.primal), 1e-17*s.origin) // more than rounding allows
		if t > shortStep {
			short = 0
		} else {
			short++
		}
		switch {
		case short == relaxSteps:
			short = 0
			idle += relaxSteps
			s.recenter(100)
		case s.point.young > 0.5*target && (exact || t == 1 && decrement <= s.point.young || decrement <= 1e-3*s.point.young),
			exact && s.point.infeasibility > s.limits.feasible*s.guard.scale:
			s.recenter(shrink)
		case exact:
			if idle++; idle%relaxSteps == 0 {
				s.recenter(100)
			} else {
				s.recenter(shrink)
			}
		}
	}
}

func (s *Solver) tell() {
	if f := s.limits.progress; f != nil {
		f(Progress{Iterations: s.limits.done, Objective: s.point.primal*s.ridge + s.offset, Gap: s.relative(),
			PrimalInfeasibility: s.point.infeasibility, Elapsed: time.Since(s.limits.began)})
	}
}

// widths chooses the first smoothing from where the kinks are: about half of the
// samples are within it, or with known multipliers some times the dimension. A
// small share of the scores' size is the least, for all may be at their kinks.
func (s *Solver) widths(warm bool) {
	w := &s.newton
	w.stiff = 1
	size := s.distances()
	w.widest = max(2*w.quantile(0.5), 1e-3*size)
	if warm {
		w.width = min(w.widest, max(w.quantile(min(0.5, 8*float64(s.dim)/float64(s.n*max(1, len(s.kinked))))), 1e-4*w.widest))
		w.soft, w.narrow = 1e-6, 1e-3
		return
	}
	w.width = w.widest
	w.soft, w.narrow = 1e-3, 1
}

// distances sorts the distances of a sample of scores from their kinks, and
// returns the mean size of these scores and kinks, or 1 if they are zero.
func (s *Solver) distances() float64 {
	list := s.newton.sample[:0]
	var size float64
	for i := range s.kinked {
		k := &s.kinked[i]
		stride := max(1, s.n*len(s.kinked)/cap(list))
		for j := i % stride; j < s.n && len(list) < cap(list); j += stride {
			if k.hi[j] > k.lo[j] {
				list = append(list, math.Abs(s.z[j]-k.kink[j]))
				size += math.Abs(s.z[j]) + math.Abs(k.kink[j])
			}
		}
	}
	slices.Sort(list)
	s.newton.sample = list
	if size == 0 {
		return 1
	}
	return size / float64(len(list))
}

// quantile returns the q-quantile of the distances.
func (w *newton) quantile(q float64) float64 {
	if len(w.sample) == 0 {
		return 1
	}
	return w.sample[int(q*float64(len(w.sample)-1))]
}

// recenter moves the centers to the multipliers at the current scores and
// changes the smoothing by the factor. It stays so wide that rounding errors of
// the scores do not matter in the multipliers.
func (s *Solver) recenter(factor float64) {
	w := &s.newton
	for i := range s.kinked {
		k := &s.kinked[i]
		k.evaluate(s.z, s.dz, s.h, w.width) // dz and h are free: the slopes are what counts
		copy(k.center, k.slope)
	}
	s.guard.evaluate(w.soft)
	copy(s.guard.center, s.guard.xi)
	s.lasso()
	copy(w.center, w.m)
	least := leastRidge
	if s.pure {
		least = leastPure
		least.soft *= math.Pow(0.8, float64(max(0, s.limits.done.Outer-40)))
	}
	w.width = min(max(w.width*factor, least.width*w.widest), w.widest)
	fast := min(factor, max(factor*factor, 0.1))
	w.soft = max(w.soft*fast, min(w.soft, least.soft/w.stiff))
	w.narrow = max(w.narrow*fast, min(w.narrow, least.narrow/w.stiff))
	if s.pure {
		s.approach(fast)
	}
	s.limits.done.Outer++
}

// terms evaluates the loss at the scores: slopes, g, h and their sums. The
// former g is left in dz.
func (s *Solver) terms() sums {
	s.g, s.dz = s.dz, s.g
	clear(s.g)
	clear(s.h)
	var t sums
	for i := range s.kinked {
		t.add(s.kinked[i].evaluate(s.z, s.g, s.h, s.newton.width))
	}
	for i := range s.curved {
		t.add(s.curved[i].evaluate(s.z, s.g, s.h))
	}
	return t
}

// lasso sets the multipliers m of the L1 penalties.
func (s *Solver) lasso() {
	w := &s.newton
	for j, r := range s.l1 {
		w.m[j] = min(max(w.center[j]+s.beta[j]/w.narrow, -r), r)
	}
}

// evaluate computes everything at β, whose scores and slacks are current.
func (s *Solver) evaluate() {
	w := &s.newton
	s.sums = s.terms()
	s.guard.evaluate(w.soft)
	s.pull()
	s.lasso()
	for j, r := range s.l1 {
		s.sums.young += r*math.Abs(s.beta[j]) - w.m[j]*s.beta[j]
	}
	for j, b := range s.beta {
		s.grad[j] = s.bend[j]*(b-s.anchor[j]) - s.v[j] + w.m[j]
	}
	s.certify()
}

// curvature returns the second derivative in the intercept if all terms were in
// their smooth parts: a scale for steps of the intercept.
func (s *Solver) curvature() float64 {
	var t float64
	for i := range s.kinked {
		k := &s.kinked[i]
		for j, u := range k.hi {
			t += u - k.lo[j]
		}
	}
	t /= s.newton.width
	for i := range s.curved {
		for _, c := range s.curved[i].sigma {
			t += c
		}
	}
	if t == 0 {
		return 1
	}
	return t
}

// search returns a step length t where the derivative along the step is at most
// a tenth of slope, its value at 0, in size.
func (s *Solver) search(slope float64) float64 {
	s.scores(s.dz, s.step)
	if s.k > 0 {
		kernel.MulVec(s.guard.turn, s.guard.a.Data, s.guard.a.Stride, s.step[:s.d])
	}
	lo, hi, t := 0.0, inf, 1.0
	for range 60 {
		first, second := s.along(t)
		if math.Abs(first) <= 0.1*math.Abs(slope) || first == 0 {
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

// along returns the first and second derivative of the smoothed objective along
// the step.
func (s *Solver) along(t float64) (first, second float64) {
	for i := range s.kinked {
		k := &s.kinked[i]
		sum := kernel.KinkedAlong(s.z, s.dz, k.kink, k.lo, k.hi, k.center, t, 1/s.newton.width)
		first, second = first+sum[0], second+sum[1]
	}
	for i := range s.curved {
		c := &s.curved[i]
		sum := kernel.CurvedAlong(s.z, s.dz, c.kink, c.kl, c.kh, c.sigma, t)
		first, second = first+sum[0], second+sum[1]
	}
	a, b := s.guard.along(t, s.newton.soft)
	first, second = first+a, second+b
	if s.base != nil {
		first -= kernel.Dot(s.base, s.step)
	}
	for j, e := range s.step {
		first += s.bend[j] * (s.beta[j] - s.anchor[j] + t*e) * e
		second += s.bend[j] * e * e
	}
	w := &s.newton
	for j, r := range s.l1 {
		e := s.step[j]
		m := w.center[j] + (s.beta[j]+t*e)/w.narrow
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

// advance takes the step of length t. Where the coefficients have become much
// smaller than they were, the scores are summed anew, for they carry the rounding
// errors of their largest size.
func (s *Solver) advance(t float64) {
	w := &s.newton
	s.predict(t)
	kernel.Axpy(t, s.step, s.beta)
	s.guard.slacks(s.beta[:s.d])
	size := kernel.Dot(s.beta, s.beta)
	if size < 1e-4*w.peak {
		s.scores(s.z, s.beta)
		w.peak = size
		return
	}
	kernel.Axpy(t, s.dz, s.z)
	w.peak = max(w.peak, size)
}
