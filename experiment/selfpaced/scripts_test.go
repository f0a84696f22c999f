package selfpaced

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/gaga"
)

const scripted = `
name: scripted
data: [diabetes]
protocol: scripts
noise: [{kind: gaussian, levels: [0.3]}]
models: [{lasso: {alpha: 0.01, intercept: false}}]
regularizers: [linear]
methods: [original, acs, gaga]
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
		if got := measures.Columns[at("metric")].Texts[0]; got != string(metric.MAE) {
			t.Errorf("the metric is %s", got)
		}
		for _, column := range []string{"test_at_best_test", "test_mae_at_best_test"} {
			if got, want := measures.Columns[at(column)].Floats[0], slices.Min(errors); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %s is %v, want %v", cell.Method.Name, column, got, want)
			}
		}
		ages := further["knots"].Columns[1].Floats
		want := map[string]int{Original: 1, ACS: 10, GAGA: 50} // from 0.11 to 5 by 0.6 and by 0.1, and 5
		if len(ages) != want[cell.Method.Name] {
			t.Fatalf("%s: ages %v", cell.Method.Name, ages)
		}
		for k := 1; k < len(ages); k++ {
			before := thetas[k-1]
			if cell.Method.Name == GAGA {
				before = thetas[k]
			}
			if worst := notOptimal(&prepared.Train, thetas[k], before, ages[k], cell.Model.Alpha); worst > 1e-6 {
				t.Errorf("%s, age %v: the optimality conditions are violated by %v", cell.Method.Name, ages[k], worst)
			}
		}
	}
}

// TestScriptedStart wants a start that knows the clean rows: all of them have weights, by their
// losses at one solution, and hardly any noisy one.
func TestScriptedStart(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, strings.Replace(scripted, "[original, acs, gaga]", "[acs]", 1))
	cell, prepared := prepare(t, plan, &tasks[0])
	problem, err := cell.Problem(&prepared.Train)
	if err != nil {
		t.Fatal(err)
	}
	f := &Fitted{Problem: problem, parts: prepared}
	weights, err := f.scriptedStart(t.Context(), cell)
	if err != nil {
		t.Fatal(err)
	}
	gaga.Weights(problem.Regularizer, weights, cell.Method.Age.Min)
	var noisy, clean float64
	for i, row := range prepared.Train.Rows {
		if slices.Contains(prepared.Contaminated, row) {
			noisy += weights[i] / float64(len(prepared.Contaminated))
		} else {
			clean += weights[i] / float64(prepared.Train.N-len(prepared.Contaminated))
		}
	}
	if noisy > 0.1 || clean < 0.2 {
		t.Errorf("the mean weight of noisy rows is %v, of clean ones %v", noisy, clean)
	}
	weightAt := func(r gaga.Regularizer, loss, age float64) float64 {
		weights := []float64{loss}
		gaga.Weights(r, weights, age)
		return weights[0]
	}
	for loss, want := range map[float64]float64{0: 1, 0.5: 0.75, 2: 0, 3: 0} { // 1 - l/λ
		if got := weightAt(gaga.Linear{}, loss, 2); got != want {
			t.Errorf("weight %v at the loss %v, want %v", got, loss, want)
		}
	}
	for loss, want := range map[float64]float64{0.1: 1, 1: 0.5, 4: 0} { // γ(1/√l - 1/λ) for γ = 1, λ = 2
		if got := weightAt(gaga.Mixture{Gamma: 1}, loss, 2); math.Abs(got-want) > 1e-15 {
			t.Errorf("mixture: weight %v at the loss %v, want %v", got, loss, want)
		}
	}
}

// TestScriptedOneClass takes the mixture's weights, which at the first ages leave one class of the
// start only: the path begins where both are there.
func TestScriptedOneClass(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, `
name: one-class
data: [breast_cancer]
protocol: scripts
noise: [{kind: flip-boundary, levels: [0.3]}]
models: [{logistic: {c: 0.5}}]
regularizers: [{mixture: {gamma: 0.2}}]
methods: [gaga]
age: {min: 0.11, max: 10}
keep: {knots: true}
`)
	_, further, err := Kind{}.Compute(t.Context(), &tasks[0], plan)
	if err != nil {
		t.Fatal(err)
	}
	ages := further["knots"].Columns[1].Floats
	if len(ages) == 0 || ages[0] <= 0.11 || ages[len(ages)-1] != 10 {
		t.Errorf("ages %v, want a path that begins later and ends at 10", ages)
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
