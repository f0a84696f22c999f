package queue

import (
	"fmt"
	"github.com/agepath/agepath/internal/testing/needs"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
)

// publishAs publishes n tasks of a run for an owner.
func (b *bundle) publishAs(owner string, priority int, run string, n int) {
	b.t.Helper()
	if _, _, err := b.connect(Config{Owner: owner, Priority: priority}).Publish(b.ctx, generate(run, n)); err != nil {
		b.t.Fatal(err)
	}
}

// takeTurns pulls n tasks one after the other, and returns how many are of which run.
func (b *bundle) takeTurns(p *Puller, n int) map[string]float64 {
	b.t.Helper()
	taken := map[string]float64{}
	for range n {
		taken[b.takeTurn(p)]++
	}
	return taken
}

// takeTurn pulls a task, finishes it as if it had taken a minute, and returns its run.
func (b *bundle) takeTurn(p *Puller) string {
	b.t.Helper()
	d := b.pull(p)
	p.runs.close(d.bill, 60)
	d.bill = nil
	b.done(d, ok())
	return d.Task.Run
}

// wantShares wants amounts to be in proportion to shares, as near as within.
func wantShares(t *testing.T, what string, got, want map[string]float64, within float64) {
	t.Helper()
	all, parts := 0.0, 0.0
	for run := range want {
		all, parts = all+got[run], parts+want[run]
	}
	for run := range want {
		if have, due := got[run]/all, want[run]/parts; !(math.Abs(have-due) <= within*due) {
			t.Errorf("%s: run %s has %.1f %%, want %.1f %%; all: %v", what, run, 100*have, 100*due, got)
		}
	}
}

// TestTurnsByOwner: an owner's second run takes the turns of its first, and priorities
// divide an owner's turns alone.
func TestTurnsByOwner(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		one, two int
		want     map[string]float64
	}{
		"equal":  {0, 0, map[string]float64{"a1": 1, "a2": 1, "b": 2}},
		"first":  {30, 0, map[string]float64{"a1": 3, "a2": 1, "b": 4}},
		"lowest": {99, 1, map[string]float64{"a1": 99, "a2": 1, "b": 100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, 30*time.Second)
			b.publishAs("alice", test.one, "a1", 210)
			b.publishAs("alice", test.two, "a2", 210)
			b.publishAs("bob", 0, "b", 210)
			b.wantCounts("b", Counts{Queued: 210})
			got := b.takeTurns(b.worker(WorkerConfig{}), 200)
			if got["a2"] == 0 {
				t.Errorf("a run waits for ever: %v", got)
			}
			if name == "lowest" { // 1 of 200
				delete(test.want, "a2")
			}
			wantShares(t, name, got, test.want, 0.03)
		})
	}
}

// TestTurnsByTime has slots that take long for cells of one owner and not for those of
// another, in both lanes of a run: each owner has the same time.
func TestTurnsByTime(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publishAs("alice", 0, "long", 200)
	for i := range 200 {
		b.publish(commandTask("long", fmt.Sprintf("d%06d", i)))
	}
	b.publishAs("alice", 20, "longer", 200)
	b.publishAs("bob", 0, "short", 5000)
	takes := map[string]time.Duration{"long": 40 * time.Millisecond, "longer": 80 * time.Millisecond, "short": 4 * time.Millisecond}
	worker := b.worker(WorkerConfig{Commands: true})
	var mu sync.Mutex
	got, lanes := map[string]float64{}, map[string]int{}
	var group sync.WaitGroup
	end := time.Now().Add(6 * time.Second)
	for range 4 {
		group.Go(func() {
			for time.Now().Before(end) {
				d, err := worker.Pull(b.ctx)
				if err != nil {
					t.Error(err)
					return
				}
				began := time.Now()
				time.Sleep(takes[d.Task.Run])
				if err := d.Done(b.ctx, seal(d, ok())); err != nil {
					t.Error(err)
				}
				mu.Lock()
				got[d.Task.Run] += time.Since(began).Seconds()
				lanes[d.from.lane]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	wantShares(t, "time", got, map[string]float64{"long": 1, "longer": 2, "short": 3}, 0.1)
	if lanes["long"] == 0 || lanes["long"+commandsLane] == 0 {
		t.Errorf("cells by lane: %v", lanes)
	}
	t.Logf("seconds of slots: %v; cells by lane: %v", got, lanes)
}

// TestTurnsOfLatecomers: who comes later, or was paused, takes turns from then on. It does
// not make up for the time before.
func TestTurnsOfLatecomers(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	worker := b.worker(WorkerConfig{})
	want := map[string]float64{"a": 1, "b": 1}
	b.publishAs("alice", 0, "a", 400)
	b.wantCounts("a", Counts{Queued: 400})
	b.takeTurns(worker, 60)
	b.publishAs("bob", 0, "b", 400)
	b.wantCounts("b", Counts{Queued: 400})
	time.Sleep(2 * worker.config.Idle) // until the worker lists runs
	wantShares(t, "latecomer", b.takeTurns(worker, 60), want, 0.1)
	if _, err := b.Pause(b.ctx, "b"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * worker.config.Idle)
	if got := b.takeTurns(worker, 60); got["b"] > 1 {
		t.Errorf("of a paused run and another %v", got)
	}
	if _, err := b.Resume(b.ctx, "b"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * worker.config.Idle)
	wantShares(t, "resumed", b.takeTurns(worker, 60), want, 0.1)
}

// TestOwnersStay: owner and priority are those of the last that says any, and last as long
// as the run's queue.
func TestOwnersStay(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	want := func(owner string, priority int) {
		t.Helper()
		index, err := b.FailureIndex("run")
		if err != nil {
			t.Fatal(err)
		}
		s, err := index.Standing(b.ctx, 0)
		if err != nil || s.Owner != owner || s.Priority != priority {
			t.Errorf("owner %q, priority %d, %v; want %q, %d", s.Owner, s.Priority, err, owner, priority)
		}
	}
	b.publish(task("run", "a"))
	want(thisUser(), DefaultPriority)
	b.publishAs("alice", 20, "run", 1)
	want("alice", 20)
	b.publish(commandTask("run", "b"))
	want("alice", 20)
	if _, err := b.Pause(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	b.publishAs("", 5, "run", 1)
	if err := b.Reopen(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	want("alice", 5)
	if !b.counts("run").Paused {
		t.Error("the run is not paused any more")
	}
	for _, config := range []Config{{Priority: -1}, {Priority: MaxPriority + 1}, {Owner: "a\nb"}, {Owner: strings.Repeat("a", maxName+1)}} {
		config.URL = "nats://127.0.0.1:1"
		if _, err := Connect(b.ctx, config); err == nil || !strings.Contains(err.Error(), "allowed") {
			t.Errorf("%+v: %v", config, err)
		}
	}
	for _, text := range []string{`{"owner":"a\u001b[2J"}`, `{"owner":"a","priority":-1}`, `{"priority":1000000}`} {
		if orders := readOrders(text); orders != (Orders{}) {
			t.Errorf("%s gives %+v", text, orders)
		}
	}
}
