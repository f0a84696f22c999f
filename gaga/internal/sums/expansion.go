package sums

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/kernel"
)

// Expansion sums the terms of the squared loss and powers of a loss (see [model.Power]) from
// an expansion about a base line θ₀ + (λ - λ₀) dθ/dλ. On it the sums Σ φ a and Σ ∂φ/∂u a aᵀ
// are Taylor series in the age; off it they are one of second order, with
// Σ ∂²φ/∂u² a⊗a⊗a on the line.
//
// Where a weight is smooth on both sides of its thresholds all samples are in it, and a
// change of zone moves one sample. Else those that are not watched are, which do not
// change their zones in the window, and direct sums the watched ones. Either way the cost
// of a step does not grow with the number of samples.
//
// Without a window direct sums all samples.
type Expansion struct {
	*direct
	Smooth  bool    // all samples are in it
	Reach   float64 // length of the longest window that the last error allows
	Radius  float64 // how far off the base line the error is small
	on      bool    // there is a window
	line    line
	powers  []zonePower // of each zone
	members []float64   // of each zone: how many samples are in the sums
	apart   []int       // samples that have come to their zones since, summed as they are
	along   lineSums
	batch   *batch
	swapped swapped
	local   localSums
	rest    curved // the expanded sums where Assemble was last called, zero without a window
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
	basis, slope [orders]float64 // powers of the way from the middle, and their derivatives in the age
	sums, dsums  []float64       // P + pairs: see lineSums; and their derivatives in the age
	epsilon      []float64       // P: θ off the base line
	bent         []float64       // bends x P: that times a power
	twisted      []float64       // pairs: the triples' sums times that
}

// NewExpansion reports false where the problem is of another kind. There is no window
// before the first Expand.
func NewExpansion(s *Scope) (*Expansion, bool) {
	if !s.Squared || s.Power == nil || s.P > tolerance.ExpansionColumns || s.N <= tolerance.WindowLeast {
		return nil, false
	}
	b := newBatch(s.P)
	e := &Expansion{
		direct: newDirect(s), Smooth: true, Reach: math.Inf(1), Radius: math.Inf(1), line: line{theta: zeros(s.P), rate: zeros(s.P)},
		powers: make([]zonePower, len(s.Zones)), members: zeros(len(s.Zones)), along: newLineSums(s.P), batch: b,
		local: localSums{
			sums: zeros(b.width), dsums: zeros(b.width), epsilon: zeros(s.P),
			bent: zeros(bends * s.P), twisted: zeros(b.pairs),
		},
		rest: newCurved(s.P, s.P),
	}
	for k := range s.Thresholds() {
		loss, _ := s.Regularizer.Threshold(k, 1)
		for _, w := range [2]model.Power{s.Power(k), s.Power(k + 1)} {
			e.Smooth = e.Smooth && w != model.Power{} && w.B[0]+w.B[1]+w.B[2]*loss > 0
		}
	}
	return e, e.Smooth || s.N >= tolerance.ExpansionSamples
}

// Close ends the window: all samples are summed as they are.
func (e *Expansion) Close() {
	e.on, e.idle = false, false
	e.rest.reset()
	clear(e.rest.sizes)
	clear(e.rest.diags)
}

func (e *Expansion) Summed() bool { return e.idle }

func (e *Expansion) Move(i int, from uint8, theta []float64) {
	if e.idle {
		e.swap(i, from)
		return
	}
	e.direct.Move(i, from, theta)
}

func (e *Expansion) Assemble(pt *model.Point) {
	if !e.idle {
		e.direct.Assemble(pt)
	}
	if e.on {
		e.contract(pt.Theta, pt.Age)
		e.rest.addTo(e.s)
	}
}

// contract evaluates the expanded sums at a θ and an age.
func (e *Expansion) contract(theta []float64, age float64) {
	l, line, rest, p := &e.local, &e.line, &e.rest, e.s.P
	powersOf(&l.basis, &l.slope, (age-line.middle)/line.half, line.half)
	for j, w := range theta[:p] {
		l.epsilon[j] = w - line.theta[j] - (age-line.middle)*line.rate[j]
	}
	clear(l.sums)
	clear(l.dsums)
	kernel.MulTransAdd(l.sums, e.along.sums, e.along.width, l.basis[:])
	kernel.MulTransAdd(l.dsums, e.along.sums, e.along.width, l.slope[:])
	for k, x := range l.basis[:bends] {
		kernel.ScaleTo(l.bent[k*p:][:p], x, l.epsilon)
	}
	clear(l.twisted)
	kernel.MulTransAdd(l.twisted, e.along.triples, e.along.pairs, l.bent)
	copy(rest.grad, l.sums)
	copy(rest.dgrad, l.dsums)
	rest.value = kernel.Dot(l.basis[:], e.along.values) + kernel.Dot(l.sums[:p], l.epsilon)
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
	e.addApart(theta, age)
}

func (e *Expansion) Curve(pt *model.Point) {
	if !e.idle {
		e.direct.Curve(pt)
	}
	e.rest.bend(e.s)
}

func (e *Expansion) Gradient(pt *model.Point) {
	e.direct.Gradient(pt)
	e.rest.slope(e.s, pt)
}

func (e *Expansion) Coordinate(j int) (gradient, dage, size float64) {
	gradient, dage, size = e.rest.Coordinate(j)
	g, dg, s := e.direct.Coordinate(j)
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

func (e *Expansion) Objective() float64 {
	value := e.direct.Objective()
	if e.on {
		value += e.rest.value + e.constants(e.s.At.Age)
	}
	return value
}

// constants returns the sum of what the implicit losses are more than their zones'
// antiderivatives of the weight.
func (e *Expansion) constants(age float64) (sum float64) {
	s := e.s
	for k, members := range e.members {
		if members > 0 {
			loss := s.Inside(k, age)
			constant := s.Regularizer.Integral(loss, age)
			if (s.Power(k) != model.Power{}) {
				constant -= e.powers[k].antiderivative(loss, age)
			}
			sum += members * constant
		}
	}
	return sum
}
