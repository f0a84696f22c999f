package sums

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/kernel"
)

// View is what an expansion needs of a window that is being opened.
type View struct {
	U, DU    []float64                  // N: predictors where the window is opened, and their rates
	Norms    []float64                  // N: of the samples over all columns, as the window measures lengths
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
		var rough []int
		if !e.Smooth {
			rough = v.Watch(tolerance.ExpansionGuard * length)
		}
		radius = e.sum(&v, rough)
		off := e.tail()
		e.Reach = length * math.Min(tolerance.ExpansionGrowth, tolerance.ExpansionMargin*math.Pow(tolerance.ExpansionError/off, 1./orders))
		if off <= tolerance.ExpansionExcess*tolerance.ExpansionError || length <= v.Shortest {
			break
		}
		length = e.Reach
	}
	e.on, e.idle, e.Radius = true, e.Smooth, radius
	return length, radius
}

// Left returns for how many ages from an age on the expansion serves a path that leaves its
// tangent at l at a speed, at most for a length, and how far off the tangent its error
// stays small for so long.
func (e *Expansion) Left(l *model.Point, length, speed float64, distance func(x []float64) float64) (ages, radius float64) {
	line := &e.line
	end := line.middle + line.half
	if !e.on || l.Age < line.middle-line.half || l.Age >= end {
		return 0, 0
	}
	apart := e.local.epsilon
	for j, w := range l.Theta {
		apart[j] = w - line.theta[j] - (l.Age-line.middle)*line.rate[j]
	}
	radius = e.Radius - distance(apart)
	for j, rate := range l.Rate {
		apart[j] = rate - line.rate[j]
	}
	turned := distance(apart)
	ages = min(length, end-l.Age, radius/(turned+speed))
	return ages, radius - ages*turned
}

// Longest returns how long the next window may be, with used the ages that the last one
// served, by the error of that one; behind a pause at most by its length.
func (e *Expansion) Longest(used float64) float64 {
	switch {
	case !e.on:
		return math.Max(e.Reach, tolerance.ExpansionGrowth*used/tolerance.WindowFarther)
	case used < e.line.half:
		return tolerance.ExpansionReuse * used
	}
	return e.Reach
}

// tail returns the size of the last coefficients of the gradient and of H's product with
// the base line's length, relative to the terms: that of those left out is a part of it.
func (e *Expansion) tail() (off float64) {
	last := e.along.sums[(orders-1)*e.along.width:]
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

// sum takes the sums along the base line over all samples but the rough ones, and returns
// the radius of validity.
func (e *Expansion) sum(v *View, rough []int) (radius float64) {
	s, rest, line := e.s, &e.rest, &e.line
	e.along.reset()
	clear(rest.sizes)
	clear(rest.diags)
	e.apart = e.apart[:0]
	var sizes, bent, third float64 // Σ ‖a‖ size, Σ ‖a‖³ |∂²φ/∂u²| left out, Σ ‖a‖⁴ |∂³φ/∂u³|
	for zone := range s.Zones {    // blocks of one zone, which have a scale of their own
		next, none := rough, s.Power(zone) == model.Power{}
		power := &e.powers[zone]
		if e.members[zone] = 0; !none {
			*power = newZonePower(s.Power(zone), line.middle, line.half)
		}
		e.batch.reset()
		for i, z := range s.Zone {
			if len(next) > 0 && next[0] == i {
				next = next[1:]
				continue
			}
			if int(z) != zone {
				continue
			}
			if e.members[zone] += s.M[i]; none {
				continue
			}
			u, norm := v.U[i]+line.half*v.DU[i], v.Norms[i]
			r := u - s.Y[i]
			t := e.batch.take(power, s.Row(i), r, line.half*v.DU[i], s.M[i])
			size := power.scale[0] * s.size(i, u, r*r, 2*r, 2, t.v, t.dv)
			e.batch.size[e.batch.used-1] = size
			sizes += norm * size
			cube := norm * norm * norm * power.scale[0]
			bent += cube * t.bent
			third += cube * norm * t.third
		}
		if !none {
			e.batch.flush()
			e.along.add(&e.batch.lineSums, &power.scale, 1)
			kernel.Axpy(1, e.batch.sizes, rest.sizes)
			kernel.Axpy(power.scale[0], e.batch.diags, rest.diags)
		}
	}
	if third == 0 {
		return math.Inf(1)
	}
	most := tolerance.ExpansionError * sizes
	radius = math.Min(math.Cbrt(6*most/third), math.Sqrt(2*most/bent))
	return radius * math.Sqrt(float64(s.P)) // a step is along a row by chance
}

// swap moves sample i in the sums from a zone to its own, where all samples are in them.
func (e *Expansion) swap(i int, from uint8) {
	if k := slices.Index(e.apart, i); k >= 0 {
		e.apart = slices.Delete(e.apart, k, k+1)
	} else {
		e.add(i, from, -1)
	}
	if !e.add(i, e.s.Zone[i], 1) {
		e.apart = append(e.apart, i)
	}
}

// add adds f times sample i's terms in a zone. It reports false, without them, where the
// series of a sample that enters do not converge fast enough.
func (e *Expansion) add(i int, zone uint8, f float64) bool {
	s, line, power := e.s, &e.line, &e.powers[zone]
	row := s.Row(i)
	if (s.Power(int(zone)) != model.Power{}) {
		r := blas64.Dot(vector(row), vector(line.theta)) - s.Y[i]
		dr := line.half * blas64.Dot(vector(row), vector(line.rate))
		e.batch.reset()
		t := e.batch.take(power, row, r, dr, s.M[i])
		last := power.scale[0] * (math.Abs(t.phi[power.orders-1]) + math.Abs(dr*t.phiU[power.orders-1]))
		for j, x := range row {
			if f > 0 && !(last*math.Abs(x) <= tolerance.ExpansionEntry*e.rest.sizes[j]) {
				e.batch.used = 0
				return false
			}
		}
		e.batch.flush()
		e.along.add(&e.batch.lineSums, &power.scale, f)
	}
	e.members[zone] += f * s.M[i]
	return true
}

// addApart adds the terms of the samples that are in no series.
func (e *Expansion) addApart(theta []float64, age float64) {
	s, rest := e.s, &e.rest
	for _, i := range e.apart {
		row := s.Row(i)
		loss, slope, curvature := s.Loss.Eval(blas64.Dot(vector(row), vector(theta)), s.Y[i])
		phi, phiU, phiAge, _, _ := s.weigh(i, age, loss, slope, curvature)
		rest.value += s.M[i] * s.Regularizer.Integral(loss, age)
		for j, x := range row {
			rest.grad[j] += phi * x
			rest.dgrad[j] += phiAge * x
			kernel.Axpy(phiU*x, row[j:], rest.full[j*s.P+j:][:s.P-j])
		}
	}
}
