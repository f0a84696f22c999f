package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
)

// comparedGrid has 3 cells a repeat, one of the constant.
const comparedGrid = `name: compared
seed: 7
repeats: 2
data: [diabetes]
models: [{lasso: {alpha: [0.01]}}]
regularizers: [linear]
methods: [original, acs]
age: {min: 0.1, max: 2, acs_step: 1}
`

// TestCompare computes a grid, the same with one more repeat, and the same with
// noise, and compares the three.
func TestCompare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", comparedGrid)
	a, b, c := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
	must(t, "run", grid, "--out", a, "--workers", "1", "--figures", "0")
	must(t, "run", grid, "--out", b, "--workers", "1", "--figures", "0", "--set", "repeats=3")
	must(t, "run", grid, "--out", c, "--workers", "1", "--figures", "0", "--set", "noise=[{kind: gaussian, levels: [0.1]}]")

	text := must(t, "compare", a, b, c).out
	for _, want := range []string{
		"B against A\n===========\n", "C against A\n",
		"\nall            6            0       0       3\n", // 3 methods in 2 repeats, and in the third
		"\nall            0            0       6       6\n",
		"no number changed: all measures of 6 cells are equal bit for bit",
		"no score differs: 9 scores compared",
		"the runs have no cell in common",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	o := must(t, "compare", a, b, c, "--json", "--log-level", "debug")
	object := conforms(t, "compare", o.out)
	for want, path := range map[any][]any{
		b: {"pairs", 0, "other"}, 6.0: {"pairs", 0, "cells", 0, "shared"}, 3.0: {"pairs", 0, "cells", 0, "only_other"},
		1e-9: {"rounding"}, 9.0: {"runs", 1, "cells"}, true: {"runs", 0, "ended"}, "original": {"pairs", 0, "cells", 1, "method"},
	} {
		if have := at(t, object, path...); have != want {
			t.Errorf("%v: %v, want %v", path, have, want)
		}
	}
	if len(at(t, object, "pairs", 1, "scores").([]any)) != 0 {
		t.Errorf("scores of cells that no two runs share: %s", o.out)
	}
}

func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := filepath.Dir(write(t, dir, filepath.Join("old", "manifest.json"), `{"schema_version": 1}`))
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"one folder":        {[]string{dir}, "DIR... is missing"},
		"no results":        {[]string{dir, dir}, "DIR is a folder with results"},
		"old version":       {[]string{old, old}, "schema version 1"},
		"negative rounding": {[]string{dir, dir, "--rounding", "-1"}, "use a number of at least 0 and below 1"},
		"significance of 5": {[]string{dir, dir, "--significance", "5"}, "use a number above 0 and below 1, such as 0.05"},
		"too many":          {strings.Fields(strings.Repeat(dir+" ", 27)), "2 to 26 are allowed"},
	} {
		o := do(t, append([]string{"compare"}, c.args...)...)
		if o.code != command.ExitRefused || !strings.Contains(o.err, c.want) || o.out != "" {
			t.Errorf("%s: exit %d, %q, %q", name, o.code, o.err, o.out)
		}
	}
}
