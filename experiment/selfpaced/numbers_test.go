package selfpaced

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
)

// recordedNumbers has a line "subject, version: digest" for everything that has a version.
const recordedNumbers = "testdata/numbers.txt"

// numbered is something whose numbers have a version: a digest of what it computes on small fixed
// data, by which a changed number is noticed wherever it stands.
type numbered struct {
	subject string
	version int
	raise   string // what to raise
	digest  func(t *testing.T, h hash.Hash)
}

// TestNumbersHaveVersions wants the version of a method, kind of noise, choice or derivation to rise
// with its numbers: cells keep their names otherwise, and --reuse mixes old ones with new ones. A new
// version is recorded with -update.
func TestNumbersHaveVersions(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors may give other last digits")
	}
	was, now := readNumbers(t), map[string]string{}
	for _, n := range numberedSubjects() {
		h := sha256.New()
		t.Run(n.subject, func(t *testing.T) { n.digest(t, h) })
		key, digest := fmt.Sprintf("%s, version %d", n.subject, n.version), hex.EncodeToString(h.Sum(nil)[:8])
		if now[key] = digest; was[key] != "" && was[key] != digest {
			t.Errorf("the numbers of %s have changed: raise %s, then record them with go test ./experiment/selfpaced -run %s -update", key, n.raise, t.Name())
		}
	}
	switch {
	case t.Failed() || maps.Equal(was, now):
	case *update:
		var text strings.Builder
		for _, key := range slices.Sorted(maps.Keys(now)) {
			fmt.Fprintf(&text, "%s: %s\n", key, now[key])
		}
		if err := os.WriteFile(recordedNumbers, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not have what is there now: record it with -update", recordedNumbers)
	}
}

func readNumbers(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(recordedNumbers)
	if err != nil && !(os.IsNotExist(err) && *update) {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		key, digest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		list[key] = digest
	}
	return list
}

func numberedSubjects() (list []numbered) {
	for _, m := range methodTable {
		if m.algorithm == 0 { // of a test
			continue
		}
		list = append(list, numbered{"method " + m.name, m.algorithm, "its algorithm in methodTable and the table in docs/grid.md", func(t *testing.T, h hash.Hash) {
			for _, model := range numberedModels {
				if m.everywhere || m.fits(model.name) {
					model.cells(t, m, h)
				}
			}
		}})
	}
	for _, task := range []dataset.Task{dataset.Regression, dataset.Classification} {
		for _, kind := range dataset.NoiseKinds(task) {
			list = append(list, numbered{"noise " + kind, dataset.NoiseVersion(kind), "dataset.NoiseVersion", func(t *testing.T, h hash.Hash) {
				for _, protocol := range []dataset.Protocol{dataset.HeldOut, dataset.Paper} {
					prepared := numberedParts(t, task, dataset.Noise{Kind: kind, Level: 0.3}, protocol)
					for _, part := range []dataset.Part{prepared.Train, prepared.Validation, prepared.Test} {
						addFloats(h, part.X...)
						addFloats(h, part.Y...)
					}
				}
			}})
		}
	}
	list = append(list,
		numbered{"choice", choiceNeed.Version, "the version of choiceNeed", digestChoices},
		numbered{"age auto", autoAge, "autoAge", func(t *testing.T, h hash.Hash) {
			for _, model := range numberedModels {
				if model.name == ERM {
					continue
				}
				c, prepared := model.cell(t)
				for _, regularizer := range regularizerTable {
					c.Method.Regularizer = Regularizer{Name: regularizer.name, Param: 1.35}
					problem, err := c.Problem(&prepared.Train)
					if err != nil {
						t.Fatal(err)
					}
					ages, err := baselines.FindAges(t.Context(), problem, autoAges)
					if err != nil {
						t.Fatal(err)
					}
					addFloats(h, ages...)
				}
			}
		}})
	return list
}

func digestChoices(_ *testing.T, h hash.Hash) {
	random := experiment.Stream(1, "choice")
	predicted, y, losses := make([]float64, 60), make([]float64, 60), make([]float64, 60)
	for _, metric := range []string{RMSE, MAE, Accuracy} {
		for _, trimmed := range []float64{0, 0.25, choice.Auto} {
			c := choice.Curve{Higher: metric == Accuracy}
			for k := range 25 {
				for i := range y {
					y[i] = math.Copysign(1, random.NormFloat64())
					predicted[i] = y[i] + (0.5+math.Abs(float64(k)-12)/12)*random.NormFloat64()
				}
				s := scoreOf(predicted, y, metric, trimmed, losses)
				addFloats(h, s.score, s.deviation, s.mae)
				c.Add(0.1*math.Pow(1.1, float64(k)), s.score, s.deviation, k%9 == 0, k >= 13)
			}
			for _, rule := range choice.Rules {
				knot, value := rule.Choose(&c)
				addFloats(h, float64(knot), value)
			}
		}
	}
}

// numberedModel is a model on data that has some rows of each kind.
type numberedModel struct {
	name, data, entry string
}

var numberedModels = []numberedModel{
	{Lasso, "diabetes", "lasso: {alpha: 0.01}"}, {ElasticNet, "diabetes", "elastic-net: {alpha: 0.02}"}, {Ridge, "diabetes", "ridge: {alpha: 0.1}"},
	{SVM, "breast_cancer", "svm: {c: 1}"}, {SVM, "breast_cancer", "svm: {c: 1, kernel: rbf}"}, {Logistic, "breast_cancer", "logistic: {c: 1}"},
	{ERM, "diabetes", "erm: {loss: huber, c: 1}"},
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
	return fmt.Sprintf("name: numbers\nrepeats: 1\ndata: [%s]\nrows: 90\nnoise: [{kind: %s, levels: [0.2]}]\nmodels: [{%s}]\n"+
		"regularizers: [%s]\nmethods: [%s]\nage: {min: 0.05, max: 2, acs_step: 0.25}\n", n.data, kind, n.entry, strings.Join(regularizers, ", "), methods)
}

// cells adds what the cells of a method compute: measures and knots.
func (n numberedModel) cells(t *testing.T, m *methodInfo, h hash.Hash) {
	t.Helper()
	method := m.name
	switch {
	case m.everywhere:
		method = Original
	case m.name == MOSPL:
		method = "{mospl: {population: 8, generations: 4}}"
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

func numberedParts(t *testing.T, task dataset.Task, noise dataset.Noise, protocol dataset.Protocol) *dataset.Prepared {
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
	prepared, err := cell.Prepare(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	return prepared
}

func addFloats(h hash.Hash, list ...float64) {
	for _, x := range list {
		fmt.Fprintf(h, "%x ", math.Float64bits(x))
	}
}
