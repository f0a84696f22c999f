package condition

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// Kernel is the condition for the hinge loss in a kernel's space: θ are the N multipliers α and the
// intercept b. The unknowns are b and the multipliers of the pinned and the curved samples,
// together A; all other multipliers are constant on their zones. With the defects g = 1 - y∘u the
// equations are -g_i = 0 for a pinned sample, δ_i (ψ_i(g_i) - α_i) = 0 for a curved one, with
// ψ_i(g) = bound m_i v*(Cg) and δ_i = -1/ψ_i', and yᵀα = 0, so that
//
//	J = [ Q_AA - Δ  y ]
//	    [ yᵀ        0 ]
//
// A point is a strict minimum exactly when J has as many positive eigenvalues as samples are
// pinned. [Condition] documents the methods.
type Kernel struct {
	*inverse
	b   []float64
	row []float64
	way []float64 // of the last sign test: preserves all equations except the sample's own
}

// NewKernel returns the condition of a problem with a kernel.
func NewKernel(p *model.Problem, matrix *convex.KernelRows) *Kernel {
	state := model.NewState(p, p.P)
	state.Bound = p.Cost / p.L2[0]
	return &Kernel{
		inverse: newInverse(newHeldFactor(newGram(state, matrix))),
		b:       make([]float64, p.P), row: make([]float64, p.P), way: make([]float64, p.P),
	}
}

func (s *Kernel) State() *model.State { return s.kernelPredictor.State }

func (s *Kernel) Place(zones []uint8, _, theta []float64) {
	copy(s.Zone, zones)
	s.Count()
	s.stale, s.Active = true, s.Active[:0]
	if theta == nil {
		return
	}
	for i := range s.N {
		s.fix(theta, i)
	}
}

func (s *Kernel) fix(theta []float64, i int) {
	z := s.Zone[i]
	if z == model.Pinned || s.Curved[z] {
		return
	}
	theta[i] = 0
	if z != model.Satisfied {
		v, _, _ := s.Weight(z, 0, 1)
		theta[i] = s.Bound * s.M[i] * v
	}
}

func (s *Kernel) Shift(i int, up bool, theta []float64) {
	from := s.Move(i, up)
	if theta == nil {
		s.stale = true
		return
	}
	s.fix(theta, i)
	if s.stale {
		return
	}
	s.trust.drift = 0 // its estimates can now be far larger
	if from == model.Pinned || s.Curved[from] {
		if s.leave(i, from); s.stale {
			return
		}
	}
	switch z := s.Zone[i]; {
	case z == model.Pinned:
		s.enter(i, 0)
	case s.Curved[z]:
		loss, _, _ := s.Eval(z, s.PredictOne(i, theta), s.Y[i])
		_, slope, _ := s.Weight(z, loss, s.At.Age)
		s.enter(i, s.deltaAt(i, slope))
	}
}

func (s *Kernel) Assemble(pt *model.Point) {
	s.At = pt
	e, b := s.Equations, 1+math.Abs(pt.Theta[s.N])
	for r, i := range s.Active[:s.pinned] {
		off, size := s.Y[i]*pt.U[i]-1, b+math.Abs(pt.U[i])
		if math.Abs(off) <= tolerance.TermRounding*size {
			off = 0
		}
		e.Residual[r], e.Scale[r], e.Dage[r], e.Diag[r] = off, size, 0, s.diagonal[i]
	}
	if r := s.pinned; s.bordered() {
		alpha, least := dense.Vector(pt.Theta[:s.N]), tolerance.FloorWeight*s.Bound*s.Total
		e.Residual[r], e.Scale[r], e.Dage[r], e.Diag[r] = kernel.Dot(s.Y, alpha.Data), blas64.Asum(alpha)+least, 0, 0
	}
	for r, i := range s.Active[s.front:] {
		r += s.front
		u := pt.U[i]
		loss, slope, curvature := s.Eval(s.Zone[i], u, s.Y[i])
		pt.Loss[i], pt.Slope[i], pt.Curvature[i] = loss, slope, curvature
		v, dv, da := s.Weight(s.Zone[i], loss, pt.Age)
		top := s.Bound * s.M[i]
		delta := s.deltaAt(i, dv)
		off, dage := delta*(top*v-pt.Theta[i]), delta*top*da
		if s.Steep && int(s.Zone[i]) == s.Kinks {
			off, delta, dage = s.steep(i, pt, top*v, delta)
		}
		s.delta[i] = delta
		e.Residual[r], e.Scale[r] = off, delta*top+b+math.Abs(u)
		e.Dage[r], e.Diag[r] = dage, s.diagonal[i]
	}
}

// steep returns a curved sample's equation, its δ and its derivative in the age where the weight's
// slope is infinite at the threshold: next to it, δ is 0 and any multiplier solves the usual equation.
// This one compares the loss with that at which the weight is the multiplier's, exactly for a power
// of the distance from the threshold; its δ is that of the chord between the two.
func (s *Kernel) steep(i int, pt *model.Point, psi, tangent float64) (off, delta, dage float64) {
	threshold, _ := s.Regularizer.Threshold(0, pt.Age)
	way, alpha := threshold-pt.Loss[i], pt.Theta[i]
	at := max(way, tolerance.Steeper*threshold)
	v, dv, da := s.Weight(s.Zone[i], threshold-at, pt.Age)
	want := math.Copysign(at*kernel.Pow(math.Abs(alpha)/(s.Bound*s.M[i]*v), -v/(at*dv)), alpha)
	off, delta = (way-want)/s.Cost, tangent
	if math.Abs(psi-alpha) > tolerance.Steeper*math.Abs(alpha) {
		delta = off / (psi - alpha)
	}
	return off, delta, -da / (dv * s.Cost)
}

// Image sets b to the step's change of y∘u at the unknowns' samples: with δ as in the factor, J
// times the step is b.
func (s *Kernel) Image(b, step []float64) bool {
	for r, i := range s.Active {
		switch {
		case r < s.front:
		case s.held[i] <= tolerance.FollowedDelta*s.diagonal[i]:
			b[r] += s.held[i] * step[r]
		default: // the two cancel
			row := s.row[:len(s.Active)]
			s.Row(row, i)
			b[r] = s.Y[i] * kernel.Dot(row, step)
		}
	}
	return true
}

func (s *Kernel) Along(step, image []float64, pt *model.Point) bool {
	for r, i := range s.Active {
		step[r], image[r] = -pt.Rate[i], 0
		if i < s.N {
			image[r] = -s.Y[i] * pt.DU[i]
		}
	}
	return true
}

func (s *Kernel) Follow(pt *model.Point, image []float64) {
	for r, i := range s.Active {
		if i < s.N {
			pt.U[i] -= s.Y[i] * image[r]
		}
	}
}

func (s *Kernel) Tangent(pt *model.Point) {
	s.Evaluate(pt)
	k := len(s.Active)
	rate, r := s.b[:k], s.remainder[:k]
	clear(rate)
	clear(pt.DU)
	for q := range r {
		r[q] = -s.Dage[q]
	}
	s.rates(pt, rate, r)
	s.tire()
	thresholds(s.State(), pt)
}

func (s *Kernel) Secant(pt, left *model.Point) {
	h := pt.Age - left.Age
	parabola := func(rate, x, from, before []float64) {
		copy(rate, before)
		if h < tolerance.ShortSecant*pt.Age {
			return
		}
		for i, v := range before {
			rate[i] = 2*(x[i]-from[i])/h - v
		}
	}
	parabola(pt.Rate, pt.Theta, left.Theta, left.Rate)
	parabola(pt.DU, pt.U, left.U, left.DU)
	s.Evaluate(pt)
	thresholds(s.State(), pt)
}

func (s *Kernel) UnknownOf(i int) int { return s.at[i] }

func (s *Kernel) Row(dst []float64, i int) {
	row := s.matrix.Row(i)
	for r, j := range s.Active {
		dst[r] = 1
		if j < s.N {
			dst[r] = s.Y[j] * row[j]
		}
	}
}

func (s *Kernel) Leverage(i int) float64 {
	row := s.row[:len(s.Active)]
	s.Row(row, i)
	form := s.form(row)
	s.note(-s.Y[i])
	s.way[i]++
	return (s.diagonal[i] - form) / s.L2[0]
}

func (s *Kernel) Release(i int) float64 {
	row := s.row[:len(s.Active)]
	clear(row)
	row[s.at[i]] = 1
	form := s.form(row)
	s.note(1)
	return 1 / (form * s.L2[0])
}

func (s *Kernel) Weakest(direction []float64, i int) {
	if s.Zone[i] == model.Pinned {
		s.Release(i)
	} else {
		s.Leverage(i)
	}
	copy(direction, s.way)
}

// note stores the solution of the last form as the direction of the rates' change at a crossing,
// without the sample's own part.
func (s *Kernel) note(unit float64) {
	clear(s.way)
	for q, j := range s.Active {
		s.way[j] = unit * s.solution[q]
	}
}

func (s *Kernel) Penalty(theta, u []float64) float64 {
	var sum float64
	for i, a := range theta[:s.N] {
		sum += a * s.Y[i] * (u[i] - theta[s.N])
	}
	return 0.5 * s.L2[0] * sum
}

func (s *Kernel) Value(pt *model.Point) float64 { return Objective(s, pt.Theta, pt.U, pt.Age) }

// Residual counts the equations and the bounds of pinned samples: all other multipliers are exact.
func (s *Kernel) Residual(pt *model.Point) float64 {
	worst := s.Relative()
	for _, i := range s.Active[:s.pinned] {
		a, top := pt.Theta[i], s.Bound*s.M[i]
		worst = max(worst, -a/top, (a-top)/top)
	}
	return worst
}

func (s *Kernel) Rounding() float64 { return 0 }

func (s *Kernel) Policy() Policy {
	return Policy{
		Tight: tolerance.TightSum, Limit: tolerance.KernelCorrection, Quick: tolerance.EasyKernelCorrection,
		Slow: tolerance.Trusted, Held: !s.stale && !s.slow, Trusted: true,
	}
}
