package selfpaced

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// TestMethodTable holds the declarations of methods against what the rest
// relies on.
func TestMethodTable(t *testing.T) {
	t.Parallel()
	for _, m := range methodTable {
		if m.fit == nil || m.work == nil || m.algorithm < 1 || len(m.settings) > gridfile.MaxSettings {
			t.Errorf("%s: %+v", m.name, m)
		}
		if (m.regularizers != nil) != (m.knowsOnly != "") {
			t.Errorf("%s knows the regularizers %v, because %q", m.name, m.regularizers, m.knowsOnly)
		}
		if strings.ContainsAny(m.name, " \t") {
			t.Errorf("the name %q has a space, which reports put before settings", m.name)
		}
		for i := range m.settings {
			s := &m.settings[i]
			if !s.Allows(s.Standard) || s.Meaning == "" || s.Want() == "" {
				t.Errorf("%s: %s: the default %+v is not allowed, or a text is missing", m.name, s.Name, s.Standard)
			}
			if (s.Standard.Word != "") != (s.Words != nil) || slices.Contains(s.Words, "") {
				t.Errorf("%s: %s: words %q with the default %+v", m.name, s.Name, s.Words, s.Standard)
			}
		}
	}
}

const huberGrid = `
name: huber
repeats: 2
data: [r1]
noise: [{kind: gaussian, levels: [0, 0.3]}]
models: [{lasso: {alpha: [0.001, 0.01]}}]
methods: [original, {huber-lasso: {delta: [0.1, 0.2, 1]}}]
`

func TestSettingsExpand(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, huberGrid)
	if want := int64(2 * 2 * (2*(1+3) + 1)); p.Count() != want {
		t.Errorf("%d cells, want %d", p.Count(), want)
	}
	params := map[any]int{}
	ids := map[string]bool{}
	column := slices.IndexFunc(labelColumns, func(c experiment.Column) bool { return c.Name == "method_params" })
	for task := range p.Tasks() {
		params[task.Labels.At(labelColumns[column], column, 0)]++
		ids[task.Cell] = true
		cell, err := DecodeCell(task.Spec)
		if err != nil || cell.ID() != task.Cell {
			t.Fatalf("%s comes back as another cell, %v", task.Spec, err)
		}
	}
	for _, want := range []any{nil, `{"delta":0.1}`, `{"delta":0.2}`, `{"delta":1}`} {
		cells := 8
		if want == nil { // the constant too
			cells += 4
		}
		if params[want] != cells {
			t.Errorf("%d cells with the settings %v, want %d", params[want], want, cells)
		}
	}
	if int64(len(ids)) != p.Count() {
		t.Errorf("%d identities of %d cells", len(ids), p.Count())
	}
	// The default, spelled out or not, and the order of values change nothing.
	a := mustPlan(t, huberGrid, "methods=[huber-lasso]")
	b := mustPlan(t, huberGrid, "methods=[{huber-lasso: {delta: 0.2}}]")
	if !slices.Equal(slices.Collect(a.IDs()), slices.Collect(b.IDs())) || a.Run != b.Run {
		t.Error("the default given and left out are different cells")
	}
	if reversed := mustPlan(t, huberGrid, "methods=[{huber-lasso: {delta: [1, 0.2, 0.1]}}, original]"); reversed.Run != p.Run {
		t.Errorf("the run is %s for another order of values, %s else", reversed.Run, p.Run)
	}
}

// TestSettingsOverlap wants the cells that two sweeps share to be counted once.
func TestSettingsOverlap(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, `
name: overlap
data: [r1]
models: [{lasso: {alpha: [0.001, 0.01]}}]
sweeps:
  - methods: [{huber-lasso: {delta: [0.1, 0.2, 0.3]}}]
  - methods: [{huber-lasso: {delta: [0.4, 0.3, 0.2]}}]
    models: [{lasso: {alpha: 0.01}}]
`)
	ids := slices.Collect(p.IDs())
	if n := len(slices.Compact(slices.Sorted(slices.Values(ids)))); n != 8 || len(ids) != 8 || p.Count() != 8 {
		t.Errorf("%d cells of %d identities, counted as %d; want 8", len(ids), n, p.Count())
	}
}

func TestBadMethods(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		old, new string // what is replaced in base
		place    string
		says     string
	}{
		{"settings of a method without", "original", "{original: {delta: 1}}", "bad.yaml:9: methods.0.original: ", "original has no settings of its own"},
		{"unknown setting", "original", "{huber-lasso: {epsilon: 1}}", "bad.yaml:9: methods.0.huber-lasso.epsilon: ", "unknown key; allowed are delta"},
		{"delta 0", "original", "{huber-lasso: {delta: [1, 0]}}", "bad.yaml:9: methods.0.huber-lasso.delta.1: ", `"0" is not allowed; a number > 0 is`},
		{"delta text", "original", "{huber-lasso: {delta: wide}}", "bad.yaml:9: methods.0.huber-lasso.delta: ", `"wide" is not allowed; a number > 0 is`},
		{"delta twice", "original", "{huber-lasso: {delta: [1, 1.0]}}", "bad.yaml:9: methods.0.huber-lasso.delta.1: ", "1.0 is given twice"},
		{"settings no map", "original", "{huber-lasso: [1]}", "bad.yaml:9: methods.0.huber-lasso: ", "a list is not allowed; a map with the keys delta is"},
		{"method twice", "original", "huber-lasso, {huber-lasso: {delta: 1}}", "bad.yaml:9: methods.1: ", "the method huber-lasso is given twice; its settings take lists"},
	}
	for _, test := range tests {
		_, err := experiment.Parse([]byte(strings.Replace(base, test.old, test.new, 1)), "bad.yaml", nil)
		if err == nil || !strings.HasPrefix(err.Error(), test.place) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	text := strings.Replace(strings.Replace(huberGrid, "{lasso: {alpha: [0.001, 0.01]}}", "{ridge: {alpha: 1}}", 1), "{huber-lasso: {delta: [0.1, 0.2, 1]}}", "gce", 1)
	g, err := experiment.Parse([]byte(text), "huber.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "huber.yaml:7: methods.1: gce is a method for logistic, not for the model ridge, for which there are original, acs, mospl, gaga, huber-lasso, sparse-lts, mm, trimmed-loss, rlssvm, relssvm, acs-once, acs-share, spld, gnc ("
	if _, err = g.Plan(t.Context(), testLibrary{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// testMethod has everything that a declaration can say.
var testMethod = methodInfo{
	name: "test", algorithm: 1, regularized: true, regularizers: []string{Linear, Mixture},
	ownModel: true,
	settings: []gridfile.SettingInfo{
		{Name: "size", Rule: gridfile.Whole(4, 10), Standard: gridfile.Setting{Number: 5}, Single: true},
		{Name: "kernel", Words: []string{Linear, RBF}, Standard: gridfile.Setting{Word: Linear}, With: []string{Linear, Hard}},
		{Name: "order", Rule: polynomialOrder, Standard: gridfile.Setting{Number: 1.2}, With: []string{Mixture, Hard}},
	},
}

// TestSettingsScope reads settings of a method that only some cells have.
func TestSettingsScope(t *testing.T) {
	t.Parallel()
	m := gridfile.Entry{Name: testMethod.name}
	for i := range testMethod.settings {
		info := &testMethod.settings[i]
		values := map[string][]gridfile.Setting{
			"size":   {{Name: "size", Number: 5}},
			"kernel": {{Name: "kernel", Word: Linear}, {Name: "kernel", Word: RBF}},
			"order":  {{Name: "order", Number: 1.2}, {Name: "order", Number: 1.35}},
		}
		m.Choices = append(m.Choices, gridfile.Choice{Values: values[info.Name], Info: info})
	}
	for _, test := range []struct {
		regularizer string
		want        []string
	}{
		{LOG, []string{`{"size":5}`}},
		{Linear, []string{`{"size":5,"kernel":"linear"}`, `{"size":5,"kernel":"rbf"}`}},
		{Mixture, []string{`{"size":5,"order":1.2}`, `{"size":5,"order":1.35}`}},
		{Hard, []string{
			`{"size":5,"kernel":"linear","order":1.2}`, `{"size":5,"kernel":"linear","order":1.35}`,
			`{"size":5,"kernel":"rbf","order":1.2}`, `{"size":5,"kernel":"rbf","order":1.35}`,
		}},
	} {
		list := m.Choices.Applying(test.regularizer)
		var got []string
		for i := range list.Count() {
			s := list.At(i)
			got = append(got, s.Text())
			var back gridfile.Settings
			if err := experiment.DecodeStrictly([]byte(s.Text()), &back); err != nil || back != s || !list.Has(s) {
				t.Errorf("%s comes back as %+v, %v", s.Text(), back, err)
			}
			if err := gridfile.CheckSettings(&testMethod, s, test.regularizer); err != nil {
				t.Error(err)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.regularizer, got, test.want)
		}
	}
	for text, want := range map[string]string{
		`{"size":3}`:                   "size is a whole number from 4 to 10",
		`{"size":4.5}`:                 "size is a whole number from 4 to 10",
		`{"size":"5"}`:                 "size is a whole number from 4 to 10",
		`{"order":1.2}`:                "size is a whole number from 4 to 10",
		`{"size":5,"kernel":"rbf"}`:    `no setting "kernel" here`,
		`{"size":5,"order":1.2,"a":1}`: `no setting "order" here`,
	} {
		var s gridfile.Settings
		if err := experiment.DecodeStrictly([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		if err := gridfile.CheckSettings(&testMethod, s, LOG); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	model := Models{Entry: entryOf(SVM, modelTable, []float64{1, 2}, []float64{1, 2, 3}), Kernel: RBF, Intercept: true}
	g := group{models: testMethod.of(&model), method: &testMethod, regularizer: noRegularizer}
	c := combination{values: g.dimensions().at(0)}
	if used, _ := g.cell(&c); g.dimensions().most() != 1 || used != (Model{Name: SVM}) {
		t.Errorf("%+v is left of the model", used)
	}
}

// TestEverySampleDiscarded has ages below all losses: the cell has no score, and says why.
func TestEverySampleDiscarded(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, `
name: discarded
data: [r1]
models: [{lasso: {alpha: 0.01, intercept: true}}]
regularizers: [hard, linear]
methods: [acs, acs-once]
age: {min: 1e-14, max: 1e-13}
`)
	for task := range p.Tasks() {
		cell, err := DecodeCell(task.Spec)
		if err != nil {
			t.Fatal(err)
		}
		if cell.Method.Name == Constant {
			continue
		}
		set, err := testLibrary{}.Load(t.Context(), dataset.Source{Name: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		prepared, err := cell.Prepare(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		_, err = cell.fitOver(t.Context(), prepared, nil, nil)
		var status *experiment.StatusError
		if !errors.As(err, &status) || status.Status != experiment.Diverged {
			t.Errorf("%s: %v, want it to be diverged", cell.Method.Name, err)
		} else if text := err.Error(); !strings.Contains(text, "smallest loss") || !strings.Contains(text, "raise age.max, or scale the target") {
			t.Errorf("%s: %q names neither the smallest loss nor a remedy", cell.Method.Name, text)
		}
	}
}
