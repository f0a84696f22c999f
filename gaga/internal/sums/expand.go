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
		e.Reach = length * math.Min(tolerance.ExpansionGrowth, tolerance.ExpansionMargin*kernel.Pow(tolerance.ExpansionError/off, 1./orders))
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
	b := e.batch
	b.errors = errorSums{}
	for zone := range s.Zones { // blocks of one zone, which have a scale of their own
		next, none := rough, s.Power(zone) == model.Power{}
		power := &e.powers[zone]
		if e.members[zone] = 0; !none {
			*power = newZonePower(s.Power(zone), line.middle, line.half)
		}
		b.reset()
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
			dr := line.half * v.DU[i]
			b.index[b.used], b.norms[b.used] = int32(i), v.Norms[i]
			b.R[b.used], b.DR[b.used], b.M[b.used] = v.U[i]+dr-s.Y[i], dr, s.M[i]
			if b.used++; b.used == block {
				b.flush(s, power)
			}
		}
		if !none {
			b.flush(s, power)
			b.finish(power)
			e.along.add(&b.lineSums, &power.scale)
			kernel.Axpy(1, b.sizes, rest.sizes)
			kernel.Axpy(power.scale[0], b.diags, rest.diags)
		}
	}
	e.along.mirror()
	if b.errors.third == 0 {
		return math.Inf(1)
	}
	most := tolerance.ExpansionError * b.errors.sizes
	radius = math.Min(math.Cbrt(6*most/b.errors.third), math.Sqrt(2*most/b.errors.bent))
	return radius * math.Sqrt(float64(s.P)) // a step is along a row by chance
}

// swapped has the coefficients of the terms by which sums change as a sample changes its zone.
type swapped struct {
	phi, phiU [kernel.SeriesRows]float64
	phiUU     [bends + 1]float64
	value     [orders]float64
}

// swap moves sample i in the sums from a zone to its own, where all samples are in them.
func (e *Expansion) swap(i int, from uint8) {
	s, line, row, b := e.s, &e.line, e.s.Row(i), e.batch
	b.used, b.index[0] = 1, int32(i)
	b.gather(s)
	b.R[0] = kernel.Dot(row, line.theta) - s.Y[i]
	b.DR[0] = line.half * kernel.Dot(row, line.rate)
	e.swapped = swapped{}
	if k := slices.Index(e.apart, i); k >= 0 {
		e.apart = slices.Delete(e.apart, k, k+1)
	} else {
		e.change(i, from, -1)
	}
	if !e.change(i, s.Zone[i], 1) {
		e.apart = append(e.apart, i)
	}
	w, l, pad := &e.swapped, &e.along, kernel.Pad(s.P)
	kernel.MulAddRows(l.sums, l.width, w.phi[:], 1, 1, b.rows, b.ld, kernel.SeriesRows, s.P, 1)
	kernel.MulAddRows(l.sums[s.P:], l.width, w.phiU[:], 1, 1, b.rows[pad:], b.ld, kernel.SeriesRows, l.pairs, 1)
	kernel.Axpy(1, w.value[:], l.values)
	for k, f := range w.phiUU[:bends] {
		kernel.ScaleTo(b.bent[k*pad:][:s.P], f, row)
	}
	for j := range row {
		kernel.MulAddRows(l.triples[j*l.pairs:], s.P*l.pairs, b.bent[j:], pad, 1, b.rows[pad:], b.ld, bends+1, l.pairs, 1)
	}
	b.used = 0
}

// change adds f times sample i's terms in a zone, with the batch of the sample alone, to those
// that are swapped. It reports false, without them, where the series of a sample that enters
// do not converge fast enough.
func (e *Expansion) change(i int, zone uint8, f float64) bool {
	s, power, b, w := e.s, &e.powers[zone], e.batch, &e.swapped
	if (s.Power(int(zone)) != model.Power{}) {
		b.M[0], b.Value = s.M[i], [orders][8]float64{}
		power.terms(&b.PowerTerms, 1)
		end := (power.orders - 1) * block
		last := power.scale[0] * (math.Abs(b.Phi[end]) + math.Abs(b.DR[0]*b.PhiU[end]))
		for j, x := range s.Row(i) {
			if f > 0 && !(last*math.Abs(x) <= tolerance.ExpansionEntry*e.rest.sizes[j]) {
				return false
			}
		}
		for k := range power.orders {
			phi, phiU, value := f*b.Phi[k*block], f*b.PhiU[k*block], f*kernel.Sum(b.Value[k][:])
			for j, scale := range power.scale[:orders-k] {
				w.phi[k+j] += scale * phi
				w.phiU[k+j] += scale * phiU
				w.value[k+j] += scale * value
			}
		}
		if power.Q != 0 {
			for k := range bends {
				phiUU := f * b.PhiUU[k*block]
				for j, scale := range power.scale[:bends-k] {
					w.phiUU[k+j] += scale * phiUU
				}
			}
		}
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
