package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// mixer accelerates an iteration x += s(x) whose steps come from an approximate
// factor: Anderson acceleration (Walker, Ni: Anderson acceleration for
// fixed-point iterations, SIAM J. Numer. Anal. 2011), which for a linear system
// is GMRES with the factor as its preconditioner. A few eigenvalues by which the
// factor is wrong then cost a step each instead of the convergence.
type mixer struct {
	k      int         // length of the steps
	count  int         // steps kept
	moved  [][]float64 // differences of x
	turned [][]float64 // differences of s
	basis  [][]float64 // the latter, orthonormal
	step   []float64   // the last s
	taken  []float64   // the last difference of x
	first  bool
	upper  [memory * memory]float64 // turned = basis upper
	gamma  [memory]float64
}

// memory is how many steps a mixer keeps.
const memory = 8

func newMixer(k int) *mixer {
	f := func() []float64 { return make([]float64, k) }
	m := &mixer{step: f(), taken: f()}
	for range memory {
		m.moved, m.turned, m.basis = append(m.moved, f()), append(m.turned, f()), append(m.basis, f())
	}
	return m
}

// reset begins a new iteration in R^k.
func (m *mixer) reset(k int) { m.k, m.count, m.first = k, 0, true }

// mix overwrites the step s that the iteration would take with the one to take.
func (m *mixer) mix(s []float64) {
	k := m.k
	if !m.first {
		m.keep(s)
	}
	m.first = false
	copy(m.step[:k], s)
	for j := range m.count {
		q := vector(m.basis[j][:k])
		m.gamma[j] = blas64.Dot(q, vector(m.step[:k]))
	}
	for j := m.count - 1; j >= 0; j-- {
		for l := j + 1; l < m.count; l++ {
			m.gamma[j] -= m.upper[j*memory+l] * m.gamma[l]
		}
		m.gamma[j] /= m.upper[j*memory+j]
		blas64.Axpy(-m.gamma[j], vector(m.moved[j][:k]), vector(s))
		blas64.Axpy(-m.gamma[j], vector(m.turned[j][:k]), vector(s))
	}
	copy(m.taken[:k], s)
}

// keep adds the last step's differences; s is the plain step behind it. Where the
// memory is full, or the new difference depends on the others, it starts anew.
func (m *mixer) keep(s []float64) {
	k := m.k
	if m.count == memory {
		m.count = 0
	}
	j := m.count
	moved, turned, q := m.moved[j][:k], m.turned[j][:k], m.basis[j][:k]
	copy(moved, m.taken[:k])
	for r, v := range s {
		turned[r] = v - m.step[r]
	}
	copy(q, turned)
	whole := blas64.Nrm2(vector(q))
	for l := range j {
		c := blas64.Dot(vector(m.basis[l][:k]), vector(q))
		m.upper[l*memory+j] = c
		blas64.Axpy(-c, vector(m.basis[l][:k]), vector(q))
	}
	norm := blas64.Nrm2(vector(q))
	if !(norm > 1e-8*whole) || math.IsInf(norm, 0) {
		return
	}
	m.upper[j*memory+j] = norm
	blas64.Scal(1/norm, vector(q))
	m.count++
}
