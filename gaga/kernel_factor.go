package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/anderson"
)

// trusted is the spectral radius of the difference between J and the factor, in
// units of the factor, up to which the factor serves: below 1 both have the same
// inertia, and corrections converge like its powers.
const trusted = 0.3

// trustedLeaves is the part of the residual that a step with a factor which is still
// trusted leaves at most: it is looked at again where one leaves more.
const trustedLeaves = 0.1

// few is how many corrections by the factor of an earlier point cost less than a
// factor of this one.
const few = 3

// distrust returns an estimate of that spectral radius, from below: a step of
// the power iteration, which goes on from call to call.
func (s *kerneled) distrust() float64 {
	estimate := s.iterate()
	for range min(6, 600/(1+len(s.active))) { // a small factor allows more
		if estimate == 0 || estimate > trusted {
			break
		}
		estimate = math.Max(estimate, s.iterate())
	}
	return estimate
}

// iterate makes one step of the power iteration.
func (s *kerneled) iterate() float64 {
	k := s.samples()
	x := s.x[:k]
	var off float64
	lower := false
	for r, i := range s.active[:k] {
		x[r] = 0
		if r >= s.pinnedAt {
			x[r] = (s.delta[i] - s.held[i]) * s.power[i]
			off = math.Max(off, math.Abs(s.delta[i]-s.held[i])/s.held[i])
			lower = lower || s.delta[i] < s.held[i]
		}
	}
	if off == 0 || !lower && off <= 1 {
		return 0 // a larger δ cannot cost the inertia; where corrections then fail there is a new factor
	}
	s.factor.Solve(x)
	var before, after float64
	for r, i := range s.active[:k] {
		if r >= s.pinnedAt {
			before += s.power[i] * s.power[i]
			after += x[r] * x[r]
		}
	}
	if !(after > 0 && before > 0) {
		return 0
	}
	// The power iteration goes on from a vector that keeps some of all directions.
	scale := 1 / math.Sqrt(after)
	for r, i := range s.active[:k] {
		if r >= s.pinnedAt {
			s.power[i] = scale*x[r] + 1e-2*(math.Mod(0.6180339887*float64(i+1), 1)-0.5)
		}
	}
	return math.Sqrt(after / before)
}

// factorize makes the factor anew where it is stale or no longer trusted.
func (s *kerneled) factorize() bool {
	k := s.samples()
	saddle := s.bordered && !(s.sigma > 0) // of the factor, which need not be J's
	if s.stale || s.slow || saddle || s.distrust() > trusted || s.turned() {
		for _, i := range s.active[s.pinnedAt:k] {
			s.held[i] = s.delta[i]
		}
		s.stale, s.slow, s.bordered = true, false, false
		err := s.factor.Compute(s.pinnedAt, k-s.pinnedAt, func(r int, dst []float64) {
			i := s.active[r]
			row := s.rows.Row(i)
			for q := range dst {
				j := s.active[q]
				dst[q] = s.y[i] * s.y[j] * (row[j] + s.kappa)
			}
			if r >= s.pinnedAt {
				dst[r] -= s.held[i]
			}
		})
		if err != nil {
			return false
		}
		s.stale = false
	}
	if s.borders() == 0 || s.bordered {
		return s.borders() == 0 || s.sigma > 0
	}
	z := s.border[:k]
	for r, i := range s.active[:k] {
		z[r] = s.y[i]
	}
	s.factor.Solve(z)
	s.sigma = 0
	var size float64
	for r, i := range s.active[:k] {
		s.sigma += s.y[i] * z[r]
		size += math.Abs(z[r])
	}
	s.bordered = true
	if !(s.sigma > singular*size) {
		s.sigma = 0
	}
	return s.sigma > 0
}

func (s *kerneled) refresh() { s.slow = true }

func (s *kerneled) mix(step []float64, first bool) {
	if first {
		s.mixer.Reset(len(step))
	}
	s.mixer.Mix(step)
}

// solve uses the factor as it is.
func (s *kerneled) solve(b []float64) {
	k := s.samples()
	s.factor.Solve(b[:k])
	if s.borders() == 0 {
		return
	}
	h, db := b[k], 0.0
	for r, i := range s.active[:k] {
		db += s.y[i] * b[r]
	}
	db = (db - h) / s.sigma
	blas64.Axpy(-db, vector(s.border[:k]), vector(b[:k]))
	b[k] = db + s.kappa*h
}

// multiply writes Jx into dst; the rates of the predictors of all samples along
// x are in s.product afterwards.
func (s *kerneled) multiply(dst, x []float64) {
	k := s.samples()
	var db float64
	if s.borders() > 0 {
		db = x[k]
	}
	for i := range s.product {
		s.product[i] = db
	}
	var sum float64
	s.coefficients = s.coefficients[:0]
	for r, j := range s.active[:k] {
		sum += s.y[j] * x[r]
		s.coefficients = append(s.coefficients, s.y[j]*x[r])
	}
	s.rows.Add(s.product, s.active[:k], s.coefficients)
	s.image(dst, x, s.product)
	if s.borders() > 0 {
		dst[k] = sum
	}
}

// image writes the multipliers' rows of Jx into dst, with du the rates of the
// predictors along x.
func (s *kerneled) image(dst, x, du []float64) {
	k := s.samples()
	for r, i := range s.active[:k] {
		dst[r] = s.y[i] * du[i]
		if r >= s.pinnedAt {
			dst[r] -= s.delta[i] * x[r]
		}
	}
}

// invert overwrites b with J⁻¹b, where assemble was last called. What solve gives
// leaves the residual (Δ - Δ')x, with Δ' the δ in the factor, which takes no product
// with the kernel matrix.
func (s *kerneled) invert(b []float64) {
	k, n := len(b), s.samples()
	first, step := s.first[:k], s.x[:k]
	s.solve(b)
	copy(first, b)
	s.mixer.Reset(k)
	for count := range 2 * anderson.Memory {
		clear(step)
		changed := false
		for r := s.pinnedAt; r < n; r++ {
			i := s.active[r]
			if off := s.delta[i] - s.held[i]; off != 0 {
				step[r], changed = off*b[r], true
			}
		}
		if !changed {
			return
		}
		s.solve(step)
		var off, size float64
		for q, x := range b {
			step[q] += first[q] - x
			off = math.Max(off, math.Abs(step[q]))
			size = math.Max(size, math.Abs(x))
		}
		if off <= solved*size {
			return
		}
		s.slow = s.slow || count > few
		s.mixer.Mix(step)
		blas64.Axpy(1, vector(step), vector(b))
	}
}

// exact is invert, corrected by the residual; where that does not converge, by a
// new factor.
func (s *kerneled) exact(b []float64) {
	x, r := s.corrects[:len(b)], s.r[:len(b)]
	copy(x, b)
	s.invert(x)
	for count := range 4 {
		s.multiply(r, x)
		for q := range r {
			r[q] = b[q] - r[q]
		}
		if blas64.Nrm2(vector(r)) <= solved*blas64.Nrm2(vector(b)) {
			break
		}
		if count == 1 {
			s.slow = true
			if !s.factorize() {
				break
			}
		}
		s.invert(r)
		blas64.Axpy(1, vector(r), vector(x))
	}
	copy(b, x)
}

// Rates are improved up to this residual, relative to the right-hand side; or to
// the rounding of the residual's terms, as rounded is its relative size over
// exactRate.
const (
	exactRate = 1e-8
	rounded   = 1e-15 / exactRate
)

func (s *kerneled) improve(pt *point, rate []float64, first bool) bool {
	if first {
		s.improved = 0
	}
	k := s.samples()
	r := s.r[:len(s.active)]
	s.image(r, rate, pt.du)
	var sum float64
	for q, i := range s.active[:k] {
		sum += s.y[i] * rate[q]
	}
	if s.borders() > 0 {
		r[k] = sum
	}
	var off, size float64
	for q := range r {
		r[q] = -s.dage[q] - r[q]
		terms := math.Abs(s.dage[q])
		if q >= s.pinnedAt && q < k { // beside a singular J the residual is a small difference
			terms += rounded * s.delta[s.active[q]] * math.Abs(rate[q])
		}
		off = math.Max(off, math.Abs(r[q])/s.scale[q])
		size = math.Max(size, terms/s.scale[q])
	}
	if off <= exactRate*size || s.improved == 4 {
		return false
	}
	if s.improved++; s.improved == 2 {
		// The factor is not what it is taken for, or J nearly singular.
		if s.slow = true; !s.factorize() {
			return false
		}
	}
	s.invert(r)
	blas64.Axpy(1, vector(r), vector(rate))
	return true
}

// turned reports whether the border's σ may have another sign with the current δ
// than with those in the factor M: with D the change of Δ and z = M⁻¹y, it is
// yᵀ(M - D)⁻¹y = yᵀz + zᵀDz + zᵀDM⁻¹Dz + ...
func (s *kerneled) turned() bool {
	if s.borders() == 0 || !s.bordered {
		return false
	}
	k := s.samples()
	z, x := s.border[:k], s.x[:k]
	var first, most, second float64
	clear(x[:s.pinnedAt])
	for r := s.pinnedAt; r < k; r++ {
		i := s.active[r]
		x[r] = (s.delta[i] - s.held[i]) * z[r]
		first += z[r] * x[r]
		most += math.Abs(z[r] * x[r])
	}
	if most <= 0.05*s.sigma {
		return false // nor can the rest, which falls like the powers of the spectral radius
	}
	s.factor.Solve(x)
	for r := s.pinnedAt; r < k; r++ {
		i := s.active[r]
		second += z[r] * (s.delta[i] - s.held[i]) * x[r]
	}
	// The rest of the series falls at least like the powers of the spectral radius.
	rest := math.Abs(second) * trusted / (1 - trusted)
	return !(s.sigma+first+second-rest > 0.1*s.sigma)
}
