package selfpaced

import (
	"math"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

const robustRegression = `
name: robust
data: [diabetes]
noise: [{kind: gaussian, levels: [0.3]}]
models: [{lasso: {alpha: [0.01, 0.02]}}]
methods:
  - {rlssvm: {c: [1, 10], kernel: [linear, scale, 0.05], coverage: 0.6, starts: 3}}
  - {relssvm: {theta: [0.2, 0.5], kernel: [linear, 0.05]}}
keep: {coefficients: true}
`

// TestRobustRegression computes the scores of the least squares machines anew
// from what they leave behind, with signed multipliers for kernels.
func TestRobustRegression(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, robustRegression)
	if len(tasks) != 2*3+2*2 {
		t.Fatalf("%d cells, want 10: the Lasso's α is not theirs", len(tasks))
	}
	for _, task := range tasks {
		measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		cell, prepared := prepare(t, plan, &task)
		theta := further["coefficients"].Columns[1].Lists[0]
		settings := &cell.Method.Settings
		gamma := settings.Number("kernel")
		if settings.Word("kernel") == scaleWord {
			gamma = 1 / (float64(prepared.Train.D) * variance(&prepared.Train))
		}
		var want float64
		if settings.Word("kernel") == Linear {
			want = naiveRMSE(&prepared.Test, theta)
		} else {
			want = naiveKernelRMSE(&prepared.Test, &prepared.Train, theta, gamma)
		}
		if got := number(t, measures, "test_at_best_test"); math.Abs(got-want) > 1e-10 {
			t.Errorf("%s: score %v, the coefficients say %v", task.Spec, got, want)
		}
		if worst := number(t, measures, "max_kkt"); !(worst <= 1e-10) {
			t.Errorf("%s: residual %v", task.Spec, worst)
		}
		rows := 0
		for _, column := range further["knots"].Columns[10:13] { // easy, middle, discarded
			rows += int(column.Ints[0])
		}
		if rows != prepared.Train.N {
			t.Errorf("%s: %d rows by weight of %d", task.Spec, rows, prepared.Train.N)
		}
	}
}

func naiveKernelRMSE(part, train *dataset.Part, theta []float64, gamma float64) float64 {
	var sum float64
	for i := range part.N {
		r := theta[train.N] - part.Y[i]
		for k := range train.N {
			distance := 0.0
			for j := range part.D {
				d := part.X[i*part.D+j] - train.X[k*train.D+j]
				distance += d * d
			}
			r += theta[k] * math.Exp(-gamma*distance)
		}
		sum += r * r
	}
	return math.Sqrt(sum / float64(part.N))
}

// TestRobustClassification wants robust-svm without flips to be the plain
// machine, and all robust methods to be better than guessing.
func TestRobustClassification(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, `
name: robust
data: [breast_cancer]
noise: [{kind: flip, levels: [0.3]}]
models: [{svm: {c: 1, kernel: [linear, rbf]}}]
methods: [original, {robust-svm: {probability: [0, 0.3]}}, {rlssvm: {starts: 3}}, relssvm]
`)
	plain := map[string]float64{}
	for _, task := range tasks {
		measures, _, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		cell, _ := prepare(t, plan, &task)
		score := number(t, measures, "test_at_best_test")
		switch {
		case cell.Method.Name == Original:
			plain[cell.Model.Kernel] = score
		case cell.Method.Name == RobustSVM && cell.Method.Settings.Number("probability") == 0:
			if score != plain[cell.Model.Kernel] {
				t.Errorf("%s: accuracy %v, %v by the plain machine", cell.Model.Kernel, score, plain[cell.Model.Kernel])
			}
		}
		if score < 0.8 {
			t.Errorf("%s: accuracy %v", task.Spec, score)
		}
	}
	if len(plain) != 2 {
		t.Errorf("plain machines of %d kernels", len(plain))
	}
}

// TestSparseLTS wants sparse-lts that trims nothing to be the plain Lasso, and the defaults to
// withstand what spoils that.
func TestSparseLTS(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, `
name: trimmed
data: [diabetes]
noise: [{kind: gaussian, levels: [0.2]}]
models: [{lasso: {alpha: 0.003}}]
methods: [original, {sparse-lts: {coverage: [0.75, 1], starts: 50, estimate: [reweighted, raw]}}]
`)
	scores := map[string]float64{}
	for _, task := range tasks {
		measures, _, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		scores[columnOf(labelColumns, &task.Labels, "method_params").Texts[0]] = number(t, measures, "test_at_best_test")
	}
	plain := scores[""]
	if got := scores[`{"coverage":1,"starts":50,"estimate":"raw"}`]; math.Abs(got-plain) > 1e-9 {
		t.Errorf("an error of %v without trimming, %v of the plain Lasso", got, plain)
	}
	for _, estimate := range []string{"raw", "reweighted"} {
		if got := scores[`{"coverage":0.75,"starts":50,"estimate":"`+estimate+`"}`]; !(got < 0.7*plain) {
			t.Errorf("%s: an error of %v, %v of the plain Lasso", estimate, got, plain)
		}
	}
}

// TestBadRobustSettings wants every bad setting to be refused with its place.
func TestBadRobustSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ methods, place, says string }{
		{"{robust-svm: {probability: [0.1, 0.5]}}", "methods.0.robust-svm.probability.1: ", `"0.5" is not allowed; a number from 0 to below 0.5 is`},
		{"{rlssvm: {coverage: 0.4}}", "methods.0.rlssvm.coverage: ", "a number from 0.5 to 1 is"},
		{"{rlssvm: {starts: 0}}", "methods.0.rlssvm.starts: ", "a whole number from 1 to 10000 is"},
		{"{sparse-lts: {estimate: rough}}", "methods.0.sparse-lts.estimate: ", "reweighted"},
		{"{acs-share: {growth: 0}}", "methods.0.acs-share.growth: ", "a number from 0.001 to 1 is"},
		{"{rlssvm: {c: 0}}", "methods.0.rlssvm.c: ", "a number > 0 is"},
		{"{rlssvm: {kernel: [linear, cubic]}}", "methods.0.rlssvm.kernel.1: ", `"cubic" is not allowed; a number > 0 or one of linear, scale is`},
		{"{relssvm: {kernel: [1, 0]}}", "methods.0.relssvm.kernel.1: ", "a number > 0 or one of linear, scale is"},
		{"{relssvm: {kernel: [linear, linear]}}", "methods.0.relssvm.kernel.1: ", "linear is given twice"},
		{"{relssvm: {kernel: {from: 0, to: 1, step: 0.5}}}", "methods.0.relssvm.kernel", "a number > 0 or one of linear, scale"},
		{"{relssvm: {theta: -1}}", "methods.0.relssvm.theta: ", "a number > 0 is"},
	} {
		_, err := experiment.Parse([]byte(strings.Replace(base, "original", test.methods, 1)), "bad.yaml", nil)
		if err == nil || !strings.HasPrefix(err.Error(), "bad.yaml:9: "+test.place) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", test.methods, err)
		}
	}
}
