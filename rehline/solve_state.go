package rehline

import (
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

type state struct {
	x       blas64.General
	norms   []float64 // ‖x_i‖², until descent inverts them
	terms   terms
	penalty *penalty
	guard   *constraints
	costs   *costs
	limits  *limits

	beta  []float64 // dim: the coefficients, then the intercept
	v     []float64 // forces Aᵀξ - Xᵀg
	grad  []float64
	step  []float64
	z, dz []float64
	g, h  []float64 // slopes and second derivatives of the smoothed loss
	peak  float64   // largest ‖β‖² since the scores were summed
	certificate
}

func (s *state) scores(z, beta []float64) { s.scoresFrom(0, z, beta) }

func (s *state) scoresFrom(from int, z, beta []float64) {
	d := s.penalty.d
	kernel.MulVec(z, s.x.Data[from*s.x.Stride:], s.x.Stride, beta[:d])
	if s.penalty.free {
		b := beta[d]
		for i := range z {
			z[i] += b
		}
	}
}

func (s *state) rescore() {
	if zero(s.beta) {
		clear(s.z)
	} else {
		s.scores(s.z, s.beta)
	}
	s.slacks()
	s.peak = kernel.Dot(s.beta, s.beta)
}

func (s *state) slacks() { s.guard.slacks(s.beta[:s.penalty.d]) }

func (s *state) tell() {
	if f := s.limits.progress; f != nil {
		f(Progress{Iterations: s.limits.done, Objective: s.primal*s.costs.unit + s.costs.offset, Gap: s.relative(),
			PrimalInfeasibility: s.infeasibility, Elapsed: time.Since(s.limits.began)})
	}
}

func (s *state) collect() {
	s.sums.dual = s.terms.collect(s.g)
}

// tally computes the scores and the gap in descent, where v is β.
func (s *state) tally() {
	var scratch scratch
	s.sums = sums{}
	for from := 0; from < len(s.z); from += partSize {
		z := s.z[from:min(from+partSize, len(s.z))]
		s.scoresFrom(from, z, s.beta)
		s.sums.add(s.terms.tally(z, from, &scratch))
	}
	copy(s.v, s.beta)
	s.slacks()
	s.certify()
}

// clear sets all variables to zero, the solution if no term is positive at scores of zero.
func (s *state) clear() {
	clear(s.beta)
	clear(s.guard.xi)
	s.terms.slopes(func(slope []float64) { clear(slope) })
	s.scores(s.z, s.beta)
	s.slacks()
	s.sums = sums{}
	s.refresh()
	s.status = Solved
}

func (s *state) refresh() {
	s.collect()
	s.forces()
	s.certify()
}

func (s *state) addForce(w, a []float64) {
	d := s.penalty.d
	kernel.MulTransAdd(w[:d], s.x.Data, s.x.Stride, a)
	if s.penalty.free {
		w[d] += kernel.Sum(a)
	}
}

func (s *state) forces() {
	clear(s.v)
	s.addForce(s.v, s.g)
	for j, v := range s.v {
		s.v[j] = -v
	}
	s.guard.forces(s.v[:s.penalty.d])
}

// balance makes the slopes sum to zero, as the dual of a free intercept requires, first by those
// that are not at a bound.
func (s *state) balance() {
	if !s.penalty.free {
		return
	}
	if excess := kernel.Sum(s.g); excess != 0 {
		s.terms.shift(s.terms.shift(excess, true), false)
		s.refresh()
	}
}
