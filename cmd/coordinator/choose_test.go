package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

const chooseGrid = `name: choose
repeats: 3
data: [diabetes]
noise: [{kind: gaussian, levels: [0.3]}]
models: [{lasso: {alpha: [0.003, 0.03]}}]
regularizers: [linear]
methods: [original, acs, gaga]
`

// TestReportChooses wants a report that chooses from the knots to say what one of cells that were
// computed with the rule says, other rules to say something else, and folders without knots to be
// refused.
func TestReportChooses(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", chooseGrid)
	run := func(name string, args ...string) string {
		out := filepath.Join(dir, name)
		must(t, append([]string{"run", grid, "--out", out, "--workers", "1", "--figures", "0", "--format", "csv", "--no-reuse"}, args...)...)
		return out
	}
	tables := func(out string) string {
		files := contents(t, filepath.Join(out, "report"))
		return files["answer.csv"] + files["chosen.csv"] + files["tables.csv"]
	}
	computed := run("best", "--set", "choose=best")
	best := tables(computed)
	for _, rule := range []string{"smoothed", "one-standard-error"} {
		want := tables(run(rule, "--set", "choose="+rule))
		must(t, "report", computed, "--figures", "0", "--format", "csv", "--choose", rule)
		if have := tables(computed); have != want || have == best {
			t.Errorf("chosen by %s from the knots:\n%s\nby the cells:\n%s\nthe best:\n%s", rule, have, want, best)
		}
	}
	must(t, "report", computed, "--figures", "0", "--format", "csv", "--choose", "best")
	if have := tables(computed); have != best {
		t.Errorf("the best from the knots:\n%s\nby the cells:\n%s", have, best)
	}
	for want, out := range map[string]string{
		"the paths of 21 of 21 cells are not in":       run("none", "--set", "keep.knots=false"),
		"with --choose, some cells would be identical": run("both", "--set", "choose=[best, smoothed]"),
	} {
		o := do(t, "report", out, "--choose", "smoothed")
		if o.code != command.ExitFailed || !strings.Contains(o.err, want) {
			t.Errorf("exit status %d: %s; want %s", o.code, o.err, want)
		}
	}
}

// TestFoldsOnWorkers wants folds to give the same numbers on 1 worker and on 4.
func TestFoldsOnWorkers(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", chooseGrid+"split: {validation: 0}\nchoose: {rule: smoothed, trimmed: 0.4, folds: 3}\nkeep: {coefficients: true}\n")
	var runs []map[string][]string
	for _, workers := range []string{"1", "4"} {
		out := filepath.Join(dir, workers)
		must(t, "run", grid, "--out", out, "--workers", workers, "--figures", "0", "--no-reuse")
		runs = append(runs, numbers(t, out))
	}
	if n := len(runs[0]["cells"]); n != 21 {
		t.Errorf("%d cells", n)
	}
	wantSameNumbers(t, runs[0], runs[1])
}
