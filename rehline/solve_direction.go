package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// Beyond denseDim coefficients the Newton system is solved by conjugate
// gradients, which need no d x d matrix and only the rows of X whose terms are
// in their smooth part.
const denseDim = 1500

// direction sets step to minus the Newton direction for the gradient, and
// returns half its product with the gradient: what the smoothed objective is
// expected to lose.
func (s *Solver) direction() float64 {
	copy(s.step, s.grad)
	if s.dim <= denseDim {
		s.factorize()
		solveCholesky(s.newton.hess, s.newton.ld, s.step)
	} else {
		s.conjugate()
	}
	decrement := kernel.Dot(s.grad, s.step) / 2
	for j := range s.step {
		s.step[j] = -s.step[j]
	}
	return decrement
}

// conjugate solves for the step by conjugate gradients with the diagonal as
// preconditioner, to a residual that shrinks with the gradient.
func (s *Solver) conjugate() {
	w := &s.newton
	x, r, p, q, m := s.step, w.cg[0], w.cg[1], w.cg[2], w.cg[3]
	s.diagonal(m)
	copy(r, s.grad)
	clear(x)
	var rho float64
	for j, v := range r {
		p[j] = v / m[j]
		rho += v * p[j]
	}
	first := rho
	for range 2 * s.dim {
		if rho <= 1e-10*first || rho == 0 {
			return
		}
		s.apply(q, p)
		alpha := rho / kernel.Dot(p, q)
		kernel.Axpy(alpha, p, x)
		kernel.Axpy(-alpha, q, r)
		var next float64
		for j, v := range r {
			next += v * v / m[j]
		}
		beta := next / rho
		for j, v := range r {
			p[j] = v/m[j] + beta*p[j]
		}
		rho = next
	}
}

// apply sets q to the Hessian of the smoothed objective times p.
func (s *Solver) apply(q, p []float64) {
	w := &s.newton
	for j, b := range s.bend {
		q[j] = (b + w.extra[j]) * p[j]
	}
	for i, h := range s.h {
		if h == 0 {
			continue
		}
		z := s.x.dot(i, p[:s.d])
		if s.dim > s.d {
			z += p[s.d]
			q[s.d] += h * z
		}
		s.x.axpy(i, h*z, q[:s.d])
	}
	for k, active := range s.guard.active {
		if active {
			a := s.guard.row(k)
			kernel.Axpy(kernel.Dot(a, p[:s.d])/(w.soft*s.guard.norm[k]), a, q[:s.d])
		}
	}
}

// diagonal sets m to the Hessian's diagonal, and extra to what L1 penalties and
// a free intercept without curvature add to it.
func (s *Solver) diagonal(m []float64) {
	w := &s.newton
	clear(w.extra)
	copy(m, s.bend)
	var total, trace float64
	row := w.cg[0]
	for i, h := range s.h {
		if h != 0 {
			total += h
			s.x.gather(i, math.Sqrt(h), row[:s.d])
			for j, v := range row[:s.d] {
				m[j] += v * v
				trace += v * v
			}
		}
	}
	w.stiff = 1 + trace/float64(s.d)
	for k, active := range s.guard.active {
		if active {
			for j, v := range s.guard.row(k) {
				m[j] += v * v / (w.soft * s.guard.norm[k])
			}
		}
	}
	for j, r := range s.l1 {
		if r > 0 && math.Abs(w.m[j]) < r {
			w.extra[j] = 1 / w.narrow
		}
	}
	if s.dim > s.d {
		m[s.d] += total
		if s.bend[s.d] == 0 {
			w.extra[s.d] = s.ground(total)
		}
	}
	for j, v := range w.extra {
		m[j] += v
	}
}

// ground is what is added to the second derivative in a free intercept, whose
// own total may be zero.
func (s *Solver) ground(total float64) float64 {
	if total > 0 {
		return 1e-13 * total
	}
	return 1e-6 * s.curvature()
}
