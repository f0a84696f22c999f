package convex

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/activeset"
)

// given says where the solution that the next Solve starts from came from.
type given uint8

const (
	solved given = iota
	duals        // SetDuals, or SetTheta of a kernel model: f is to be evaluated
	primal       // SetTheta of a linear model: the multipliers are a guess
)

// nearly is the relative distance within which a multiplier set from outside
// counts as being at its bound, and a margin as being 1.
const nearly = 1e-8

// Theta implements [Solver]: (w, b) for the linear kernel, else (α, b). A linear
// machine's w is summed when it is first asked for.
func (s *SVM) Theta() []float64 {
	if s.unsummed {
		s.unsummed = false
		s.publish()
	}
	return s.theta
}

// Duals returns the n multipliers α_i >= 0 of the solution, for any kernel:
// f(x) = Σ α_i y_i k(x_i, x). The slice is the solver's own and changes with the
// next Solve. After SetTheta of a linear model they are those of the solution
// before.
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

// SetTheta implements [Solver]. For a kernel model the multipliers of (α, b) are
// taken as in SetDuals. For the linear kernel, (w, b) cannot say what the
// multipliers are, only where they stand: the margin y_i (x_i·w + b) tells the
// bounded ones (below 1), the free ones (1) and those that are 0 (above 1). The
// next Solve starts from this partition, which is exact where (w, b) was a
// solution; until then Theta and Scores are those of (w, b).
func (s *SVM) SetTheta(theta []float64) {
	if len(theta) != len(s.theta) {
		panic(fmt.Sprintf("convex: %d parameters, want %d", len(theta), len(s.theta)))
	}
	last := len(theta) - 1
	bias := theta[last]
	if !s.dual.Equality {
		bias = 0
	}
	s.Theta()[last] = bias
	if !s.linear {
		s.SetDuals(theta[:last])
		return
	}
	w := theta[:last]
	copy(s.theta, w)
	s.unsummed = false
	s.b = bias + s.atOrigin(w)
	for i := range s.scores {
		s.scores[i] = s.b
	}
	blas64.Gemv(blas.NoTrans, 1, s.points.X, vector(w), 1, vector(s.scores))
	s.standBy()
}

// SetScores is SetTheta for a function that is given by its values at the
// training samples, bias included, for any kernel. Until the next Solve Theta
// stays as it was, but for the bias.
func (s *SVM) SetScores(scores []float64, bias float64) {
	s.Theta()
	copy(s.scores, scores)
	if !s.dual.Equality {
		bias = 0
	}
	last := len(s.theta) - 1
	s.theta[last], s.b = bias, bias
	if s.linear {
		s.b += s.atOrigin(s.theta[:last])
	}
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
	last := len(s.theta) - 1
	bias := s.Theta()[last]
	s.recall()
	s.publish()
	s.theta[last], s.b = bias, bias
	if s.linear {
		s.b += s.atOrigin(s.theta[:last])
	}
	q.B = s.b
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
	if s.unsummed = s.linear; !s.linear {
		s.publish()
	}
}

// publish writes θ.
func (s *SVM) publish() {
	last := len(s.theta) - 1
	s.theta[last] = s.b
	if !s.linear {
		copy(s.theta, s.alpha)
		return
	}
	q := s.dual
	q.gram.collect(q.Beta)
	q.gram.sumRows(s.theta[:last], q.gram.list, q.gram.coef)
	s.theta[last] -= s.atOrigin(s.theta[:last])
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

// atOrigin is the value that w takes at the origin that was taken off the rows.
func (s *SVM) atOrigin(w []float64) float64 {
	value := 0.0
	for j, m := range s.origin {
		value += w[j] * m
	}
	return value
}
