package landing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// depart returns the start of the descents from a jump point: the farthest point tried to which the
// implicit objective falls, along the direction in which H is no longer positive definite, at a fold
// that of the path. Plain steps from the jump point take up to 10^5 to leave a fold. Where a
// weight breaks, the first step leaves.
func (s *site) depart(pt *model.Point, x model.Crossing, age float64) departure {
	d := departure{theta: append([]float64(nil), pt.Theta...)}
	var direction []float64
	switch {
	case x.OfSample() && len(s.state.Active) > 0 && !s.state.Breaks():
		direction = s.weakest(pt, x)
	case x.Cause == model.Activated:
		direction = s.entering(x)
	case x.Cause == model.Fold:
		direction = s.folding(pt)
	default:
		return d
	}
	if theta, ok := s.escape(pt.Theta, direction, age); ok {
		d.theta = theta
	}
	return d
}

// folding returns the path's direction at a fold. Between two samples that cancel, H becomes singular
// in a direction in which the age pushes by rounding alone: there folding returns that direction, by
// inverse iteration, with the sign in which the first sample that moves as far as most rises.
func (s *site) folding(pt *model.Point) []float64 {
	s.condition.Predict(pt.U, pt.Theta)
	s.condition.Assemble(pt)
	way, direction := make([]float64, s.state.Unknowns()), make([]float64, s.state.P)
	s.state.Gather(way, pt.Rate)
	if !s.condition.Factorize() {
		return pt.Rate
	}
	s.condition.Solve(way)
	var push, size float64
	for r, j := range s.state.Active {
		direction[j] = way[r]
		push += pt.Age * way[r] * s.state.Dage[r]
		size += math.Abs(way[r]) * s.state.Scale[r]
	}
	if !(math.Abs(push) <= tolerance.Still*size) {
		return pt.Rate
	}
	s.condition.PredictAll(s.scores, direction)
	most := math.Abs(s.scores[blas64.Iamax(dense.Vector(s.scores))])
	first := slices.IndexFunc(s.scores, func(u float64) bool { return math.Abs(u) > tolerance.AlsoMost*most })
	blas64.Scal(model.Sign(s.scores[max(0, first)]), dense.Vector(direction))
	return direction
}

// weakest returns the direction in which H is negative after a sample's crossing, by the factor
// before it, oriented towards the new zone.
func (s *site) weakest(pt *model.Point, x model.Crossing) []float64 {
	i, st := x.Index, s.state
	direction := make([]float64, st.P)
	s.condition.Weakest(direction, i)
	slope := pt.Slope[x.Slot]
	if st.Kinked() {
		slope = -st.Y[i]
	}
	rises := slope*s.condition.PredictOne(i, direction) > 0
	if rises != (x.Cause == model.SampleUp) {
		blas64.Scal(-1, dense.Vector(direction))
	}
	return direction
}

// entering returns the direction of a coordinate that becomes active, which the active ones follow.
func (s *site) entering(x model.Crossing) []float64 {
	c, st := s.condition.(*condition.Primal), s.state
	direction, along := make([]float64, st.P), make([]float64, len(st.Active))
	c.Border(along, x.Index)
	c.Solve(along)
	for r, j := range st.Active {
		direction[j] = -x.Sign * along[r]
	}
	direction[x.Index] = x.Sign
	return direction
}

func (s *site) escape(theta, direction []float64, age float64) (to []float64, ok bool) {
	n := s.state.N
	here, u, du := make([]float64, n), make([]float64, n), make([]float64, n)
	s.condition.PredictAll(du, direction)
	s.condition.PredictAll(here, theta)
	largest := math.Abs(du[blas64.Iamax(dense.Vector(du))])
	size := (blas64.Nrm2(dense.Vector(here)) + blas64.Nrm2(dense.Vector(s.state.Y))) / math.Sqrt(float64(n))
	if !(largest > 0) || math.IsInf(largest, 0) {
		return nil, false
	}
	to = make([]float64, len(theta))
	at := func(x float64) float64 {
		copy(u, here)
		blas64.Axpy(x, dense.Vector(du), dense.Vector(u))
		copy(to, theta)
		blas64.Axpy(x, dense.Vector(direction), dense.Vector(to))
		return condition.Objective(s.condition, to, u, age)
	}
	value := at(0)
	first := tolerance.EscapeLength * size / largest
	if math.IsInf(first, 0) {
		return nil, false
	}
	for x := first; x*largest > tolerance.KKT*size; x *= 0.5 {
		if !(at(0.5*x) < value) {
			x *= 0.5 // is refuted as well
		} else if at(x)+s.roundingAt(to) < value && (s.state.Kernel == nil || s.objectiveAt(to, age) < value) {
			return to, true
		}
	}
	return nil, false
}

// offSaddle returns a point next to theta when steps stop although the implicit objective falls in
// some direction, as with symmetric data: that of least curvature, first with the sign that makes
// its largest entry positive.
func (s *site) offSaddle(pt *model.Point, theta []float64, age float64) (to []float64, ok bool) {
	copy(pt.Theta, theta)
	s.condition.Predict(pt.U, pt.Theta)
	s.condition.Assemble(pt)
	direction := make([]float64, s.state.P)
	if least, ok := s.condition.Lowest(direction); !ok || !(least < -tolerance.KKT) {
		return nil, false
	}
	blas64.Scal(model.Sign(direction[blas64.Iamax(dense.Vector(direction))]), dense.Vector(direction))
	for range 2 {
		if to, ok = s.escape(theta, direction, age); ok {
			return to, true
		}
		blas64.Scal(-1, dense.Vector(direction))
	}
	return nil, false
}
