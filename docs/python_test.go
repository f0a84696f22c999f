package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/testing/needs"
)

// environment returns the Python of an environment of its own, with the package and the program as a
// wheel brings them, and Debian's modules; TestWheel of deploy/release has a wheel.
func environment(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("environments of Python are laid out otherwise")
	}
	python := needs.Program(t, "agepath from Python", "/usr/bin/python3", "python3")
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import numpy, sklearn, pandas").CombinedOutput(); err != nil {
		needs.Lacking(t, "agepath from Python, Debian's python3-sklearn and python3-pandas: %v\n%s", err, out)
	}
	env := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), python, "-m", "venv", "--without-pip", "--system-site-packages", env).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(packages(t, env), "agepath.py"), []byte(outside.Python), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(builtPrograms(t), "coordinator"), filepath.Join(env, "bin", "agepath")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(env, "bin", "python")
}

func packages(t *testing.T, env string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(env, "lib", "*", "site-packages"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return list[0]
}

// inEnvironment returns what a command of an environment prints in a folder of its own.
func inEnvironment(t *testing.T, python string, arguments ...string) string {
	t.Helper()
	dir := t.TempDir() // Jupyter computes where a notebook is
	if err := os.WriteFile(filepath.Join(dir, "notebook.ipynb"), []byte(read(t, "examples/notebook.ipynb")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, arguments...)
	cmd.Dir = dir
	bin := filepath.Dir(python)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "AGEPATH_NO_REUSE=true", "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"PYTHONPATH="+packages(t, filepath.Dir(bin))) // Jupyter starts Debian's Python
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

// TestPythonPage runs every line of docs/python.md and compares what it prints.
func TestPythonPage(t *testing.T) {
	needs.Patience(t, "20 s")
	t.Parallel()
	page, err := filepath.Abs("python.md")
	if err != nil {
		t.Fatal(err)
	}
	inEnvironment(t, environment(t), "-m", "doctest", "-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE", page)
}

// TestEstimatorChecks runs scikit-learn's own checks of estimators on a regression and a classifier.
func TestEstimatorChecks(t *testing.T) {
	if os.Getenv("AGEPATH_LONG") != "1" {
		t.Skip("two minutes of fits: AGEPATH_LONG=1")
	}
	t.Parallel()
	const checks = `
import agepath
from sklearn.utils.estimator_checks import check_estimator
for model in {"ridge": {"alpha": [0.01]}}, {"logistic": {"c": [1]}}:
    check_estimator(agepath.model(model=model))`
	inEnvironment(t, environment(t), "-W", "ignore", "-c", checks)
}

// cellsInOrder runs the code of a notebook as a kernel does, without one.
const cellsInOrder = `
import json, sys
names = {}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
assert names["results"].figure("score-curve")._repr_svg_().startswith("<?xml")
print(len(names["out"]), "rows are out")`

// TestNotebook runs the cells of the example's notebook, in Jupyter where this machine has it.
func TestNotebook(t *testing.T) {
	needs.Patience(t, "20 s")
	t.Parallel()
	python := environment(t)
	if out := inEnvironment(t, python, "-c", cellsInOrder, "notebook.ipynb"); !regexp.MustCompile(`(?m)^[1-9]\d* rows are out$`).MatchString(out) {
		t.Errorf("the notebook prints\n%s", out)
	}
	t.Run("jupyter", func(t *testing.T) {
		if out, err := exec.CommandContext(t.Context(), python, "-c", "import nbconvert, ipykernel").CombinedOutput(); err != nil {
			t.Skipf("Debian's jupyter-nbconvert and python3-ipykernel: %v\n%s", err, out)
		}
		page := inEnvironment(t, python, "-m", "nbconvert", "--execute", "--to", "html", "--stdout", "--log-level", "ERROR", "notebook.ipynb")
		for _, part := range []string{"<svg", "test_at_best_validation_mean", " rows are out", "30 of 30 cells"} {
			if !strings.Contains(page, part) {
				t.Errorf("the notebook's page has no %s: %d bytes", part, len(page))
			}
		}
	})
}
