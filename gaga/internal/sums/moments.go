package sums

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// Moments sums the terms of the squared loss from moments of the samples in each zone. With z =
// (a, -y) and φ = (θ, 1) the residual is r = z·φ, so that sums of |r|, r² and r⁴ are contractions of
// Σ ±z, Σ zzᵀ and Σ z⊗z⊗z⊗z with φ.
type Moments struct {
	whole
	kind
	s     *Scope
	q     int
	zones []zoneMoments
	side  []float64 // sign of the residual in the first moment
	moves int       // since the moments were recomputed; above N they are due

	full        []float64 // of H, q x q: only the upper triangle is right
	diags       []float64 // Σ m|∂φ/∂u| a_j²
	unpacked    []float64 // Σ m r² z zᵀ of a zone with fourth moments
	z, phi, row []float64
	sum         []float64
}

// zoneMoments has the moments that a zone's series uses, others are nil.
type zoneMoments struct {
	weight float64   // Σ m
	first  []float64 // Σ m sign(r) z
	second []float64 // Σ m z zᵀ
	fourth *dense.Quartic
}

// NewMoments reports false if moments do not apply or cost more than sums over the samples. The
// first Place computes the moments.
func NewMoments(s *Scope) (*Moments, bool) {
	if !s.Squared || s.Series == nil {
		return nil, false
	}
	q := s.P + 1
	t := &Moments{
		whole: whole{grad: make([]float64, q), dgrad: make([]float64, q), sizes: make([]float64, s.P)}, kind: kind{summed: true},
		full: make([]float64, q*q), diags: make([]float64, s.P),
		s: s, q: q, side: make([]float64, s.N), moves: s.N + 1, z: make([]float64, q), phi: make([]float64, q), row: make([]float64, q), sum: make([]float64, s.P),
	}
	for k := range s.Zones {
		var zone zoneMoments
		terms := s.Series(k, 1).F
		if terms[1] != 0 {
			zone.first = make([]float64, q)
		}
		if terms[2] != 0 {
			zone.second = make([]float64, q*q)
		}
		if terms[3] != 0 {
			if s.costlyFourth() || cancel(s, k) {
				return nil, false
			}
			zone.fourth, t.unpacked = dense.NewQuartic(q), make([]float64, q*q)
		}
		t.zones = append(t.zones, zone)
	}
	return t, true
}

// cancel reports whether the terms of the fourth moments cancel to rounding of the gradient: at ages
// far below the squared targets their sum is smaller than the terms by their ratio.
func cancel(s *Scope, zone int) bool {
	y := s.Y[blas64.Iamax(dense.Vector(s.Y))]
	for _, age := range s.Ages {
		if f := s.Series(zone, age).F; tolerance.Unit*y*y*math.Abs(f[3]) > tolerance.Roundoff*math.Abs(f[2]) {
			return true
		}
	}
	return false
}

// costlyFourth reports whether a product with the fourth moments over the coefficients of the plain
// fit costs more than sums over the samples, by measured times (n = 1,000 to 20,000, p = 10 to 100).
func (s *Scope) costlyFourth() bool {
	k := s.Support
	if k == 0 || !s.Sparse() {
		k = s.P
	}
	pairs := (k + 1) * (k + 2) / 2
	return 8*pairs*(pairs+(k+2)*(s.P-k)) > s.N*(k*k+8*s.P)
}

func (t *Moments) Q() int { return t.q }

// Moves returns the changes of zone since the moments were recomputed.
func (t *Moments) Moves() int { return t.moves }

func (t *Moments) Series(zone int, age float64) model.Series { return t.s.Series(zone, age) }

// SmoothWeights reports whether the implicit loss is a polynomial in the loss on every zone.
func (t *Moments) SmoothWeights() bool { return t.s.Polynomial }

// Constant reports whether the weight is constant on every zone.
func (t *Moments) Constant() bool { return t.s.Polynomial && t.unpacked == nil }

func (t *Moments) add(i int, z uint8, m float64) {
	zone := &t.zones[z]
	zone.weight += m
	if zone.first == nil && zone.second == nil {
		return
	}
	t.augment(i)
	if zone.first != nil {
		blas64.Axpy(m*t.side[i], dense.Vector(t.z), dense.Vector(zone.first))
	}
	if zone.second != nil {
		for a, za := range t.z { // both triangles: faster
			if za != 0 {
				kernel.Axpy(m*za, t.z, zone.second[a*t.q:(a+1)*t.q])
			}
		}
	}
	if zone.fourth != nil {
		zone.fourth.Add(m, t.z)
	}
}

func (t *Moments) augment(i int) {
	copy(t.z, t.s.Row(i))
	t.z[t.s.P] = -t.s.Y[i]
}

// Sum recomputes the moments, with u the predictors of all samples.
func (t *Moments) Sum(u []float64) {
	for k := range t.zones {
		zone := &t.zones[k]
		zone.weight = 0
		clear(zone.first)
		clear(zone.second)
		if zone.fourth != nil {
			zone.fourth.Reset()
		}
	}
	for i, m := range t.s.M {
		t.side[i] = model.Sign(u[i] - t.s.Y[i])
		t.add(i, t.s.Zone[i], m)
	}
	t.moves = 0
}

func (t *Moments) Place(zones []uint8, u []float64) {
	s := t.s
	if t.moves += s.differing(zones); t.moves > s.N {
		copy(s.Zone, zones)
		t.Sum(u)
		return
	}
	for i, z := range zones {
		side := model.Sign(u[i] - s.Y[i])
		if z == s.Zone[i] && (side == t.side[i] || t.zones[z].first == nil) {
			continue
		}
		t.add(i, s.Zone[i], -s.M[i])
		t.side[i], s.Zone[i] = side, z
		t.add(i, z, s.M[i])
	}
}

func (t *Moments) Move(i int, from uint8, theta []float64) {
	s := t.s
	t.add(i, from, -s.M[i])
	t.side[i] = model.Sign(dense.Dot(s.Row(i), theta) - s.Y[i])
	t.add(i, s.Zone[i], s.M[i])
	t.moves++
}

func (t *Moments) Assemble(pt *model.Point) {
	t.along(pt.Theta)
	t.reset()
	clear(t.full)
	for k := range t.zones {
		t.addZone(&t.zones[k], t.s.Series(k, pt.Age))
	}
	t.addTo(t.s)
}

// along sets phi, and extends fourth moments to its coordinates and the active ones.
func (t *Moments) along(theta []float64) {
	copy(t.phi, theta)
	t.phi[t.s.P] = 1
	for _, j := range t.s.Active {
		t.extend(j)
	}
	t.Extend(t.phi)
}

// Extend makes [Moments.Weighted] exact between the coordinates that are not 0 in theta, and reports
// whether it was not.
func (t *Moments) Extend(theta []float64) (extended bool) {
	for j, v := range theta {
		extended = v != 0 && t.extend(j) || extended
	}
	return extended
}

func (t *Moments) extend(j int) (extended bool) {
	for k := range t.zones {
		fourth := t.zones[k].fourth
		if fourth == nil || fourth.Has(j) {
			continue
		}
		extended = true
		fourth.Extend(j, func(add func(c float64, z []float64)) {
			for i, z := range t.s.Zone {
				if int(z) == k {
					t.augment(i)
					add(t.s.M[i], t.z)
				}
			}
		})
	}
	return extended
}

func (t *Moments) Curve(*model.Point) {
	s, k := t.s, len(t.s.Active)
	for r, j := range s.Active {
		s.Diag[r] += t.diags[j]
		for q := r; q < k; q++ {
			s.Hess[r*k+q] += t.full[j*t.q+s.Active[q]]
		}
	}
}

func (t *Moments) entry(a, b int) float64 { return t.full[min(a, b)*t.q+max(a, b)] }

func (t *Moments) Coordinate(j int) (gradient, dage, size float64) {
	return t.grad[j], t.dgrad[j], t.sizes[j]
}

func (t *Moments) addZone(zone *zoneMoments, s model.Series) {
	t.value += s.F[0] * zone.weight
	if zone.first != nil {
		blas64.Axpy(s.F[1], dense.Vector(zone.first), dense.Vector(t.grad))
		blas64.Axpy(s.Rate[1], dense.Vector(zone.first), dense.Vector(t.dgrad))
		t.value += s.F[1] * dense.Dot(zone.first, t.phi)
	}
	if zone.second != nil {
		t.contract(zone.second, s.F[2], s.Rate[2], 2, 2)
	}
	if zone.fourth != nil {
		zone.fourth.Contract(t.unpacked, t.phi)
		t.contract(t.unpacked, s.F[3], s.Rate[3], 4, 12)
	}
}

// contract adds a term f φᵀMφ of degree first in φ, with df the derivative of f in the age; second
// is the factor of f M in the second derivatives.
func (t *Moments) contract(m []float64, f, df, first, second float64) {
	kernel.MulVec(t.row, m, t.q, t.phi)
	t.value += f * kernel.Dot(t.row, t.phi)
	kernel.Axpy(first*f, t.row, t.grad)
	if df != 0 {
		kernel.Axpy(first*df, t.row, t.dgrad)
	}
	kernel.Axpy(second*f, m, t.full) // only the upper triangle is read
}

// Weighted writes Σ m v z zᵀ into dst, q x q. The weights must be smooth.
func (t *Moments) Weighted(dst, theta []float64, age float64) {
	t.along(theta)
	clear(dst)
	for k := range t.zones {
		zone, f := &t.zones[k], t.s.Series(k, age).F
		if zone.second != nil {
			kernel.Axpy(f[2], zone.second, dst)
		}
		if zone.fourth != nil {
			zone.fourth.Contract(t.unpacked, t.phi)
			kernel.Axpy(2*f[3], t.unpacked, dst)
		}
	}
}

func (t *Moments) Gradient(pt *model.Point) {
	for j := range t.s.P {
		rate := t.dgrad[j]
		for _, k := range t.s.Active {
			rate += t.entry(j, k) * pt.Rate[k]
		}
		pt.Grad[j], pt.DGrad[j] = t.grad[j], rate
	}
}

func (t *Moments) Border(dst []float64, j int) (diagonal, magnitude float64) {
	for r, k := range t.s.Active {
		dst[r] = t.entry(j, k)
	}
	return t.entry(j, j), t.diags[j]
}

// Measure recomputes the sizes of the terms at the point of the last Assemble, with u the
// predictors of all samples, and returns the largest error of the gradient relative to them.
func (t *Moments) Measure(u []float64, age float64) (off float64) {
	s := t.s
	clear(t.sizes)
	clear(t.diags)
	clear(t.sum)
	var parts [2][256]float64
	for from := 0; from < s.N; from += len(parts[0]) {
		u := u[from:min(from+len(parts[0]), s.N)]
		phis, sizes := parts[0][:len(u)], parts[1][:len(u)]
		for k, ui := range u {
			i := from + k
			loss, slope, curvature := s.Eval(s.Zone[i], ui, s.Y[i])
			phi, phiU, _, v, _ := s.weigh(i, age, loss, slope, curvature)
			phis[k], sizes[k] = phi, s.M[i]*v*GradientTerms(ui, slope, curvature)
			if phiU != 0 {
				kernel.AxpyTimes(math.Abs(phiU), s.Row(i), s.Row(i), t.diags)
			}
		}
		rows := s.Samples.Rows[from*s.P:]
		kernel.MulTransAdd(t.sum, rows, s.P, phis)
		kernel.MulTransAddAbs(t.sizes, rows, s.P, sizes)
	}
	for j, sum := range t.sum {
		if e := math.Abs(sum - t.grad[j]); e > 0 {
			off = math.Max(off, e/(t.sizes[j]+s.Floor[j]+s.L1[j]))
		}
	}
	return off
}
