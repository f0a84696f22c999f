package gaga

// stride lengthens the steps of alternate convex search where it creeps:
// beside an unstable point or through the bottleneck that a fold leaves
// behind, it makes thousands of steps in nearly the same direction. The
// extended step follows that direction, stays short against the solution, and
// is taken only if it lowers the implicit objective further, so that it goes
// where the plain steps would go.
type stride struct {
	t          *tracker
	last, step []float64 // the solution the step began at, the last step
	scores     []float64 // predictors of the extended solution
	trial      []float64
	factor     float64 // how many plain steps one extended step is worth
}

func newStride(t *tracker) *stride {
	k := t.problem.Unknowns()
	s := &stride{t: t, last: make([]float64, k), step: make([]float64, k), trial: make([]float64, k), scores: make([]float64, t.n), factor: 1}
	copy(s.last, t.search.Theta())
	return s
}

// Two steps count as parallel above this cosine.
const parallel = 0.999

// extend looks at the step that the search has just made and goes further
// along it if it is worth it.
func (s *stride) extend(age float64) {
	theta := s.t.search.Theta()
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
	straight := along > 0 && along*along > parallel*parallel*now*before
	if !straight {
		s.factor = 1
		copy(s.last, theta)
		return
	}
	s.factor *= 2
	for s.factor > 1 && s.factor*s.factor*now > 1e-4*size {
		s.factor /= 2
	}
	if s.factor < 2 {
		copy(s.last, theta)
		return
	}
	for j, w := range theta {
		s.trial[j] = w + (s.factor-1)*s.step[j]
	}
	t := s.t
	t.predictAll(s.scores, s.trial[:t.p])
	if t.objective(s.trial[:t.p], s.scores, age) < t.objective(theta[:t.p], t.search.scores, age) {
		t.search.SetTheta(s.trial)
	} else {
		s.factor = 1
	}
	copy(s.last, t.search.Theta())
}
