package gaga

import "math"

// system is the optimality condition on the current zones and active
// coordinates, as the tracker sees it: what belongs to the samples and their
// zones, and the residual of a system of equations whose unknowns are the
// active entries of θ and, beside them, the multipliers of the samples in
// multipliers. The linear algebra behind it is one of two back-ends.
//
// Event functions need the predictors of the watched samples only, which are
// all samples unless the back-end allows fewer. Arrays over the watched samples
// are in the order of watch; a position there is called a slot.
type system struct {
	algebra

	n, p        int       // samples; length of θ
	y, m        []float64 // targets, multiplicities
	l1, l2      []float64 // p: penalty of each entry of θ
	loss        Loss
	hinge       *hinge  // the loss, where it has a kink
	bound       float64 // of a multiplier of weight 1
	tight       float64 // relative residual at which the corrector stops
	quick       int     // corrector iterations up to which the step in age may grow
	reg         Regularizer
	series      SeriesRegularizer // reg, where it is one, else nil
	zones       []Zone            // of the samples: with a kink satisfied and pinned before the regularizer's
	kinks       int               // zones before the regularizer's: 0 or 2
	curved      []bool            // of each zone: its terms in the optimality condition change with the predictor
	weighed     bool              // the last zone gives weight, too
	summed      bool              // assemble needs no predictors: it works from sums over the zones
	affine      bool              // at a fixed age J is the same everywhere, and known from sums
	fixed       bool              // at a fixed age J is the same everywhere: zones have one stationary point
	dualInTheta bool              // multipliers are the first n entries of θ, as in the kernel back-end

	zone    []uint8 // of each sample
	members []int   // number of samples in each zone
	watch   []int   // the watched samples
	all     []int   // 0 to n-1
	frozen  bool    // nothing determines the free coordinates: they stay where they are

	active      []int     // unknown entries of θ, ascending
	multipliers []int     // pinned samples whose multipliers are unknowns beside θ
	sign        []float64 // of each of the p coordinates: -1, +1, or 0 while inactive; 0 for columns without L1

	residual, scale []float64 // of each unknown's equation: the residual and the size of its terms
	diag            []float64 // of each unknown: the Jacobian's diagonal with all terms taken positive
	dage            []float64 // of each unknown's equation: derivative in the age
	assembled       *point    // where these were evaluated
}

// algebra is a linear-algebra back-end. J is the Jacobian of the system in its
// unknowns; a partial optimum is strict when the Hessian H of the implicit
// objective, restricted to the directions that keep pinned samples pinned, is
// positive definite, which J's inertia tells.
type algebra interface {
	// place takes the zones of all samples, with u their predictors; reactivate
	// follows.
	place(zones []uint8, u []float64)
	// shifted takes note that a sample has left the zone from; theta is current,
	// or nil where it is not known.
	shifted(i int, from uint8, theta []float64)
	// reactivate chooses the unknowns for the current zones and signs.
	reactivate()
	// setWatch makes the given samples the watched ones.
	setWatch(samples []int)

	// predict writes the predictors of the watched samples, and predictAll those
	// of all samples, at θ, or their rates at θ's rate.
	predict(dst, theta []float64)
	predictAll(dst, theta []float64)
	predictOne(i int, theta []float64) float64
	// know takes note of pt's predictors, which the next predict may start from.
	know(pt *point)
	// assemble evaluates the system at pt, where age, theta, dual and u are set:
	// residual, scale, J, diag and dage, and the losses and slopes of pt; where
	// the system is summed, neither needs u nor touches the losses.
	assemble(pt *point)
	// factorize factorizes J where assemble was last called and reports whether
	// the point is a strict minimum on the current zones, away from singularity.
	factorize() bool
	// refresh makes the next factorize factorize anew: a corrector that uses the
	// factor of an earlier point converges slowly.
	refresh()
	// solve overwrites b, over the unknowns, with J⁻¹b.
	solve(b []float64)
	// invert is solve with J as it is where assemble was last called, not as it was
	// in the last factor.
	invert(b []float64)
	// mix turns the step of a corrector whose factor is that of an earlier point
	// into a better one; first begins a new sequence of steps.
	mix(step []float64, first bool)
	// improve improves a solution rate of J rate = -dage, of which pt has the
	// rates. It reports false, and leaves it, where it is exact.
	improve(pt *point, rate []float64, first bool) bool
	// carry turns the rates at pt, where assemble was last called, into those behind
	// sample i's change of zone, if variance or freedom was last called for it. It
	// reports false where they have to be solved for.
	carry(pt *point, i int, rate []float64) bool
	// fix gives the entries of θ that are constant on the current zones their
	// values.
	fix(theta []float64)
	// unknownOf returns the place of a pinned sample's multiplier among the
	// unknowns.
	unknownOf(i int) int
	// row writes the derivative of sample i's predictor in the unknowns.
	row(dst []float64, i int)
	// variance returns x_iᵀH⁻¹x_i, on the directions that keep pinned samples pinned.
	variance(i int) float64
	// freedom returns the variance that pinned sample i would have if it were
	// not pinned: positive exactly when H stays positive definite without the pin.
	freedom(i int) float64
	// penalty returns R(θ), with u the predictors of all samples.
	penalty(theta, u []float64) float64
	// value returns the implicit objective at pt, where assemble was last called.
	value(pt *point) float64
	// residualAt returns the relative violation of the whole optimality condition
	// at pt, where assemble was last called.
	residualAt(pt *point) float64
	// setFloor takes the size of the gradient's terms with all weights 1, at the
	// predictors u of all samples, times negligible, as the least scale.
	setFloor(u []float64)
}

// hinge is the loss C max(0, 1 - yu).
type hinge struct{ C float64 }

// The zones of a loss with a kink that precede the regularizer's.
const (
	satisfied = 0 // beyond the kink: no loss
	pinned    = 1 // at the kink: the multiplier is between its bounds
)

var kinkZones = []Zone{{Kind: Satisfied}, {Kind: Pinned}}

// newSystem returns a system without a back-end for θ of length p.
func newSystem(pr *Problem, p int) *system {
	n := pr.X.Rows
	s := &system{
		n: n, p: p, y: pr.Y, m: make([]float64, n), l1: make([]float64, p), l2: make([]float64, p),
		loss: pr.Loss, reg: pr.Regularizer, zones: pr.Regularizer.Zones(), tight: tight, quick: 3,
		zone: make([]uint8, n), all: make([]int, n), sign: make([]float64, p), active: make([]int, 0, p),
	}
	for i := range n {
		s.all[i] = i
		s.m[i] = pr.multiplicity(i)
	}
	s.watch = s.all
	if h, ok := pr.Loss.(HingeLoss); ok {
		s.hinge, s.kinks, s.bound = &hinge{h.Cost()}, len(kinkZones), h.Cost()
		s.zones = append(append([]Zone(nil), kinkZones...), s.zones...)
	}
	s.members = make([]int, len(s.zones))
	s.curved = make([]bool, len(s.zones))
	for k := s.kinks; k < len(s.zones); k++ {
		s.curved[k] = s.hinge == nil || s.varies(k-s.kinks)
	}
	series, polynomial := seriesOf(s.reg)
	s.series, s.fixed = series, s.hinge != nil && polynomial
	last := len(s.zones) - 1 - s.kinks
	threshold, _ := s.reg.Threshold(last-1, 1)
	weight, _, _ := s.reg.Weight(last, 2*threshold, 1)
	s.weighed = weight > 0
	return s
}

// varies reports whether the weight changes with the loss inside a zone of the
// regularizer.
func (s *system) varies(k int) bool {
	_, slope, _ := s.reg.Weight(k, s.inside(k, 1), 1)
	return slope != 0
}

// inside returns a loss inside a zone of the regularizer at an age.
func (s *system) inside(k int, age float64) float64 {
	low := 0.0
	if k > 0 {
		low, _ = s.reg.Threshold(k-1, age)
	}
	high := 2*low + 1
	if k < len(s.zones)-s.kinks-1 {
		high, _ = s.reg.Threshold(k, age)
	}
	return 0.5 * (low + high)
}

// allot makes room for k unknowns.
func (s *system) allot(k int) {
	s.residual, s.scale, s.diag, s.dage = make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
}

// unknowns returns the number of unknowns.
func (s *system) unknowns() int { return len(s.active) + len(s.multipliers) }

// discarded reports whether no sample carries weight.
func (s *system) discarded() bool { return !s.weighed && s.members[len(s.zones)-1] == s.n }

// undetermined reports whether nothing determines the unpenalized coordinates.
func (s *system) undetermined() bool {
	if s.hinge == nil {
		return s.discarded()
	}
	if s.members[pinned] > 0 {
		return false
	}
	for k, curved := range s.curved {
		if curved && s.members[k] > 0 {
			return false
		}
	}
	return true
}

// setZones takes the zones of all samples, with u their predictors.
func (s *system) setZones(zones []uint8, u []float64) {
	s.place(zones, u)
	clear(s.members)
	for _, z := range s.zone {
		s.members[z]++
	}
}

// shift moves a sample to a neighbouring zone.
func (s *system) shift(i int, up bool, theta []float64) {
	from := s.zone[i]
	if up {
		s.zone[i]++
	} else {
		s.zone[i]--
	}
	s.members[from]--
	s.members[s.zone[i]]++
	s.shifted(i, from, theta)
}

// eval returns a sample's loss and its first two derivatives at the predictor u
// by the formula of a zone, which holds beyond the zone's ends too.
func (s *system) eval(zone uint8, u, y float64) (loss, slope, curvature float64) {
	if s.hinge == nil {
		return s.loss.Eval(u, y)
	}
	if zone <= pinned {
		return 0, 0, 0
	}
	return s.hinge.C * (1 - y*u), -s.hinge.C * y, 0
}

// weight returns v* and its derivatives by the formula of a sample's zone. The
// satisfied and the pinned have no terms of that kind.
func (s *system) weight(zone uint8, loss, age float64) (v, dloss, dage float64) {
	if int(zone) < s.kinks {
		return 0, 0, 0
	}
	return s.reg.Weight(int(zone)-s.kinks, loss, age)
}

// evaluate evaluates the losses of the watched samples at pt, where u is set.
func (s *system) evaluate(pt *point) {
	if l, ok := s.loss.(VectorLoss); ok && len(s.watch) == s.n {
		l.EvalAll(pt.u, s.y, pt.loss, pt.slope, pt.curvature)
		return
	}
	for slot, i := range s.watch {
		pt.loss[slot], pt.slope[slot], pt.curvature[slot] = s.eval(s.zone[i], pt.u[slot], s.y[i])
	}
}

// relative returns the largest residual relative to its scale, +Inf where one is
// no number.
func (s *system) relative() float64 {
	var worst float64
	for r, f := range s.residual[:s.unknowns()] {
		switch f = math.Abs(f); {
		case f > 0:
			worst = math.Max(worst, f/s.scale[r])
		case f != 0:
			return math.Inf(1)
		}
	}
	return worst
}

// take moves the unknowns of pt by -by times the step.
func (s *system) take(pt *point, step []float64, by float64) {
	for r, j := range s.active {
		pt.theta[j] -= by * step[r]
	}
	for q, i := range s.multipliers {
		pt.dual[i] -= by * step[len(s.active)+q]
	}
}

// setRates makes the vector over the unknowns the rates of pt.
func (s *system) setRates(pt *point, rate []float64) {
	clear(pt.rate)
	for r, j := range s.active {
		pt.rate[j] = rate[r]
	}
	for q, i := range s.multipliers {
		pt.ddual[i] = rate[len(s.active)+q]
	}
}

// distance returns the squared distance of two θ over the active coordinates,
// weighted by the curvature there: in units of the objective.
func (s *system) distance(a, b []float64) float64 {
	var sum float64
	for r, j := range s.active {
		sum += s.diag[r] * (a[j] - b[j]) * (a[j] - b[j])
	}
	return sum
}

// gather writes the active entries of the p-vector from into dst.
func (s *system) gather(dst, from []float64) []float64 {
	for r, j := range s.active {
		dst[r] = from[j]
	}
	return dst[:len(s.active)]
}

// objective returns the implicit objective G_λ(θ), with u the predictors of all
// samples.
func (s *system) objective(theta, u []float64, age float64) float64 {
	sum := s.penalty(theta, u)
	if l, ok := s.loss.(VectorLoss); ok {
		return sum + s.integrals(l, u, age)
	}
	for i, ui := range u {
		loss, _, _ := s.loss.Eval(ui, s.y[i])
		sum += s.m[i] * s.reg.Integral(loss, age)
	}
	return sum
}

// integrals is the samples' part of the implicit objective.
func (s *system) integrals(l VectorLoss, u []float64, age float64) (sum float64) {
	const block = 256
	var loss, slope, curvature [block]float64
	for from := 0; from < len(u); from += block {
		to := min(from+block, len(u))
		l.EvalAll(u[from:to], s.y[from:to], loss[:to-from], slope[:to-from], curvature[:to-from])
		for k, v := range loss[:to-from] {
			sum += s.m[from+k] * s.reg.Integral(v, age)
		}
	}
	return sum
}
