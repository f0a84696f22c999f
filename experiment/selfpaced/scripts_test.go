package selfpaced

import (
	"math"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

const scripted = `
name: scripted
data: [diabetes]
protocol: scripts
noise: [{kind: gaussian, levels: [0.3]}]
models: [{lasso: {alpha: 0.01}}]
regularizers: [linear]
methods: [original, acs]
age: {min: 0.11, max: 5, acs_step: 0.6}
keep: {knots: true, coefficients: true}
`

// TestScripts computes scores and weights anew from the coefficients: errors are absolute
// ones, and each age's solution is that of the weighted Lasso whose weights are those of the
// solution before it, by the Lasso's optimality conditions.
func TestScripts(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, scripted)
	for _, task := range tasks {
		measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		cell, prepared := prepare(t, plan, &task)
		if n := prepared.Test.N; n != 23 || prepared.Validation.N != 0 { // a twentieth of 442, rounded up
			t.Errorf("%d rows for testing, %d for validation", n, prepared.Validation.N)
		}
		thetas := further["coefficients"].Columns[1].Lists
		var errors []float64
		for _, theta := range thetas {
			sum := 0.0
			for i := range prepared.Test.N {
				sum += math.Abs(residual(&prepared.Test, i, theta))
			}
			errors = append(errors, sum/float64(prepared.Test.N))
		}
		at := func(column string) int {
			return slices.IndexFunc(measureColumns, func(c experiment.Column) bool { return c.Name == column })
		}
		if metric := measures.Columns[at("metric")].Texts[0]; metric != MAE {
			t.Errorf("the metric is %s", metric)
		}
		for _, column := range []string{"test_at_best_test", "test_mae_at_best_test"} {
			if got, want := measures.Columns[at(column)].Floats[0], slices.Min(errors); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %s is %v, want %v", cell.Method.Name, column, got, want)
			}
		}
		if cell.Method.Name != ACS {
			continue
		}
		ages := further["knots"].Columns[1].Floats
		if len(ages) != 10 || ages[1] != 0.11+0.6 {
			t.Fatalf("ages %v", ages)
		}
		for k := 1; k < len(ages); k++ {
			if worst := notOptimal(&prepared.Train, thetas[k], thetas[k-1], ages[k], cell.Model.Alpha); worst > 1e-6 {
				t.Errorf("age %v: the optimality conditions are violated by %v", ages[k], worst)
			}
		}
	}
}

func residual(part *dataset.Part, i int, theta []float64) float64 {
	r := part.Y[i]
	for j := range part.D {
		r -= part.X[i*part.D+j] * theta[j]
	}
	return r
}

// notOptimal returns by how much theta misses the optimality conditions of the Lasso with
// the linear regularizer's weights at before.
func notOptimal(part *dataset.Part, theta, before []float64, age, alpha float64) (worst float64) {
	gradient := make([]float64, part.D)
	for i := range part.N {
		weight := math.Max(0, 1-math.Pow(residual(part, i, before), 2)/age)
		for j := range gradient {
			gradient[j] += weight * residual(part, i, theta) * part.X[i*part.D+j] / float64(part.N)
		}
	}
	for j, g := range gradient {
		miss := math.Max(0, math.Abs(g)-alpha)
		if theta[j] != 0 {
			miss = math.Abs(g - math.Copysign(alpha, theta[j]))
		}
		worst = math.Max(worst, miss)
	}
	return worst
}
