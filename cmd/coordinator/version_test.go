package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// ofVersion makes a folder of results of another schema version, by the grid that it returns.
func ofVersion(t *testing.T, version int) (dir, grid string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "other")
	grid = write(t, t.TempDir(), "grid.yaml", smallGrid)
	must(t, "run", grid, "--out", dir, "--workers", "2", "--figures", "0", "--no-reuse")
	changeVersion(t, dir, version)
	return dir, grid
}

// changeVersion makes the files of a folder those of another schema version.
func changeVersion(t *testing.T, dir string, version int) {
	t.Helper()
	have, want := strconv.Itoa(experiment.SchemaVersion), strconv.Itoa(version)
	for name, text := range contents(t, dir) {
		text = strings.Replace(text, `"schema_version": `+have, `"schema_version": `+want, 1)
		stored := func(version string) string { // as a text of the files, padded
			return string(rune(len(version))) + "\x00\x00\x00" + version + strings.Repeat("\x00", 2-len(version))
		}
		write(t, dir, name, strings.ReplaceAll(text, stored(have), stored(want)))
	}
}

// TestReuseOfOtherVersion wants the folders of another schema version that this machine has made
// to be passed over without a word: their cells are computed again.
func TestReuseOfOtherVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid, env := write(t, dir, "grid.yaml", smallGrid), ownCache(dir)
	for _, out := range []string{"first", "second"} {
		o := doWith(t, t.Context(), env, "run", grid, "--out", filepath.Join(dir, out), "--figures", "0")
		if o.code != command.ExitDone || !strings.Contains(o.out, ": 12 of 12 cells computed") || strings.Contains(o.out+o.err, "left out") {
			t.Errorf("%s: exit status %d\n%s%s", out, o.code, o.out, o.err)
		}
		changeVersion(t, filepath.Join(dir, out), experiment.OldestSchema-1)
	}
}

// TestOtherVersions wants folders of other schema versions to be refused by every command on
// folders, with the way out.
func TestOtherVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []int{experiment.OldestSchema - 1, experiment.SchemaVersion + 1} {
		dir, grid := ofVersion(t, version)
		want := []string{"of schema version " + strconv.Itoa(version), "reads versions " + strconv.Itoa(experiment.OldestSchema) + " to " + strconv.Itoa(experiment.SchemaVersion), "read them with the agepath that wrote them"}
		for _, args := range [][]string{
			{"report", dir}, {"compare", dir, dir}, {"verify", dir}, {"replay", dir, "86"}, {"prune", dir},
			{"plan", grid, "--out", dir}, {"run", grid, "--out", dir},
			{"run", grid, "--out", t.TempDir(), "--reuse", dir},
		} {
			o := do(t, args...)
			wantRefusal(t, o, want)
			if o.code == command.ExitFailed {
				t.Errorf("%s can be tried again", args[0])
			}
		}
	}
}

// TestRunOfOtherVersion wants a run that an agepath of another schema version has submitted to
// be shown, to be refused by what would take its results or add to it, and to make way once it
// is removed.
func TestRunOfOtherVersion(t *testing.T) {
	t.Parallel()
	server := testqueue.Server(t, "127.0.0.1:0")
	q := testqueue.Connect(t, queue.Config{URL: server.URL()})
	if err := q.EnsureStreams(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir, grid := ofVersion(t, experiment.OldestSchema-1)
	name, _, _ := strings.Cut(must(t, "submit", grid, "--nats", server.URL()).out, ":")
	must(t, "cancel", name, "--nats", server.URL())
	must(t, "purge", name, "--nats", server.URL())
	if err := q.PutData(t.Context(), name, strings.NewReader(contents(t, dir)[results.ManifestName])); err != nil {
		t.Fatal(err)
	}
	with := func(args ...string) outcome { return do(t, append(args, "--nats", server.URL())...) }
	if o := with("status"); o.code != command.ExitDone || !strings.Contains(o.out, name) {
		t.Errorf("status: exit status %d\n%s%s", o.code, o.out, o.err)
	}
	out := filepath.Join(t.TempDir(), "out")
	var purge []string
	for _, args := range [][]string{
		{"submit", grid}, {"run", grid, "--out", out, "--workers", "1"}, {"collect", name, "--out", out}, {"retry", name},
	} {
		o := with(args...)
		wantRefusal(t, o, []string{"run " + name, "schema version " + strconv.Itoa(experiment.OldestSchema-1), "collect it with that agepath", "coordinator purge " + name, "and submit the grid again"})
		purge = advised(o.err, nil)[0]
	}
	if o := with(purge...); o.code != command.ExitDone {
		t.Fatalf("purge: exit status %d\n%s", o.code, o.err)
	}
	if o := with("submit", grid); o.code != command.ExitDone || !strings.Contains(o.out, "12 of 12 cells queued") {
		t.Errorf("submit: exit status %d\n%s%s", o.code, o.out, o.err)
	}
}
