package convex

import (
	"context"
	"errors"
	"math"
)

// descent is the state of [Smooth.descend].
type descent struct {
	start      float64 // Σ v l at θ = 0, 0 where it was not needed
	damping    float64 // how much of the secants' curvature is added
	reuse      bool    // the model of an earlier point still serves
	done       bool
	lowest     float64 // violation of p.best
	iterations int
}

// The damping starts at leastDamping and changes by factor; above mostDamping, no step along
// the gradient could be shorter for want of curvature.
const (
	leastDamping  = 1e-8
	dampingFactor = 100
	mostDamping   = 1e9
)

// descend leaves the best point in p.best. An error of [ErrSingular] says why
// it got no further.
func (p *Smooth) descend(ctx context.Context) (Certificate, error) {
	const (
		steps = 500
		local = 1e-3 // violation below which steps are tried whole first
	)
	p.evaluate()
	s := descent{}
	if !(p.violation <= local) {
		p.startAtZero(&s)
	}
	p.best.set(p.now)
	s.lowest = p.violation
	var err error
	for step := 0; step < steps && p.violation > refined && !s.done; step++ {
		if err = ctx.Err(); err != nil {
			break
		}
		if err = p.aim(ctx, &s); err != nil {
			break
		}
		p.before.set(p.now)
		if p.violation >= local {
			err = p.search(&s)
		} else {
			err = p.wholeStep(&s)
		}
		if p.violation < s.lowest {
			s.lowest = p.violation
			p.best.set(p.now)
		}
		if err != nil {
			break
		}
	}
	if p.violation != s.lowest {
		p.now.set(p.best)
		p.evaluate()
	}
	return Certificate{KKT: p.violation, Gap: math.NaN(), Objective: p.objective(), Iterations: s.iterations}, err
}

// startAtZero starts from 0, if that is better than the last solution.
func (p *Smooth) startAtZero(s *descent) {
	p.before.set(p.now)
	objective := p.objective()
	clear(p.now.w)
	p.now.b = 0
	p.evaluate()
	s.start = p.value
	if objective < p.objective() {
		p.now.set(p.before)
		p.evaluate()
	}
}

// aim writes the step to the minimum of the model at p.now, evaluated before,
// into p.step. Where the model has none for want of curvature, it takes the
// secants' in addition.
func (p *Smooth) aim(ctx context.Context, s *descent) error {
	for {
		bent, changed := false, false
		for i, c := range p.curvature {
			if c += s.damping * p.secant[i]; c != p.factored[i] && !s.reuse {
				p.factored[i], changed = c, true
			}
			bent = bent || p.factored[i] > 0
		}
		if !bent && s.damping > 0 { // no sample pulls: only the penalty does
			for j, w := range p.now.w {
				p.step.w[j] = -w
			}
			p.step.b = 0
			s.iterations++
			return nil
		}
		if bent && (!changed || p.model.factor(p.factored)) {
			n, err := p.model.solve(ctx, p)
			s.iterations += n
			if !errors.Is(err, ErrSingular) || s.damping > 0 {
				return err
			}
		} else if bent && p.fallBack() {
			continue
		} else if s.damping > 0 {
			return ErrSingular
		}
		s.damping, s.reuse = leastDamping, false
	}
}

// wholeStep takes the step if that lowers the violation. If not it stays, and
// takes a new model, searches along the step, or, where rounding leaves no
// more, ends.
func (p *Smooth) wholeStep(s *descent) error {
	old := p.violation
	p.now.add(1, p.step)
	p.evaluate()
	if p.violation < old {
		s.done = !s.reuse && p.violation <= Tolerance && p.violation > old/2
		s.reuse = p.violation <= old/10
		s.damping = 0
		return nil
	}
	p.now.set(p.before)
	p.evaluate()
	switch {
	case s.reuse:
		s.reuse = false
	case old <= Tolerance:
		s.done = old < 100*refined || !p.fallBack() // rounding
	default:
		return p.search(s)
	}
	return nil
}

// fallBack changes to a model that stands more unlike features, if there is
// one: from R^n to R^d, see [Logistic.fallBack], and from there to the working
// set, which can tell that features depend on each other.
func (p *Smooth) fallBack() bool {
	ridge, ok := p.model.(*ridgeModel)
	if !ok {
		return false
	}
	if !ridge.fallBack(p) {
		p.model = newSparseModel(p)
	}
	p.factored[0] = math.NaN() // it has no Hessian yet
	return true
}

// search goes along the step to where the objective is lower by a share of what
// its slope promises, up to rounding, and its derivative is at most half as
// steep as at the start, or as near as it finds within its trials. The
// derivative increases along the step, so that a secant between the bounds that
// its sign sets finds such a place. The error says that the losses fall forever.
func (p *Smooth) search(s *descent) error {
	const (
		share    = 1e-4
		rounding = 8 * 0x1p-52
		trials   = 40
		short    = 0.1 // of a step
	)
	s.reuse = false
	p.design.predict(p.along, p.step.w, p.step.b)
	before, _, start := p.objectiveAlong(0)
	if !(start < 0) && p.fallBack() { // rounding of the model
		return nil
	}
	low, high, t, best := 0.0, math.Inf(1), 1.0, 0.0
	lowSlope, highSlope := start, 0.0
	for range trials {
		value, below, above := p.objectiveAlong(t)
		if value <= before+share*t*start+rounding*before {
			best = t
			if below <= -start/2 && above >= start/2 {
				break
			}
		}
		if above < 0 && value < math.Inf(1) {
			low, lowSlope = t, above
		} else {
			high, highSlope = t, below
		}
		switch width := high - low; {
		case math.IsInf(high, 1):
			t *= 4
		case math.IsNaN(highSlope) || math.IsInf(highSlope, 0):
			t = low + short*width
		default:
			t = low + width*min(max(lowSlope/(lowSlope-highSlope), short), 1-short)
		}
		if best > 0 && high-low < 1e-2*high { // a kink of the penalty
			break
		}
	}
	switch {
	case best < short:
		s.damping = max(leastDamping, s.damping*dampingFactor)
		s.done = s.damping > mostDamping && !p.fallBack()
	case best >= 1:
		if s.damping /= dampingFactor; s.damping < leastDamping {
			s.damping = 0
		}
	}
	endless := p.endless(s, best)
	p.now.add(best, p.step)
	p.evaluate()
	if endless && p.violation > Tolerance {
		return ErrNoMinimum
	}
	return nil
}

// endless reports whether the losses are next to nothing of what they are at 0
// and the scores still move on by far more than rounding, along a direction
// that no penalty holds: Newton's steps towards a minimum get short before that.
func (p *Smooth) endless(s *descent, t float64) bool {
	penalized := p.options.L1 > 0 || p.options.L2 > 0
	if penalized && !p.options.Intercept || !(p.value <= 1e-13*s.start) {
		return false
	}
	var far, moved, bent float64
	for i, v := range p.weight {
		if v > 0 {
			far = max(far, math.Abs(p.score[i]))
			moved = max(moved, math.Abs(p.along[i]))
			bent = max(bent, math.Abs(p.along[i]-p.step.b)) // by other than the intercept
		}
	}
	return t*moved > 1e-3*far && !(penalized && bent > 0.1*moved)
}
