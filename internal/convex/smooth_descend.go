package convex

import (
	"context"
	"errors"
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

type descent struct {
	start      float64 // Σ v l at w = 0 and the starting intercept, if needed
	aim        float64
	damping    float64
	reuse      bool
	done       bool
	lowest     float64 // violation of p.best
	stuck      int     // steps since it was halved
	iterations int
}

// Above mostDamping no gradient step is too long for lack of curvature.
const (
	leastDamping  = 1e-8
	dampingFactor = 100
	mostDamping   = 1e9
)

const (
	smoothSteps = 500
	stuckSteps  = 20   // without halving a violation below near: rounding
	local       = 0.1  // violation below which full steps are tried first
	near        = 1e-3 // violation below which any decrease is accepted, else a halving

	// Logistic regression: final violation; for a start below local, share of the start's, at most
	// solvedWarm.
	solvedCold, solvedWarm, solvedPart = 1e-13, 1e-11, 1e-6
)

// descend starts at p.now with known scores, or at w = 0 and the intercept level.
func (p *Smooth) descend(ctx context.Context, level float64) (Certificate, error) {
	p.summed = false
	p.derive(false)
	s := descent{aim: refined}
	if p.logistic {
		s.aim = solvedCold
	}
	if !(p.at.violation <= local) {
		p.startAtZero(&s, level)
	} else if p.logistic {
		s.aim = max(refined, min(solvedWarm, solvedPart*p.at.violation))
	}
	_, ridge := p.second.model.(*ridgeModel)
	p.second.kept = p.second.kept && ridge
	s.reuse = p.second.kept && p.at.violation <= local
	p.best.set(p.now)
	s.lowest = p.at.violation
	err := p.steps(ctx, &s)
	if err == nil && p.at.violation > Tolerance && p.round != 0 {
		p.summed = true
		p.evaluate()
		s.lowest, s.stuck, s.done = p.at.violation, 0, false
		err = p.steps(ctx, &s)
	}
	return Certificate{KKT: p.at.violation, Gap: math.NaN(), Objective: p.objective(), Iterations: s.iterations}, err
}

// steps starts from the evaluated p.now and returns to the best point.
func (p *Smooth) steps(ctx context.Context, s *descent) (err error) {
	for step := 0; step < smoothSteps && p.at.violation > s.aim && !s.done && s.stuck < stuckSteps && err == nil; step++ {
		if err = ctx.Err(); err != nil {
			break
		}
		if err = p.approach(ctx, s); err != nil {
			break
		}
		p.before.set(p.now)
		if p.at.violation < local || p.negligible() {
			err = p.wholeStep(s)
		} else {
			err = p.search(s)
		}
		s.stuck++
		if s.lowest > near || p.at.violation < s.lowest/2 {
			s.stuck = 0
		}
		if p.at.violation < s.lowest {
			s.lowest = p.at.violation
			p.best.set(p.now)
		}
	}
	if p.at.violation != s.lowest {
		p.now.set(p.best)
		p.evaluate()
	}
	return err
}

func (p *Smooth) startAtZero(s *descent, level float64) {
	r := &p.trial
	for i := range r.score {
		r.score[i] = level
	}
	p.loss.EvalAll(r.score, p.y, r.losses, r.slope, r.curvature)
	for i, c := range p.cost {
		if c > 0 {
			s.start += c * r.losses[i]
		}
	}
	if p.objective() <= s.start {
		return
	}
	clear(p.now.w)
	p.now.b = level
	p.evaluate()
}

// approach adds the secants' curvature if the model has no minimum.
func (p *Smooth) approach(ctx context.Context, s *descent) error {
	for {
		if !s.reuse && !p.bend(s.damping) && s.damping > 0 { // no sample has a slope: only the penalty acts
			for j, w := range p.now.w {
				p.step.w[j] = -w
			}
			p.step.b = 0
			s.iterations++
			return nil
		}
		if s.reuse || p.factor() {
			n, err := p.second.model.solve(ctx, p)
			s.iterations += n
			if !errors.Is(err, ErrSingular) || s.damping > 0 {
				return err
			}
		} else if p.fallBack() {
			continue
		} else if s.damping > 0 {
			return ErrSingular
		}
		s.damping, s.reuse = leastDamping, false
	}
}

func (p *Smooth) bend(damping float64) (bent bool) {
	secant, missing := func(int) float64 { return 0 }, 0.0
	if damping > 0 {
		secant = func(i int) float64 { return p.at.slope[i] * (p.at.slope[i] / (p.cost[i] * p.at.losses[i])) }
		bend, pulling := 0.0, 0.0 // secants and weights of the samples with a slope
		for i, c := range p.cost {
			if p.at.slope[i] != 0 && p.at.losses[i] > 0 {
				bend += secant(i)
				pulling += c
			}
		}
		missing = relative(bend, pulling)
	}
	for i, c := range p.at.curvature {
		switch {
		case damping == 0:
		case p.at.slope[i] == 0:
			c += damping * p.cost[i] * missing
		case p.at.losses[i] > 0:
			c += damping * secant(i)
		}
		if c != p.second.factored[i] {
			p.second.factored[i], p.second.kept = c, false
		}
		bent = bent || c > 0
	}
	return bent
}

func (p *Smooth) factor() bool {
	if p.second.kept {
		return true
	}
	for _, c := range p.second.factored {
		if c > 0 {
			p.second.kept = p.second.model.factor(p.second.factored)
			return p.second.kept
		}
	}
	return false
}

// negligible reports whether rounding hides the decrease of the objective, so that the violation
// must judge. A coefficient held only by the penalty has the violation 1 until it is 0.
func (p *Smooth) negligible() bool {
	decrease := kernel.Dot(p.at.gradient.w, p.step.w) + p.at.gradient.b*p.step.b
	return p.options.L1 == 0 && math.Abs(decrease) <= 1e-14*p.objective()
}

// worthwhile reports whether to reuse the model, which multiplied the violation by ratio, with the
// factor rest to go. A new model costs as much as cost steps, and speeds up the next solves.
func (p *Smooth) worthwhile(ratio, rest float64) bool {
	cost := 2 + float64(p.rows.stride)/16
	return ratio <= 0.5 && math.Log(max(rest, 1)) <= -cost*math.Log(ratio)
}

// wholeStep takes the step if it lowers the violation enough, or else renews the model, searches
// along the step, or ends at rounding.
func (p *Smooth) wholeStep(s *descent) error {
	old := p.at.violation
	p.now.add(1, p.step)
	p.evaluate()
	if p.at.violation < old && (old <= near || p.at.violation <= old/2) {
		s.done = !s.reuse && p.at.violation <= Tolerance && p.at.violation > old/2
		s.reuse = p.worthwhile(p.at.violation/old, p.at.violation/s.aim)
		s.damping = 0
		return nil
	}
	p.now.set(p.before)
	p.evaluate()
	switch {
	case s.reuse:
		s.reuse = false
	case old <= Tolerance:
		ridge, ok := p.second.model.(*ridgeModel)
		s.done = old < 100*refined || !ok || !ridge.fallBack(p)
		p.second.kept = p.second.kept && s.done
	default:
		return p.search(s)
	}
	return nil
}

// fallBack switches to a more robust model, if any: from R^n, where features of very large norm
// leave only their own digits, to R^d, then to the working set, which detects dependent features.
func (p *Smooth) fallBack() bool {
	ridge, ok := p.second.model.(*ridgeModel)
	if !ok {
		return false
	}
	if !ridge.fallBack(p) {
		p.second.model = newSparseModel(p)
	}
	p.second.kept = false
	return true
}

// search moves to where the objective falls by a share of the slope's prediction, up to rounding,
// and the derivative is at most half as steep as at the start, or as close as its trials get. The
// derivative increases, so secants between bounds of opposite sign find the point. The error
// reports losses that fall forever.
func (p *Smooth) search(s *descent) error {
	const (
		share    = 1e-4
		rounding = 8 * 0x1p-52
		trials   = 40
		short    = 0.1
	)
	s.reuse = false
	p.rows.predict(p.along, p.step.w, p.step.b)
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
	if endless && p.at.violation > Tolerance {
		return ErrNoMinimum
	}
	return nil
}

// endless reports whether the losses are negligible relative to those at 0 while the scores still
// move by far more than rounding: Newton steps towards a minimum become short earlier.
func (p *Smooth) endless(s *descent, t float64) bool {
	penalized := p.options.L1 > 0 || p.options.L2 > 0
	if penalized && (!p.options.Intercept || p.options.OneSided) || !(p.at.value <= 1e-13*s.start) {
		return false
	}
	var far, moved, bent float64
	for i, v := range p.cost {
		if v > 0 {
			far = max(far, math.Abs(p.at.score[i]))
			moved = max(moved, math.Abs(p.along[i]))
			bent = max(bent, math.Abs(p.along[i]-p.step.b)) // by anything but the intercept
		}
	}
	return t*moved > 1e-3*far && !(penalized && bent > 0.1*moved)
}
