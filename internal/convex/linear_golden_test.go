package convex

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// golden is a file of solutions by scikit-learn, see testdata/golden_linear.py.
type golden struct {
	Samples [][][]float64
	Cases   []goldenCase
}

type goldenCase struct {
	Name          string
	X             int // index of the samples
	Y, Weights    []float64
	Alpha, C      float64
	Total         float64
	Intercept     bool
	Unique        bool // whether theta is the only solution
	Objective     float64
	Violation     float64
	Theta         []float64
	linearProblem `json:"-"`
}

func readGolden(t *testing.T, name string) []goldenCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Cases) < 8 {
		t.Fatalf("%s has %d cases, want at least 8", name, len(g.Cases))
	}
	for i := range g.Cases {
		c := &g.Cases[i]
		rows := g.Samples[c.X]
		c.x = blas64.General{Rows: len(rows), Cols: len(rows[0]), Stride: len(rows[0])}
		for _, row := range rows {
			c.x.Data = append(c.x.Data, row...)
		}
		c.y, c.weights = c.Y, c.Weights
	}
	return g.Cases
}

// check compares the solution with the golden one: the objective to 1e-10 and,
// where it is the only solution, scores to 1e-8 and each coefficient to 1e-7.
func (c goldenCase) check(t *testing.T, solver Solver, objective func(theta []float64) float64) {
	t.Helper()
	certificate, err := solver.Solve(context.Background(), c.weights)
	if err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string]float64{
		"objective of the certificate": certificate.Objective,
		"objective of the solution":    objective(solver.Theta()),
	} {
		if !(math.Abs(got-c.Objective) <= 1e-10*c.Objective) {
			t.Errorf("%s %v, want %v", what, got, c.Objective)
		}
	}
	if !(certificate.KKT <= Tolerance) {
		t.Errorf("certificate %+v", certificate)
	}
	if !c.Unique {
		return
	}
	scores := make([]float64, c.x.Rows)
	solver.Scores(scores)
	largest, score := 0.0, 0.0
	for i := range scores {
		want := c.score(i, c.Theta)
		largest, score = max(largest, math.Abs(want)), max(score, math.Abs(scores[i]-want))
	}
	if !(score <= 1e-8*largest) {
		t.Errorf("scores off by %v of %v", score, largest)
	}
	for j, want := range c.Theta {
		if got := solver.Theta()[j]; !(math.Abs(got-want) <= 1e-7*math.Abs(want)+1e-15) {
			t.Errorf("coefficient %d is %v, want %v", j, got, want)
		}
	}
}

// score is the linear predictor of sample i.
func (p linearProblem) score(i int, theta []float64) float64 {
	d := p.x.Cols
	u := theta[d]
	for j := range d {
		u += theta[j] * p.x.Data[i*p.x.Stride+j]
	}
	return u
}

func (p linearProblem) lassoObjective(alpha, total float64, theta []float64) float64 {
	value := 0.0
	for i, v := range p.weights {
		r := p.score(i, theta) - p.y[i]
		value += v * r * r
	}
	for _, w := range theta[:p.x.Cols] {
		value += 2 * total * alpha * math.Abs(w)
	}
	return value
}

func (p linearProblem) logisticObjective(c float64, theta []float64) float64 {
	value := 0.0
	for i, v := range p.weights {
		m := p.y[i] * p.score(i, theta)
		value += v * c * (max(0, -m) + math.Log1p(math.Exp(-math.Abs(m))))
	}
	for _, w := range theta[:p.x.Cols] {
		value += w * w / 2
	}
	return value
}

func TestLassoAgreesWithScikitLearn(t *testing.T) {
	t.Parallel()
	for _, c := range readGolden(t, "golden_lasso.json") {
		t.Run(c.Name, func(t *testing.T) {
			c.check(t, NewLasso(c.x, c.y, c.Alpha, c.Total, c.Intercept), func(theta []float64) float64 {
				return c.lassoObjective(c.Alpha, c.Total, theta)
			})
		})
	}
}

func TestLogisticAgreesWithScikitLearn(t *testing.T) {
	t.Parallel()
	for _, c := range readGolden(t, "golden_logistic.json") {
		t.Run(c.Name, func(t *testing.T) {
			c.check(t, NewLogistic(c.x, c.y, c.C, c.Intercept), func(theta []float64) float64 {
				return c.logisticObjective(c.C, theta)
			})
		})
	}
}
