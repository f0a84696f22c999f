package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
)

// versionBefore is a folder of version 0.1.0, schema version 6: 8 cells of a grid, which says
// now what it meant then; the constant has 4 more. The 4 of original are of an algorithm
// before.
func versionBefore(t *testing.T) (dir, grid string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "before")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "results", "testdata", "version6"))); err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Grid string }
	if err := json.Unmarshal([]byte(contents(t, dir)[results.ManifestName]), &manifest); err != nil {
		t.Fatal(err)
	}
	return dir, write(t, t.TempDir(), "before.yaml", strings.Replace(manifest.Grid, "{alpha: [0.1]}", "{alpha: [0.1], intercept: false}", 1))
}

// TestFolderOfVersionBefore wants a folder of 0.1.0 to be reported and compared, verify and
// replay to say that its algorithms are others, and commands that would add to it to be refused with a way out.
func TestFolderOfVersionBefore(t *testing.T) {
	t.Parallel()
	before, grid := versionBefore(t)
	after := filepath.Join(t.TempDir(), "after")
	must(t, "run", grid, "--out", after, "--workers", "2", "--figures", "0")
	for _, dirs := range [][]string{{before, after}, {after, before}} {
		object := conforms(t, "compare", must(t, append([]string{"compare", "--json"}, dirs...)...).out)
		wantAt(t, object, []any{"pairs", 0, "cells", 0, "shared", 4.0}, []any{"pairs", 0, "cells", 0, "counterparts", 4.0},
			[]any{"pairs", 0, "numbers", "beyond_rounding", 0.0})
		if o := must(t, append([]string{"compare"}, dirs...)...); !strings.Contains(o.out, "without the columns intercept, protocol, split_train") {
			t.Errorf("compare says nothing of the columns that are not there:\n%s", o.out)
		}
	}
	// Another scaling has other cells, and the same labels of those that version 6 has.
	other := filepath.Join(t.TempDir(), "other")
	must(t, "run", grid, "--out", other, "--workers", "2", "--figures", "0", "--set", "scale.features=minmax")
	wantAt(t, conforms(t, "compare", must(t, "compare", "--json", before, other).out),
		[]any{"pairs", 0, "cells", 0, "shared", 0.0}, []any{"pairs", 0, "cells", 0, "counterparts", 8.0})

	files := contents(t, before)
	cell := cellsOf(t, before)[0]
	if o := do(t, "verify", before); !strings.Contains(o.out, "8 of 8 cells") || strings.Count(o.out, "problem:") != 1 || !strings.Contains(o.out, "or is of another version of agepath") {
		t.Errorf("verify: %s", o.out)
	}
	if o := do(t, "replay", before, cell); !strings.Contains(o.err, "its version of agepath are others") {
		t.Errorf("replay: %s", o.err)
	}
	for _, args := range [][]string{{"run", grid, "--out", before}, {"plan", grid, "--out", before}, {"prune", before}} {
		wantRefusal(t, do(t, args...), []string{before, "of schema version 6", "run the grid into another folder"})
	}
	// Its cells are taken over by another folder, with the labels that it lacks.
	taken := filepath.Join(t.TempDir(), "taken")
	o := must(t, "run", grid, "--out", taken, "--reuse", before, "--no-reuse", "--workers", "1", "--figures", "0", "--json")
	wantAt(t, conforms(t, "run", o.out), []any{"computed", 8.0}, []any{"reused", 4.0})
	labels := func(dir string) (text string) {
		frame, err := results.ReadTable(filepath.Join(dir, results.CellsFile), "cell", "protocol", "split_train", "scale_features", "intercept", "test_at_best_test")
		if err != nil {
			t.Fatal(err)
		}
		for row := range frame.Rows() {
			for j := range frame.Columns {
				text += fmt.Sprint(frame.At(j, row), " ")
			}
		}
		return text
	}
	if a, b := labels(taken), labels(after); a != b {
		t.Errorf("the rows taken over are\n%s\nthose computed here\n%s", a, b)
	}
	for name, text := range contents(t, before) {
		if have, there := files[name]; there && have != text {
			t.Errorf("%s has changed", name)
		}
	}
	table := func(o outcome) (rows string) { // of scores, without what the constant adds
		for line := range strings.Lines(o.out) {
			if strings.Count(line, " ± ") >= 3 {
				fields := strings.Fields(line)
				rows += strings.Join(fields[:len(fields)-3*(strings.Count(line, " ± ")-3)], " ") + "\n"
			}
		}
		return rows
	}
	if a, b := table(must(t, "report", before, "--format", "html,latex,csv")), table(must(t, "report", after)); a != b || a == "" {
		t.Errorf("the report is\n%s\nthat of the same run here\n%s", a, b)
	}
}

// TestOtherVersions wants folders of versions that are not read to be refused by every
// command on folders, with the way out.
func TestOtherVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"5", "8"} {
		dir, grid := versionBefore(t)
		for name, text := range contents(t, dir) {
			if name == results.ManifestName {
				text = strings.Replace(text, `"schema_version": 6`, `"schema_version": `+version, 1)
			} else {
				text = strings.ReplaceAll(text, "\x01\x00\x00\x006", "\x01\x00\x00\x00"+version)
			}
			write(t, dir, name, text)
		}
		want := []string{"of schema version " + version, "reads versions 6 to 7", "read them with the agepath that wrote them"}
		for _, args := range [][]string{
			{"report", dir}, {"compare", dir, dir}, {"verify", dir}, {"replay", dir, "86"}, {"prune", dir},
			{"plan", grid, "--out", dir}, {"run", grid, "--out", dir},
		} {
			o := do(t, args...)
			wantRefusal(t, o, want)
			if o.code == command.ExitFailed {
				t.Errorf("%s can be tried again", args[0])
			}
		}
	}
}

// TestRunOfVersionBefore wants a run that 0.1.0 has submitted to be shown, to be refused
// by what would take its results or add to it, and to make way once it is removed.
func TestRunOfVersionBefore(t *testing.T) {
	t.Parallel()
	server, err := queue.StartServer(t.Context(), queue.ServerConfig{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
	}()
	q, err := queue.Connect(t.Context(), queue.Config{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := q.EnsureStreams(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, grid := versionBefore(t)
	const written = "before-b2af9e5b" // original's algorithm was another then
	name, _, _ := strings.Cut(must(t, "submit", grid, "--nats", server.URL()).out, ":")
	must(t, "cancel", name, "--nats", server.URL())
	must(t, "purge", name, "--nats", server.URL())
	if err := q.PutData(t.Context(), name, strings.NewReader(strings.ReplaceAll(contents(t, before)[results.ManifestName], written, name))); err != nil {
		t.Fatal(err)
	}
	with := func(args ...string) outcome { return do(t, append(args, "--nats", server.URL())...) }
	if o := with("status"); o.code != command.ExitDone || !strings.Contains(o.out, name) {
		t.Errorf("status: exit status %d\n%s%s", o.code, o.out, o.err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"submit", grid}, {"run", grid, "--out", out, "--workers", "1"}, {"collect", name, "--out", out}, {"retry", name}, {"discard", name, "8"},
	} {
		wantRefusal(t, with(args...), []string{"run " + name, "schema version 6", "collect it with that agepath", "coordinator purge " + name})
	}
	if o := with("purge", name); o.code != command.ExitDone {
		t.Fatalf("purge: exit status %d\n%s", o.code, o.err)
	}
	if o := with("submit", grid); o.code != command.ExitDone || !strings.Contains(o.out, "12 of 12 cells queued") {
		t.Errorf("submit: exit status %d\n%s%s", o.code, o.out, o.err)
	}
}
