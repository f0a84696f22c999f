package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// rowsByCell returns the rows of a file by cell, every column of them.
func rowsByCell(t *testing.T, path string) map[string][]string {
	t.Helper()
	frame, err := results.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	at := frame.Index("cell")
	for i := range frame.Rows() {
		var row []string
		for j, column := range frame.Columns {
			row = append(row, column.Name+"="+exact(frame.At(j, i)))
		}
		cell := frame.At(at, i).(string)
		rows[cell] = append(rows[cell], strings.Join(row, " "))
	}
	return rows
}

// wantRows wants a file to have rows, as they are, and those of so many cells in all.
func wantRows(t *testing.T, path string, want map[string][]string, cells int) {
	t.Helper()
	have := rowsByCell(t, path)
	if len(have) != cells {
		t.Errorf("%s has %d cells, want %d", path, len(have), cells)
	}
	for cell, rows := range want {
		if !slices.Equal(have[cell], rows) {
			t.Errorf("%s: the rows of cell %s are\n%v, want\n%v", path, cell, have[cell], rows)
		}
	}
}

// A grid that changes is run into the same folder: what is new is computed alone, and
// cells that it does not have any more are set aside until it has them again.
func TestGrownGrid(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", smallGrid), filepath.Join(dir, "out")
	run := func(want string, args ...string) {
		t.Helper()
		o := must(t, append([]string{"run", grid, "--out", out, "--figures", "0"}, args...)...)
		if !strings.Contains(o.out, want) {
			t.Errorf("%v: want %q in\n%s", args, want, o.out)
		}
		if o := must(t, "verify", out); !strings.Contains(o.out, "no problems") {
			t.Errorf("%v: verify prints\n%s", args, o.out)
		}
	}
	plan := func(want string, args ...string) {
		t.Helper()
		if o := must(t, append([]string{"plan", grid, "--out", out}, args...)...); !strings.Contains(o.out, want) {
			t.Errorf("%v: want %q in\n%s", args, want, o.out)
		}
	}
	cells, knots := filepath.Join(out, "cells.arrow"), filepath.Join(out, "knots.arrow")
	run(": 12 of 12 cells computed")
	first, firstKnots := rowsByCell(t, cells), rowsByCell(t, knots)
	plan("12 in "+out+" already, 6 to compute", "--set", "repeats=3")
	run(": 6 of 18 cells computed", "--set", "repeats=3")
	wantRows(t, cells, first, 18)
	wantRows(t, knots, firstKnots, 18)

	plan("former 12 cells in "+out, "--set", "repeats=1")
	plan("6 in "+out+" already, 0 to compute", "--set", "repeats=1")
	run(": 0 cells to compute; 6 of 6 cells have ended (6 ok)", "--set", "repeats=1")
	all := rowsByCell(t, filepath.Join(out, "former.cells.arrow"))
	maps.Copy(all, rowsByCell(t, cells))
	if len(all) != 18 {
		t.Errorf("both files have %d cells", len(all))
	}
	if o := must(t, "report", out, "--figures", "0"); strings.Contains(o.out, "18 cells") {
		t.Errorf("the report has the cells of former grids:\n%s", o.out)
	}
	before := contents(t, out)
	run(": 0 cells to compute", "--set", "repeats=1")
	after := contents(t, out)
	for name, text := range before {
		if have, there := after[name]; !there || have != text {
			t.Errorf("running it again changes %s (there: %t)", name, there)
		}
	}

	pruned := filepath.Join(dir, "pruned")
	for name, text := range before {
		write(t, pruned, name, text)
	}
	for _, want := range []string{"12 cells of former", "0 cells of former"} {
		if o := must(t, "prune", pruned); !strings.Contains(o.out, want) {
			t.Errorf("want %q in\n%s", want, o.out)
		}
	}
	if o := must(t, "plan", grid, "--out", pruned); !strings.Contains(o.out, "6 in "+pruned+" already, 6 to compute") {
		t.Errorf("the pruned folder's plan is\n%s", o.out)
	}
	wantRows(t, filepath.Join(pruned, "cells.arrow"), nil, 6)

	// Other methods and kept tables: what lacks the coefficients is computed again.
	plan("0 in "+out+" already, 12 to compute", "--set", "keep.coefficients=true")
	run(": 12 of 12 cells computed", "--set", "keep.coefficients=true")
	run(": 6 of 18 cells computed", "--set", "repeats=3", "--set", "keep.coefficients=true")
	run(": 0 cells to compute; 18 of 18 cells have ended (18 ok)", "--set", "repeats=3")
	if _, err := os.Stat(filepath.Join(out, "former.cells.arrow")); err == nil {
		t.Error("cells that came back are still set aside")
	}
	plan("0 in "+out+" already, 12 to compute", "--set", "seed=7")
	plan("former 18 cells", "--set", "seed=7")
}

// A grid with more repeats computes these alone, whatever kills the run.
func TestKilledGrowth(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	args := []string{"run", write(t, dir, "grid.yaml", allMethods), "--out", out, "--figures", "0", "--set", "age.acs_step=0.2", "--set", "repeats=1"}
	must(t, args...)
	cells, knots := rowsByCell(t, filepath.Join(out, "cells.arrow")), rowsByCell(t, filepath.Join(out, "knots.arrow"))
	old := len(cells)
	grown := append(slices.Clone(args), "--set", "repeats=2")
	more := old
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration((0.05+0.4*rand.Float64())*float64(time.Second)))
		err := process(ctx, grown...).Run()
		cancel()
		t.Logf("a run was killed: %v", err)
		if o := must(t, "plan", args[1], "--out", out, "--set", "repeats=2"); !regexp.MustCompile(`cells  \d+ \(2 repeats\), \d+ in `).MatchString(o.out) {
			t.Fatalf("plan prints\n%s", o.out)
		}
	}
	o := must(t, grown...)
	if want := fmt.Sprintf("%d of %d cells have ended (%d ok)", old+more, old+more, old+more); !strings.Contains(o.out, want) {
		t.Errorf("want %q in\n%s", want, o.out)
	}
	wantRows(t, filepath.Join(out, "cells.arrow"), cells, old+more)
	wantRows(t, filepath.Join(out, "knots.arrow"), knots, old+more)
	if o := must(t, "verify", out); !strings.Contains(o.out, "no problems") {
		t.Errorf("verify prints\n%s", o.out)
	}
	wantNoRemains(t, out)
	// Back to the former grid, killed while it sets cells aside.
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	_ = process(ctx, args...).Run()
	cancel()
	must(t, args...)
	wantRows(t, filepath.Join(out, "cells.arrow"), cells, old)
	if set := rowsByCell(t, filepath.Join(out, "former.cells.arrow")); len(set) != more {
		t.Errorf("%d cells are set aside, want %d", len(set), more)
	}
}
