package selfpaced

import (
	"cmp"
	"context"
	"fmt"
	"hash"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// numberedModel is a model on data that has some rows of each kind. Fields that are not there have
// values of their own.
type numberedModel struct {
	cells                    string // in numbers.txt
	name, data, entry        string
	methods, setting         string // of furtherModels, instead of a name
	rows                     int
	noise, regularizers, age string
	choose, further          string
}

var numberedModels = []numberedModel{
	{cells: "lasso", name: Lasso, data: "diabetes", entry: "lasso: {alpha: 0.01}"}, {cells: "elastic-net", name: ElasticNet, data: "diabetes", entry: "elastic-net: {alpha: 0.02}"},
	{cells: "ridge", name: Ridge, data: "diabetes", entry: "ridge: {alpha: 0.1}"}, {cells: "svm", name: SVM, data: "breast_cancer", entry: "svm: {c: 1}"},
	{cells: "svm rbf", name: SVM, data: "breast_cancer", entry: "svm: {c: 1, kernel: rbf}"}, {cells: "logistic", name: Logistic, data: "breast_cancer", entry: "logistic: {c: 1}"},
	{cells: "erm", name: ERM, data: "diabetes", entry: "erm: {loss: huber, c: 1}"},
}

// furtherModels were chosen by TestConstants of internal/mutation: each notices constants that no other
// does.
var furtherModels = []numberedModel{
	// Features of very different sizes, of one value, and more of them than rows.
	{cells: "unscaled svm", methods: "gaga", data: "breast_cancer", entry: "svm: {c: 1}", rows: 50, further: "scale: {features: none, target: none}"},
	{cells: "unscaled rbf", methods: "gaga", data: "breast_cancer", entry: "svm: {c: 1, kernel: rbf}", rows: 50, further: "scale: {features: none, target: none}"},
	{cells: "constant columns", methods: "gaga", data: "digits", entry: "svm: {c: 1, kernel: rbf}", rows: 70, noise: "flip-class"},
	{cells: "wide", methods: "gaga", data: "breast_cancer", entry: "logistic: {c: 1}", rows: 22},
	{cells: "few rows", methods: "trimmed-loss rlssvm relssvm spld gnc acs-share robust-svm", data: "breast_cancer", entry: "svm: {c: 1}", rows: 25},
	{cells: "tiny", methods: "original acs gaga acs-once", data: "diabetes", entry: "ridge: {alpha: 0.1}", rows: 9, noise: "gaussian-target", regularizers: "linear, hard", age: "auto"},
	{cells: "erm terms", methods: "original", data: "diabetes", entry: "erm: {loss: [absolute, epsilon-insensitive-quantile], c: [1, 100], l1_ratio: [0, 0.3], constraint: [none, nonnegative, {fairness: {columns: [1]}}]}", rows: 60},
	{cells: "erm classes", methods: "original", data: "breast_cancer", entry: "erm: {loss: [squared-hinge, smoothed-hinge], c: 1, constraint: sum}", rows: 60},
	// Other regularizers, ages and directions.
	{cells: "orders", methods: "gaga", data: "breast_cancer", entry: "svm: {c: 1, kernel: rbf}", rows: 60, regularizers: "{polynomial: {order: [1.2, 2, 3]}}, {mixture: {gamma: 0.1}}, {log: {a: [0.1, 5]}}"},
	{cells: "derived ages", methods: "gaga", data: "breast_cancer", entry: "svm: {c: [0.01, 1], kernel: rbf}", rows: 60, age: "auto"},
	{cells: "strong penalty", methods: "gaga", data: "diabetes", entry: "elastic-net: {alpha: 0.2}", rows: 60, age: "auto"},
	{cells: "down", methods: "gaga", data: "diabetes", entry: "elastic-net: {alpha: 0.02}", rows: 60, age: "{min: 0.05, max: 2, acs_step: 0.5, direction: down}"},
	// As many rows as windows need.
	{cells: "window", methods: "gaga", data: "diabetes", entry: "lasso: {alpha: 0.01}", rows: 442, regularizers: Hard, age: "{min: 0.05, max: 0.5}"},
	{cells: "window smooth", methods: "gaga", data: "diabetes", entry: "ridge: {alpha: 0.1}", rows: 442, regularizers: Linear, age: "{min: 0.05, max: 0.5}"},
	// Choices, folds and the protocol of the scripts.
	{cells: "folds", methods: "gaga", data: "diabetes", entry: "elastic-net: {alpha: 0.02}", rows: 50, regularizers: Linear, choose: "{folds: 3}"},
	{cells: "chosen ridge", methods: "acs gaga", data: "diabetes", entry: "ridge: {alpha: 0.1}", rows: 80, regularizers: Linear, age: "auto", choose: "smoothed"},
	{cells: "chosen lasso", methods: "acs gaga", data: "diabetes", entry: "lasso: {alpha: 0.01}", rows: 80, regularizers: Linear, age: "auto", choose: "smoothed"},
	{cells: "scripts", methods: "acs gaga", data: "diabetes", entry: "lasso: {alpha: 0.01}", rows: 50, regularizers: "hard, linear, {mixture: {gamma: 0.4}}", choose: "none", further: "protocol: scripts"},
	{cells: "generations", methods: MOSPL, setting: "{mospl: {population: 20, generations: 30, refit: 7}}", data: "diabetes", entry: "lasso: {alpha: 0.01}", rows: 30, regularizers: "hard, linear, {polynomial: {order: 2}}, {mixture: {gamma: 0.4}}"},
}

func (n numberedModel) of(m *methodInfo) bool {
	return n.methods == "" && (m.everywhere || m.fits(n.name)) || slices.Contains(strings.Fields(n.methods), m.name)
}

func (n numberedModel) grid(m *methodInfo, methods string) string {
	var regularizers []string
	for _, r := range []string{Hard, Linear, Polynomial, Mixture, LOG} {
		if m.knows(r) {
			regularizers = append(regularizers, map[string]string{
				Polynomial: "{polynomial: {order: 1.35}}", Mixture: "{mixture: {gamma: 0.4}}", LOG: "{log: {a: 1}}",
			}[r])
			regularizers[len(regularizers)-1] = cmp.Or(regularizers[len(regularizers)-1], r)
		}
	}
	kind := "gaussian"
	if n.data != "diabetes" {
		kind = "flip"
	}
	choose := "choose: " + cmp.Or(n.choose, "{trimmed: 0, labels: given}") + "\n"
	if n.choose == "none" {
		choose = ""
	}
	return fmt.Sprintf("name: numbers\nrepeats: 1\ndata: [%s]\nrows: %d\nnoise: [{kind: %s, levels: [0.2]}]\nmodels: [{%s}]\n"+
		"regularizers: [%s]\nmethods: [%s]\nage: %s\n%s%s\n", n.data, cmp.Or(n.rows, 90), cmp.Or(n.noise, kind), n.entry, cmp.Or(n.regularizers, strings.Join(regularizers, ", ")), methods,
		cmp.Or(n.age, "{min: 0.05, max: 2, acs_step: 0.25}"), choose, n.further)
}

// digest adds what the cells of a method compute: measures and knots.
func (n numberedModel) digest(t *testing.T, m *methodInfo, h hash.Hash) {
	t.Helper()
	method := m.name
	switch {
	case m.everywhere:
		method = Original
	case m.name == MOSPL:
		method = cmp.Or(n.setting, "{mospl: {population: 8, generations: 4}}")
	}
	grid, err := experiment.Parse([]byte(n.grid(m, method)), "grid.yaml", nil)
	if err != nil {
		t.Fatalf("%s: %v", m.name, err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatalf("%s: %v", m.name, err)
	}
	for task, err := range plan.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(task.Needs, m.need()) {
			continue
		}
		measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
		// A new column is no new number.
		o := &experiment.Outcome{Measures: measures, Further: further, Schema: experiment.SchemaVersion}
		if err := Tables().Reshape(o, experiment.OldestSchema); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%v %v %v\n", o.Measures, o.Further["knots"], err)
	}
}

func (n numberedModel) cell(t *testing.T) (*Cell, *dataset.Prepared) {
	t.Helper()
	tasks, plan := firstTasks(t, n.grid(&originalMethod, Original))
	return prepare(t, plan, &tasks[0])
}

func numberedParts(t *testing.T, task dataset.Task, noise dataset.Noise, protocol dataset.Protocol, later int64) *dataset.Prepared {
	t.Helper()
	model := numberedModels[0]
	if task == dataset.Classification {
		model = numberedModels[3]
	}
	tasks, plan := firstTasks(t, model.grid(&originalMethod, Original))
	cell, err := DecodeCell(tasks[0].Spec)
	if err != nil {
		t.Fatal(err)
	}
	set, err := plan.Dataset(t.Context(), cell.Data.Digest)
	if err != nil {
		t.Fatal(err)
	}
	cell.Settings.Noise, cell.Settings.Protocol = noise, protocol
	cell.Seed += later
	prepared, err := cell.Prepare(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	return prepared
}
