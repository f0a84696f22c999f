package selfpaced

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

// one is a library of one data set.
type one struct{ set *dataset.Dataset }

func (o one) Load(context.Context, dataset.Source) (*dataset.Dataset, error) { return o.set, nil }

// madeUp makes a data set of n rows and d features.
func madeUp(task dataset.Task, n, d int, x func(i, j int) float64, y func(i int) float64) *dataset.Dataset {
	set := &dataset.Dataset{Name: "made-up", Task: task, N: n, D: d}
	for j := range d {
		set.Features = append(set.Features, fmt.Sprint("x", j))
	}
	for i := range n {
		for j := range d {
			set.X = append(set.X, x(i, j))
		}
		set.Y = append(set.Y, y(i))
	}
	return set
}

// tasksOn returns the tasks of a grid on a data set.
func tasksOn(t *testing.T, set *dataset.Dataset, text string) (*experiment.Plan, []experiment.Task) {
	t.Helper()
	plan, err := mustParse(t, "data: [diabetes]\n"+text).Plan(t.Context(), one{set})
	if err != nil {
		t.Fatal(err)
	}
	var tasks []experiment.Task
	for task, err := range plan.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(task.Needs, constantMethod.need()) {
			tasks = append(tasks, task)
		}
	}
	return plan, tasks
}

// TestLevelTarget trains on targets of one value and scores on others: a model with an
// intercept predicts that value, so that the score is what the test part is away from it,
// in its own units.
func TestLevelTarget(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	level := 0
	for _, base := range []float64{0, 2.5, -1e6} {
		set := madeUp(dataset.Regression, 40, 2, func(int, int) float64 { return random.NormFloat64() }, func(i int) float64 {
			if i%13 == 0 {
				return base + 1 + float64(i)/10
			}
			return base
		})
		plan, tasks := tasksOn(t, set, `
repeats: 20
scale: {target: [minmax, standard]}
models: [{lasso: {alpha: 0.01, intercept: true}}, {ridge: {alpha: 0.01, intercept: true}}]
methods: [original]
`)
		for _, task := range tasks {
			cell, prepared := prepare(t, plan, &task)
			if prepared.Target.Scale[0] != 1 {
				continue
			}
			level++
			var sum float64
			for _, row := range prepared.Test.Rows {
				sum += (set.Y[row] - base) * (set.Y[row] - base)
			}
			want := math.Sqrt(sum / float64(prepared.Test.N))
			measures, _, err := Kind{}.Compute(t.Context(), &task, plan)
			if err != nil {
				t.Fatal(err)
			}
			if got := number(t, measures, "test_at_end"); math.Abs(got-want) > 1e-9*max(1, math.Abs(base)) || want == 0 {
				t.Errorf("%s, repeat %d: RMSE %v, want %v", cell.Model.Name, cell.Repeat, got, want)
			}
		}
	}
	if level < 12 {
		t.Errorf("%d cells have a training target of one value", level)
	}
}

// TestScaleGammaOfLevelFeatures wants the width 1 where no feature varies, as scikit-learn
// has it, and a reason where there is no width.
func TestScaleGammaOfLevelFeatures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		x    []float64
		want float64 // 0 for an error
	}{
		"zeros":       {[]float64{0, 0, 0, 0}, 1},
		"one value":   {[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1},
		"rounding":    {[]float64{0.3, 0.3 + 0x1p-54, 0.3, 0.3}, 1},
		"underflow":   {[]float64{1e-170, -1e-170, 1e-170, 0}, 1},
		"two columns": {[]float64{0, 1, 0, 1}, 2},
		"overflow":    {[]float64{1e170, -1e170, 1e170, 0}, 0},
	} {
		kernel, err := rbf(ScaleGamma, &dataset.Part{N: len(c.x) / 2, D: 2, X: c.x}, "")
		if c.want == 0 {
			if err == nil || !strings.Contains(err.Error(), "scale the features") {
				t.Errorf("%s: %v, %v", name, kernel, err)
			}
		} else if err != nil || kernel != (gaga.RBF{Gamma: c.want}) {
			t.Errorf("%s: %v, %v, want the width %v", name, kernel, err, c.want)
		}
	}
}

// TestLevelFeatures computes cells of data sets whose training rows are all alike. A kernel
// then has the value 1 for all of them: the best constant is the decision function, and the
// least squares machine predicts the mean.
func TestLevelFeatures(t *testing.T) {
	t.Parallel()
	for _, value := range []float64{0, 7.3, -1e9} {
		set := madeUp(dataset.Classification, 24, 2, func(int, int) float64 { return value }, func(i int) float64 {
			return []float64{-1, 1, 1}[i%3]
		})
		plan, tasks := tasksOn(t, set, `
scale: {features: [standard, minmax, none]}
models: [{svm: {c: [0.1, 10], kernel: rbf, intercept: [true, false]}}]
regularizers: [hard, linear]
methods: [original, acs, gaga, robust-svm, {rlssvm: {kernel: [scale, linear]}}, {relssvm: {kernel: [scale, linear]}}]
age: {min: 0.5, max: 3}
`)
		for _, task := range tasks {
			cell, _ := prepare(t, plan, &task)
			measures, _, err := Kind{}.Compute(t.Context(), &task, plan)
			if err != nil {
				if strings.Contains(err.Error(), "C is too large") || cell.Method.Name != GAGA && cell.Method.Name != ACS {
					t.Errorf("%v, %s: %v", value, cell.Canonical(), err)
				}
				continue
			}
			if got := number(t, measures, "test_at_end"); got != 4./6 && cell.Method.Age == (Age{}) {
				t.Errorf("%v, %s: accuracy %v, want that of the majority", value, cell.Canonical(), got)
			}
		}
	}
}
