package selfpaced

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// The canonical forms and identities of the models that came after the others.
func TestGoldenModelIdentities(t *testing.T) {
	t.Parallel()
	for _, golden := range []struct {
		model         Model
		canonical, id string
	}{
		{Model{Name: ElasticNet, Alpha: 0.01, L1Ratio: 0.5}, `{"name":"elastic-net","alpha":0.01,"l1_ratio":0.5,"intercept":false}`, "0789be88fbf64a2201abbe966f318d59"},
		{Model{Name: Ridge, Alpha: 2, Intercept: true}, `{"name":"ridge","alpha":2,"intercept":true}`, "99db899ea2e43937bf49f0f2d60fe65f"},
	} {
		cell := Cell{
			Data:     CellData{Digest: "d1", Task: dataset.Regression},
			Settings: dataset.Settings{Split: dataset.Split{Train: 3, Test: 1}, Features: dataset.Standard, Target: dataset.MinMax},
			Model:    golden.model,
			Method:   Method{Name: GAGA, Algorithm: 1, Regularizer: Regularizer{Name: Hard}, Age: Age{Min: 0.1, Max: 20}},
			Seed:     experiment.CellSeed(40, 1),
		}
		want := `{"kind":"self-paced","data":"d1","task":"regression","settings":{"train":3,"test":1,"features":"standard","target":"minmax"},"model":` +
			golden.canonical + `,"method":{"name":"gaga","algorithm":1,"regularizer":{"name":"hard"},"age":{"min":0.1,"max":20}},"seed":3212160745590989}`
		if got := string(cell.Canonical()); got != want {
			t.Errorf("the canonical form is\n%s\nwant\n%s", got, want)
		}
		if got := cell.ID(); got != golden.id {
			t.Errorf("%s: the identity is %s, want %s", golden.model.Name, got, golden.id)
		}
	}
}

func TestParsePenalizedModels(t *testing.T) {
	t.Parallel()
	grid := withoutPlaces(mustParse(t, `
data: [r1]
models:
  - elastic-net: {alpha: [0.1, 1], l1_ratio: {from: 0.25, to: 1, step: 0.25}, intercept: true}
  - elastic-net: {alpha: 0.5, intercept: false}
  - ridge: {alpha: [1, 10]}
methods: [original]
`))
	want := []Models{
		{Entry: entryOf(ElasticNet, modelTable, []float64{0.1, 1}, []float64{0.25, 0.5, 0.75, 1}), Intercept: true},
		{Entry: entryOf(ElasticNet, modelTable, []float64{0.5}, []float64{0.5})},
		{Entry: entryOf(Ridge, modelTable, []float64{1, 10}), Intercept: true},
	}
	if got := sectionOf(grid).Sweeps[0].Models; !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	var got []Model
	for i := range want[0].Choices.Count() {
		got = append(got, want[0].model(want[0].Choices.At(i), gridfile.Settings{}, gridfile.Settings{}))
	}
	for i, m := range got {
		if one := (Model{Name: ElasticNet, Alpha: []float64{0.1, 1}[i/4], L1Ratio: 0.25 * float64(i%4+1), Intercept: true}); m != one {
			t.Errorf("model %d is %+v, want %+v", i, m, one)
		}
	}
}

// Entries that share some ratios share cells, each of which is planned once and
// has labels of its own.
func TestPlanCountsRatios(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, `
data: [r1]
models:
  - elastic-net: {alpha: [0.1, 0.2], l1_ratio: [0.5, 0.7]}
  - elastic-net: {alpha: 0.1, l1_ratio: [0.7, 0.9]}
  - ridge: {alpha: 0.1}
methods: [original]
`)
	ids := slices.Collect(p.IDs())
	slices.Sort(ids)
	if p.Count() != 7 || len(slices.Compact(ids)) != 7 { // the constant is the last
		t.Errorf("%d cells, identities %v", p.Count(), ids)
	}
	column := slices.IndexFunc(labelColumns, func(c experiment.Column) bool { return c.Name == "l1_ratio" })
	var ratios []any
	for task, err := range p.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		ratios = append(ratios, task.Labels.At(labelColumns[column], column, 0))
	}
	if want := []any{0.5, 0.7, 0.5, 0.7, 0.9, nil, nil}; !reflect.DeepEqual(ratios, want) {
		t.Errorf("labels %v, want %v", ratios, want)
	}
}

// Every method computes them; with a ratio of 1 the elastic net is the Lasso,
// and with n rows ridge regression of α is nearly the elastic net of α/n with a
// ratio of next to nothing.
func TestComputePenalizedModels(t *testing.T) {
	t.Parallel()
	tasks, plan := firstTasks(t, strings.Replace(everyMethod, "{lasso: {alpha: [0.01], intercept: true}}",
		"{lasso: {alpha: [0.01]}}, {elastic-net: {alpha: 0.01, l1_ratio: [1, 0.5, 1e-9]}}, {ridge: {alpha: [2.64]}}", 1))
	scores := map[string]map[string]float64{}
	for _, task := range tasks {
		measures, _, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		if worst := number(t, measures, "max_kkt"); !(worst <= 2e-10) {
			t.Errorf("residual %v", worst)
		}
		cell, prepared := prepare(t, plan, &task)
		name := cell.Model.Name
		switch {
		case cell.Model.L1Ratio == 1:
			name = "ratio 1"
		case cell.Model.L1Ratio == 1e-9:
			name = "ratio 0"
		case name == Ridge && math.Abs(cell.Model.Alpha-0.01*float64(prepared.Train.N)) > 1e-12:
			t.Fatalf("%d rows to train", prepared.Train.N)
		}
		if scores[cell.Method.Name] == nil {
			scores[cell.Method.Name] = map[string]float64{}
		}
		scores[cell.Method.Name][name] = number(t, measures, "test_at_end")
	}
	for method, s := range scores {
		if len(s) != 5 {
			t.Errorf("%s: scores %v", method, s)
		}
		if math.Abs(s["ratio 1"]-s[Lasso]) > 1e-9 || math.Abs(s["ratio 0"]-s[Ridge]) > 1e-6 || s[ElasticNet] == s[Lasso] || s[ElasticNet] == s[Ridge] {
			t.Errorf("%s: scores %v", method, s)
		}
	}
	if len(scores) != 3 {
		t.Errorf("%d methods", len(scores))
	}
}
