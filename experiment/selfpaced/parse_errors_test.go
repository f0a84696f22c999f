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

// base is a good grid; each bad one replaces a piece of it.
const base = `name: bad
repeats: 2
data: [diabetes]
split: {train: 3, test: 1, validation: 0.2}
scale: {features: standard, target: minmax}
noise: [{kind: gaussian, levels: [0, 0.3]}]
models: [{lasso: {alpha: [0.1, 0.2]}}]
regularizers: [linear, {mixture: {gamma: [0.2]}}]
methods: [original, acs, gaga]
age: {min: 0.1, max: 20, acs_step: 0.5}
limits: {timeout: 30m, memory: 4GiB, attempts: 3}
keep: {knots: true}
`

// badGrid is base with a problem.
type badGrid struct {
	name     string
	old, new string // what is replaced in base
	place    string // how the message starts
	says     string // what it says further
}

func badGrids() []badGrid {
	return []badGrid{
		{"unknown key", "repeats: 2", "repeat: 2", "bad.yaml:2: repeat: ", "unknown key; allowed are name, experiment, seed, repeats, limits, sweeps, keep, data"},
		{"upper-case key", "repeats: 2", "Repeats: 2", "bad.yaml:2: Repeats: ", "unknown key"},
		{"unknown nested key", "train: 3", "training: 3", "bad.yaml:4: split.training: ", "unknown key; allowed are train, test, validation"},
		{"key of another model", "alpha: [0.1, 0.2]", "c: [1]", "bad.yaml:7: models.0.lasso.c: ", "unknown key; allowed are alpha, intercept"},
		{"key twice", "repeats: 2", "repeats: 2\nrepeats: 3", "bad.yaml:3: repeats: ", "given twice, first on line 2"},
		{"merge key", "repeats: 2", "<<: {repeats: 2}", "bad.yaml:2: <<: ", "unknown key"},
		{"no value", "repeats: 2", "repeats:", "bad.yaml:2: repeats: ", "has no value"},
		{"unknown experiment", "repeats: 2", "experiment: mmd", "bad.yaml:2: experiment: ", `"mmd" is not allowed; allowed are self-paced`},
		{"no data", "data: [diabetes]\n", "", "bad.yaml:1: ", "the key data is missing"},
		{"no models", "models: [{lasso: {alpha: [0.1, 0.2]}}]\n", "", "bad.yaml:1: ", "the key models is missing: a list of " + strings.Join(gridfile.NamesOf(modelTable), ", ")},
		{"no methods", "methods: [original, acs, gaga]\n", "", "bad.yaml:1: ", "the key methods is missing: a list of original, acs, mospl, gaga"},
		{"no regularizers", "regularizers: [linear, {mixture: {gamma: [0.2]}}]\n", "", "bad.yaml:1: ", "the key regularizers is missing, which the method acs needs"},
		{"empty list of data", "[diabetes]", "[]", "bad.yaml:3: data: ", "the list is empty"},
		{"empty list of values", "[0.1, 0.2]", "[]", "bad.yaml:7: models.0.lasso.alpha: ", "the list is empty"},
		{"empty list of methods", "[original, acs, gaga]", "[]", "bad.yaml:9: methods: ", "the list is empty"},
		{"data no list", "[diabetes]", "diabetes", "bad.yaml:3: data: ", "a list is"},
		{"repeats 0", "repeats: 2", "repeats: 0", "bad.yaml:2: repeats: ", `"0" is not allowed; a whole number from 1 to 1000000`},
		{"repeats text", "repeats: 2", "repeats: many", "bad.yaml:2: repeats: ", "a whole number from 1"},
		{"repeats fraction", "repeats: 2", "repeats: 2.5", "bad.yaml:2: repeats: ", "a whole number from 1"},
		{"repeats list", "repeats: 2", "repeats: [1, 2]", "bad.yaml:2: repeats: ", "a list is not allowed; a whole number from 1"},
		{"seed too large", "repeats: 2", "seed: 99999999999999999999", "bad.yaml:2: seed: ", "a whole number of 64 bits"},
		{"range step 0", "[0.1, 0.2]", "{from: 1, to: 2, step: 0}", "bad.yaml:7: models.0.lasso.alpha.step: ", "0 is not allowed; a step > 0"},
		{"range wrong sign", "[0.1, 0.2]", "{from: 2, to: 1, step: 0.1}", "bad.yaml:7: models.0.lasso.alpha.step: ", "leads away from to"},
		{"range without end", "[0.1, 0.2]", "{from: 2, step: 0.1}", "bad.yaml:7: models.0.lasso.alpha: ", "the key to is missing"},
		{"range too long", "[0.1, 0.2]", "{from: 1, to: 2, step: 1e-9}", "bad.yaml:7: models.0.lasso.alpha: ", "more than 100000 values"},
		{"range too fine", "[0.1, 0.2]", "{from: 1e17, to: 1.0000000000000001e17, step: 1}", "bad.yaml:7: models.0.lasso.alpha.step: ", "too small relative to from"},
		{"range with num too fine", "[0.1, 0.2]", "{from: 1, to: 1.0000000000000001, num: 9}", "bad.yaml:7: models.0.lasso.alpha.num: ", "9 is too large relative to from"},
		{"range without step and num", "[0.1, 0.2]", "{from: 1, to: 2}", "bad.yaml:7: models.0.lasso.alpha: ", "the key step is missing, or num"},
		{"range with step and num", "[0.1, 0.2]", "{from: 1, to: 2, step: 1, num: 2}", "bad.yaml:7: models.0.lasso.alpha.num: ", "is not allowed with step"},
		{"range with step and scale", "[0.1, 0.2]", "{from: 1, to: 2, step: 1, scale: log}", "bad.yaml:7: models.0.lasso.alpha.scale: ", "is for a range with num"},
		{"range of one value", "[0.1, 0.2]", "{from: 1, to: 2, num: 1}", "bad.yaml:7: models.0.lasso.alpha.num: ", "a whole number from 2 to 100000"},
		{"range to where it begins", "[0.1, 0.2]", "{from: 1, to: 1.0, num: 2}", "bad.yaml:7: models.0.lasso.alpha.num: ", "2 values from 1 to the same number"},
		{"range with too many values", "[0.1, 0.2]", "{from: 1, to: 2, num: 100001}", "bad.yaml:7: models.0.lasso.alpha.num: ", "a whole number from 2 to 100000"},
		{"log range from 0", "[0.1, 0.2]", "{from: 0, to: 2, num: 3, scale: log}", "bad.yaml:7: models.0.lasso.alpha: ", "from and to have to be numbers > 0 with scale: log"},
		{"log range to below 0", "[0.1, 0.2]", "{from: 1, to: -2, num: 3, scale: log}", "bad.yaml:7: models.0.lasso.alpha: ", "from and to have to be numbers > 0"},
		{"range with an unknown scale", "[0.1, 0.2]", "{from: 1, to: 2, num: 3, scale: ln}", "bad.yaml:7: models.0.lasso.alpha.scale: ", "allowed are linear, log"},
		{"log range of whole numbers", "repeats: 2", "rows: {from: 10, to: 100, num: 3, scale: log}", "bad.yaml:2: rows: ", "the range holds 31.622776601683793, which is not allowed; a whole number from 3 is"},
		{"range leaves what is allowed", "[0.1, 0.2]", "{from: 1, to: -1, step: -0.5}", "bad.yaml:7: models.0.lasso.alpha: ", "the range holds 0, which is not allowed; a number > 0"},
		{"alpha 0", "[0.1, 0.2]", "[0.1, 0]", "bad.yaml:7: models.0.lasso.alpha.1: ", `"0" is not allowed; a number > 0`},
		{"alpha negative", "[0.1, 0.2]", "-1", "bad.yaml:7: models.0.lasso.alpha: ", "a number > 0"},
		{"alpha NaN", "[0.1, 0.2]", ".nan", "bad.yaml:7: models.0.lasso.alpha: ", "a number > 0"},
		{"alpha infinite", "[0.1, 0.2]", "[.inf]", "bad.yaml:7: models.0.lasso.alpha.0: ", "a number > 0"},
		{"alpha overflows", "[0.1, 0.2]", "1e999", "bad.yaml:7: models.0.lasso.alpha: ", "a number > 0"},
		{"alpha text", "[0.1, 0.2]", `"0.1"`, "bad.yaml:7: models.0.lasso.alpha: ", "a number > 0"},
		{"alpha missing", "{lasso: {alpha: [0.1, 0.2]}}", "lasso", "bad.yaml:7: models.0: ", "the key alpha is missing, as in {lasso: {alpha: [0.1, 1]}}"},
		{"value twice", "[0.1, 0.2]", "[0.1, 1e-1]", "bad.yaml:7: models.0.lasso.alpha.1: ", "1e-1 is given twice"},
		{"l1_ratio 0", "lasso: {alpha: [0.1, 0.2]}", "elastic-net: {alpha: 1, l1_ratio: [0.5, 0]}", "bad.yaml:7: models.0.elastic-net.l1_ratio.1: ", `"0" is not allowed; a number > 0 and at most 1 is`},
		{"l1_ratio above 1", "lasso: {alpha: [0.1, 0.2]}", "elastic-net: {alpha: 1, l1_ratio: 1.5}", "bad.yaml:7: models.0.elastic-net.l1_ratio: ", "a number > 0 and at most 1"},
		{"l1_ratio of ridge", "lasso: {alpha: [0.1, 0.2]}", "ridge: {alpha: 1, l1_ratio: 0.5}", "bad.yaml:7: models.0.ridge.l1_ratio: ", "unknown key; allowed are alpha, intercept"},
		{"alpha of ridge missing", "lasso: {alpha: [0.1, 0.2]}", "ridge: {intercept: true}", "bad.yaml:7: models.0.ridge: ", "the key alpha is missing"},
		{"c 0", "lasso: {alpha: [0.1, 0.2]}", "svm: {c: 0}", "bad.yaml:7: models.0.svm.c: ", "a number > 0"},
		{"kernel unknown", "lasso: {alpha: [0.1, 0.2]}", "svm: {c: 1, kernel: poly}", "bad.yaml:7: models.0.svm.kernel: ", "allowed are linear, rbf"},
		{"kernel twice", "lasso: {alpha: [0.1, 0.2]}", "svm: {c: 1, kernel: [rbf, rbf]}", "bad.yaml:7: models.0.svm.kernel.1: ", "given twice"},
		{"width word unknown", "lasso: {alpha: [0.1, 0.2]}", "svm: {c: 1, kernel_gamma: auto}", "bad.yaml:7: models.0.svm.kernel_gamma: ", "a number > 0 or scale"},
		{"intercept text", "alpha: [0.1, 0.2]", "alpha: 1, intercept: yes please", "bad.yaml:7: models.0.lasso.intercept: ", "true and false are"},
		{"model unknown", "{lasso: {alpha: [0.1, 0.2]}}", "{tree: {alpha: 1}}", "bad.yaml:7: models.0: ", `"tree" is unknown; allowed are ` + strings.Join(gridfile.NamesOf(modelTable), ", ")},
		{"two models in an entry", "{lasso: {alpha: [0.1, 0.2]}}", "{lasso: {alpha: 1}, svm: {c: 1}}", "bad.yaml:7: models.0: ", "a map is not allowed here"},
		{"regularizer unknown", "[linear,", "[lineal,", "bad.yaml:8: regularizers.0: ", "allowed are hard, linear, polynomial, mixture, log"},
		{"regularizer twice", "[linear,", "[linear, linear,", "bad.yaml:8: regularizers.1: ", "the regularizer linear is given twice"},
		{"regularizer without its parameter", "{mixture: {gamma: [0.2]}}", "mixture", "bad.yaml:8: regularizers.1: ", "the key gamma is missing"},
		{"regularizer with a parameter", "[linear,", "[{linear: {a: 1}},", "bad.yaml:8: regularizers.0.linear: ", "has no parameters"},
		{"mixture gamma 0", "[0.2]}}", "[0]}}", "bad.yaml:8: regularizers.1.mixture.gamma.0: ", "a number > 0"},
		{"polynomial order near 1", "{mixture: {gamma: [0.2]}}", "{polynomial: {order: 1.19}}", "bad.yaml:8: regularizers.1.polynomial.order: ", `"1.19" is not allowed; a number >= 1.2 (weights of smaller orders are too steep`},
		{"method unknown", "gaga]", "nsga]", "bad.yaml:9: methods.2: ", `"nsga" is unknown; allowed are original, acs, mospl, gaga`},
		{"method twice", "gaga]", "acs]", "bad.yaml:9: methods.2: ", "the method acs is given twice"},
		{"method with settings", "gaga]", "{gaga: {step: 1}}]", "bad.yaml:9: methods.2.gaga: ", "has no settings of its own"},
		{"command without a name", "gaga]", "{command: {run: [sh]}}]", "bad.yaml:9: methods.2.command: ", "the key name is missing"},
		{"command without a line", "gaga]", "{command: {name: mine}}]", "bad.yaml:9: methods.2.command: ", "the key run is missing"},
		{"command with another name", "gaga]", "{command: {name: Mine!, run: [sh]}}]", "bad.yaml:9: methods.2.command.name: ", "up to 40 of a-z"},
		{"command with a method's name", "gaga]", "{command: {name: gaga, run: [sh]}}]", "bad.yaml:9: methods.2.command.name: ", "that of a method of agepath"},
		{"command twice", "acs, gaga]", "{command: {name: m, run: [sh]}}, {command: {name: m, run: [bash]}}]", "bad.yaml:9: methods.2.command: ", "another command of the grid has the name m"},
		{"command, the same twice", "acs, gaga]", "{command: {name: m, run: [sh]}}, {command: {name: m, run: [sh]}}]", "bad.yaml:9: methods.2: ", "the method m is given twice"},
		{"command with a file elsewhere", "gaga]", "{command: {name: m, run: [sh], files: [../m.sh]}}]", "bad.yaml:9: methods.2.command.files: ", "a path below the grid's folder is"},
		{"command that uses more", "gaga]", "{command: {name: m, run: [sh], uses: [moon]}}]", "bad.yaml:9: methods.2.command.uses.0: ", "allowed are model, regularizer, age"},
		{"command of words that are lists", "gaga]", "{command: {name: m, run: [[sh]]}}]", "bad.yaml:9: methods.2.command.run.0: ", "a text is"},
		{"noise above 1", "0.3]", "1.5]", "bad.yaml:6: noise.0.levels.1: ", `"1.5" is not allowed; a number from 0 to 1`},
		{"noise below 0", "0.3]", "-0.1]", "bad.yaml:6: noise.0.levels.1: ", "a number from 0 to 1"},
		{"noise kind unknown", "gaussian", "salt", "bad.yaml:6: noise.0.kind: ", "allowed are " + strings.Join(slices.Concat(dataset.NoiseKinds(dataset.Regression), dataset.NoiseKinds(dataset.Classification)), ", ")},
		{"noise without kind", "kind: gaussian, ", "", "bad.yaml:6: noise.0: ", "the key kind is missing"},
		{"noise without levels", ", levels: [0, 0.3]", "", "bad.yaml:6: noise.0: ", "the key levels is missing"},
		{"noise twice", "levels: [0, 0.3]}", "levels: [0, 0.3]}, {kind: gaussian, levels: 0.3}", "bad.yaml:6: noise.1.levels: ", "level 0.3 of gaussian is given twice"},
		{"noise empty", "[{kind: gaussian, levels: [0, 0.3]}]", "[]", "bad.yaml:6: noise: ", "the list is empty"},
		{"train of an own split", "train: 3, test: 1, validation: 0.2", "train: 3, column: part", "bad.yaml:4: split.train: ", "has no effect: column says which rows are in which part"},
		{"values of no column", "train: 3,", "values: {train: [a]},", "bad.yaml:4: split.values: ", "drop values, or give column"},
		{"own split of the paper", "train: 3, test: 1, validation: 0.2}", "column: part}\nprotocol: paper", "bad.yaml:4: split.column: ", "the protocol paper draws its own splits; leave column out"},
		{"clean without a column", "[diabetes]", "[{path: a.csv, clean: {values: [1]}}]", "bad.yaml:3: data.0.clean: ", "the key column is missing"},
		{"train 0", "train: 3", "train: 0", "bad.yaml:4: split.train: ", "a number > 0"},
		{"validation 1", "validation: 0.2", "validation: 1", "bad.yaml:4: split.validation: ", "a number from 0 to below 1"},
		{"scaling unknown", "standard", "robust", "bad.yaml:5: scale.features: ", "allowed are none, standard, minmax"},
		{"age min 0", "min: 0.1", "min: 0", "bad.yaml:10: age.min: ", "a number > 0"},
		{"age another word", "{min: 0.1, max: 20, acs_step: 0.5}", "automatic", "bad.yaml:10: age: ", "auto, and a map with the keys"},
		{"age auto of scripts", "{min: 0.1, max: 20, acs_step: 0.5}", "auto\nprotocol: scripts", "bad.yaml:10: age: ", "needs given ages"},
		{"age max below min", "max: 20", "max: 0.05", "bad.yaml:10: age: ", "max > min is allowed"},
		{"age step 0", "acs_step: 0.5", "acs_step: 0", "bad.yaml:10: age.acs_step: ", "a number > 0"},
		{"age step tiny", "acs_step: 0.5", "acs_step: 1e-9", "bad.yaml:10: age: ", "more than 1000000 ages"},
		{"timeout without unit", "30m", "30", "bad.yaml:11: limits.timeout: ", "a time > 0 such as 90s"},
		{"timeout negative", "30m", "-1s", "bad.yaml:11: limits.timeout: ", "a time > 0"},
		{"memory without unit", "4GiB", "4", "bad.yaml:11: limits.memory: ", "an amount with its unit"},
		{"memory huge", "4GiB", "1e30TiB", "bad.yaml:11: limits.memory: ", "an amount with its unit"},
		{"attempts 0", "attempts: 3", "attempts: 0", "bad.yaml:11: limits.attempts: ", "a whole number from 1 to 1000"},
		{"keep text", "knots: true", "knots: all", "bad.yaml:12: keep.knots: ", "true and false are"},
		{"protocol unknown", "repeats: 2", "protocol: clean", "bad.yaml:2: protocol: ", "allowed are held-out, paper"},
		{"missing unknown", "repeats: 2", "missing: mode", "bad.yaml:2: missing: ", "allowed are refuse, mean, median, drop"},
		{"encode unknown", "repeats: 2", "encode: one-hot", "bad.yaml:2: encode: ", "allowed are refuse, onehot; did you mean onehot?"},
		{"encode of columns for all data sets", "repeats: 2", "encode: {onehot: [a]}", "bad.yaml:2: encode: ", "a map is not allowed; allowed are refuse, onehot"},
		{"encode another way", "[diabetes]", "[{path: a, encode: {ordinal: [a]}}]", "bad.yaml:3: data.0.encode.ordinal: ", "unknown key; allowed are onehot"},
		{"data set twice", "[diabetes]", "[diabetes, {name: diabetes}]", "bad.yaml:3: data.1: ", "the data set diabetes is given twice"},
		{"data set without name", "[diabetes]", "[{format: csv}]", "bad.yaml:3: data.0: ", "the keys name and path are missing"},
		{"data format unknown", "[diabetes]", "[{path: a.xls, format: xls}]", "bad.yaml:3: data.0.format: ", "allowed are csv, tsv, space, arff, libsvm"},
		{"data class on both sides", "[diabetes]", "[{path: a, classes: {negative: [1], positive: [1.0]}}]", "bad.yaml:3: data.0: ", "both negative and positive"},
		{"name empty", "name: bad", `name: ""`, "bad.yaml:1: name: ", "a text is"},
		{"name of signs", "name: bad", `name: "?!"`, "bad.yaml:1: name: ", "with a letter a-z or a digit"},
		{"name with a path", "name: bad", "name: ../bad", "bad.yaml:1: name: ", "without / and \\ and not starting with a point"},
		{"anchor", "[0.1, 0.2]", "&a [0.1, 0.2]", "bad.yaml:7: ", "anchors and aliases"},
		{"two documents", "repeats: 2", "---\nrepeats: 2", "bad.yaml: ", "more than one document"},
		{"no YAML", "repeats: 2", "repeats: [", "bad.yaml:", "no YAML"},
		{"not UTF-8", "repeats: 2", "repeats: \xff", "bad.yaml:2: ", "not UTF-8"},
		{"empty file", base, "", "bad.yaml: ", "it is empty"},
		{"comments only", base, "# nothing\n", "bad.yaml: ", "it is empty"},
		{"a list", base, "- a\n", "bad.yaml:1: ", "a list is not allowed; a grid is a map"},
		{"sweeps empty", "repeats: 2", "sweeps: []", "bad.yaml:2: sweeps: ", "the list is empty"},
		{"key without effect", "repeats: 2", "sweeps: [{methods: [original]}]", "bad.yaml:9: methods: ", "has no effect"},
		{"key of a sweep unknown", "repeats: 2", "sweeps: [{repeats: 3}]", "bad.yaml:2: sweeps.0.repeats: ", "unknown key; allowed are data, split"},
	}
}

func TestBadGrids(t *testing.T) {
	t.Parallel()
	mustParse(t, base)
	for _, test := range badGrids() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(base, test.old) {
				t.Fatalf("base does not hold %q", test.old)
			}
			text := strings.Replace(base, test.old, test.new, 1)
			wantProblem(t, text, nil, test.place, test.says)
		})
	}
}

// TestMeant wants problems to end with the key or the name that may be meant.
func TestMeant(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ old, new, place, meant string }{
		{"repeats: 2", "repeat: 2", "bad.yaml:2: repeat: ", "repeats"},
		{"methods:", "Methods:", "bad.yaml:9: Methods: ", "methods"},
		{"acs_step", "step", "bad.yaml:10: age.step: ", "acs_step"},
		{"attempts", "attemps", "bad.yaml:11: limits.attemps: ", "attempts"},
		{"validation", "val", "bad.yaml:4: split.val: ", "validation or values"},
		{"alpha", "alhpa", "bad.yaml:7: models.0.lasso.alhpa: ", "alpha"},
		{"lasso", "laso", "bad.yaml:7: models.0: ", "lasso"},
		{"{lasso: {alpha: [0.1, 0.2]}}", "{elasticnet: {alpha: 1}}", "bad.yaml:7: models.0: ", "elastic-net"},
		{"{lasso: {alpha: [0.1, 0.2]}}", "{erm: {loss: hubert, c: 1}}", "bad.yaml:7: models.0.erm.loss: ", "huber"},
		{"{lasso: {alpha: [0.1, 0.2]}}", "{svm: {c: 1, kernel_gamma: scal}}", "bad.yaml:7: models.0.svm.kernel_gamma: ", "scale"},
		{"{lasso: {alpha: [0.1, 0.2]}}", "{svm: {c: 1, gamma: 1}}", "bad.yaml:7: models.0.svm.gamma: ", "kernel_gamma"},
		{"[linear,", "[lineal,", "bad.yaml:8: regularizers.0: ", "linear"},
		{"gaga]", "gag]", "bad.yaml:9: methods.2: ", "gaga"},
		{"gaga]", "robust_svm]", "bad.yaml:9: methods.2: ", "robust-svm"},
		{"gaussian", "gausian", "bad.yaml:6: noise.0.kind: ", "gaussian"},
		{"gaussian", "flip-bound", "bad.yaml:6: noise.0.kind: ", "flip-boundary"},
		{"minmax", "min-max", "bad.yaml:5: scale.target: ", "minmax"},
		{"repeats: 2", "protocol: heldout", "bad.yaml:2: protocol: ", "held-out"},
	} {
		wantProblem(t, strings.Replace(base, test.old, test.new, 1), nil, test.place, "; did you mean "+test.meant+"?")
	}
	_, err := experiment.Parse([]byte(strings.Replace(base, "gaga]", "nsga]", 1)), "bad.yaml", nil)
	if err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("a name that is like none: %v", err)
	}
}

func TestBadOverrides(t *testing.T) {
	t.Parallel()
	tests := []struct{ set, says string }{
		{"repeats", "not of the form key=value"},
		{"=3", "not of the form key=value"},
		{"repeats=", "the value is no YAML: it is empty"},
		{"repeats=[", "the value is no YAML"},
		{"repeats=x", `repeats: "x" is not allowed; a whole number from 1`},
		{"repeat=3", "repeat: unknown key; allowed are name"},
		{"age.step=3", "age.step: unknown key; allowed are min, max, acs_step"},
		{"models.0.lasso.alpha=[0.1, -1]", `models.0.lasso.alpha.1: "-1" is not allowed; a number > 0`},
		{"models.1.lasso.alpha=3", `"1" is no index of a list of 1 entries`},
		{"models.x=3", `"x" is no index`},
		{"regularizers.0.linear=3", `"linear" has no part "linear"`},
		{"name=*a", "unknown anchor"},
	}
	for _, test := range tests {
		wantProblem(t, base, []string{test.set}, "--set "+test.set+": ", test.says)
	}
}

// wantProblem wants a problem of the grid that starts with place and then
// says something.
func wantProblem(t *testing.T, text string, set []string, place, says string) {
	t.Helper()
	_, err := experiment.Parse([]byte(text), "bad.yaml", set)
	checkProblem(t, err, place, says)
}

func checkProblem(t *testing.T, err error, place, says string) {
	t.Helper()
	var problems gridfile.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("the error is %v, want problems", err)
	}
	for _, problem := range problems {
		if rest, ok := strings.CutPrefix(problem.Error(), place); ok && strings.Contains(rest, says) {
			return
		}
	}
	t.Errorf("got\n%v\nwant %s...%s", err, place, says)
}

func TestAllProblemsAreReportedInOrder(t *testing.T) {
	t.Parallel()
	_, err := experiment.Parse([]byte("name: x\nage: {min: -1}\nrepeats: 0\nbad: 1\nmethods: [a]\ndata: [d]\nmodels: [{svm: {c: 0}}]\n"), "many.yaml", []string{"seed=x"})
	var problems gridfile.Problems
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	var places []string
	for _, p := range problems {
		places = append(places, p.Key)
	}
	want := "age.min repeats bad methods.0 models.0.svm.c seed"
	if got := strings.Join(places, " "); got != want {
		t.Errorf("problems at %s, want %s", got, want)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != len(problems) {
		t.Errorf("%d lines for %d problems", len(lines), len(problems))
	}
	var one *gridfile.Problem
	if !errors.As(err, &one) || one.Line != 2 {
		t.Errorf("the first problem is %v", one)
	}
}

// TestProblemsDoNotFlood wants a file of nonsense to end soon and in few words.
func TestProblemsDoNotFlood(t *testing.T) {
	t.Parallel()
	text := strings.Replace(base, "[0.1, 0.2]", "["+strings.Repeat("-1, ", gridfile.MaxValues)+"-1]", 1)
	_, err := experiment.Parse([]byte(text), "bad.yaml", nil)
	checkProblem(t, err, "bad.yaml:7: models.0.lasso.alpha: ", "the list has 100001 values; at most 100000 are allowed")
	_, err = experiment.Parse([]byte(strings.Replace(text, "-1, ", "", 1)), "bad.yaml", nil)
	var problems gridfile.Problems
	if !errors.As(err, &problems) || len(problems) != gridfile.MaxProblems || !strings.HasSuffix(err.Error(), "only the first 100 problems are shown") {
		t.Errorf("%d problems, the last says %q", len(problems), err.Error()[max(0, len(err.Error())-100):])
	}
}
