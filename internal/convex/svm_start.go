package convex

import (
	"fmt"
	"math"

	"github.com/agepath/agepath/internal/activeset"
)

type given uint8

const (
	solved given = iota
	duals        // SetDuals: f must be evaluated
	primal       // SetScores: the multipliers are a guess
)

// nearly is the relative distance within which a given multiplier is at its bound, and a margin 1.
const nearly = 1e-8

func (s *SVM) Theta() []float64 { return s.theta }

// Duals returns the last solution's multipliers α_i >= 0, f(x) = Σ α_i y_i k(x_i, x). The next
// Solve overwrites the slice; SetScores does not.
func (s *SVM) Duals() []float64 { return s.alpha }

func (s *SVM) Scores(dst []float64) {
	if s.given == primal {
		copy(dst, s.scores)
		return
	}
	q := s.dual
	if q.stale {
		q.evaluate()
	}
	for i, f := range q.F {
		dst[i] = f + s.b
	}
}

// SetTheta is SetDuals with the bias.
func (s *SVM) SetTheta(theta []float64) {
	if len(theta) != len(s.theta) {
		panic(fmt.Sprintf("convex: %d parameters, want %d", len(theta), len(s.theta)))
	}
	last := len(theta) - 1
	s.theta[last] = theta[last]
	if !s.dual.Equality {
		s.theta[last] = 0
	}
	s.SetDuals(theta[:last])
}

// SetScores starts the next Solve from the training values of a function, with bias. The margins
// place the multipliers: at the upper bound (below 1), free (1) or 0 (above 1), exactly if the
// function was a solution. Until then only the bias of Theta changes.
func (s *SVM) SetScores(scores []float64, bias float64) {
	copy(s.scores, scores)
	if !s.dual.Equality {
		bias = 0
	}
	s.theta[len(s.theta)-1], s.b = bias, bias
	s.standBy()
}

func (s *SVM) standBy() {
	scale := 1.0
	for _, v := range s.scores {
		scale = max(scale, math.Abs(v))
	}
	q := s.dual
	for i, v := range s.scores {
		switch slack := 1 - s.y[i]*v; {
		case slack > nearly*scale:
			s.places[i] = q.Full(i)
		case slack < -nearly*scale:
			s.places[i] = q.Zero(i)
		default:
			s.places[i] = activeset.Inside
		}
	}
	s.given = primal
	s.recall()
}

// SetDuals starts the next Solve from α: clipped to the bounds, within 1e-8 relative of a bound put
// there, and with Σ α_i y_i = 0 restored by moving the free ones first. The bias stays.
func (s *SVM) SetDuals(alpha []float64) {
	if len(alpha) != len(s.alpha) {
		panic(fmt.Sprintf("convex: %d multipliers for %d samples", len(alpha), len(s.alpha)))
	}
	q := s.dual
	for i, v := range alpha {
		s.alpha[i] = max(0, v)
		s.places[i] = activeset.Inside
		if s.alpha[i] == 0 {
			s.places[i] = q.Zero(i)
		}
	}
	s.given = duals
	s.b = s.theta[len(s.theta)-1]
	s.recall()
	s.publish()
}

func (s *SVM) recall() {
	q := s.dual
	for i, v := range s.alpha {
		q.Beta[i] = s.y[i] * v
		if s.given == primal {
			q.Beta[i] = 0
		}
	}
	copy(q.Place, s.places)
	q.B = s.b
	q.stale = true
}

// keep makes the dual's state the solution; samples without weight are placed by margin.
func (s *SVM) keep() {
	q := s.dual
	for i, f := range q.F {
		s.alpha[i] = math.Abs(q.Beta[i])
		if q.Low[i] == q.High[i] {
			q.Place[i] = q.Zero(i)
			if s.y[i]*(f+q.B) < 1 {
				q.Place[i] = q.Full(i)
			}
		}
	}
	copy(s.places, q.Place)
	s.b = q.B
	s.given = solved
	s.publish()
}

func (s *SVM) publish() {
	copy(s.theta, s.alpha)
	s.theta[len(s.theta)-1] = s.b
}

func (q *dual) snap() {
	q.Begin()
	for i, at := range q.Place {
		if at != activeset.Inside {
			continue
		}
		width := q.High[i] - q.Low[i]
		switch {
		case q.Beta[i]-q.Low[i] <= nearly*width:
			q.ToBound(i, -1)
		case q.High[i]-q.Beta[i] <= nearly*width:
			q.ToBound(i, 1)
		}
	}
	q.Apply()
}
