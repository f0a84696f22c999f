package selfpaced

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	need "github.com/agepath/agepath/internal/testing/needs"
)

const classifiers = `
name: classifiers
repeats: 1
data: [breast_cancer]
noise: [{kind: flip, levels: [0.3]}]
models:
  - svm: {c: 1, kernel: rbf, kernel_gamma: 0.02}
  - svm: {c: 2, kernel: rbf, kernel_gamma: 0.02, intercept: false}
  - svm: {c: 1, kernel: linear}
  - logistic: {c: 1}
regularizers: [hard, linear, {polynomial: {order: 1.35}}, {mixture: {gamma: 0.5}}, {log: {a: 1}}]
methods: [gaga]
age: {min: 0.5, max: 2}
keep: {knots: true, coefficients: true}
`

// TestClassifierPaths computes the age paths of the models of classification
// and holds what a cell leaves behind against itself and against its data: the
// scores against those that the coefficients give, events against their counts.
func TestClassifierPaths(t *testing.T) {
	need.Patience(t, "2 s")
	t.Parallel()
	tasks, plan := firstTasks(t, classifiers)
	if len(tasks) != 4*5 {
		t.Fatalf("%d cells", len(tasks))
	}
	turning, jumps := 0.0, 0.0
	for _, task := range tasks {
		measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		cell, prepared := prepare(t, plan, &task)
		path := &writtenPath{t: t, cell: cell, prepared: prepared, measures: measures, knots: further["knots"]}
		path.check(further["coefficients"].Columns[1].Lists)
		turning += number(t, measures, "turning_points")
		jumps += number(t, measures, "jump_points")
	}
	if turning < 500 || jumps < 100 {
		t.Errorf("%g turning and %g jump points: the cells are too easy to test anything", turning, jumps)
	}
}

// writtenPath is what a cell left behind.
type writtenPath struct {
	t        *testing.T
	cell     *Cell
	prepared *dataset.Prepared
	measures experiment.Batch
	knots    experiment.Batch
}

// column returns the values of a column of the knots.
func (w *writtenPath) column(name string) *experiment.Vector {
	columns := furtherTables[0].Columns[1:] // without cell
	j := slices.IndexFunc(columns, func(c experiment.Column) bool { return c.Name == name })
	return &w.knots.Columns[j]
}

func (w *writtenPath) errorf(format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("%+v, %+v: "+format, append([]any{w.cell.Model, w.cell.Method.Regularizer}, args...)...)
}

func (w *writtenPath) check(thetas [][]float64) {
	train := &w.prepared.Train
	ages, events, details, indexes := w.column("age"), w.column("event"), w.column("detail"), w.column("index")
	easy, middle, discarded := w.column("easy"), w.column("middle"), w.column("discarded")
	unknowns := train.D
	if w.cell.Model.Kernel == RBF {
		unknowns = train.N
	}
	if len(thetas) != w.knots.Rows {
		w.errorf("%d knots and %d rows of coefficients", w.knots.Rows, len(thetas))
		return
	}
	counts := map[string]float64{}
	for k, theta := range thetas {
		event := events.Texts[k]
		counts[event]++
		if k > 0 && ages.Floats[k] < ages.Floats[k-1] {
			w.errorf("age %v comes after %v", ages.Floats[k], ages.Floats[k-1])
		}
		if sum := easy.Ints[k] + middle.Ints[k] + discarded.Ints[k]; sum != int64(train.N) {
			w.errorf("knot %d: zones of %d rows, there are %d", k, sum, train.N)
		}
		if critical := event == "turning" || event == "jump"; critical && details.IsNull(k) || event == "grid" && !indexes.IsNull(k) {
			w.errorf("knot %d: %s with the detail %q and index %d", k, event, details.Texts[k], indexes.Ints[k])
		}
		if index := indexes.Ints[k]; !indexes.IsNull(k) && (index < 0 || index >= int64(train.N)) {
			w.errorf("knot %d: index %d", k, index)
		}
		if len(theta) != unknowns+1 || !w.cell.Model.Intercept && theta[unknowns] != 0 {
			w.errorf("knot %d: %d values, the last is %v", k, len(theta), theta[len(theta)-1])
			return
		}
		w.score(k, theta)
	}
	if counts["turning"] != number(w.t, w.measures, "turning_points") || counts["jump"] != number(w.t, w.measures, "jump_points") ||
		counts["start"] != 1+counts["jump"] || counts["end"] != 1 || counts["grid"] == 0 {
		w.errorf("events %v are not those of the cell", counts)
	}
	if worst := number(w.t, w.measures, "max_kkt"); !(worst <= 1e-9) {
		w.errorf("residual %v", worst)
	}
	if status := w.text("path_status"); status != "complete" {
		w.errorf("the path ended as %q", status)
	}
}

// text returns a measure of one row as a text.
func (w *writtenPath) text(name string) string {
	j := slices.IndexFunc(measureColumns, func(c experiment.Column) bool { return c.Name == name })
	return w.measures.Columns[j].Texts[0]
}

// score compares the test score of a knot and its number of coefficients, and
// looks at the conditions of the multipliers that hold at every age.
func (w *writtenPath) score(k int, theta []float64) {
	train, test := &w.prepared.Train, &w.prepared.Test
	last := len(theta) - 1
	var active int64
	var balance float64
	for i, x := range theta[:last] {
		if x != 0 {
			active++
		}
		if w.cell.Model.Kernel != RBF {
			continue
		}
		top := w.cell.Model.C
		if train.Multiplicity != nil {
			top *= train.Multiplicity[i]
		}
		balance += x * train.Y[i]
		if x < -1e-9*top || x > top*(1+1e-9) {
			w.errorf("knot %d: multiplier %d is %v, at most %v is allowed", k, i, x, top)
		}
	}
	if math.Abs(balance) > 1e-9*float64(train.N) && w.cell.Model.Intercept {
		w.errorf("knot %d: the multipliers' sum over labels is %v", k, balance)
	}
	if got := w.column("active").Ints[k]; got != active {
		w.errorf("knot %d: %d active, the coefficients say %d", k, got, active)
	}
	right := 0
	for i := range test.N {
		if (w.decision(theta, test.X[i*test.D:(i+1)*test.D]) > 0) == (test.Y[i] > 0) {
			right++
		}
	}
	if got, want := w.column("test_score").Floats[k], float64(right)/float64(test.N); math.Abs(got-want) > 1e-12 {
		w.errorf("knot %d: accuracy %v, the coefficients give %v", k, got, want)
	}
}

// decision returns the decision value of a row, summed plainly.
func (w *writtenPath) decision(theta, x []float64) float64 {
	train := &w.prepared.Train
	f := theta[len(theta)-1]
	if w.cell.Model.Kernel != RBF {
		for j, v := range x {
			f += theta[j] * v
		}
		return f
	}
	for i := range train.N {
		if theta[i] == 0 {
			continue
		}
		var square float64
		for j, v := range x {
			e := v - train.X[i*train.D+j]
			square += e * e
		}
		f += theta[i] * train.Y[i] * math.Exp(-w.cell.Model.KernelGamma*square)
	}
	return f
}

// TestPathsAreTheSameEachTime computes cells again and wants every bit back.
func TestPathsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	text := strings.Replace(classifiers, "[hard, linear, {polynomial: {order: 1.35}}, {mixture: {gamma: 0.5}}, {log: {a: 1}}]", "[{mixture: {gamma: 0.5}}]", 1)
	tasks, plan := firstTasks(t, text)
	if len(tasks) != 4 {
		t.Fatalf("%d cells", len(tasks))
	}
	for _, task := range tasks {
		measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		again, furtherAgain, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(measures, again) || !reflect.DeepEqual(further, furtherAgain) {
			t.Errorf("cell %s differs the second time", task.Cell)
		}
	}
}

func cellBytes(c *Cell, p *dataset.Prepared) int64 {
	return c.bytes(int64(p.Train.N), int64(p.Train.D), int64(p.Test.N+p.Validation.N))
}

// TestPathMemory wants the estimate of an age path's memory to have what its
// knots hold in it, and to stop a cell that needs more than it may.
func TestPathMemory(t *testing.T) {
	t.Parallel()
	need.Patience(t, "1 s")
	tasks, plan := firstTasks(t, strings.Replace(classifiers, "[gaga]", "[acs, gaga]", 1))
	estimates := map[Model]map[string]int64{}
	for _, task := range tasks {
		cell, prepared := prepare(t, plan, &task)
		if estimates[cell.Model] == nil {
			estimates[cell.Model] = map[string]int64{}
		}
		estimates[cell.Model][cell.Method.Name] = cellBytes(cell, prepared)
		if cell.Method.Regularizer.Name != LOG || cell.Method.Name != GAGA {
			continue
		}
		fitted, err := cell.fitOver(t.Context(), prepared, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var held int64
		for _, knot := range fitted.Knots {
			held += 8 * int64(len(knot.Theta))
		}
		n, d := int64(prepared.Train.N), int64(prepared.Train.D)
		if need := pathBytes(cell, n, d); need < held || need > 50*held {
			t.Errorf("%+v: the path is estimated at %d bytes, its knots hold %d", cell.Model, need, held)
		}
		task.Limits.Memory = cellBytes(cell, prepared) - 1
		var fixed *experiment.StatusError
		if _, _, err := (Kind{}).Compute(t.Context(), &task, plan); !errors.As(err, &fixed) || fixed.Status != experiment.Memory {
			t.Errorf("%+v: %v with a limit below the estimate", cell.Model, err)
		}
	}
	for model, bytes := range estimates {
		if bytes[GAGA] <= bytes[ACS] {
			t.Errorf("%+v: %d bytes for gaga, %d for acs", model, bytes[GAGA], bytes[ACS])
		}
	}
}

// A path in the span of the rows needs no matrices over the features.
func TestBytesOfWideProblems(t *testing.T) {
	t.Parallel()
	const n, d = 62, 20_000
	for _, name := range []string{SVM, Logistic, Ridge} {
		if need := pathBytes(&Cell{Model: Model{Name: name}}, n, d); need > 100*n*d {
			t.Errorf("%s: %d bytes for %d numbers", name, need, n*d)
		}
	}
}
