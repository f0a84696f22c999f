package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// ownMethod is a method in Python, and ownGrid a grid with it.
const (
	ownMethod = `from agepath import method
import numpy as np
@method
def fit(X, y, weights, cell):
    return np.linalg.lstsq(np.c_[X, np.ones(len(X))], y, rcond=None)[0]
`
	ownGrid = `name: own
repeats: 2
data: [diabetes]
models: [{lasso: {alpha: 1e-9}}]
methods: [original, {command: {name: mine, run: [PYTHON, mine.py], files: [agepath.py, mine.py]}}]
`
)

// ownFolder has a method in Python with the agepath.py that `coordinator python` prints, and
// its grid. It returns the grid's path.
func ownFolder(t *testing.T, python, text string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "agepath.py", must(t, "python").out)
	write(t, dir, "mine.py", text)
	return write(t, dir, "grid.yaml", strings.Replace(ownGrid, "PYTHON", python, 1))
}

// numpy returns a Python with numpy.
func numpy(t *testing.T) string {
	t.Helper()
	python := needs.Program(t, "a method in Python", "/usr/bin/python3", "python3")
	if out, err := exec.Command(python, "-c", "import numpy").CombinedOutput(); err != nil {
		needs.Lacking(t, "a method in Python: %v\n%s", err, out)
	}
	return python
}

// TestTry computes a cell of a method in Python, right and wrong, and of one of agepath's own.
func TestTry(t *testing.T) {
	t.Parallel()
	grid := ownFolder(t, numpy(t), ownMethod)
	mine, original := must(t, "try", grid, "mine"), must(t, "try", grid, "original")
	line := func(o outcome) string {
		_, after, _ := strings.Cut(o.out, "test_at_end ")
		score, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
		return score[:min(8, len(score))] // α is 1e-9, not 0
	}
	if line(mine) != line(original) || !strings.HasPrefix(line(mine), "0.") || !strings.Contains(mine.out, "\nok in ") {
		t.Errorf("scores %q and %q\n%s", line(mine), line(original), mine.out)
	}
	if entries, err := os.ReadDir(filepath.Dir(grid)); err != nil || len(entries) != 3 {
		t.Errorf("%v, files %v", err, entries)
	}

	write(t, filepath.Dir(grid), "mine.py", strings.Replace(ownMethod, "lstsq", "least", 1))
	start := time.Now()
	o := do(t, "try", grid, "mine")
	t.Logf("a traceback after %v", time.Since(start)) // under 2 s on a machine that is not busy
	if o.code != command.ExitFailed || strings.Count(o.err, "Traceback") != 1 || !strings.Contains(o.err, "mine.py\", line 5, in fit") ||
		!strings.Contains(o.err, "coordinator try: failed: the method mine: AttributeError: ") {
		t.Errorf("exit status %d\n%s", o.code, o.err)
	}
	write(t, filepath.Dir(grid), "mine.py", "import nothing_of_that_name\n")
	if o := do(t, "try", grid, "mine"); o.code != command.ExitFailed || !strings.Contains(o.err, "ModuleNotFoundError") {
		t.Errorf("exit status %d\n%s", o.code, o.err)
	}
	if o := do(t, "try", grid, "other"); o.code != command.ExitRefused || !strings.Contains(o.err, "the grid has no method other; it has original, mine") {
		t.Errorf("exit status %d\n%s", o.code, o.err)
	}
}

// TestPythonRun computes a grid by agepath.py's run and reads its results by read, as far as
// this machine has what that needs.
func TestPythonRun(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	python := numpy(t)
	grid := ownFolder(t, python, ownMethod)
	ask := func(interpreter, script string) (string, error) {
		cmd := exec.Command(interpreter, "-c", "from agepath import read, run\nimport json, sys\n"+script, grid, os.Args[0])
		cmd.Dir = filepath.Dir(grid)
		cmd.Env = append(os.Environ(), asProgram+"=1", reuseVariable+"=true")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	text, err := ask(python, `print(json.dumps(run(sys.argv[1], "--allow-commands", "--workers", "1", "--out", "results", "--log-level", "error", program=sys.argv[2]).summary))`)
	var object struct {
		Out      string
		Statuses map[string]int
	}
	lines := strings.Split(strings.TrimSpace(text), "\n") // on a busy machine the scores so far come first
	if err != nil || json.Unmarshal([]byte(lines[len(lines)-1]), &object) != nil || object.Out != "results" || object.Statuses["ok"] != 6 {
		t.Fatalf("%v\n%s", err, text)
	}
	if text, err := ask(python, `run("none.yaml", program=sys.argv[2])`); err == nil || !strings.Contains(text, "RuntimeError: ") || !strings.Contains(text, "none.yaml ended with the status 2") {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err := ask(python, `read(".")`); err == nil || !strings.Contains(text, "FileNotFoundError: . has no cells.arrow") {
		t.Errorf("%v\n%s", err, text)
	}
	const without = `sys.modules.update({"pyarrow": None, "polars": None})
results = read("results", program=sys.argv[2])
`
	if text, err := ask(python, `sys.modules["pandas"] = None; `+without+`results.cells`); err == nil || !strings.Contains(text, "pip install pandas pyarrow") {
		t.Errorf("%v\n%s", err, text)
	}
	t.Run("pandas alone", func(t *testing.T) {
		if out, err := exec.Command(python, "-c", "import pandas").CombinedOutput(); err != nil {
			needs.Lacking(t, "results in Python, Debian's python3-pandas: %v\n%s", err, out)
		}
		text, err := ask(python, without+`cells = results.cells
print(sorted(cells.method), cells.test_at_end.max() < 1, cells.error.isna().all(), "Original" in results.verdict, list(results.table().method), flush=True)
results.knots`)
		if err == nil || !strings.HasPrefix(text, "['constant', 'constant', 'mine', 'mine', 'original', 'original'] True True True ['original', 'mine']\n") || !strings.Contains(text, "pip install pandas pyarrow") {
			t.Errorf("%v\n%s", err, text)
		}
	})
	for frames, modules := range map[string]string{"pandas": "pandas, pyarrow", "polars": "polars"} {
		t.Run(frames, func(t *testing.T) {
			interpreter := needs.Program(t, "results in Python", "python3")
			if out, err := exec.Command(interpreter, "-c", "import numpy, "+modules).CombinedOutput(); err != nil {
				t.Skipf("Debian has none of them: %v\n%s", err, out)
			}
			text, err := ask(interpreter, `
if "`+frames+`" == "polars": sys.modules["pyarrow"] = None
cells = read("results").cells
print(type(cells).__module__.split(".")[0], sorted(cells["method"]), all(x < 1 for x in cells["test_at_end"]))`)
			if err != nil || text != frames+" ['constant', 'constant', 'mine', 'mine', 'original', 'original'] True\n" {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// TestPythonPrinted wants the module printed as it is.
func TestPythonPrinted(t *testing.T) {
	t.Parallel()
	if o := must(t, "python"); o.out != outside.Python || !strings.HasPrefix(o.out, `"""`) {
		t.Errorf("printed %.200q", o.out)
	}
}

// TestCommandWorkers has two workers, one of which runs commands: submit and status say where
// none does, and no cell of a command fails or uses up an attempt once one does.
func TestCommandWorkers(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	python := numpy(t)
	for name, start := range map[string]func(t *testing.T) string{
		"embedded": func(t *testing.T) string { return testqueue.Server(t, "127.0.0.1:0").URL() },
		"nats-server": func(t *testing.T) string {
			program := needs.Program(t, "a server of its own", "nats-server", "/usr/sbin/nats-server")
			address := needs.FreePorts(t, 1)[0]
			_, port, _ := strings.Cut(address, ":")
			cmd := exec.CommandContext(t.Context(), program, "-js", "-a", "127.0.0.1", "-p", port, "-sd", t.TempDir())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Kill() // it can have ended with the test's context
				_ = cmd.Wait()
			})
			return "nats://" + address
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &remote{start(t), builtWorker(t)}
			grid := ownFolder(t, python, ownMethod)
			submit := func(set ...string) (run string, o outcome) {
				args := []string{"submit", grid, "--nats", r.url, "--connect-wait", "10s"}
				for _, value := range set {
					args = append(args, "--set", value)
				}
				o = must(t, args...)
				run, _, _ = strings.Cut(o.out, ":")
				return run, o
			}
			const warning, told = "no worker runs commands; cells of these methods wait", "no worker runs commands; start one with --allow-commands"
			first, o := submit()
			if !strings.Contains(o.err, warning) || !strings.Contains(o.err, "methods=mine") {
				t.Errorf("no warning: %s", o.err)
			}
			r.awaitStatus(t, nil, func(line string) bool { return line == first+": no worker\n" })
			if o := must(t, "submit", grid, "--nats", r.url, "--set", "methods=[original]"); strings.Contains(o.err, warning) {
				t.Errorf("without commands submit says %s", o.err)
			}
			r.work(t, "--slots", "2", "--name", "bare")
			r.awaitStatus(t, nil, func(line string) bool { return line == first+": "+told+"\n" })
			if o := must(t, "status", first, "--nats", r.url, "--json"); !strings.Contains(o.out, told) || !strings.Contains(o.out, `"name": "command"`) {
				t.Errorf("status --json prints %s", o.out)
			}

			r.work(t, "--slots", "2", "--name", "able", "--allow-commands")
			r.awaitStatus(t, nil, func(line string) bool { return strings.HasPrefix(line, "able ") })
			second, o := submit("repeats=6", "models=[{lasso: {alpha: [1,2,3,4,5,6,7,8,9,10]}}]")
			if strings.Contains(o.err, warning) {
				t.Errorf("with a worker that runs commands submit says %s", o.err)
			}
			r.wantStatus(t, nil, second, "finished", "126", "126", "0", "0", "0") // 6 of the constant
			out := filepath.Join(t.TempDir(), "out")
			must(t, "collect", second, "--out", out, "--nats", r.url)
			cells, err := results.ReadTable(filepath.Join(out, "cells.arrow"))
			if err != nil {
				t.Fatal(err)
			}
			ok, others := 0, map[any]int{}
			for i := range cells.Rows() {
				at := func(column string) any { return cells.At(cells.Index(column), i) }
				switch {
				case at("method") != "mine":
					others[at("worker")]++
				case at("status") == "ok" && at("worker") == "able" && at("attempts") == int64(1):
					ok++
				default:
					t.Errorf("a cell of a command: %v by %v in attempt %v: %v", at("status"), at("worker"), at("attempts"), at("error"))
				}
			}
			if ok != 60 {
				t.Errorf("%d of 60 cells are ok", ok)
			}
			t.Logf("other cells by worker: %v", others)
		})
	}
}
