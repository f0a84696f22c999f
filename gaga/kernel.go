package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/anderson"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/factor"
	"github.com/agepath/agepath/internal/kernel"
)

// kerneled is the back-end for the hinge loss in a kernel's space: θ are the n
// multipliers α and the intercept b, u_i = Σ_j α_j y_j k(x_i, x_j) + b. The
// unknowns are the multipliers of the pinned samples Z and of the curved ones
// C, A together, and b; all others are constant on their zones. With the
// defects g = 1 - y∘u the equations are, of a pinned sample, -g_i = 0, of a
// curved one, δ_i (ψ_i(g_i) - α_i) = 0 with ψ_i(g) = bound m_i v*(Cg) and
// δ_i = -1/ψ_i', and yᵀα = 0, so that
//
//	J = [ Q_AA - Δ  y ]
//	    [ yᵀ        0 ]
//
// A point is a strict minimum exactly when J has as many
// positive eigenvalues as samples are pinned. The factor is that of
// Q_AA + κyyᵀ - Δ, which the equation of b makes equivalent, with the δ of an
// earlier point: solutions are corrected by the residual, and the factor is
// made anew when that converges slowly.
type kerneled struct {
	*system
	rows      *convex.KernelRows
	intercept bool
	kappa     float64
	diagonal  []float64 // n: k(x_i, x_i)

	factor   *factor.Signed
	stale    bool      // the factor is not that of the current unknowns
	slow     bool      // the last solutions converged slowly
	pinnedAt int       // number of pinned samples, which come first in active
	at       []int     // n: place in active of the samples there
	delta    []float64 // n: δ of the curved samples, where assemble was last called
	held     []float64 // n: δ in the factor
	border   []float64 // the factor's solution for y
	mixer    *anderson.Mixer
	improved int       // improvements of the current tangent
	power    []float64 // n: the power iteration's vector
	sigma    float64   // yᵀborder
	bordered bool      // border and sigma are current

	base            []float64 // p: a θ whose predictors are known
	baseU           []float64 // n
	changes         int       // times the base was moved since its predictors were summed from scratch
	column          []float64 // room for a column of the matrix
	b, x, r         []float64 // room for vectors over the unknowns
	first, corrects []float64 // room for more
	product         []float64 // n, scratch
	combined        []int     // scratch: samples of a sum of rows
	coefficients    []float64 // scratch: their coefficients
	response        response
}

// response is how the path's point follows a change of one multiplier: the rates of
// θ and of all predictors, as the sign test solved for them.
type response struct {
	sample   int // -1: unknown
	theta, u []float64
}

func newKerneled(pr *Problem, rows *convex.KernelRows) *kerneled {
	n := pr.X.Rows
	f := func(k int) []float64 { return make([]float64, k) }
	s := &kerneled{
		system: newSystem(pr, n+1), rows: rows, intercept: pr.Intercept, diagonal: f(n),
		factor: factor.New(0), stale: true, at: make([]int, n), delta: f(n), held: f(n), border: f(n), power: f(n), mixer: anderson.New(n + 2),
		base: f(n + 1), baseU: f(n), column: f(n + 1), b: f(n + 1), x: f(n + 1), r: f(n + 1), first: f(n + 1), corrects: f(n + 1), product: f(n), combined: make([]int, 0, n), coefficients: make([]float64, 0, n),
		response: response{sample: -1, theta: f(n + 1), u: f(n)},
	}
	s.system.algebra, s.dualInTheta = s, true
	s.tight, s.quick = 1e-13, 7
	s.bound = s.hinge.C / pr.Penalty.L2
	for j := range n {
		s.l2[j] = pr.Penalty.L2
		s.power[j] = 1 + math.Mod(0.6180339887*float64(j+1), 1) // no symmetry of the data must hide a direction
	}
	if !pr.Intercept {
		s.l2[n] = pr.Penalty.L2 // it stays 0
	}
	pr.Kernel.Diagonal(s.diagonal, convex.NewPoints(pr.X))
	for _, k := range s.diagonal {
		if pr.Intercept { // without b nothing makes κ equivalent
			s.kappa += k / float64(n)
		}
	}
	s.allot(n + 1)
	return s
}

func (s *kerneled) setWatch([]int) {}

func (s *kerneled) place(zones []uint8, _ []float64) {
	copy(s.zone, zones)
	s.stale = true
	s.active = s.active[:0]
}

// fix gives the multipliers of the samples of constant zones their values.
func (s *kerneled) fix(theta []float64) {
	for i := range s.n {
		s.fixOne(theta, i)
	}
}

func (s *kerneled) fixOne(theta []float64, i int) {
	z := s.zone[i]
	if z == pinned || s.curved[z] {
		return
	}
	theta[i] = 0
	if z != satisfied {
		v, _, _ := s.weight(z, 0, 1)
		theta[i] = s.bound * s.m[i] * v
	}
}

// shifted keeps the factor current: a sample that is curved or pinned no more
// leaves it, one that has become so enters.
func (s *kerneled) shifted(i int, from uint8, theta []float64) {
	if theta == nil {
		s.stale = true
		return
	}
	s.fixOne(theta, i)
	if s.stale {
		return
	}
	s.bordered = false
	if from == pinned || s.curved[from] {
		r := s.at[i]
		if s.factor.Delete(r) != nil {
			s.stale = true
			return
		}
		if from == pinned {
			s.pinnedAt--
		}
		s.active = append(s.active[:r], s.active[r+1:]...)
		s.number()
	}
	switch z := s.zone[i]; {
	case z == pinned:
		s.enter(i, s.pinnedAt, 0)
	case s.curved[z]:
		loss, _, _ := s.eval(z, s.predictOne(i, theta), s.y[i])
		s.enter(i, s.samples(), s.deltaOf(i, loss, s.assembled.age))
	}
}

// borders returns how many unknowns beside the multipliers there are: b, or none.
func (s *kerneled) borders() int {
	if k := len(s.active); k > 0 && s.active[k-1] == s.n {
		return 1
	}
	return 0
}

// samples returns how many of the unknowns are multipliers; they come first.
func (s *kerneled) samples() int { return len(s.active) - s.borders() }

// enter inserts sample i at place r of the factor and of the unknowns.
func (s *kerneled) enter(i, r int, delta float64) {
	k := s.samples()
	column := s.column[:k+1]
	row := s.rows.Row(i)
	for q, j := range s.active[:k] {
		to := q
		if q >= r {
			to++
		}
		column[to] = s.y[i] * s.y[j] * (row[j] + s.kappa)
	}
	column[r] = s.diagonal[i] + s.kappa - delta
	s.held[i] = delta
	var ok bool
	if r == s.pinnedAt && s.zone[i] == pinned {
		_, ok = s.factor.InsertPositive(column)
		s.pinnedAt++
	} else {
		_, ok = s.factor.AppendNegative(column)
	}
	if !ok {
		s.stale = true
		return
	}
	s.active = append(s.active, 0)
	copy(s.active[r+1:], s.active[r:])
	s.active[r] = i
	s.number()
}

// number writes the places of the samples in active.
func (s *kerneled) number() {
	for r, j := range s.active[:s.samples()] {
		s.at[j] = r
	}
}

func (s *kerneled) reactivate() {
	s.frozen = s.undetermined()
	if s.stale {
		s.active = s.active[:0]
		for i, z := range s.zone {
			if z == pinned {
				s.active = append(s.active, i)
			}
		}
		s.pinnedAt = len(s.active)
		for i, z := range s.zone {
			if s.curved[z] {
				s.active = append(s.active, i)
			}
		}
	} else {
		s.active = s.active[:s.samples()]
	}
	s.number()
	if s.intercept && !s.frozen {
		s.active = append(s.active, s.n)
	}
}

// deltaOf returns δ of curved sample i at the given loss.
func (s *kerneled) deltaOf(i int, loss, age float64) float64 {
	_, dv, _ := s.weight(s.zone[i], loss, age)
	return s.deltaAt(i, dv)
}

// deltaAt returns δ of curved sample i for the slope of its weight.
func (s *kerneled) deltaAt(i int, slope float64) float64 {
	return math.Min(-1/(s.bound*s.m[i]*s.hinge.C*slope), steepest)
}

// steepest bounds δ, which is infinite where a weight does not change.
const steepest = 1e100

func (s *kerneled) predict(dst, theta []float64) { s.predictAll(dst, theta) }

// predictAll goes from the base where that is less work than from scratch.
func (s *kerneled) predictAll(dst, theta []float64) {
	whole, apart := 0, 0
	for j, a := range theta[:s.n] {
		if a != 0 {
			whole++
		}
		if a != s.base[j] {
			apart++
		}
	}
	s.combined, s.coefficients = s.combined[:0], s.coefficients[:0]
	fresh := whole <= apart || s.changes > drift
	if fresh {
		for i := range dst {
			dst[i] = theta[s.n]
		}
	} else {
		db := theta[s.n] - s.base[s.n]
		for i, u := range s.baseU {
			dst[i] = u + db
		}
	}
	for j, a := range theta[:s.n] {
		if !fresh {
			a -= s.base[j]
		}
		if a != 0 {
			s.combined, s.coefficients = append(s.combined, j), append(s.coefficients, a*s.y[j])
		}
	}
	s.rows.Add(dst, s.combined, s.coefficients)
	if !fresh {
		s.changes++
	} else if whole > apart {
		s.changes = 0
	}
}

// drift is how often predictors are moved before they are summed from scratch.
const drift = 200

func (s *kerneled) know(pt *point) {
	copy(s.base, pt.theta)
	copy(s.baseU, pt.u)
}

func (s *kerneled) predictOne(i int, theta []float64) float64 {
	row := s.rows.Row(i)
	u := theta[s.n]
	for j, a := range theta[:s.n] {
		u += a * s.y[j] * row[j]
	}
	return u
}

func (s *kerneled) assemble(pt *point) {
	s.assembled = pt
	s.know(pt)
	s.evaluate(pt)
	b := pt.theta[s.n]
	k := s.samples()
	for r, i := range s.active[:k] {
		size := 1 + math.Abs(pt.u[i]) + math.Abs(b)
		s.diag[r] = s.diagonal[i]
		if r < s.pinnedAt {
			s.residual[r], s.scale[r], s.dage[r] = s.y[i]*pt.u[i]-1, size, 0
			continue
		}
		v, dv, da := s.weight(s.zone[i], pt.loss[i], pt.age)
		top := s.bound * s.m[i]
		delta := s.deltaAt(i, dv)
		s.delta[i] = delta
		s.residual[r] = delta * (top*v - pt.theta[i])
		s.scale[r] = delta*top + size
		s.dage[r] = delta * top * da
	}
	if s.borders() > 0 {
		var sum, size float64
		for i, a := range pt.theta[:s.n] {
			sum += s.y[i] * a
			size += math.Abs(a)
		}
		s.residual[k], s.scale[k], s.dage[k], s.diag[k] = sum, size+s.bound, 0, 0
	}
}

// Solutions are corrected up to this residual, relative to the right-hand side.
const solved = 1e-9

func (s *kerneled) unknownOf(i int) int { return s.at[i] }

func (s *kerneled) row(dst []float64, i int) {
	row := s.rows.Row(i)
	k := s.samples()
	for r, j := range s.active[:k] {
		dst[r] = s.y[j] * row[j]
	}
	if s.borders() > 0 {
		dst[k] = 1
	}
}

func (s *kerneled) variance(i int) float64 {
	row, b := s.column[:len(s.active)], s.b[:len(s.active)]
	s.row(row, i)
	copy(b, row)
	s.exact(b)
	// The unknowns follow α_i at the rates e_i - y_i b; where α_i is one of them that
	// is -δ_i J⁻¹e_i.
	s.respond(i, b, -s.y[i])
	r := &s.response
	kernel.Axpy(s.y[i], s.rows.Row(i), r.u)
	r.theta[i]++
	return (s.diagonal[i] - blas64.Dot(vector(row), vector(b))) / s.l2[0]
}

func (s *kerneled) freedom(i int) float64 {
	b := s.b[:len(s.active)]
	clear(b)
	b[s.at[i]] = 1
	s.exact(b)
	s.respond(i, b, 1)
	return 1 / (b[s.at[i]] * s.l2[0])
}

// respond keeps c times a solution b, whose products with the kernel matrix exact has
// left behind, as sample i's response.
func (s *kerneled) respond(i int, b []float64, c float64) {
	r := &s.response
	r.sample = i
	clear(r.theta)
	for q, j := range s.active {
		r.theta[j] = c * b[q]
	}
	for j, u := range s.product {
		r.u[j] = c * u
	}
}

// carry adds so much of the response to the rates before the change of zone that the
// sample's equation holds behind it.
func (s *kerneled) carry(pt *point, i int, rate []float64) bool {
	r := &s.response
	known := r.sample == i
	if r.sample = -1; !known {
		return false
	}
	var by float64
	switch z := s.zone[i]; {
	case z == pinned:
		return false
	case s.curved[z]:
		delta := s.delta[i]
		by = (delta*pt.rate[i] - s.y[i]*pt.du[i] - s.dage[s.at[i]]) / (s.y[i]*r.u[i] - delta*r.theta[i])
	default:
		by = -pt.rate[i] / r.theta[i]
	}
	if math.IsNaN(by) || math.IsInf(by, 0) {
		return false
	}
	kernel.Axpy(by, r.theta, pt.rate)
	kernel.Axpy(by, r.u, pt.du)
	s.setRates(pt, s.gather(rate, pt.rate))
	return true
}

func (s *kerneled) penalty(theta, u []float64) float64 {
	var sum float64
	for i, a := range theta[:s.n] {
		sum += a * s.y[i] * (u[i] - theta[s.n])
	}
	return 0.5 * s.l2[0] * sum
}

func (s *kerneled) value(pt *point) float64 { return s.objective(pt.theta, pt.u, pt.age) }

// residualAt is relative to the bound of a multiplier and to the predictors.
func (s *kerneled) residualAt(pt *point) float64 {
	var worst, sum, size float64
	b := pt.theta[s.n]
	for i, a := range pt.theta[:s.n] {
		sum += s.y[i] * a
		size += a
		top, unit := s.bound*s.m[i], 1+math.Abs(pt.u[i])+math.Abs(b)
		g := 1 - s.y[i]*pt.u[i]
		off := math.Abs(a) / top
		switch z := s.zone[i]; {
		case z == pinned:
			off = math.Max(math.Abs(g)/unit, math.Max(-a, a-top)/top)
		case z != satisfied:
			v, dv, _ := s.weight(z, pt.loss[i], pt.age)
			off = math.Abs(a-top*v) / (top + math.Abs(top*s.hinge.C*dv)*unit)
		}
		worst = math.Max(worst, off)
	}
	if s.intercept && !s.frozen {
		worst = math.Max(worst, math.Abs(sum)/(size+s.bound))
	}
	return worst
}

func (s *kerneled) setFloor([]float64) {}
