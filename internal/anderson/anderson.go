// Package anderson accelerates iterations x += s(x) whose steps come from an approximate factor
// (Walker, Ni: Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 2011). For a
// linear system this is GMRES preconditioned with the factor, where each wrong eigenvalue costs
// about one step.
package anderson

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// Mixer keeps the last [Memory] steps of an iteration.
type Mixer struct {
	k      int // leading entries of a step, which decide the mixture
	count  int
	moved  [][]float64
	turned [][]float64
	basis  [][]float64 // orthonormal basis of turned
	step   []float64
	taken  []float64
	first  bool
	upper  [Memory * Memory]float64 // turned = basis upper
	gamma  [Memory]float64
}

// Memory is the number of steps that a [Mixer] keeps.
const Memory = 8

// New is for up to k dimensions; call [Mixer.Reset] first.
func New(k int) *Mixer {
	f := func() []float64 { return make([]float64, k) }
	m := &Mixer{step: f(), taken: f()}
	for range Memory {
		m.moved, m.turned, m.basis = append(m.moved, f()), append(m.turned, f()), append(m.basis, f())
	}
	return m
}

// Reset begins an iteration in R^k. Further entries of a step are mixed in the same way.
func (m *Mixer) Reset(k int) { m.k, m.count, m.first = k, 0, true }

// Break says that the next step does not directly follow the last, whose effect is thus unknown.
func (m *Mixer) Break() { m.first = true }

// Mix replaces the plain step s by the accelerated one.
func (m *Mixer) Mix(s []float64) {
	k := m.k
	if !m.first {
		m.keep(s)
	}
	m.first = false
	copy(m.step, s)
	for j := range m.count {
		q := m.basis[j][:k]
		m.gamma[j] = kernel.Dot(q, m.step[:k])
	}
	for j := m.count - 1; j >= 0; j-- {
		for l := j + 1; l < m.count; l++ {
			m.gamma[j] -= m.upper[j*Memory+l] * m.gamma[l]
		}
		m.gamma[j] /= m.upper[j*Memory+j]
		kernel.Axpy(-m.gamma[j], m.moved[j][:len(s)], s)
		kernel.Axpy(-m.gamma[j], m.turned[j][:len(s)], s)
	}
	copy(m.taken, s)
}

// keep adds the last step's differences, given the plain step s after it. At the limit it drops the
// older half.
func (m *Mixer) keep(s []float64) {
	if m.count == Memory {
		m.forget()
	}
	moved, turned := m.moved[m.count][:len(s)], m.turned[m.count][:len(s)]
	copy(moved, m.taken)
	for r, v := range s {
		turned[r] = v - m.step[r]
	}
	m.orthogonalize()
}

func (m *Mixer) forget() {
	const half = Memory / 2
	m.count = 0
	for j := range half {
		m.moved[j], m.moved[j+half] = m.moved[j+half], m.moved[j]
		m.turned[j], m.turned[j+half] = m.turned[j+half], m.turned[j]
		if m.orthogonalize(); m.count == j {
			return
		}
	}
}

// orthogonalize adds the next difference, unless it depends on the others.
func (m *Mixer) orthogonalize() {
	k, j := m.k, m.count
	q := m.basis[j][:k]
	copy(q, m.turned[j][:k])
	whole := math.Sqrt(kernel.Dot(q, q))
	for l := range j {
		c := kernel.Dot(m.basis[l][:k], q)
		m.upper[l*Memory+j] = c
		kernel.Axpy(-c, m.basis[l][:k], q)
	}
	norm := math.Sqrt(kernel.Dot(q, q))
	if !(norm > 1e-8*whole) || math.IsInf(norm, 0) {
		return
	}
	m.upper[j*Memory+j] = norm
	kernel.ScaleTo(q, 1/norm, q)
	m.count++
}
