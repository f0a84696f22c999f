package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// locate moves the right point to the crossing c near the given age: Newton's
// method on the residual and the event function together, in θ and the age.
// The start is on left's tangent, or where an upper end is given, on the
// interpolant between both. It reports success, which takes an age up to end;
// the rates there are current.
func (t *tracker) locate(c crossing, age, end float64, upper *point) bool {
	l, r := t.left, t.right
	h := age - l.age
	if upper != nil {
		x := h / (upper.age - l.age)
		hermite(r.theta, l.theta, l.rate, upper.theta, upper.rate, upper.age-l.age, x)
		if t.hinge != nil && !t.dualInTheta {
			hermite(r.dual, l.dual, l.ddual, upper.dual, upper.ddual, upper.age-l.age, x)
		}
		if t.primal == nil {
			hermite(r.u, l.u, l.du, upper.u, upper.du, upper.age-l.age, x)
			t.know(r)
		}
	} else {
		t.predictPoint(r, h)
	}
	r.age = age
	last, lastOff := math.Inf(1), math.Inf(1)
	limit, slow, kept, newton := 12, 1e-3, false, false // newton: the last step was one of Newton's method
	switch {
	case t.primal == nil:
		slow = trustedLeaves
	case t.primal.keeps():
		limit, slow, kept = 30, t.primal.slow(), t.primal.factored()
	}
	for r.iterations = 1; r.iterations <= limit; r.iterations++ {
		t.see(r, c)
		t.assemble(r)
		value, size, dage := t.eventGradient(r, c)
		res := t.relative()
		stuck := onlyRounding(res, last)
		done := r.age >= l.age && r.age <= end && (res <= t.tight || (stuck && newton)) && math.Abs(value) <= 1e-13*size
		// The last factor serves while it makes both fall fast; what falls slowly by
		// that of an earlier point need not be rounding.
		renew := stuck && !newton && !done
		if renew {
			t.refresh()
		}
		off := math.Max(res, math.Abs(value)/size)
		fresh := done || renew || (r.iterations == 1 && !kept) || !(off <= slow*lastOff)
		newton = renew || (fresh && t.primal != nil)
		if last, lastOff = res, off; fresh && !t.factorize() {
			return false
		}
		if done {
			for j := range t.p {
				t.theta0[j] = l.theta[j] + (r.age-l.age)*l.rate[j]
			}
			if !t.near(t.theta0, r.theta, r.age-l.age) || !t.inside(r) {
				return false
			}
			t.finish(r)
			return t.falls(r, c)
		}
		if !t.newton(r, value, dage, fresh || r.iterations == 1, renew || r.iterations == 1) || !(r.age > l.age-1e-9*l.age) || !(r.age <= end*(1+1e-12)) {
			return false
		}
		r.age = math.Max(r.age, l.age)
	}
	return false
}

// see evaluates what assemble and c's event function need of the samples at pt.
func (t *tracker) see(pt *point, c crossing) {
	if !t.summed {
		t.predict(pt.u, pt.theta)
		return
	}
	if c.cause == SampleUp || c.cause == SampleDown {
		i := c.index
		pt.u[c.slot] = t.predictOne(i, pt.theta)
		pt.loss[c.slot], pt.slope[c.slot], pt.curvature[c.slot] = t.eval(t.zone[i], pt.u[c.slot], t.y[i])
	}
}

// falls reports whether c's event function falls at pt, as it must where it
// reaches zero from the segment's inside.
func (t *tracker) falls(pt *point, c crossing) bool {
	if c.cause == SampleUp || c.cause == SampleDown {
		b, _ := t.sampleBoundary(pt, c.slot, c.cause)
		return !(b.rate > 0)
	}
	return !(t.coordinateBoundary(pt, c.index, c.cause, c.sign).rate > 0)
}

// newton makes one bordered Newton step in θ and the age: the event function
// has the given value, derivative dage in the age, and its gradient in θ in
// rhs2. With fresh the unknowns' derivative in the age is evaluated anew, else it
// is the last one's; first says that the steps before it do not count where they
// are mixed. It reports whether the border is regular.
func (t *tracker) newton(pt *point, value, dage float64, fresh, first bool) bool {
	k := t.unknowns()
	step, g := t.rhs[:k], t.rhs2[:k]
	along := t.along[:k]
	copy(step, t.residual[:k])
	t.solve(step)
	if fresh {
		copy(along, t.dage[:k])
		t.solve(along)
	}
	for r := range k {
		value -= g[r] * step[r]
		dage -= g[r] * along[r]
	}
	if dage == 0 {
		return false
	}
	move := -value / dage
	if math.IsNaN(move) || math.IsInf(move, 0) {
		return false
	}
	blas64.Axpy(move, vector(along), vector(step))
	step = append(step, -move)
	t.mix(step, first)
	pt.age -= step[k]
	t.take(pt, step[:k], 1)
	return true
}

// eventGradient returns the value of c's event function at pt, the size of its
// terms and its derivative in the age at fixed unknowns; its gradient over the
// unknowns goes to rhs2.
func (t *tracker) eventGradient(pt *point, c crossing) (value, size, dage float64) {
	g := t.rhs2[:t.unknowns()]
	switch c.cause {
	case SampleUp, SampleDown:
		return t.sampleGradient(g, pt, c)
	case Dropped:
		clear(g)
		for r, j := range t.active {
			if j == c.index {
				g[r] = t.sign[j]
			}
		}
		size = math.Abs(t.left.theta[c.index]) + math.Abs(t.left.rate[c.index])*(pt.age-t.left.age)
		return t.sign[c.index] * pt.theta[c.index], size, 0
	default:
		j := c.index
		t.primal.border(g, j)
		grad, rate, magnitude := t.primal.activations.coordinate(j)
		for r := range g {
			g[r] *= c.sign
		}
		return t.l1[j] + c.sign*grad, t.l1[j] + magnitude, c.sign * rate
	}
}

// sampleGradient is eventGradient for a sample's crossing.
func (t *tracker) sampleGradient(g []float64, pt *point, c crossing) (value, size, dage float64) {
	z, up, y := int(t.zone[c.index]), c.cause == SampleUp, t.y[c.index]
	u := pt.u[c.slot]
	switch {
	case t.kinks > 0 && z == pinned:
		clear(g)
		top := t.bound * t.m[c.index]
		side := 1.0
		value = pt.dual[c.index]
		if up {
			side, value = -1, top-value
		}
		g[t.unknownOf(c.index)] = side
		return value, top, 0
	case t.kinks > 0 && z == satisfied:
		t.row(g, c.index)
		blas64.Scal(y, vector(g))
		return y*u - 1, 1 + math.Abs(u), 0
	case t.kinks > 0 && z == t.kinks && !up:
		t.row(g, c.index)
		blas64.Scal(-y, vector(g))
		return 1 - y*u, 1 + math.Abs(u), 0
	}
	k, side := z-t.kinks, 1.0
	if !up {
		k, side = k-1, -1
	}
	threshold, slope := t.reg.Threshold(k, pt.age)
	t.row(g, c.index)
	blas64.Scal(-side*pt.slope[c.slot], vector(g))
	return side * (threshold - pt.loss[c.slot]), threshold, side * slope
}

// hermite writes the cubic Hermite interpolant between a and b, h apart, with
// rates da and db, at the fraction x of the way into dst, which may be a or b.
func hermite(dst, a, da, b, db []float64, h, x float64) {
	y := 1 - x
	for j := range dst {
		b0, b3 := a[j], b[j]
		b1, b2 := b0+h*da[j]/3, b3-h*db[j]/3
		dst[j] = y*y*y*b0 + 3*y*y*x*b1 + 3*y*x*x*b2 + x*x*x*b3
	}
}
