package rehline

import "github.com/agepath/agepath/internal/kernel"

// conjugate solves the Newton system by conjugate gradients with the diagonal as preconditioner,
// without a d x d matrix and only with the rows of X whose terms are in their smooth part.
type conjugate struct {
	r, p, q  []float64 // residual, direction, Hessian times direction
	diagonal []float64
	extra    []float64 // L1 penalties' and free intercept's part of the diagonal
}

func newConjugate(dim int) *conjugate {
	vector := func() []float64 { return make([]float64, dim) }
	return &conjugate{r: vector(), p: vector(), q: vector(), diagonal: vector(), extra: vector()}
}

func (*conjugate) forget() {}

func (c *conjugate) solve(w *newton) {
	x, r, p, q, m := w.step, c.r, c.p, c.q, c.diagonal
	c.condition(w)
	copy(r, w.step)
	clear(x)
	var rho float64
	for j, v := range r {
		p[j] = v / m[j]
		rho += v * p[j]
	}
	first := rho
	for range 2 * len(x) {
		if rho <= conjugateTol*first || rho == 0 {
			return
		}
		c.apply(w, q, p)
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

func (c *conjugate) apply(w *newton, q, p []float64) {
	d := w.penalty.d
	for j, b := range w.penalty.bend {
		q[j] = (b + c.extra[j]) * p[j]
	}
	for i, h := range w.h {
		if h == 0 {
			continue
		}
		x := row(w.x, i)
		z := kernel.Dot(x, p[:d])
		if len(p) > d {
			z += p[d]
			q[d] += h * z
		}
		kernel.Axpy(h*z, x, q[:d])
	}
	for k, weight := range w.guard.weight {
		if weight > 0 {
			a := w.guard.row(k)
			kernel.Axpy(kernel.Dot(a, p[:d])*weight, a, q[:d])
		}
	}
}

func (c *conjugate) condition(w *newton) {
	m, d := c.diagonal, w.penalty.d
	copy(c.extra, w.bows)
	copy(m, w.penalty.bend)
	var total, trace float64
	for i, h := range w.h {
		if h != 0 {
			total += h
			for j, v := range row(w.x, i) {
				m[j] += h * v * v
				trace += h * v * v
			}
		}
	}
	w.stiff = 1 + trace/float64(d)
	for k, weight := range w.guard.weight {
		if weight > 0 {
			for j, v := range w.guard.row(k) {
				m[j] += v * v * weight
			}
		}
	}
	if len(m) > d {
		m[d] += total
	}
	if w.penalty.free {
		c.extra[d] += w.ground(total)
	}
	for j, v := range c.extra {
		m[j] += v
	}
}
