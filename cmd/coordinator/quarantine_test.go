package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// TestQuarantine has a result that cannot be read and a worker of another version
// alone: collect and status say so.
func TestQuarantine(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	r := startRemote(t)
	dir := t.TempDir()
	write(t, dir, "data.csv", table)
	grid := write(t, dir, "grid.yaml", dataGrid)
	with := func(args ...string) []string { return append(args, "--nats", r.url) }
	run, _, _ := strings.Cut(must(t, with("submit", grid)...).out, ":")
	if _, wait := r.work(t, "--drain", "--cache", filepath.Join(dir, "cache")); wait() != nil {
		t.Fatal("the worker failed")
	}
	out := filepath.Join(dir, "out")
	must(t, with("collect", run, "--out", out)...)
	cells, err := results.ReadTable(filepath.Join(out, "cells.arrow"), "cell")
	if err != nil || cells.Rows() != 2 {
		t.Fatalf("%v, %v; want a cell and the constant's", cells, err)
	}
	cell := cells.At(0, 0).(string)
	conn, err := nats.Connect(r.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Request("agepath.result."+run+"."+cell, []byte("\x1b[2Jno outcome"), 5*time.Second); err != nil {
		t.Fatal(err)
	}
	old := `{"name":"old","state":"idle","slots":1,"at":"` + time.Now().UTC().Format(time.RFC3339) + `","computes":[{"name":"original","version":1}]}`
	for name, body := range map[string]string{"old": old, "none": "no worker"} {
		if _, err := conn.Request("agepath.worker."+name, []byte(body), 5*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	o := must(t, with("collect", run, "--out", filepath.Join(dir, "again"))...)
	if !strings.Contains(o.out, "1 messages did not pass and are quarantined, 1 cells are queued again") {
		t.Errorf("collect prints\n%s", o.out)
	}
	o = must(t, with("status", run)...)
	for _, want := range []string{run + ": 1 messages did not pass and are quarantined", "agepath.result." + run + "." + cell + ": decoding outcome", run + ": no worker for version", "1 messages in the workers' place are none of a worker"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("status lacks %q:\n%s", want, o.out)
		}
	}
	if _, wait := r.work(t, "--drain", "--cache", filepath.Join(dir, "cache")); wait() != nil {
		t.Fatal("the worker failed")
	}

	// A result of a cell that is none of the run's, which the next collection quarantines.
	const foreign = "cells that the run does not have"
	if _, err := conn.Request("agepath.result."+run+"."+strings.Repeat("a", 32), []byte("no outcome"), 5*time.Second); err != nil {
		t.Fatal(err)
	}
	o = must(t, with("status", run)...)
	lines := advised(o.out, map[string]string{"DIR": filepath.Join(dir, "third")})
	if !strings.Contains(o.out, foreign) || len(lines) != 1 {
		t.Fatalf("status prints\n%s", o.out)
	}
	must(t, with(lines[0]...)...)
	if o := must(t, with("status", run)...); strings.Contains(o.out, foreign) {
		t.Errorf("after the collection status prints\n%s", o.out)
	}
}
