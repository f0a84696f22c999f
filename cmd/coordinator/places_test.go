package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// TestReplayFromAnyFolder wants a run that was named by relative paths to be replayed
// and verified from another folder, also when its folder was moved with its data, and
// without the places in its manifest, as of a version before, from its own.
func TestReplayFromAnyFolder(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	write(t, home, "grids/data.csv", table)
	write(t, home, "grids/grid.yaml", dataGrid)
	within := func(dir string, args ...string) (string, error) {
		t.Helper()
		cmd := process(t.Context(), args...)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	if text, err := within(home, "run", "grids/grid.yaml", "--out", "out/a"); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := filepath.Join(home, "out", "a")
	frame, err := results.ReadTable(filepath.Join(out, results.CellsFile), "cell")
	if err != nil {
		t.Fatal(err)
	}
	cell := frame.Batch.Columns[0].Texts[0]
	manifest, err := results.ReadManifest(out)
	if err != nil {
		t.Fatal(err)
	}
	data := manifest.Places.Data
	if len(data) != 1 || data[0].Path != filepath.Join(home, "grids", "data.csv") || data[0].Relative != "../../grids/data.csv" ||
		data[0].Digest != manifest.Data["data"] || manifest.Places.Grid.Relative != "../../grids/grid.yaml" {
		t.Errorf("the places are %+v", manifest.Places)
	}
	before := contents(t, out)
	if text, err := within(home, "run", "grids/grid.yaml", "--out", "out/a"); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if after := contents(t, out); after[results.ManifestName] != before[results.ManifestName] {
		t.Error("a run that computes nothing changes the manifest")
	}
	must(t, "replay", out, cell)
	if o := must(t, "verify", out); strings.Contains(o.out, "note:") {
		t.Errorf("verify prints %s", o.out)
	}

	// Another file where the data was is noticed; one elsewhere is found by its digest.
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(home, moved); err != nil {
		t.Fatal(err)
	}
	write(t, home, "grids/grid.yaml", dataGrid)
	write(t, home, "grids/data.csv", strings.Replace(table, "1", "2", 1))
	out = filepath.Join(moved, "out", "a")
	must(t, "replay", out, cell)
	must(t, "verify", out)

	path := filepath.Join(out, results.ManifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "places")
	if text, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := within(moved, "replay", "out/a", cell); err != nil {
		t.Errorf("a manifest without places: %v\n%s", err, text)
	}
	if o := do(t, "replay", out, cell); o.code != command.ExitFailed || !strings.Contains(o.err, "data.csv") {
		t.Errorf("a manifest without places, elsewhere: exit status %d: %s", o.code, o.err)
	}
}

// TestReplayCollected wants a folder that was collected to be replayed and verified from
// anywhere on the machine of the data: by the places in the run's description.
func TestReplayCollected(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	server := testqueue.Server(t, "127.0.0.1:0")
	home, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	write(t, home, "data.csv", table)
	write(t, home, "grid.yaml", "name: collected\n"+dataGrid)
	submit := process(t.Context(), "run", "grid.yaml", "--nats", server.URL(), "--workers", "1", "--no-reuse", "--cache", filepath.Join(home, "cache", "datasets"))
	submit.Dir = home
	if text, err := submit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	must(t, "collect", "collected", "--nats", server.URL(), "--out", out, "--no-reuse")
	must(t, "replay", out, cellsOf(t, out)[0])
	if o := must(t, "verify", out); strings.Contains(o.out, "note:") {
		t.Errorf("verify prints %s", o.out)
	}
}
