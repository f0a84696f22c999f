package gaga_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

// Eight goroutines evaluate one path at the same ages, in orders of their own, and
// agree with one that is alone; without a kernel also after the problem's arrays have
// been put to another use.
func TestAtConcurrently(t *testing.T) {
	t.Parallel()
	ages := gaga.Range{Min: 0.3, Max: 5}
	for name, problem := range map[string]func(t *testing.T) *gaga.Problem{
		"lasso": func(t *testing.T) *gaga.Problem {
			p := lasso(training(t, "diabetes", dataset.Regression, 0.3, 2), 0.006, gaga.Mixture{Gamma: 0.5})
			p.Intercept = true
			return p
		},
		"svm": func(t *testing.T) *gaga.Problem {
			part := training(t, "breast_cancer", dataset.Classification, 0.3, 3)
			p := gaga.SVM(matrix(part), part.Y, part.Multiplicity, 1, nil)
			p.Regularizer = gaga.Linear{}
			return p
		},
		"rbf": func(t *testing.T) *gaga.Problem {
			part := training(t, "breast_cancer", dataset.Classification, 0.3, 3)
			p := gaga.SVM(matrix(part), part.Y, part.Multiplicity, 1, gaga.RBF{Gamma: 1. / 30})
			p.Regularizer = gaga.LOG{A: 1}
			return p
		},
		"logistic": func(t *testing.T) *gaga.Problem {
			part := training(t, "breast_cancer", dataset.Classification, 0.3, 3)
			p := gaga.LogisticRegression(matrix(part), part.Y, part.Multiplicity, 1)
			p.Regularizer = gaga.Linear{}
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := problem(t)
			path := track(t, p, gaga.Options{Age: ages})
			o := newOptimality(p)
			random := rand.New(rand.NewPCG(8, 8))
			at, want := make([]float64, 40), make([][]float64, 40)
			for k := range at {
				at[k] = ages.Min * math.Pow(ages.Max/ages.Min, random.Float64())
				var err error
				if want[k], err = path.At(at[k]); err != nil {
					t.Fatal(err)
				}
				if off := o.violation(want[k], at[k]); !(off <= residualLimit) {
					t.Errorf("age %v: residual %.3g", at[k], off)
				}
			}
			if p.Kernel == nil {
				for k := range p.X.Data {
					p.X.Data[k] = math.NaN()
				}
				for k := range p.Y {
					p.Y[k] = math.NaN()
				}
			}
			var running sync.WaitGroup
			for worker := range 8 {
				running.Go(func() {
					if err := agreeAt(path, at, want, uint64(worker)); err != nil {
						t.Error(err)
					}
				})
			}
			running.Wait()
		})
	}
}

// agreeAt evaluates a path at the ages in an order that depends on the seed.
func agreeAt(path *gaga.Path, ages []float64, want [][]float64, seed uint64) error {
	for _, k := range rand.New(rand.NewPCG(seed, 1)).Perm(len(ages)) {
		theta, err := path.At(ages[k])
		if err != nil {
			return err
		}
		size := math.Abs(slices.MaxFunc(want[k], func(a, b float64) int {
			return int(math.Copysign(1, math.Abs(a)-math.Abs(b)))
		}))
		if off := distance(theta, want[k]); !(off <= 1e-8*size) {
			return fmt.Errorf("age %v: %.3g away from what one goroutine finds", ages[k], off)
		}
	}
	return nil
}
