package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// expanded is the error of an expansion's gradient, relative to its terms, that
// windows are made for.
const expanded = 1e-12

// expand expands along the tangent at the left point, in the window that is being
// opened there. It cuts the window's length until the error is small and makes its
// samples those that are to be watched. It returns how far off the tangent, in the
// window's norm, the error stays small.
func (e *expansion) expand(t *tracker) (astray float64) {
	w, l := t.window, t.left
	copy(e.rate, l.rate)
	for range 40 {
		e.half = 0.5 * w.length
		e.middle = l.age + e.half
		copy(e.theta, l.theta)
		blas64.Axpy(e.half, vector(e.rate), vector(e.theta))
		t.within(aside)
		astray = e.sums(w)
		off := e.tail()
		e.reach = w.length * math.Min(2, 0.9*math.Pow(expanded/off, 1./nodes))
		if off <= 4*expanded || w.length <= hair*l.age {
			break
		}
		w.length = e.reach
	}
	e.on = true
	return astray
}

// longest returns how long a window may be, as the error of the last one says or how
// long it served; behind one without an expansion, as long again at most.
func (e *expansion) longest(used float64) float64 {
	switch {
	case !e.on:
		return math.Max(e.reach, 2*used/farther)
	case used < e.half:
		return 1.3 * used
	}
	return e.reach
}

// aside is how many times as far as a window's length samples are watched whose
// terms are expanded otherwise: near a boundary these are not smooth enough.
const aside = 2.5

// tail returns the size of the last Chebyshev coefficients of the gradient and of
// H's product with the base line's length, relative to the terms: the error of the
// interpolation is a small part of that.
func (e *expansion) tail() float64 {
	var off, moved float64
	last := e.v[(nodes-1)*e.p:]
	for j, size := range e.sizes {
		if size > 0 {
			off = math.Max(off, math.Abs(last[j])/size)
		}
		moved = math.Max(moved, e.half*math.Abs(e.rate[j]))
	}
	at := 0
	for j, size := range e.sizes {
		for range e.p - j {
			if size > 0 {
				off = math.Max(off, moved*math.Abs(e.a[(nodes-1)*e.pairs+at])/size)
			}
			at++
		}
	}
	return off
}

// sums takes the sums along the base line over all samples but the watched ones. It
// returns how far off the base line the error stays small.
func (e *expansion) sums(w *window) (astray float64) {
	s := &e.samples
	s.reset()
	clear(e.sizes)
	clear(e.diags)
	var ages [nodes]float64
	for k := range ages {
		ages[k] = e.middle + e.half*math.Cos((float64(k)+0.5)*math.Pi/nodes)
	}
	last, rate := uint8(len(e.zones)-1), w.distance(nil, e.rate)
	var rest, sizeAll, third float64 // samples without weight; Σ ‖a‖ size, Σ ‖a‖⁴ |∂³φ/∂u³|
	for zone := range e.zones {      // blocks of one zone: in many there are no third derivatives
		next := 0
		for i, z := range e.zone {
			watched := next < len(w.samples) && w.samples[next] == i
			switch {
			case watched:
				next++
				continue
			case int(z) != zone:
				continue
			case !e.weighed && z == last:
				rest += e.m[i]
				continue
			}
			norm := w.norms[i]
			h := math.Min(math.Max(e.half*norm*rate, 1e-7), 1e-4)
			size, fuuu := s.take(e, i, w.u[i]+e.half*w.du[i], w.du[i], h, &ages)
			sizeAll += norm * size
			third += norm * norm * norm * norm * fuuu
			curvature := math.Abs(s.curvature)
			for j, x := range e.sample(i) {
				e.sizes[j] += size * math.Abs(x)
				e.diags[j] += curvature * x * x
			}
			if s.used == productBlock {
				s.flush()
			}
		}
		s.flush()
	}
	if rest > 0 {
		for k, age := range ages {
			top, _ := e.reg.Threshold(int(last)-1, age)
			s.f[k] += rest * e.reg.Integral(2*top, age)
		}
	}
	e.transform()
	if third == 0 {
		return math.Inf(1)
	}
	return math.Cbrt(6*expanded*sizeAll/third) * math.Sqrt(float64(e.p)) // a step is along a row by chance
}

// transform turns the sums at the nodes into Chebyshev coefficients.
func (e *expansion) transform() {
	s := &e.samples
	coefficients := func(dst, at []float64, count int) {
		width := len(dst) / count
		clear(dst)
		for j := range count {
			for k := range count {
				c := 2 * math.Cos(float64(j)*(float64(k)+0.5)*math.Pi/float64(count)) / float64(count)
				if j == 0 {
					c /= 2
				}
				blas64.Axpy(c, vector(at[k*width:(k+1)*width]), vector(dst[j*width:(j+1)*width]))
			}
		}
	}
	coefficients(e.v, s.v, nodes)
	coefficients(e.a, s.a, nodes)
	coefficients(e.f, s.f[:], nodes)
	coefficients(e.b, s.spread(), bends)
}
