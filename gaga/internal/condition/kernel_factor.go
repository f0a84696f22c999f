package condition

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/factor"
)

// heldFactor is the signed factor of M = Q_AA + κyyᵀ - Δ', which the equation of b makes
// equivalent to J, with Δ' the δ of an earlier point. It follows the samples that enter
// and leave the unknowns one by one.
type heldFactor struct {
	*gram
	signed                 *factor.Signed
	kappa                  float64
	stale                  bool // it is not that of the current unknowns
	slow                   bool // it is to be made anew: the last solutions converged slowly
	solutions, corrections int  // of solutions by this factor, and how many they took

	pinned int       // number of pinned samples, which come first in Active
	at     []int     // N: place in Active of the samples there
	delta  []float64 // N: δ of the curved samples, where Assemble was last called
	held   []float64 // N: δ in the factor
	proved []float64 // N: δ where the factor last proved a strict minimum, or the sample entered
	border border
	trust  trust
	column []float64 // P, scratch: a column of M
}

// border is the elimination of b.
type border struct {
	solution []float64 // N: M⁻¹y
	sigma    float64   // yᵀM⁻¹y, 0 where that is rounding
	known    bool      // both are current
}

func newHeldFactor(g *gram) *heldFactor {
	s := &heldFactor{
		gram: g, signed: factor.New(0), stale: true, at: make([]int, g.N), delta: zeros(g.N), held: zeros(g.N), proved: zeros(g.N),
		border: border{solution: zeros(g.N)}, trust: newTrust(g.N), column: zeros(g.P),
	}
	for _, k := range s.diagonal {
		if s.Intercept { // without b nothing makes κ equivalent
			s.kappa += k / float64(s.N)
		}
	}
	return s
}

// bordered reports whether b is unknown; it comes last.
func (s *heldFactor) bordered() bool {
	k := len(s.Active)
	return k > 0 && s.Active[k-1] == s.N
}

// multipliers returns how many of the unknowns are multipliers; they come first.
func (s *heldFactor) multipliers() int {
	if s.bordered() {
		return len(s.Active) - 1
	}
	return len(s.Active)
}

// number writes the places of the samples in Active.
func (s *heldFactor) number() {
	for r, j := range s.Active[:s.multipliers()] {
		s.at[j] = r
	}
}

// Choose makes the multipliers of the pinned and of the curved samples the unknowns, in
// the order of the factor, and b where something determines it.
func (s *heldFactor) Choose() {
	s.Frozen = s.Undetermined()
	if s.stale {
		s.Active = s.Active[:0]
		for i, z := range s.Zone {
			if z == model.Pinned {
				s.Active = append(s.Active, i)
			}
		}
		s.pinned = len(s.Active)
		for i, z := range s.Zone {
			if s.Curved[z] {
				s.Active = append(s.Active, i)
			}
		}
	} else {
		s.Active = s.Active[:s.multipliers()]
	}
	s.number()
	if s.Intercept && !s.Frozen {
		s.Active = append(s.Active, s.N)
	}
}

// leave takes sample i, which was pinned or curved, out of the factor and the unknowns.
func (s *heldFactor) leave(i int, from uint8) {
	r := s.at[i]
	if s.signed.Delete(r) != nil {
		s.stale = true
		return
	}
	if from == model.Pinned {
		s.pinned--
	}
	s.Active = append(s.Active[:r], s.Active[r+1:]...)
	s.number()
}

// enter inserts sample i, pinned or curved with the given δ, into the factor and the
// unknowns.
func (s *heldFactor) enter(i int, delta float64) {
	k, r := s.multipliers(), s.pinned
	pinned := s.Zone[i] == model.Pinned
	if !pinned {
		r = k
	}
	column := s.column[:k+1]
	row := s.matrix.Row(i)
	for q, j := range s.Active[:k] {
		to := q
		if q >= r {
			to++
		}
		column[to] = s.Y[i] * s.Y[j] * (row[j] + s.kappa)
	}
	column[r] = s.diagonal[i] + s.kappa - delta
	s.held[i], s.proved[i] = delta, delta
	var ok bool
	if pinned {
		_, ok = s.signed.InsertPositive(column)
		s.pinned++
	} else {
		_, ok = s.signed.AppendNegative(column)
	}
	if !ok {
		s.stale = true
		return
	}
	s.Active = append(s.Active, 0)
	copy(s.Active[r+1:], s.Active[r:])
	s.Active[r] = i
	s.number()
}

// deltaAt returns δ of curved sample i for the slope of its weight.
func (s *heldFactor) deltaAt(i int, slope float64) float64 {
	return math.Min(-1/(s.Bound*s.M[i]*s.Cost*slope), tolerance.Steepest)
}

// tire takes note of how many corrections a solution took. A new factor is worth its cost
// once a solution takes more of them than, with that cost, the mean of those by this one.
func (s *heldFactor) tire(corrections int) {
	s.solutions++
	s.corrections += corrections
	k := float64(s.multipliers())
	q := k - float64(s.pinned)
	cost := tolerance.RenewalCost * q * q * q / (k * k)
	s.slow = s.slow || float64(corrections*s.solutions) > float64(s.corrections)+cost
}

// Renew makes the next Factorize make the factor anew.
func (s *heldFactor) Renew() { s.slow = true }

// Factorize makes the factor anew where it is stale or no longer trusted.
func (s *heldFactor) Factorize() bool {
	saddle := s.border.known && !(s.border.sigma > 0) // of the factor, which need not be J's
	if s.stale || s.slow || saddle || !s.proven() && s.distrust() > tolerance.Trusted || s.turned() {
		if s.renew(); s.stale {
			return false
		}
	}
	if s.bordered() {
		if !s.border.known {
			s.solveBorder()
		}
		if !(s.border.sigma > 0) {
			return false
		}
	}
	for _, i := range s.Active[s.pinned:s.multipliers()] {
		s.proved[i] = s.delta[i]
	}
	return true
}

// proven reports whether δ is as where the factor last proved a strict minimum: the samples
// that have entered and left since passed their sign tests.
func (s *heldFactor) proven() bool {
	for _, i := range s.Active[s.pinned:s.multipliers()] {
		if math.Abs(s.delta[i]-s.proved[i]) > tolerance.KKT*s.proved[i] {
			return false
		}
	}
	return true
}

// drifted reports whether δ is another than in the factor.
func (s *heldFactor) drifted() bool {
	for _, i := range s.Active[s.pinned:s.multipliers()] {
		if s.held[i] != s.delta[i] {
			return true
		}
	}
	return false
}

// renew brings the factor to the current δ; it stays stale where there is none. Where
// only rounding can have made the factor slow it is made from scratch.
func (s *heldFactor) renew() {
	k := s.multipliers()
	curved := s.Active[s.pinned:k]
	s.slow, s.border.known = false, false
	s.solutions, s.corrections = 0, 0
	if !s.stale && s.drifted() {
		s.stale = s.signed.ChangeNegative(func(t int) float64 {
			i := curved[t]
			s.held[i] = s.delta[i]
			return s.diagonal[i] + s.kappa - s.held[i]
		}) != nil
		if !s.stale {
			return
		}
	}
	for _, i := range curved {
		s.held[i] = s.delta[i]
	}
	s.stale = s.signed.Compute(s.pinned, k-s.pinned, func(r int, dst []float64) {
		i := s.Active[r]
		row := s.matrix.Row(i)
		for q := range dst {
			j := s.Active[q]
			dst[q] = s.Y[i] * s.Y[j] * (row[j] + s.kappa)
		}
		if r >= s.pinned {
			dst[r] -= s.held[i]
		}
	}) != nil
}

func (s *heldFactor) solveBorder() {
	k := s.multipliers()
	z := s.border.solution[:k]
	for r, i := range s.Active[:k] {
		z[r] = s.Y[i]
	}
	s.signed.Solve(z)
	var sigma, size float64
	for r, i := range s.Active[:k] {
		sigma += s.Y[i] * z[r]
		size += math.Abs(z[r])
	}
	if !(sigma > tolerance.Singular*size) {
		sigma = 0
	}
	s.border.sigma, s.border.known = sigma, true
}

// Solve gives no numbers where there is no factor, as beside a singular J.
func (s *heldFactor) Solve(b []float64) {
	if s.stale {
		for r := range b {
			b[r] = math.NaN()
		}
		return
	}
	k := s.multipliers()
	s.signed.Solve(b[:k])
	if !s.bordered() {
		return
	}
	h, db := b[k], 0.0
	for r, i := range s.Active[:k] {
		db += s.Y[i] * b[r]
	}
	db = (db - h) / s.border.sigma
	blas64.Axpy(-db, vector(s.border.solution[:k]), vector(b[:k]))
	b[k] = db + s.kappa*h
}

// trust estimates how far J is from the factor, by a power iteration that goes on from
// call to call.
type trust struct {
	power  []float64 // N: its vector
	spread []float64 // N: numbers spread evenly over [0, 1): no symmetry of the data must hide a direction
	x      []float64 // N, scratch
}

func newTrust(n int) trust {
	t := trust{zeros(n), zeros(n), zeros(n)}
	for j := range t.power {
		t.spread[j] = math.Mod(0.6180339887*float64(j+1), 1)
		t.power[j] = 1 + t.spread[j]
	}
	return t
}

// change writes Dx into dst, over the unknowns, with D the change of Δ since the factor
// was made. It reports whether there is any.
func (s *heldFactor) change(dst, x []float64) (changed bool) {
	clear(dst)
	for r, i := range s.Active[s.pinned:s.multipliers()] {
		r += s.pinned
		off := s.delta[i] - s.held[i]
		dst[r] = off * x[r]
		changed = changed || off != 0
	}
	return changed
}

// distrust returns an estimate, from below, of the spectral radius of the difference
// between J and the factor, in units of the factor.
func (s *heldFactor) distrust() float64 {
	estimate := s.iterate()
	for range min(tolerance.TrustRounds, tolerance.TrustWork/(1+len(s.Active))) {
		if estimate == 0 || estimate > tolerance.Trusted {
			break
		}
		estimate = math.Max(estimate, s.iterate())
	}
	return estimate
}

// iterate makes one step of the power iteration.
func (s *heldFactor) iterate() float64 {
	k := s.multipliers()
	x, power := s.trust.x[:k], s.trust.power
	curved := s.Active[s.pinned:k]
	clear(x[:s.pinned])
	var off float64
	lower := false
	for q, i := range curved {
		x[s.pinned+q] = (s.delta[i] - s.held[i]) * power[i]
		off = math.Max(off, math.Abs(s.delta[i]-s.held[i])/s.held[i])
		lower = lower || s.delta[i] < s.held[i]
	}
	if off == 0 || !lower && off <= 1 {
		return 0 // a larger δ cannot cost the inertia; where corrections then fail there is a new factor
	}
	s.signed.Solve(x)
	var before, after float64
	for q, i := range curved {
		before += power[i] * power[i]
		after += x[s.pinned+q] * x[s.pinned+q]
	}
	if !(after > 0 && before > 0) {
		return 0
	}
	scale := 1 / math.Sqrt(after)
	for q, i := range curved {
		power[i] = scale*x[s.pinned+q] + tolerance.TrustSpread*(s.trust.spread[i]-0.5)
	}
	return math.Sqrt(after / before)
}

// turned reports whether the border's σ may have another sign with the current δ than
// with those in the factor M: with D the change of Δ and z = M⁻¹y, it is
// yᵀ(M - D)⁻¹y = yᵀz + zᵀDz + zᵀDM⁻¹Dz + ...
func (s *heldFactor) turned() bool {
	if !s.bordered() || !s.border.known {
		return false
	}
	k := s.multipliers()
	z, x, sigma := s.border.solution[:k], s.trust.x[:k], s.border.sigma
	var first, most, second float64
	s.change(x, z)
	for r := s.pinned; r < k; r++ {
		first += z[r] * x[r]
		most += math.Abs(z[r] * x[r])
	}
	if most <= tolerance.BorderSteady*sigma {
		return false // nor can the rest, which falls like the powers of the spectral radius
	}
	s.signed.Solve(x)
	for r := s.pinned; r < k; r++ {
		i := s.Active[r]
		second += z[r] * (s.delta[i] - s.held[i]) * x[r]
	}
	// The rest of the series falls at least like the powers of the spectral radius.
	rest := math.Abs(second) * tolerance.Trusted / (1 - tolerance.Trusted)
	return !(sigma+first+second-rest > tolerance.BorderLeast*sigma)
}
