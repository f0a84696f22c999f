package landing

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/factor"
	"github.com/agepath/agepath/internal/kernel"
)

// machine is a linear support vector machine as its fits see it.
type machine struct {
	*model.State
	d     int       // features, without the intercept's column
	price float64   // L2 of the features
	shift float64   // of the Gram matrix, times 11ᵀ: with an intercept it changes no solution
	norms []float64 // N: ‖x‖ of the features, in units of the objective
}

// newMachine reports false where the problem is another, or where the features are not
// penalized alike.
func newMachine(s *model.State) (*machine, bool) {
	m := &machine{State: s, d: s.P, norms: make([]float64, s.N)}
	for m.d > 0 && s.L2[m.d-1] == 0 {
		m.d--
	}
	if !s.Kinked() || s.Sparse() || m.d == 0 || m.d < s.P-1 {
		return nil, false
	}
	m.price = s.L2[0]
	for i := range s.N {
		square := m.gram(i, i)
		m.norms[i] = math.Sqrt(square * m.price)
		if m.biased() {
			m.shift += square / float64(s.N)
		}
	}
	return m, true
}

// biased reports whether there is an intercept without a penalty.
func (m *machine) biased() bool { return m.d < m.P }

// gram returns an entry of the features' Gram matrix, over the price.
func (m *machine) gram(i, j int) float64 {
	return kernel.Dot(m.Row(i)[:m.d], m.Row(j)[:m.d]) / m.price
}

// supports are the free support vectors F of a fit, and the factor of their Gram matrix.
type supports struct {
	*machine
	factor   *factor.Signed
	members  []int     // F, in the order of the factor
	features []float64 // of the members, at stride d
	beta     []float64 // of the members: β = y α, within the bounds
	top      []float64 // of the members: the upper bound of α
	free     []bool    // N: of F
	below    []bool    // N: α is at its upper bound
	column   []float64 // of the members and another, scratch
}

func newSupports(m *machine) *supports {
	s := &supports{machine: m, factor: factor.New(0), free: make([]bool, m.N), below: make([]bool, m.N)}
	s.factor.Tolerance = tolerance.SupportPivot
	return s
}

// worn reports whether the factor has taken so many changes that it is to be made anew.
func (s *supports) worn() bool {
	return s.factor.Changes() > tolerance.SupportChanges+len(s.members)
}

// follow makes the samples free that the given function says, but for those that depend on
// others.
func (s *supports) follow(free func(i int) bool) {
	if s.worn() {
		s.clear()
	}
	for k := len(s.members) - 1; k >= 0; k-- {
		if !free(s.members[k]) && !s.leave(k) {
			s.clear()
			break
		}
	}
	for i := range s.N {
		if free(i) && !s.free[i] {
			s.enter(i, 0, 0)
		}
	}
}

// clear takes all members out.
func (s *supports) clear() {
	for _, i := range s.members {
		s.free[i] = false
	}
	s.members, s.beta, s.top, s.features = s.members[:0], s.beta[:0], s.top[:0], s.features[:0]
	s.factor.Reset()
}

// enter makes a sample free, with β and the bound of α. It reports false where it depends
// on the others; column then holds its column of the shifted Gram matrix.
func (s *supports) enter(i int, beta, top float64) bool {
	s.column = s.column[:0]
	for _, j := range s.members {
		s.column = append(s.column, s.gram(i, j)+s.shift)
	}
	s.column = append(s.column, s.gram(i, i)+s.shift)
	if _, ok := s.factor.InsertPositive(s.column); !ok {
		return false
	}
	s.members, s.beta, s.top = append(s.members, i), append(s.beta, beta), append(s.top, top)
	s.features = append(s.features, s.Row(i)[:s.d]...)
	s.free[i], s.below[i] = true, false
	return true
}

// leave takes the member at a position out. It reports false where rounding has spoilt the
// factor.
func (s *supports) leave(k int) bool {
	s.free[s.members[k]] = false
	s.members, s.beta, s.top = slices.Delete(s.members, k, k+1), slices.Delete(s.beta, k, k+1), slices.Delete(s.top, k, k+1)
	s.features = slices.Delete(s.features, k*s.d, (k+1)*s.d)
	return s.factor.Delete(k) == nil
}

// activeSet fits a linear support vector machine to weights that differ little from those
// of the fit before. Beside the gradient c of the loss terms of all samples below the
// margin it looks at some samples only, among which all that can come to the margin are:
//
//	l2 w + c + Σ_F α_i z_i = 0,  y_i u_i = 1 for i in F,  z_i = -y_i x_i,
//
// on the features, and with an intercept on the column of ones without the first term.
// With β = y α on the free support vectors F that is a system of |F| equations in the Gram
// matrix of their features, whose factor is kept from fit to fit. What is left is to find
// F, by the feasible active-set method with a ratio test (for this dual: Scheinberg 2006),
// one sample at a time.
type activeSet struct {
	*supports
	c      []float64 // P
	theta  []float64 // P: the solution
	size   float64   // its ‖w‖
	target []float64 // of the members: its β
	excess float64   // Σ β that target lacks
	ones   []float64 // of the members: the factor's solution for ones
	total  float64   // their sum
	rest   []float64 // of the members, scratch

	watch []int     // the samples looked at
	among []bool    // N: of these
	rows  []float64 // begins with theirs, at stride P
	u     []float64 // of the watched samples at theta
}

func newActiveSet(m *machine) *activeSet {
	f := func(k int) []float64 { return make([]float64, k) }
	return &activeSet{supports: newSupports(m), c: f(m.P), theta: f(m.P), u: f(m.N), among: make([]bool, m.N)}
}

// look makes the given samples those that are looked at.
func (a *activeSet) look(samples []int, rows []float64) {
	for _, i := range a.watch {
		a.among[i] = false
	}
	a.watch, a.rows = samples, rows
	for _, i := range samples {
		a.among[i] = true
	}
}

// renew makes the factor anew, and takes the members out that depend on others.
func (a *activeSet) renew() {
	members := slices.Clone(a.members)
	beta, top := slices.Clone(a.beta), slices.Clone(a.top)
	a.clear()
	for k, i := range members {
		if a.enter(i, beta[k], top[k]) {
			continue
		}
		if a.below[i] = 2*math.Abs(beta[k]) > top[k]; a.below[i] {
			a.cross(i, top[k])
		}
	}
}

// cross adds a sample's loss term with the given multiplier to c.
func (a *activeSet) cross(i int, multiplier float64) {
	kernel.Axpy(-a.Y[i]*multiplier, a.Row(i), a.c)
}

// fits makes theta the weighted fit for the gradient in c, where box tells the upper bound
// of a sample's multiplier. c follows as samples cross the margin. It reports false where
// it does not find the fit; c and the samples' sides are then anything.
func (a *activeSet) fits(box func(i int) float64) bool {
	for k, i := range a.members {
		a.top[k] = box(i)
		a.beta[k] = a.Y[i] * min(max(0, a.Y[i]*a.beta[k]), a.top[k])
	}
	idle := 0
	for range tolerance.FewExchanges + a.N {
		if a.worn() {
			a.renew()
		}
		if len(a.members) == 0 && a.biased() && !a.fill(box) || !a.solve() {
			return false
		}
		k, length := a.blocker()
		if k < 0 {
			if !a.refine() {
				if a.factor.Changes() <= len(a.members) { // it is new
					return false
				}
				a.renew()
				continue
			}
			k, length = a.blocker()
		}
		if k >= 0 {
			if idle++; length > 0 {
				idle = 0
			}
			if idle > tolerance.IdleExchanges || !a.advance(k, length) {
				return false
			}
			continue
		}
		copy(a.beta, a.target)
		kernel.MulVec(a.u[:len(a.watch)], a.rows, a.P, a.theta)
		slot := a.worst(box)
		if slot < 0 {
			return true
		}
		if i := a.watch[slot]; !a.release(i, box(i)) {
			return false
		}
	}
	return false
}

// solve makes theta the solution on the free samples, and target its multipliers, but for
// rounding, which refine takes out. It reports false where the factor is lost.
func (a *activeSet) solve() bool {
	z, d := len(a.members), a.d
	kernel.ScaleTo(a.theta[:d], -1/a.price, a.c[:d])
	a.ones, a.rest, a.target = resize(a.ones, z), resize(a.rest, z), resize(a.target, z)
	clear(a.target)
	a.excess = 0
	if a.biased() {
		for k := range a.ones {
			a.ones[k] = 1
		}
		a.factor.Solve(a.ones)
		a.total = kernel.Sum(a.ones)
		if !(a.total > 0) {
			return false
		}
		a.theta[d], a.excess = 0, a.c[d]
	}
	a.leftover()
	a.add()
	return true
}

// fill makes a watched sample free where none is, and nothing determines the intercept:
// the first that comes to the margin as the intercept moves to where Σ β is right, or that
// is furthest beyond it.
func (a *activeSet) fill(box func(i int) float64) bool {
	d := a.d
	kernel.ScaleTo(a.theta[:d], -1/a.price, a.c[:d])
	a.theta[d] = 0
	kernel.MulVec(a.u[:len(a.watch)], a.rows, a.P, a.theta)
	first, at := -1, math.Inf(-1)
	up := math.Copysign(1, a.c[d]) // Σ β has to grow
	for slot, i := range a.watch {
		if (a.Y[i]*up > 0) == a.below[i] {
			continue
		}
		if b := up * (a.Y[i] - a.u[slot]); b > at {
			first, at = slot, b
		}
	}
	if first < 0 {
		return false
	}
	i := a.watch[first]
	return a.release(i, box(i))
}

// leftover writes what theta leaves of the free samples' equations into rest, and returns
// the largest, but for what rounding of the predictors accounts for, relative to these.
func (a *activeSet) leftover() float64 {
	kernel.MulVec(a.rest, a.features, a.d, a.theta[:a.d])
	bias := 0.0
	if a.biased() {
		bias = a.theta[a.d]
	}
	off, scale := 0.0, 1.0
	for k, i := range a.members {
		u := a.rest[k] + bias
		a.rest[k] = a.Y[i] - u
		off, scale = max(off, math.Abs(a.rest[k])-a.rounding(i)), max(scale, math.Abs(u))
	}
	return off / scale
}

// rounding returns what that of a sample's predictor at theta may come to: an outlier's is
// a sum of terms that are large beside it.
func (a *activeSet) rounding(i int) float64 {
	return tolerance.PredictorRounding * a.norms[i] * a.size
}

// add adds the solution for what is in rest.
func (a *activeSet) add() {
	a.factor.Solve(a.rest)
	if a.biased() {
		by := (kernel.Sum(a.rest) - a.excess) / a.total
		kernel.Axpy(-by, a.ones, a.rest)
		a.theta[a.d] += by + a.shift*a.excess
		a.excess -= kernel.Sum(a.rest)
	}
	kernel.Axpy(1, a.rest, a.target)
	for k := range a.rest {
		a.rest[k] /= a.price
	}
	kernel.MulTransAdd(a.theta[:a.d], a.features, a.d, a.rest)
	a.size = math.Sqrt(kernel.Dot(a.theta[:a.d], a.theta[:a.d]))
}

// refine adds solutions for what rounding leaves over, and reports whether that became
// small enough.
func (a *activeSet) refine() bool {
	for range tolerance.RefineRounds {
		var size float64
		for _, x := range a.target {
			size += math.Abs(x)
		}
		if a.leftover() <= tolerance.SupportTight && math.Abs(a.excess) <= tolerance.SupportTight*size {
			return true
		}
		a.add()
	}
	return false
}

// blocker returns the member that meets a bound first on the way to the solution, -1 where
// none does, and the part of the way until then.
func (a *activeSet) blocker() (blocker int, length float64) {
	blocker, length = -1, 1
	for k, i := range a.members {
		alpha, to, bound := a.Y[i]*a.beta[k], a.Y[i]*a.target[k], 0.0
		if to > (1+tolerance.SupportSlack)*a.top[k] {
			bound = a.top[k]
		} else if to >= -tolerance.SupportSlack*a.top[k] {
			continue
		}
		if l := max(0, (bound-alpha)/(to-alpha)); l < length || blocker < 0 {
			blocker, length = k, l
		}
	}
	return blocker, length
}

// advance goes so far towards the solution; the blocker leaves to its bound.
func (a *activeSet) advance(blocker int, length float64) bool {
	up := a.Y[a.members[blocker]]*a.target[blocker] > 0
	for k := range a.beta {
		a.beta[k] += length * (a.target[k] - a.beta[k])
	}
	return a.bind(blocker, up)
}

// bind takes a member to its upper bound or to 0.
func (a *activeSet) bind(k int, up bool) bool {
	i := a.members[k]
	if a.below[i] = up; up {
		a.cross(i, a.top[k])
	}
	return a.leave(k)
}

// worst returns the slot of the watched sample that is furthest beyond the margin, on the
// side where its multiplier does not belong, -1 where there is none. Samples without
// weight are put on their side.
func (a *activeSet) worst(box func(i int) float64) int {
	scale := 1.0
	worst, most := -1, 0.0
	for slot, u := range a.u[:len(a.watch)] {
		i := a.watch[slot]
		scale = max(scale, math.Abs(u))
		g := 1 - a.Y[i]*u
		if a.below[i] {
			g = -g
		}
		switch {
		case !(g > most) || a.free[i]:
		case box(i) == 0:
			a.below[i] = !a.below[i]
		default:
			worst, most = slot, g
		}
	}
	if most <= tolerance.SupportSlack*scale || most <= a.rounding(a.watch[worst]) {
		return -1
	}
	return worst
}

// release makes a sample at a bound free. Where it depends on the free ones, multipliers
// move along the direction that changes no predictor, down the objective, until a free one
// meets a bound, which leaves, or the sample's own meets its other bound.
func (a *activeSet) release(i int, top float64) bool {
	alpha, toward := 0.0, 1.0
	if a.below[i] {
		a.cross(i, -top)
		alpha, toward = top, -1
	}
	if a.enter(i, a.Y[i]*alpha, top) {
		return true
	}
	n := a.column[:len(a.members)]
	a.factor.Solve(n)
	var size float64
	for _, x := range n {
		size = max(size, math.Abs(x))
	}
	blocker, length, up := -1, top, false
	for k, j := range a.members {
		if math.Abs(n[k]) <= tolerance.Independent*size { // would leave the sample as dependent as it is
			continue
		}
		rate, room := -toward*a.Y[i]*n[k]*a.Y[j], a.Y[j]*a.beta[k] // of α_j
		if rate > 0 {
			room = a.top[k] - room
		}
		if l := max(0, room) / math.Abs(rate); l < length {
			blocker, length, up = k, l, rate > 0
		}
	}
	for k, x := range n {
		a.beta[k] -= toward * a.Y[i] * length * x
	}
	alpha += toward * length
	if blocker < 0 {
		if a.below[i] = toward > 0; a.below[i] {
			a.cross(i, top)
		}
		return true
	}
	return a.bind(blocker, up) && a.enter(i, a.Y[i]*alpha, top)
}

func resize(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n, 2*n)
	}
	return x[:n]
}
