package search

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/kernel"
)

type squared struct{}

func (squared) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

type logistic struct{}

func (l logistic) Eval(u, y float64) (loss, slope, curvature float64) {
	var out [3][1]float64
	l.EvalAll([]float64{u}, []float64{y}, out[0][:], out[1][:], out[2][:])
	return out[0][0], out[1][0], out[2][0]
}

func (logistic) EvalAll(u, y, loss, slope, curvature []float64) {
	kernel.Logistic(u, y, loss, slope, curvature)
}

// linear has the weight 1 - l/λ.
type linear struct{}

func (linear) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

func (linear) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 1 {
		return 0, 0, 0
	}
	return 1 - loss/age, -1 / age, loss / (age * age)
}

func (linear) Integral(loss, age float64) float64 {
	loss = math.Min(loss, age)
	return loss - loss*loss/(2*age)
}

// line is a problem of one feature.
func line(loss model.Loss, x, y, m []float64, l1, l2 float64, intercept bool) *model.Problem {
	n := len(x)
	p := &model.Problem{
		Samples:   model.Samples{N: n, P: 1, X: blas64.General{Rows: n, Cols: 1, Stride: 1, Data: x}, Y: y, M: m, Intercept: intercept},
		Penalty:   model.Penalty{L1: []float64{l1}, L2: []float64{l2}},
		Criterion: model.Criterion{Loss: loss},
		Zoning:    model.NewZoning(linear{}, []model.Zone{{Name: "easy"}, {Name: "discarded"}}, nil, false),
	}
	if intercept {
		p.P = 2
		p.L1, p.L2 = append(p.L1, 0), append(p.L2, 0)
	}
	for _, v := range m {
		p.Total += v
	}
	_, p.Squared = loss.(squared)
	_, p.OneSided = loss.(logistic)
	return p
}

// Steps lower the implicit objective and end where weights and solution agree; rows count
// as often as their multiplicity says.
func TestStep(t *testing.T) {
	t.Parallel()
	const age, l1 = 3, 0.5
	p := line(squared{}, []float64{1, 2, 1, 1}, []float64{1, 1.9, 2, 9}, []float64{1, 2, 1, 1}, l1, 0, false)
	s := New(p, convex.NewLasso(p.X, p.Y, l1/(2*p.Total), p.Total, false))
	if err := s.FitAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := math.Inf(1)
	for {
		change, err := s.Step(t.Context(), age)
		if err != nil {
			t.Fatal(err)
		}
		value := s.Penalty() + p.Integrals(s.Scores(), age)
		if value > before*(1+1e-12) {
			t.Errorf("a step raises the objective from %v to %v", before, value)
		}
		if before = value; change == 0 {
			break
		}
		if change != s.Change() {
			t.Errorf("change %v, reported %v", s.Change(), change)
		}
	}
	var gradient float64
	for i, u := range s.Scores() {
		loss, slope, _ := p.Loss.Eval(u, p.Y[i])
		v, _, _ := p.Regularizer.Weight(p.Of(loss, age), loss, age)
		if v != s.reweighed[i] || v != s.Fitted()[i] || p.Of(loss, age) != int(s.Zone()[i]) {
			t.Errorf("sample %d: weight %v and %v, want %v", i, s.reweighed[i], s.Fitted()[i], v)
		}
		gradient += p.M[i] * v * slope * p.X.Data[i]
	}
	if off := gradient + l1; math.Abs(off) > 1e-10 {
		t.Errorf("the gradient is off by %v", off)
	}
	if s.Discards(age) || s.Unfit(age) || !s.Discards(1e-9) {
		t.Error("samples are discarded at the wrong age")
	}
	if _, ok := s.Standing(0); ok || s.Duals() != nil {
		t.Error("a Lasso has multipliers")
	}
}

// A fit of one class has no minimum where the intercept is free.
func TestOneClass(t *testing.T) {
	t.Parallel()
	p := line(logistic{}, []float64{1, 2, -1, -2}, []float64{1, 1, -1, -1}, []float64{1, 1, 1, 1}, 0, 1, true)
	s := New(p, convex.NewLogistic(p.X, p.Y, 1, true))
	if err := s.FitAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	theta := append([]float64(nil), s.Theta()...)
	if s.Unfit(2) || s.LosesClass() {
		t.Error("both classes have weight")
	}
	s.SetTheta([]float64{0, 5}) // all of one class are far off
	if !s.Unfit(2) || s.Discards(2) {
		t.Error("one class has weight")
	}
	if _, err := s.Step(t.Context(), 2); !errors.Is(err, convex.ErrOneClass) {
		t.Errorf("a step: %v", err)
	}
	if !s.LosesClass() {
		t.Error("the last fit had one class")
	}
	s.StartAt(theta, nil)
	if got := s.Theta(); got[0] != theta[0] || got[1] != theta[1] {
		t.Errorf("θ %v, want %v", got, theta)
	}
	s.Guess([]float64{5, 5, 5, 5})
	if !s.Unfit(2) {
		t.Error("the guess is not weighed")
	}
	if err := s.Fit(context.Background(), []float64{1, 0, 1, 0}); err != nil || s.Change() != 0 {
		t.Errorf("a fit: %v, change %v", err, s.Change())
	}
}

func TestFirstWhere(t *testing.T) {
	t.Parallel()
	beyond := func(at float64) func(float64) bool { return func(age float64) bool { return age >= at } }
	for _, c := range []struct{ at, want float64 }{{0.5, 1}, {3, 3}, {9, 8}} {
		got := FirstWhere(beyond(c.at), 1, 8)
		if !(got >= c.want) || got > c.want*(1+2e-6) {
			t.Errorf("first age from %v on: %v, want %v", c.at, got, c.want)
		}
	}
}
