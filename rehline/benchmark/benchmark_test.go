package benchmark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/testing/needs"
)

// plan plans a grid in a folder.
func plan(t *testing.T, dir, text string) (*experiment.Plan, error) {
	t.Helper()
	grid, err := experiment.Parse([]byte("experiment: solver-benchmark\n"+text), filepath.Join(dir, "grid.yaml"), nil)
	if err != nil {
		return nil, err
	}
	return grid.Plan(t.Context(), &dataset.Library{})
}

// tasks returns the tasks of a grid, with what they read.
func tasks(t *testing.T, dir, text string) (list []experiment.Task, data experiment.Data) {
	t.Helper()
	p, err := plan(t, dir, text)
	if err != nil {
		t.Fatal(err)
	}
	for task, err := range p.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, task)
	}
	return list, p
}

// TestDocument parses the examples of docs/solver-benchmark.md and wants it to name all there is.
func TestDocument(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/solver-benchmark.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(content), -1) {
		if _, err := experiment.Parse([]byte(example[1]), "docs/solver-benchmark.md", nil); err != nil {
			t.Errorf("%v in\n%s", err, example[1])
		}
	}
	names := gridfile.NamesOf(entries())
	for _, task := range taskTable {
		names = append(names, task.name)
		for _, s := range task.settings {
			names = append(names, s.Name)
		}
	}
	for _, name := range names {
		if !strings.Contains(string(content), "`"+name+"`") {
			t.Errorf("docs/solver-benchmark.md does not name %s", name)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	const rest = "\ntasks: [svm]\nc: 1\nsolvers: [rehline]\n"
	with := func(tasks, c, solvers string) string {
		return "data: [breast_cancer]\ntasks: [" + tasks + "]\nc: [" + c + "]\nsolvers: [" + solvers + "]\n"
	}
	for text, want := range map[string]string{
		"data: [diabetes]":                                                    "the key tasks is missing",
		"data: [breast_cancr]" + rest:                                         "did you mean breast_cancer",
		"data: [diabetes]" + rest:                                             "for which the grid has no task",
		"data: [MagicTelescope]" + rest:                                       "datasets fetch",
		"data: [{generated: {rows: 5, features: 2}}]" + rest:                  "a whole number from 10",
		"data: [{generated: {rows: 10000000, features: 1000}}]" + rest:        "at most 1000000000 numbers",
		"data: [{generated: {rows: 50}}]" + rest:                              "the key features is missing",
		"data: [{generated: {rows: 50, features: 2}, path: x}]" + rest:        "unknown key",
		with("smv", "1", "rehline"):                                           "did you mean svm",
		with("svm: {level: 1}", "1", "rehline"):                               "svm has no settings",
		with("quantile: {level: 1}", "1", "rehline"):                          "a number > 0 and < 1",
		with("huber, huber: {threshold: [1, 2]}", "1", "rehline"):             "is given twice",
		with("svm", "1/m", "rehline"):                                         "as in 100/n",
		with("svm", "0", "rehline"):                                           "a number > 0",
		with("svm", "1/n, 1/n", "rehline"):                                    "given twice",
		with("svm", "1", "rehlin"):                                            "did you mean rehline",
		with("svm", "1", "rehline: {tol: 1}"):                                 "has no settings",
		with("svm", "1", "rehline, rehline"):                                  "given twice",
		with("svm", "1", "command: {name: lbfgs, run: [x]}"):                  "that of a solver of agepath",
		with("svm", "1", "command: {name: x, run: [x], family: own}"):         "allowed are specialized, generic",
		with("svm", "1", "command: {name: x, run: [x], files: [nowhere.py]}"): "nowhere.py",
		with("svm", "1", "rehline") + "budget: 0":                             "a whole number from 1",
		with("svm", "1", "rehline") + "budget: [1, 2]":                        "one number",
		with("svm", "1", "rehline") + "keep: {knots: true}":                   "unknown key",
	} {
		if _, err := plan(t, t.TempDir(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// identityGrid has a cell of every form of data, task and solver.
const identityGrid = `
seed: 3
data: [diabetes, generated: {rows: 20, features: [2, 3], seed: 4}]
tasks: [svm, elastic-net-quantile: {level: 0.1, l1: 2}]
c: [100/n, 0.5]
solvers: [rehline, command: {name: own, run: [./own, x], version: "2", files: [own]}]
`

// TestIdentities: identities change only with the version of a solver or the protocol of commands.
func TestIdentities(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "own"), []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, _ := tasks(t, dir, identityGrid)
	var have []string
	for i := range list {
		if err := (Kind{}).Check(&list[i]); err != nil {
			t.Fatal(err)
		}
		have = append(have, list[i].Cell)
	}
	if !slices.Equal(have, identities) {
		t.Errorf("identities\n%q\nwant\n%q", have, identities)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	list, _ := tasks(t, t.TempDir(), "data: [diabetes]\ntasks: [huber]\nc: 1\nsolvers: [lbfgs]\n")
	for name, change := range map[string][2]string{
		"identity": {`"budget":30`, `"budget":31`}, "unknown": {`"kind"`, `"colour":1,"kind"`}, "kind": {`"solver-benchmark"`, `"walk"`},
		"task": {`"huber"`, `"hubris"`}, "settings": {`"threshold":1`, `"threshold":-1`}, "solver": {`"lbfgs"`, `"bfgs"`},
		"factor": {`"c":1`, `"c":0`}, "command": {`"name":"lbfgs"`, `"command":"x","name":"lbfgs"`},
		"data": {`"digest"`, `"generated":{"rows":1,"features":1,"seed":1},"digest"`},
	} {
		task := list[0]
		if err := (Kind{}).Check(&task); err != nil {
			t.Fatal(err)
		}
		task.Spec = json.RawMessage(strings.Replace(string(task.Spec), change[0], change[1], 1))
		if (Kind{}).Check(&task) == nil {
			t.Errorf("%s: a changed task is taken: %s", name, task.Spec)
		}
	}
	for part, here := range map[string]int{`"c":1,"solver":{"name":"lbfgs","version":`: 2, `"kind":"solver-benchmark","version":`: 1} {
		other := list[0]
		other.Spec = json.RawMessage(strings.Replace(string(other.Spec), fmt.Sprint(part, here), part+"9", 1))
		if err := new(experiment.NeedError); !errors.As((Kind{}).Check(&other), &err) || err.Here != here {
			t.Errorf("a task of another version is taken: %s", other.Spec)
		}
	}
}

// TestSolvers wants every solver to reach the smallest gap at every task that it has, and to
// leave out the others.
func TestSolvers(t *testing.T) {
	t.Parallel()
	list, data := tasks(t, t.TempDir(), `
data: [generated: {rows: 200, features: 5}]
tasks: [svm, smoothed-svm, squared-svm, fair-svm, huber, epsilon-insensitive, elastic-net-quantile, quantile: {level: [0.5, 0.25], intercept: [none, penalized]}]
c: [1/n, 1]
solvers: [rehline, rehline-coordinate-descent, lbfgs]
`)
	left := map[string]int{}
	for i := range list {
		c, err := decode(list[i].Spec)
		if err != nil {
			t.Fatal(err)
		}
		solver := c.Solver.Name
		measures, further, err := (Kind{}).Compute(t.Context(), &list[i], data)
		if status := new(experiment.StatusError); errors.As(err, &status) && status.Status == experiment.Skipped {
			left[solver]++
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", list[i].Spec, err)
		}
		if err := Tables().Finite(&measures, further); err != nil {
			t.Errorf("%s: %v", list[i].Spec, err)
		}
		at := func(column string) any {
			j := slices.IndexFunc(measureFields.Columns(), func(c experiment.Column) bool { return c.Name == column })
			return measures.At(measureFields.Columns()[j], j, 0)
		}
		final, ok := at("final_gap").(float64)
		if !ok || final > 1e-9 || at("seconds_1e8") == nil || at("stopped") != nil || at("overclaims") != int64(0) {
			t.Errorf("%s: gap %v, %v seconds to 1e-8, stopped %v, %v overclaimed", list[i].Spec, final, at("seconds_1e8"), at("stopped"), at("overclaims"))
		}
		if rows := further[curveTable.Name].Rows; int64(rows) != at("points") || rows < 3 {
			t.Errorf("%s: %d points, %v counted", list[i].Spec, rows, at("points"))
		}
	}
	if left["rehline"] != 0 || left["rehline-coordinate-descent"] != 2 || left["lbfgs"] != 16 {
		t.Errorf("left out: %v", left)
	}
}

// hostData is data of a worker that runs commands.
type hostData struct {
	experiment.Data
	host *outside.Host
}

func (d hostData) Commands() *outside.Host { return d.host }

// TestCommands takes curves of commands, and flags gaps that they do not have.
func TestCommands(t *testing.T) {
	t.Parallel()
	needs.Program(t, "scripts as commands", "setsid")
	answer := func(line string) string { // of the cell that is asked for
		line = strings.Replace(line, "{", `{"cell": "'$c'", `, 1)
		return `[/bin/sh, -c, "read l; c=${l#*id???}; c=${c%%???experiment*}; echo '` + strings.ReplaceAll(line, `"`, `\"`) + `'"]`
	}
	const point = `"seconds": [2, 1], "coefficients": [[0, 0], [0, 0]]`
	for line, want := range map[string]string{
		`{` + point + `, "gaps": [1e-9, -1], "passes": [3, 4], "setup": 0.5}`: "2 points, 1 overclaimed, setup 0.5, stopped <nil>",
		`{` + point + `, "stopped": "tired"}`:                                 "2 points, 0 overclaimed, setup <nil>, stopped tired",
		`{"stopped": "nothing"}`:                                              "0 points, 0 overclaimed, setup <nil>, stopped nothing",
		`{"skipped": "has no svm"}`:                                           "skipped: has no svm",
		`{"error": "broken"}`:                                                 "broken",
		`{"seconds": [1], "coefficients": [[1]]}`:                             "1 numbers as coefficients; there are 2",
	} {
		list, data := tasks(t, t.TempDir(), "data: [generated: {rows: 50, features: 2}]\ntasks: [svm]\nc: 1\nsolvers: [command: {name: x, run: "+answer(line)+"}]\n")
		_, _, err := (Kind{}).Compute(t.Context(), &list[0], data)
		if status := new(experiment.StatusError); !errors.As(err, &status) || status.Status != experiment.Skipped || !strings.Contains(err.Error(), "--allow-commands") {
			t.Errorf("a worker that runs no commands: %v", err)
		}
		host := &outside.Host{}
		measures, _, err := (Kind{}).Compute(t.Context(), &list[0], hostData{data, host})
		host.Close()
		got := ""
		if status := new(experiment.StatusError); errors.As(err, &status) {
			got = string(status.Status) + ": "
		}
		if err != nil {
			got += err.Error()
		} else {
			at := func(j int) any { return measures.At(measureFields.Columns()[j], j, 0) }
			got = fmt.Sprintf("%v points, %v overclaimed, setup %v, stopped %v", at(6), at(7), at(4), at(10))
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	list, data := tasks(t, t.TempDir(), "data: [generated: {rows: 50, features: 2}]\ntasks: [svm]\nc: 1\nsolvers: [command: {name: x, run: [no-such-program-here]}]\n")
	_, _, err := (Kind{}).Compute(t.Context(), &list[0], hostData{data, &outside.Host{}})
	if err == nil || !strings.Contains(err.Error(), "no-such-program-here is not on this machine") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestLimits ends cells with their context, and curves with their budget.
func TestLimits(t *testing.T) {
	t.Parallel()
	list, data := tasks(t, t.TempDir(), "data: [digits]\ntasks: [smoothed-svm]\nc: 1\nsolvers: [rehline, lbfgs]\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range list {
		c, err := decode(list[i].Spec)
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.problem(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.solve(ctx, p, data); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", c.Solver.Name, err)
		}
		c.Budget = 1e-9
		a, err := c.solve(t.Context(), p, data)
		if err != nil || a.stopped == "" || len(a.points) > 1 {
			t.Errorf("%s: %d points, stopped %q: %v", c.Solver.Name, len(a.points), a.stopped, err)
		}
	}
}

var identities = []string{
	"6a893e083d8dc79aecd273952ea892a8",
	"2ec7c3569a30145fde601dfffc3a27a5",
	"a8822bd514369610b49f0c61d1f3d83d",
	"b7cb1c5745ecfa647387a3f0527a5991",
	"667f4a93174dae2e730cb7c28f8e9bdc",
	"8c63f18ba786de9aa3dbbaa1c18f4b1c",
	"e3e760e620ee7934c559b4f2f17d37e6",
	"f05797d63d0cefc26aec5f82f4500ea6",
	"0037e546971bb8dddd3b38d30ba2fd0b",
	"4ca635f71288070f2653b40a0a13ad0b",
	"6a555d41bc07607c2783c11fe3906656",
	"70133aba5957e8d5d0c46492b402b951",
	"c7a9fde79ebb606297f2c32c09717097",
	"83e9071c611ecf2074b92238f71f5b7b",
	"ce354fad0586aeac3bf6a7c3128e20e7",
	"409ee7b4a6378a6296c1e629add4415b",
	"e7b9a0a3ea8067b0969abdbf25f9e79a",
	"14d772d42cee793b5a716a04a51d86f7",
	"7fa07c1e751cc599523287a008413e71",
	"efc393886246187d1407bd63f50ab7a8",
}

// TestGrids plans the grids that come with the program.
func TestGrids(t *testing.T) {
	t.Parallel()
	for name, problems := range map[string]int64{"": 93, "-quickstart": 18, "-growth": 32} {
		grid, err := experiment.ParseFile("../../grids/rehline-benchmark"+name+".yaml", nil)
		if err != nil {
			t.Fatal(err)
		}
		// What is absent is left out, and makes fewer.
		p, err := grid.Plan(t.Context(), &dataset.Library{})
		section := grid.Section.(*Section)
		if per := int64(grid.Repeats * len(section.Solvers)); err != nil || p.Count() != problems*per {
			t.Errorf("rehline-benchmark%s: %d cells, want %d of %d: %v", name, p.Count(), problems*per, per, err)
		}
	}
}
