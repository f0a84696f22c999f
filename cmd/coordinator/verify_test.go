package main

import (
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

// rewrite replaces a table of a folder by one with the rows that pick lists, in which
// change replaces values.
func rewrite(t *testing.T, dir, name string, pick func(rows int) []int, change ...func(column string, row int, value any) any) {
	t.Helper()
	path := filepath.Join(dir, name+".arrow")
	frame, err := results.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	var batch experiment.Batch
	for _, row := range pick(frame.Rows()) {
		values := make([]any, len(frame.Columns))
		for j := range values {
			values[j] = frame.At(j, row)
			for _, to := range change {
				values[j] = to(frame.Columns[j].Name, row, values[j])
			}
		}
		if err := batch.Append(frame.Columns, values...); err != nil {
			t.Fatal(err)
		}
	}
	table := experiment.Table{Name: name, Columns: frame.Columns}
	if err := results.WriteTable(path, table, frame.Metadata[results.MetadataRun], &batch, results.ZSTD); err != nil {
		t.Fatal(err)
	}
}

// rowsBut lists all rows but one.
func rowsBut(left int) func(int) []int {
	return func(rows int) []int {
		var all []int
		for row := range rows {
			if row != left {
				all = append(all, row)
			}
		}
		return all
	}
}

// TestVerify wants every fault of a folder found, and none in one that has none.
func TestVerify(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	must(t, "run", write(t, dir, "grid.yaml", allMethods), "--out", whole, "--figures", "0")
	o := must(t, "verify", whole)
	if !strings.Contains(o.out, "64 of 64 cells; 3 files") || !strings.Contains(o.out, "no problems") || strings.Contains(o.out, "note:") {
		t.Errorf("verify prints\n%s", o.out)
	}
	files := contents(t, whole)
	flip := func(name string, at int) func(string) {
		return func(dir string) {
			text := []byte(files[name])
			text[(at+len(text))%len(text)] ^= 4
			write(t, dir, name, string(text))
		}
	}
	edit := func(old, with string) func(string) {
		return func(dir string) {
			text := strings.Replace(files["manifest.json"], old, with, 1)
			if text == files["manifest.json"] {
				t.Fatalf("the manifest does not have %q", old)
			}
			write(t, dir, "manifest.json", text)
		}
	}
	digest := files["manifest.json"][strings.Index(files["manifest.json"], `"data": {`):]
	digest = strings.Split(digest, `"`)[5]
	for _, fault := range []struct {
		name  string
		spoil func(dir string)
		want  string
		opens bool // run and report do not notice
	}{
		{"a bit of the knots", flip("knots.arrow", 5000), "knots.arrow: the checksum of batch 0", false},
		{"a bit of the cells' footer", flip("cells.arrow", -200), "cells.arrow: the checksum of its footer differs", false},
		{"a cell without a row", func(dir string) { rewrite(t, dir, "cells", rowsBut(7)) }, "of the plan has no row", true},
		{"a cell with two rows", func(dir string) {
			rewrite(t, dir, "cells", func(rows int) []int { return append(rowsBut(-1)(rows), 3) })
		}, "has more than one row", true},
		{"a knot that is gone", func(dir string) { rewrite(t, dir, "knots", rowsBut(40)) }, "stands where number", true},
		{"the last knot is gone", func(dir string) {
			rewrite(t, dir, "knots", func(rows int) []int { return rowsBut(rows - 1)(rows) })
		}, "knots by cells.arrow", true},
		{"a score that is no knot's", func(dir string) {
			rewrite(t, dir, "knots", rowsBut(-1), func(column string, row int, value any) any {
				if score, ok := value.(float64); ok && column == "test_score" && row < 40 {
					return score / 2
				}
				return value
			})
		}, "by its knots it is", true},
		{"an age that is no knot's", func(dir string) {
			rewrite(t, dir, "cells", rowsBut(-1), func(column string, _ int, value any) any {
				if age, ok := value.(float64); ok && column == "age_of_best_test" {
					return age + 1e-6
				}
				return value
			})
		}, "age_of_best_test is", true},
		{"a file that is gone", func(dir string) {
			if err := os.Remove(filepath.Join(dir, "knots.arrow")); err != nil {
				t.Fatal(err)
			}
		}, "knots.arrow is missing", true},
		{"other data", edit(digest, strings.Repeat("0", len(digest))), "the cells were computed from 0000", true},
		{"other counts", edit(`"ok": 64`, `"ok": 63`), "64 cells are ok, the manifest says 63", true},
		{"a letter of a column's text", edit(`elapsed time`, `elapsed tine`), "manifest.json was changed", true},
		{"another version of agepath", edit(`"agepath": "`, `"agepath": "9`), "manifest.json was changed", true},
		{"another digest of the manifest", edit(`"sha256": "`, `"sha256": "0`), "manifest.json was changed", true},
		{"another grid", edit(`repeats: 2`, `repeats: 4`), "makes the run", true},
	} {
		t.Run(fault.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range slices.Sorted(maps.Keys(files)) {
				write(t, dir, name, files[name])
			}
			fault.spoil(dir)
			o := do(t, "verify", dir)
			if o.code != command.ExitFailed || !strings.Contains(o.out, fault.want) {
				t.Errorf("exit status %d:\n%s%s", o.code, o.out, o.err)
			}
			if fault.opens {
				return
			}
			for _, line := range [][]string{
				{"run", filepath.Join(filepath.Dir(whole), "grid.yaml"), "--out", dir, "--figures", "0"},
				{"report", dir, "--figures", "0"},
			} {
				if o := do(t, line...); o.code != command.ExitRefused || !strings.Contains(o.err, "is damaged") {
					t.Errorf("%s: exit status %d: %s", line[0], o.code, o.err)
				}
			}
		})
	}
	// A crash before the end leaves streams: that is no problem.
	crashed := filepath.Join(dir, "crashed")
	for _, name := range []string{"cells", "knots", "coefficients"} {
		stream := "\xff\xff\xff\xff" // a torn one
		write(t, crashed, name+".0001.arrows", stream)
		write(t, crashed, name+".arrow", files[name+".arrow"])
	}
	write(t, crashed, "manifest.json", files["manifest.json"])
	if o := must(t, "verify", crashed); !strings.Contains(o.out, "note: the run has not ended: 3 streams") || !strings.Contains(o.out, "cells.0001.arrows holds no whole batch") {
		t.Errorf("verify prints\n%s", o.out)
	}
	if o := do(t, "verify", filepath.Join(dir, "nothing")); o.code != command.ExitRefused {
		t.Errorf("a folder that is not there: exit status %d: %s", o.code, o.err)
	}
}

// TestVerifyPublished wants no problem in an intact folder whose data file and command are where its
// reader is not, nor in one that was collected before the run's end.
func TestVerifyPublished(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	dir := t.TempDir()
	data := write(t, dir, "d.csv", "a,b,y\n"+strings.Repeat("1,2,3.5\n2,1,1\n0,3,2\n1,1,0.5\n", 8))
	script := write(t, dir, "mine.sh", "exit 1\n")
	grid := write(t, dir, "g.yaml", "name: g\nrepeats: 2\ndata: [{path: d.csv, target: y}]\nmodels: [{ridge: {alpha: 0.1}}]\n"+
		"methods: [original, {command: {name: mine, run: [./mine.sh], files: [mine.sh]}}]\n")
	out := filepath.Join(dir, "published")
	must(t, "run", grid, "--out", out, "--figures", "0", "--set", "methods=[original]")
	withCommand := filepath.Join(dir, "command")
	do(t, "run", grid, "--out", withCommand, "--figures", "0", "--allow-commands")
	moved := data + ".moved"
	for _, missing := range []struct {
		file, folder string
		noted        bool
	}{{script, withCommand, false}, {data, out, true}} {
		if err := os.Rename(missing.file, moved); err != nil {
			t.Fatal(err)
		}
		if o := must(t, "verify", missing.folder); strings.Contains(o.out, "note: the plan's cells and the digests of data were not compared") != missing.noted {
			t.Errorf("without %s verify prints\n%s", missing.file, o.out)
		}
		if err := os.Rename(moved, missing.file); err != nil {
			t.Fatal(err)
		}
	}
	// A collection that lacks a cell, in which nothing is damaged.
	m, err := results.ReadManifest(out)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, out, "cells", rowsBut(3))
	m.Counts[experiment.OK]--
	if err := results.WriteManifest(out, m); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(out, "report")); err != nil {
		t.Fatal(err)
	}
	if o := must(t, "verify", out); !strings.Contains(o.out, "note: 1 cell of the plan without a row") {
		t.Errorf("of a part verify prints\n%s", o.out)
	}
}
