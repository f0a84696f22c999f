package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// expansion sums the terms of the optimality condition of any smooth loss and
// regularizer over the samples that are not watched from an expansion about a
// window's base line θ₀ + (λ - λ₀) dθ/dλ. On it the sums Σ φ a and Σ ∂φ/∂u a aᵀ are
// interpolated in the age, at [nodes] Chebyshev points; off it they are a Taylor
// series of second order, with Σ ∂²φ/∂u² a⊗a⊗a from bends points. The samples in it
// do not change their zones in the window, and the watched ones are summed as they
// are: the cost of a step does not grow with n.
//
// Without a window it sums all samples as they are.
type expansion struct {
	*direct
	pairs   int       // p (p+1) / 2
	on      bool      // there is a window: the samples that are not watched are in the sums
	reach   float64   // length of the longest window that the last error allows
	middle  float64   // age of the window's middle
	half    float64   // half its length
	theta   []float64 // p: θ at the middle
	rate    []float64 // p: dθ/dλ of the base line
	samples expandedSums

	// Chebyshev coefficients of the sums along the base line, one after the other:
	// of Σ φ a (p), Σ ∂φ/∂u a aᵀ (pairs), Σ m F (1) and, of fewer, Σ ∂²φ/∂u² a⊗a⊗a
	// (pairs x p).
	v, a, f, b   []float64
	sizes, diags []float64 // p: of the terms of Σ φ a, and Σ |∂φ/∂u| a²

	// The sums at the point where assemble was last called.
	grad, dgrad []float64 // p: Σ φ a, Σ ∂φ/∂λ a
	full        []float64 // p x p, upper triangle: Σ ∂φ/∂u a aᵀ
	value       float64   // Σ m F

	basis, slope             [nodes]float64 // the Chebyshev polynomials and their derivatives in the age
	epsilon, sum, dsum       []float64      // scratch: p each
	square, dsquare, twisted []float64      // scratch: pairs each
	cube                     []float64      // scratch: pairs x p
}

// nodes is the number of points at which sums are taken along the base line, and
// bends how many of these have second derivatives.
const (
	nodes = 6
	bends = 2
)

// Expansions serve up to so many columns, whose third moments then cost about as
// much as a few sums over all samples, and from so many samples on.
const (
	mostExpanded = 16
	manyExpanded = 2000
)

// newExpansion returns nil where the problem is of another kind.
func newExpansion(s *primal) *expansion {
	if _, squared := s.loss.(SquaredLoss); !squared || s.p > mostExpanded || s.n < manyExpanded {
		return nil // windows know of no other smooth loss
	}
	for _, z := range s.zones {
		if z.Break {
			return nil // a window ends at each jump
		}
	}
	f := func(k int) []float64 { return make([]float64, k) }
	p, pairs := s.p, s.p*(s.p+1)/2
	return &expansion{
		direct: newDirect(s), pairs: pairs, reach: math.Inf(1), theta: f(p), rate: f(p), samples: newExpandedSums(p),
		v: f(nodes * p), a: f(nodes * pairs), f: f(nodes), b: f(bends * pairs * p),
		sizes: f(p), diags: f(p), grad: f(p), dgrad: f(p), full: f(p * p),
		epsilon: f(p), sum: f(p), dsum: f(p), square: f(pairs), dsquare: f(pairs), twisted: f(pairs), cube: f(pairs * p),
	}
}

// close ends the window: all samples are summed as they are.
func (e *expansion) close() { e.on = false }

func (e *expansion) assemble(pt *point) {
	e.direct.assemble(pt)
	if !e.on {
		return
	}
	e.contract(pt.theta, pt.age)
	for r, j := range e.active {
		e.residual[r] += e.grad[j]
		e.dage[r] += e.dgrad[j]
		e.scale[r] += e.sizes[j]
	}
}

// contract evaluates the sums at a θ and an age.
func (e *expansion) contract(theta []float64, age float64) {
	e.chebyshev((age - e.middle) / e.half)
	for j, w := range theta[:e.p] {
		e.epsilon[j] = w - e.theta[j] - (age-e.middle)*e.rate[j]
	}
	p, epsilon, basis, slope := e.p, vector(e.epsilon), vector(e.basis[:]), vector(e.slope[:])
	along := func(dst, of []float64, basis blas64.Vector, count int) {
		blas64.Gemv(blas.Trans, 1, general(count, len(dst), of), vector(basis.Data[:count]), 0, vector(dst))
	}
	along(e.sum, e.v, basis, nodes)
	along(e.dsum, e.v, slope, nodes)
	along(e.square, e.a, basis, nodes)
	along(e.dsquare, e.a, slope, nodes)
	along(e.cube, e.b, basis, bends)
	blas64.Gemv(blas.NoTrans, 1, general(e.pairs, p, e.cube), epsilon, 0, vector(e.twisted))
	copy(e.grad, e.sum)
	copy(e.dgrad, e.dsum)
	e.value = blas64.Dot(basis, vector(e.f)) + blas64.Dot(vector(e.sum), epsilon)
	at := 0
	for j := range p {
		for c := j; c < p; c++ {
			h := e.square[at] + e.twisted[at]
			secant := e.square[at] + 0.5*e.twisted[at]
			e.full[j*p+c] = h
			x, y := e.epsilon[j], e.epsilon[c]
			e.grad[j] += secant * y
			e.dgrad[j] += e.dsquare[at]*y - h*e.rate[c]
			cubic := (e.square[at]/2 + e.twisted[at]/6) * x * y
			if c > j {
				e.grad[c] += secant * x
				e.dgrad[c] += e.dsquare[at]*x - h*e.rate[j]
				cubic *= 2
			}
			e.value += cubic
			at++
		}
	}
}

// chebyshev evaluates the basis at x in [-1, 1].
func (e *expansion) chebyshev(x float64) {
	t, d := &e.basis, &e.slope
	t[0], t[1], d[0], d[1] = 1, x, 0, 1
	for k := 2; k < nodes; k++ {
		t[k] = 2*x*t[k-1] - t[k-2]
		d[k] = 2*t[k-1] + 2*x*d[k-1] - d[k-2]
	}
	for k := range d {
		d[k] /= e.half
	}
}

func (e *expansion) curve(pt *point) {
	e.direct.curve(pt)
	if !e.on {
		return
	}
	k := len(e.active)
	for r, j := range e.active {
		e.diag[r] += e.diags[j]
		for c := r; c < k; c++ {
			e.hess[r*k+c] += e.full[j*e.p+e.active[c]]
		}
	}
}

// entry returns an entry of H's part over all coordinates.
func (e *expansion) entry(a, b int) float64 { return e.full[min(a, b)*e.p+max(a, b)] }

func (e *expansion) gradient(pt *point) {
	e.direct.gradient(pt)
	if !e.on {
		return
	}
	for j := range e.p {
		rate := e.dgrad[j]
		for _, k := range e.active {
			rate += e.entry(j, k) * pt.rate[k]
		}
		pt.grad[j] += e.grad[j]
		pt.dgrad[j] += rate
	}
}

func (e *expansion) coordinate(j int) (gradient, dage, size float64) {
	gradient, dage, size = e.direct.coordinate(j)
	if e.on {
		gradient, dage, size = gradient+e.grad[j], dage+e.dgrad[j], size+e.sizes[j]
	}
	return gradient, dage, size
}

func (e *expansion) border(dst []float64, j int) (diagonal, magnitude float64) {
	diagonal, magnitude = e.direct.border(dst, j)
	if e.on {
		for r, k := range e.active {
			dst[r] += e.entry(j, k)
		}
		diagonal, magnitude = diagonal+e.entry(j, j), magnitude+e.diags[j]
	}
	return diagonal, magnitude
}

func (e *expansion) gradients(gradient, size []float64) {
	e.direct.gradients(gradient, size)
	if e.on {
		blas64.Axpy(1, vector(e.grad), vector(gradient))
		blas64.Axpy(1, vector(e.sizes), vector(size))
	}
}

func (e *expansion) objective() float64 {
	sum := e.direct.objective()
	if e.on {
		sum += e.value
	}
	return sum
}
