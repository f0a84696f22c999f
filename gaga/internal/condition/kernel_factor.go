package condition

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// heldFactor is the signed factor of M = [Q_AA + κyyᵀ - Δ', y; yᵀ, 0], with Δ' the δ of an earlier
// point. Except for Δ', M is equivalent to J by the equation of b. The pinned samples are the
// positive part of the factor, b and the curved samples its negative part. Samples enter and leave
// one by one.
type heldFactor struct {
	*kernelPredictor
	signed         *dense.Signed
	kappa          float64
	stale          bool // belongs to other unknowns
	slow           bool
	events, solves int // since the factor was computed, and as many as it costs
	work           int // solves since the last event
	changes        int // of rows, since all of the factor was computed

	pinned int
	front  int
	at     []int // places in Active
	delta  []float64
	held   []float64 // δ in the factor
	proved []float64 // δ of the last strict minimum, or at entry
	trust  trust
	column []float64
}

func newHeldFactor(g *kernelPredictor) *heldFactor {
	s := &heldFactor{
		kernelPredictor: g, signed: dense.NewSigned(0), stale: true, at: make([]int, g.N), delta: make([]float64, g.N), held: make([]float64, g.N), proved: make([]float64, g.N),
		trust: newTrust(g.N), column: make([]float64, g.P),
	}
	for _, k := range s.diagonal {
		if s.Intercept { // without b, M with κ is not equivalent to J
			s.kappa += k / float64(s.N)
		}
	}
	return s
}

func (s *heldFactor) bordered() bool { return s.front > s.pinned }

func (s *heldFactor) number() {
	for r, j := range s.Active {
		if j < s.N {
			s.at[j] = r
		}
	}
}

// Choose orders the unknowns: pinned samples, b if something determines it, curved samples.
func (s *heldFactor) Choose() {
	s.Frozen = s.Undetermined()
	border := s.Intercept && !s.Frozen
	s.stale = s.stale || border != s.bordered()
	if !s.stale {
		return
	}
	s.Active = s.Active[:0]
	for i, z := range s.Zone {
		if z == model.Pinned {
			s.Active = append(s.Active, i)
		}
	}
	s.pinned = len(s.Active)
	if border {
		s.Active = append(s.Active, s.N)
	}
	s.front = len(s.Active)
	for i, z := range s.Zone {
		if s.Curved[z] {
			s.Active = append(s.Active, i)
		}
	}
	s.number()
}

func (s *heldFactor) leave(i int, from uint8) {
	r := s.at[i]
	s.changes++
	if s.signed.Delete(r) != nil {
		s.stale = true
		return
	}
	if from == model.Pinned {
		s.pinned--
		s.front--
	}
	s.Active = append(s.Active[:r], s.Active[r+1:]...)
	s.number()
}

func (s *heldFactor) enter(i int, delta float64) {
	k, r := len(s.Active), s.pinned
	s.changes++
	pinned := s.Zone[i] == model.Pinned
	if !pinned {
		r = k
	}
	column := s.column[:k+1]
	row := s.matrix.Row(i)
	for q, j := range s.Active {
		to := q
		if q >= r {
			to++
		}
		column[to] = s.entry(row, i, j)
	}
	column[r] = s.diagonal[i] + s.kappa - delta
	s.held[i], s.proved[i] = delta, delta
	var ok bool
	if pinned {
		_, ok = s.signed.InsertPositive(column)
		s.pinned++
		s.front++
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

func (s *heldFactor) entry(row []float64, i, j int) float64 {
	if j == s.N {
		return s.Y[i]
	}
	return s.Y[i] * s.Y[j] * (row[j] + s.kappa)
}

func (s *heldFactor) deltaAt(i int, slope float64) float64 {
	return min(-1/(s.Bound*s.M[i]*s.Cost*slope), tolerance.Steepest)
}

// tire records an event and its number of solves. A new factor pays off once an event takes more
// solves than the mean so far, with those that the factor costs.
func (s *heldFactor) tire() {
	s.events++
	s.solves += s.work
	s.slow = s.slow || s.work*s.events > s.solves
	s.work = 0
}

func (s *heldFactor) Renew() { s.slow = true }

func (s *heldFactor) Factorize() bool {
	if s.stale || s.slow || !s.proven() && s.distrust() > tolerance.Trusted {
		if !s.renew() {
			return false
		}
	}
	for _, i := range s.Active[s.front:] {
		s.proved[i] = s.delta[i]
	}
	return true
}

// proven reports whether δ is that of the last proof of a strict minimum; samples that have entered
// or left since passed their sign tests.
func (s *heldFactor) proven() bool {
	for _, i := range s.Active[s.front:] {
		if math.Abs(s.delta[i]-s.proved[i]) > tolerance.Roundoff*s.proved[i] {
			return false
		}
	}
	return true
}

// drifted reports whether δ is another than in the factor; else only rounding can have made it slow.
func (s *heldFactor) drifted() bool {
	for _, i := range s.Active[s.front:] {
		if s.held[i] != s.delta[i] {
			return true
		}
	}
	return false
}

// renew computes the factor, or its negative part alone. If there is none, the factor is that of the
// earlier point until renew succeeds.
func (s *heldFactor) renew() bool {
	s.slow = true
	s.stale = s.stale || !s.drifted()
	if !s.stale && s.signed.ComputeNegative(s.entries) != nil {
		if s.changes < tolerance.Accumulated {
			return false
		}
		s.stale = true
	}
	if s.stale {
		s.stale = s.signed.Compute(s.pinned, len(s.Active)-s.pinned, s.entries) != nil
		s.changes = 0
	}
	for _, i := range s.Active[s.front:] {
		s.held[i] = s.delta[i]
	}
	s.slow = false
	s.events, s.solves, s.trust.drift = 0, len(s.Active)/tolerance.FactorSolves, 0
	return !s.stale
}

func (s *heldFactor) entries(r, from int, dst []float64) {
	i := s.Active[r]
	if i == s.N {
		for q, j := range s.Active[from:r] {
			dst[q] = s.Y[j]
		}
		dst[r-from] = 0
		return
	}
	row := s.matrix.Row(i)
	for q := range dst {
		dst[q] = s.entry(row, i, s.Active[from+q])
	}
	if r >= s.front {
		dst[r-from] -= s.delta[i]
	}
}

// Solve sets b to NaN if there is no factor, as next to a singular J.
func (s *heldFactor) Solve(b []float64) {
	if s.stale {
		for r := range b {
			b[r] = math.NaN()
		}
		return
	}
	var rest float64
	if s.bordered() {
		rest = b[s.pinned]
	}
	s.signed.Solve(b)
	s.work++
	if s.bordered() {
		b[s.pinned] += s.kappa * rest
	}
}

func (s *heldFactor) solveNegative(b []float64) {
	s.signed.SolveNegative(b)
	s.work++
}

func (s *heldFactor) extend(x, first []float64) {
	pinned, rest := x[:s.pinned], x[s.pinned:]
	moved := s.column[:len(x)]
	for q, v := range rest {
		moved[s.pinned+q] = v - first[q]
	}
	s.signed.ExtendNegative(moved)
	for q := range pinned {
		pinned[q] += moved[q]
	}
}

type trust struct {
	power  []float64
	spread []float64 // in [0, 1), with no linear relation that symmetric data can have, too
	x      []float64
	drift  float64 // of δ at the last estimate of the radius; 0 if there was none
	radius float64 // the last estimate, or a larger one seen since
}

func newTrust(n int) trust {
	t := trust{power: make([]float64, n), spread: make([]float64, n), x: make([]float64, n+1)}
	for j := range t.power {
		t.spread[j] = math.Mod(97*math.Sqrt(float64(j+2)), 1)
		t.power[j] = 1 + t.spread[j]
	}
	return t
}

func (s *heldFactor) change(dst, x []float64) (changed bool) {
	border := s.front - s.pinned
	clear(dst[:border])
	for r, i := range s.Active[s.front:] {
		off := s.delta[i] - s.held[i]
		dst[border+r] = off * x[border+r]
		changed = changed || off != 0
	}
	return changed
}

// distrust estimates from below the spectral radius of the difference between J and the factor, in
// units of the factor. The radius grows with δ's drift: the last estimate is reused while small,
// until the drift has doubled.
func (s *heldFactor) distrust() float64 {
	var drift float64
	lower := false
	for _, i := range s.Active[s.front:] {
		drift = max(drift, math.Abs(s.delta[i]-s.held[i])/s.held[i])
		lower = lower || s.delta[i] < s.held[i]
	}
	if drift == 0 || !lower && drift <= 1 {
		return 0 // a larger δ cannot change the inertia; failing corrections recompute the factor
	}
	t := &s.trust
	if growth := drift / t.drift; growth <= 2 && growth*t.radius <= 0.5*tolerance.Trusted {
		return t.radius
	}
	t.drift, t.radius = drift, s.iterate()
	for range tolerance.TrustRounds {
		if t.radius > tolerance.Trusted {
			break
		}
		t.radius = max(t.radius, s.iterate())
	}
	return t.radius
}

func (s *heldFactor) iterate() float64 {
	x, power := s.trust.x[:len(s.Active)-s.pinned], s.trust.power
	border, curved := s.front-s.pinned, s.Active[s.front:]
	clear(x[:border])
	for q, i := range curved {
		x[border+q] = (s.delta[i] - s.held[i]) * power[i]
	}
	s.signed.SolveNegative(x)
	var before, after float64
	for q, i := range curved {
		before += power[i] * power[i]
		after += x[border+q] * x[border+q]
	}
	if !(after > 0 && before > 0) {
		return 0
	}
	scale := 1 / math.Sqrt(after)
	for q, i := range curved {
		power[i] = scale*x[border+q] + tolerance.TrustSpread*(s.trust.spread[i]-0.5)
	}
	return math.Sqrt(after / before)
}
