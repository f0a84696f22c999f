package selfpaced

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/gaga"
)

// firstTasks returns the tasks of a grid on an embedded data set that are of the methods it
// asks for, and its plan.
func firstTasks(t *testing.T, text string) ([]experiment.Task, *experiment.Plan) {
	t.Helper()
	grid, err := experiment.Parse([]byte(text), "grid.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
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
	return tasks, plan
}

// prepare returns the cell of a task and its data.
func prepare(t *testing.T, plan *experiment.Plan, task *experiment.Task) (*Cell, *dataset.Prepared) {
	t.Helper()
	cell, err := DecodeCell(task.Spec)
	if err != nil {
		t.Fatal(err)
	}
	set, err := plan.Dataset(t.Context(), cell.Data.Digest)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := cell.Prepare(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	return cell, prepared
}

const everyMethod = `
name: every
repeats: 1
data: [diabetes]
noise: [{kind: gaussian, levels: [0.3]}]
models: [{lasso: {alpha: [0.01], intercept: true}}]
regularizers: [linear]
methods: [original, acs, gaga]
age: {min: 0.1, max: 5, acs_step: 0.5}
choose: {rule: best, trimmed: 0}
keep: {knots: true, coefficients: true}
`

// TestComputeScores computes the scores of each method anew from the
// coefficients that it leaves behind.
func TestComputeScores(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, everyMethod)
	for _, task := range tasks {
		measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		cell, prepared := prepare(t, plan, &task)
		thetas := further["coefficients"].Columns[1].Lists
		var test, validation []float64
		for _, theta := range thetas {
			test = append(test, naiveRMSE(&prepared.Test, theta))
			validation = append(validation, naiveRMSE(&prepared.Validation, theta))
		}
		bestTest, bestValidation := argmin(test), argmin(validation)
		want := map[string]float64{
			"test_at_best_test": test[bestTest], "test_at_best_validation": test[bestValidation], "test_at_end": test[len(test)-1],
			"knots": float64(len(thetas)),
		}
		if cell.Method.Name != Original {
			ages := further["knots"].Columns[1].Floats
			want["age_of_best_test"], want["age_of_best_validation"] = ages[bestTest], ages[bestValidation]
		}
		for name, x := range want {
			if got := number(t, measures, name); math.Abs(got-x) > 1e-12 {
				t.Errorf("%s: %s is %v, the coefficients say %v", cell.Method.Name, name, got, x)
			}
		}
		if worst := number(t, measures, "max_kkt"); !(worst <= 2e-10) {
			t.Errorf("%s: residual %v", cell.Method.Name, worst)
		}
	}
}

func naiveRMSE(part *dataset.Part, theta []float64) float64 {
	var sum float64
	for i := range part.N {
		r := theta[part.D] - part.Y[i]
		for j := range part.D {
			r += theta[j] * part.X[i*part.D+j]
		}
		sum += r * r
	}
	return math.Sqrt(sum / float64(part.N))
}

func argmin(list []float64) int {
	at := 0
	for k, x := range list {
		if x < list[at] {
			at = k
		}
	}
	return at
}

// number returns a measure of one row as a number.
func number(t *testing.T, measures experiment.Batch, name string) float64 {
	t.Helper()
	for j, column := range measureColumns {
		if column.Name != name {
			continue
		}
		switch x := measures.At(column, j, 0).(type) {
		case float64:
			return x
		case int64:
			return float64(x)
		}
	}
	t.Fatalf("no number for the measure %s", name)
	return 0
}

// TestComputeAccuracy counts right labels by hand for a kernel machine.
func TestComputeAccuracy(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, `
name: kernel
repeats: 1
data: [breast_cancer]
models: [{svm: {c: [1], kernel: rbf, kernel_gamma: [0.02]}}]
regularizers: [linear]
methods: [original]
keep: {coefficients: true}
`)
	measures, further, err := Kind{}.Compute(t.Context(), &tasks[0], plan)
	if err != nil {
		t.Fatal(err)
	}
	_, prepared := prepare(t, plan, &tasks[0])
	theta := further["coefficients"].Columns[1].Lists[0]
	train, test := &prepared.Train, &prepared.Test
	right := 0
	for i := range test.N {
		f := theta[train.N]
		for k := range train.N {
			var square float64
			for j := range train.D {
				e := test.X[i*test.D+j] - train.X[k*train.D+j]
				square += e * e
			}
			f += theta[k] * train.Y[k] * math.Exp(-0.02*square)
		}
		if f*test.Y[i] > 0 {
			right++
		}
	}
	if got, want := number(t, measures, "test_at_best_test"), float64(right)/float64(test.N); math.Abs(got-want) > 1e-15 || want < 0.9 {
		t.Errorf("accuracy %v, by hand %v", got, want)
	}
}

func TestComputeLimitsMemory(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, everyMethod)
	task := tasks[0]
	for _, test := range []struct {
		limit  int64
		status experiment.Status
	}{{1 << 10, experiment.Memory}, {1 << 30, experiment.OK}, {0, experiment.OK}} {
		task.Limits.Memory = test.limit
		_, _, err := Kind{}.Compute(t.Context(), &task, plan)
		var fixed *experiment.StatusError
		switch {
		case test.status == experiment.OK && err != nil:
			t.Errorf("limit %d: %v", test.limit, err)
		case test.status != experiment.OK && (!errors.As(err, &fixed) || fixed.Status != test.status || !strings.Contains(err.Error(), "the limit is")):
			t.Errorf("limit %d: %v, want the status %s", test.limit, err, test.status)
		}
	}
}

func TestComputeStopsWithItsContext(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, everyMethod)
	for _, task := range tasks {
		ctx, cancel := context.WithCancel(t.Context())
		data := cancelling{plan, cancel}
		if _, _, err := (Kind{}).Compute(ctx, &task, data); !errors.Is(err, context.Canceled) {
			t.Errorf("cell %s returned %v", task.Cell, err)
		}
	}
}

// cancelling ends the computation once it has its data.
type cancelling struct {
	experiment.Data
	cancel context.CancelFunc
}

func (c cancelling) Dataset(ctx context.Context, digest string) (*dataset.Dataset, error) {
	defer c.cancel()
	return c.Data.Dataset(ctx, digest)
}

// TestComputeIncomplete cuts the path of a cell off by a budget of critical
// points and wants its knots and scores as far as it goes, none at the last age,
// and an error of the status incomplete that says where it stops. The same path
// to its end is held against it.
func TestComputeIncomplete(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, everyMethod)
	cell, prepared := prepare(t, plan, &tasks[len(tasks)-1])
	if cell.Method.Name != GAGA {
		t.Fatalf("the last cell is of %s", cell.Method.Name)
	}
	whole, err := cell.fitOver(t.Context(), prepared, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.incomplete(); err != nil || !whole.reached {
		t.Fatalf("the whole path: %v, reached %t", err, whole.reached)
	}
	options := gaga.Options{Age: gaga.Range{Min: cell.Method.Age.Min, Max: cell.Method.Age.Max}, MaxEvents: 5}
	path, err := gaga.Track(t.Context(), whole.Problem, options)
	if err != nil {
		t.Fatal(err)
	}
	cut := &Fitted{Problem: whole.Problem, parts: prepared}
	cut.follow(path, &options)
	scored, err := cut.score(cell, cut.validation())
	if err != nil {
		t.Fatal(err)
	}
	measures, further, err := scored.tables(&tasks[len(tasks)-1])
	if err != nil {
		t.Fatal(err)
	}
	var fixed *experiment.StatusError
	if err := cut.incomplete(); !errors.As(err, &fixed) || fixed.Status != experiment.Incomplete || !strings.Contains(err.Error(), "of 5: event budget") {
		t.Errorf("the path that was cut off: %v", err)
	}
	ages, rmse := further["knots"].Columns[1].Floats, further["knots"].Columns[7].Floats
	last := ages[len(ages)-1]
	if !(last < cell.Method.Age.Max) || len(ages) < 5 {
		t.Fatalf("%d knots up to age %v", len(ages), last)
	}
	if got := number(t, measures, "age_reached"); got != last {
		t.Errorf("age_reached is %v, the last knot's %v", got, last)
	}
	best := rmse[argmin(rmse)]
	for j, column := range Tables().Measures {
		switch null := measures.Columns[j].IsNull(0); column.Name {
		case "test_at_end", "test_mae_at_end":
			if !null {
				t.Errorf("%s is not null", column.Name)
			}
		case "test_at_best_test":
			if null || measures.Columns[j].Floats[0] != best {
				t.Errorf("%s is %v, the best of the knots %v", column.Name, measures.Columns[j], best)
			}
		case "age_from", "age_to", "distinct_fits": // of derived ages, and of methods that know a path at its knots alone
			if !null {
				t.Errorf("%s is not null", column.Name)
			}
		default:
			if i := slices.IndexFunc(metric.All, func(m metric.Metric) bool { return m.Column() == column.Name }); null != (i >= 0 && metric.All[i].Task == dataset.Classification) {
				t.Errorf("%s is null: %t", column.Name, null)
			}
		}
	}
}

// A fit's error names features of very different scales and keeps its status; others stay.
func TestAdvise(t *testing.T) {
	t.Parallel()
	uneven := &dataset.Part{N: 2, D: 2, X: []float64{0, 1e-6, 1e6, 2e-6}}
	even := &dataset.Part{N: 2, D: 2, X: []float64{0, 1, 1, 2}}
	failed := &experiment.StatusError{Status: experiment.Diverged, Err: errors.New("stalled")}
	for _, of := range []error{failed, errors.New("not solved"), context.DeadlineExceeded} {
		got := advise(of, uneven, []string{"price", "share"})
		if !errors.Is(got, of) && !strings.HasPrefix(got.Error(), of.Error()) {
			t.Errorf("%v became %v", of, got)
		}
		for _, want := range []string{of.Error(), "price", "share", "1.0e+12", "scale: {features: standard}"} {
			if !strings.Contains(got.Error(), want) {
				t.Errorf("%v does not say %s", got, want)
			}
		}
		if got := advise(of, even, nil); !errors.Is(got, of) || got.Error() != of.Error() {
			t.Errorf("%v became %v where the features are alike", of, got)
		}
	}
	var fixed *experiment.StatusError
	if !errors.As(advise(failed, uneven, nil), &fixed) || fixed.Status != experiment.Diverged {
		t.Error("the status is another")
	}
	skipped := &experiment.StatusError{Status: experiment.Skipped, Err: errors.New("no such solver")}
	if err := advise(nil, uneven, nil); err != nil {
		t.Error(err)
	}
	for _, of := range []error{context.Canceled, skipped} {
		if got := advise(of, uneven, nil); !errors.Is(got, of) || got.Error() != of.Error() {
			t.Errorf("%v became %v", of, got)
		}
	}
}
