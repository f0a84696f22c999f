package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// storedGrid has cells with knots and coefficients, and two noise levels to draw.
const storedGrid = `name: stored
repeats: 2
data: [diabetes]
models: [{lasso: {alpha: 0.01}}]
noise: [{kind: gaussian, levels: [0, 0.3]}]
regularizers: [linear]
methods: [original, gaga]
age: {min: 0.1, max: 5}
keep: {coefficients: true}
`

// stored reads the objects of a store's folder.
func stored(t *testing.T, s *needs.S3, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, text := range contents(t, s.Dir) {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			files[rest] = text
		}
	}
	return files
}

// TestCollectIntoStore gathers a run into an S3-compatible store and kills the coordinator
// in each of its writes. Each object must be whole or absent, and all must be there with
// the manifest; the next collection finishes.
func TestCollectIntoStore(t *testing.T) {
	needs.Patience(t, "15 s")
	t.Parallel()
	s, r, dir := needs.Store(t), startRemote(t), t.TempDir()
	grid := write(t, dir, "grid.yaml", storedGrid)
	run, _, _ := strings.Cut(must(t, "submit", grid, "--nats", r.url).out, ":")
	_, wait := r.work(t, "--drain")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	args := func(out string, more ...string) []string {
		return append([]string{"collect", run, "--nats", r.url, "--out", out, "--figures", "1", "--format", "markdown,parquet"}, more...)
	}
	here := filepath.Join(dir, "here")
	must(t, args(here)...)
	want := contents(t, here)
	delete(want, ".lock")
	for _, name := range []string{"coefficients.arrow", "report/report.md", "report/cells.parquet", "report/knots.parquet", "report/coefficients.parquet"} {
		if want[name] == "" {
			t.Errorf("collected into a folder there is no %s", name)
		}
	}
	const folder = "night/stored"
	kills := 0
	for n := int64(1); ; n++ {
		cmd := process(t.Context(), args("s3://results/"+folder)...)
		proxy, killed := s.Killing(t, 1+n%3, n%2 == 0, func() { _ = cmd.Process.Kill() })
		cmd.Env = append(append(cmd.Env, s.Env...), "AWS_ENDPOINT_URL="+proxy.URL)
		text, err := cmd.CombinedOutput()
		proxy.Close()
		have := stored(t, s, folder)
		for name, body := range have {
			if body != want[name] && name != "manifest.json" {
				t.Errorf("kill %d: %s is not whole", n, name)
			}
		}
		if _, there := have["manifest.json"]; there && len(have) < len(want) {
			t.Errorf("kill %d: the manifest is there with %d objects of %d", n, len(have), len(want))
		}
		if !killed.Load() {
			if err != nil {
				t.Fatalf("collecting: %v\n%s", err, text)
			}
			break
		}
		if kills++; kills > 3*len(want) {
			t.Fatal("it does not come to an end")
		}
	}
	if kills < 5 {
		t.Errorf("%d kills", kills)
	}
	into := func(code int, args ...string) outcome {
		t.Helper()
		cmd := process(t.Context(), args...)
		cmd.Env = append(cmd.Env, s.Env...)
		var out, message strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &message
		_ = cmd.Run() // its exit status says how it ended
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Fatalf("%q: exit status %d, want %d\n%s", args, got, code, message.String())
		}
		return outcome{code, out.String(), message.String()}
	}
	have := stored(t, s, folder)
	if names := slices.Sorted(maps.Keys(have)); !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
		t.Errorf("the store has %q", names)
	}
	must(t, "verify", filepath.Join(s.Dir, filepath.FromSlash(folder)))
	if o := into(command.ExitDone, args("s3://results/"+folder, "--json")...); !strings.Contains(o.out, `"out": "s3://results/night/stored"`) {
		t.Errorf("it prints %s", o.out)
	}
	if !maps.Equal(stored(t, s, folder), have) {
		t.Error("collected again, objects changed")
	}
	into(command.ExitDone, args("s3://results/"+folder, "--figures", "0")...)
	if _, there := stored(t, s, folder)["report/figures/"+figureOf(want)]; there || figureOf(want) == "" {
		t.Errorf("the figure %q, which the report does not have any more, stays", figureOf(want))
	}
	wantMended(t, filepath.Join(s.Dir, filepath.FromSlash(folder)), func(code int) outcome { return into(code, args("s3://results/"+folder)...) })
	other, _, _ := strings.Cut(must(t, "submit", write(t, dir, "other.yaml", storedGrid), "--set", "repeats=1", "--nats", r.url).out, ":")
	refused := into(command.ExitRefused, "collect", other, "--nats", r.url, "--out", "s3://results/"+folder)
	if !strings.Contains(refused.err, "holds run "+run) {
		t.Errorf("another run into the same folder: %s", refused.err)
	}
	into(command.ExitDone, "collect", other, "--nats", r.url, "--figures", "0", "--out", "s3://results/night/other")
}

// wantMended damages objects of a store's folder. The next collection must name the object and send
// nothing, and after its advice send the tables again.
func wantMended(t *testing.T, folder string, collect func(code int) outcome) {
	t.Helper()
	before := contents(t, folder)
	damage := func(name string) {
		t.Helper()
		file, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY, 0) // its metadata stay
		if err == nil {
			_, err = file.WriteAt([]byte("damage"), int64(len(before[name])/2))
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"knots.arrow", "cells.arrow", "manifest.json"} {
		damage(name)
		damaged := contents(t, folder)
		if o := collect(command.ExitFailed); !strings.Contains(o.err, name) || !strings.Contains(o.err, "is damaged") || !strings.Contains(o.err, "restore the object, or remove it and manifest.json there") {
			t.Errorf("of a damaged %s it says %s", name, o.err)
		}
		if !maps.Equal(contents(t, folder), damaged) {
			t.Error("the folder has changed")
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(before[name]), 0o600); err != nil { // its metadata stay
			t.Fatal(err)
		}
		collect(command.ExitDone)
		damage(name)
		for _, object := range slices.Compact([]string{name, "manifest.json"}) {
			if err := os.Remove(filepath.Join(folder, object)); err != nil {
				t.Fatal(err)
			}
		}
		collect(command.ExitDone)
		after := contents(t, folder)
		for _, table := range []string{"cells.arrow", "knots.arrow", "coefficients.arrow"} {
			if after[table] != before[table] {
				t.Errorf("after damage of %s, %s is another", name, table)
			}
		}
	}
	remove := func(name string) {
		t.Helper()
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	remove("knots.arrow")
	const lacks = "results in s3://results/night/stored: knots.arrow is missing, which was written together with cells.arrow: restore it, or remove cells.arrow too"
	if o := collect(command.ExitRefused); !strings.Contains(o.err, lacks) {
		t.Errorf("without knots.arrow it says %s", o.err)
	}
	if err := os.WriteFile(filepath.Join(folder, "knots.arrow"), []byte(before["knots.arrow"]), 0o600); err != nil {
		t.Fatal(err)
	}
	collect(command.ExitDone)
	remove("knots.arrow")
	remove("cells.arrow")
	collect(command.ExitDone)
	if after := contents(t, folder); after["knots.arrow"] != before["knots.arrow"] || after["cells.arrow"] != before["cells.arrow"] {
		t.Error("after both were removed, the tables are others")
	}
	must(t, "verify", folder)
}

// figureOf returns the name of a figure among files.
func figureOf(files map[string]string) string {
	for name := range files {
		if rest, ok := strings.CutPrefix(name, "report/figures/"); ok {
			return rest
		}
	}
	return ""
}

// TestCollectIntoNoStore wants places that are none to be refused.
func TestCollectIntoNoStore(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "2 s")
	r, dir := startRemote(t), t.TempDir()
	run, _, _ := strings.Cut(must(t, "submit", write(t, dir, "grid.yaml", storedGrid), "--nats", r.url).out, ":")
	wantRefusal(t, do(t, "collect", run, "--nats", r.url, "--out", "s3://"), []string{"--out", "s3://BUCKET/FOLDER"})
	early := filepath.Join(dir, "early") // a report without a row
	must(t, "collect", run, "--nats", r.url, "--out", early, "--format", "markdown,parquet")
	if files := contents(t, early); files["report/report.md"] == "" || files["report/cells.parquet"] == "" {
		t.Error("collected before there is a result, there is no report")
	}
}
