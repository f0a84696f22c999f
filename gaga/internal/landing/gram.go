package landing

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/kernel"
)

// gram makes steps for the squared loss under regularizers whose weights are polynomials in the
// residual. A weighted fit is then a small problem in the moments of the zones, and within a window
// only the watched samples can change their zones, so the cost does not depend on n. Steps that
// leave the branch's window open a neighbourhood, which examines all samples once.
type gram struct {
	*site
	primal   *condition.Primal
	window   *window.Window
	moments  *sums.Moments
	constant bool
	fit      *convex.GramFit
	h        []float64 // Σ m v z zᵀ, then the fit's Hessian and gradient at 0
	among    []bool
	sign     []float64

	at         *model.Point
	seen       bool
	fitted     bool // to the current zones
	surrounded bool // by a neighbourhood
	last       []float64
	lap        lap
	trial      *model.Point
}

func newGram(s *site, c *condition.Primal, w *window.Window) (*gram, bool) {
	m, ok := c.Terms().(*sums.Moments)
	if !ok || !m.SmoothWeights() {
		return nil, false
	}
	p, q := s.state.P, m.Q()
	return &gram{
		site: s, primal: c, window: w, moments: m, constant: m.Constant(),
		fit: convex.NewGramFit(p, tolerance.Roundoff), h: make([]float64, q*q), among: make([]bool, p), sign: make([]float64, p),
		at: model.NewPoint(s.state.Problem), trial: model.NewPoint(s.state.Problem), last: make([]float64, p),
		lap: lap{length: tolerance.FitLapSteps, theta: make([]float64, p)},
	}, true
}

func (g *gram) limits() limits {
	return limits{plain: tolerance.PlainSteps, quiet: tolerance.QuietSteps, across: true}
}

func (g *gram) begin(theta []float64, age float64) {
	g.at.Age = age
	g.move(theta, nil)
	g.lap.begin(theta)
	for j, w := range theta {
		g.sign[j] = g.state.SignOf(j, w)
	}
	g.takeSigns()
}

func (g *gram) step(context.Context) (p progress, err error) {
	if !g.window.Inside(g.at) {
		if p.others = true; !g.surround() {
			return p, g.end("too many samples are at a threshold")
		}
	}
	if p.changed = g.reweigh(); g.constant && g.fitted && !p.changed {
		return p, nil
	}
	copy(g.last, g.at.Theta)
	if !g.refit() {
		return p, g.end("the fit is not found")
	}
	p.changed = g.takeSigns() || p.changed
	g.seen, g.fitted = false, true
	p.moved = g.window.Distance(g.last, g.at.Theta)
	if p.moved <= tolerance.Tight*g.window.Distance(nil, g.at.Theta) {
		p.moved = 0
	} else if g.lap.circles(g.at.Theta, floats.Distance(g.last, g.at.Theta, 2)) {
		return p, g.end("the steps are rounding of the sums")
	}
	return p, nil
}

func (g *gram) refit() bool {
	s, q := g.state, g.moments.Q()
	for again := true; again; again = g.moments.Extend(g.at.Theta) {
		g.moments.Weighted(g.h, g.last, g.at.Age)
		for j := range s.P {
			kernel.ScaleTo(g.h[j*q:][:q], 2, g.h[j*q:][:q])
			g.h[j*q+j] += s.L2[j]
			g.among[j] = s.L1[j] > 0 || !g.primal.Zero(j) && !(s.Frozen && s.L2[j] == 0)
		}
		if !g.fit.Fit(g.h, q, s.L1, g.at.Theta, g.among) {
			return false
		}
	}
	for j, w := range g.at.Theta {
		g.sign[j] = s.SignOf(j, w)
	}
	return true
}

func (g *gram) surround() bool {
	g.surrounded, g.seen = true, false
	g.window.Widen(true)
	return g.window.Surround(g.at)
}

func (g *gram) leave() {
	if g.surrounded {
		g.window.Widen(false)
		g.window.Close()
		g.surrounded, g.seen = false, false
	}
}

func (g *gram) end(reason string) error {
	g.leave()
	return &unfinished{reason}
}

func (g *gram) see() {
	if !g.seen {
		g.primal.Predict(g.at.U, g.at.Theta)
		g.seen = true
	}
}

func (g *gram) reweigh() (changed bool) {
	g.see()
	s := g.state
	for slot, i := range s.Watch {
		loss, _, _ := s.Loss.Eval(g.at.U[slot], s.Y[i])
		zone := uint8(s.Of(loss, g.at.Age))
		changed = changed || zone != s.Zone[i]
		for zone != s.Zone[i] {
			g.primal.Shift(i, zone > s.Zone[i], g.at.Theta)
		}
	}
	if s.Frozen != s.Undetermined() {
		g.primal.Choose()
	}
	return changed
}

func (g *gram) takeSigns() (changed bool) {
	for j, sign := range g.sign {
		if g.state.Sign[j] != sign {
			g.state.Sign[j], changed = sign, true
		}
	}
	if changed {
		g.primal.Choose()
		g.seen = false
	}
	return changed
}

func (g *gram) settle(pt *model.Point, final bool) (value float64, ok bool) {
	if g.reweigh() && !final {
		return 0, false
	}
	g.leave()
	pt.Age = g.at.Age
	copy(pt.Theta, g.at.Theta)
	theta, _, u := g.solution()
	return g.objective(theta, u), true
}

func (g *gram) solution() (theta []float64, samples []int, u []float64) {
	g.see()
	return g.at.Theta, g.state.Watch, g.at.U[:len(g.state.Watch)]
}

// objective uses the moments, corrected for watched samples outside their zones; outside the window
// all samples. It is +Inf if a coefficient's sign differs from the fit's, as the fit would leave
// that coefficient unchanged.
func (g *gram) objective(theta, u []float64) float64 {
	pt, s := g.trial, g.state
	for j, w := range theta {
		if w != 0 && s.L1[j] > 0 && model.Sign(w) != g.sign[j] {
			return math.Inf(1)
		}
	}
	pt.Age = g.at.Age
	copy(pt.Theta, theta)
	if !g.window.Inside(pt) {
		return g.objectiveAt(theta, pt.Age)
	}
	g.primal.Assemble(pt)
	sum := g.primal.Value(pt)
	for slot, i := range s.Watch {
		loss, _, _ := s.Loss.Eval(u[slot], s.Y[i])
		if z := int(s.Zone[i]); s.Of(loss, pt.Age) != z {
			f := s.Series(z, pt.Age).F
			sum += s.M[i] * (s.Regularizer.Integral(loss, pt.Age) - f[0] - f[2]*loss - f[3]*loss*loss)
		}
	}
	return sum
}

func (g *gram) move(theta, _ []float64) {
	copy(g.at.Theta, theta)
	g.seen, g.fitted = false, false
}
