package gaga

import "math"

// correct runs Newton's method on the residual from pt.theta at pt.age, on the
// current zones and active coordinates. On success the residual is at
// rounding level, H is factorized and positive definite at the solution.
func (t *tracker) correct(pt *point) bool {
	if t.primal != nil && t.primal.keeps() {
		return t.chord(pt)
	}
	last := math.Inf(1)
	// The last step was one of Newton's method; one by the factor of an earlier point
	// can take the residual down so slowly that it looks like rounding.
	fresh, restarted := t.primal != nil, false
	slow := 1e-6
	if t.primal == nil {
		slow = trustedLeaves
	}
	copy(t.begun, pt.theta)
	for pt.iterations = 1; pt.iterations <= 15; pt.iterations++ {
		if !t.summed {
			t.predict(pt.u, pt.theta)
		}
		res := t.off(pt, math.IsInf(last, 1))
		stuck := onlyRounding(res, last)
		done := res <= t.tight || (stuck && fresh)
		lost := !done && !(res < 100*last)
		renew := t.primal == nil && !done && (stuck || lost || pt.iterations == t.quick+1)
		if lost && (!renew || restarted) {
			return false
		}
		if renew {
			t.refresh()
		}
		if lost {
			// Where J was nearly singular at the point of the factor, its steps along
			// that direction are far too long here.
			restarted, last = true, math.Inf(1)
			copy(pt.theta, t.begun)
			continue
		}
		// The last factor serves while it makes the residual fall fast; the kernel
		// back-end makes a new one only where it cannot be trusted.
		if pt.iterations == 1 || (!t.affine && (done || !(res <= slow*last))) {
			if !t.factorize() {
				return false
			}
		}
		if done {
			if t.primal == nil && pt.iterations > t.quick {
				// So slow that the factor of an earlier point proves nothing here.
				t.refresh()
				return t.factorize()
			}
			return true
		}
		t.newtonStep(pt, renew || math.IsInf(last, 1))
		last, fresh = res, renew || t.primal != nil
	}
	return false
}

// chord is correct where H costs more than the residual: the last factor serves
// as long as it takes the residual down fast, and a new one proves the optimum
// strict at the end. Where the factor that it begins with does not serve, as near
// a fold, it begins again with a new one. The iterations that it reports are
// those of Newton's method that new factors stand for.
func (t *tracker) chord(pt *point) bool {
	last, slow := math.Inf(1), t.primal.slow()
	inherited, fresh := t.primal.factored(), false
	copy(t.begun, pt.theta)
	pt.iterations = 2
	for range 40 {
		t.predict(pt.u, pt.theta)
		res := t.off(pt, math.IsInf(last, 1))
		settled := res <= t.tight || (fresh && onlyRounding(res, last))
		fresh = false
		if inherited && !settled && !(res <= slow*last) {
			copy(pt.theta, t.begun)
			t.refresh()
			inherited, last = false, math.Inf(1)
			continue
		}
		if !settled && !(res < 100*last) {
			return false
		}
		if settled || !t.primal.factored() || res > slow*last {
			if !t.factorize() {
				return false
			}
			if settled && t.relative() <= loose {
				return true
			}
			fresh = true
			pt.iterations++
		}
		last = res
		t.newtonStep(pt, false)
	}
	return false
}

// off evaluates the equations at pt and returns their relative residual; first says that
// pt is where the corrector began, of which the residual is kept.
func (t *tracker) off(pt *point, first bool) float64 {
	t.assemble(pt)
	if first {
		copy(t.pull, t.residual[:len(t.active)])
	}
	return t.relative()
}

// newtonStep makes a Newton step with the last factor; first says that the steps
// before it do not count where they are mixed.
func (t *tracker) newtonStep(pt *point, first bool) {
	step := t.rhs[:t.unknowns()]
	copy(step, t.residual[:len(step)])
	t.solve(step)
	t.mix(step, first)
	t.take(pt, step, 1)
}

// predictPoint writes left's tangent, h further in age, into pt; towards a fold, the
// branch's shape there.
func (t *tracker) predictPoint(pt *point, h float64) {
	l := t.left
	h = t.bent(h)
	for j, w := range l.theta {
		pt.theta[j] = w + h*l.rate[j]
	}
	for _, i := range t.multipliers {
		pt.dual[i] = l.dual[i] + h*l.ddual[i]
	}
	if t.primal == nil { // predictors are linear in θ
		for i, u := range l.u {
			pt.u[i] = u + h*l.du[i]
		}
		t.know(pt)
	}
}

// The corrector stops at a relative residual of tight, or at loose once what is
// left is rounding.
const (
	tight = 1e-14
	loose = 1e-11
)

// onlyRounding reports whether a residual that was last before a step of Newton's
// method is rounding: even at a multiple root, as where a branch turns back, such a
// step leaves less than 1/e of it.
func onlyRounding(res, last float64) bool { return res <= loose && res >= 0.5*last }

// finish evaluates the watched samples at pt, a new point of the path, and fills
// in the rates; J is factorized there.
func (t *tracker) finish(pt *point) {
	if t.summed {
		t.predict(pt.u, pt.theta)
		t.evaluate(pt)
	}
	t.tangent(pt)
}

// tangent fills in the rates at pt, where J is factorized.
func (t *tracker) tangent(pt *point) {
	rate := t.rhs[:t.unknowns()]
	for r := range rate {
		rate[r] = -t.dage[r]
	}
	t.invert(rate)
	t.setRates(pt, rate)
	t.predict(pt.du, pt.rate)
	t.refine(pt, rate)
}

// refine improves the rates at pt and fills in those that follow from them.
func (t *tracker) refine(pt *point, rate []float64) {
	for first := true; t.improve(pt, rate, first); first = false {
		t.setRates(pt, rate)
		t.predict(pt.du, pt.rate)
	}
	for k := range pt.threshold {
		pt.threshold[k], pt.dthreshold[k] = t.reg.Threshold(k, pt.age)
	}
	if !t.gradients {
		return
	}
	t.primal.activations.gradient(pt)
	for j := range t.p {
		pt.grad[j] += t.l2[j] * pt.theta[j]
		pt.dgrad[j] += t.l2[j] * pt.rate[j]
	}
}
