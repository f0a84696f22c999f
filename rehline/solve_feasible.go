package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// feasible returns an *InfeasibleError if no β satisfies the constraints. It minimizes half the
// squared violation of the rows, scaled to length one. At a minimum Aᵀr = 0 for the violations r,
// so that r, unless zero, is a Farkas certificate: b·r = (Aβ + b)·r = -‖r‖².
func (c *constraints) feasible(d int) error {
	if c.zeroIsFeasible() {
		return nil
	}
	f := newFeasibility(c, d)
	for range searchLimit {
		f.violate()
		size := math.Sqrt(kernel.Dot(f.r, f.r))
		if size <= noViolation*f.scale {
			return nil
		}
		if residual := f.gradient(); residual <= stationary*size && f.prove() {
			return f.certificate()
		}
		f.descend()
	}
	return nil // undecided: the solver reports the remaining violation
}

func (c *constraints) zeroIsFeasible() bool {
	for k, b := range c.b {
		if b < 0 || b > 0 && c.equal(k) {
			return false
		}
	}
	return true
}

type feasibility struct {
	c       *constraints
	d       int
	a       []float64 // rows of length one, or zero
	b       []float64
	scale   float64 // max |b|, or 1
	beta    []float64
	s, turn []float64
	r       []float64 // violations; r_k >= 0 for an inequality
	grad    []float64
	step    []float64
	panel   []float64
	factor  dense.Cholesky // of AᵀA over the violated rows
}

func newFeasibility(c *constraints, d int) *feasibility {
	k, ld := len(c.b), kernel.Pad(d)
	f := &feasibility{c: c, d: d, a: make([]float64, k*d), b: make([]float64, k), beta: make([]float64, d),
		s: make([]float64, k), turn: make([]float64, k), r: make([]float64, k),
		grad: make([]float64, d), step: make([]float64, d), panel: make([]float64, ld), factor: newFactor(d)}
	for i := range k {
		length := f.length(i)
		kernel.ScaleTo(f.a[i*d:][:d], 1/length, row(c.a, i))
		f.b[i] = c.b[i] / length
		f.scale = max(f.scale, math.Abs(f.b[i]))
	}
	copy(f.s, f.b)
	return f
}

func (f *feasibility) length(k int) float64 {
	if n := f.c.norm[k]; n > 0 {
		return math.Sqrt(n)
	}
	return 1
}

func (f *feasibility) violate() {
	kernel.MulVec(f.s, f.a, f.d, f.beta)
	for k := range f.s {
		f.s[k] += f.b[k]
		f.r[k] = -f.s[k]
		if !f.c.equal(k) {
			f.r[k] = max(f.r[k], 0)
		}
	}
}

func (f *feasibility) gradient() float64 {
	clear(f.grad)
	kernel.MulTransAdd(f.grad, f.a, f.d, f.r)
	return maxAbs(f.grad)
}

// prove makes Aᵀr = 0 as exactly as possible: r inherits the rounding errors of Aβ, which may
// exceed a small violation. It reports whether the certificate then excludes all β up to 10⁶ times
// the size of the current one; if not, it restores the violations.
func (f *feasibility) prove() bool {
	f.factorize()
	for range 3 {
		copy(f.step, f.grad)
		f.factor.Solve(f.step)
		kernel.MulVec(f.turn, f.a, f.d, f.step)
		for k, r := range f.r {
			switch {
			case f.c.equal(k):
				f.r[k] = r - f.turn[k]
			case r > 0:
				f.r[k] = max(r-f.turn[k], 0)
			}
		}
		f.gradient()
	}
	var residual float64
	for j, g := range f.grad {
		residual += math.Abs(g) * (1 + math.Abs(f.beta[j]))
	}
	if -kernel.Dot(f.b, f.r) > proofMargin*residual {
		return true
	}
	f.violate()
	f.gradient()
	return false
}

func (f *feasibility) factorize() {
	hess, ld := f.factor.Matrix(f.d)
	clear(hess)
	for k := range f.r {
		if f.r[k] != 0 || f.c.equal(k) {
			copy(f.panel, f.a[k*f.d:][:f.d])
			kernel.GramAdd(hess, ld, ld, f.panel, f.panel, 1)
		}
	}
	var trace float64
	for j := range f.d {
		trace += hess[j*ld+j]
	}
	for j := range f.d {
		hess[j*ld+j] += searchRidge * trace
	}
	factorize(&f.factor)
}

func (f *feasibility) descend() {
	f.factorize()
	copy(f.step, f.grad)
	f.factor.Solve(f.step)
	kernel.MulVec(f.turn, f.a, f.d, f.step)
	slope, _ := f.along(0)
	kernel.Axpy(lineSearch(f.along, searchPart*math.Abs(slope)), f.step, f.beta)
}

func (f *feasibility) along(t float64) (first, second float64) {
	for k, s := range f.s {
		if v := s + t*f.turn[k]; v < 0 || f.c.equal(k) {
			first += v * f.turn[k]
			second += f.turn[k] * f.turn[k]
		}
	}
	return first, second
}

func (f *feasibility) certificate() error {
	e := &InfeasibleError{Farkas: make([]float64, len(f.r))}
	for k, r := range f.r {
		e.Farkas[k] = r / f.length(k)
	}
	largest := maxAbs(e.Farkas)
	sum := make([]float64, f.d)
	for k := range e.Farkas {
		e.Farkas[k] /= largest
		e.Value += e.Farkas[k] * f.c.b[k]
		kernel.Axpy(e.Farkas[k], row(f.c.a, k), sum)
	}
	e.Residual = maxAbs(sum)
	return e
}

func maxAbs(values []float64) float64 {
	var size float64
	for _, v := range values {
		size = max(size, math.Abs(v))
	}
	return size
}
