package gaga

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// squareRoot is a smooth loss of one's own.
type squareRoot struct{}

func (squareRoot) Name() string { return "square root" }
func (squareRoot) Kinked() bool { return false }

func (squareRoot) Eval(u, y float64) (loss, slope, curvature float64) {
	r := u - y
	root := math.Hypot(1, r)
	return r * r / (root + 1), r / root, 1 / (root * root * root)
}

// wideProblem draws a problem with more features than samples and the penalty L2.
func wideProblem(rng *rand.Rand, kind int) *Problem {
	n := 8 + rng.IntN(12)
	d := n + 1 + rng.IntN(8)
	x, y := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}, make([]float64, n)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = 2*x.Data[i*d] + 0.5*x.Data[i*d+1] + rng.NormFloat64()
		if kind%4 > 1 {
			y[i] = float64(1 - 2*rng.IntN(2))
		}
	}
	var p *Problem
	switch kind % 4 {
	case 0:
		p = Ridge(x, y, nil, 1+5*rng.Float64())
	case 1:
		p = Ridge(x, y, nil, 1)
		p.Loss = squareRoot{}
	case 2:
		p = LogisticRegression(x, y, nil, 0.3)
	case 3:
		p = SVM(x, y, nil, 0.02+0.05*rng.Float64(), nil)
	}
	p.Intercept = rng.IntN(2) == 0
	p.Multiplicity = make([]float64, n)
	for i := range p.Multiplicity {
		p.Multiplicity[i] = 1 + rng.Float64()
	}
	p.Regularizer = []Regularizer{Hard{}, Linear{}, Polynomial{1.5}, Mixture{0.5}, LOG{1}}[kind/4%5]
	return p
}

// Paths in the span of the samples are those in the space of the features, for every loss and
// regularizer.
func TestWideProblems(t *testing.T) {
	t.Parallel()
	events := 0
	for kind := range 20 * 6 {
		rng := rand.New(rand.NewPCG(uint64(kind), 61))
		p := wideProblem(rng, kind)
		name := fmt.Sprintf("problem %d: %s", kind, describeProblem(p))
		o := Options{Age: Range{0.01, 20}, Verify: true}
		a, err := Track(t.Context(), p, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		whole, f := p.centred()
		w, err := newFramedTracker(t.Context(), whole, f, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.run(t.Context()); err != nil {
			t.Errorf("%s: unreduced: %v", name, err)
			continue
		}
		if rank := a.frame.rank; rank == 0 || rank > p.X.Rows || f.rank != 0 || a.Status() != w.path.Status() {
			t.Fatalf("%s: rank %d and %d, %v and %v", name, rank, f.rank, a.Status(), w.path.Status())
		}
		compareEvents(t, kind, w.path, a)
		events += len(a.Events())
		if len(a.knots) != len(w.path.knots) {
			continue
		}
		for k, want := range w.path.knots {
			got, most := a.knots[k], 1e-8
			if want.Cause == Fold { // where θ moves like the root of the age
				most = 1e-4
			}
			if off := far(want.Theta, got.Theta); off > most || !(math.Abs(got.Objective-want.Objective) <= 1e-9*want.Objective) {
				t.Errorf("%s, age %v: %.2g apart, objective %v and %v", name, want.Age, off, got.Objective, want.Objective)
				break
			}
			if next := min(k+1, len(a.knots)-1); a.knots[next].Age > got.Age*(1+1e-6) {
				age := math.Sqrt(got.Age * a.knots[next].Age)
				if off := far(mustAt(t, w.path, age), mustAt(t, a, age)); off > 1e-8 {
					t.Errorf("%s, age %v: %.2g apart", name, age, off)
					break
				}
			}
		}
	}
	if t.Logf("%d events", events); events < 500 {
		t.Errorf("only %d events", events)
	}
}

// Alternation with more features than samples minimizes the penalty of the features, also from a
// start outside the span, where samples are dependent or all the same.
func TestAlternateWideProblems(t *testing.T) {
	t.Parallel()
	for kind := range 40 {
		rng := rand.New(rand.NewPCG(uint64(kind), 67))
		p := wideProblem(rng, kind)
		n, d := p.X.Rows, p.X.Cols
		switch kind % 3 {
		case 1: // a repeated row, and a sum of rows
			copy(p.X.Data[d:], p.X.Data[:d])
			for j := range d {
				p.X.Data[2*d+j] = p.X.Data[j] + 1e-3*p.X.Data[3*d+j]
			}
		case 2:
			for i := range n {
				copy(p.X.Data[i*d:], p.X.Data[:d])
			}
		}
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = 0.2 + rng.Float64()
		}
		theta := make([]float64, d+1)
		for j := range d {
			theta[j] = rng.NormFloat64()
		}
		var fits [2][]float64
		for k := range fits { // the second without a frame of more features
			a, err := NewAlternation(p)
			if err != nil {
				t.Fatal(err)
			}
			if k == 1 {
				a = unreduced(t, p)
			}
			a.SetTheta(theta)
			if err := a.Fit(context.Background(), weights); err != nil {
				t.Fatal(err)
			}
			fits[k] = slices.Clone(a.Theta())
			a.SetTheta(fits[k])
			losses, penalty := make([]float64, n), p.Penalty.L2/2*blas64.Dot(blas64.Vector{N: d, Inc: 1, Data: fits[k]}, blas64.Vector{N: d, Inc: 1, Data: fits[k]})
			a.Losses(losses)
			for i, loss := range losses {
				u := fits[k][d]
				for j, w := range fits[k][:d] {
					u += w * p.X.Data[i*d+j]
				}
				if want, _, _ := p.Loss.Eval(u, p.Y[i]); math.Abs(loss-want) > 1e-9*(1+want) {
					t.Fatalf("problem %d: the loss of sample %d is %v, by the coefficients %v", kind, i, loss, want)
				}
			}
			if math.Abs(a.Penalty()-penalty) > 1e-9*(penalty+1e-9) {
				t.Errorf("problem %d: penalty %v, of the coefficients %v", kind, a.Penalty(), penalty)
			}
		}
		if off := far(fits[0][:d], fits[1][:d]); off > 1e-7 && slices.Max(fits[1][:d]) > 1e-9 {
			t.Errorf("problem %d: fits are %.2g apart; %s", kind, off, describeProblem(p))
		}
	}
}

// unreduced returns an alternation over all features.
func unreduced(t *testing.T, p *Problem) *Alternation {
	t.Helper()
	a, err := newAlternation(p.centred())
	if err != nil {
		t.Fatal(err)
	}
	return a
}
