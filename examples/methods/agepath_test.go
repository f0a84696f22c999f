package methods

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/testing/needs"
)

// python returns a Python with some modules.
func python(t *testing.T, modules string) string {
	t.Helper()
	path := needs.Program(t, "methods in Python", "/usr/bin/python3", "python3")
	if out, err := exec.Command(path, "-c", "import "+modules).CombinedOutput(); err != nil {
		needs.Lacking(t, "methods in Python: %v\n%s", err, out)
	}
	return path
}

// tried is what became of a cell of a method, with what went to standard error.
type tried struct {
	*experiment.Outcome
	screen string
}

// score returns a measure of the cell.
func (o tried) score(t *testing.T, name string) float64 {
	t.Helper()
	computes, err := experiment.Default()
	if err != nil {
		t.Fatal(err)
	}
	for j, column := range computes.Tables().Measures {
		if column.Name == name && o.Measures.Rows == 1 {
			if value, ok := o.Measures.At(column, j, 0).(float64); ok {
				return value
			}
		}
	}
	t.Fatalf("no %s: %s, %s\n%s", name, o.Status, o.Error, o.screen)
	return 0
}

// try computes a cell of a method whose file has the given text after the import of method.
func try(t *testing.T, interpreter, text, uses string, set ...string) tried {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"agepath.py": outside.Python, "mine.py": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	grid, err := experiment.Parse(fmt.Appendf(nil, `
data: [diabetes]
models: [{lasso: {alpha: 0.001}}]
regularizers: [linear, hard]
age: {min: 0.5, max: 2, acs_step: 0.5}
methods: [{command: {name: mine, run: [%s, mine.py], files: [agepath.py, mine.py], uses: %s}}]
`, interpreter, uses), filepath.Join(dir, "grid.yaml"), set)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	outcome, err := run.Try(t.Context(), plan, "mine", &screen)
	if err != nil {
		t.Fatal(err)
	}
	return tried{outcome, screen.String()}
}

const imports = "from agepath import method, skip\nimport numpy as np\n"

// leastSquares is a method that does without a library, to put in other methods' place.
const leastSquares = `
def solve(X, y, weights):
    root = np.sqrt(weights)
    A = np.column_stack([X, np.ones(len(X))])
    return np.linalg.lstsq(A * root[:, None], y * root, rcond=None)[0]
`

// TestPythonForms wants each form of an answer to have the same scores as another form of
// the same fit.
func TestPythonForms(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	path := python(t, "numpy, sklearn")
	breast := []string{"data=[breast_cancer]", "models=[{svm: {c: 0.1}}]"}
	for name, c := range map[string]struct {
		set        []string
		one, other string
	}{
		"linear regression": {
			one:   "\n@method\ndef fit(X, y, weights, cell):\n    return solve(X, y, weights)\n",
			other: "from sklearn.linear_model import LinearRegression\n@method\ndef fit(X, y, weights, cell):\n    return LinearRegression().fit(X, y, weights)\n",
		},
		"a function of rows": {
			one:   "\n@method\ndef fit(X, y, weights, cell):\n    return solve(X, y, weights)\n",
			other: "\n@method\ndef fit(X, y, weights, cell):\n    w = solve(X, y, weights)\n    return lambda X: X @ w[:-1] + w[-1]\n",
		},
		"a model with a link": {
			one: "from sklearn.linear_model import PoissonRegressor\n@method\ndef fit(X, y, weights, cell):\n    return PoissonRegressor(alpha=0.1).fit(X, y + 1, weights)\n",
			other: "from sklearn.linear_model import PoissonRegressor\n@method\ndef fit(X, y, weights, cell):\n" +
				"    m = PoissonRegressor(alpha=0.1).fit(X, y + 1, weights)\n    return lambda X: np.exp(X @ m.coef_ + m.intercept_)\n",
		},
		"changed rows": {
			one:   "\n@method\ndef fit(X, y, weights, cell):\n    return solve(X, y, weights)\n",
			other: "from sklearn.linear_model import LinearRegression\n@method\ndef fit(X, y, weights, cell):\n    m = LinearRegression().fit(X.copy(), y.copy(), weights)\n    X *= 7\n    y[:] = 0\n    return m\n",
		},
		"classes by coefficients": {
			set:   breast,
			one:   "from sklearn.linear_model import RidgeClassifier\n@method\ndef fit(X, y, weights, cell):\n    return RidgeClassifier(alpha=1e-9).fit(X, y, weights)\n",
			other: "\n@method\ndef fit(X, y, weights, cell):\n    return solve(X, y, weights)\n",
		},
		"classes 0 and 1": {
			set:   breast,
			one:   "from sklearn.neighbors import KNeighborsClassifier\n@method\ndef fit(X, y, weights, cell):\n    return KNeighborsClassifier(1).fit(X, y > 0)\n",
			other: "from sklearn.neighbors import KNeighborsClassifier\n@method\ndef fit(X, y, weights, cell):\n    return KNeighborsClassifier(1).fit(X, y)\n",
		},
		"coefficients of classes 0 and 1": {
			set:   breast,
			one:   "from sklearn.linear_model import LogisticRegression\n@method\ndef fit(X, y, weights, cell):\n    return LogisticRegression().fit(X, (y > 0).astype(int), weights)\n",
			other: "from sklearn.linear_model import LogisticRegression\n@method\ndef fit(X, y, weights, cell):\n    return LogisticRegression().fit(X, y, weights)\n",
		},
		"labels 0 and 1 of a function": {
			set:   breast,
			one:   "\n@method\ndef fit(X, y, weights, cell):\n    w = solve(X, y, weights)\n    return lambda Z: (Z @ w[:-1] + w[-1] > 0).astype(int)\n",
			other: "\n@method\ndef fit(X, y, weights, cell):\n    w = solve(X, y, weights)\n    return lambda Z: np.where(Z @ w[:-1] + w[-1] > 0, 1, -1)\n",
		},
		"probabilities less 0.5": { // the remedy of those as they are
			set:   breast,
			one:   "\n@method\ndef fit(X, y, weights, cell):\n    w = solve(X, y, weights)\n    return lambda Z: 1 / (1 + np.exp(-(Z @ w[:-1] + w[-1]))) - 0.5\n",
			other: "\n@method\ndef fit(X, y, weights, cell):\n    w = solve(X, y, weights)\n    return lambda Z: Z @ w[:-1] + w[-1]\n",
		},
		"classes by predictions": {
			set: breast,
			one: "from sklearn.neighbors import KNeighborsClassifier\n@method\ndef fit(X, y, weights, cell):\n    return KNeighborsClassifier(1).fit(X, y)\n",
			other: "\n@method\ndef fit(X, y, weights, cell):\n" +
				"    return lambda Z: [y[((X - z) ** 2).sum(axis=1).argmin()] for z in Z]\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := try(t, path, imports+leastSquares+c.one, "model", c.set...)
			other := try(t, path, imports+leastSquares+c.other, "model", c.set...)
			for _, score := range []string{"test_at_end", "best_validation"} {
				if a, b := one.score(t, score), other.score(t, score); !(abs(a-b) <= 1e-9) || a == 0 {
					t.Errorf("%s %v and %v", score, a, b)
				}
			}
		})
	}
}

func abs(x float64) float64 { return max(x, -x) }

// TestPythonTraps wants what goes wrong in methods to end as it should: seeds fit 32 bits and
// seed the generators, numbers that are not finite diverge, nothing that is printed or read
// takes the place of an answer or a request, and errors say what and where.
func TestPythonTraps(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	path := python(t, "numpy")
	fit := func(lines ...string) string {
		return imports + leastSquares + "\n@method\ndef fit(X, y, weights, cell):\n    " + strings.Join(lines, "\n    ") + "\n"
	}
	plain := try(t, path, fit("return solve(X, y, weights)"), "[]").score(t, "test_at_end")

	const drawn = "return np.append(np.random.normal(size=X.shape[1]) + random.random(), np.random.RandomState(cell.seed).uniform())"
	random := func() tried { return try(t, path, "import random\n"+fit(drawn), "model") }
	if first, again := random().score(t, "test_at_end"), random().score(t, "test_at_end"); first != again || first == plain {
		t.Errorf("scores %v and %v of one seed", first, again)
	}
	if o := random(); seedOf(t, o) < 1<<32 {
		t.Errorf("the seed %d is no trap", seedOf(t, o))
	}

	fitting := try(t, path, fit("assert len(cell.age['ages']) == 41 and 'step' not in cell.age", "return [(age, solve(X, y, weights)) for age in cell.age['ages']]"), "[model, age]", "age=auto")
	if score := fitting.score(t, "test_at_end"); score != plain || fitting.score(t, "age_reached") != fitting.score(t, "age_to") {
		t.Errorf("derived ages: %s %q, score %v, want %v", fitting.Status, fitting.Error, score, plain)
	}

	for name, c := range map[string]struct {
		text, uses string
		status     experiment.Status
		message    string
		screen     string
	}{
		"NaN in coefficients":   {fit("return [np.nan] * (X.shape[1] + 1)"), "[]", experiment.Diverged, "coefficients hold a number that is not finite", ""},
		"infinite prediction":   {fit("return lambda X: X[:, 0] / 0"), "[]", experiment.Diverged, "a number that is not finite", ""},
		"prints":                {"print('before')\n" + fit("import os, subprocess, sys", "print('stray')", "os.system('echo child')", "assert sys.stdin.read() == ''", "assert subprocess.run([sys.executable, '-c', 'import sys; sys.stdin.read()']).returncode == 0", "return solve(X, y, weights)"), "[]", experiment.OK, "", "child\nbefore\nstray\n"},
		"told nothing":          {fit("assert 'alpha' not in cell.model, cell.model", "assert cell.regularizer is None and cell.age is None", "return solve(X, y, weights)"), "[]", experiment.OK, "", ""},
		"told":                  {fit("assert cell.model['alpha'] == 0.001 and cell.task == 'regression'", "assert cell.regularizer['name'] == 'linear'", "assert (cell.age['min'], cell.age['max']) == (0.5, 2)", "assert cell.age['ages'] == [0.5, 1, 1.5, 2]", "return [(age, solve(X, y, weights)) for age in cell.age['ages']]"), "[model, regularizer, age]", experiment.OK, "", ""},
		"a generator of a path": {fit("for age in (0.5, 2):", "    yield age, solve(X, y, weights)"), "age", experiment.OK, "", ""},
		"a path that stops":     {fit("yield 0.5, solve(X, y, weights)"), "age", experiment.Incomplete, "stops at age 0.5 of 2", ""},
		"no path":               {fit("return lambda X: X[:, 0]"), "age", experiment.Failed, "with uses: age a method returns pairs of an age and a model, not function", ""},
		"an exception":          {fit("return X.nothing"), "[]", experiment.Failed, "AttributeError: 'numpy.ndarray' object has no attribute 'nothing'", "(most recent call last):\n  File \"MINE\", line 11, in fit\n"},
		"skips":                 {fit("skip('too many rows')"), "[]", experiment.Skipped, "too many rows", ""},
		"a wrong shape":         {fit("return [1, 2]"), "[]", experiment.Failed, "2 coefficients of 10 features", ""},
		"predictions missing":   {fit("return lambda X: X[1:, 0]"), "[]", experiment.Failed, "predictions of", ""},
		"nothing":               {fit("pass"), "[]", experiment.Failed, "fit returned None", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := try(t, path, c.text, c.uses)
			if o.Status != c.status || !strings.Contains(o.Error, c.message) || (c.message == "") != (o.Error == "") {
				t.Errorf("%s %q, want %s %q\n%s", o.Status, o.Error, c.status, c.message, o.screen)
			}
			if screen := regexp.MustCompile(`[^"]*/mine\.py`).ReplaceAllString(o.screen, "MINE"); !strings.Contains(screen, c.screen) {
				t.Errorf("standard error %q, want %q", o.screen, c.screen)
			}
			if c.status == experiment.OK {
				if score := o.score(t, "test_at_end"); score != plain {
					t.Errorf("score %v, want %v", score, plain)
				}
			}
		})
	}
}

// TestPythonProbabilities wants answers of classes refused of which each row would be class 1, and
// complex numbers.
func TestPythonProbabilities(t *testing.T) {
	t.Parallel()
	path := python(t, "numpy")
	for text, want := range map[string]string{
		"w = solve(X, y, weights)\n    return lambda Z: 1 / (1 + np.exp(-Z @ w[:-1]))": "return p - 0.5 for a probability p",
		"w = solve(X, y, weights)\n    return lambda Z: Z @ w[:-1] + 1j":               "complex numbers",
		"return solve(X, y, weights) * 1j":                                             "complex numbers",
	} {
		o := try(t, path, imports+leastSquares+"\n@method\ndef fit(X, y, weights, cell):\n    "+text+"\n", "[]", "data=[breast_cancer]", "models=[{svm: {c: 0.1}}]")
		if o.Status != experiment.Failed || !strings.Contains(o.Error, want) {
			t.Errorf("%s: %s %q, want %q", text, o.Status, o.Error, want)
		}
	}
}

// seedOf returns a cell's seed.
func seedOf(t *testing.T, o tried) int64 {
	t.Helper()
	computes, err := experiment.Default()
	if err != nil {
		t.Fatal(err)
	}
	for j, column := range computes.Tables().Labels {
		if column.Name == "seed" {
			return o.Labels.At(column, j, 0).(int64)
		}
	}
	t.Fatal("no seed")
	return 0
}

// TestPythonProtocol wants agepath.py to speak the version of the protocol that workers do, and
// to refuse others and cells of solvers.
func TestPythonProtocol(t *testing.T) {
	t.Parallel()
	if want := fmt.Sprintf("\nPROTOCOL = %d\n", outside.Protocol); !strings.Contains(outside.Python, want) {
		t.Errorf("agepath.py has no line%s", want)
	}
	path := python(t, "numpy")
	dir := t.TempDir()
	for name, content := range map[string]string{"agepath.py": outside.Python, "mine.py": imports + "@method\ndef fit(X, y, weights, cell):\n    return y\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for request, want := range map[string]string{
		`{"protocol": 99, "cell": {"id": "x"}}`:                                               "the worker version 99",
		fmt.Sprintf(`{"protocol": %d, "cell": {"id": "x", "problem": {}}}`, outside.Protocol): "not for solver benchmarks",
	} {
		cmd := exec.Command(path, "mine.py")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(request+"\n")
		cmd.Env = append(os.Environ(), outside.MarkVariable+"=test")
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), `"cell": "x"`) {
			t.Errorf("%s: %v, %s", request, err, out)
		}
	}
	cmd := exec.Command(path, "mine.py") // which a person starts
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "`agepath try GRID NAME` computes a cell") {
		t.Errorf("%v, %s", err, out)
	}
}

// TestPythonSoftware wants the versions of what a method imports in the outcome, as Python and pip know them.
func TestPythonSoftware(t *testing.T) {
	t.Parallel()
	path := python(t, "numpy")
	o := try(t, path, imports+"import json, csv\n@method\ndef fit(X, y, weights, cell):\n    return np.zeros(X.shape[1] + 1)\n", "[]")
	want, err := exec.Command(path, "-c", "import importlib.metadata as m, platform; print('Python', platform.python_version() + ', numpy', m.version('numpy'), end='')").Output()
	if err != nil {
		t.Fatal(err)
	}
	if o.Software != string(want) {
		t.Errorf("the software is %q, want %q; %s\n%s", o.Software, want, o.Error, o.screen)
	}
}
