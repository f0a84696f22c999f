package gaga

import (
	"math"
	"slices"

	"github.com/agepath/agepath/internal/factor"
	"github.com/agepath/agepath/internal/kernel"
)

// supports fits a linear support vector machine to weights that differ little from
// those of the fit before. Beside the gradient c of the loss terms of all samples
// below the margin it looks at some samples only, among which all that can come to
// the margin are:
//
//	l2 w + c + Σ_F α_i z_i = 0,  y_i u_i = 1 for i in F,  z_i = -y_i x_i,
//
// on the features, and with an intercept on the column of ones without the first
// term. With β = y α on the free support vectors F that is a system of |F| equations
// in the Gram matrix of their features, whose factor is kept from fit to fit. What is
// left is to find F, by the feasible active-set method with a ratio test (for this
// dual: Scheinberg 2006), one sample at a time.
type supports struct {
	*primal
	d      int     // features, without the intercept's column
	price  float64 // l2 of the features
	shift  float64 // of the Gram matrix, times 11ᵀ: with an intercept it changes no solution
	factor *factor.Signed
	norms  []float64 // n: ‖x‖ of the features

	members  []int     // F, in the order of the factor
	features []float64 // of the members, at stride d
	beta     []float64 // of the members, within their bounds
	top      []float64 // of the members: the upper bound of α
	free     []bool    // n: of F
	below    []bool    // n: α is at its upper bound

	c      []float64 // p
	theta  []float64 // p: the solution
	size   float64   // its ‖w‖
	target []float64 // of the members: its β
	excess float64   // Σ β that target lacks
	ones   []float64 // of the members: the factor's solution for ones
	total  float64   // their sum
	rest   []float64 // of the members, scratch
	column []float64 // of the members and another, scratch

	watch []int     // the samples looked at
	among []bool    // n: of these
	rows  []float64 // begins with theirs, at stride p
	u     []float64 // of the watched samples at theta
}

// newSupports returns nil where the features are not penalized alike.
func newSupports(s *primal) *supports {
	f := func(k int) []float64 { return make([]float64, k) }
	t := &supports{
		primal: s, d: s.p, factor: factor.New(0), free: make([]bool, s.n), below: make([]bool, s.n), among: make([]bool, s.n),
		norms: f(s.n), c: f(s.p), theta: f(s.p), u: f(s.n),
	}
	t.factor.Tolerance = 1e-13
	for t.d > 0 && s.l2[t.d-1] == 0 {
		t.d--
	}
	if t.d == 0 || t.d < s.p-1 {
		return nil
	}
	t.price = s.l2[0]
	for i := range s.n {
		square := t.gram(i, i)
		t.norms[i] = math.Sqrt(square * t.price)
		if t.intercept() {
			t.shift += square / float64(s.n)
		}
	}
	return t
}

func (t *supports) intercept() bool { return t.d < t.p }

// gram returns an entry of the features' Gram matrix, over l2.
func (t *supports) gram(i, j int) float64 {
	return kernel.Dot(t.sample(i)[:t.d], t.sample(j)[:t.d]) / t.price
}

// look makes the given samples those that are looked at.
func (t *supports) look(samples []int, rows []float64) {
	for _, i := range t.watch {
		t.among[i] = false
	}
	t.watch, t.rows = samples, rows
	for _, i := range samples {
		t.among[i] = true
	}
}

// worn reports whether the factor has taken so many changes that it is to be computed
// anew.
func (t *supports) worn() bool { return t.factor.Changes() > lasting+len(t.members) }

// follow makes the samples free that the given function says, but for those that depend
// on others.
func (t *supports) follow(free func(i int) bool) {
	if t.worn() {
		t.clear()
	}
	for k := len(t.members) - 1; k >= 0; k-- {
		if !free(t.members[k]) && !t.leave(k) {
			t.clear()
			break
		}
	}
	for i := range t.n {
		if free(i) && !t.free[i] {
			t.enter(i, 0, 0)
		}
	}
}

// renew computes the factor anew, and takes the members out that depend on others.
func (t *supports) renew() {
	members := slices.Clone(t.members)
	beta, top := slices.Clone(t.beta), slices.Clone(t.top)
	t.clear()
	for k, i := range members {
		if t.enter(i, beta[k], top[k]) {
			continue
		}
		if t.below[i] = 2*math.Abs(beta[k]) > top[k]; t.below[i] {
			t.cross(i, top[k])
		}
	}
}

// clear takes all members out.
func (t *supports) clear() {
	for _, i := range t.members {
		t.free[i] = false
	}
	t.members, t.beta, t.top, t.features = t.members[:0], t.beta[:0], t.top[:0], t.features[:0]
	t.factor.Reset()
}

// enter makes a sample free, with β and the bound of α. It reports false where it
// depends on the others; column then holds its column of the shifted Gram matrix.
func (t *supports) enter(i int, beta, top float64) bool {
	t.column = t.column[:0]
	for _, j := range t.members {
		t.column = append(t.column, t.gram(i, j)+t.shift)
	}
	t.column = append(t.column, t.gram(i, i)+t.shift)
	if _, ok := t.factor.InsertPositive(t.column); !ok {
		return false
	}
	t.members, t.beta, t.top = append(t.members, i), append(t.beta, beta), append(t.top, top)
	t.features = append(t.features, t.sample(i)[:t.d]...)
	t.free[i], t.below[i] = true, false
	return true
}

// leave takes the member at a place out of the free samples. It reports false where
// rounding has spoilt the factor.
func (t *supports) leave(k int) bool {
	t.free[t.members[k]] = false
	t.members, t.beta, t.top = slices.Delete(t.members, k, k+1), slices.Delete(t.beta, k, k+1), slices.Delete(t.top, k, k+1)
	t.features = slices.Delete(t.features, k*t.d, (k+1)*t.d)
	return t.factor.Delete(k) == nil
}

// cross adds a sample's loss term with the given multiplier to c.
func (t *supports) cross(i int, multiplier float64) {
	kernel.Axpy(-t.y[i]*multiplier, t.sample(i), t.c)
}

// exchanges returns the largest number of exchanges of a fit: more take longer than
// a solver that looks at all samples.
func (t *supports) exchanges() int { return 200 + t.n }

// idle is how many exchanges in a row may leave the solution where it is.
const idle = 100

// slack is the violation of a condition, relative to its terms, that is rounding.
const slack = 1e-12

// fits makes theta the weighted fit for the gradient in c, where box tells the upper
// bound of a sample's multiplier. c follows as samples cross the margin. It reports false
// where it does not find the fit; c and the samples' places are then anything.
func (t *supports) fits(box func(i int) float64) bool {
	for k, i := range t.members {
		t.top[k] = box(i)
		t.beta[k] = t.y[i] * min(max(0, t.y[i]*t.beta[k]), t.top[k])
	}
	still := 0
	for range t.exchanges() {
		if t.worn() {
			t.renew()
		}
		if len(t.members) == 0 && t.intercept() && !t.fill(box) {
			return false
		}
		if !t.solve() {
			return false
		}
		k, length := t.blocker()
		if k < 0 {
			if !t.refine() {
				if t.factor.Changes() <= len(t.members) { // it was
					return false
				}
				t.renew()
				continue
			}
			k, length = t.blocker()
		}
		if k >= 0 {
			if still++; length > 0 {
				still = 0
			} else if still > idle {
				return false
			}
			if !t.advance(k, length) {
				return false
			}
			continue
		}
		copy(t.beta, t.target)
		kernel.MulVec(t.u[:len(t.watch)], t.rows, t.p, t.theta)
		slot := t.worst(box)
		if slot < 0 {
			return true
		}
		if i := t.watch[slot]; !t.release(i, box(i)) {
			return false
		}
	}
	return false
}

// solve makes theta the solution on the free samples, and target its multipliers, but
// for rounding, which refine takes out. It reports false where the factor is lost.
func (t *supports) solve() bool {
	z, d := len(t.members), t.d
	kernel.ScaleTo(t.theta[:d], -1/t.price, t.c[:d])
	t.ones, t.rest, t.target = resize(t.ones, z), resize(t.rest, z), resize(t.target, z)
	clear(t.target)
	t.excess = 0
	if t.intercept() {
		for k := range t.ones {
			t.ones[k] = 1
		}
		t.factor.Solve(t.ones)
		t.total = kernel.Sum(t.ones)
		if !(t.total > 0) {
			return false
		}
		t.theta[d], t.excess = 0, t.c[d]
	}
	t.leftover()
	t.add()
	return true
}

// fill makes a watched sample free where none is, and nothing determines the intercept:
// the first that comes to the margin as the intercept moves to where Σ β is right, or
// that is furthest beyond it.
func (t *supports) fill(box func(i int) float64) bool {
	d := t.d
	kernel.ScaleTo(t.theta[:d], -1/t.price, t.c[:d])
	t.theta[d] = 0
	kernel.MulVec(t.u[:len(t.watch)], t.rows, t.p, t.theta)
	first, at := -1, math.Inf(-1)
	up := math.Copysign(1, t.c[d]) // Σ β has to grow
	for slot, i := range t.watch {
		if (t.y[i]*up > 0) == t.below[i] {
			continue
		}
		if b := up * (t.y[i] - t.u[slot]); b > at {
			first, at = slot, b
		}
	}
	if first < 0 {
		return false
	}
	i := t.watch[first]
	return t.release(i, box(i))
}

// leftover writes what theta leaves of the free samples' equations into rest, and
// returns the largest, but for what rounding of the predictors accounts for, relative
// to these.
func (t *supports) leftover() float64 {
	kernel.MulVec(t.rest, t.features, t.d, t.theta[:t.d])
	bias := 0.0
	if t.intercept() {
		bias = t.theta[t.d]
	}
	off, scale := 0.0, 1.0
	for k, i := range t.members {
		u := t.rest[k] + bias
		t.rest[k] = t.y[i] - u
		off, scale = max(off, math.Abs(t.rest[k])-t.rounding(i)), max(scale, math.Abs(u))
	}
	return off / scale
}

// rounding returns what that of a sample's predictor at theta may come to: an outlier's
// is a sum of terms that are large beside it.
func (t *supports) rounding(i int) float64 {
	return 16 * unitRoundoff * t.norms[i] * t.size
}

// angle returns at what angle, up to a factor, a sample comes to the margin or leaves it
// at the given rate of its predictor.
func (t *supports) angle(i int, rate float64) float64 { return rate / (1 + t.norms[i]) }

// add adds the solution for what is in rest.
func (t *supports) add() {
	t.factor.Solve(t.rest)
	if t.intercept() {
		by := (kernel.Sum(t.rest) - t.excess) / t.total
		kernel.Axpy(-by, t.ones, t.rest)
		t.theta[t.d] += by + t.shift*t.excess
		t.excess -= kernel.Sum(t.rest)
	}
	kernel.Axpy(1, t.rest, t.target)
	for k := range t.rest {
		t.rest[k] /= t.price
	}
	kernel.MulTransAdd(t.theta[:t.d], t.features, t.d, t.rest)
	t.size = math.Sqrt(kernel.Dot(t.theta[:t.d], t.theta[:t.d]))
}

// refine adds solutions for what rounding leaves over, and reports whether that became
// small enough.
func (t *supports) refine() bool {
	for range 5 {
		var size float64
		for _, x := range t.target {
			size += math.Abs(x)
		}
		if t.leftover() <= 0.1*slack && math.Abs(t.excess) <= 0.1*slack*size {
			return true
		}
		t.add()
	}
	return false
}

// blocker returns the member that meets a bound first on the way to the solution, -1
// where none does, and the part of the way until then.
func (t *supports) blocker() (blocker int, length float64) {
	blocker, length = -1, 1
	for k, i := range t.members {
		alpha, to, bound := t.y[i]*t.beta[k], t.y[i]*t.target[k], 0.0
		if to > (1+slack)*t.top[k] {
			bound = t.top[k]
		} else if to >= -slack*t.top[k] {
			continue
		}
		if l := max(0, (bound-alpha)/(to-alpha)); l < length || blocker < 0 {
			blocker, length = k, l
		}
	}
	return blocker, length
}

// advance goes so far towards the solution; the blocker leaves to its bound.
func (t *supports) advance(blocker int, length float64) bool {
	up := t.y[t.members[blocker]]*t.target[blocker] > 0
	for k := range t.beta {
		t.beta[k] += length * (t.target[k] - t.beta[k])
	}
	return t.bind(blocker, up)
}

// bind takes a member to its upper bound or to 0.
func (t *supports) bind(k int, up bool) bool {
	i := t.members[k]
	if t.below[i] = up; up {
		t.cross(i, t.top[k])
	}
	return t.leave(k)
}

// worst returns the slot of the watched sample that is furthest beyond the margin, on
// the side where its multiplier does not belong, -1 where there is none. Samples without
// weight are put on their side.
func (t *supports) worst(box func(i int) float64) int {
	scale := 1.0
	worst, most := -1, 0.0
	for slot, u := range t.u[:len(t.watch)] {
		i := t.watch[slot]
		scale = max(scale, math.Abs(u))
		g := 1 - t.y[i]*u
		if t.below[i] {
			g = -g
		}
		switch {
		case !(g > most) || t.free[i]:
		case box(i) == 0:
			t.below[i] = !t.below[i]
		default:
			worst, most = slot, g
		}
	}
	if most <= slack*scale || most <= t.rounding(t.watch[worst]) {
		return -1
	}
	return worst
}

// release makes a sample at a bound free. Where it depends on the free ones, multipliers
// move along the direction that changes no predictor, down the objective, until a free
// one meets a bound, which leaves, or the sample's own meets its other bound.
func (t *supports) release(i int, top float64) bool {
	alpha, toward := 0.0, 1.0
	if t.below[i] {
		t.cross(i, -top)
		alpha, toward = top, -1
	}
	if t.enter(i, t.y[i]*alpha, top) {
		return true
	}
	n := t.column[:len(t.members)]
	t.factor.Solve(n)
	var size float64
	for _, x := range n {
		size = max(size, math.Abs(x))
	}
	blocker, length, up := -1, top, false
	for k, j := range t.members {
		if math.Abs(n[k]) <= 1e-6*size { // would leave the sample as dependent as it is
			continue
		}
		rate, room := -toward*t.y[i]*n[k]*t.y[j], t.y[j]*t.beta[k] // of α_j
		if rate > 0 {
			room = t.top[k] - room
		}
		if l := max(0, room) / math.Abs(rate); l < length {
			blocker, length, up = k, l, rate > 0
		}
	}
	for k, x := range n {
		t.beta[k] -= toward * t.y[i] * length * x
	}
	alpha += toward * length
	if blocker < 0 {
		if t.below[i] = toward > 0; t.below[i] {
			t.cross(i, top)
		}
		return true
	}
	return t.bind(blocker, up) && t.enter(i, t.y[i]*alpha, top)
}

func resize(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n, 2*n)
	}
	return x[:n]
}
