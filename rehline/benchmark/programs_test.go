package benchmark

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/testing/needs"
)

// programTasks are the tasks that the programs have, nil for all; those of programs that Debian
// has no package for are not known to be there.
var programTasks = map[string]struct {
	tasks  []string
	debian string
}{
	"liblinear":        {[]string{"svm", "squared-svm", "quantile", "epsilon-insensitive"}, "python3-liblinear and python3-scipy"},
	"liblinear-newton": {[]string{"squared-svm"}, "python3-liblinear and python3-scipy"},
	"scipy-lbfgsb":     {[]string{"smoothed-svm", "squared-svm", "huber"}, "python3-scipy"},
	"cvxopt":           {nil, "python3-cvxopt and python3-scipy"},
	"ecos":             {nil, "r-cran-ecosolver and python3-scipy"},
	"clp":              {nil, "coinor-clp and python3-scipy"},
	"osqp":             {nil, ""},
	"scs":              {nil, ""},
}

// TestPrograms has every program that comes with agepath solve a small problem of every task, and
// wants the optimum to be that of rehline's certificate. A task that a program lacks is refused.
func TestPrograms(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	needs.Program(t, "the solvers in Python", "/usr/bin/python3")
	for _, of := range programs {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			program := &outside.Program{Run: of.command.Run}
			content := map[string][]byte{}
			for _, file := range of.command.Files {
				text, err := of.read(file.Name)
				if err != nil {
					t.Fatal(err)
				}
				file.Digest = outside.Digest(text)
				content[file.Digest] = text
				program.Files = append(program.Files, file)
			}
			host := &outside.Host{Open: func(_ context.Context, digest string) (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(content[digest])), nil
			}}
			t.Cleanup(host.Close)
			for _, info := range taskTable {
				of := programTasks[of.name]
				has := of.tasks == nil || slices.Contains(of.tasks, info.name)
				solveWith(t, host, program, info, has, of.debian)
			}
		})
	}
}

func solveWith(t *testing.T, host *outside.Host, program *outside.Program, info *taskInfo, has bool, debian string) {
	t.Helper()
	task := Task{Name: info.name}
	for i, setting := range info.settings {
		task.Settings[i] = setting.Standard
		task.Settings[i].Name = setting.Name
	}
	p, err := newProblem(task, 0.1, Generated{Rows: 60, Features: 5, Seed: 1}.draw(info.of))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := host.Curve(t.Context(), program, gridfile.JSON(outsideCell{
		ID: "test", Experiment: Name, Task: info.of, Problem: p.description(), Tolerances: []float64{1e-3, 1e-9}, Budget: 30,
	}), &dataset.Prepared{Train: dataset.Part{N: p.x.Rows, D: p.x.Cols, X: p.x.Data, Y: p.y}})
	var refused *outside.CellError
	switch {
	case errors.As(err, &refused) && refused.Skipped && !has:
		return
	case errors.As(err, &refused) && refused.Skipped && debian == "":
		t.Skip(refused.Text)
	case errors.As(err, &refused) && refused.Skipped:
		needs.Lacking(t, "Debian's %s: %s", debian, refused.Text)
	case err != nil:
		t.Fatalf("%s: %v", info.name, err)
	case !has:
		t.Fatalf("%s is not refused", info.name)
	}
	a := &attempt{}
	a.addAnswer(answer)
	b, err := p.certify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	least := 1.0
	for _, at := range a.points {
		if p.violation(at.beta) <= feasible {
			least = min(least, p.gap(p.primal(at.beta), p.violation(at.beta), b))
		}
		if setup := a.setups; len(setup) > 0 && at.seconds < setup[0] {
			t.Errorf("%s: %v seconds with a set-up of %v", info.name, at.seconds, setup[0])
		}
	}
	if !(least < 1e-7) {
		t.Errorf("%s: the least gap of %d points is %g; %s", info.name, len(a.points), least, a.stopped)
	}
}

// TestProgramBudget ends a run that passes its budget, with what came before.
func TestProgramBudget(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	python := needs.Program(t, "the solvers in Python", "/usr/bin/python3")
	command := exec.CommandContext(t.Context(), python, "-c", `
import time
from agepath_solver import Problem

p = Problem.__new__(Problem)
p.tolerances, p.budget, p.points, p.stopped, p.setup = [0.1, 0.01], 1, [], None, 0.25

def solve(tolerance):
    while tolerance < 0.1:
        pass
    return [1, 2], 3, -1, None

p.ladder(solve)
a = p.answer()
print(a["coefficients"], a["passes"], a["tolerances"], a["seconds"][0] >= 0.25, a["stopped"])
`)
	command.Dir = "programs"
	out, err := command.CombinedOutput()
	if strings.Contains(string(out), "No module named 'numpy'") {
		needs.Lacking(t, "Debian's python3-scipy: %s", out)
	}
	if want := "([1.0, 2.0],) (3.0,) (0.1,) True tolerance 0.01: the budget is spent\n"; err != nil || string(out) != want {
		t.Errorf("%s, %v; want %s", out, err, want)
	}
}

// TestProgramWithoutPackage wants a solver whose package is not there to say so of each cell.
func TestProgramWithoutPackage(t *testing.T) {
	t.Parallel()
	python := needs.Program(t, "the solvers in Python", "/usr/bin/python3")
	file := filepath.Join(t.TempDir(), "lacks.py")
	if err := os.WriteFile(file, []byte("import no_such_package\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), python, "start.py", file)
	command.Dir, command.Stdin = "programs", strings.NewReader(strings.Repeat(`{"cell": {"id": "c1"}}`+"\n", 2))
	out, err := command.CombinedOutput()
	const answer = `{"cell": "c1", "skipped": "No module named 'no_such_package'"}` + "\n"
	if err != nil || string(out) != answer+answer {
		t.Errorf("%s, %v; want %s twice", out, err, answer)
	}
}
