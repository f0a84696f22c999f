package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestRemediesOfFolders damages a folder of results in every way, and tries each remedy that the command that notices it names.
func TestRemediesOfFolders(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	dir := t.TempDir()
	grid, whole := write(t, dir, "grid.yaml", strings.Replace(tinyGrid, "[original]", "[original, {command: {name: mine, run: [no-such-program]}}]", 1)), filepath.Join(dir, "whole")
	run := func(out string) []string {
		return []string{"run", grid, "--out", out, "--figures", "0", "--set", "methods=[original]"}
	}
	must(t, run(whole)...)
	must(t, "crate", whole)
	files := contents(t, whole)
	copied := func() string {
		out := filepath.Join(t.TempDir(), "out")
		for name, text := range files {
			write(t, out, name, text)
		}
		return out
	}
	spoil := func(name string, at int) func(string) {
		return func(out string) {
			text := []byte(files[name])
			text[(at+len(text))%len(text)] ^= 4
			write(t, out, name, string(text))
		}
	}
	remove := func(pattern string) func(string) {
		return func(out string) {
			names, err := filepath.Glob(filepath.Join(out, pattern))
			if err != nil || len(names) == 0 {
				t.Fatalf("%s: %v", pattern, err)
			}
			for _, name := range names {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	torn := func(out string) { write(t, out, "cells.0001.arrows", "\xff\xff\xff\xff") } // as a killed run leaves it
	restore := func(name string) func(string) { return func(out string) { write(t, out, name, files[name]) } }
	verify := func(out string) []string { return []string{"verify", out} }
	type way struct {
		says string
		do   func(out string)
		args func(out string) []string // before the command that noticed it
	}
	again := func(name string) []way { // of tables
		return []way{{"restore it from a copy", restore(name), nil}, {"or remove its *.arrow files and compute the cells again", remove("*.arrow"), run}}
	}
	made := func(name string) []way {
		return []way{{"restore it from a copy", restore(name), nil}, {"or make again what the problems name", func(string) {}, nil}}
	}
	for name, c := range map[string]struct {
		spoil   func(out string)
		noticed func(out string) []string
		ways    []way // and the lines that are advised
	}{
		"cells":    {spoil("cells.arrow", 900), verify, again("cells.arrow")},
		"footer":   {spoil("cells.arrow", -200), verify, again("cells.arrow")},
		"knots":    {spoil("knots.arrow", 900), verify, again("knots.arrow")},
		"no knots": {remove("knots.arrow"), run, []way{{"restore it", restore("knots.arrow"), nil}, {"or remove cells.arrow too and compute its cells again", remove("cells.arrow"), nil}}},
		"no cells": {remove("cells.arrow"), verify, again("cells.arrow")},
		"manifest": {spoil("manifest.json", 300), verify, []way{{"restore it from a copy", restore("manifest.json"), nil}, {"or run its grid into the folder again", func(string) {}, run}}},
		"manifest, edited": {func(out string) {
			write(t, out, "manifest.json", strings.Replace(files["manifest.json"], `"name": "tiny"`, `"name": "tidy"`, 1))
		}, verify, again("manifest.json")},
		"report":                   {spoil("report/report.md", 100), verify, made("report/report.md")},
		"no report":                {remove("report/report.md"), verify, made("report/report.md")},
		"list of report":           {spoil("report/made.json", 0), func(out string) []string { return []string{"report", out, "--figures", "0"} }, []way{{"remove it, and", remove("report/made.json"), nil}}},
		"list of report, verified": {spoil("report/made.json", 0), verify, made("report/made.json")},
		"no file": {func(out string) {
			remove("knots.arrow")(out)
			write(t, out, "knots.arrow/file", "")
		}, verify, []way{{"put a file in its place", func(out string) {
			remove("knots.arrow/file")(out)
			remove("knots.arrow")(out)
			restore("knots.arrow")(out)
		}, nil}}},
		"not ended": {torn, func(out string) []string { return []string{"crate", out} }, []way{{"wait for its end, or collect it", func(string) {}, run}}},
		"not ended, for Parquet": {torn, func(out string) []string { return []string{"report", out, "--figures", "0", "--format", "parquet"} },
			[]way{{"wait for its end, or collect it", func(string) {}, run}}},
		"crate": {spoil("ro-crate-metadata.json", 0), verify, made("ro-crate-metadata.json")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := copied()
			c.spoil(out)
			noticed := do(t, c.noticed(out)...)
			said := noticed.out + noticed.err
			if noticed.code == command.ExitDone {
				t.Fatalf("%q does not notice it: %s", c.noticed(out), said)
			}
			for _, w := range c.ways {
				out := copied()
				c.spoil(out)
				w.do(out)
				if w.args != nil {
					must(t, w.args(out)...)
				}
				o := do(t, c.noticed(out)...)
				if o.code != command.ExitDone && !strings.HasPrefix(w.says, "restore") {
					for _, line := range advised(o.out, nil) {
						if strings.Contains(o.out, "made.json: invalid character") && strings.Contains(o.out, "; remove it, and `") {
							remove("report/made.json")(out)
						}
						must(t, line...)
					}
					o = do(t, c.noticed(out)...)
				}
				if o.code != command.ExitDone || !strings.Contains(said, w.says) {
					t.Errorf("%q, which is to be in %q, leaves %s", w.says, said, o.out+o.err)
				}
			}
		})
	}

	// A folder that others take cells from, restored or computed again.
	for _, way := range []struct {
		says string
		do   func(from string)
	}{
		{"restore it", restore("knots.arrow")},
		{"or remove cells.arrow too and compute its cells again", func(from string) {
			remove("cells.arrow")(from)
			must(t, run(from)...)
		}},
	} {
		from := copied()
		remove("knots.arrow")(from)
		args := append(run(filepath.Join(t.TempDir(), "taker")), "--reuse", from)
		if o := do(t, args...); o.code == command.ExitDone || !strings.Contains(o.err, way.says) {
			t.Errorf("reuse: exit status %d: %s", o.code, o.err)
		}
		way.do(from)
		if o := must(t, args...); !strings.Contains(o.out, " taken from ") {
			t.Errorf("%s: %s", way.says, o.out)
		}
	}

	// Cells that a limit or a missing permission ends.
	out := filepath.Join(dir, "limited")
	limited := append(run(out), "--set", "limits.timeout=1ns")
	o := do(t, limited...)
	if replays := advised(o.err, map[string]string{"CELL": cellsOf(t, out)[0]}); o.code != command.ExitFailed || len(replays) != 1 || !strings.Contains(o.err, "With higher limits it computes those that a limit ended") {
		t.Errorf("limited: %s", o.err)
	} else if o := do(t, append(replays[0], "--set", "x")...); o.code != command.ExitRefused {
		t.Errorf("replay takes an unknown flag: %s", o.err)
	}
	must(t, append(run(out), "--set", "limits.timeout=1h")...)
	commands := []string{"run", grid, "--out", filepath.Join(dir, "commands"), "--figures", "0"}
	if o := do(t, commands...); o.code != command.ExitRefused || !strings.Contains(o.err, "--allow-commands lets them run") {
		t.Errorf("commands: %s", o.err)
	}
	o = do(t, append(commands, "--allow-commands")...)
	if o.code != command.ExitFailed || !strings.Contains(o.err, "no-such-program") {
		t.Errorf("commands that are allowed: %s", o.err)
	}
	// Cells of former grids.
	must(t, append(run(out), "--set", "models=[{lasso: {alpha: 0.5}}]")...)
	if o := must(t, "verify", out); !strings.Contains(o.out, "`coordinator prune` removes them") {
		t.Errorf("former cells: %s", o.out)
	}
	must(t, "prune", out)
	if o := must(t, "verify", out); strings.Contains(o.out, "former") {
		t.Errorf("pruned: %s", o.out)
	}
	// Files that others can read, with the chmod that the warning advises.
	if runtime.GOOS != "windows" {
		password := write(t, dir, "password", "x")
		plain := []string{"status", "--nats", "nats://127.0.0.1:1", "--connect-wait", "0s", "--user", "u", "--password-file", password}
		if o := do(t, plain...); !strings.Contains(o.err, "`chmod o= "+password+"`") {
			t.Errorf("no warning: %s", o.err)
		}
		if err := os.Chmod(password, 0o640); err != nil {
			t.Fatal(err)
		}
		if o := do(t, plain...); strings.Contains(o.err, "chmod") {
			t.Errorf("warned again: %s", o.err)
		}
	}
}
