package condition

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/anderson"
	"github.com/agepath/agepath/internal/dense"
)

type inverse struct {
	*heldFactor
	mixer     *anderson.Mixer
	first     []float64
	step      []float64
	solution  []float64
	left      []float64
	remainder []float64
}

func newInverse(h *heldFactor) *inverse {
	return &inverse{
		heldFactor: h, mixer: anderson.New(h.P),
		first: make([]float64, h.P), step: make([]float64, h.P), solution: make([]float64, h.P), left: make([]float64, h.P), remainder: make([]float64, h.P),
	}
}

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

// invert overwrites b with J⁻¹b and reports whether done has accepted a correction of the factor's
// negative part. A solve leaves the residual (Δ - Δ')x in left, with Δ' the δ in the factor; it
// needs no product with the kernel matrix and is zero for pinned samples, whose part of x follows
// at the end. Shrink is the size of the correction relative to the one before, at first 1.
func (s *inverse) invert(b []float64, done func(step []float64, shrink float64) bool) bool {
	k := len(b)
	if s.Solve(b); s.stale {
		return false
	}
	x, left := b[s.pinned:], s.left[:k]
	first, step := s.first[:len(x)], s.step[:len(x)]
	clear(left[:s.pinned])
	copy(first, x)
	copy(step, x)
	clear(x)
	s.mixer.Reset(len(x))
	size, shrink := largest(step), 1.0
	rounds, solved := 0, false
	for ; rounds < 2*anderson.Memory; rounds++ {
		if solved = !s.change(left[s.pinned:], step) || done(step, shrink); solved {
			blas64.Axpy(1, dense.Vector(step), dense.Vector(x))
			break
		}
		s.mixer.Mix(step)
		blas64.Axpy(1, dense.Vector(step), dense.Vector(x))
		s.change(step, x)
		s.solveNegative(step)
		for q, v := range x {
			step[q] += first[q] - v
		}
		before := size
		size = largest(step)
		shrink = size / before
	}
	if rounds > 0 {
		s.extend(b, first)
	}
	return solved
}

// form returns aᵀJ⁻¹a: for a solution x with the residual r that is aᵀx + xᵀr, to second order in
// r. A factor that does not converge is recomputed.
func (s *inverse) form(a []float64) float64 {
	x := s.solution[:len(a)]
	copy(x, a)
	solved := func(step []float64, shrink float64) bool {
		return shrink < 1 && shrink*math.Abs(dense.Dot(step, s.left[s.pinned:len(a)])) <= tolerance.Negligible*math.Abs(dense.Dot(a, x))
	}
	if !s.invert(x, solved) {
		s.slow = true
		if copy(x, a); !s.Factorize() || !s.invert(x, solved) {
			return math.NaN()
		}
	}
	return dense.Dot(a, x) + dense.Dot(x, s.left[:len(a)])
}

func (s *inverse) rates(pt *model.Point, rate, r []float64) {
	for count := range tolerance.ResidualRounds {
		if s.relative(r) <= tolerance.RateSolved*s.rateSize(rate) {
			break
		}
		if count == 2 {
			// The factor is inaccurate, or J is nearly singular.
			if s.slow = true; !s.Factorize() {
				break
			}
		}
		s.correct(rate, r)
		s.SetRates(pt, rate)
		s.PredictAll(pt.DU, pt.Rate)
		s.rateResidual(r, rate, pt.DU)
	}
	s.SetRates(pt, rate)
}

func (s *inverse) correct(rate, r []float64) {
	size := s.rateSize(rate)
	solved := func([]float64, float64) bool { return s.relative(s.left[:len(r)]) <= tolerance.Solved*size }
	if s.relative(r) > tolerance.Solved*size {
		s.invert(r, solved)
		blas64.Axpy(1, dense.Vector(r), dense.Vector(rate))
	}
}

func (s *inverse) rateResidual(r, rate, du []float64) {
	s.image(r, rate, du)
	for q := range r {
		r[q] = -s.Dage[q] - r[q]
	}
}

func (s *inverse) rateSize(rate []float64) (size float64) {
	for q, x := range rate {
		terms := math.Abs(s.Dage[q])
		if q >= s.front { // near a singular J the residual is a small difference
			terms += tolerance.RateRounding * s.delta[s.Active[q]] * math.Abs(x)
		}
		if !(terms <= size*s.Scale[q]) {
			size = max(size, terms/s.Scale[q])
		}
	}
	return size
}

func (s *inverse) relative(r []float64) (off float64) {
	for q, x := range r {
		if x = math.Abs(x); !(x <= off*s.Scale[q]) {
			off = max(off, x/s.Scale[q])
		}
	}
	return off
}

func largest(x []float64) (size float64) {
	for _, v := range x {
		size = max(size, math.Abs(v))
	}
	return size
}
