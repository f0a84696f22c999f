package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

const modelGrid = `
name: models
repeats: 3
rows: 120
regularizers: [linear]
keep: {knots: false}
sweeps:
  - data: [diabetes]
    noise: [{kind: gaussian, levels: [0.3]}]
    models: [{lasso: {alpha: 0.01}}, {elastic-net: {alpha: 0.01}}, {ridge: {alpha: 0.1}}]
    methods: [original, gaga]
  - data: [diabetes]
    noise: [{kind: gaussian, levels: [0.3]}]
    models: [{erm: {loss: [absolute], c: 1}}]
    methods: [original]
  - data: [diabetes]
    noise: [{kind: gaussian, levels: [0.3]}]
    models: [{lasso: {alpha: 0.01}}]
    methods: [{rlssvm: {kernel: scale, starts: 5}}]
  - data: [breast_cancer]
    models: [{svm: {c: 1, kernel: [linear, rbf]}}, {logistic: {c: 0.3}}]
    methods: [original, gaga]
`

// modelScores scores the test rows of every cell by agepath.model from the files of the data, and
// prints the largest difference from the stored score, with the number of cells and of kernels.
const modelScores = `
import agepath, numpy as np, pickle, re, subprocess, sys
program, folder, data = sys.argv[1:]
results = agepath.read(folder, program=program)
worst = kernels = 0
sets = {name: np.loadtxt(f"{data}/{name}.csv.gz", delimiter=",", skiprows=1) for name in ("diabetes", "breast_cancer")}
for _, cell in results.cells.iterrows():
    m = results.model(cell.cell)
    rows = sets[cell.dataset][m.file_["test_rows"]]
    X, y = rows[:, :-1], rows[:, -1]
    if "classes_" in vars(m):
        y = np.where(y == max(sets[cell.dataset][:, -1]), 1, -1)
        score = m.score(X, y)
    else:
        score = np.sqrt(np.mean((m.predict(X) - y) ** 2)) / m.file_["target_scale"]
    kernels += "kernel" in m.file_
    worst = max(worst, abs(score - cell.test_at_best_validation))
    assert np.array_equal(pickle.loads(pickle.dumps(m)).predict(X), m.predict(X))
print(worst, len(results.cells), kernels)

# Suspects, counted in another way: as sets of the rows of each repeat.
some = results.cells[(results.cells.model == "lasso") & (results.cells.method == "gaga")].cell
trains = [results.model(cell).train_ for cell in some]
trained = [set(train["row"]) for train in trains]
out = [{row for row, weight in zip(train["row"], train["weight"]) if weight == 0} for train in trains]
want = {(row, sum(row in rows for rows in trained), sum(row in rows for rows in out)) for row in set().union(*out)}
want = {found for found in want if 2 * found[2] > found[1]}
suspects = results.suspects(cell=some.iloc[1])
got = set(zip(suspects.row, suspects.trained, suspects.out))
assert got == want and len(want) > 10, (got, want)
noisy = sum(row in {row for row, is_noisy in zip(train["row"], train["noisy"]) if is_noisy} for train, rows in zip(trains, out) for row in rows if row in set(suspects.row))
assert 0 < noisy <= suspects.noisy.sum()
said = subprocess.run([program, "model", folder, "--suspects", "--cell", some.iloc[1]], capture_output=True, text=True).stderr
rows = [(weight == 0, noisy, n) for t in trains for weight, noisy, n in zip(t["weight"], t["noisy"], t["count"])]
both, found, of = (sum(n for *row, n in rows if which(*row)) for which in (lambda out, noisy: out and noisy, lambda out, noisy: out, lambda out, noisy: noisy))
# The figure has a point for each row that is out in some repeat, noisy ones apart.
ever = set().union(*out)
svg = subprocess.run([program, "model", folder, "--suspects=svg", "--cell", some.iloc[1]], capture_output=True, text=True, check=True).stdout
assert svg.count("<path") > len(ever) and all(text in svg for text in ("other rows", "noisy rows", "mean loss")), svg[:2000]
for name, value in ("precision", both / found), ("recall", both / of):
    assert abs(float(re.search(name + r"=([\d.]+)", said)[1]) - value) < 1e-12 and 0.2 < value < 1, (said, value)
`

// TestModel predicts with NumPy what the cells of every family of models have scored.
func TestModel(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", modelGrid), filepath.Join(dir, "out")
	must(t, "run", grid, "--out", out, "--workers", "1", "--figures", "0", "--no-reuse")
	o := do(t, "model", out)
	if o.code != command.ExitRefused || !strings.Contains(o.err, "2 data sets or kinds of noise") || !strings.Contains(o.err, "breast_cancer, SVM") {
		t.Errorf("exit status %d\n%s", o.code, o.err)
	}
	write(t, dir, "agepath.py", must(t, "python").out)
	data, err := filepath.Abs("../../experiment/dataset/data")
	if err != nil {
		t.Fatal(err)
	}
	python := numpy(t)
	if text, err := exec.Command(python, "-c", "import pandas").CombinedOutput(); err != nil {
		needs.Lacking(t, "results in Python, Debian's python3-pandas: %v\n%s", err, text)
	}
	cmd := exec.Command(python, "-c", modelScores, os.Args[0], out, data)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1")
	text, err := cmd.CombinedOutput()
	fields := strings.Fields(string(text))
	if err != nil || len(fields) != 3 {
		t.Fatalf("%v\n%s", err, text)
	}
	if worst, err := strconv.ParseFloat(fields[0], 64); err != nil || worst > 1e-12 || fields[1] != "48" || fields[2] != "9" {
		t.Errorf("largest difference, cells, kernels: %s", text)
	}
	t.Logf("largest difference of a score: %s", fields[0])
}
