package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// allMethods is a grid of 64 cells by all methods, which keeps all tables.
const allMethods = `name: all-methods
seed: 40
repeats: 2
data: [diabetes]
models: [{lasso: {alpha: [0.003, 0.01, 0.03]}}]
noise: [{kind: gaussian, levels: [0, 0.3]}]
regularizers: [linear, {mixture: {gamma: [0.5]}}]
methods: [original, acs, gaga]
age: {min: 0.1, max: 10, acs_step: 1}
keep: {coefficients: true}
`

// cellsOfAllMethods is how many cells the grid allMethods has: original has
// one cell for both regularizers, the constant one for each noise and repeat.
const cellsOfAllMethods = 2*3*2*(1+2+2) + 2*2

// numbers reads the tables of a folder as text, without the columns that
// differ between two runs of the same cells: times, worker and memory.
func numbers(t *testing.T, dir string) map[string][]string {
	t.Helper()
	varying := []string{"wall_seconds", "cpu_seconds", "peak_bytes", "worker", "started_at", "finished_at"}
	for _, kind := range experiment.Kinds() {
		varying = append(varying, kind.Tables().Varying...)
	}
	tables := map[string][]string{}
	for _, name := range []string{"cells", "knots", "coefficients", "epochs", "weights", "words", "curve"} {
		path := filepath.Join(dir, name+".arrow")
		if _, err := os.Stat(path); os.IsNotExist(err) {
			continue
		}
		frame, err := results.ReadTable(path)
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]string, frame.Rows())
		for i := range rows {
			var row []string
			for j, column := range frame.Columns {
				if !slices.Contains(varying, column.Name) {
					row = append(row, column.Name+"="+exact(frame.At(j, i)))
				}
			}
			rows[i] = strings.Join(row, " ")
		}
		tables[name] = rows
	}
	return tables
}

// exact shows a value so that different values look different.
func exact(value any) string {
	list, ok := value.([]float64)
	if !ok {
		return valueText(value)
	}
	var texts []string
	for _, x := range list {
		texts = append(texts, valueText(x))
	}
	return strings.Join(texts, ",")
}

// wantSameNumbers compares the tables of two folders row by row.
func wantSameNumbers(t *testing.T, want, have map[string][]string) {
	t.Helper()
	if len(want) == 0 || len(want["cells"]) == 0 {
		t.Fatal("there is nothing to compare with")
	}
	if !slices.Equal(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(have))) {
		t.Errorf("tables %v, want %v", slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)))
	}
	for name := range want {
		if len(want[name]) != len(have[name]) {
			t.Errorf("%s has %d rows, want %d", name, len(have[name]), len(want[name]))
			continue
		}
		for i := range want[name] {
			if want[name][i] != have[name][i] {
				t.Errorf("%s, row %d:\n%s\nwant\n%s", name, i, have[name][i], want[name][i])
				break
			}
		}
	}
}

// TestRun computes a grid, again with other workers, and once more into the
// same folder.
func TestRun(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	dir := t.TempDir()
	grid, one, four := write(t, dir, "grid.yaml", allMethods), filepath.Join(dir, "one"), filepath.Join(dir, "four")
	first := must(t, "run", grid, "--out", one, "--workers", "1", "--format", "markdown,csv,latex")
	for _, want := range []string{"64 of 64 cells computed", "Test RMSE", "Original", "ACS", "GAGA", "±", "* best.", "cells.arrow", "coefficients.arrow", "report.md", "tables.csv", "tables.tex"} {
		if !strings.Contains(first.out, want) {
			t.Errorf("a run does not print %q:\n%s", want, first.out)
		}
	}
	if !strings.Contains(first.err, "msg=computing") || !strings.Contains(first.err, "msg=ended") || !strings.Contains(first.err, "done=64") {
		t.Errorf("the log of a run:\n%s", first.err)
	}
	before := contents(t, one)
	for _, file := range []string{"cells.arrow", "knots.arrow", "coefficients.arrow", "manifest.json", "report/report.md"} {
		if before[file] == "" {
			t.Errorf("%s is not there", file)
		}
	}
	if n := len(numbers(t, one)["cells"]); n != cellsOfAllMethods {
		t.Errorf("%d cells, want %d", n, cellsOfAllMethods)
	}

	must(t, "run", grid, "--out", four, "--workers", "4", "--figures", "0")
	wantSameNumbers(t, numbers(t, one), numbers(t, four))

	again := must(t, "run", grid, "--out", one, "--format", "markdown,csv,latex")
	if !strings.Contains(again.out, "0 cells to compute") || strings.Contains(again.err, "level=") {
		t.Errorf("the second run:\n%s%s", again.out, again.err)
	}
	if !maps.Equal(before, contents(t, one)) {
		t.Error("the second run changed files")
	}
	if tables(t, first.out) != tables(t, again.out) {
		t.Errorf("the second run prints other tables:\n%s\nwant\n%s", again.out, first.out)
	}
	if plan := must(t, "plan", grid, "--out", one); !strings.Contains(plan.out, "64 in "+one+" already, 0 to compute") {
		t.Errorf("the plan of what is there:\n%s", plan.out)
	}
}

// tables cuts the tables out of what a run prints.
func tables(t *testing.T, out string) string {
	t.Helper()
	_, rest, begins := strings.Cut(out, "\nTest RMSE")
	text, _, ends := strings.Cut(rest, "\nFiles: ")
	if !begins || !ends {
		t.Fatalf("no tables in\n%s", out)
	}
	return text
}

// TestReport wants report to make of the files alone what the run made.
func TestReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	must(t, "run", write(t, dir, "grid.yaml", smallGrid), "--out", out)
	before := contents(t, out)
	if err := os.RemoveAll(filepath.Join(out, "report")); err != nil {
		t.Fatal(err)
	}
	report := must(t, "report", out)
	if !strings.Contains(report.out, "Test RMSE") || !strings.Contains(report.out, "report.md") {
		t.Errorf("report prints\n%s", report.out)
	}
	if !maps.Equal(before, contents(t, out)) {
		t.Error("report makes other files than the run")
	}
	must(t, "report", out, "--format", "csv", "--figures", "0")
	after := contents(t, out)
	if after["report/tables.csv"] == "" {
		t.Error("there is no tables.csv")
	}
	for name := range after {
		if strings.HasSuffix(name, ".svg") {
			t.Errorf("%s is there with --figures 0", name)
		}
	}
}

// TestFreshReport wants a run with nothing to compute to make the report that
// a run before did not get to.
func TestFreshReport(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", smallGrid), filepath.Join(dir, "out")
	must(t, "run", grid, "--out", out)
	before := contents(t, out)
	for _, path := range []string{"report/report.md", "report"} {
		if err := os.RemoveAll(filepath.Join(out, path)); err != nil {
			t.Fatal(err)
		}
		must(t, "run", grid, "--out", out)
		if !maps.Equal(before, contents(t, out)) {
			t.Errorf("after %s was removed a run makes other files", path)
		}
	}
}

// TestPlan wants the cells by dimension, the data sets and nothing written.
func TestPlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plan := must(t, "plan", write(t, dir, "grid.yaml", allMethods), "--out", filepath.Join(dir, "out"), "--set", "repeats=2")
	for _, want := range []string{
		"run    all-methods-", "cells  64 (2 repeats), 0 in ", "64 to compute", "on one core",
		"diabetes  regression", "442", "ba488f2e73e6e8b522b60ad2d95a9dd45e89f7973c19025364a528497dd9dd52",
		"gaussian 0.3", "lasso", "mixture", "original", "acs", "gaga",
	} {
		if !strings.Contains(plan.out, want) {
			t.Errorf("plan does not print %q:\n%s", want, plan.out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("plan made the folder of results")
	}
}

// TestFailedCells wants exit status 1, the first messages and how to go on
// where cells fail, and --retry or higher limits to compute those alone again.
func TestFailedCells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	// No cell is done in a nanosecond, but limits do not change what is computed.
	hasty := write(t, dir, "hasty.yaml", smallGrid+"limits: {timeout: 1ns, attempts: 1}\n")
	grid := write(t, dir, "grid.yaml", smallGrid)
	o := do(t, "run", hasty, "--out", out)
	if o.code != command.ExitFailed {
		t.Fatalf("exit status %d: %s", o.code, o.err)
	}
	for _, want := range []string{"12 of 12 cells failed (12 timeout)", "8 x original: timeout: not done within 1ns", "--retry timeout"} {
		if !strings.Contains(o.err, want) {
			t.Errorf("the message does not say %q:\n%s", want, o.err)
		}
	}
	if plan := must(t, "plan", hasty, "--out", out); !strings.Contains(plan.out, "(12 failed), 0 to compute") {
		t.Errorf("plan prints\n%s", plan.out)
	}
	again := do(t, "run", hasty, "--out", out)
	if again.code != command.ExitFailed || !strings.Contains(again.out, "0 cells to compute") {
		t.Errorf("without --retry: exit status %d: %s", again.code, again.out)
	}
	again = do(t, "run", hasty, "--out", out, "--retry", "failed,timeout")
	if again.code != command.ExitFailed || !strings.Contains(again.out, "12 of 12 cells computed") {
		t.Errorf("with --retry: exit status %d: %s", again.code, again.out)
	}
	if plan := must(t, "plan", grid, "--out", out); !strings.Contains(plan.out, ", 12 failed under lower limits, 12 to compute") {
		t.Errorf("plan with higher limits prints\n%s", plan.out)
	}
	if o := must(t, "run", grid, "--out", out); !strings.Contains(o.out, "12 of 12 cells computed") {
		t.Errorf("with higher limits:\n%s", o.out)
	}
	must(t, "run", grid, "--out", filepath.Join(dir, "other"))
	wantSameNumbers(t, numbers(t, filepath.Join(dir, "other")), numbers(t, out))
}

// TestReplay computes cells of a run again.
func TestReplay(t *testing.T) {
	t.Parallel()
	eachKind(t, !testing.Short(), replayCells)
}

func replayCells(t *testing.T, k *kindOfGrid) {
	dir := t.TempDir()
	out, data := filepath.Join(dir, "out"), filepath.Join(dir, "data")
	must(t, "run", write(t, dir, "grid.yaml", k.small), "--out", out)
	frame, err := results.ReadTable(filepath.Join(out, "cells.arrow"), "cell")
	if err != nil {
		t.Fatal(err)
	}
	for i := range frame.Rows() {
		if o := must(t, "replay", out, frame.At(0, i).(string), "--data", data); (!strings.Contains(o.out, k.measure) || !strings.Contains(o.out, "equal bit for bit")) && !strings.Contains(o.out, "skipped here as well") {
			t.Errorf("replay prints\n%s", o.out)
		}
	}
	for _, name := range k.parts {
		if _, err := os.Stat(filepath.Join(data, name)); err != nil {
			t.Error(err)
		}
	}
	wantRefusal(t, do(t, "replay", out, strings.Repeat("0", 32)), []string{out, "no cell", "cells.arrow"})
}

// TestCancelledRun wants the exit status 130 when the context has ended.
func TestCancelledRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", smallGrid), filepath.Join(dir, "out")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if o := doWith(t, ctx, nil, "run", grid, "--out", out); o.code != command.ExitInterrupted || !strings.Contains(o.err, "interrupted") {
		t.Errorf("exit status %d: %s", o.code, o.err)
	}
	must(t, "run", grid, "--out", out)
}
