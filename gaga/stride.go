package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// stride lengthens the steps of alternate convex search where it creeps:
// beside an unstable point or through the bottleneck that a fold leaves
// behind, it makes thousands of steps in nearly the same direction. The
// extended step follows that direction, stays short against the solution, and
// is taken only if it lowers the implicit objective further, so that it goes
// where the plain steps would go.
type stride struct {
	walk           walk
	last           []float64 // the solution that the last step began at
	anchor         []float64 // where the steps took the direction that they have
	anchorScores   []float64
	count          int       // plain steps since the anchor, or since the last extended step
	length         float64   // of the last plain step
	reach          float64   // how many times as far as it has come a step may go, of late
	trial, scores  []float64 // the extended solution, its predictors
	step, distance []float64 // scratch
}

// walk is an alternation whose steps a stride lengthens.
type walk interface {
	// solution returns the current one, and its predictors at the samples looked at.
	solution() (theta, scores []float64)
	// zonesStay reports whether no sample changes its zone on a step so many times as
	// far as the predictors have come from those given, or comes to the hinge's kink
	// from further away than that.
	zonesStay(from []float64, by float64) bool
	// bends reports whether the way only bends where samples change their zones, so
	// that a step over such changes ends where the plain ones do.
	bends() bool
	// objective returns the implicit objective at a solution.
	objective(theta, scores []float64) float64
	// extend makes a solution the one that the next step weighs the samples by.
	extend(theta, scores []float64)
}

// newStride returns one for a walk that looks at n samples at most.
func newStride(w walk, n int) *stride {
	f := func(k int) []float64 { return make([]float64, k) }
	theta, _ := w.solution()
	k := len(theta)
	s := &stride{walk: w, last: f(k), anchor: f(k), anchorScores: f(n), trial: f(k), scores: f(n), step: f(k), distance: f(k)}
	s.reach = farthest
	s.turn()
	return s
}

// turn makes the walk's solution the anchor.
func (s *stride) turn() {
	theta, scores := s.walk.solution()
	copy(s.last, theta)
	copy(s.anchor, theta)
	copy(s.anchorScores, scores)
	s.count = 0
}

// A step counts as parallel to the way come so far above this cosine.
const parallel = 0.999

// patient is how many steps may take back what an extended one led astray.
const patient = 50

// most returns how many times as far as it has come an extended step may go: up to
// linearPart while no sample changes its zone, as alternation is all but linear
// there and its direction stays; else once, or not at all.
func (s *stride) most(part float64) float64 {
	by := math.Min(farthest, linearPart/part)
	for ; by > 0.5; by *= 0.5 {
		if s.walk.zonesStay(s.anchorScores, by) {
			return by
		}
	}
	if s.walk.bends() {
		return 1
	}
	return 0
}

// searchWalk is the walk of the tracker's search at an age.
type searchWalk struct {
	t   *tracker
	age float64
}

func (w searchWalk) solution() (theta, scores []float64) {
	return w.t.search.Theta(), w.t.search.scores
}

func (w searchWalk) zonesStay(from []float64, by float64) bool {
	t := w.t
	t.search.weigh(w.age)
	for i, u := range t.search.scores {
		came := u - from[i]
		loss, _, _ := t.loss.Eval(u+by*came, t.y[i])
		if zoneAmong(t.zones, t.search.thresholds, loss) != int(t.search.zone[i]) {
			return false
		}
		if t.hinge != nil && (loss > 0) != (t.search.losses[i] > 0) && math.Abs(1-t.y[i]*u) > math.Abs(came)+roundoff {
			return false
		}
	}
	return true
}

// bends is false for linear support vector machines: few samples at the margin make up
// the solution, and each that joins or leaves them turns the way.
func (w searchWalk) bends() bool { return w.t.hinge == nil || w.t.primal == nil }

func (w searchWalk) objective(theta, scores []float64) float64 {
	return w.t.objective(theta[:w.t.p], scores, w.age)
}

func (w searchWalk) extend(theta, scores []float64) {
	if w.t.quickly() != nil {
		w.t.search.SetTheta(theta) // fits do not start from the last solution
		return
	}
	w.t.search.guess(scores)
}

// An extended step that changes no zone goes so many times as far as the steps have
// come, and to this distance, relative to the solution, at most.
const (
	farthest   = 1000
	linearPart = 1e-4
)

// longestStride is the longest extended step, relative to the solution.
const longestStride = 0.01

// extend looks at the step that the walk has just made and goes on in its
// direction, as far again as it has come from the anchor or farther, if it is worth
// it. The steps behind an extended one first take back what it led astray.
func (s *stride) extend() {
	theta, scores := s.walk.solution()
	if s.count++; s.count < 2 {
		copy(s.last, theta)
		return
	}
	var size float64
	for j, w := range theta {
		s.step[j] = w - s.last[j]
		s.distance[j] = w - s.anchor[j]
		size += w * w
	}
	size = math.Sqrt(size)
	before := s.length
	step, distance := blas64.Nrm2(vector(s.step)), blas64.Nrm2(vector(s.distance))
	s.length = step
	along := blas64.Dot(vector(s.step), vector(s.distance)) / (step * distance)
	if !(along > 0) || s.count > patient {
		s.turn()
		return
	}
	copy(s.last, theta)
	if along < parallel || s.count < 3 {
		return
	}
	by := math.Min(math.Min(s.most(distance/size), s.reach), longestStride*size/distance)
	if step < before { // not beyond the limit of steps that go on to shrink
		by = math.Min(by, step*step/(before-step)/distance)
	}
	if by*distance < step {
		return
	}
	copy(s.trial, theta)
	blas64.Axpy(by, vector(s.distance), vector(s.trial))
	trial := s.scores[:len(scores)]
	for i, u := range scores {
		trial[i] = u + by*(u-s.anchorScores[i])
	}
	// Through a bottleneck the objective falls by less than its rounding.
	here := s.walk.objective(theta, scores)
	if !(s.walk.objective(s.trial, trial) < here+1e-12*math.Abs(here)) {
		s.reach = math.Max(1, 0.25*by)
		s.turn()
		return
	}
	s.reach = math.Min(farthest, 2*s.reach)
	copy(s.last, s.trial)
	s.count = 0
	s.walk.extend(s.trial, trial)
}
