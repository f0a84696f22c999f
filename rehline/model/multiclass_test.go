package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
	"github.com/agepath/agepath/rehline/model"
)

// TestMulticlassGolden compares with LIBLINEAR through scikit-learn;
// testdata/golden_multiclass.py says how the values were made.
func TestMulticlassGolden(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "golden_multiclass.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		X, Tests [][]float64
		Labels   []int
		Weights  []float64
		Cases    []struct {
			Loss, Scheme string
			C            float64
			Weighted     bool
			Coef         [][]float64
			Intercept    []float64
			Predictions  []int
		}
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) != 8 {
		t.Fatalf("%d cases", len(golden.Cases))
	}
	for _, test := range golden.Cases {
		loss := map[string]func([]float64) rehline.Loss{"hinge": rehline.Hinge, "squared_hinge": rehline.SquaredHinge}[test.Loss]
		p := rehline.Problem{X: matrixOf(golden.X), C: test.C, Intercept: rehline.PenalizedIntercept}
		if test.Weighted {
			p.Weights = golden.Weights
		}
		o := model.MulticlassOptions{Options: rehline.Options{Tol: 1e-12}}
		if test.Scheme == "pairs" {
			o.Scheme = model.OneVsOne
		}
		m, err := model.FitMulticlass(context.Background(), p, golden.Labels, loss, o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Classes, []int{3, 7, 11, 20}) || len(m.Machines) != len(test.Coef) {
			t.Fatalf("%s %s: classes %v with %d machines", test.Loss, test.Scheme, m.Classes, len(m.Machines))
		}
		for k, machine := range m.Machines {
			if machine.Status != rehline.Solved {
				t.Errorf("%s %s C = %g, machine %d: %v", test.Loss, test.Scheme, test.C, k, machine.Status)
			}
			for j, want := range append(test.Coef[k], test.Intercept[k]) {
				if got := append(machine.Beta, machine.Intercept)[j]; math.Abs(got-want) > 1e-5 {
					t.Errorf("%s %s C = %g, machine %d: coefficient %d is %v, not %v", test.Loss, test.Scheme, test.C, k, j, got, want)
				}
			}
		}
		got, err := m.Predict(matrixOf(golden.Tests))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, test.Predictions) {
			t.Errorf("%s %s C = %g: predictions %v, not %v", test.Loss, test.Scheme, test.C, got, test.Predictions)
		}
	}
}

func matrixOf(rows [][]float64) blas64.General {
	return general(len(rows), len(rows[0]), func(i, j int) float64 { return rows[i][j] })
}

// TestMulticlassPassesThrough: constraints and penalties hold in every machine,
// sparse features are the same as dense ones, and workers do not matter.
func TestMulticlassPassesThrough(t *testing.T) {
	t.Parallel()
	x, _, y := data(11, 120, 3)
	labels := make([]string, len(y))
	for i, v := range y {
		labels[i] = []string{"low", "middle", "high"}[min(max(int(v+1.5), 0), 2)]
	}
	for _, scheme := range []model.Scheme{model.OneVsRest, model.OneVsOne} {
		o := model.MulticlassOptions{Scheme: scheme, Options: rehline.Options{Tol: 1e-9}}
		p := rehline.Problem{X: x, C: 0.5, Intercept: rehline.FreeIntercept, Constraints: rehline.Sum(3, 0.25), L1: []float64{0.1, 0.1, 0.1}}
		m, err := model.FitMulticlass(context.Background(), p, labels, rehline.SmoothedHinge, o)
		if err != nil {
			t.Fatal(err)
		}
		for k, machine := range m.Machines {
			if sum := machine.Beta[0] + machine.Beta[1] + machine.Beta[2]; math.Abs(sum-0.25) > 1e-8 {
				t.Errorf("machine %d: coefficients add up to %v", k, sum)
			}
		}
		p.Sparse, p.X = compress(x), blas64.General{}
		o.Workers = 2
		other, err := model.FitMulticlass(context.Background(), p, labels, rehline.SmoothedHinge, o)
		if err != nil {
			t.Fatal(err)
		}
		for k, machine := range m.Machines {
			for j, b := range machine.Beta {
				if math.Abs(b-other.Machines[k].Beta[j]) > 1e-6 {
					t.Errorf("machine %d, coefficient %d: %v dense and %v sparse", k, j, b, other.Machines[k].Beta[j])
				}
			}
		}
		dense, err := m.Predict(x)
		if err != nil {
			t.Fatal(err)
		}
		sparse, err := m.PredictSparse(compress(x))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(dense, sparse) {
			t.Error("sparse features are predicted otherwise")
		}
	}
}

func TestMulticlassTwoClasses(t *testing.T) {
	t.Parallel()
	x, class, _ := data(12, 80, 3)
	p := rehline.Problem{X: x, Loss: rehline.Hinge(class)}
	want := solve(t, p, rehline.Options{Tol: 1e-10})
	for _, scheme := range []model.Scheme{model.OneVsRest, model.OneVsOne} {
		m, err := model.FitMulticlass(context.Background(), p, class, rehline.Hinge,
			model.MulticlassOptions{Scheme: scheme, Options: rehline.Options{Tol: 1e-10}})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Machines) != 1 || !reflect.DeepEqual(m.Machines[0].Beta, want.Beta) {
			t.Errorf("%+v is not the one problem, whose coefficients are %v", m.Machines, want.Beta)
		}
		scores, err := m.Scores(x)
		if err != nil {
			t.Fatal(err)
		}
		for i, label := range m.Decide(scores) {
			if z := scores.Data[i]; (z > 0) != (label == 1) {
				t.Errorf("a score of %v is class %v", z, label)
			}
		}
	}
}

func TestDecideVotes(t *testing.T) {
	t.Parallel()
	m := model.Multiclass[rune]{Scheme: model.OneVsOne, Classes: []rune("abc"), Machines: []model.Machine{
		{Positive: 0, Negative: 1, Beta: []float64{0}}, {Positive: 0, Negative: 2, Beta: []float64{0}}, {Positive: 1, Negative: 2, Beta: []float64{0}}}}
	scores := matrixOf([][]float64{
		{1, 1, 5},  // a has two votes
		{-1, 1, 9}, // b has two
		{1, -2, 3}, // one each; the sums are -1, 2 and -1
		{1, -1, 1}, // one each, equal sums: the lower class
	})
	if got := string(m.Decide(scores)); got != "abba" {
		t.Errorf("decided %q", got)
	}
}

func TestMulticlassErrors(t *testing.T) {
	t.Parallel()
	x, class, _ := data(7, 20, 2)
	p := rehline.Problem{X: x}
	fit := func(p rehline.Problem, labels []float64, o model.MulticlassOptions) error {
		_, err := model.FitMulticlass(context.Background(), p, labels, rehline.Hinge, o)
		return err
	}
	nan := slices.Clone(class)
	nan[4] = math.NaN()
	for name, err := range map[string]error{
		"short":     fit(p, class[:4], model.MulticlassOptions{}),
		"one class": fit(p, make([]float64, 20), model.MulticlassOptions{}),
		"NaN":       fit(p, nan, model.MulticlassOptions{}),
		"scheme":    fit(p, class, model.MulticlassOptions{Scheme: 2}),
		"workers":   fit(p, class, model.MulticlassOptions{Workers: -1}),
		"weights":   fit(rehline.Problem{X: x, Weights: []float64{1}}, class, model.MulticlassOptions{}),
		"empty":     fit(rehline.Problem{}, nil, model.MulticlassOptions{}),
	} {
		if _, ok := errors.AsType[*rehline.InputError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, err := model.FitMulticlass(context.Background(), p, class, rehline.Hinge, model.MulticlassOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Predict(general(2, 3, func(int, int) float64 { return 0 })); err == nil {
		t.Error("three columns for two coefficients are accepted")
	}
	if _, err := m.PredictSparse(nil); err == nil {
		t.Error("no features are accepted")
	}
}
