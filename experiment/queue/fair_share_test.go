package queue

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// publishAs publishes n tasks of a run for an owner.
func (b *bundle) publishAs(owner string, priority int, run string, n int) {
	b.t.Helper()
	if _, _, err := b.connect(Config{Owner: owner, Priority: priority}).Publish(b.ctx, generate(run, n)); err != nil {
		b.t.Fatal(err)
	}
}

// takeTurns pulls n tasks one after the other, finishes each as if it had taken the seconds given
// for its run, or a minute, and returns how many are of which run.
func (b *bundle) takeTurns(p *Puller, n int, takes map[string]float64) map[string]float64 {
	b.t.Helper()
	taken := map[string]float64{}
	for range n {
		taken[b.takeTurn(p, takes)]++
	}
	return taken
}

func (b *bundle) takeTurn(p *Puller, takes map[string]float64) (run string) {
	b.t.Helper()
	d := b.pull(p)
	p.runs.close(d.bill, cmp.Or(takes[d.Task.Run], 60))
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
			got := b.takeTurns(b.worker(WorkerConfig{}), 200, nil)
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

// TestTurnsByLane: the cells of both lanes of a run count against its owner, by the time they take.
// A worker without commands shares its time among the runs that have other cells.
func TestTurnsByLane(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publishAs("alice", 0, "both", 50)
	b.publishAs("alice", 0, "commands", 1) // makes the run hers
	for i := range 50 {
		name := fmt.Sprintf("d%06d", i)
		b.publish(commandTask("both", name), commandTask("commands", name))
	}
	b.publishAs("bob", 0, "plain", 300)
	b.wantCounts("plain", Counts{Queued: 300})
	takes := map[string]float64{"both": 60, "commands": 120, "plain": 20}
	without := b.takeTurns(b.worker(WorkerConfig{}), 82, takes)
	if without["commands"] > 1 {
		t.Errorf("a worker without commands gets %v", without)
	}
	delete(without, "commands")
	wantShares(t, "without commands", without, map[string]float64{"both": 1, "plain": 3}, 0.1)
	able := b.worker(WorkerConfig{Commands: true})
	wantShares(t, "with commands", b.takeTurns(able, 180, takes), map[string]float64{"both": 2, "commands": 1, "plain": 12}, 0.1)
	if n := b.counts("both").Commands; n == 0 || n == 50 {
		t.Errorf("of 50 commands %d are left, of which a lane has had all its turns or none", n)
	}
}

// turnsOf is a run of a simulation, and the percentage due to it from a worker with commands and
// from one without.
type turnsOf struct {
	owner          string
	priority       int
	takes          time.Duration // of a cell
	plain, command bool          // the cells it has
	share          [2]float64
}

// slotTimes returns the seconds that the slots of a worker give to runs whose cells never end.
func slotTimes(runs map[string]turnsOf, commands bool, slots int, long time.Duration) map[string]float64 {
	r := &registry{every: time.Second, owners: map[string]*owner{}, bills: map[*bill]struct{}{}}
	has := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		run := runs[name]
		plain := &runFeed{run: name, lane: name, heard: new(atomic.Pointer[heard]), account: new(account), dry: true}
		plain.heard.Store(&heard{Orders: Orders{Owner: run.owner, Priority: run.priority}})
		r.sources, has[plain.lane] = append(r.sources, plain), run.plain
		if commands && run.command {
			second := &runFeed{run: name, lane: name + commandsLane, heard: plain.heard, account: plain.account, dry: true}
			r.sources, has[second.lane] = append(r.sources, second), true
		}
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	seconds, end := map[string]float64{}, time.Now().Add(long)
	for range slots {
		group.Go(func() {
			for time.Now().Before(end) {
				var b *bill
				for from, asked := range r.turns(false, true) {
					if has[from.lane] {
						b = r.compute(from, asked)
						break
					}
					r.empty(from)
				}
				if b == nil {
					time.Sleep(r.every)
					continue
				}
				time.Sleep(runs[b.from.run].takes)
				took := time.Since(b.began).Seconds()
				r.close(b, took)
				mu.Lock()
				seconds[b.from.run] += took
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return seconds
}

// TestTurnsByTime has workers, with commands and without, compute cells that take long for some
// runs: each run has the time due to it, to one cell of each slot.
func TestTurnsByTime(t *testing.T) {
	t.Parallel()
	const ms, slots = time.Millisecond, 3
	for name, runs := range map[string]map[string]turnsOf{
		"owners": {
			"a": {"alice", 0, 80 * ms, true, false, [2]float64{100. / 3, 100. / 3}},
			"b": {"bob", 0, 4 * ms, true, false, [2]float64{100. / 3, 100. / 3}},
			"c": {"carol", 100, 700 * ms, true, false, [2]float64{100. / 3, 100. / 3}},
		},
		"priorities": { // the runs of cmd/coordinator's TestTurns
			"one":   {"alice", 10, 80 * ms, false, true, [2]float64{50. / 3, 0}},
			"two":   {"alice", 20, 80 * ms, false, true, [2]float64{100. / 3, 0}},
			"three": {"bob", 0, 80 * ms, false, true, [2]float64{50, 0}},
		},
		"lanes": {
			"long":   {"alice", 0, 40 * ms, true, true, [2]float64{50. / 3, 50. / 3}},
			"longer": {"alice", 20, 80 * ms, true, false, [2]float64{100. / 3, 100. / 3}},
			"short":  {"bob", 0, 4 * ms, true, false, [2]float64{50, 50}},
		},
		"commands": { // one of alice's runs is left to workers with commands
			"mine": {"alice", 30, 90 * ms, false, true, [2]float64{37.5, 0}},
			"ours": {"alice", 10, 30 * ms, true, false, [2]float64{12.5, 50}},
			"both": {"bob", 99, 50 * ms, true, true, [2]float64{49.5, 49.5}},
			"rare": {"bob", 1, 20 * ms, true, false, [2]float64{0.5, 0.5}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for worker, commands := range []bool{true, false} {
					got, all, most := slotTimes(runs, commands, slots, 100*time.Second), 0., 0.
					for run, is := range runs {
						all, most = all+got[run], max(most, slots*is.takes.Seconds())
					}
					for run, is := range runs {
						if due := is.share[worker] / 100 * all; math.Abs(got[run]-due) > most {
							t.Errorf("commands %v: run %s has %.2f s, want %.2f s; all: %v", commands, run, got[run], due, got)
						}
					}
					t.Logf("commands %v: seconds of slots: %v", commands, got)
				}
			})
		})
	}
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
	b.takeTurns(worker, 60, nil)
	b.publishAs("bob", 0, "b", 400)
	b.wantCounts("b", Counts{Queued: 400})
	time.Sleep(2 * worker.config.Idle) // until the worker lists runs
	wantShares(t, "latecomer", b.takeTurns(worker, 60, nil), want, 0.1)
	if _, err := b.Pause(b.ctx, "b"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * worker.config.Idle)
	if got := b.takeTurns(worker, 60, nil); got["b"] > 1 {
		t.Errorf("of a paused run and another %v", got)
	}
	if _, err := b.Resume(b.ctx, "b"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * worker.config.Idle)
	wantShares(t, "resumed", b.takeTurns(worker, 60, nil), want, 0.1)
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
	for _, text := range []string{`{"owner":"a\u001b[2J"}`, `{"owner":"` + strings.Repeat("a", maxName+1) + `"}`, `{"owner":"a","priority":-1}`, `{"priority":1000000}`} {
		if orders := readOrders(text); orders != (Orders{}) {
			t.Errorf("%s gives %+v", text, orders)
		}
	}
}
