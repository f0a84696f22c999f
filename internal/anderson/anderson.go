// Package anderson accelerates iterations x += s(x) whose steps come from an
// approximate factor: Anderson acceleration (Walker, Ni: Anderson acceleration for
// fixed-point iterations, SIAM J. Numer. Anal. 2011), which for a linear system is
// GMRES with the factor as its preconditioner. A few eigenvalues by which the
// factor is wrong then cost a step each instead of the convergence.
package anderson

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// Mixer keeps the last steps of an iteration, up to eight.
type Mixer struct {
	k      int         // leading entries of a step, which decide how steps are mixed
	count  int         // steps kept
	moved  [][]float64 // differences of x
	turned [][]float64 // differences of s
	basis  [][]float64 // the latter, orthonormal
	step   []float64   // the last s
	taken  []float64   // the last difference of x
	first  bool
	upper  [Memory * Memory]float64 // turned = basis upper
	gamma  [Memory]float64
}

// Memory is how many steps a [Mixer] keeps.
const Memory = 8

// New returns a Mixer for iterations in up to k dimensions, to be begun by
// [Mixer.Reset].
func New(k int) *Mixer {
	f := func() []float64 { return make([]float64, k) }
	m := &Mixer{step: f(), taken: f()}
	for range Memory {
		m.moved, m.turned, m.basis = append(m.moved, f()), append(m.turned, f()), append(m.basis, f())
	}
	return m
}

// Reset begins a new iteration in R^k. Steps may be longer: what comes behind the first k
// entries is mixed as these are.
func (m *Mixer) Reset(k int) { m.k, m.count, m.first = k, 0, true }

// Break says that the next step does not come right after the last one, which
// says nothing about what that did. The steps before it serve on.
func (m *Mixer) Break() { m.first = true }

// Mix overwrites the step s that the iteration would take with the one to take.
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

// keep adds the last step's differences; s is the plain step behind it. Where the
// memory is full the older half goes; a difference that depends on the others is
// left out.
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

// forget drops the older half of the steps.
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

// orthogonalize counts the next difference in, unless it depends on the others.
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
