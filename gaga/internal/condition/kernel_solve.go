package condition

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/anderson"
)

// inverse solves with J as it is where Assemble was last called, by the held factor,
// corrected by the residual.
type inverse struct {
	*heldFactor
	mixer     *anderson.Mixer
	first     []float64 // P, scratch: the first solution
	step      []float64 // P, scratch
	solution  []float64 // P, scratch
	remainder []float64 // P, scratch: the residual of a solution
}

func newInverse(h *heldFactor) *inverse {
	return &inverse{
		heldFactor: h, mixer: anderson.New(h.P),
		first: zeros(h.P), step: zeros(h.P), solution: zeros(h.P), remainder: zeros(h.P),
	}
}

// image writes Jx into dst, with du the rates of the predictors along x.
func (s *inverse) image(dst, x, du []float64) {
	var sum float64
	for r, i := range s.Active {
		if i == s.N {
			continue
		}
		sum += s.Y[i] * x[r]
		dst[r] = s.Y[i] * du[i]
		if r >= s.front {
			dst[r] -= s.delta[i] * x[r]
		}
	}
	if s.bordered() {
		dst[s.pinned] = sum
	}
}

// invert overwrites b with J⁻¹b and reports whether that converged. What Solve gives leaves
// the residual (Δ - Δ')x, with Δ' the δ in the factor, which takes no product with the
// kernel matrix. The last correction, which leaves (Δ - Δ')step, stays in step.
func (s *inverse) invert(b []float64) bool {
	k := len(b)
	first, step := s.first[:k], s.step[:k]
	s.Solve(b)
	copy(first, b)
	s.mixer.Reset(k)
	for count := range 2 * anderson.Memory {
		if !s.change(step, b) {
			return true
		}
		s.Solve(step)
		var off, size float64
		for q, x := range b {
			step[q] += first[q] - x
			off = math.Max(off, math.Abs(step[q]))
			size = math.Max(size, math.Abs(x))
		}
		done := off <= tolerance.Solved*size
		if done {
			s.tire(count)
		} else {
			s.mixer.Mix(step)
		}
		if blas64.Axpy(1, vector(step), vector(b)); done {
			return true
		}
	}
	return false
}

// form returns aᵀJ⁻¹a. Of a solution x with the residual r it is aᵀx + xᵀr, but for the
// square of r. The factor is one that served the last tangent; where that does not
// converge now it is made anew.
func (s *inverse) form(a []float64) float64 {
	x, r := s.solution[:len(a)], s.remainder[:len(a)]
	copy(x, a)
	if !s.invert(x) {
		if s.slow = true; s.Factorize() {
			copy(x, a)
			s.invert(x)
		}
	}
	s.change(r, s.step[:len(a)])
	return blas64.Dot(vector(a), vector(x)) + blas64.Dot(vector(x), vector(r))
}

// refine corrects the rate of the unknowns at pt, which are those of pt, by the residual.
func (s *inverse) refine(pt *model.Point, rate []float64) {
	for count := 1; count <= tolerance.ResidualRounds; count++ {
		r := s.remainder[:len(rate)]
		s.image(r, rate, pt.DU)
		if s.rateSolved(r, rate) {
			return
		}
		if count == 2 {
			// The factor is not what it is taken for, or J nearly singular.
			if s.slow = true; !s.Factorize() {
				return
			}
		}
		s.invert(r)
		blas64.Axpy(1, vector(r), vector(rate))
		s.SetRates(pt, rate)
		s.PredictAll(pt.DU, pt.Rate)
	}
}

// rateSolved turns Jx in r into the residual of J rate = -dage, and reports whether that
// is as good as zero.
func (s *inverse) rateSolved(r, rate []float64) bool {
	var off, size float64
	for q := range r {
		r[q] = -s.Dage[q] - r[q]
		terms := math.Abs(s.Dage[q])
		if q >= s.front { // beside a singular J the residual is a small difference
			terms += tolerance.RateRounding * s.delta[s.Active[q]] * math.Abs(rate[q])
		}
		off = math.Max(off, math.Abs(r[q])/s.Scale[q])
		size = math.Max(size, terms/s.Scale[q])
	}
	return off <= tolerance.RateSolved*size
}
