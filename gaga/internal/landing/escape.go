package landing

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// depart returns where the descents from the jump point pt begin. Up to 10^5 short steps
// lead away from a fold, along the path's own direction: descents begin at the farthest
// point tried along it to which the implicit objective falls. Any other jump point they
// leave soon enough, and other ways of leaving it can end in another optimum.
func (s *site) depart(pt *model.Point, x model.Crossing, age float64) departure {
	d := departure{theta: append([]float64(nil), pt.Theta...), direction: make([]float64, s.state.P)}
	switch {
	case x.Cause == model.Fold:
		if theta, ok := s.escape(pt.Theta, pt.Rate, age); ok {
			d.theta = theta
		}
	case x.OfSample() && !s.state.Kinked() && len(s.state.Active) > 0:
		// H⁻¹a of the sample: the direction in which H has become negative.
		way := make([]float64, s.state.Unknowns())
		s.condition.Row(way, x.Index)
		s.condition.Solve(way)
		by := model.Sign(pt.Slope[x.Slot]) // towards larger losses
		if x.Cause == model.SampleDown {
			by = -by
		}
		for r, j := range s.state.Active {
			d.direction[j] = by * way[r]
		}
	}
	return d
}

// escape returns the farthest point tried from theta along a direction to which the
// implicit objective falls.
func (s *site) escape(theta, direction []float64, age float64) (to []float64, ok bool) {
	n := s.state.N
	here, u, du := make([]float64, n), make([]float64, n), make([]float64, n)
	s.condition.PredictAll(du, direction)
	s.condition.PredictAll(here, theta)
	largest := math.Abs(du[blas64.Iamax(vector(du))])
	size := (blas64.Nrm2(vector(here)) + blas64.Nrm2(vector(s.state.Y))) / math.Sqrt(float64(n))
	if !(largest > 0) || math.IsInf(largest, 0) {
		return nil, false
	}
	to = make([]float64, len(theta))
	at := func(x float64) float64 {
		copy(u, here)
		blas64.Axpy(x, vector(du), vector(u))
		copy(to, theta)
		blas64.Axpy(x, vector(direction), vector(to))
		return condition.Objective(s.condition, to, u, age)
	}
	value := at(0)
	for x := tolerance.EscapeLength * size / largest; x*largest > tolerance.EscapeLeast*size; x *= 0.5 {
		if at(0.5*x) < value && at(x) < value {
			return to, true
		}
	}
	return nil, false
}

// offSaddle returns a point beside theta, where steps stand still although the implicit
// objective falls in some direction: symmetric data leads there. The direction is the
// eigenvector of H's least eigenvalue, with the sign that makes its largest entry positive
// where the objective falls there, else the other. It reports false where H has no
// negative eigenvalue or no descent is found. It evaluates the condition at pt.
func (s *site) offSaddle(pt *model.Point, theta []float64, age float64) (to []float64, ok bool) {
	k := len(s.state.Active)
	c, primal := s.condition.(*condition.Primal)
	if !primal || k == 0 || len(s.state.Pins) > 0 {
		return nil, false
	}
	copy(pt.Theta, theta)
	c.Predict(pt.U, pt.Theta)
	c.Assemble(pt)
	c.Curve()
	scaled := mat.NewSymDense(k, nil)
	for r := range k {
		for q := r; q < k; q++ {
			if unit := math.Sqrt(s.state.Diag[r] * s.state.Diag[q]); unit > 0 {
				scaled.SetSym(r, q, c.Scope().Hess[r*k+q]/unit)
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) || !(eigen.Values(nil)[0] < -tolerance.NegativeCurvature) {
		return nil, false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	direction := make([]float64, s.state.P)
	for r, j := range s.state.Active {
		if unit := math.Sqrt(s.state.Diag[r]); unit > 0 {
			direction[j] = vectors.At(r, 0) / unit
		}
	}
	blas64.Scal(model.Sign(direction[blas64.Iamax(vector(direction))]), vector(direction))
	for range 2 {
		if to, ok = s.escape(theta, direction, age); ok {
			return to, true
		}
		blas64.Scal(-1, vector(direction))
	}
	return nil, false
}
