package sums

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/gaga/internal/model"
)

type squared struct{}

func (squared) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

type hinge struct{ cost float64 }

func (h hinge) Eval(u, y float64) (loss, slope, curvature float64) {
	if g := 1 - y*u; g > 0 {
		return h.cost * g, -h.cost * y, 0
	}
	return 0, 0, 0
}

// age is a threshold that is the age.
type age struct{}

func (age) Threshold(_ int, age float64) (float64, float64) { return age, 1 }

type hard struct{ age }

func (hard) Weight(k int, _, _ float64) (v, dloss, dage float64) { return float64(1 - k), 0, 0 }
func (hard) Integral(loss, age float64) float64                  { return math.Min(loss, age) }

func (hard) series(zone int, age float64) model.Series {
	if zone == 0 {
		return model.Series{F: [4]float64{2: 1}}
	}
	return model.Series{F: [4]float64{age}, Rate: [4]float64{1}}
}

type linear struct{ age }

func (linear) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1 - loss/age, -1 / age, loss / (age * age)
	}
	return 0, 0, 0
}

func (linear) Integral(loss, age float64) float64 {
	if loss < age {
		return loss - loss*loss/(2*age)
	}
	return age / 2
}

func (linear) series(zone int, age float64) model.Series {
	if zone == 0 {
		return model.Series{F: [4]float64{2: 1, 3: -1 / (2 * age)}, Rate: [4]float64{3: 1 / (2 * age * age)}}
	}
	return model.Series{F: [4]float64{age / 2}, Rate: [4]float64{0.5}}
}

// root is the weight min(1, √(age/loss)), whose implicit loss has a term in √l.
type root struct{ age }

func (root) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1, 0, 0
	}
	v = math.Sqrt(age / loss)
	return v, -v / (2 * loss), v / (2 * age)
}

func (root) Integral(loss, age float64) float64 {
	if loss < age {
		return loss
	}
	return 2*math.Sqrt(age*loss) - age
}

func (root) series(zone int, age float64) model.Series {
	if zone == 0 {
		return model.Series{F: [4]float64{2: 1}}
	}
	return model.Series{F: [4]float64{-age, 2 * math.Sqrt(age)}, Rate: [4]float64{-1, 1 / math.Sqrt(age)}}
}

type logarithm struct {
	age
	a float64
}

func (g logarithm) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1, 0, 0
	}
	den := 1 + g.a*loss
	v = (1 + g.a*age) / den
	return v, -v * g.a / den, g.a / den
}

func (g logarithm) Integral(loss, age float64) float64 {
	if loss <= age {
		return loss
	}
	return age + (1+g.a*age)/g.a*math.Log((1+g.a*loss)/(1+g.a*age))
}

// series is a regularizer with one.
type series interface {
	model.Regularizer
	series(zone int, age float64) model.Series
}

// problemOf returns a problem with gaussian features and a column of ones. A cost of 0 is
// the squared loss.
func problemOf(rng *rand.Rand, n, d int, cost float64, r model.Regularizer) *model.Problem {
	p := &model.Problem{
		Samples: model.Samples{
			N: n, P: d + 1, Rows: make([]float64, n*(d+1)), Y: make([]float64, n), M: make([]float64, n), Intercept: true,
		},
		Penalty:   model.Penalty{L1: make([]float64, d+1), L2: make([]float64, d+1)},
		Criterion: model.Criterion{Loss: squared{}, Squared: cost == 0, Cost: cost},
	}
	empty := -1
	if rng.IntN(3) == 0 {
		empty = rng.IntN(d)
	}
	for i := range n {
		row := p.Row(i)
		row[d] = 1
		for j := range d {
			if j != empty {
				row[j] = rng.NormFloat64()
			}
		}
		p.M[i] = float64(1 + rng.IntN(3))
		p.Total += p.M[i]
		p.Y[i] = row[0] - 0.5*row[1] + 0.5*rng.NormFloat64()
		if i%5 == 0 {
			p.Y[i] += 3 * rng.NormFloat64()
		}
		if cost > 0 {
			p.Y[i] = float64(2*rng.IntN(2) - 1)
		}
	}
	if cost > 0 {
		p.Loss = hinge{cost}
	}
	zones := []model.Zone{{}, {}}
	if _, breaks := r.(hard); breaks {
		zones[0].Break = true
	}
	var of func(int, float64) model.Series
	if s, ok := r.(series); ok {
		of = s.series
	}
	p.Zoning = model.NewZoning(r, zones, of, cost > 0)
	return p
}

// scopeOf returns a scope without penalty, where all samples are watched and all columns
// that are not zero are active.
func scopeOf(p *model.Problem) *Scope {
	s := &Scope{State: model.NewState(p, p.P), Hess: make([]float64, p.P*p.P), Floor: make([]float64, p.P)}
	var active []int
	for j := range p.P {
		for i := range p.N {
			if p.Row(i)[j] != 0 {
				active = append(active, j)
				break
			}
		}
	}
	s.activate(active)
	return s
}

func (s *Scope) activate(active []int) {
	s.Active = append(s.Active[:0], active...)
	s.gatherRows()
}

func (s *Scope) watch(samples []int) {
	s.Watch = samples
	s.Watched++
	s.gatherRows()
}

func (s *Scope) gatherRows() {
	k := len(s.Active)
	s.Rows = make([]float64, len(s.Watch)*k)
	for slot, i := range s.Watch {
		s.Gather(s.Rows[slot*k:(slot+1)*k], s.Row(i))
	}
}

// place gives all samples their zones.
func (s *Scope) place(t Terms, zones []uint8, u []float64) {
	t.Place(zones, u)
	s.Count()
}

// shift moves a sample up or down, where it can, and reports whether it did.
func (s *Scope) shift(t Terms, i int, up bool, theta []float64) bool {
	if up && int(s.Zone[i]) == len(s.Zones)-1 || !up && s.Zone[i] == 0 {
		return false
	}
	t.Move(i, s.Move(i, up), theta)
	return true
}

// predictors returns those of all samples.
func (s *Scope) predictors(theta []float64) []float64 {
	u := make([]float64, s.N)
	for i := range u {
		for j, x := range s.Row(i) {
			u[i] += x * theta[j]
		}
	}
	return u
}

// assemble assembles the system at pt, with H.
func (s *Scope) assemble(t Terms, pt *model.Point) {
	k := len(s.Active)
	for _, f := range [][]float64{s.Residual[:k], s.Scale[:k], s.Dage[:k], s.Diag[:k], s.Hess[:k*k]} {
		clear(f)
	}
	all, slopes := s.predictors(pt.Theta), s.predictors(pt.Rate)
	for slot, i := range s.Watch {
		pt.U[slot], pt.DU[slot] = all[i], slopes[i]
	}
	s.Evaluate(pt)
	s.At = pt
	t.Assemble(pt)
	t.Curve(pt)
}

// draw draws the active entries of θ and its rate, at an age.
func (s *Scope) draw(rng *rand.Rand, size, age float64) *model.Point {
	pt := model.NewPoint(s.Problem)
	pt.Age = age
	for _, j := range s.Active {
		pt.Theta[j], pt.Rate[j] = size*rng.NormFloat64(), rng.NormFloat64()
	}
	return pt
}

// same fails where a is not b up to rounding, relative to the size of their terms.
func same(t *testing.T, what string, a, b []float64, size float64) {
	t.Helper()
	for r := range a {
		if !(math.Abs(a[r]-b[r]) <= 1e-12*(size+math.Abs(b[r]))) {
			t.Errorf("%s: entry %d is %v, over the samples %v", what, r, a[r], b[r])
		}
	}
}

// compare fails where the system that the scopes a and b have assembled is not the same.
func compare(t *testing.T, what string, a, b *Scope, size float64) {
	t.Helper()
	k := len(a.Active)
	same(t, what+"residual", a.Residual[:k], b.Residual[:k], size)
	same(t, what+"derivative in the age", a.Dage[:k], b.Dage[:k], size)
	for r := range k {
		same(t, what+"H", a.Hess[r*k+r:(r+1)*k], b.Hess[r*k+r:(r+1)*k], size)
	}
}

// compareActivations fails where all that terms say is not the same for a and b.
func compareActivations(t *testing.T, what string, a, b Activations, p, q *model.Point, s *Scope, size float64) {
	t.Helper()
	f := func() []float64 { return make([]float64, s.P) }
	ga, gb, sa, sb := f(), f(), f(), f()
	a.Gradients(ga, sa)
	b.Gradients(gb, sb)
	same(t, what+"gradients", ga, gb, size)
	same(t, what+"their sizes", sa, sb, size)
	a.Gradient(p)
	b.Gradient(q)
	same(t, what+"gradient", p.Grad, q.Grad, size)
	same(t, what+"gradient's rate", p.DGrad, q.DGrad, 10*size)
	for j := range s.P {
		g, dage, scale := a.Coordinate(j)
		h, eage, other := b.Coordinate(j)
		same(t, what+"coordinate", []float64{g, dage, scale}, []float64{h, eage, other}, size)
		ra, rb := f(), f()
		d, m := a.Border(ra, j)
		e, o := b.Border(rb, j)
		same(t, what+"border", append(ra, d, m), append(rb, e, o), size)
	}
	same(t, what+"objective", []float64{a.Objective()}, []float64{b.Objective()}, size)
}
