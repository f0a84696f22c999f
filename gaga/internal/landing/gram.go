package landing

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/dense"
)

// gram makes steps for the squared loss under regularizers whose weights are polynomials
// in the residual. A weighted fit is then a small problem in the moments of the zones, and
// inside a window only the watched samples can change their zones: a step costs the same
// for any number of samples. Steps begin in the window of the branch. Where they lead out
// of it the window is made a neighbourhood, which takes a look at all samples. Where
// weights are constant, as those of the hard regularizer, most landings end before that.
type gram struct {
	*site
	primal   *condition.Primal
	window   *window.Window
	moments  *sums.Moments
	constant bool // weights are constant in each zone
	fit      gramFit

	at         *model.Point // the current solution
	seen       bool         // U of it is current
	fitted     bool         // it is the fit to the zones as they are
	surrounded bool         // the window is a neighbourhood, not the branch's
	last       []float64    // P: where the last step began
	trial      *model.Point // scratch, for objectives
}

// newGram reports false where the problem is of another kind.
func newGram(s *site, c *condition.Primal, w *window.Window) (*gram, bool) {
	m, ok := c.Terms().(*sums.Moments)
	if !ok || !m.SmoothWeights() {
		return nil, false
	}
	return &gram{
		site: s, primal: c, window: w, moments: m, constant: m.Constant(), fit: newGramFit(c, m.Q()),
		at: model.NewPoint(s.state.Problem), trial: model.NewPoint(s.state.Problem), last: make([]float64, s.state.P),
	}, true
}

func (g *gram) limits() limits {
	return limits{plain: tolerance.PlainSteps, quiet: tolerance.QuietSteps, most: tolerance.GramSteps, across: true}
}

func (g *gram) begin(theta []float64, age float64) {
	g.at.Age = age
	g.move(theta, nil)
	for j, w := range theta {
		g.fit.sign[j] = g.state.SignOf(j, w)
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
	g.moments.Weighted(g.fit.gram, g.at.Theta, g.at.Age)
	if !g.fit.solve(g.at.Theta) {
		return p, g.end("the fit is not found")
	}
	p.changed = g.takeSigns() || p.changed
	copy(g.at.Theta, g.fit.theta)
	g.seen, g.fitted = false, true
	p.moved = g.window.Distance(g.last, g.at.Theta)
	if p.moved <= tolerance.StandStill*g.window.Distance(nil, g.at.Theta) {
		p.moved = 0
	}
	return p, nil
}

// surround makes the window a neighbourhood of the current solution.
func (g *gram) surround() bool {
	g.surrounded, g.seen = true, false
	g.window.Widen(true)
	return g.window.Surround(g.at)
}

// leave closes the window where it is not the branch's.
func (g *gram) leave() {
	if g.surrounded {
		g.window.Widen(false)
		g.window.Close()
		g.surrounded, g.seen = false, false
	}
}

// end says why there are no more steps.
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

// reweigh moves the watched samples to the zones of their losses and reports whether there
// were any to move.
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

// takeSigns makes coordinates active as the fit says, and reports whether any were not.
func (g *gram) takeSigns() (changed bool) {
	for j, sign := range g.fit.sign {
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

// settle is that of a [stepper]. What it finds outside the window of the branch is checked
// on all samples.
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

// objective is that of the moments, but for watched samples that are beyond their zones;
// outside the window that of all samples. A coefficient of another sign than the fit's
// has none: the fit would leave it where it is.
func (g *gram) objective(theta, u []float64) float64 {
	pt, s := g.trial, g.state
	for j, w := range theta {
		if w != 0 && s.L1[j] > 0 && model.Sign(w) != g.fit.sign[j] {
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

// gramFit fits to weights by an active-set method (Osborne, Presnell and Turlach, 2000)
// that goes from solution to solution on the active coordinates, drops the first that
// reaches zero on the way and activates the one that violates its condition most.
type gramFit struct {
	primal      *condition.Primal
	gram        []float64       // Q x Q: Σ m v z zᵀ
	factor      *dense.Cholesky // of the active coordinates' part of it
	rest        []float64       // of the active coordinates
	sign, theta []float64       // P
	active      []int
}

func newGramFit(c *condition.Primal, q int) gramFit {
	f := func(k int) []float64 { return make([]float64, k) }
	p := q - 1
	return gramFit{primal: c, gram: f(q * q), factor: dense.New(p), rest: f(p), sign: f(p), theta: f(p)}
}

// solve makes theta and sign the fit to the weights in gram, from a solution on the
// coordinates that are active. It reports false where it does not end.
func (f *gramFit) solve(from []float64) bool {
	s := f.primal.State()
	copy(f.sign, s.Sign)
	copy(f.theta, from)
	for range tolerance.FitChanges * (s.P + 1) {
		first, ok := f.advance(s)
		if !ok {
			return false
		}
		if first >= 0 {
			f.theta[first], f.sign[first] = 0, 0
			continue
		}
		worst := 0.0
		for j, l1 := range s.L1 {
			if l1 == 0 || f.sign[j] != 0 {
				continue
			}
			if over := math.Abs(f.slope(s, j)) - l1*(1+tolerance.Roundoff); over > worst {
				first, worst = j, over
			}
		}
		if first < 0 {
			return true
		}
		f.sign[first] = -model.Sign(f.slope(s, first))
	}
	return false
}

// slope returns the gradient of the fit's smooth part in coordinate j.
func (f *gramFit) slope(s *model.State, j int) float64 {
	q := s.P + 1
	sum := f.gram[j*q+s.P]
	for k, w := range f.theta {
		if w != 0 {
			sum += f.gram[j*q+k] * w
		}
	}
	return 2*sum + s.L2[j]*f.theta[j]
}

// advance takes theta to the minimum on the active coordinates and returns -1, or to where
// the first of them reaches zero on the way and returns that one. It reports false where
// they are collinear.
func (f *gramFit) advance(s *model.State) (first int, ok bool) {
	q := s.P + 1
	f.active = f.active[:0]
	for j, sign := range f.sign {
		if sign != 0 || s.L1[j] == 0 && !f.primal.Zero(j) && !(s.Frozen && s.L2[j] == 0) {
			f.active = append(f.active, j)
		}
	}
	k := len(f.active)
	if k == 0 {
		return -1, true
	}
	f.factor.Matrix(k)
	for r, j := range f.active {
		row := f.factor.Row(r)
		for c := range row {
			row[c] = 2 * f.gram[j*q+f.active[c]]
		}
		row[r] += s.L2[j]
		f.rest[r] = -(f.slope(s, j) + s.L1[j]*f.sign[j])
	}
	if f.factor.Factorize(context.Background()) != nil {
		return -1, false
	}
	f.factor.Solve(f.rest[:k])
	first, at := -1, 1.0
	for r, j := range f.active {
		from := f.theta[j]
		if to := from + f.rest[r]; f.sign[j] != 0 && to*f.sign[j] < 0 {
			if x := from / (from - to); first < 0 || x < at {
				first, at = j, x
			}
		}
	}
	for r, j := range f.active {
		f.theta[j] += at * f.rest[r]
	}
	return first, true
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}
