package gaga_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// models are the problems of regression that have no solver of their own,
// stated on a training part.
var models = map[string]func(p *dataset.Part) *gaga.Problem{
	"ridge": func(p *dataset.Part) *gaga.Problem {
		return gaga.Ridge(matrix(p), p.Y, p.Multiplicity, 1)
	},
	"elastic net": func(p *dataset.Part) *gaga.Problem {
		return gaga.ElasticNet(matrix(p), p.Y, p.Multiplicity, 0.01, 0.5)
	},
	"least squares": func(p *dataset.Part) *gaga.Problem {
		return gaga.LeastSquares(matrix(p), p.Y, p.Multiplicity)
	},
}

// Paths of all regularizers are complete and agree with alternate convex search
// at a fine grid, see TestPathAgreesWithACS. Each pair of a model and a regularizer has noise
// or not; with AGEPATH_LONG=1 it has both.
func TestModelsAgreeWithACS(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fits at hundreds of ages for each of 15 problems")
	}
	for i, name := range slices.Sorted(maps.Keys(models)) {
		model := models[name]
		for j, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.3}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 1}} {
			for k, noise := range []float64{0, 0.3} {
				if (i+j+k)%2 == 1 && !needs.Long() {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, noise %v", name, r.Name(), noise), func(t *testing.T) {
					t.Parallel()
					p := model(training(t, "diabetes", dataset.Regression, noise, 1))
					p.Regularizer, p.Intercept = r, noise > 0
					ages, step := gaga.Range{Min: 0.1, Max: 0.8}, 0.005
					hard := false
					switch r.(type) {
					case gaga.Hard:
						hard, step = true, 0.0002
					case gaga.Linear:
						step = 0.002
					case gaga.Mixture: // many branches: a coarse grid leads ACS astray
						ages.Max, step = 0.4, 0.0005
					}
					compare(t, p, ages, step, hard)
				})
			}
		}
	}
}

// The whole range of ages.
func TestModelsHaveCompletePaths(t *testing.T) {
	t.Parallel()
	for name, model := range models {
		for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.3}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 1}} {
			t.Run(name+", "+r.Name(), func(t *testing.T) {
				t.Parallel()
				p := model(training(t, "diabetes", dataset.Regression, 0.3, 1))
				p.Regularizer, p.Intercept = r, true
				path := track(t, p, gaga.Options{Age: gaga.Range{Min: 0.1, Max: 20}})
				for _, k := range path.Knots() {
					if !(k.KKT <= 1e-9) {
						t.Errorf("age %v: KKT residual %.2g", k.Age, k.KKT)
					}
				}
			})
		}
	}
}

// Classification with an L1 penalty goes through the solver for smooth losses.
func TestSparseLogisticRegressionAgreesWithACS(t *testing.T) {
	t.Parallel()
	for _, r := range []gaga.Regularizer{gaga.Linear{}, gaga.LOG{A: 1}} {
		t.Run(r.Name(), func(t *testing.T) {
			t.Parallel()
			part := training(t, "breast_cancer", dataset.Classification, 0.1, 2)
			p := gaga.LogisticRegression(matrix(part), part.Y, part.Multiplicity, 1)
			p.Penalty, p.Regularizer = gaga.Penalty{L1: 0.5, L2: 0.1}, r
			compare(t, p, gaga.Range{Min: 0.5, Max: 2}, 0.02, false)
		})
	}
}

// The constructors' parameters are scikit-learn's: with all weights 1 one
// standardized feature has the closed forms of its documentation.
func TestModelsParameters(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 3, Cols: 1, Stride: 1, Data: []float64{1, 2, -1}}
	y := []float64{2, 3, 1}
	m := []float64{1, 2, 3}              // 6 samples
	const xx, xy = 1 + 8 + 3, 2 + 12 - 3 // Σ m x² and Σ m x y
	for name, test := range map[string]struct {
		problem *gaga.Problem
		want    float64
	}{
		"least squares":         {gaga.LeastSquares(x, y, m), xy / float64(xx)},
		"ridge":                 {gaga.Ridge(x, y, m, 4), xy / float64(xx+4)},
		"elastic net":           {gaga.ElasticNet(x, y, m, 0.5, 0.25), (xy - 6*0.5*0.25) / (xx + 6*0.5*0.75)},
		"elastic net, no L1":    {gaga.ElasticNet(x, y, m, 0.5, 0), xy / float64(xx+3)},
		"elastic net, as Lasso": {gaga.ElasticNet(x, y, m, 0.5, 1), (xy - 3) / float64(xx)},
		"Lasso":                 {gaga.Lasso(x, y, m, 0.5), (xy - 3) / float64(xx)},
	} {
		test.problem.Regularizer = gaga.Linear{}
		a, err := gaga.NewAlternation(test.problem)
		if err == nil {
			err = a.FitAll(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Theta()[0]; math.Abs(got-test.want) > 1e-14 {
			t.Errorf("%s: coefficient %v, want %v", name, got, test.want)
		}
	}
}
