package selfpaced

import (
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/rehline"
)

// digestSolver has problems of piecewise losses that grids have too, but of few rows, for methods of
// the solver that easy problems do not need: wide ones, of very different columns, and with constraints.
func digestSolver(t *testing.T, h hash.Hash) {
	random := experiment.Stream(1, "solver")
	for _, shape := range []struct {
		n, d    int
		columns float64 // ratio of the sizes of neighbours
		costs   []float64
	}{
		{n: 4, d: 1600, columns: 1, costs: []float64{1}}, {n: 25, d: 40, columns: 1, costs: []float64{1, 1e6}}, {n: 60, d: 4, columns: 1e4, costs: []float64{1e3, 1e6}},
		{n: 40, d: 3, columns: 1, costs: []float64{0.01, 1, 1e4}},
	} {
		x, y, sides := randomProblem(random, shape.n, shape.d, shape.columns)
		for _, loss := range []rehline.Loss{
			rehline.Hinge(sides), rehline.SmoothedHinge(sides), rehline.EpsilonInsensitive(y, 0.1), rehline.Quantile(y, 0.3), rehline.Huber(y, 0.2),
		} {
			for _, c := range shape.costs {
				for _, intercept := range []rehline.Intercept{rehline.NoIntercept, rehline.FreeIntercept} {
					p := rehline.Problem{X: x, Loss: loss, C: c, Intercept: intercept}
					digestSolution(t, h, p)
					if shape.d > 4 {
						continue
					}
					p.Constraints = rehline.Monotone(shape.d, true)
					digestSolution(t, h, p)
					p.Constraints = rehline.Sum(shape.d, 1)
					p.NoRidge, p.L1 = true, make([]float64, shape.d)
					for j := range p.L1 {
						p.L1[j] = 0.1
					}
					digestSolution(t, h, p)
				}
			}
		}
	}
}

func digestSolution(t *testing.T, h hash.Hash, p rehline.Problem) {
	t.Helper()
	s, err := rehline.Solve(t.Context(), p, rehline.Options{Tol: ermTolerance, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	addFloats(h, s.Beta...)
	addFloats(h, s.Intercept, s.Objective, s.Gap)
}

// digestPaths has paths of more rows than the data sets have: a window holds at most 512 of them, and
// a landing with a kinked loss looks at those near a threshold.
func digestPaths(t *testing.T, h hash.Hash) {
	x, y, sides := randomProblem(experiment.Stream(1, "paths"), 1200, 2, 1)
	for i := range sides {
		if i%5 == 0 {
			y[i], sides[i] = y[i]+5, -sides[i]
		}
	}
	for _, c := range []struct {
		problem     *gaga.Problem
		regularizer gaga.Regularizer
		ages        gaga.Range
	}{
		{gaga.SVM(x, sides, nil, 1, nil), gaga.Hard{}, gaga.Range{Min: 0.9, Max: 1.1}},
		{gaga.SVM(x, sides, nil, 1, nil), gaga.Linear{}, gaga.Range{Min: 0.9, Max: 1.1}},
		{gaga.Lasso(x, y, nil, 0.01), gaga.Hard{}, gaga.Range{Min: 0.2, Max: 0.3}},
		{gaga.Lasso(x, y, nil, 0.01), gaga.Polynomial{Order: 1.35}, gaga.Range{Min: 0.2, Max: 0.3}},
	} {
		c.problem.Regularizer = c.regularizer
		path, err := gaga.Track(t.Context(), c.problem, gaga.Options{Age: c.ages})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(h, path.Status(), path.Reason())
		for _, knot := range path.Knots() {
			addFloats(h, knot.Age, knot.KKT)
			addFloats(h, knot.Theta...)
		}
	}
}

// boundedHard admits no loss above a bound, however large the age.
type boundedHard struct{ gaga.Hard }

func (boundedHard) Threshold(_ int, age float64) (threshold, rate float64) {
	return 0.05 * age / (1 + age), 0.05 / ((1 + age) * (1 + age))
}

// digestStart has the fit before the first of derived ages, to few rows and to some of many.
func digestStart(t *testing.T, h hash.Hash) {
	c, _ := numberedModels[0].cell(t)
	for _, n := range []int{50, 1300} {
		x, y, _ := randomProblem(experiment.Stream(1, "start"), n, 2, 1)
		part := dataset.Part{N: n, D: 2, X: x.Data, Y: y, Rows: dataset.Indices(n)}
		problem, err := c.Problem(&part)
		if err != nil {
			t.Fatal(err)
		}
		weights, err := c.findStart(t.Context(), &part, problem)
		if err != nil {
			t.Fatal(err)
		}
		addFloats(h, weights...)
		problem.Regularizer = boundedHard{}
		ages, err := baselines.FindAges(t.Context(), problem, weights, autoAges)
		if err != nil {
			t.Fatal(err)
		}
		addFloats(h, ages...)
	}
}

// randomProblem has targets, and classes with a margin, by the first two columns.
func randomProblem(random *rand.Rand, n, d int, columns float64) (x blas64.General, y, sides []float64) {
	x = blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	y, sides = make([]float64, n), make([]float64, n)
	for i := range n {
		row := x.Data[i*d:][:d]
		for j := range row {
			row[j] = random.NormFloat64()
		}
		y[i] = row[0] + row[1]/2 + random.NormFloat64()/4
		sides[i] = math.Copysign(1, y[i])
		for j := range row {
			row[j] *= math.Pow(columns, float64(min(j, 3))-1.5)
		}
	}
	return x, y, sides
}
