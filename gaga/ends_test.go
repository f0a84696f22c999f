package gaga_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// work counts how often a computation asks whether it is to end: at each step of a path, at
// each alternation, and within solvers. Beyond a limit it ends the computation.
type work struct {
	context.Context
	asked, limit int
}

func (w *work) Err() error {
	if w.asked++; w.asked > w.limit {
		return context.Canceled
	}
	return nil
}

// drawGrades draws a problem whose targets have 2 to 10 values, or the labels of those above
// their mean, under any model and regularizer.
func drawGrades(seed uint64) (p *gaga.Problem, what string) {
	rng := rand.New(rand.NewPCG(seed, 56))
	model := []string{"lasso", "elastic net", "ridge", "logistic", "svm", "rbf"}[rng.IntN(6)]
	n := int(logUniform(rng, 30, 1300))
	if model == "rbf" {
		n = int(logUniform(rng, 30, 400))
	}
	d, values, integer := 1+rng.IntN(12), 2+rng.IntN(9), rng.IntN(3) == 0
	noise, scaled := logUniform(rng, 0.1, 3), rng.IntN(2) == 0
	x, y, labels := make([]float64, n*d), make([]float64, n), make([]float64, n)
	var mean float64
	for i := range y {
		for j := range d {
			v := rng.NormFloat64()
			if integer {
				v = math.Round(2 * v)
			}
			x[i*d+j] = v
			y[i] += v * float64(1+j%3) / 2
		}
		y[i] = (y[i] + noise*rng.NormFloat64()*math.Sqrt(float64(d))) / (1 + noise)
		y[i] = math.Round(float64(values-1) / (1 + math.Exp(-y[i])))
		mean += y[i] / float64(n)
	}
	for i := range y {
		labels[i] = math.Copysign(1, y[i]-mean)
		if scaled {
			y[i] /= float64(values - 1)
		}
	}
	m, alpha, c := blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, logUniform(rng, 3e-4, 0.1), logUniform(rng, 0.03, 30)
	switch model {
	case "lasso":
		p = gaga.Lasso(m, y, nil, alpha)
	case "elastic net":
		p = gaga.ElasticNet(m, y, nil, alpha, 0.5)
	case "ridge":
		p = gaga.Ridge(m, y, nil, alpha)
	case "logistic":
		p = gaga.LogisticRegression(m, labels, nil, c)
	case "svm":
		p = gaga.SVM(m, labels, nil, c, nil)
	default:
		p = gaga.SVM(m, labels, nil, c, gaga.RBF{Gamma: 1 / float64(d)})
	}
	p.Intercept = rng.IntN(3) > 0
	p.Regularizer = []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Linear{}, gaga.Polynomial{Order: 1.3}, gaga.Polynomial{Order: 2.5}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 1}}[rng.IntN(7)]
	return p, fmt.Sprintf("seed %d, %s, %d x %d, %#v, %d values, intercept %v", seed, model, n, d, p.Regularizer, values, p.Intercept)
}

// Where targets have few values, groups of samples are fitted exactly. Each path ends, over
// the range that fits the problem and from 1e-8, within a small multiple of the work of a
// search at 41 ages, and where it is incomplete, plain alternation finds no strict optimum to
// continue at.
func TestPathsEnd(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	seeds := 16
	if needs.Long() {
		seeds = 300
	}
	var worst float64
	incomplete, unsolved := 0, 0
	for seed := range uint64(seeds) {
		p, what := drawGrades(seed)
		ages, err := baselines.FindAges(t.Context(), p, nil, 41)
		if err != nil { // a convex fit fails
			t.Logf("%s: %v", what, err)
			unsolved++
			continue
		}
		search := &work{Context: t.Context(), limit: math.MaxInt}
		if _, err := baselines.ACS(search, p, ages, baselines.ACSOptions{}); err != nil && !errors.Is(err, gaga.ErrDiscarded) {
			t.Logf("%s: %v", what, err)
			unsolved++
			continue
		}
		for _, low := range []float64{ages[0], 1e-8} {
			limit := 20*search.asked + 20*(p.X.Rows+p.X.Cols) + 5000 // as a start after a gap needs
			path, steps := trackWithin(t, p, gaga.Range{Min: low, Max: ages[len(ages)-1]}, limit)
			worst = math.Max(worst, float64(steps)/float64(limit))
			switch path.Status() {
			case gaga.Complete:
			case gaga.Interrupted:
				t.Errorf("%s, from %v: not at its end after %d steps, at age %v", what, low, steps, path.Range().Max)
			default:
				incomplete++
				var theta []float64
				if knots := path.Knots(); len(knots) > 0 {
					theta, low = knots[len(knots)-1].Theta, knots[len(knots)-1].Age
				}
				t.Logf("%s: %s", what, path.Reason())
				if path.Reason() == "" || continues(t.Context(), p, theta, low*(1+1e-6)) {
					t.Errorf("%s: ends at age %v, where alternation continues: %q", what, low, path.Reason())
				}
			}
		}
	}
	t.Logf("%d paths incomplete, %d searches fail, at most %.2f of the work allowed", incomplete, unsolved, worst)
	if unsolved*50 > seeds {
		t.Errorf("%d of %d searches fail", unsolved, seeds)
	}
}

// trackWithin tracks a path, at most to a limit of its steps, and returns how many it takes.
func trackWithin(t *testing.T, p *gaga.Problem, ages gaga.Range, limit int) (*gaga.Path, int) {
	t.Helper()
	w := &work{Context: t.Context(), limit: limit}
	path, err := gaga.Track(w, p, gaga.Options{Age: ages})
	if err != nil {
		t.Fatal(err)
	}
	return path, w.asked
}

// Grades that features hardly explain, under a Lasso: from ages far below the squared targets
// the intercept fits a grade exactly, and sums of fourth moments are rounding.
func TestGrades(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{7, 8, 9} {
		rng := rand.New(rand.NewPCG(seed, 57))
		const n, d = 800, 11
		x, y := make([]float64, n*d), make([]float64, n)
		for i := range y {
			sum := rng.NormFloat64()
			for j := range d {
				x[i*d+j] = rng.NormFloat64()
				if j < 3 {
					sum += 0.2 * x[i*d+j]
				}
			}
			y[i] = math.Round(min(5, max(0, 2.6+sum))) / 5
		}
		p := gaga.Lasso(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, 0.01)
		p.Regularizer, p.Intercept = gaga.Linear{}, true
		path, steps := trackWithin(t, p, gaga.Range{Min: 1e-8, Max: 1e8}, 20*n)
		if path.Status() != gaga.Complete {
			t.Errorf("seed %d: %v at age %v after %d steps: %s", seed, path.Status(), path.Range().Max, steps, path.Reason())
		}
	}
}
