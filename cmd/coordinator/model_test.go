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

// fileModel makes a file with text labels, of which some are missing and some wrong, and wants the
// model's labels and the suspects' rows to be those of the file.
const fileModel = `
import agepath, numpy as np, pandas as pd, sys
r = np.random.RandomState(1)
X = r.normal(size=(300, 3))
truth = np.where(X @ [2, -1, 1] > 0, "up", "down")
labels = truth.astype(object)
wrong = r.choice(300, 30, replace=False)
labels[wrong] = np.where(truth[wrong] == "up", "down", "up")
gaps = r.choice(150, 60, replace=False)
labels[gaps] = np.nan
data = pd.DataFrame(X, columns=["a", "b", "c"]).assign(way=labels)
data.to_csv("ways.csv", index=False)
grid = {"name": "ways", "repeats": 4, "data": [{"path": "ways.csv", "target": "way", "missing": "drop", "task": "classification"}],
        "models": [{"logistic": {"c": 1}}, {"svm": {"c": [0.1, 1]}}], "regularizers": ["linear"], "methods": ["original", "gaga"], "keep": {"knots": False}}
results = agepath.run(grid, "--figures", "0", program=sys.argv[1])
m = results.model()
assert list(m.classes_) == ["down", "up"], m.classes_
assert np.mean(m.predict(data) == truth) > 0.9 and m.score(data, truth) > 0.9
assert not set(m.train_["row"] + m.file_["test_rows"] + m.file_["validation_rows"]) & set(gaps)
suspects = results.suspects()
assert not set(suspects.row) & set(gaps) and np.isin(suspects.row, wrong).mean() > 0.7 and len(suspects) > 8, suspects
assert list(results.suspects("original").columns) == list(suspects.columns) and "noisy rows" not in results.figure("suspects")
for what, says in ((lambda: m.predict(data.rename(columns={"b": "B"})), "no column b"), (lambda: m.score(data, np.where(truth == "up", 1, -1)), "the classes are"),
                   (lambda: results.suspects("gagga"), "no method gagga; it has gaga, original; did you mean gaga?"), (lambda: results.suspects("gaga", m.file_["cell"]), "give one"),
                   (lambda: agepath.run("ways.csv", program=sys.argv[1]), "init FILE"), (lambda: agepath.run({"methods": [len]}), "is a command"), (lambda: results.table("foo"), "answer")):
    try:
        what()
    except (ValueError, TypeError, RuntimeError, FileNotFoundError) as error:
        assert says in str(error), error
    else:
        raise AssertionError(says)
grid["data"][0]["path"] = data
assert agepath.run({**grid, "name": "frame"}, "--figures", "0", program=sys.argv[1]).cells.shape == results.cells.shape
assert "](" not in results.verdict and "&" not in results.verdict
assert not [name for name in __import__("os").listdir(".") if name.startswith("grid-")]
`

// TestModelOfFile reads what people have: text labels, missing ones, wrong ones.
func TestModelOfFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "agepath.py", must(t, "python").out)
	python := numpy(t)
	if text, err := exec.Command(python, "-c", "import pandas").CombinedOutput(); err != nil {
		needs.Lacking(t, "results in Python, Debian's python3-pandas: %v\n%s", err, text)
	}
	cmd := exec.Command(python, "-c", fileModel, os.Args[0])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}
