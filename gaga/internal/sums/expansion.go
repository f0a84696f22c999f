package sums

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// Expansion sums the terms of any smooth loss and regularizer over the samples that are
// not watched from an expansion about a window's base line θ₀ + (λ - λ₀) dθ/dλ. On it the
// sums Σ φ a and Σ ∂φ/∂u a aᵀ are interpolated in the age, at Chebyshev points; off it they
// are a Taylor series of second order, with Σ ∂²φ/∂u² a⊗a⊗a from fewer points.
// The samples in it do not change their zones in the window, and direct sums the watched
// ones: the cost of a step does not grow with the number of samples.
//
// Without a window direct sums all samples.
type Expansion struct {
	*direct
	on    bool    // there is a window: the samples that are not watched are in the sums
	reach float64 // length of the longest window that the last error allows
	line  line
	nodes nodeSums // their Chebyshev coefficients
	local localSums
	rest  curved // the expanded sums where Assemble was last called, zero without a window
}

// line is a window's base line.
type line struct {
	middle float64   // age of the window's middle
	half   float64   // half its length
	theta  []float64 // P: θ at the middle
	rate   []float64 // P: dθ/dλ
}

// localSums is scratch: the sums at an age, on the base line.
type localSums struct {
	basis, slope [nodes]float64 // the Chebyshev polynomials and their derivatives in the age
	sums, dsums  []float64      // P + pairs: see nodeSums; and their derivatives in the age
	triples      []float64
	epsilon      []float64 // P: θ off the base line
	twisted      []float64 // pairs: the triples' sums times that
}

// NewExpansion reports false where the problem is of another kind. There is no window
// before the first Expand.
func NewExpansion(s *Scope) (*Expansion, bool) {
	// Windows serve no other smooth loss, and end at each jump.
	if !s.Squared || s.Breaks() || s.P > tolerance.ExpansionColumns || s.N < tolerance.ExpansionSamples {
		return nil, false
	}
	n := newNodeSums(s.P)
	return &Expansion{
		direct: newDirect(s), reach: math.Inf(1), line: line{theta: zeros(s.P), rate: zeros(s.P)}, nodes: n,
		local: localSums{
			sums: zeros(n.width), dsums: zeros(n.width), triples: zeros(len(n.triples) / bends),
			epsilon: zeros(s.P), twisted: zeros(n.width - s.P),
		},
		rest: newCurved(s.P, s.P),
	}, true
}

// Close ends the window: all samples are summed as they are.
func (e *Expansion) Close() {
	e.on = false
	e.rest.reset()
	clear(e.rest.sizes)
	clear(e.rest.diags)
}

func (e *Expansion) Assemble(pt *model.Point) {
	e.direct.Assemble(pt)
	if e.on {
		e.contract(pt.Theta, pt.Age)
		e.rest.addTo(e.s)
	}
}

// contract evaluates the expanded sums at a θ and an age.
func (e *Expansion) contract(theta []float64, age float64) {
	l, line, rest, p := &e.local, &e.line, &e.rest, e.s.P
	l.chebyshev((age-line.middle)/line.half, line.half)
	for j, w := range theta[:p] {
		l.epsilon[j] = w - line.theta[j] - (age-line.middle)*line.rate[j]
	}
	at := func(dst, of, basis []float64) {
		blas64.Gemv(blas.Trans, 1, general(len(basis), len(dst), of), vector(basis), 0, vector(dst))
	}
	at(l.sums, e.nodes.sums, l.basis[:])
	at(l.dsums, e.nodes.sums, l.slope[:])
	at(l.triples, e.nodes.triples, l.basis[:bends])
	dense.Twist(l.twisted, l.triples, l.epsilon)
	copy(rest.grad, l.sums)
	copy(rest.dgrad, l.dsums)
	rest.value = blas64.Dot(vector(l.basis[:]), vector(e.nodes.values)) + blas64.Dot(vector(l.sums[:p]), vector(l.epsilon))
	square, dsquare, pair := l.sums[p:], l.dsums[p:], 0
	for j, x := range l.epsilon {
		for c := j; c < p; c++ {
			twisted, y := l.twisted[pair], l.epsilon[c]
			h := square[pair] + twisted
			secant := square[pair] + 0.5*twisted
			rest.full[j*p+c] = h
			rest.grad[j] += secant * y
			rest.dgrad[j] += dsquare[pair]*y - h*line.rate[c]
			cubic := (square[pair]/2 + twisted/6) * x * y
			if c > j {
				rest.grad[c] += secant * x
				rest.dgrad[c] += dsquare[pair]*x - h*line.rate[j]
				cubic *= 2
			}
			rest.value += cubic
			pair++
		}
	}
}

// chebyshev evaluates the basis at x in [-1, 1], of a line of the given half length.
func (l *localSums) chebyshev(x, half float64) {
	t, d := &l.basis, &l.slope
	t[0], t[1], d[0], d[1] = 1, x, 0, 1
	for k := 2; k < nodes; k++ {
		t[k] = 2*x*t[k-1] - t[k-2]
		d[k] = 2*t[k-1] + 2*x*d[k-1] - d[k-2]
	}
	for k := range d {
		d[k] /= half
	}
}

func (e *Expansion) Curve(pt *model.Point) {
	e.direct.Curve(pt)
	e.rest.bend(e.s)
}

func (e *Expansion) Gradient(pt *model.Point) {
	e.direct.Gradient(pt)
	e.rest.slope(e.s, pt)
}

func (e *Expansion) Coordinate(j int) (gradient, dage, size float64) {
	g, dg, s := e.direct.Coordinate(j)
	gradient, dage, size = e.rest.Coordinate(j)
	return g + gradient, dg + dage, s + size
}

func (e *Expansion) Border(dst []float64, j int) (diagonal, magnitude float64) {
	d, m := e.direct.Border(dst, j)
	diagonal, magnitude = e.rest.border(e.s, dst, j)
	return d + diagonal, m + magnitude
}

func (e *Expansion) Gradients(gradient, size []float64) {
	e.direct.Gradients(gradient, size)
	blas64.Axpy(1, vector(e.rest.grad), vector(gradient))
	blas64.Axpy(1, vector(e.rest.sizes), vector(size))
}

func (e *Expansion) Objective() float64 { return e.direct.Objective() + e.rest.value }
