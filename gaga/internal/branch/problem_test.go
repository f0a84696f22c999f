package branch

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/search"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/convex"
)

// The losses and regularizers of these tests are their own: package gaga is above.

type squaredLoss struct{}

func (squaredLoss) Kinked() bool { return false }

func (squaredLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

type logisticLoss struct{}

func (logisticLoss) Kinked() bool { return false }

func (logisticLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	p := 1 / (1 + math.Exp(y*u))
	return math.Log1p(math.Exp(-y * u)), -y * p, p * (1 - p)
}

type hingeLoss struct{}

func (hingeLoss) Kinked() bool { return true }

func (hingeLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	if y*u >= 1 {
		return 0, 0, 0
	}
	return 1 - y*u, -y, 0
}

// linear has the weights max(0, 1 - l/λ).
type linear struct{}

func (linear) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

func (linear) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1 - loss/age, -1 / age, loss / (age * age)
	}
	return 0, 0, 0
}

func (linear) Integral(loss, age float64) float64 {
	loss = math.Min(loss, age)
	return loss - loss*loss/(2*age)
}

func linearSeries(zone int, age float64) model.Series {
	if zone == 0 {
		return model.Series{F: [4]float64{2: 1, 3: -0.5 / age}, Rate: [4]float64{3: 0.5 / (age * age)}}
	}
	return model.Series{F: [4]float64{age / 2}, Rate: [4]float64{0.5}}
}

// mixture has the weights 1, γ(1/√l - 1/λ) and 0 for γ = 1.
type mixture struct{}

func (mixture) Threshold(k int, age float64) (loss, slope float64) {
	if k == 1 {
		return age * age, 2 * age
	}
	root := age / (age + 1)
	return root * root, 2 * root / ((age + 1) * (age + 1))
}

func (mixture) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	switch k {
	case 0:
		return 1, 0, 0
	case 1:
		return 1/math.Sqrt(loss) - 1/age, -0.5 / (loss * math.Sqrt(loss)), 1 / (age * age)
	}
	return 0, 0, 0
}

func (mixture) Integral(loss, age float64) float64 {
	root := age / (age + 1)
	sum := math.Min(loss, root*root)
	if top := math.Min(math.Sqrt(loss), age); top > root {
		sum += 2*(top-root) - (top*top-root*root)/age
	}
	return sum
}

func zonings(kinked bool) []model.Zoning {
	return []model.Zoning{
		model.NewZoning(linear{}, []model.Zone{{Name: "easy"}, {Name: "discarded"}}, linearSeries, kinked),
		model.NewZoning(mixture{}, []model.Zone{{Name: "easy", Closed: true}, {Name: "mixed"}, {Name: "discarded"}}, nil, kinked),
	}
}

// random draws n samples of d features of two populations, of which a third follows another
// coefficient vector.
func random(rng *rand.Rand, n, d int) model.Samples {
	p := d + 1
	s := model.Samples{N: n, P: p, Rows: make([]float64, n*p), Y: make([]float64, n), M: make([]float64, n), Intercept: true}
	for i := range n {
		y := 0.2 * rng.NormFloat64()
		for j := range d {
			x := rng.NormFloat64()
			s.Rows[i*p+j] = x
			if i%3 == 0 {
				x *= float64(1 - 2*(j%2))
			}
			y += x / float64(j+1)
		}
		s.Rows[i*p+d], s.Y[i] = 1, y
		s.M[i] = float64(1 + rng.IntN(2))
		s.Total += s.M[i]
	}
	s.X = blas64.General{Rows: n, Cols: d, Stride: p, Data: s.Rows}
	return s
}

func penalty(s *model.Samples, l1, l2 float64) model.Penalty {
	p := model.Penalty{L1: make([]float64, s.P), L2: make([]float64, s.P)}
	for j := range s.P - 1 {
		p.L1[j], p.L2[j] = l1, l2
	}
	return p
}

func classes(s model.Samples) model.Samples {
	for i, y := range s.Y {
		s.Y[i] = math.Copysign(1, y)
	}
	return s
}

func regression(rng *rand.Rand, n, d int, z model.Zoning) *model.Problem {
	s := random(rng, n, d)
	return &model.Problem{Samples: s, Penalty: penalty(&s, 0.02*s.Total, 0), Criterion: model.Criterion{Loss: squaredLoss{}, Squared: true}, Zoning: z}
}

func logistic(rng *rand.Rand, n, d int, l1, l2 float64, z model.Zoning) *model.Problem {
	s := classes(random(rng, n, d))
	return &model.Problem{Samples: s, Penalty: penalty(&s, l1, l2), Criterion: model.Criterion{Loss: logisticLoss{}, OneSided: true}, Zoning: z}
}

func machine(rng *rand.Rand, n, d int, z model.Zoning) *model.Problem {
	s := classes(random(rng, n, d))
	return &model.Problem{Samples: s, Penalty: penalty(&s, 0, 1), Criterion: model.Criterion{Loss: hingeLoss{}, Cost: 1, OneSided: true}, Zoning: z}
}

func kernelMachine(rng *rand.Rand, n, d int, z model.Zoning) *model.Problem {
	p := machine(rng, n, d, z)
	p.P, p.Rows, p.Kernel = n+1, nil, convex.RBF{Gamma: 0.4}
	p.Penalty = penalty(&p.Samples, 0, 1)
	return p
}

// solver returns a solver of a problem's weighted problems.
func solver(p *model.Problem) convex.Solver {
	if p.Kinked() {
		if p.Kernel != nil {
			return convex.NewSVM(p.X, p.Y, p.Cost, p.Kernel, p.Intercept, convex.SVMOptions{})
		}
		s, err := convex.NewLinearSVM(p.X, p.Y, p.Cost, p.Intercept)
		if err != nil {
			panic(err)
		}
		return s
	}
	return convex.NewSmooth(p.X, p.Y, p.Loss, convex.SmoothOptions{L1: p.L1[0], L2: p.L2[0], Intercept: p.Intercept, OneSided: p.OneSided})
}

// begin returns a branch at the partial optimum that alternation leads to at an age, false
// where that is no strict one.
func begin(t *testing.T, p *model.Problem, age, last float64) (*Branch, bool) {
	t.Helper()
	var c condition.Condition
	var h window.Horizon = window.Everything{}
	if p.Kernel != nil {
		c = condition.NewKernel(p, convex.NewKernelRows(p.X, p.Kernel, 0))
	} else {
		primal := condition.NewPrimal(p)
		c, h = primal, window.New(primal, last)
	}
	n := newton.New(c)
	b := New(c, n, h, last)
	s := search.New(p, solver(p))
	ctx := context.Background()
	if err := s.FitAll(ctx); err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		change, err := s.Step(ctx, age)
		if err != nil {
			return nil, false
		}
		if change < 1e-13 {
			break
		}
	}
	zones := make([]uint8, p.N)
	for i, u := range s.Scores() {
		loss, _, _ := p.Loss.Eval(u, p.Y[i])
		zones[i] = uint8(p.Kinks + p.Of(loss, age))
		if standing, ok := s.Standing(i); ok && s.Fitted()[i] > 0 {
			switch standing {
			case convex.Free:
				zones[i] = model.Pinned
			case convex.AtZero:
				zones[i] = model.Satisfied
			}
		}
	}
	pt, st := b.Left(), c.State()
	pt.Age = age
	copy(pt.Theta, s.Theta())
	for j, w := range pt.Theta {
		st.Sign[j] = st.SignOf(j, w)
	}
	c.Place(zones, s.Scores(), pt.Theta)
	c.Choose()
	if w, ok := h.(*window.Window); ok {
		w.WatchNone(s.Scores(), age)
	}
	if !n.Correct(pt) || !b.Stand() {
		return nil, false
	}
	b.Begin(0)
	return b, true
}
