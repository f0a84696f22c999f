package selfpaced

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/gaga"
	need "github.com/agepath/agepath/internal/testing/needs"
)

// choosing are grids whose cells choose in every way, for each task.
var choosing = map[dataset.Task]string{
	dataset.Regression: `
repeats: 2
noise: [{kind: gaussian, levels: [0.3]}]
models: [{lasso: {alpha: 0.01}}]
regularizers: [hard, linear]
methods: [acs, gaga]
choose: [{rule: [best, one-standard-error], trimmed: 0.25}, {rule: [smoothed, one-standard-error], trimmed: 0.4}, {rule: smoothed, folds: 3, trimmed: [0, 0.3]}, {rule: one-standard-error, trimmed: auto}, {trimmed: auto, folds: 3}, {trimmed: auto}]
keep: {knots: true, coefficients: true}
`,
	dataset.Classification: `
noise: [{kind: flip, levels: [0.2]}]
models: [{svm: {c: [0.1, 1]}}]
regularizers: [hard, linear]
methods: [acs, gaga]
age: {direction: up}
choose: [{rule: one-standard-error, trimmed: 0.3, labels: given}, {rule: smoothed, trimmed: [0, 0.5], labels: given}, {rule: one-standard-error, folds: 4, labels: given}]
keep: {knots: true, coefficients: true}
`,
}

// choosingSet is a data set for them.
func choosingSet(task dataset.Task) *dataset.Dataset {
	random := rand.New(rand.NewPCG(1, 1))
	set := madeUp(task, 240, 3, func(int, int) float64 { return random.NormFloat64() }, func(int) float64 { return 0 })
	for i := range set.Y {
		set.Y[i] = set.X[3*i] - set.X[3*i+1] + 0.3*random.NormFloat64()
		if task == dataset.Classification {
			set.Y[i] = math.Copysign(1, set.Y[i])
		}
	}
	return set
}

// TestChoicesByNumPy holds the choices of 96 cells, with the scores and standard errors that they
// rest on, against a program of its own that has the knots, the coefficients and the validation rows.
func TestChoicesByNumPy(t *testing.T) {
	need.Patience(t, "2 s")
	t.Parallel()
	python := need.Program(t, "the choices", "/usr/bin/python3")
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import numpy").CombinedOutput(); err != nil {
		need.Lacking(t, "Debian's python3-numpy: %s", out)
	}
	type rowsOf struct {
		X [][]float64 `json:"x"`
		Y []float64   `json:"y"`
	}
	type question struct {
		Metric string      `json:"metric"`
		Choice string      `json:"choice"`
		X      [][]float64 `json:"x"`
		Y      []float64   `json:"y"`
		Ages   []float64   `json:"ages"`
		Events []string    `json:"events"`
		Shares []float64   `json:"shares"`
		Thetas [][]float64 `json:"thetas"`
		Folds  []question  `json:"folds"`
		Train  *rowsOf     `json:"train"`

		measures, knots experiment.Batch
	}
	var questions []question
	for task, grid := range choosing {
		plan, tasks := tasksOn(t, choosingSet(task), grid)
		for _, task := range tasks {
			cell, prepared := prepare(t, plan, &task)
			measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
			if err != nil {
				t.Fatal(err)
			}
			q := question{
				Metric: columnOf(measureColumns, &measures, "metric").Texts[0], Choice: columnOf(labelColumns, &task.Labels, "choice").Texts[0],
				Y: prepared.Validation.Y, measures: measures, knots: further["knots"],
			}
			q.X = slices.Collect(slices.Chunk(prepared.Validation.X, prepared.Validation.D))
			q.Ages, q.Events = knotColumn(&q.knots, "age").Floats, knotColumn(&q.knots, "event").Texts
			q.Thetas = further["coefficients"].Columns[1].Lists
			whole, err := cell.fitOver(t.Context(), prepared, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			q.Shares = sharesIn(whole)
			folds := []fold(nil)
			if cell.Choice.Folds > 0 {
				if folds, err = cell.folds(&prepared.Train); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range folds {
				fit, err := cell.fitOver(t.Context(), &dataset.Prepared{Train: f.rest}, nil, whole.span)
				if err != nil {
					t.Fatal(err)
				}
				part := question{Metric: q.Metric, X: slices.Collect(slices.Chunk(f.held.X, f.held.D)), Y: f.held.Y}
				fit.Knots = slices.DeleteFunc(fit.Knots, func(k gaga.Knot) bool { return k.Easy+k.Middle == 0 })
				part.Shares = sharesIn(fit)
				for _, knot := range fit.Knots {
					part.Ages, part.Thetas = append(part.Ages, knot.Age), append(part.Thetas, knot.Theta)
				}
				q.Folds = append(q.Folds, part)
			}
			if cell.Choice.Folds == 0 {
				train := rows(&prepared.Train, dataset.Indices(prepared.Train.N), true)
				q.Train = &rowsOf{slices.Collect(slices.Chunk(train.X, train.D)), train.Y}
			}
			questions = append(questions, q)
		}
	}
	if len(questions) != 96 {
		t.Fatalf("%d cells", len(questions))
	}
	text, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "choices.py"))
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err = cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	var answers []struct {
		Scores, Errors []float64
		Knot           int
		Value          float64
	}
	if err := json.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	moved := 0 // choices of other rules than the best that are not the best
	for i, q := range questions {
		a, scores := answers[i], knotColumn(&q.knots, "validation_score").Floats
		for k := range scores {
			if error := knotColumn(&q.knots, "validation_error").Floats[k]; math.Abs(scores[k]-a.Scores[k]) > 1e-9 || math.Abs(error-a.Errors[k]) > 1e-9 {
				t.Errorf("%s, %s, knot %d: %v ± %v, by NumPy %v ± %v", q.Metric, q.Choice, k, scores[k], error, a.Scores[k], a.Errors[k])
			}
		}
		if age := number(t, q.measures, "age_of_best_validation"); age != q.Ages[a.Knot] {
			t.Errorf("%s, %s: age %v, by NumPy %v", q.Metric, q.Choice, age, q.Ages[a.Knot])
		}
		if value := number(t, q.measures, "best_validation"); math.Abs(value-a.Value) > 1e-9 {
			t.Errorf("%s, %s: value %v, by NumPy %v", q.Metric, q.Choice, value, a.Value)
		}
		if want := knotColumn(&q.knots, "test_score").Floats[a.Knot]; number(t, q.measures, "test_at_best_validation") != want {
			t.Errorf("%s, %s: test score %v, by NumPy %v", q.Metric, q.Choice, number(t, q.measures, "test_at_best_validation"), want)
		}
		best := slices.Min(scores)
		if metric.Name(q.Metric).Of().Higher {
			best = slices.Max(scores)
		}
		if scores[a.Knot] != best {
			moved++
		}
	}
	if moved < 12 {
		t.Errorf("only %d choices are not the best score", moved)
	}
}

// sharesIn returns the share of the training rows that are in at each knot.
func sharesIn(f *Fitted) (shares []float64) {
	for _, k := range f.Knots {
		shares = append(shares, float64(k.Easy+k.Middle)/float64(k.Easy+k.Middle+k.Discarded))
	}
	return shares
}

// knotColumn returns a column of the table of knots.
func knotColumn(knots *experiment.Batch, name string) *experiment.Vector {
	return columnOf(furtherTables[0].Columns[1:], knots, name)
}

// TestChoiceUsed wants a choice to identify cells where it changes their numbers, and nowhere else.
func TestChoiceUsed(t *testing.T) {
	t.Parallel()
	const models = "models: [{lasso: {alpha: 0.01}}]\nmethods: [original]\n"
	ids := func(task dataset.Task, text string) (ids []string) {
		_, tasks := tasksOn(t, choosingSet(task), text)
		for _, task := range tasks {
			ids = append(ids, task.Cell)
		}
		return ids
	}
	plain := ids(dataset.Regression, models)
	if same := ids(dataset.Regression, models+"choose: {rule: smoothed, trimmed: auto}\n"); !slices.Equal(plain, same) {
		t.Errorf("cells %v with the default as the choice, %v without one", same, plain)
	}
	if other := ids(dataset.Regression, models+"choose: {trimmed: 0.2}\n"); other[0] == plain[0] {
		t.Error("cells that trim are the same as those that do not")
	}
	if several := ids(dataset.Regression, models+"choose: [best, smoothed]\nsplit: [{validation: 0.2}, {validation: 0}]\n"); len(several) != 3 {
		t.Errorf("%d cells, of which those without a validation part choose nothing; want 3", len(several))
	}
	if cells := ids(dataset.Classification, "models: [{svm: {c: 1}}]\nmethods: [original]\nchoose: [{trimmed: [0, 0.2, 0.5]}, best]\n"); len(cells) != 2 {
		t.Errorf("%d cells of classification, which does not trim; want 2", len(cells))
	}
}

// TestChoiceRefused wants clear problems where a choice means nothing.
func TestChoiceRefused(t *testing.T) {
	t.Parallel()
	const grid = "data: [diabetes]\nmodels: [{lasso: {alpha: 0.01}}]\nmethods: [original]\n"
	for text, want := range map[string]string{
		"choose: median":                           `"median" is not allowed; allowed are best, one-standard-error, smoothed`,
		"choose: {trimmed: 1}":                     "a number from 0 to below 1",
		"choose: {trimmed: -1}":                    "a number from 0 to below 1",
		"choose: {rules: best}":                    "unknown key; allowed are rule, trimmed, labels, folds",
		"choose: [smoothed, {rule: smoothed}]":     "given twice",
		"choose: smoothed\nsplit: {validation: 0}": "choose: has no effect: split.validation is 0",
		"choose: smoothed\nprotocol: paper":        "choose: has no effect: split.validation is 0",
		"choose: {trimmed: {from: 0, to: 0.9, num: 2000}, rule: [best, smoothed, one-standard-error, best]}": "best",
	} {
		if _, err := experiment.Parse([]byte(grid+text+"\n"), "grid.yaml", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

// TestChoiceConsistent wants an outcome whose choice is not that of its rule to be refused.
func TestChoiceConsistent(t *testing.T) {
	t.Parallel()
	need.Patience(t, "1 s")
	plan, tasks := tasksOn(t, choosingSet(dataset.Regression), choosing[dataset.Regression])
	refused := 0
	for _, task := range tasks {
		measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		o := &experiment.Outcome{Labels: task.Labels, Measures: measures, Further: further}
		if err := consistent(o); err != nil {
			t.Errorf("%s: %v", task.Cell, err)
		}
		rule := columnOf(labelColumns, &o.Labels, "choice").Texts
		if rule[0] == "best" {
			continue
		}
		rule[0] = "best"
		if consistent(o) != nil {
			refused++
		}
	}
	if refused < 30 {
		t.Errorf("%d of 56 choices by other rules pass as the best", 40-refused)
	}
}
