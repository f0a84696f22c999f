package landing

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// extrapolation lengthens steps. Next to an unstable point, or in the bottleneck after a fold,
// thousands of steps go in nearly the same direction. An extrapolated step follows it, stays short
// relative to the solution, and must lower the implicit objective further.
type extrapolation struct {
	*site
	trail
	across        bool
	age           float64
	thresholds    []float64
	last          []float64
	before        []float64
	anchor        []float64
	anchorScores  []float64
	count         int // plain steps since the anchor or the last extrapolation
	largest       float64
	trial, scores []float64
	step, way     []float64
}

type trail interface {
	solution() (theta []float64, samples []int, u []float64)
	// objective returns +Inf if the predictors u of the near samples do not determine it.
	objective(theta, u []float64) float64
	// move sets the solution at which the next step weighs the samples.
	move(theta, u []float64)
}

func newExtrapolation(s *site, t trail, across bool) *extrapolation {
	f := func(k int) []float64 { return make([]float64, k) }
	n, p := s.state.N, s.state.P
	return &extrapolation{
		site: s, trail: t, across: across, thresholds: f(s.state.Thresholds()),
		last: f(p), before: f(p), anchor: f(p), anchorScores: f(n), trial: f(p), scores: f(n), step: f(p), way: f(p),
	}
}

func (e *extrapolation) begin(age float64) {
	e.age = age
	e.state.ThresholdsAt(e.thresholds, age)
	e.largest = tolerance.LongestFactor
	clear(e.before)
	e.turn()
}

func (e *extrapolation) turn() {
	theta, _, u := e.solution()
	copy(e.last, theta)
	copy(e.anchor, theta)
	copy(e.anchorScores, u)
	e.count = 0
}

func (e *extrapolation) look() {
	e.condition.PredictAll(e.site.scores, e.anchor)
	_, samples, _ := e.solution()
	for slot, i := range samples {
		e.anchorScores[slot] = e.site.scores[i]
	}
}

// most returns the largest factor, relative to the distance from the anchor, which is the given
// part of the solution. It is large while no sample changes its zone, as steps are then nearly
// linear; otherwise 1 or 0.
func (e *extrapolation) most(part float64, samples []int, u []float64) float64 {
	by := tolerance.LongestFactor
	if !(e.across && e.state.Kinked() && e.state.Polynomial) {
		by = math.Min(by, tolerance.StraightPart/part)
	}
	for ; by > 0.5; by *= 0.5 {
		if e.keeps(samples, u, by) {
			return by
		}
	}
	if e.across {
		return 1
	}
	return 0
}

// keeps reports whether no sample changes its zone or reaches the hinge's kink from afar.
func (e *extrapolation) keeps(samples []int, u []float64, by float64) bool {
	s := e.state
	for slot, i := range samples {
		y, came := s.Y[i], u[slot]-e.anchorScores[slot]
		now, _, _ := s.Loss.Eval(u[slot], y)
		then, _, _ := s.Loss.Eval(u[slot]+by*came, y)
		if s.Among(e.thresholds, then) != s.Among(e.thresholds, now) {
			return false
		}
		if s.Kinked() && (then > 0) != (now > 0) && math.Abs(1-y*u[slot]) > math.Abs(came)+tolerance.Roundoff {
			return false
		}
	}
	return true
}

// extend extrapolates by at least the distance from the anchor. The plain steps that follow correct
// an extrapolation that went too far.
func (e *extrapolation) extend() bool {
	theta, samples, u := e.solution()
	if e.count++; e.count < 2 {
		copy(e.last, theta)
		return false
	}
	var size float64
	for j, w := range theta {
		e.step[j] = w - e.last[j]
		e.way[j] = w - e.anchor[j]
		size += w * w
	}
	size = math.Sqrt(size)
	step, distance, before := blas64.Nrm2(dense.Vector(e.step)), blas64.Nrm2(dense.Vector(e.way)), blas64.Nrm2(dense.Vector(e.before))
	steady := dense.Dot(e.step, e.before) > tolerance.Parallel*step*before
	copy(e.before, e.step)
	along := dense.Dot(e.step, e.way) / (step * distance)
	aside := along < tolerance.Parallel
	if !(along > 0) || e.count > tolerance.Recovery || aside && steady && e.count > 2 {
		e.turn()
		return false
	}
	copy(e.last, theta)
	if aside || e.count < 3 {
		return false
	}
	by := math.Min(math.Min(e.most(distance/size, samples, u), e.largest), tolerance.LongestExtrapolation*size/distance)
	if step < before { // within the limit of a geometric sequence
		by = math.Min(by, step*step/(before-step)/distance)
	}
	if by*distance < step {
		return false
	}
	copy(e.trial, theta)
	blas64.Axpy(by, dense.Vector(e.way), dense.Vector(e.trial))
	trial := e.scores[:len(u)]
	for i, v := range u {
		trial[i] = v + by*(v-e.anchorScores[i])
	}
	here := e.objective(theta, u)
	if !(e.objective(e.trial, trial) < here+tolerance.SumRounding*math.Abs(here)) {
		e.largest = math.Max(1, tolerance.FactorCut*by)
		e.turn()
		return false
	}
	e.largest = math.Min(tolerance.LongestFactor, 2*e.largest)
	copy(e.last, e.trial)
	e.count = 0
	e.move(e.trial, trial)
	return true
}
