package selfpaced

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

const everyKey = `name: music-alpha
experiment: self-paced
seed: 41
repeats: 20
data:
  - music
  - {name: mine, path: data/mine.csv.gz, format: csv, skip: 2, header: false, target: -1, drop: [0, id],
     classes: {negative: [0, 1], positive: [2]}, task: classification, missing: drop}
split: {train: 6, test: 2, validation: 0.25}
scale: {features: minmax, target: none}
noise:
  - {kind: gaussian, levels: [0, 0.3]}
  - {kind: statp, levels: {from: 0, to: 0.2, step: 0.1}}
models:
  - {lasso: {alpha: {from: 0.001, to: 0.003, step: 0.001}, intercept: true}}
  - {svm: {c: [0.1, 1], kernel: [linear, rbf], kernel_gamma: [0.5, scale], intercept: false}}
  - logistic:
      c: 2
regularizers: [hard, linear, {mixture: {gamma: [0.2, 0.5]}}, {log: {a: 1}}, {polynomial: {order: [1.2, 1.35]}}]
methods: [original, acs, gaga]
age: {min: 0.2, max: 10, acs_step: 0.25}
protocol: paper
missing: mean
limits: {timeout: 1h30m, memory: 4GiB, attempts: 5}
keep: {knots: false, coefficients: true}
`

// withoutPlaces drops where things were written, which DeepEqual would compare.
func withoutPlaces(g *experiment.Grid) *experiment.Grid {
	for i := range sectionOf(g).Sweeps {
		s := &sectionOf(g).Sweeps[i]
		s.place, s.noisePlaces = gridfile.Place{}, nil
		for j := range s.Data {
			s.Data[j].place = gridfile.Place{}
		}
		for j := range s.Models {
			s.Models[j].Entry = withoutPlace(s.Models[j].Entry)
		}
		for j := range s.Regularizers {
			s.Regularizers[j] = withoutPlace(s.Regularizers[j])
		}
		for j := range s.Methods {
			s.Methods[j].Entry = withoutPlace(s.Methods[j].Entry)
		}
	}
	return &experiment.Grid{
		Name: g.Name, Kind: g.Kind, Seed: g.Seed, Repeats: g.Repeats, Limits: g.Limits, Keep: g.Keep, Section: g.Section,
		File: g.File, Source: g.Source, Set: g.Set,
	}
}

func withoutPlace(e gridfile.Entry) gridfile.Entry {
	e.Place = gridfile.Place{}
	for i := range e.Choices {
		e.Choices[i].Place = gridfile.Place{}
	}
	return e
}

// entryOf is an entry with numbers for its first settings.
func entryOf[T gridfile.Declared](name string, table []T, numbers ...[]float64) gridfile.Entry {
	e := gridfile.Entry{Name: name}
	_, infos := gridfile.Lookup(table, name).Declaration()
	for i, list := range numbers {
		c := gridfile.Choice{Info: &infos[i]}
		for _, x := range list {
			c.Values = append(c.Values, settingOf(&infos[i], x))
		}
		e.Choices = append(e.Choices, c)
	}
	return e
}

// settingOf is a setting with a number; 0 stands for the word of one with a word.
func settingOf(info *gridfile.SettingInfo, x float64) gridfile.Setting {
	value := gridfile.Setting{Name: info.Name, Number: x}
	if x == 0 && info.Words != nil {
		value.Word = info.Words[0]
	}
	return value
}

// firstValues returns the numbers of an entry's first setting.
func firstValues(e gridfile.Entry) []float64 {
	var list []float64
	for _, value := range e.Choices[0].Values {
		list = append(list, value.Number)
	}
	return list
}

func mustParse(t testing.TB, text string, set ...string) *experiment.Grid {
	t.Helper()
	g, err := experiment.Parse([]byte(text), "grids/test.yaml", set)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestStepWithoutSteps wants ages that nobody visits not to be counted.
func TestStepWithoutSteps(t *testing.T) {
	t.Parallel()
	const text = "data: [diabetes]\nmodels: [{lasso: {alpha: 1}}]\nregularizers: [hard]\nmethods: [METHOD]\nage: {acs_step: 1e-9}\n"
	for method, refused := range map[string]bool{"gaga": false, "original": false, "acs": true, "acs-once": true, "original, acs": true} {
		if _, err := experiment.Parse([]byte(strings.Replace(text, "METHOD", method, 1)), "grid.yaml", nil); (err != nil) != refused {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestParseEveryKey(t *testing.T) {
	t.Parallel()
	header := false
	want := &experiment.Grid{
		Name: "music-alpha", Kind: Name, Seed: 41, Repeats: 20,
		Limits: experiment.Limits{Timeout: 90 * time.Minute, Memory: 4 << 30, Attempts: 5},
		Keep:   keepOf("coefficients"),
		File:   "grids/test.yaml", Source: []byte(everyKey),
		Section: &Section{Sweeps: []Sweep{{
			Data: []DataSource{
				{Source: dataset.Source{Name: "music", Options: dataset.Options{Missing: "mean"}}},
				{Source: dataset.Source{Name: "mine", Path: filepath.Join("grids", "data", "mine.csv.gz"), Options: dataset.Options{
					Format: "csv", Skip: 2, Header: &header, Target: "-1", Drop: []string{"0", "id"},
					Classes: dataset.Classes{Negative: []string{"0", "1"}, Positive: []string{"2"}},
					Task:    dataset.Classification, Missing: "drop",
				}}},
			},
			Settings: dataset.Settings{
				Split:    dataset.Split{Train: 3, Test: 1, Validation: 0.25},
				Features: dataset.MinMax, Target: dataset.NoScaling, Protocol: dataset.Paper,
			},
			Noise: []dataset.Noise{{}, {Kind: "gaussian", Level: 0.3}, {Kind: "statp", Level: 0.1}, {Kind: "statp", Level: 0.2}},
			Models: []Models{
				{Entry: entryOf(Lasso, modelTable, []float64{0.001, 0.002, 0.003}), Intercept: true},
				{Entry: entryOf(SVM, modelTable, []float64{0.1, 1}), Kernel: Linear},
				{Entry: entryOf(SVM, modelTable, []float64{0.1, 1}, []float64{0.5, ScaleGamma}), Kernel: RBF},
				{Entry: entryOf(Logistic, modelTable, []float64{2}), Intercept: true},
			},
			Regularizers: []gridfile.Entry{
				{Name: Hard}, {Name: Linear}, entryOf(Mixture, regularizerTable, []float64{0.2, 0.5}),
				entryOf(LOG, regularizerTable, []float64{1}), entryOf(Polynomial, regularizerTable, []float64{1.2, 1.35}),
			},
			Methods: []MethodEntry{{Entry: gridfile.Entry{Name: Original}}, {Entry: gridfile.Entry{Name: ACS}}, {Entry: gridfile.Entry{Name: GAGA}}},
			Age:     Age{Min: 0.2, Max: 10, Step: 0.25},
			Choice:  defaultChoice,
		}}},
	}
	if got := withoutPlaces(mustParse(t, everyKey)); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

const leastKeys = `
data: [diabetes]
models: [{lasso: {alpha: 0.006}}]
methods: [original]
`

func TestParseDefaults(t *testing.T) {
	t.Parallel()
	want := &experiment.Grid{
		Name: "test", Kind: Name, Seed: 40, Repeats: 1,
		Limits: experiment.Limits{Attempts: 3}, Keep: keepOf("knots"),
		File: "grids/test.yaml", Source: []byte(leastKeys),
		Section: &Section{Sweeps: []Sweep{{
			Data: []DataSource{{Source: dataset.Source{Name: "diabetes"}}},
			Settings: dataset.Settings{
				Split:    dataset.Split{Train: 3, Test: 1, Validation: 0.2},
				Features: dataset.Standard, Target: dataset.MinMax, Protocol: dataset.HeldOut,
			},
			Noise:   []dataset.Noise{{}},
			Models:  []Models{{Entry: entryOf(Lasso, modelTable, []float64{0.006}), Intercept: true}},
			Methods: []MethodEntry{{Entry: gridfile.Entry{Name: Original}}},
			Age:     Age{Auto: autoAge, Direction: byTask},
			Choice:  defaultChoice,
		}}},
	}
	if got := withoutPlaces(mustParse(t, leastKeys)); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	paper := mustParse(t, leastKeys+"protocol: paper\n")
	if v := sectionOf(paper).Sweeps[0].Settings.Split.Validation; v != 0 {
		t.Errorf("the paper's protocol holds out %g for validation, want 0", v)
	}
	scripts := sectionOf(mustParse(t, leastKeys+"protocol: scripts\n")).Sweeps[0].Settings
	if want := (dataset.Split{Train: 19, Test: 1}); scripts.Split != want || scripts.Protocol != dataset.Scripts {
		t.Errorf("the scripts' protocol is %+v", scripts)
	}
	numbered := sectionOf(mustParse(t, leastKeys, "data=[{name: music, numbered: true}]")).Sweeps[0].Data[0].Options
	if !numbered.Numbered {
		t.Errorf("options %+v", numbered)
	}
	svm := sectionOf(mustParse(t, leastKeys, "models=[{svm: {c: 1, kernel: rbf}}]")).Sweeps[0].Models[0]
	if !svm.Intercept || !reflect.DeepEqual(svm.Choices[1].Values, []gridfile.Setting{{Name: "kernel_gamma", Word: scaleWord}}) {
		t.Errorf("svm by default: intercept %t, widths %v", svm.Intercept, svm.Choices[1].Values)
	}
}

func TestSweepsReplaceKeysAsAWhole(t *testing.T) {
	t.Parallel()
	g := mustParse(t, `
split: {train: 2, test: 1}
noise: [{kind: flip, levels: [0, 0.3]}]
methods: [original]
sweeps:
  - {data: [diabetes], models: [{lasso: {alpha: 0.006}}], noise: none, split: {validation: 0.5}}
  - {data: [digits], models: [{svm: {c: 1}}], missing: mean}
`)
	if len(sectionOf(g).Sweeps) != 2 {
		t.Fatalf("%d sweeps, want 2", len(sectionOf(g).Sweeps))
	}
	first, second := sectionOf(g).Sweeps[0], sectionOf(g).Sweeps[1]
	if want := (dataset.Split{Train: 3, Test: 1, Validation: 0.5}); first.Settings.Split != want {
		t.Errorf("the split of the first sweep is %v, want %v", first.Settings.Split, want)
	}
	if want := (dataset.Split{Train: 2, Test: 1, Validation: 0.2}); second.Settings.Split != want {
		t.Errorf("the split of the second sweep is %v, want %v", second.Settings.Split, want)
	}
	if !slices.Equal(first.Noise, []dataset.Noise{{}}) || len(second.Noise) != 2 {
		t.Errorf("noise is %v and %v", first.Noise, second.Noise)
	}
	if second.Data[0].Options.Missing != "mean" || first.Data[0].Options.Missing != "" {
		t.Error("missing of a sweep is not that of its data sets")
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want []float64
	}{
		{"{from: 0.001, to: 0.005, step: 0.001}", []float64{0.001, 0.002, 0.003, 0.004, 0.005}},
		{"{from: 0.0005, to: 0.003, step: 0.001}", []float64{0.0005, 0.0015, 0.0025}},
		{"{from: 1e-3, to: 3e-3, step: 1e-3}", []float64{0.001, 0.002, 0.003}},
		{"{from: 0.1, to: 0.75, step: 0.3}", []float64{0.1, 0.4, 0.7}},
		{"{from: 3, to: 1, step: -1}", []float64{3, 2, 1}},
		{"{from: 0.3, to: 0.1, step: -0.1}", []float64{0.3, 0.2, 0.1}},
		{"{from: 5, to: 5, step: 1}", []float64{5}},
		{"{from: 100, to: 2e2, step: 50}", []float64{100, 150, 200}},
		{"{from: 0.1, to: 1, num: 10}", []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}},
		{"{from: 1, to: 2, num: 4, scale: linear}", []float64{1, 4.0 / 3, 5.0 / 3, 2}},
		{"{from: 2, to: 1, num: 3}", []float64{2, 1.5, 1}},
		{"{from: 0.001, to: 100, num: 6, scale: log}", []float64{0.001, 0.01, 0.1, 1, 10, 100}},
		{"{from: 100, to: 0.001, num: 6, scale: log}", []float64{100, 10, 1, 0.1, 0.01, 0.001}},
		{"{from: 1, to: 1024, num: 11, scale: log}", []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}},
		{"{from: 1, to: 10, num: 3, scale: log}", []float64{1, 3.1622776601683795, 10}},
		{"{from: 1e-300, to: 1e300, num: 5, scale: log}", []float64{1e-300, 1e-150, 1, 1e150, 1e300}},
		{"{from: 0.7, to: 0.9, num: 2, scale: log}", []float64{0.7, 0.9}},
		{"7", []float64{7}},
		{"[2, 1]", []float64{2, 1}},
	}
	for _, test := range tests {
		g := mustParse(t, strings.Replace(leastKeys, "0.006", test.text, 1))
		if got := firstValues(sectionOf(g).Sweeps[0].Models[0].Entry); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.text, got, test.want)
		}
	}
	// Every value is the number that its decimals mean.
	g := mustParse(t, strings.Replace(leastKeys, "0.006", "{from: 0.001, to: 100, step: 0.001}", 1))
	values := firstValues(sectionOf(g).Sweeps[0].Models[0].Entry)
	if len(values) != 100_000 {
		t.Fatalf("%d values, want 100,000", len(values))
	}
	for i, x := range values {
		if want := float64(i+1) / 1000; x != want { // division rounds correctly
			t.Fatalf("value %d is %v, want %v", i, x, want)
		}
	}
}

// TestLogRange compares the values of ranges of many lengths with those of roots and
// powers in 2,000 bits, of which each is rounded once.
func TestLogRange(t *testing.T) {
	t.Parallel()
	from, to := big.NewRat(3, 1000), big.NewRat(1234567, 10)
	for _, num := range []int{2, 3, 4, 7, 12, 50, 101, 256} {
		text := fmt.Sprintf("{from: 0.003, to: 123456.7, num: %d, scale: log}", num)
		values := firstValues(sectionOf(mustParse(t, strings.Replace(leastKeys, "0.006", text, 1))).Sweeps[0].Models[0].Entry)
		if len(values) != num {
			t.Fatalf("%s: %d values", text, len(values))
		}
		for i, x := range values {
			// x^(num-1) lies where (x's neighbors)^(num-1) enclose from^(num-1-i) to^i.
			want := new(big.Float).SetPrec(2000).Mul(bigPower(from, num-1-i), bigPower(to, i))
			low := bigPower(between(x, 0), num-1)
			high := bigPower(between(x, math.Inf(1)), num-1)
			if want.Cmp(low) < 0 || want.Cmp(high) > 0 {
				t.Errorf("%s: value %d is %v, which is not the nearest", text, i, x)
			}
		}
	}
	long := strings.Replace(leastKeys, "0.006", "{from: 1e-9, to: 1e9, num: 100000, scale: log}", 1)
	values := firstValues(sectionOf(mustParse(t, long)).Sweeps[0].Models[0].Entry)
	if len(values) != 100_000 || values[0] != 1e-9 || values[99_999] != 1e9 {
		t.Errorf("%d values from %v to %v", len(values), values[0], values[len(values)-1])
	}
}

// between is the middle of x and the next number towards a bound.
func between(x, bound float64) *big.Rat {
	sum := new(big.Rat).SetFloat64(x)
	sum.Add(sum, new(big.Rat).SetFloat64(math.Nextafter(x, bound)))
	return sum.Quo(sum, big.NewRat(2, 1))
}

func bigPower(x *big.Rat, n int) *big.Float {
	product := new(big.Float).SetPrec(2000).SetInt64(1)
	factor := new(big.Float).SetPrec(2000).SetRat(x)
	for range n {
		product.Mul(product, factor)
	}
	return product
}

func TestSet(t *testing.T) {
	t.Parallel()
	g := mustParse(t, everyKey,
		"repeats=2", "age.acs_step=1", "models.0.lasso.alpha=[0.1,0.2]", "regularizers.2.mixture.gamma=0.7",
		"limits.timeout=10s", "noise.0={kind: gaussian, levels: 0.1}", "name=a=b", "methods=[acs]", "split.validation=0")
	s := sectionOf(g).Sweeps[0]
	switch {
	case g.Repeats != 2, g.Name != "a=b", g.Limits.Timeout != 10*time.Second, g.Limits.Attempts != 5,
		s.Age != Age{Min: 0.2, Max: 10, Step: 1},
		!slices.Equal(firstValues(s.Models[0].Entry), []float64{0.1, 0.2}),
		!slices.Equal(firstValues(s.Regularizers[2]), []float64{0.7}),
		s.Noise[0].Level != 0.1,
		len(s.Methods) != 1,
		s.Settings.Split.Validation != 0:
		t.Errorf("the overrides did not arrive: %+v", g)
	}
	// Maps that the file does not have are made, the last override of a key counts.
	g = mustParse(t, leastKeys, "keep.coefficients=true", "keep.knots=false", "repeats=3", "repeats=4")
	if kept := g.Keep.Tables(); !slices.Equal(kept, []string{"coefficients"}) || g.Repeats != 4 {
		t.Errorf("keep is %+v, repeats %d", g.Keep, g.Repeats)
	}
}

func TestParseFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "least.yaml")
	if _, err := experiment.ParseFile(path, nil); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("a missing file gives %v", err)
	}
	if err := os.WriteFile(path, []byte(leastKeys), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := experiment.ParseFile(path, []string{"repeats=7"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := experiment.Parse(g.Source, g.File, g.Set)
	if err != nil {
		t.Fatal(err)
	}
	if g.Name != "least" || g.Repeats != 7 || !reflect.DeepEqual(g, again) {
		t.Errorf("got %+v, again %+v", g, again)
	}
}

func TestNumbersAreExact(t *testing.T) {
	t.Parallel()
	g := mustParse(t, strings.Replace(leastKeys, "0.006", "[0.1, 1e-300, 4.9e-324, 1.7976931348623157e308]", 1))
	want := []float64{0.1, 1e-300, 5e-324, math.MaxFloat64}
	if got := firstValues(sectionOf(g).Sweeps[0].Models[0].Entry); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everyKey, "repeats=2")
	f.Add(leastKeys, "models.0.lasso.alpha={from: 1, to: 2, step: 0.5}")
	f.Add(leastKeys, "models.0.lasso.alpha={from: 1e-3, to: 2, num: 5, scale: log}")
	f.Add("sweeps: [{data: [a]}, 3, {}]\nnoise: none", "sweeps.0.models=[svm]")
	f.Add("a: &x [1]\nb: *x", "a.b.c=d")
	f.Add("? {a: b}\n: c\n<<: {d: e}", "=")
	f.Add("--- !!binary x\n---\n", "split=[")
	f.Fuzz(func(t *testing.T, text, set string) {
		g, err := experiment.Parse([]byte(text), "fuzz.yaml", []string{set})
		switch problems := (gridfile.Problems)(nil); {
		case err == nil && (len(sectionOf(g).Sweeps) == 0 || g.Repeats < 1):
			t.Errorf("accepted an empty grid")
		case err != nil && (!errors.As(err, &problems) || len(problems) == 0):
			t.Errorf("the error is no list of problems: %v", err)
		}
	})
}
