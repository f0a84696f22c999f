package main

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

// ownCache is the environment of commands that remember folders of results of their own.
func ownCache(dir string) map[string]string {
	return map[string]string{reuseVariable: "false", "AGEPATH_CACHE": filepath.Join(dir, "user", "datasets")}
}

// TestReuse computes a grid, then takes it from the folder that is remembered, and from one
// that is named.
func TestReuse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid, env := write(t, dir, "grid.yaml", smallGrid), ownCache(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	do := func(want string, args ...string) {
		t.Helper()
		o := doWith(t, t.Context(), env, args...)
		if o.code != command.ExitDone || !strings.Contains(o.out, want) {
			t.Errorf("%v: exit status %d, want %q in\n%s%s", args, o.code, want, o.out, o.err)
		}
	}
	run := func(want, out string, more ...string) {
		t.Helper()
		do(want, append([]string{"run", grid, "--out", in(out), "--figures", "0"}, more...)...)
	}
	run(": 12 of 12 cells computed", "first")
	run(": 0 cells to compute, 12 taken from other runs; 12 of 12 cells have ended (12 ok)", "second")
	cells, knots := rowsByCell(t, filepath.Join(in("first"), "cells.arrow")), rowsByCell(t, filepath.Join(in("first"), "knots.arrow"))
	wantRows(t, filepath.Join(in("second"), "cells.arrow"), cells, 12)
	wantRows(t, filepath.Join(in("second"), "knots.arrow"), knots, 12)
	do("no problems", "verify", in("second"))
	run(": 12 of 12 cells computed", "third", "--no-reuse")
	run(": 6 of 18 cells computed in ", "fourth", "--set", "repeats=3")
	for _, name := range []string{"first", "second", "fourth"} { // an outcome of a folder that is gone is computed
		if err := os.Rename(in(name), in("of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	run(": 6 of 18 cells computed", "fifth", "--set", "repeats=3", "--reuse", in("of first"))
	wantRows(t, filepath.Join(in("fifth"), "cells.arrow"), cells, 18)
	run(": 0 cells to compute; 18 of 18", "fifth", "--set", "repeats=3", "--reuse", in("of first"))

	for _, refused := range [][]string{
		{"run", grid, "--out", in("x"), "--reuse", in("nowhere")},
		{"run", grid, "--out", in("x"), "--reuse", dir},
		{"submit", grid, "--reuse", in("nowhere")},
	} {
		if o := doWith(t, t.Context(), env, refused...); o.code != command.ExitRefused {
			t.Errorf("%v: exit status %d\n%s", refused, o.code, o.err)
		}
	}
}

// TestKilledReuse kills a grid while it grows, at a server, and while it is taken from
// a folder: nothing is lost, and nothing is there twice.
func TestKilledReuse(t *testing.T) {
	needs.Patience(t, "8 s")
	t.Parallel()
	dir := t.TempDir()
	server := testqueue.Server(t, needs.FreePorts(t, 1)[0])
	grid := write(t, dir, "grid.yaml", smallGrid)
	variables := ownCache(dir)
	env := func(cached bool) map[string]string {
		own := maps.Clone(variables)
		if !cached {
			own[reuseVariable] = "true"
		}
		return own
	}
	// killed runs a command that is killed some times, then to its end.
	killed := func(cached bool, args ...string) outcome {
		t.Helper()
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration((0.05+0.5*rand.Float64())*float64(time.Second)))
			cmd := process(ctx, args...)
			for name, value := range env(cached) {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			t.Logf("%s was killed: %v", args[0], cmd.Run())
			cancel()
		}
		o := doWith(t, t.Context(), env(cached), args...)
		if o.code != command.ExitDone {
			t.Fatalf("%v: exit status %d\n%s", args, o.code, o.err)
		}
		return o
	}
	args := func(out string, more ...string) []string {
		return append([]string{"run", grid, "--out", filepath.Join(dir, out), "--figures", "0", "--set", "repeats=9"}, more...)
	}
	at := []string{"--nats", server.URL(), "--ack-wait", "1s"}
	grown := []string{"--set", "repeats=12"}
	killed(true, args("first")...)
	cells, knots := rowsByCell(t, filepath.Join(dir, "first", "cells.arrow")), rowsByCell(t, filepath.Join(dir, "first", "knots.arrow"))
	all := len(cells) / 3 * 4

	killed(false, args("served", at...)...)
	killed(false, args("served grown", slices.Concat(at, grown)...)...)
	servedCells := rowsByCell(t, filepath.Join(dir, "served", "cells.arrow"))
	wantRows(t, filepath.Join(dir, "served grown", "cells.arrow"), servedCells, all)
	wantRows(t, filepath.Join(dir, "served grown", "knots.arrow"), knots, all)

	killed(true, args("grown", grown...)...)
	wantRows(t, filepath.Join(dir, "grown", "cells.arrow"), nil, all)
	wantRows(t, filepath.Join(dir, "grown", "knots.arrow"), knots, all)
	o := killed(true, args("grown again", grown...)...)
	if !regexp.MustCompile(`: 0 cells to compute(, \d+ taken from other runs)?; `).MatchString(o.out) {
		t.Errorf("what a folder has is computed again:\n%s", o.out)
	}
	wantRows(t, filepath.Join(dir, "grown again", "knots.arrow"), knots, all)
	for _, out := range []string{"served grown", "grown", "grown again"} {
		if o := must(t, "verify", filepath.Join(dir, out)); !strings.Contains(o.out, "no problems") {
			t.Errorf("verify prints\n%s", o.out)
		}
	}
}
