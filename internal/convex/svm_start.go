package convex

import (
	"fmt"
	"math"

	"github.com/agepath/agepath/internal/activeset"
)

// given says where the solution that the next Solve starts from came from.
type given uint8

const (
	solved given = iota
	duals        // SetDuals: f is to be evaluated
	primal       // SetScores: the multipliers are a guess
)

// nearly is the relative distance within which a multiplier set from outside
// counts as being at its bound, and a margin as being 1.
const nearly = 1e-8

// Theta implements [Solver]: (α, b).
func (s *SVM) Theta() []float64 { return s.theta }

// Duals returns the n multipliers α_i >= 0 of the solution:
// f(x) = Σ α_i y_i k(x_i, x). The slice is the solver's own and changes with the
// next Solve. After SetScores they are those of the solution before.
func (s *SVM) Duals() []float64 { return s.alpha }

// Scores implements [Solver].
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

// SetTheta implements [Solver]. The multipliers of (α, b) are taken as in SetDuals.
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

// SetScores is SetTheta for a function that is given by its values at the training
// samples, bias included. They cannot say what the multipliers are, only where they
// stand: the margin tells the bounded ones (below 1), the free ones (1) and those that
// are 0 (above 1). The next Solve starts from this partition, which is exact where the
// function was a solution. Until then Theta stays as it was, but for the bias.
func (s *SVM) SetScores(scores []float64, bias float64) {
	copy(s.scores, scores)
	if !s.dual.Equality {
		bias = 0
	}
	s.theta[len(s.theta)-1], s.b = bias, bias
	s.standBy()
}

// standBy places the multipliers by the margins of scores.
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

// SetDuals makes α, of length n, the multipliers that the next Solve starts
// from. It clips them to the bounds of its weights, counts those within 1e-8
// relative of a bound as at it, and restores Σ α_i y_i = 0 by moving the free
// ones first. The bias in θ stays as it was.
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

// recall puts the dual back to the last solution.
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

// keep makes the dual's state the solution. Samples without weight are placed
// where their margin would have them.
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

// publish writes θ.
func (s *SVM) publish() {
	copy(s.theta, s.alpha)
	s.theta[len(s.theta)-1] = s.b
}

// snap takes free multipliers to the bounds that they nearly meet.
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
