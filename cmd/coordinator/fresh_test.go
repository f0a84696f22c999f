package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// TestReportOfOneState wants all files of a report, whichever command made them, to be of the
// folder's cells and of the same options, the crate to list them as they are, and verify to say
// where they are not.
func TestReportOfOneState(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", smallGrid), filepath.Join(dir, "out")
	run := func(args ...string) map[string]string {
		must(t, append([]string{"run", grid, "--out", out, "--no-reuse"}, args...)...)
		must(t, "verify", out)
		return contents(t, out)
	}
	first := run("--format", "markdown,csv,html")
	must(t, "crate", out)
	more := run("--set", "repeats=3")
	for _, name := range []string{"report.md", "report.html", "answer.csv", "cells.csv"} {
		path := results.ReportFolder + "/" + name
		if more[path] == "" || more[path] == first[path] {
			t.Errorf("%s is that of fewer repeats, or gone", name)
		}
	}
	for _, name := range []string{"report/report.md", "report/report.html"} {
		if !strings.Contains(more[name], "over 3 repeats") {
			t.Errorf("%s is not of 3 repeats", name)
		}
	}
	must(t, "report", out, "--choose", "best", "--figures", "0")
	if again := run("--set", "repeats=3"); !maps.Equal(again, more) {
		for name, text := range again {
			if more[name] != text {
				t.Errorf("after a report with another choice, %s is not that of the run", name)
			}
		}
	}
	for _, name := range []string{"report/answer.csv", results.CellsFile} {
		intact := contents(t, out)[name]
		write(t, out, name, strings.Replace(intact, "0", "1", 1))
		o := do(t, "verify", out)
		if o.code != command.ExitFailed || name != results.CellsFile && !strings.Contains(o.out, filepath.Join(out, name)+" has changed since it was written; `coordinator report "+out+"`") {
			t.Errorf("%s edited: exit status %d\n%s", name, o.code, o.out)
		}
		write(t, out, name, intact)
	}
	if err := os.Remove(filepath.Join(out, "report", "report.html")); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "verify", out); !strings.Contains(o.out, "report.html is missing") {
		t.Errorf("a removed file:\n%s", o.out)
	}
	must(t, "report", out)
	must(t, "verify", out)
}
