package queue

import (
	"errors"
	"testing"
	"time"
)

// several publishes n tasks and one of which a worker learns that cells are short, and waits until
// the server has counted them: before, a pull can give fewer.
func (b *bundle) several(config WorkerConfig, run string, n int) *Puller {
	b.t.Helper()
	if _, _, err := b.Publish(b.ctx, generate(run, n+1)); err != nil {
		b.t.Fatal(err)
	}
	b.wantCounts(run, Counts{Queued: n + 1})
	config.Together = time.Hour
	worker := b.worker(config)
	b.done(b.pull(worker), ok())
	return worker
}

func (b *bundle) pullAll(p *Puller) []*Delivery {
	b.t.Helper()
	list, err := p.Pull(b.ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	return list
}

func sealAll(list []*Delivery) (outcomes []*Sealed) {
	for _, d := range list {
		outcomes = append(outcomes, seal(d, ok()))
	}
	return outcomes
}

func TestPullsShortCellsTogether(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	for _, drain := range []bool{true, false} {
		const n = 2*maxTogether + 3
		run := map[bool]string{true: "draining", false: "staying"}[drain]
		worker := b.several(WorkerConfig{Drain: drain}, run, n)
		for i, want := range []int{maxTogether, maxTogether, 3} {
			list := b.pullAll(worker)
			if len(list) != want {
				t.Fatalf("%s, pull %d: %d tasks, want %d", run, i, len(list), want)
			}
			for k, d := range list {
				if k > 0 && d.cell <= list[k-1].cell || d.Task.Run != run || d.Task.Cell != d.cell || d.Attempt != 1 {
					t.Errorf("%s, pull %d, task %d: cell %s, %+v", run, i, k, d.cell, d.Task)
				}
			}
			if err := errors.Join(worker.Done(b.ctx, list, sealAll(list))...); err != nil {
				t.Fatal(err)
			}
		}
		b.wantCounts(run, Counts{Done: n + 1})
		if open := len(worker.runs.bills); open > 0 {
			t.Errorf("%s: %d bills are open", run, open)
		}
	}
}

// TestLongCellsAreNotPulledTogether learns from one cell that the next may take as long as allowed
// together, then that it is alone.
func TestLongCellsAreNotPulledTogether(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	worker := b.several(WorkerConfig{}, "run", 8)
	for _, step := range []struct {
		seconds float64
		want    int
	}{{0.3, 3}, {0.9, 1}, {2, 1}} {
		worker.runs.together = time.Second
		worker.runs.sources[0].seconds = step.seconds
		list := b.pullAll(worker)
		if len(list) != step.want {
			t.Errorf("cells of %v s: %d tasks, want %d", step.seconds, len(list), step.want)
		}
		worker.Done(b.ctx, list, sealAll(list))
	}
}

// TestRedeliveriesComeAlone has tasks that a worker died of among others.
func TestRedeliveriesComeAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	const n = 6
	dead := b.several(WorkerConfig{}, "run", n)
	for _, d := range b.pullAll(dead) {
		die(d)
	}
	worker := b.worker(WorkerConfig{Together: time.Hour})
	for range n {
		list := b.pullAll(worker)
		if len(list) != 1 || list[0].Delivered < 2 {
			t.Fatalf("%d tasks, the first delivered %d times; want one that comes again", len(list), list[0].Delivered)
		}
		b.done(list[0], ok())
	}
	b.wantCounts("run", Counts{Done: n + 1})
}

// TestCloseHandsBackWhatComesAlone closes a worker that has pulled redelivered tasks and returned
// one of them.
func TestCloseHandsBackWhatComesAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	const n = 5
	worker := b.several(WorkerConfig{}, "run", n)
	for _, d := range b.pullAll(worker) {
		if err := d.Release(b.ctx, 0); err != nil {
			t.Fatal(err)
		}
	}
	list := b.pullAll(worker)
	if len(list) != 1 || len(worker.waiting) != n-1 {
		t.Fatalf("%d tasks, %d wait", len(list), len(worker.waiting))
	}
	worker.Close()
	b.done(list[0], ok())
	other := b.worker(WorkerConfig{})
	for range n - 1 {
		d := b.pull(other)
		if counted, _, err := b.attempts.counts(b.ctx, d.run, d.cell, d.number); err != nil || counted.Released != 2 || d.Delivered != 3 {
			t.Errorf("delivery %d, %+v, error %v; want the third, after two that were handed back", d.Delivered, counted, err)
		}
		b.done(d, ok())
	}
	b.wantCounts("run", Counts{Done: n + 1})
}

// TestDoneOfSeveral settles deliveries of all kinds together.
func TestDoneOfSeveral(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	worker := b.several(WorkerConfig{}, "run", 5)
	list := b.pullAll(worker)
	outcomes := sealAll(list)
	if err := list[1].Release(b.ctx, time.Hour); err != nil {
		t.Fatal(err)
	}
	outcomes[3].Cell = "other"
	for i, err := range worker.Done(b.ctx, list, outcomes) {
		d, of := list[i], new(CellError)
		switch {
		case i == 1:
			if !errors.Is(err, ErrSettled) {
				t.Errorf("released before: %v", err)
			}
		case i == 3:
			if !errors.As(err, &of) || of.Cell != d.cell || of.Run != d.run {
				t.Errorf("not to be stored: %v", err)
			}
		case err != nil:
			t.Errorf("%d: %v", i, err)
		}
	}
	stored := map[string]int{}
	for _, o := range b.results("run") {
		stored[o.Cell]++
	}
	for i, d := range list {
		if want := map[bool]int{true: 1}[i != 1 && i != 3]; stored[d.cell] != want {
			t.Errorf("%s has %d results, want %d", d.cell, stored[d.cell], want)
		}
	}
	b.done(list[3], ok())                             // it is still open
	b.wantCounts("run", Counts{Done: 5, InFlight: 1}) // the one that was released
}
