package sums

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// View is what an expansion needs of a window that is being opened.
type View struct {
	U, DU    []float64                  // N: predictors where the window is opened, and their rates
	Norms    []float64                  // N: of the samples, as the window measures them
	Length   float64                    // ages that the window is meant to last
	Shortest float64                    // length below which it is not cut
	Distance func(x []float64) float64  // norm of a θ, as the window measures it
	Watch    func(length float64) []int // the samples that can reach a boundary within so many ages, ascending
}

// Expand expands along the tangent at l, in the window that is being opened there. It cuts
// the window's length until the error is small. The samples that the last call of Watch
// has returned are those to be watched. Radius is the radius of validity: how far off the
// tangent, in the window's norm, the error stays small.
func (e *Expansion) Expand(l *model.Point, v View) (length, radius float64) {
	line := &e.line
	length = v.Length
	copy(line.rate, l.Rate)
	for range tolerance.ExpansionCuts {
		line.half = 0.5 * length
		line.middle = l.Age + line.half
		copy(line.theta, l.Theta)
		blas64.Axpy(line.half, vector(line.rate), vector(line.theta))
		radius = e.sum(&v, v.Watch(tolerance.ExpansionGuard*length))
		off := e.tail()
		e.reach = length * math.Min(tolerance.ExpansionGrowth, tolerance.ExpansionMargin*math.Pow(tolerance.ExpansionError/off, 1./nodes))
		if off <= tolerance.ExpansionExcess*tolerance.ExpansionError || length <= v.Shortest {
			break
		}
		length = e.reach
	}
	e.on = true
	return length, radius
}

// Longest returns how long the next window may be, with used the ages that the last one
// served, by the error of that one; behind a pause at most by its length.
func (e *Expansion) Longest(used float64) float64 {
	switch {
	case !e.on:
		return math.Max(e.reach, tolerance.ExpansionGrowth*used/tolerance.WindowFarther)
	case used < e.line.half:
		return tolerance.ExpansionReuse * used
	}
	return e.reach
}

// tail returns the size of the last Chebyshev coefficients of the gradient and of H's
// product with the base line's length, relative to the terms: the error of the
// interpolation is a small part of that.
func (e *Expansion) tail() (off float64) {
	last := e.nodes.sums[(nodes-1)*e.nodes.width:]
	moved := e.line.half * math.Abs(e.line.rate[blas64.Iamax(vector(e.line.rate))])
	pairs := last[e.s.P:]
	for j, size := range e.rest.sizes {
		if size > 0 {
			off = math.Max(off, math.Abs(last[j])/size)
			for _, x := range pairs[:e.s.P-j] {
				off = math.Max(off, moved*math.Abs(x)/size)
			}
		}
		pairs = pairs[e.s.P-j:]
	}
	return off
}

// sum takes the sums along the base line over all samples but the watched ones, and returns
// the radius of validity.
func (e *Expansion) sum(v *View, watched []int) (radius float64) {
	s, n, rest := e.s, &e.nodes, &e.rest
	n.reset(&e.line)
	clear(rest.sizes)
	clear(rest.diags)
	last, rate := uint8(len(s.Zones)-1), v.Distance(e.line.rate)
	var unweighed, sizes, third float64 // samples without weight; Σ ‖a‖ size, Σ ‖a‖⁴ |∂³φ/∂u³|
	for zone := range s.Zones {         // blocks of one zone: many zones have no third derivatives
		next := watched
		for i, z := range s.Zone {
			switch {
			case len(next) > 0 && next[0] == i:
				next = next[1:]
				continue
			case int(z) != zone:
				continue
			case !s.Weighed && z == last:
				unweighed += s.M[i]
				continue
			}
			norm := v.Norms[i]
			apart := math.Min(math.Max(e.line.half*norm*rate, tolerance.DifferenceLeast), tolerance.DifferenceMost)
			size, phiU, phiUUU := n.take(s, i, v.U[i]+e.line.half*v.DU[i], v.DU[i], apart)
			sizes += norm * size
			third += norm * norm * norm * norm * phiUUU
			curvature := math.Abs(phiU)
			for j, x := range s.Row(i) {
				rest.sizes[j] += size * math.Abs(x)
				rest.diags[j] += curvature * x * x
			}
		}
		n.flush()
	}
	if unweighed > 0 {
		for k, age := range n.ages {
			top, _ := s.Regularizer.Threshold(s.Thresholds()-1, age)
			n.values[k] += unweighed * s.Regularizer.Integral(2*top, age)
		}
	}
	chebyshev(n.sums, nodes)
	chebyshev(n.values, nodes)
	chebyshev(n.triples, bends)
	if third == 0 {
		return math.Inf(1)
	}
	return math.Cbrt(6*tolerance.ExpansionError*sizes/third) * math.Sqrt(float64(s.P)) // a step is along a row by chance
}
