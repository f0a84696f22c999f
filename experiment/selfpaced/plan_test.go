package selfpaced

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	need "github.com/agepath/agepath/internal/testing/needs"
)

// testLibrary makes data sets instead of reading them. Names start with the
// task, r or c, and may say their number of rows behind a minus: c-3.
type testLibrary struct{ seed uint64 }

func (l testLibrary) Load(_ context.Context, s dataset.Source) (*dataset.Dataset, error) {
	d := &dataset.Dataset{Name: s.Name, Task: dataset.Regression, Features: []string{"a", "b"}, N: 40, D: 2}
	name, rows, _ := strings.Cut(s.Name, "-")
	if rows != "" {
		if _, err := fmt.Sscan(rows, &d.N); err != nil {
			return nil, err
		}
	}
	switch name[0] {
	case 'c':
		d.Task = dataset.Classification
	case 'r':
	case 'k': // constant
		d.X, d.Y = make([]float64, d.N*d.D), slices.Repeat([]float64{7}, d.N)
		return d, nil
	default:
		return nil, fmt.Errorf("%w %q", dataset.ErrUnknown, s.Name)
	}
	random := rand.New(rand.NewPCG(l.seed, uint64(name[len(name)-1])))
	for i := range d.N {
		d.X = append(d.X, random.NormFloat64(), random.NormFloat64())
		y := random.NormFloat64()
		if d.Task == dataset.Classification {
			y = float64(2*(i%2) - 1)
			if name == "cone" {
				y = 1
			}
		}
		d.Y = append(d.Y, y)
	}
	return d, nil
}

func mustPlan(t testing.TB, text string, set ...string) *experiment.Plan {
	t.Helper()
	p, err := mustParse(t, text, set...).Plan(t.Context(), testLibrary{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// mixed has models of both tasks and every dimension.
const mixed = `
name: Mixed, of both tasks
repeats: 3
regularizers: [linear, {mixture: {gamma: [0.2, 0.5]}}]
methods: [original, acs, gaga]
sweeps:
  - data: [r1, r2]
    noise: [{kind: gaussian, levels: [0, 0.3]}, {kind: statp, levels: [0, 0.1]}]
    models: [{lasso: {alpha: [0.001, 0.01]}}]
  - data: [c1]
    noise: [{kind: flip, levels: [0, 0.3]}]
    models: [{svm: {c: [0.1, 1, 10], kernel: [linear, rbf], kernel_gamma: [0.5, scale]}}, {logistic: {c: 1}}]
    methods: [original, acs]
`

// Two sets x three levels (0 once) x two alphas x (1 + 3 + 3) methods, and
// two levels x (3 linear + 6 rbf + 1 logistic) x (1 + 3).
const (
	mixedConstants = 3 * (2*3 + 2) // one for each data set and noise
	mixedCells     = 3*(2*3*2*7+2*10*4) + mixedConstants
)

func TestPlanCountsWhatItExpands(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mixed)
	ids := map[string]bool{}
	for id := range p.IDs() {
		if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
			t.Fatalf("identity %q is not 32 hex digits", id)
		}
		ids[id] = true
	}
	if p.Count() != mixedCells || len(ids) != mixedCells {
		t.Errorf("Count is %d, %d different identities, want %d", p.Count(), len(ids), mixedCells)
	}
	for _, dimension := range p.Dimensions() {
		var cells int64
		var seconds float64
		for _, value := range dimension.Values {
			cells += value.Cells
			seconds += value.Seconds
		}
		if cells != mixedCells || math.Abs(seconds/p.Cost()-1) > 1e-12 {
			t.Errorf("dimension %s has %d cells of %g s, want %d of %g s", dimension.Name, cells, seconds, mixedCells, p.Cost())
		}
	}
}

func TestDimensions(t *testing.T) {
	t.Parallel()
	got := map[string]int64{}
	for _, dimension := range mustPlan(t, mixed).Dimensions() {
		for _, value := range dimension.Values {
			got[dimension.Name+" "+value.Name] = value.Cells
		}
	}
	for name, want := range map[string]int64{
		"dataset r1": 3 * 3 * (2*7 + 1), "dataset c1": 3 * 2 * (10*4 + 1),
		"noise none": 3 * (2*(2*7+1) + 10*4 + 1), "noise statp 0.1": 3 * 2 * (2*7 + 1), "noise flip 0.3": 3 * (10*4 + 1),
		"model lasso": 3 * 2 * 3 * 2 * 7, "model svm rbf": 3 * 2 * 6 * 4, "model logistic": 3 * 2 * 4, "model none": mixedConstants, "method constant": mixedConstants,
		"method gaga": 3 * 2 * 3 * 2 * 3, "method original": 3 * (2*3*2 + 2*10),
		"regularizer none": 3*(2*3*2+2*10) + mixedConstants, "regularizer linear": 3 * (2*3*2*2 + 2*10),
	} {
		if got[name] != want {
			t.Errorf("%s: %d cells, want %d", name, got[name], want)
		}
	}
}

func TestOriginalIgnoresRegularizersAndAges(t *testing.T) {
	t.Parallel()
	seen := 0
	for cell := range cellsOf(mustPlan(t, mixed)) {
		switch cell.Method.Name {
		case Original:
			seen++
			if cell.Method != (Method{Name: Original, Algorithm: cell.Method.Algorithm}) {
				t.Fatalf("original has settings: %+v", cell.Method)
			}
		case GAGA:
			if cell.Method.Age.Step != 0 {
				t.Fatalf("gaga depends on the step of acs: %+v", cell.Method)
			}
		}
		if cell.Model.Kernel == Linear && cell.Model.KernelGamma != 0 {
			t.Fatalf("the linear kernel has a width: %+v", cell.Model)
		}
	}
	if want := 3 * (2*3*2 + 2*10); seen != want {
		t.Errorf("%d cells of original, want %d", seen, want)
	}
}

// TestIdentityIgnoresOrder writes the same grid in another order, with other
// numerals, limits and names of nothing that counts.
func TestIdentityIgnoresOrder(t *testing.T) {
	t.Parallel()
	shuffled := mustPlan(t, `
sweeps:
  - methods: [acs, original]
    models: [{logistic: {c: 1.0}}, {svm: {kernel_gamma: [scale, 5e-1], kernel: [rbf, linear], c: [10, 0.1, 1]}}]
    noise: [{levels: [0.3, 0], kind: flip}]
    data: [c1]
  - models: [{lasso: {alpha: [1e-2, 0.001]}}]
    noise: [{kind: statp, levels: [0.1]}, {kind: gaussian, levels: [0.30, 0.0]}]
    data: [r2, r1]
methods: [gaga, acs, original]
regularizers: [{mixture: {gamma: {from: 0.5, to: 0.2, step: -0.3}}}, linear]
repeats: 3
seed: 40
split: {train: 6, test: 2}
limits: {timeout: 1h, attempts: 1}
name: mixed of both tasks
`)
	plan := mustPlan(t, mixed)
	want, got := slices.Sorted(plan.IDs()), slices.Sorted(shuffled.IDs())
	if !slices.Equal(want, got) {
		t.Error("the order of a grid changes its identities")
	}
	if plan.Run != shuffled.Run {
		t.Errorf("the runs are %s and %s", plan.Run, shuffled.Run)
	}
	if got, want := plan.Run[:len(plan.Run)-8], "mixed-of-both-tasks-"; got != want {
		t.Errorf("the run starts with %s, want %s", got, want)
	}
}

func TestWhatChangesCellsAndRuns(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, mixed)
	before := slices.Collect(plan.IDs())
	for _, test := range []struct {
		set  string
		same int // cells that stay what they are
		run  bool
	}{
		{"limits.timeout=5s", mixedCells, true},
		{`name="mixed of: both tasks!"`, mixedCells, true},
		{"keep.coefficients=true", mixedCells, false},
		{"seed=41", 0, false},
		{"repeats=2", mixedCells / 3 * 2, false},
		{"age.min=0.2", 3*(2*3*2+2*10) + mixedConstants, false},
		{"age=auto", mixedCells, true},
		{"split.test=2", 0, false},
		{"protocol=paper", 0, false},
		{"scale.target=standard", 3 * 2 * (10*4 + 1), false}, // labels are not scaled
		{"sweeps.0.models.0.lasso.intercept=false", 3*2*10*4 + mixedConstants, false},
	} {
		changed := mustPlan(t, mixed, test.set)
		after := map[string]bool{}
		for id := range changed.IDs() {
			after[id] = true
		}
		same := 0
		for _, id := range before {
			if after[id] {
				same++
			}
		}
		if same != test.same || (changed.Run == plan.Run) != test.run {
			t.Errorf("--set %s: %d cells stay, want %d; run %s after %s", test.set, same, test.same, changed.Run, plan.Run)
		}
	}
	other, err := mustParse(t, mixed).Plan(t.Context(), testLibrary{seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if id := first(other.IDs()); slices.Contains(before, id) || other.Run == plan.Run {
		t.Error("other data gives the same cells")
	}
}

func first[T any](seq iter.Seq[T]) (value T) {
	for value = range seq {
		break
	}
	return value
}

func TestOverlappingSweepsAreExpandedOnce(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, `
repeats: 2
noise: [{kind: gaussian, levels: [0, 0.3]}]
regularizers: [linear, {mixture: {gamma: [0.2, 0.5]}}]
sweeps:
  - {data: [r1], models: [{lasso: {alpha: [0.1, 0.2, 0.3]}}], methods: [acs]}
  - {data: [r1, r2], models: [{lasso: {alpha: [0.2, 0.4]}}, {lasso: {alpha: [0.4, 0.5]}}], methods: [original, acs], noise: none}
  - {data: [r1], models: [{lasso: {alpha: [0.4]}}], methods: [acs], noise: [{kind: statp, levels: [0, 0.2]}], regularizers: [{mixture: {gamma: [0.5, 0.7]}}]}
`)
	// First: 2 levels x 3 alphas x 3. Second on r1: alphas 0.2, 0.4, 0.5 by
	// original, 0.4 and 0.5 by acs; on r2 all. Third: all but clean with 0.5. The
	// constant: r1 clean, with gaussian and with statp, r2 clean.
	const want = 2 * (2*3*3 + (3 + 2*3) + (3 + 3*3) + 3 + 4)
	ids := slices.Sorted(p.IDs())
	if p.Count() != want || len(ids) != want || len(slices.Compact(ids)) != want {
		t.Errorf("Count is %d, expanded %d, of which %d differ, want %d", p.Count(), len(ids), len(slices.Compact(ids)), want)
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mixed, "limits.timeout=1m", "keep.coefficients=true")
	inOrder := slices.Collect(p.IDs())
	i := 0
	for task, err := range p.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		if task.Cell != inOrder[i] || task.Run != p.Run || task.Kind != Name || task.Limits != p.Limits {
			t.Fatalf("task %d is %+v", i, task)
		}
		cell, err := DecodeCell(task.Spec)
		if err != nil {
			t.Fatal(err)
		}
		if cell.ID() != task.Cell || !task.Keeps("coefficients") || task.Data[0] != cell.Data.Digest {
			t.Fatalf("task %s decodes to cell %s, %+v", task.Cell, cell.ID(), cell)
		}
		i++
	}
	checkQueue(t, p)
}

// checkQueue wants the queue of a plan to have its cells, first one of each method, the
// cheapest of the first repeat, then the repeats one after the other, in each falling costs.
func checkQueue(t *testing.T, p *experiment.Plan) {
	t.Helper()
	type place struct {
		method string
		repeat int64
		cost   float64
	}
	of := func(task *experiment.Task) place {
		at := place{cost: task.Cost}
		for j, column := range p.Tables().Labels {
			switch value := task.Labels.At(column, j, 0); column.Name {
			case "method":
				at.method, _ = value.(string)
			case "repeat":
				at.repeat, _ = value.(int64)
			}
		}
		return at
	}
	cheapest, cells := map[string]float64{}, map[string]bool{}
	for task, err := range p.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		at := of(&task)
		if least, there := cheapest[at.method]; !there || at.cost < least {
			cheapest[at.method] = at.cost
		}
		cells[task.Cell] = true
	}
	methods, last, n := map[string]bool{}, place{repeat: 1, cost: math.Inf(1)}, 0
	for task, err := range p.Queue() {
		if err != nil {
			t.Fatal(err)
		}
		if !cells[task.Cell] {
			t.Fatalf("cell %s comes twice, or is none of the plan", task.Cell)
		}
		delete(cells, task.Cell)
		at := of(&task)
		if n++; n <= len(cheapest) {
			if methods[at.method] || at.repeat != 1 || at.cost != cheapest[at.method] {
				t.Errorf("cell %d is %+v, want the cheapest of a method that none was of", n, at)
			}
			methods[at.method] = true
			continue
		}
		if at.repeat < last.repeat || at.repeat == last.repeat && at.cost > last.cost {
			t.Errorf("cell %d is %+v after %+v", n, at, last)
		}
		last = at
	}
	if len(cells) > 0 {
		t.Errorf("%d cells are not queued", len(cells))
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mixed)
	rows := map[string]bool{}
	for task := range p.Tasks() {
		row := map[string]any{}
		for j, column := range labelColumns {
			row[column.Name] = task.Labels.At(column, j, 0)
		}
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		rows[string(text)] = true
	}
	if len(rows) != mixedCells {
		t.Errorf("%d rows of labels differ, want %d", len(rows), mixedCells)
	}
	seed := experiment.CellSeed(40, 2)
	for _, want := range []string{
		// 40 rows: 10 to test, 6 of 30 to validation.
		fmt.Sprintf(`{"age_direction":"up","age_max":null,"age_min":null,"age_range":"auto","age_step":null,"alpha":0.01,"c":null,"choice":"smoothed, trimmed auto","constraint":null,"dataset":"r2","intercept":"true","kernel":null,"kernel_gamma":null,"l1_ratio":null,"loss":null,"method":"gaga","method_params":null,"model":"lasso","n_features":2,"n_test":10,"n_train":24,"noise_kind":"statp","noise_level":0.1,"protocol":"held-out","regularizer":"mixture","regularizer_param":0.5,"repeat":2,"scale_features":"standard","scale_target":"minmax","seed":%d,"split_test":1,"split_train":3,"split_validation":0.2,"task":"regression"}`, seed),
		fmt.Sprintf(`{"age_direction":null,"age_max":null,"age_min":null,"age_range":null,"age_step":null,"alpha":null,"c":10,"choice":"smoothed, corrected labels","constraint":null,"dataset":"c1","intercept":"true","kernel":"rbf","kernel_gamma":null,"l1_ratio":null,"loss":null,"method":"original","method_params":null,"model":"svm","n_features":2,"n_test":10,"n_train":24,"noise_kind":null,"noise_level":0,"protocol":"held-out","regularizer":null,"regularizer_param":null,"repeat":2,"scale_features":"standard","scale_target":null,"seed":%d,"split_test":1,"split_train":3,"split_validation":0.2,"task":"classification"}`, seed),
		fmt.Sprintf(`{"age_direction":"both","age_max":null,"age_min":null,"age_range":"auto","age_step":null,"alpha":null,"c":0.1,"choice":"smoothed, corrected labels","constraint":null,"dataset":"c1","intercept":"true","kernel":"rbf","kernel_gamma":0.5,"l1_ratio":null,"loss":null,"method":"acs","method_params":null,"model":"svm","n_features":2,"n_test":10,"n_train":24,"noise_kind":"flip","noise_level":0.3,"protocol":"held-out","regularizer":"linear","regularizer_param":null,"repeat":2,"scale_features":"standard","scale_target":null,"seed":%d,"split_test":1,"split_train":3,"split_validation":0.2,"task":"classification"}`, seed),
	} {
		if !rows[want] {
			t.Errorf("no row %s", want)
		}
	}
}

func TestPlanIsData(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mixed)
	var _ experiment.Data = p
	for _, data := range p.Data {
		d, err := p.Dataset(t.Context(), data.Digest)
		if err != nil || d.Name != data.Name || d.N != data.N || d.D != data.D || d.Task != data.Task {
			t.Errorf("data set %s: %v, %v", data.Name, d, err)
		}
	}
	if _, err := p.Dataset(t.Context(), "0"); err == nil {
		t.Error("a digest that is not there gives a data set")
	}
	p.Library = testLibrary{seed: 1}
	if _, err := p.Dataset(t.Context(), p.Data[0].Digest); err == nil || !strings.Contains(err.Error(), "no longer") {
		t.Errorf("changed data gives %v", err)
	}
}

func TestPlanRefusals(t *testing.T) {
	t.Parallel()
	good := strings.ReplaceAll(base, "diabetes", "r1")
	tests := []struct{ name, old, new, place, says string }{
		{"unknown data set", "[r1]", "[r1, nowhere]", "bad.yaml:3: data.1: ", `unknown data set "nowhere"`},
		{"svm on regression", "{lasso: {alpha: [0.1, 0.2]}}", "{svm: {c: 1}}", "bad.yaml:7: models.0.svm: ", "svm is a model for classification, but the data set r1 is for regression; allowed there are lasso"},
		{"lasso on classification", "[r1]", "[c1]", "bad.yaml:7: models.0.lasso: ", "lasso is a model for regression, but the data set c1 is for classification; allowed there are svm, logistic"},
		{"noise of the other task", "gaussian", "flip", "bad.yaml:6: noise.0.kind: ", "does not fit the data set r1, which is for regression; allowed there are gaussian, gaussian-target, "},
		{"too few rows", "[r1]", "[r-3]", "bad.yaml:3: data.0: ", "3 rows give 1 for training"},
		{"one class", "[r1]", "[cone]", "bad.yaml:3: data.0: ", "class"},
		{"constant target", "[r1]", "[k1]", "bad.yaml:3: data.0: ", "data set k1: its target is 7 in all 40 rows; a regression needs one that varies"},
		{"same numbers", "[r1]", "[r1, rr1]", "bad.yaml:3: data.1: ", "rr1 holds the same numbers as r1"},
		{"too many cells", "repeats: 2", "repeats: 1000000\nsplit: {validation: 0}\nsweeps: [{models: [{lasso: {alpha: {from: 1, to: 9000, step: 1}}}]}]", "bad.yaml:1: ", "cells; at most 1000000000 are allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(good, test.old, test.new, 1)
			if test.name == "too many cells" {
				text = strings.Replace(text, "split: {train: 3, test: 1, validation: 0.2}\n", "", 1)
				text = strings.Replace(text, "models: [{lasso: {alpha: [0.1, 0.2]}}]\n", "", 1)
			}
			g, err := experiment.Parse([]byte(text), "bad.yaml", nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = g.Plan(t.Context(), testLibrary{})
			checkProblem(t, err, test.place, test.says)
		})
	}
}

func TestSweepsThatLookAlikeAreRefused(t *testing.T) {
	t.Parallel()
	const text = `
data: [r1]
models: [{lasso: {alpha: 0.1}}]
regularizers: [linear]
sweeps:
  - {methods: [acs]}
  - {methods: [acs], %s}
`
	for own, refused := range map[string]bool{
		"protocol: paper, split: {validation: 0.2}":         false, // columns tell them apart
		"age: {acs_step: 0.1}":                              false,
		"rows: 30":                                          false,
		"rows: 40":                                          true, // all rows are as many
		"scale: {features: minmax}":                         false,
		"split: {train: 2}":                                 false,
		"split: {train: 0.75, test: 0.25}":                  false,
		"regularizers: [hard]":                              false,
		"models: [{lasso: {alpha: 0.1, intercept: false}}]": false,
	} {
		g := mustParse(t, fmt.Sprintf(text, own))
		_, err := g.Plan(t.Context(), testLibrary{})
		if !refused {
			if err != nil {
				t.Errorf("%s: %v", own, err)
			}
			continue
		}
		checkProblem(t, err, "grids/test.yaml:7: sweeps.1: ", "cannot be told apart from those of sweeps.0")
	}
}

func TestPlanEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mustParse(t, mixed).Plan(ctx, testLibrary{}); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("got %v", err)
	}
}

// million is a grid of a million cells for each repeat.
const million = `
data: [r1]
noise: [{kind: gaussian, levels: {from: 0, to: 0.9, step: 0.1}}]
models: [{lasso: {alpha: {from: 0.0001, to: 0.1, step: 0.0001}}}]
regularizers: [{mixture: {gamma: {from: 0.1, to: 10, step: 0.1}}}]
methods: [acs]
repeats: 1
`

// TestMemoryIsConstant wants the expansion of a large grid to hold no more
// memory than its lists.
func TestMemoryIsConstant(t *testing.T) {
	need.Patience(t, "1 s")
	live := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := live()
	p := mustPlan(t, million)
	var count, most int64
	for range cellsOf(p) {
		if count++; count%250_000 == 0 {
			most = max(most, int64(live())-int64(before))
		}
	}
	if count != 1_000_010 || count != p.Count() {
		t.Errorf("%d cells, Count %d, want a million and the constant's 10", count, p.Count())
	}
	if most > 4<<20 {
		t.Errorf("the expansion holds %d bytes, want at most 4 MiB", most)
	}
}

func BenchmarkCells(b *testing.B) {
	p := mustPlan(b, million)
	for b.Loop() {
		for range cellsOf(p) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Count()), "ns/cell")
}

func BenchmarkIDs(b *testing.B) {
	p := mustPlan(b, million, "models.0.lasso.alpha.to=0.005")
	for b.Loop() {
		for range p.IDs() {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Count()), "ns/cell")
}

func BenchmarkTasks(b *testing.B) {
	p := mustPlan(b, million, "models.0.lasso.alpha.to=0.005")
	for b.Loop() {
		for _, err := range p.Queue() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Count()), "ns/cell")
}

// TestRows wants cells of each number of rows, told apart by their labels, and
// the identity of cells of all rows to be what it is without the key.
func TestRows(t *testing.T) {
	t.Parallel()
	const text = `
data: [r1]
models: [{lasso: {alpha: 0.1}}]
regularizers: [linear]
methods: [original, gaga]
`
	whole := mustPlan(t, text)
	ids := slices.Collect(whole.IDs())
	parts := mustPlan(t, text+"rows: [20, 30]\n")
	trained := map[int64]int{}
	for task, err := range parts.Tasks() {
		if err != nil || slices.Contains(ids, task.Cell) {
			t.Errorf("cell %s, %v", task.Cell, err)
		}
		for j, column := range labelColumns {
			if column.Name == "n_train" {
				trained[task.Labels.At(column, j, 0).(int64)]++
			}
		}
	}
	if want := map[int64]int{12: 3, 17: 3}; !maps.Equal(trained, want) { // less a quarter, less a fifth of the rest
		t.Errorf("training rows %v, want %v", trained, want)
	}
	_, err := mustParse(t, text+"rows: 41\n").Plan(t.Context(), testLibrary{})
	checkProblem(t, err, "grids/test.yaml:2: data.0: ", "rows: 41; the data set has 40")
	_, err = experiment.Parse([]byte(text+"rows: 2\n"), "g.yaml", nil)
	checkProblem(t, err, "g.yaml:6: rows: ", "a whole number from 3")
}

// TestAgesVary wants cells for every combination of the values of the key age,
// of which each method counts what it uses.
func TestAgesVary(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, `
data: [r1]
models: [{lasso: {alpha: 0.1}}]
regularizers: [linear]
methods: [original, acs, gaga]
age: {max: [5, 10], acs_step: [0.5, 1, 2]}
`)
	cells := map[string]int{}
	for cell := range cellsOf(p) {
		cells[cell.Method.Name]++
	}
	if want := map[string]int{Original: 1, ACS: 6, GAGA: 2, Constant: 1}; !maps.Equal(cells, want) {
		t.Errorf("%v cells, want %v", cells, want)
	}
}
