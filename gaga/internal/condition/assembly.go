package condition

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/cubic"
	"github.com/agepath/agepath/internal/kernel"
)

type assembly struct {
	rows
	pins    *pins
	terms   sums.Terms
	zero    []bool
	floored bool
	curved  bool // Hess and Diag are current

	gradient, size []float64
}

func newAssembly(p *model.Problem, room int, terms func(*sums.Scope) sums.Terms) assembly {
	scope := &sums.Scope{State: model.NewState(p, room), Hess: make([]float64, p.P*p.P), Floor: make([]float64, p.P)}
	s := assembly{
		rows: newRows(scope), pins: newPins(scope), terms: terms(scope),
		zero: make([]bool, p.P), gradient: make([]float64, p.P), size: make([]float64, p.P),
	}
	for j := range s.zero {
		column := blas64.Vector{N: p.N, Inc: p.P, Data: p.Rows[j:]}
		s.zero[j] = column.Data[blas64.Iamax(column)*p.P] == 0
	}
	return s
}

func (s *assembly) State() *model.State { return s.Scope().State }

func (s *assembly) Scope() *sums.Scope { return s.rows.Scope }

func (s *assembly) Terms() sums.Terms { return s.terms }

// Activations returns the terms if coordinates can become active.
func (s *assembly) Activations() (a sums.Activations, ok bool) {
	a, ok = s.terms.(sums.Activations)
	return a, ok && !s.Kinked()
}

func (s *assembly) Zero(j int) bool { return s.zero[j] }

func (s *assembly) Place(zones []uint8, u, _ []float64) {
	s.terms.Place(zones, u)
	s.Count()
	if u != nil {
		s.setFloor(u)
	}
}

func (s *assembly) setFloor(u []float64) {
	if s.Kinked() && s.floored {
		return
	}
	s.floored = true
	clear(s.Floor)
	var part [256]float64
	for from := 0; from < s.N; from += len(part) {
		sizes := part[:min(len(part), s.N-from)]
		for k := range sizes {
			i := from + k
			_, slope, curvature := s.Loss.Eval(u[i], s.Y[i])
			if s.Kinked() { // at the kink the multiplier replaces it
				slope = s.Cost
			}
			sizes[k] = tolerance.FloorWeight * s.M[i] * sums.GradientTerms(u[i], slope, curvature)
		}
		kernel.MulTransAddAbs(s.Floor, s.Samples.Rows[from*s.P:], s.P, sizes)
	}
}

func (s *assembly) Shift(i int, up bool, theta []float64) {
	from := s.Move(i, up)
	s.terms.Move(i, from, theta)
}

// Choose activates the coordinates with a sign and those without an L1 weight, except columns of
// zeros and, where nothing determines them, unpenalized coordinates.
func (s *assembly) Choose() {
	s.Frozen = s.Undetermined()
	s.Active = s.Active[:0]
	for j := range s.P {
		if s.Sign[j] != 0 || (s.L1[j] == 0 && !s.zero[j] && !(s.Frozen && s.L2[j] == 0)) {
			s.Active = append(s.Active, j)
		}
	}
	s.pins.choose()
	s.gather()
}

func (s *assembly) Extrapolate(pt, from *model.Point, h float64) {
	for j, w := range from.Theta {
		pt.Theta[j] = w + h*from.Rate[j]
	}
	for _, i := range s.Pins {
		pt.Dual[i] = from.Dual[i] + h*from.DDual[i]
	}
}

func (s *assembly) Interpolate(pt, a, b *model.Point, x float64) {
	h := b.Age - a.Age
	cubic.Interpolate(pt.Theta, a.Theta, a.Rate, b.Theta, b.Rate, h, x)
	cubic.Interpolate(pt.Dual, a.Dual, a.DDual, b.Dual, b.DDual, h, x)
}

func (s *assembly) Assemble(pt *model.Point) {
	if !s.terms.Summed() {
		s.Evaluate(pt)
	}
	s.Collect(pt)
}

func (s *assembly) Collect(pt *model.Point) {
	s.At, s.curved = pt, false
	clear(s.Dage[:s.Unknowns()])
	e := s.Equations
	for r, j := range s.Active {
		w := pt.Theta[j]
		e.Residual[r] = s.L2[j]*w + s.L1[j]*s.Sign[j]
		e.Scale[r] = math.Abs(s.L2[j]*w) + s.L1[j] + s.Floor[j]
	}
	s.terms.Assemble(pt)
	s.pins.assemble(pt)
}

// Curve evaluates H and Diag, which only factors need.
func (s *assembly) Curve() {
	if s.curved {
		return
	}
	s.curved = true
	k := len(s.Active)
	clear(s.Hess[:k*k])
	for r, j := range s.Active {
		s.Diag[r] = s.L2[j]
		s.Hess[r*k+r] = s.L2[j]
	}
	s.terms.Curve(s.At)
}

func (s *assembly) Border(dst []float64, j int) (diagonal, magnitude float64) {
	a, _ := s.Activations()
	diagonal, magnitude = a.Border(dst, j)
	return diagonal + s.L2[j], magnitude + s.L2[j]
}

func (s *assembly) Penalty(theta, _ []float64) float64 { return s.Problem.Penalty.Value(theta) }

func (s *assembly) Value(pt *model.Point) float64 {
	return s.Penalty(pt.Theta, nil) + s.terms.Objective()
}

func (s *assembly) Residual(pt *model.Point) float64 {
	worst := s.pins.violation(pt)
	if len(s.Active) == s.P {
		return math.Max(worst, s.Relative())
	}
	s.terms.Gradients(s.gradient, s.size)
	s.pins.addGradient(s.gradient, s.size, pt)
	for j, w := range pt.Theta {
		g, size := s.gradient[j]+s.L2[j]*w, s.size[j]
		sign := model.Sign(w)
		off := math.Abs(g + s.L1[j]*sign)
		if w == 0 || (s.L1[j] > 0 && sign != s.Sign[j]) {
			off = math.Max(0, math.Abs(g)-s.L1[j])
		}
		if off > 0 {
			worst = math.Max(worst, off/(size+math.Abs(s.L2[j]*w)+s.L1[j]+s.Floor[j]))
		}
	}
	return worst
}
