package gaga

import (
	"math"
)

func (t *tracker) correct(pt *point) bool {
	if t.primal != nil && t.primal.keeps() {
		return t.chord(pt)
	}
	last := math.Inf(1)
	for pt.iterations = 1; pt.iterations <= 15; pt.iterations++ {
		if !t.summed {
			t.predict(pt.u, pt.theta)
		}
		t.assemble(pt)
		res := t.relative()
		done := res <= t.tight || (res <= loose && res >= 0.1*last)
		// The last factor serves while it makes the residual fall fast; the kernel
		// back-end sees to that itself.
		if pt.iterations == 1 || (!t.affine && (done || t.primal == nil || !(res <= 1e-6*last))) {
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
		if !(res < 100*last) {
			return false
		}
		last = res
		if pt.iterations == t.quick {
			t.refresh()
		}
		t.newtonStep(pt, pt.iterations == 1 || pt.iterations == t.quick+1)
	}
	return false
}

func (t *tracker) chord(pt *point) bool {
	last, slow := math.Inf(1), t.primal.slow()
	inherited, fresh := t.primal.factored(), false
	copy(t.begun, pt.theta)
	pt.iterations = 2
	for range 40 {
		t.predict(pt.u, pt.theta)
		t.assemble(pt)
		res := t.relative()
		settled := res <= t.tight || (res <= loose && fresh && res >= 0.1*last)
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

func (t *tracker) newtonStep(pt *point, first bool) {
	step := t.rhs[:t.unknowns()]
	copy(step, t.residual[:len(step)])
	t.solve(step)
	t.mix(step, first)
	t.take(pt, step, 1)
}

func (t *tracker) predictPoint(pt *point, h float64) {
	l := t.left
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

const (
	tight = 1e-14
	loose = 1e-11
)

func (t *tracker) finish(pt *point) {
	if t.summed {
		t.predict(pt.u, pt.theta)
		t.evaluate(pt)
	}
	t.tangent(pt)
}

func (t *tracker) tangent(pt *point) {
	k := t.unknowns()
	rate := t.rhs[:k]
	for r := range k {
		rate[r] = -t.dage[r]
	}
	t.solve(rate)
	t.setRates(pt, rate)
	t.predict(pt.du, pt.rate)
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
