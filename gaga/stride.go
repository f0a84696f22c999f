package gaga

import "gonum.org/v1/gonum/blas/blas64"

// stride lengthens the steps of alternate convex search where it creeps:
// beside an unstable point or through the bottleneck that a fold leaves
// behind, it makes thousands of steps in nearly the same direction. The
// extended step follows that direction, stays short against the solution, and
// is taken only if it lowers the implicit objective further, so that it goes
// where the plain steps would go.
type stride struct {
	t                 *tracker
	last, step        []float64 // the solution the step began at, the last step
	lastScores, shift []float64 // the same of the predictors
	trial, scores     []float64 // the extended solution, its predictors
	factor            float64   // how many plain steps one extended step is worth
}

func newStride(t *tracker) *stride {
	f := func(k int) []float64 { return make([]float64, k) }
	k, n := t.problem.Unknowns(), t.n
	s := &stride{t: t, last: f(k), step: f(k), lastScores: f(n), shift: f(n), trial: f(k), scores: f(n), factor: 1}
	s.begin()
	return s
}

// begin takes the search's solution as the one that the next step begins at.
func (s *stride) begin() {
	copy(s.last, s.t.search.Theta())
	copy(s.lastScores, s.t.search.scores)
}

// Two steps count as parallel above this cosine.
const parallel = 0.999

// longestStride is the longest extended step, relative to the solution.
const longestStride = 0.03

// extend looks at the step that the search has just made and goes further
// along it if it is worth it.
func (s *stride) extend(age float64) {
	t := s.t
	theta, scores := t.search.Theta(), t.search.scores
	var along, now, before, size float64
	for j, w := range theta {
		d := w - s.last[j]
		along += d * s.step[j]
		now += d * d
		before += s.step[j] * s.step[j]
		size += w * w
		s.trial[j] = d
	}
	s.step, s.trial = s.trial, s.step
	if !(along > 0 && along*along > parallel*parallel*now*before) {
		s.factor = 1
		s.begin()
		return
	}
	s.factor *= 2
	for s.factor > 1 && s.factor*s.factor*now > longestStride*longestStride*size {
		s.factor /= 2
	}
	if s.factor < 2 {
		s.begin()
		return
	}
	copy(s.trial, theta)
	blas64.Axpy(s.factor-1, vector(s.step), vector(s.trial))
	for i, u := range scores {
		s.shift[i] = u - s.lastScores[i]
	}
	copy(s.scores, scores)
	blas64.Axpy(s.factor-1, vector(s.shift), vector(s.scores))
	if !(t.objective(s.trial[:t.p], s.scores, age) < t.objective(theta[:t.p], scores, age)) {
		s.factor = 1
		s.begin()
		return
	}
	copy(s.last, s.trial)
	copy(s.lastScores, s.scores)
	t.search.guess(s.scores)
}
