package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// sleepingGrid has 150 cells of a command.
const sleepingGrid = `name: %[1]s
data: [diabetes]
split: {validation: 0}
repeats: 150
models: [{lasso: {alpha: 0.1}}]
methods:
  - command: {name: %[1]s, run: [/bin/sh, %[1]s.sh], files: [%[1]s.sh]}
`

const sleepingScript = `while read l; do sleep 0.08; c=${l#*\"id\":\"}; c=${c%%\"*}
echo '{"cell": "'$c'", "coefficients": [[0,0,0,0,0,0,0,0,0,0,0]]}'; done`

// TestTurns has three runs of two owners computed by two workers that run commands and one
// that does not, and kills the coordinator of one in the middle: the time that each has is in the
// order of the shares, and clearly not equal. The shares themselves are experiment/queue's to hold
// (TestTurnsByTime). Started again, the coordinator gathers every cell once.
func TestTurns(t *testing.T) {
	needs.Patience(t, "25 s")
	needs.Program(t, "scripts as commands", "setsid")
	t.Parallel()
	r := startRemote(t)
	dir := t.TempDir()
	grid := func(name string) string {
		write(t, dir, name+".sh", sleepingScript)
		return write(t, dir, name+".yaml", fmt.Sprintf(sleepingGrid, name))
	}
	names := map[string]string{} // of runs, by grid
	for name, priority := range map[string]string{"one": "10", "two": "20"} {
		o := must(t, "submit", grid(name), "--nats", r.url, "--owner", "alice", "--priority", priority)
		names[name], _, _ = strings.Cut(o.out, ":")
	}
	out := filepath.Join(dir, "out")
	run := []string{"run", grid("three"), "--nats", r.url, "--owner", "bob", "--workers", "0", "--out", out, "--figures", "0"}
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	coordinator := process(ctx, run...)
	if err := coordinator.Start(); err != nil {
		t.Fatal(err)
	}
	type status struct {
		Runs []struct {
			Run, Owner string
			Priority   int
			Statuses   struct{ OK int }
			Queued     int
		}
	}
	look := func() (s status) {
		t.Helper()
		if err := json.Unmarshal([]byte(must(t, "status", "--nats", r.url, "--json").out), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	await := func(what string, holds func(status) bool) {
		t.Helper()
		for began := time.Now(); !holds(look()); time.Sleep(100 * time.Millisecond) {
			if time.Since(began) > 4*time.Minute {
				t.Fatalf("in vain: %s; %+v", what, look())
			}
		}
	}
	await("all cells are queued", func(s status) bool {
		return len(s.Runs) == 3 && s.Runs[0].Queued == 300 && s.Runs[1].Queued == 300 && s.Runs[2].Queued == 300 // half are of the constant
	})
	r.work(t, "--slots", "1")
	await("the worker without commands has computed the constants", func(s status) bool {
		return s.Runs[0].Statuses.OK == 150 && s.Runs[1].Statuses.OK == 150 && s.Runs[2].Statuses.OK == 150
	})
	r.work(t, "--slots", "2", "--allow-commands")
	r.work(t, "--slots", "2", "--allow-commands")
	total := func(s status) (n int) {
		for _, run := range s.Runs {
			n += run.Statuses.OK - 150
		}
		return n
	}
	await("cells are computed", func(s status) bool { return total(s) >= 70 })
	kill() // -9
	_ = coordinator.Wait()
	await("cells are computed without the coordinator", func(s status) bool { return total(s) >= 220 })
	owners, priorities := map[string]string{"one": "alice", "two": "alice", "three": "bob"}, map[string]int{"one": 10, "two": 20, "three": 10}
	end := time.Now() // while the first are collected, others are computed
	times, counts, all := map[string]float64{}, map[string]int{}, 0.
	for _, run := range look().Runs {
		name, _, _ := strings.Cut(run.Run, "-")
		if run.Owner != owners[name] || run.Priority != priorities[name] {
			t.Errorf("run %s: owner %s, priority %d", name, run.Owner, run.Priority)
		}
		dir := filepath.Join(dir, "early", name)
		must(t, "collect", run.Run, "--nats", r.url, "--out", dir)
		cells, err := results.ReadTable(filepath.Join(dir, "cells.arrow"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range cells.Rows() {
			if cells.At(cells.Index("method"), i) == name && cells.At(cells.Index("finished_at"), i).(time.Time).Before(end) {
				wall := cells.At(cells.Index("wall_seconds"), i).(float64)
				times[name], counts[name], all = times[name]+wall, counts[name]+1, all+wall
			}
		}
	}
	t.Logf("seconds %v, cells %v; 1 : 2 : 3 are due", times, counts)
	// Half way between the shares and a third each.
	if one, two, three := times["one"]/all, times["two"]/all, times["three"]/all; one >= 1./4 || three <= 5./12 || one >= two || two >= three {
		t.Errorf("the runs have %.2f, %.2f and %.2f of the time; 1/6, 2/6 and 3/6 are due", one, two, three)
	}
	r.awaitStatus(t, nil, func(line string) bool {
		return strings.HasPrefix(line, names["two"]) && strings.HasSuffix(strings.TrimSpace(line), "alice        20")
	})
	for _, name := range []string{"one", "two"} {
		must(t, "cancel", names[name], "--nats", r.url)
	}
	must(t, run...)
	cells, err := results.ReadTable(filepath.Join(out, "cells.arrow"))
	if err != nil || cells.Rows() != 300 {
		t.Fatalf("%d cells, %v; want 300", cells.Rows(), err)
	}
	for i := range cells.Rows() {
		if got := cells.At(cells.Index("status"), i); got != "ok" {
			t.Errorf("a cell is %v", got)
		}
	}
}
