package condition

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// Primal is the condition for predictors linear in θ: P counts the features and, with an intercept,
// a column of ones. Pinned samples are equality constraints whose multipliers join the unknowns.
type Primal struct {
	assembly
	factor factorization
	held   []int
	rate   []float64
	one    []float64
}

// NewPrimal returns the condition of a problem without a kernel, with the cheapest terms.
func NewPrimal(p *model.Problem) *Primal { return newPrimal(p, sums.New) }

// NewPlain is NewPrimal with terms that need no window.
func NewPlain(p *model.Problem) *Primal { return newPrimal(p, sums.NewPlain) }

func newPrimal(p *model.Problem, terms func(*sums.Scope) sums.Terms) *Primal {
	room := p.P
	if p.Kinked() {
		room = 2 * p.P
	}
	s := &Primal{
		assembly: newAssembly(p, room, terms), held: make([]int, 0, p.P),
		rate: make([]float64, room), one: make([]float64, p.P),
	}
	if !p.Kinked() {
		s.factor = &cholesky{s.Scope(), make([]float64, s.P*s.P)}
		return s
	}
	s.factor = newNullSpace(s.pins)
	return s
}

func (s *Primal) Factorize() bool {
	s.Curve()
	return s.Decompose()
}

// Decompose is Factorize with the current Hess and Diag.
func (s *Primal) Decompose() bool {
	s.Renew()
	if !s.factor.factorize() {
		return false
	}
	s.held = append(s.held, s.Active...)
	return true
}

func (s *Primal) Renew() { s.held = s.held[:0] }

func (s *Primal) Solve(b []float64) { s.factor.solve(b) }

// Quadratic returns bᵀH⁻¹b on the directions that keep pinned samples pinned. It may overwrite b.
func (s *Primal) Quadratic(b []float64) float64 { return s.factor.quadratic(b) }

func (s *Primal) Secant(pt, _ *model.Point) { s.Tangent(pt) }

func (s *Primal) Image([]float64, []float64) bool { return false }

func (s *Primal) Along([]float64, []float64, *model.Point) bool { return false }

func (s *Primal) Follow(*model.Point, []float64) {}

func (s *Primal) Tangent(pt *model.Point) {
	if s.terms.Summed() {
		s.Predict(pt.U, pt.Theta)
		s.Evaluate(pt)
	}
	rate := s.rate[:s.Unknowns()]
	for r := range rate {
		rate[r] = -s.Dage[r]
	}
	s.Solve(rate)
	s.SetRates(pt, rate)
	s.Predict(pt.DU, pt.Rate)
	thresholds(s.State(), pt)
	if a, ok := s.Activations(); ok && len(s.Active) < s.P {
		a.Gradient(pt)
		for j, l2 := range s.L2 {
			pt.Grad[j] += l2 * pt.Theta[j]
			pt.DGrad[j] += l2 * pt.Rate[j]
		}
	}
}

func (s *Primal) UnknownOf(i int) int {
	q, _ := slices.BinarySearch(s.Pins, i)
	return len(s.Active) + q
}

func (s *Primal) Row(dst []float64, i int) {
	clear(dst[:s.Unknowns()])
	s.Gather(dst, s.Samples.Row(i))
}

func (s *Primal) Leverage(i int) float64 { return s.Quadratic(s.Gather(s.one, s.Samples.Row(i))) }

func (s *Primal) Release(i int) float64 {
	b, q := s.rate[:s.Unknowns()], s.UnknownOf(i)
	clear(b)
	b[q] = 1
	s.Solve(b)
	return -1 / b[q]
}

func (s *Primal) Weakest(direction []float64, i int) {
	way := s.rate[:s.Unknowns()]
	if s.Kinked() && s.Zone[i] == model.Pinned {
		s.Release(i) // Release leaves the direction in way
	} else {
		s.Row(way, i)
		s.Solve(way)
	}
	clear(direction)
	for r, j := range s.Active {
		direction[j] = way[r]
	}
}

func (s *Primal) Rounding() (worst float64) {
	sum := make([]float64, len(s.Active))
	for i := range s.N {
		var u, terms float64
		for j, x := range s.Samples.Row(i) {
			u += x * s.At.Theta[j]
			terms += math.Abs(x * s.At.Theta[j])
		}
		loss, slope, curvature := s.Eval(s.Zone[i], u, s.Y[i])
		v, dv, _ := s.Weight(s.Zone[i], loss, s.At.Age)
		terms *= tolerance.TermRounding * s.M[i] * (v*curvature + math.Abs(dv)*slope*slope)
		for r, j := range s.Active {
			sum[r] += terms * math.Abs(s.Samples.Row(i)[j])
		}
	}
	for r, x := range sum {
		if x > 0 {
			worst = math.Max(worst, x/s.Scale[r])
		}
	}
	return worst
}

func (s *Primal) Policy() Policy {
	slow, begins := s.factor.reuse()
	p := Policy{
		Tight: tolerance.Tight, Limit: tolerance.CorrectorSteps, Quick: tolerance.EasyCorrection,
		Slow: slow, Summed: s.terms.Summed(),
	}
	switch {
	case s.terms.Affine():
		p.Slow = math.Inf(1)
	case p.Summed:
		p.Slow = 0
	case begins:
		p.Limit, p.Held = tolerance.ChordSteps, len(s.Active) > 0 && slices.Equal(s.held, s.Active)
	}
	return p
}

// NullVector returns a vector over the columns with a·z = 0 on every sample of positive weight.
func NullVector(c *Primal, columns []int) ([]float64, bool) {
	s, k := c.State(), len(columns)
	gram := make([]float64, k*k)
	for i := range s.N {
		if !s.Weighed && int(s.Zone[i]) == len(s.Zones)-1 {
			continue
		}
		x := s.Row(i)
		for r, j := range columns {
			for q, l := range columns[:r+1] {
				gram[r*k+q] += x[j] * x[l]
			}
		}
	}
	return dense.NullVector(gram, k, tolerance.Singular)
}
