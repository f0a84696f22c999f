package rehline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// golden are problems that scikit-learn (LIBLINEAR and LIBSVM among its
// solvers) or SciPy's HiGHS solved; testdata/golden.py wrote them.
type golden struct {
	X, Y, Class, Weights []float64
	Cases                []goldenCase
}

type goldenCase struct {
	By, Loss  string
	Parameter float64
	C         float64
	Ridge, L1 float64           // 0: none
	Intercept rehline.Intercept // or 2: penalized, as a feature of ones
	Weighted  bool

	Objective float64
	Beta      []float64
}

func (g *golden) problem(c goldenCase) (rehline.Problem, error) {
	n := len(g.Y)
	d := len(g.X) / n
	p := rehline.Problem{X: blas64.General{Rows: n, Cols: d, Stride: d, Data: g.X}, C: c.C, Ridge: c.Ridge, NoRidge: c.Ridge == 0, Intercept: c.Intercept}
	if c.Intercept == 2 {
		p.Intercept = rehline.NoIntercept
		p.X = general(n, d+1, func(i, j int) float64 { return append(g.X[i*d:(i+1)*d:(i+1)*d], 1)[j] })
	}
	if c.L1 > 0 {
		p.L1 = vector(d, func(int) float64 { return c.L1 })
	}
	if c.Weighted {
		p.Weights = g.Weights
	}
	switch c.Loss {
	case "hinge":
		p.Loss = rehline.Hinge(g.Class)
	case "squared hinge":
		p.Loss = rehline.SquaredHinge(g.Class)
	case "quantile":
		p.Loss = rehline.Quantile(g.Y, c.Parameter)
	case "epsilon-insensitive":
		p.Loss = rehline.EpsilonInsensitive(g.Y, c.Parameter)
	case "squared epsilon-insensitive":
		p.Loss = rehline.SquaredEpsilonInsensitive(g.Y, c.Parameter)
	case "huber":
		p.Loss = rehline.Huber(g.Y, c.Parameter)
	case "squared":
		p.Loss = rehline.Squared(g.Y)
	default:
		return p, fmt.Errorf("no loss %q", c.Loss)
	}
	return p, nil
}

// TestGolden: the objective is that of scikit-learn, LIBLINEAR, LIBSVM and HiGHS,
// and so are the coefficients where they are unique.
func TestGolden(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	for i, c := range g.Cases {
		p, err := g.problem(c)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%d: %s, %s(%g), C %g, ridge %g, L1 %g, intercept %d", i, c.By, c.Loss, c.Parameter, c.C, c.Ridge, c.L1, c.Intercept)
		sol, err := rehline.Solve(context.Background(), p, rehline.Options{Tol: 1e-10})
		if err != nil || sol.Status != rehline.Solved {
			t.Errorf("%s: %v, %v with gap %g", name, err, sol.Status, sol.Gap)
			continue
		}
		above := (sol.Objective - c.Objective) / c.Objective
		if !(math.Abs(above) <= 1e-8) {
			t.Errorf("%s: objective %.12g, theirs is %.12g: %.2g above", name, sol.Objective, c.Objective, above)
		}
		for j, want := range c.Beta {
			if b := sol.Beta[j]; c.Ridge > 0 && math.Abs(b-want) > 1e-4*(1+math.Abs(b)) {
				t.Errorf("%s: β_%d = %g, theirs is %g", name, j, b, want)
			}
		}
	}
}
