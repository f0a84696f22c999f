package selfpaced

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

// TestNoScoreWithoutSamples scores paths of which some knots keep no sample, though their
// coefficients are the best by accident: those have no score, and a path of them alone fails.
func TestNoScoreWithoutSamples(t *testing.T) {
	t.Parallel()
	part := dataset.Part{N: 2, D: 1, X: []float64{1, 2}, Y: []float64{1, 2}}
	prepared := &dataset.Prepared{Train: part, Validation: part, Test: part, Target: dataset.Affine{Scale: []float64{1}}}
	none := func(age float64) gaga.Knot { // a perfect fit
		return gaga.Knot{Age: age, Index: -1, Theta: []float64{1, 0}, Discarded: 2}
	}
	some := func(age, slope float64) gaga.Knot {
		return gaga.Knot{Age: age, Index: -1, Theta: []float64{slope, 0}, Middle: 1, Discarded: 1}
	}
	for _, test := range []struct {
		name        string
		regularizer gaga.Regularizer
		knots       []gaga.Knot
		best        int // -1: there is no score
		end         bool
	}{
		{"first", gaga.Linear{}, []gaga.Knot{none(1), some(2, 3), some(3, 2)}, 2, true},
		{"last", gaga.Hard{}, []gaga.Knot{some(1, 2), some(2, 3), none(3)}, 0, false},
		{"between", gaga.Mixture{Gamma: 0.5}, []gaga.Knot{some(1, 3), none(2), some(3, 2)}, 2, true},
		{"all", gaga.Polynomial{Order: 1.35}, []gaga.Knot{none(1), none(2)}, -1, false},
		{"one", gaga.Linear{}, []gaga.Knot{none(1)}, -1, false},
		{"log keeps them", gaga.LOG{A: 2}, []gaga.Knot{none(1), some(2, 3)}, 0, true},
		{"log, far", gaga.LOG{A: 1e6}, []gaga.Knot{none(1e-3)}, 0, true},
	} {
		p := gaga.Ridge(blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: part.X}, part.Y, nil, 1)
		p.Intercept, p.Regularizer = true, test.regularizer
		f := &Fitted{Problem: p, Knots: test.knots, status: "complete", reached: true, parts: prepared}
		s, err := f.score(&Cell{Data: CellData{Task: dataset.Regression}}, f.validation())
		if test.best < 0 {
			var fixed *experiment.StatusError
			if !errors.As(err, &fixed) || fixed.Status != experiment.Diverged {
				t.Errorf("%s: %v, %v", test.name, s, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.bestTest != test.best || s.bestValidation != test.best {
			t.Errorf("%s: best are knots %d and %d, want %d", test.name, s.bestTest, s.bestValidation, test.best)
		}
		measures, further, err := s.tables(&experiment.Task{Keep: []string{"knots"}})
		if err != nil {
			t.Fatal(err)
		}
		for j, column := range measureColumns {
			if has := !measures.Columns[j].IsNull(0); (column.Name == "test_at_end" || column.Name == "test_mae_at_end") && has != test.end {
				t.Errorf("%s: %s is there: %t", test.name, column.Name, has)
			}
		}
		for j, column := range furtherTables[0].Columns[1:] {
			if column.Name != "test_score" && column.Name != "validation_score" {
				continue
			}
			for k, knot := range test.knots {
				has := !further["knots"].Columns[j].IsNull(k)
				if _, log := test.regularizer.(gaga.LOG); has != (log || knot.Middle > 0) {
					t.Errorf("%s: %s of knot %d is there: %t", test.name, column.Name, k, has)
				}
			}
		}
	}
}

// TestRawYears has a feature of years that nothing scales: plain fits are fine, and no path is
// ok at ages that discard everybody. What a path has is near the plain fit or fails.
func TestRawYears(t *testing.T) {
	t.Parallel()
	for seed := range 12 {
		plan := yearsPlan(t, seed)
		scores := map[string]float64{}
		for task, err := range plan.Tasks() {
			if err != nil {
				t.Fatal(err)
			}
			cell, err := DecodeCell(task.Spec)
			if err != nil {
				t.Fatal(err)
			}
			measures, _, err := (Kind{}).Compute(t.Context(), &task, plan)
			var fixed *experiment.StatusError
			switch {
			case errors.As(err, &fixed) && cell.Method.Name != Original:
			case err != nil:
				t.Errorf("seed %d: %s: %v", seed, cell.Method.Name, err)
			default:
				scores[cell.Method.Name] = number(t, measures, "test_at_best_validation")
			}
		}
		for method, score := range scores {
			if method != Constant && !(score < 3*scores[Original]) || math.IsNaN(score) {
				t.Errorf("seed %d: %s has %v, the plain fit %v", seed, method, score, scores[Original])
			}
		}
	}
}

// yearsPlan plans a Lasso on years and another feature, unscaled.
func yearsPlan(t *testing.T, seed int) *experiment.Plan {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(seed), 5))
	text := "year,x,y\n"
	for range 60 {
		year, x := 1980+random.IntN(41), random.NormFloat64()
		text += fmt.Sprintf("%d,%v,%v\n", year, x, 0.12*float64(year-2000)+0.5*x+0.25*random.NormFloat64())
	}
	path := filepath.Join(t.TempDir(), "years.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := mustParse(t, fmt.Sprintf(`
seed: %d
data: [{path: %s}]
models: [{lasso: {alpha: 0.01}}]
regularizers: [linear, hard]
methods: [original, acs, gaga]
age: {min: 0.001, max: 20}
scale: {features: none, target: none}
`, seed, path)).Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
