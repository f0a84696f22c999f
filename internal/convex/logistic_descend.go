package convex

import (
	"context"
	"math"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// startAtZero starts from w = 0 with the best intercept, if that is better than
// the last solution, and returns the violation where it starts.
func (p *Logistic) startAtZero(violation float64) float64 {
	b := 0.0
	if p.intercept {
		b = math.Log(p.class[1]) - math.Log(p.class[0])
	}
	if p.objective() <= p.class[1]*softplus(-b)+p.class[0]*softplus(b) {
		return violation
	}
	clear(p.now.w)
	p.now.b = b
	return p.evaluate()
}

// softplus returns ln(1 + exp(z)).
func softplus(z float64) float64 {
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}

const (
	logisticSteps = 500
	local         = 0.1  // violation below which steps are tried whole first
	near          = 1e-3 // violation below which all are taken that lower it, else those that halve it

	solvedCold, solvedWarm = 1e-13, 1e-11 // violation at which a solve ends, the latter where it begins below local
	solvedPart             = 1e-6         // of the violation that a solve begins with
)

// descend leaves the best point in p.best, from p.now, whose scores are known.
func (p *Logistic) descend(ctx context.Context) (Certificate, error) {
	violation := p.derive(false)
	aim := solvedCold
	if violation <= local {
		aim = max(refined, min(solvedWarm, solvedPart*violation))
	}
	if !(violation <= local) {
		violation = p.startAtZero(violation)
	}
	p.best.set(p.now)
	p.mixer.Break()
	iterations, reuse, done := 0, p.kept && violation <= local, false
	for iterations < logisticSteps && violation > aim && !done {
		if err := ctx.Err(); err != nil {
			return Certificate{KKT: violation, Gap: math.NaN(), Iterations: iterations}, err
		}
		reused := reuse
		if !reuse && !p.factor() {
			break
		}
		iterations++
		p.approach()
		next := violation
		if violation < local || p.negligible() {
			next = p.wholeStep(violation)
		}
		switch {
		case next < violation:
			reuse = p.worthwhile(next/violation, next/aim)
			done = !reused && next <= Tolerance && next > violation/2
		case reused:
			reuse = false
			p.mixer.Break()
		case violation <= Tolerance:
			done = violation < 100*refined || !p.fallBack() // rounding
		default:
			t := p.search()
			p.now.add(-t, p.step)
			next = p.evaluate()
			p.best.set(p.now)
			reuse, done = false, t == 0 && !p.fallBack()
		}
		violation = next
	}
	return p.certify(violation, iterations), nil
}

// approach writes the step from p.now, evaluated before, into p.step.
func (p *Logistic) approach() {
	d := p.rows.d
	p.hessian.solve(&p.step, p.gradient)
	copy(p.mixed, p.step.w)
	p.mixed[d] = p.step.b
	p.mixer.Mix(p.mixed)
	copy(p.step.w, p.mixed)
	p.step.b = p.mixed[d]
}

// worthwhile reports whether the last Hessian serves on, which divided the
// violation by 1/ratio, where it is still to be divided by rest. A new one costs
// as much as cost steps, and for it the next solves go faster.
func (p *Logistic) worthwhile(ratio, rest float64) bool {
	cost := 2 + float64(p.rows.stride)/16
	return ratio <= 0.5 && math.Log(max(rest, 1)) <= -cost*math.Log(ratio)
}

// certify states how good p.best is, where p.now is or was evaluated last.
func (p *Logistic) certify(violation float64, iterations int) Certificate {
	if p.now.b != p.best.b || !slices.Equal(p.now.w, p.best.w) {
		p.now.set(p.best)
		violation = p.evaluate()
	}
	c := Certificate{KKT: violation, Objective: p.objective(), Iterations: iterations}
	if c.Gap = p.nearGap() / c.Objective; !(c.Gap <= Tolerance) {
		c.Gap = math.NaN()
		if p.factor() {
			c.Gap = p.gap() / c.Objective
		}
	}
	return c
}

// factor takes the Hessian at the point last evaluated.
func (p *Logistic) factor() bool {
	copy(p.factored, p.curvature)
	p.mixer.Reset(p.rows.d + 1)
	p.kept = p.hessian.factor(p.curvature) || p.fallBack()
	return p.kept
}

// fallBack changes from solving in R^n, where features of very large norm can
// leave no digit of B but theirs, to solving in R^d. It reports whether there
// was a change to make, with the Hessian factored.
func (p *Logistic) fallBack() bool {
	if _, primal := p.hessian.(*primalHessian); primal {
		return false
	}
	p.hessian = newPrimalHessian(&p.rows, p.intercept)
	copy(p.factored, p.curvature)
	p.mixer.Reset(p.rows.d + 1)
	return p.hessian.factor(p.curvature)
}

// negligible reports whether rounding hides by how much the step lowers the
// objective, so that the violation is to judge it: a coefficient that the penalty
// alone holds has the violation 1 until it is 0, however small.
func (p *Logistic) negligible() bool {
	decrease := kernel.Dot(p.gradient.w, p.step.w) + p.gradient.b*p.step.b
	return math.Abs(decrease) <= 1e-14*p.objective()
}

// wholeStep takes the step if that lowers the violation enough, else it stays. It
// returns the violation where it ends.
func (p *Logistic) wholeStep(violation float64) float64 {
	p.now.add(-1, p.step)
	if next := p.evaluate(); next < violation && (violation <= near || next <= violation/2) {
		p.best.set(p.now)
		return next
	}
	p.now.set(p.best)
	return p.evaluate()
}

// search returns how much of the step to take: t > 0 at which the objective
// along it is lower and its derivative at most half as steep as at 0, or 0 if
// rounding hides the descent. The derivative increases with t, so that Newton's
// method between the bounds that its sign sets finds such a t.
func (p *Logistic) search() float64 {
	p.rows.predict(p.slope, p.step.w, p.step.b)
	start, _ := p.along(0)
	if !(start < 0) {
		return 0
	}
	low, high, t := 0.0, math.Inf(1), 1.0
	before := p.objective()
	for range 100 {
		first, second := p.along(t)
		if math.Abs(first) <= -start/2 && (first <= 0 || p.penalty(t)+p.total(p.trial.value) < before) {
			return t
		}
		if first < 0 {
			low = t
		} else {
			high = t
		}
		next := t - first/second
		switch {
		case math.IsInf(high, 1):
			next = min(max(next, 1.5*t), 10*t)
		case !(next > low && next < high):
			next = (low + high) / 2
		}
		t = next
	}
	return low
}

// along evaluates the trial p.now - t p.step and returns the first and second
// derivative of the objective by t.
func (p *Logistic) along(t float64) (first, second float64) {
	r := &p.trial
	copy(r.score, p.score)
	kernel.Axpy(-t, p.slope, r.score)
	kernel.Logistic(r.score, p.y, r.value, r.loss, r.curvature)
	second = kernel.Dot(p.step.w, p.step.w)
	first = t*second - kernel.Dot(p.now.w, p.step.w)
	for i, c := range p.cost {
		if c == 0 {
			continue
		}
		s := p.slope[i]
		first -= c * r.loss[i] * s
		second += c * r.curvature[i] * s * s
	}
	return first, second
}
