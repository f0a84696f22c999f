package model_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/rehline"
	"github.com/agepath/agepath/rehline/model"
)

func TestFolds(t *testing.T) {
	t.Parallel()
	const n, k = 53, 5
	classes := vector(n, func(i int) float64 {
		switch {
		case i%7 == 0:
			return 2
		case i%3 == 0:
			return -1
		}
		return 1
	})
	for _, labels := range [][]float64{nil, classes} {
		parts, err := model.Folds(n, k, labels, 3)
		if err != nil {
			t.Fatal(err)
		}
		seen := make([]int, n)
		counts := map[float64][]int{}
		for f, part := range parts {
			if len(part) < n/k || len(part) > n/k+1 {
				t.Errorf("part %d has %d samples of %d", f, len(part), n)
			}
			for j, i := range part {
				seen[i]++
				if j > 0 && i <= part[j-1] {
					t.Errorf("part %d is out of order: %v", f, part)
				}
				if labels != nil {
					if counts[labels[i]] == nil {
						counts[labels[i]] = make([]int, k)
					}
					counts[labels[i]][f]++
				}
			}
		}
		for i, c := range seen {
			if c != 1 {
				t.Errorf("sample %d is in %d parts", i, c)
			}
		}
		for label, count := range counts {
			low, high := n, 0
			for _, c := range count {
				low, high = min(low, c), max(high, c)
			}
			if high-low > 1 {
				t.Errorf("class %g is spread %v", label, count)
			}
		}
		again, _ := model.Folds(n, k, labels, 3)
		other, _ := model.Folds(n, k, labels, 4)
		if !reflect.DeepEqual(parts, again) || reflect.DeepEqual(parts, other) {
			t.Error("parts are not a function of the seed")
		}
	}
	for _, bad := range []struct {
		n, k    int
		classes []float64
	}{{5, 1, nil}, {5, 6, nil}, {3, 2, []float64{1, 2}}, {2, 2, []float64{1, math.NaN()}}} {
		if _, err := model.Folds(bad.n, bad.k, bad.classes, 0); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// TestCrossValidateRidge compares with ridge regression by normal equations on
// the same folds, which shares nothing with the solver.
func TestCrossValidateRidge(t *testing.T) {
	t.Parallel()
	const n, d, k = 60, 3, 4
	x, _, y := data(9, n, d)
	weights := vector(n, func(i int) float64 { return 0.5 + float64(i%3) })
	costs := model.Costs(1e-3, 10, 5)
	p := rehline.Problem{X: x, Loss: rehline.Squared(y), Weights: weights}
	got, err := model.CrossValidate(context.Background(), p, model.CrossValidation{
		Costs: costs, Folds: k, Seed: 5, Options: rehline.Options{Tol: 1e-12}})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := model.Folds(n, k, nil, 5)
	if err != nil {
		t.Fatal(err)
	}
	best := 0
	mean := make([]float64, len(costs))
	spread := make([]float64, len(costs))
	for c, cost := range costs {
		risks := make([]float64, k)
		for f, part := range parts {
			held := map[int]bool{}
			for _, i := range part {
				held[i] = true
			}
			normal, right := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
			for j := range d {
				normal.SetSym(j, j, 1)
			}
			for i := range n {
				if !held[i] {
					row := mat.NewVecDense(d, x.Data[i*d:(i+1)*d])
					normal.SymRankOne(normal, 2*cost*weights[i], row)
					right.AddScaledVec(right, 2*cost*weights[i]*y[i], row)
				}
			}
			var beta mat.VecDense
			if err := beta.SolveVec(normal, right); err != nil {
				t.Fatal(err)
			}
			total := 0.0
			for _, i := range part {
				r := y[i] - dot(x.Data[i*d:(i+1)*d], beta.RawVector().Data)
				risks[f] += weights[i] * r * r
				total += weights[i]
			}
			risks[f] /= total
			if math.Abs(got.Risk[f][c]-risks[f]) > 1e-6*risks[f] {
				t.Errorf("fold %d, C = %g: risk %v, not %v", f, cost, got.Risk[f][c], risks[f])
			}
			mean[c] += risks[f] / k
		}
		for _, r := range risks {
			spread[c] += (r - mean[c]) * (r - mean[c])
		}
		spread[c] = math.Sqrt(spread[c]/(k-1)) / math.Sqrt(k)
		if mean[c] < mean[best] {
			best = c
		}
		if math.Abs(got.Mean[c]-mean[c]) > 1e-6*mean[c] || math.Abs(got.StdError[c]-spread[c]) > 1e-5*spread[c] {
			t.Errorf("C = %g: %v ± %v, not %v ± %v", cost, got.Mean[c], got.StdError[c], mean[c], spread[c])
		}
	}
	one := 0
	for mean[one] > mean[best]+spread[best] {
		one++
	}
	if got.Best != best || got.BestC() != costs[best] || got.OneStdError != one || got.OneStdErrorC() != costs[one] || got.Unsolved != 0 {
		t.Errorf("best %d, one standard error %d, unsolved %d; not %d, %d", got.Best, got.OneStdError, got.Unsolved, best, one)
	}
	if one == best {
		t.Error("the data do not tell the two choices apart")
	}
}

// TestCrossValidateRisk takes a risk of its own and strata, dense and sparse,
// with any number of workers.
func TestCrossValidateRisk(t *testing.T) {
	t.Parallel()
	const n = 90
	x, class, _ := data(10, n, 4)
	wrong := func(scores []float64, samples []int) float64 {
		count := 0.0
		for k, i := range samples {
			if scores[k]*class[i] <= 0 {
				count++
			}
		}
		return count / float64(len(samples))
	}
	o := model.CrossValidation{Costs: model.Costs(1e-3, 1, 4), Classes: class, Seed: 2, Risk: wrong}
	p := rehline.Problem{X: x, Loss: rehline.Hinge(class), Intercept: rehline.FreeIntercept}
	first, err := model.CrossValidate(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Risk) != 5 || first.Mean[first.Best] > 0.25 {
		t.Errorf("risks %v of five folds", first.Mean)
	}
	p.Sparse = compress(x)
	p.X.Data, p.X.Rows, p.X.Cols = nil, 0, 0
	o.Workers = 3
	second, err := model.CrossValidate(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(first.Risk, second.Risk) {
		t.Errorf("risks of sparse features with three workers are %v, not %v", second.Risk, first.Risk)
	}
}

func TestCrossValidateErrors(t *testing.T) {
	t.Parallel()
	x, class, _ := data(7, 20, 2)
	good := model.CrossValidation{Costs: []float64{0.1, 1}}
	p := rehline.Problem{X: x, Loss: rehline.Hinge(class)}
	for name, change := range map[string]func(p *rehline.Problem, o *model.CrossValidation){
		"no costs":      func(_ *rehline.Problem, o *model.CrossValidation) { o.Costs = nil },
		"falling costs": func(_ *rehline.Problem, o *model.CrossValidation) { o.Costs = []float64{1, 0.1} },
		"folds":         func(_ *rehline.Problem, o *model.CrossValidation) { o.Folds = 21 },
		"classes":       func(_ *rehline.Problem, o *model.CrossValidation) { o.Classes = class[:3] },
		"workers":       func(_ *rehline.Problem, o *model.CrossValidation) { o.Workers = -1 },
		"no weight":     func(p *rehline.Problem, _ *model.CrossValidation) { p.Weights = make([]float64, 20) },
		"option":        func(_ *rehline.Problem, o *model.CrossValidation) { o.Options.Tol = -1 },
		"short loss":    func(p *rehline.Problem, _ *model.CrossValidation) { p.Loss = rehline.Hinge(class[:5]) },
		"risk": func(_ *rehline.Problem, o *model.CrossValidation) {
			o.Risk = func([]float64, []int) float64 { return math.NaN() }
		},
		"no coefficient": func(p *rehline.Problem, _ *model.CrossValidation) {
			p.Constraints = rehline.And(rehline.NonNegative(2), rehline.Sum(2, -1))
		},
	} {
		o, q := good, p
		change(&q, &o)
		if _, err := model.CrossValidate(context.Background(), q, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := model.CrossValidate(ctx, p, good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
