package selfpaced

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/metric"
	need "github.com/agepath/agepath/internal/testing/needs"
)

// scoring are grids for the cells of TestScikitLearn, one for each metric of the task.
var scoring = map[dataset.Task]string{
	dataset.Regression: `
repeats: 4
noise: [{kind: gaussian, levels: [0, 0.3]}]
models: [{lasso: {alpha: 0.01}}]
regularizers: [linear]
methods: [original, gaga]
keep: {knots: true, coefficients: true}
`,
	dataset.Classification: `
repeats: 4
noise: [{kind: flip, levels: [0.2]}]
models: [{logistic: {c: 0.5}}]
regularizers: [linear]
methods: [original, acs]
keep: {knots: true, coefficients: true}
`,
}

// rareSet has 200 rows, of classes about a quarter of class 1, and of regression targets from 20 to 80.
func rareSet(task dataset.Task) *dataset.Dataset {
	random := rand.New(rand.NewPCG(2, 7))
	set := madeUp(task, 200, 3, func(int, int) float64 { return random.NormFloat64() }, func(int) float64 { return 0 })
	for i := range set.Y {
		u := set.X[3*i] - set.X[3*i+1] + 0.5*random.NormFloat64()
		if set.Y[i] = 50 + 8*u; task == dataset.Classification {
			set.Y[i] = math.Copysign(1, u-1)
		}
	}
	return set
}

// TestScikitLearn wants the scores of 100 cells and more, chosen by each metric, to be those of
// scikit-learn: at every knot by the cell's metric, and of the chosen model by all.
func TestScikitLearn(t *testing.T) {
	t.Parallel()
	python := need.Program(t, "the metrics", "/usr/bin/python3")
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import sklearn").CombinedOutput(); err != nil {
		need.Lacking(t, "Debian's python3-sklearn: %s", out)
	}
	type question struct {
		Task    dataset.Task `json:"task"`
		X       [][]float64  `json:"x"`
		Y       []float64    `json:"y"`
		Thetas  [][]float64  `json:"thetas"`
		Trimmed float64      `json:"trimmed"`

		by              metric.Name
		measures, knots experiment.Batch
	}
	var questions []question
	for _, by := range metric.Choosing() {
		task := by.Of().Task
		plan, tasks := tasksOn(t, rareSet(task), scoring[task]+"metric: "+string(by)+"\n")
		for i := range tasks {
			cell, prepared := prepare(t, plan, &tasks[i])
			if cell.metric() != by {
				t.Fatalf("the cell's metric is %s, want %s", cell.metric(), by)
			}
			measures, further, err := Kind{}.Compute(t.Context(), &tasks[i], plan)
			if err != nil {
				t.Fatal(err)
			}
			o := &experiment.Outcome{Labels: tasks[i].Labels, Measures: measures, Further: further}
			if err := consistent(o); err != nil {
				t.Errorf("%s: %v", by, err)
			}
			q := question{
				Task: task, X: slices.Collect(slices.Chunk(prepared.Test.X, prepared.Test.D)), Y: prepared.Test.Y,
				Thetas: further["coefficients"].Columns[1].Lists, by: by, measures: measures, knots: further["knots"],
			}
			if task == dataset.Regression {
				p := number(t, measures, "validation_outliers")
				q.Trimmed = min(p+2*math.Sqrt(p*(1-p)*(1/float64(prepared.Validation.N)+1/float64(prepared.Test.N))), 0.9)
			}
			questions = append(questions, q)
		}
	}
	if len(questions) < 100 {
		t.Errorf("%d cells", len(questions))
	}
	text, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "metrics.py"))
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if text, err = cmd.Output(); err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	var answers [][]map[metric.Name]float64
	if err := json.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	trimmed := 0
	for i := range questions {
		q := &questions[i]
		for k, want := range answers[i] {
			if got := knotColumn(&q.knots, "test_score").Floats[k]; math.Abs(got-want[q.by]) > 1e-12 {
				t.Errorf("%s at knot %d: %v, by scikit-learn %v", q.by, k, got, want[q.by])
			}
		}
		score, unit := number(t, q.measures, "test_at_best_validation"), 1.0
		if q.Task == dataset.Regression {
			unit = number(t, q.measures, "target_scale")
		}
		chosen := slices.Index(knotColumn(&q.knots, "test_score").Floats, score)
		if ages := knotColumn(&q.knots, "age"); !ages.IsNull(0) {
			age, scores := number(t, q.measures, "age_of_best_validation"), knotColumn(&q.knots, "test_score").Floats
			for chosen = 0; ages.Floats[chosen] != age || scores[chosen] != score; chosen++ { // both directions may have the age
			}
		}
		for _, m := range metric.All {
			column := columnOf(measureColumns, &q.measures, m.Column())
			if m.Task != q.Task {
				if !column.IsNull(0) {
					t.Errorf("%s of %s", m.Name, q.Task)
				}
				continue
			}
			want := answers[i][chosen][m.Name]
			if m.InTarget {
				want *= unit
			}
			if got := column.Floats[0]; column.IsNull(0) || math.Abs(got-want) > 1e-12*math.Max(unit, 1) {
				t.Errorf("chosen by %s: %s is %v, by scikit-learn %v", q.by, m.Name, got, want)
			}
		}
		if q.Trimmed > 0 {
			trimmed++
		}
	}
	if trimmed < 10 {
		t.Errorf("%d cells have contaminated rows by their validation part", trimmed)
	}
}

// TestConstantProbabilities wants the constant to predict the shares of the training classes.
func TestConstantProbabilities(t *testing.T) {
	t.Parallel()
	plan, tasks := tasksOn(t, rareSet(dataset.Classification), "models: [{svm: {c: 1}}]\nmethods: [original]\n")
	cell, prepared := prepare(t, plan, &tasks[0])
	cell.Model, cell.Method = Model{}, constantMethod.with(Regularizer{}, Age{}, gridfile.Settings{})
	fitted, err := cell.fitOver(t.Context(), prepared, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := fitted.score(cell, fitted.validation())
	if err != nil {
		t.Fatal(err)
	}
	positive, n, want := 0.0, 0.0, 0.0
	for i, y := range prepared.Train.Y {
		n += prepared.Train.Count(i)
		positive += prepared.Train.Count(i) * (1 + y) / 2
	}
	for _, y := range prepared.Test.Y {
		share := positive / n
		if y < 0 {
			share = 1 - share
		}
		want -= math.Log(share) / float64(prepared.Test.N)
	}
	for i, m := range metric.All {
		if m.Name == metric.LogLoss && math.Abs(s.chosen[i]-want) > 1e-14 {
			t.Errorf("the log loss of the constant is %v, by the shares %v", s.chosen[i], want)
		}
	}
}

// TestNoProbabilities wants a log loss only where there are probabilities.
func TestNoProbabilities(t *testing.T) {
	t.Parallel()
	plan, tasks := tasksOn(t, rareSet(dataset.Classification), "models: [{svm: {c: 1}}]\nmethods: [original]\n")
	measures, _, err := Kind{}.Compute(t.Context(), &tasks[0], plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metric.All {
		if null := columnOf(measureColumns, &measures, m.Column()).IsNull(0); null != (m.Task == dataset.Regression || m.Name == metric.LogLoss) {
			t.Errorf("%s is null: %t", m.Name, null)
		}
	}
}

// TestDefaultMetric wants the balanced accuracy for a class with under a third of the rows, and an
// identity of its own, and the identities that cells had before for all other defaults.
func TestDefaultMetric(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		positive int
		more     string
		want     metric.Name
		stated   bool
	}{
		{66, "", metric.BalancedAccuracy, true},
		{134, "", metric.BalancedAccuracy, true},
		{67, "", metric.Accuracy, false},
		{100, "", metric.Accuracy, false},
		{20, "protocol: paper\n", metric.Accuracy, false},
		{20, "metric: accuracy\n", metric.Accuracy, false},
		{100, "metric: [mcc]\n", "mcc", true},
	} {
		set := rareSet(dataset.Classification)
		for i := range set.Y {
			set.Y[i] = map[bool]float64{true: 1, false: -1}[i < test.positive]
		}
		_, tasks := tasksOn(t, set, "models: [{svm: {c: 1}}]\nmethods: [original]\n"+test.more)
		cell, err := DecodeCell(tasks[0].Spec)
		if err != nil {
			t.Fatal(err)
		}
		if cell.metric() != test.want || bytes.Contains(tasks[0].Spec, []byte(`"metric"`)) != test.stated {
			t.Errorf("%d of 200, %q: %s, stated in %s", test.positive, test.more, cell.metric(), tasks[0].Spec)
		}
		needed := slices.Contains(tasks[0].Needs, nameNeed("metric", string(test.want)))
		if needed != test.stated || needed && !slices.Contains(Kind{}.Abilities(), nameNeed("metric", string(test.want))) {
			t.Errorf("%d of 200, %q: needs %v", test.positive, test.more, tasks[0].Needs)
		}
	}
	_, tasks := tasksOn(t, rareSet(dataset.Regression), "models: [{lasso: {alpha: 0.1}}]\nmethods: [original]\nmetric: rmse\n")
	for _, wrong := range []string{"rmse", "trimmed-rmse", "accuracy", "later"} {
		spec := bytes.Replace(tasks[0].Spec, []byte(`"seed"`), fmt.Appendf(nil, `"metric":%q,"seed"`, wrong), 1)
		if _, err := DecodeCell(spec); err == nil || !strings.Contains(err.Error(), "metric") {
			t.Errorf("the metric %s: %v", wrong, err)
		}
	}
}
