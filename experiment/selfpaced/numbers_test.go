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
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/metric"
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
	if !experiment.SameArithmetic("linux/amd64", experiment.Platform()) {
		t.Skip("fused operations give other last digits")
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
				levels, repeats := []float64{0.3}, int64(1)
				if kind == dataset.StatP { // rounds to corners, which hides small changes in few rows
					levels, repeats = []float64{0.3, 1}, 5
				}
				for k := range int64(2*len(levels)) * repeats {
					protocol := []dataset.Protocol{dataset.HeldOut, dataset.Paper}[k%2]
					prepared := numberedParts(t, task, dataset.Noise{Kind: kind, Level: levels[k/2%int64(len(levels))]}, protocol, k/2/int64(len(levels)))
					for _, part := range []dataset.Part{prepared.Train, prepared.Validation, prepared.Test} {
						addFloats(h, part.X...)
						addFloats(h, part.Y...)
					}
				}
			}})
		}
	}
	for _, m := range metric.All {
		version := map[metric.Name]int{metric.LogLoss: 2, "r2": 2}[m.Name] // version 1 had other last digits on other processors
		list = append(list, numbered{"metric " + string(m.Name), max(version, 1), "nothing, but give it another name, since columns keep their meaning", func(_ *testing.T, h hash.Hash) {
			random := experiment.Stream(1, "metric")
			r := metric.Rows{Y: make([]float64, 60), Predicted: make([]float64, 60), Rarer: 1, Probable: true, Outliers: 0.2}
			for i := range r.Y {
				r.Y[i] = math.Copysign(1, random.NormFloat64())
				r.Predicted[i] = r.Y[i] + random.NormFloat64()
			}
			score, deviation := m.Score(&r)
			addFloats(h, score, deviation)
		}})
	}
	list = append(list,
		numbered{"choice", choiceNeed.Version, "the version of choiceNeed", func(t *testing.T, h hash.Hash) {
			digestChoices(t, h)
			digestLabels(t, h)
		}},
		numbered{"far rows", 1, "nothing, but give their columns other names", digestFar},
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
					ages, err := baselines.FindAges(t.Context(), problem, nil, autoAges)
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
	predicted, y := make([]float64, 60), make([]float64, 60)
	for _, name := range []metric.Name{metric.RMSE, metric.MAE, metric.Accuracy} {
		for _, trimmed := range []float64{0, 0.25, choice.Auto} {
			c := choice.Curve{Higher: name.Of().Higher}
			for k := range 25 {
				for i := range y {
					y[i] = math.Copysign(1, random.NormFloat64())
					predicted[i] = y[i] + (0.5+math.Abs(float64(k)-12)/12)*random.NormFloat64()
				}
				score, deviation := name.Of().Score(&metric.Rows{Y: y, Predicted: predicted, Trimmed: trimmed})
				mae, _ := metric.MAE.Of().Score(&metric.Rows{Y: y, Predicted: predicted})
				addFloats(h, score, deviation, mae)
				c.Add(0.1*math.Pow(1.1, float64(k)), score, deviation, k%9 == 0, k >= 13)
			}
			for _, rule := range choice.Rules {
				knot, value := rule.Choose(&c)
				addFloats(h, float64(knot), value)
			}
		}
	}
}

// digestFar has ever farther rows, and models that explain more and more of the others.
func digestFar(_ *testing.T, h hash.Hash) {
	random := experiment.Stream(1, "far")
	predicted, y := make([]float64, 80), make([]float64, 80)
	for step := range 120 {
		for i := range y {
			predicted[i] = random.NormFloat64()
			y[i] = predicted[i] + (1+float64(step%10)/3)*random.NormFloat64()
			if i%8 == 0 {
				y[i] += float64(step) * (1 + random.Float64())
			}
		}
		addFloats(h, metric.Far(predicted, y), metric.Contaminated(predicted, y))
	}
}

// digestLabels adds corrected labels, and which errors are those of contaminated rows.
func digestLabels(t *testing.T, h hash.Hash) {
	random := experiment.Stream(1, "labels")
	part := dataset.Part{N: 60, D: 2, Rows: make([]int, 60)}
	for range part.N {
		a, b := random.NormFloat64(), random.NormFloat64()
		part.X, part.Y = append(part.X, a, b), append(part.Y, math.Copysign(1, a*b+random.NormFloat64()/2))
	}
	for _, by := range []metric.Name{metric.Accuracy, metric.BalancedAccuracy} {
		labels, err := (&Cell{Metric: by}).correctLabels(t.Context(), &part)
		if err != nil {
			t.Fatal(err)
		}
		addFloats(h, labels...)
	}
	robust, plain := make([]float64, part.N), make([]float64, part.N)
	for step := range 40 {
		for i := range part.N / 4 {
			robust[i], plain[i] = float64(step)*part.X[2*i], float64(step%9)*part.X[2*i]
		}
		fmt.Fprintln(h, metric.Disturbed(part.Y, robust, plain, part.X))
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
		"regularizers: [%s]\nmethods: [%s]\nage: {min: 0.05, max: 2, acs_step: 0.25}\nchoose: {trimmed: 0, labels: given}\n", n.data, kind, n.entry, strings.Join(regularizers, ", "), methods)
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

func addFloats(h hash.Hash, list ...float64) {
	for _, x := range list {
		fmt.Fprintf(h, "%x ", math.Float64bits(x))
	}
}
