package main

import (
	"context"
	"errors"
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
	needs.Patience(t, "1 s")
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

// TestReuseOfStore collects a run into an S3-compatible store, from where another machine takes
// all of its cells. Objects that are damaged or missing are named before a cell is computed.
func TestReuseOfStore(t *testing.T) {
	needs.Patience(t, "15 s")
	t.Parallel()
	s, r, dir := needs.Store(t), startRemote(t), t.TempDir()
	grid := write(t, dir, "grid.yaml", storedGrid)
	name, _, _ := strings.Cut(must(t, "submit", grid, "--nats", r.url).out, ":")
	_, wait := r.work(t, "--drain")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	const url = "s3://results/night/stored"
	temporary := t.TempDir()
	at := func(args ...string) outcome {
		t.Helper()
		cmd := process(t.Context(), args...)
		for name, value := range ownCache(t.TempDir()) { // of another machine
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		cmd.Env = append(append(cmd.Env, s.Env...), "TMPDIR="+temporary)
		var out, message strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &message
		_ = cmd.Run() // its exit status says how it ended
		return outcome{cmd.ProcessState.ExitCode(), out.String(), message.String()}
	}
	if o := at("collect", name, "--nats", r.url, "--out", url); o.code != command.ExitDone {
		t.Fatalf("exit status %d\n%s", o.code, o.err)
	}
	run := func(out string, more ...string) outcome {
		t.Helper()
		return at(append([]string{"run", grid, "--figures", "0", "--reuse", url, "--out", filepath.Join(dir, out)}, more...)...)
	}
	if o := run("second"); o.code != command.ExitDone || !strings.Contains(o.out, ": 0 cells to compute, 12 taken from other runs; 12 of 12 cells have ended (12 ok)") {
		t.Errorf("exit status %d\n%s%s", o.code, o.out, o.err)
	}
	stored := filepath.Join(s.Dir, "night", "stored")
	for _, table := range []string{"cells.arrow", "knots.arrow", "coefficients.arrow"} {
		wantRows(t, filepath.Join(dir, "second", table), rowsByCell(t, filepath.Join(stored, table)), 12)
	}
	must(t, "verify", filepath.Join(dir, "second"))
	if o := run("larger", "--set", "repeats=3"); !strings.Contains(o.out, ": 6 of 18 cells computed in ") {
		t.Errorf("a larger grid: exit status %d\n%s%s", o.code, o.out, o.err)
	}
	wants := func(what string, code int, texts ...string) {
		t.Helper()
		o := run(what)
		for _, text := range texts {
			if o.code != code || !strings.Contains(o.err, text) {
				t.Errorf("%s: exit status %d, want %d and %q in\n%s", what, o.code, code, text, o.err)
			}
		}
		if left, err := filepath.Glob(filepath.Join(dir, what, "*.arrow*")); len(left) > 0 || err != nil {
			t.Errorf("%s: there are %q, %v", what, left, err)
		}
	}
	// bad does something to an object and restores it.
	bad := func(object string, do func(path string) error, check func()) {
		t.Helper()
		path, aside := filepath.Join(stored, object), filepath.Join(dir, "aside")
		if err := os.Rename(path, aside); err != nil { // with its metadata
			t.Fatal(err)
		}
		if err := do(path); err != nil {
			t.Fatal(err)
		}
		check()
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(aside, path); err != nil {
			t.Fatal(err)
		}
	}
	none := func(string) error { return nil }
	for _, object := range []string{"manifest.json", "cells.arrow"} {
		bad(object, none, func() {
			wants("without "+object, command.ExitRefused, "--reuse "+url+": it has no "+object, "`coordinator collect`")
		})
	}
	bad("knots.arrow", none, func() {
		wants("without knots", command.ExitRefused, "taking results of "+url+": knots.arrow is missing, which was written together with cells.arrow")
	})
	half := func(path string) error {
		text, err := os.ReadFile(filepath.Join(dir, "aside"))
		if err != nil {
			return err
		}
		return os.WriteFile(path, text[:len(text)/2], 0o600)
	}
	bad("coefficients.arrow", half, func() {
		wants("half", command.ExitRefused, "taking results of "+url+": ", "coefficients.arrow")
	})
	file, err := os.OpenFile(filepath.Join(stored, "knots.arrow"), os.O_WRONLY, 0) // its metadata stay
	if err == nil {
		_, err = file.WriteAt([]byte("damage"), 500)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	wants("damaged", command.ExitFailed, url+"/knots.arrow: ", "is damaged", "restore the object, or remove it and manifest.json there, and `coordinator collect` of its run sends them again")
	for _, object := range []string{"knots.arrow", "manifest.json"} {
		if err := os.Remove(filepath.Join(stored, object)); err != nil {
			t.Fatal(err)
		}
	}
	if o := at("collect", name, "--nats", r.url, "--out", url); o.code != command.ExitDone {
		t.Errorf("after the objects are removed: exit status %d\n%s", o.code, o.err)
	}
	if o := run("mended"); o.code != command.ExitDone || !strings.Contains(o.out, "12 taken from other runs") {
		t.Errorf("mended: exit status %d\n%s%s", o.code, o.out, o.err)
	}
	for text, args := range map[string][]string{
		"s3://BUCKET/FOLDER is": {"--reuse", "s3:///x"},
		"s3://elsewhere/night: listing: The specified bucket does not exist; create it before": {"--reuse", "s3://elsewhere/night"},
		"it has no manifest.json; allowed is":                                                  {"--reuse", "s3://results/nowhere"},
	} {
		if o := at(append([]string{"run", grid, "--out", filepath.Join(dir, "refused")}, args...)...); o.code != command.ExitRefused || !strings.Contains(o.err, text) {
			t.Errorf("%q: exit status %d, want %q in\n%s", args, o.code, text, o.err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "agepath-reuse-*")); len(left) > 0 || err != nil {
		t.Errorf("copies are left: %q, %v", left, err)
	}
}
