package queue

import (
	"errors"
	"testing"
	"time"
)

// publishSeveral publishes tasks and waits until the server has counted them: before, a
// pull of several can give fewer.
func (b *bundle) publishSeveral(run string, n int) {
	b.t.Helper()
	if _, _, err := b.Publish(b.ctx, generate(run, n)); err != nil {
		b.t.Fatal(err)
	}
	b.wantCounts(run, Counts{Queued: n})
}

// several pulls until the batches of a slot give tasks.
func (b *bundle) several(l *Batches, most int) []*Delivery {
	b.t.Helper()
	list, err := l.Pull(b.ctx, most)
	if err != nil {
		b.t.Fatal(err)
	}
	return list
}

func finish(list []*Delivery) (finished []Finished) {
	for _, d := range list {
		finished = append(finished, Finished{d, seal(d, ok())})
	}
	return finished
}

func (b *bundle) allDone(p *Puller, list []*Delivery) {
	b.t.Helper()
	if err := errors.Join(p.Done(b.ctx, finish(list))...); err != nil {
		b.t.Fatal(err)
	}
}

func TestBatchesPullsSeveral(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	const n = 40
	b.publishSeveral("run", n)
	worker := b.worker(WorkerConfig{Drain: true})
	batches := worker.Batches()
	for i, want := range []struct{ ask, get int }{{1, 1}, {4, 4}, {100, MaxBatch}, {0, 1}, {100, MaxBatch}, {100, 2}} {
		list := b.several(batches, want.ask)
		if len(list) != want.get {
			t.Fatalf("pull %d of %d tasks: %d, want %d", i, want.ask, len(list), want.get)
		}
		for k, d := range list {
			if k > 0 && d.cell <= list[k-1].cell || d.Task.Run != "run" || d.Task.Cell != d.cell || d.Attempt != 1 {
				t.Errorf("pull %d, task %d: cell %s, %+v", i, k, d.cell, d.Task)
			}
		}
		b.allDone(worker, list)
	}
	b.wantCounts("run", Counts{Done: n})
	if list, err := batches.Pull(b.ctx, 5); !errors.As(err, new(*EmptyError)) {
		t.Errorf("%v, %v; want empty", list, err)
	}
}

// TestBatchesOfOlderRun pulls from a run whose consumer allows one task a request, as
// versions before made them.
func TestBatchesOfOlderRun(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publishSeveral("run", 3)
	consumer, err := b.js.Consumer(b.ctx, tasksStream, "run")
	if err != nil {
		t.Fatal(err)
	}
	config := consumer.CachedInfo().Config
	config.MaxRequestBatch = 1
	if _, err := b.js.UpdateConsumer(b.ctx, tasksStream, config); err != nil {
		t.Fatal(err)
	}
	worker := b.worker(WorkerConfig{})
	batches := worker.Batches()
	for range 3 {
		list := b.several(batches, 8)
		if len(list) != 1 {
			t.Fatalf("%d tasks, want 1", len(list))
		}
		b.allDone(worker, list)
	}
}

// TestBatchesGivesRedeliveriesAlone has tasks that a worker died of among others.
func TestBatchesGivesRedeliveriesAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	const n = 6
	b.publishSeveral("run", n)
	dead := b.worker(WorkerConfig{})
	for _, d := range b.several(dead.Batches(), n) {
		die(d)
	}
	worker := b.worker(WorkerConfig{})
	batches := worker.Batches()
	seen := map[string]bool{}
	for len(seen) < n {
		list := b.several(batches, MaxBatch)
		if len(list) != 1 || list[0].Delivered < 2 {
			t.Fatalf("%d tasks, the first delivered %d times; want one that comes again", len(list), list[0].Delivered)
		}
		seen[list[0].cell] = true
		b.allDone(worker, list)
	}
	b.wantCounts("run", Counts{Done: n})
}

// TestBatchesClose closes batches where tasks wait.
func TestBatchesClose(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	const n = 5
	b.publishSeveral("run", n)
	worker := b.worker(WorkerConfig{})
	batches := worker.Batches()
	first := b.several(batches, MaxBatch)
	first, batches.waiting = first[:1], first[1:]
	batches.Close()
	b.allDone(worker, first)
	for range n - 1 {
		d := b.pull(b.worker(WorkerConfig{}))
		if counted, _, err := b.attempts.counts(b.ctx, d.run, d.cell, d.number); err != nil || counted.Released != 1 || d.Delivered != 2 {
			t.Errorf("delivery %d, %+v, error %v; want the second, after one that was handed back", d.Delivered, counted, err)
		}
		b.done(d, ok())
	}
	b.wantCounts("run", Counts{Done: n})
}

// TestDoneOfSeveral settles deliveries of all kinds at a time.
func TestDoneOfSeveral(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publishSeveral("run", 5)
	b.publishSeveral("other", 2)
	worker := b.worker(WorkerConfig{})
	var list []*Delivery
	for len(list) < 7 {
		list = append(list, b.several(worker.Batches(), 7-len(list))...)
	}
	finished := finish(list)
	settled := finished[1].Delivery
	if err := settled.Release(b.ctx, time.Hour); err != nil {
		t.Fatal(err)
	}
	finished[3].Outcome.Cell = "other"
	for i, err := range worker.Done(b.ctx, finished) {
		d := list[i]
		switch {
		case i == 1:
			if !errors.Is(err, ErrSettled) {
				t.Errorf("released before: %v", err)
			}
		case i == 3:
			if of := new(CellError); !errors.As(err, &of) || of.Cell != d.cell || of.Run != d.run {
				t.Errorf("not to be stored: %v", err)
			}
		case err != nil:
			t.Errorf("%d: %v", i, err)
		}
	}
	done := map[string]int{}
	for _, run := range []string{"run", "other"} {
		for _, o := range b.results(run) {
			done[o.Run+" "+o.Cell]++
		}
	}
	for i, d := range list {
		if want := map[bool]int{true: 1}[i != 1 && i != 3]; done[d.run+" "+d.cell] != want {
			t.Errorf("%s %s has %d results, want %d", d.run, d.cell, done[d.run+" "+d.cell], want)
		}
	}
	b.done(list[3], ok()) // it is still open
	held, err := b.Held(b.ctx)
	if err != nil || held != 1 { // the one that was released
		t.Errorf("%d tasks are held, error %v", held, err)
	}
}

// TestDoneWithoutAcknowledgement loses the consumer before the tasks are
// acknowledged.
func TestDoneWithoutAcknowledgement(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publishSeveral("run", 3)
	worker := b.worker(WorkerConfig{})
	list := b.several(worker.Batches(), 3)
	if err := b.js.DeleteConsumer(b.ctx, tasksStream, "run"); err != nil {
		t.Fatal(err)
	}
	for i, err := range worker.Done(b.ctx, finish(list)) {
		if !errors.Is(err, ErrUnacknowledged) {
			t.Errorf("task %d: %v", i, err)
		}
	}
	if got := len(b.results("run")); got != 3 {
		t.Errorf("%d results", got)
	}
}

// BenchmarkBatches is BenchmarkWorkers with several tasks at a time.
func BenchmarkBatches(b *testing.B) {
	s := setup(b, 30*time.Second)
	if _, _, err := s.Publish(s.ctx, generate("run", b.N)); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	errs := make(chan error)
	for range 2 {
		worker := s.worker(WorkerConfig{Drain: true})
		for range 8 {
			go func() {
				batches := worker.Batches()
				for {
					list, err := batches.Pull(s.ctx, MaxBatch)
					if err == nil {
						err = errors.Join(worker.Done(s.ctx, finish(list))...)
					}
					if err != nil {
						errs <- err
						return
					}
				}
			}()
		}
	}
	for range 16 {
		if err := <-errs; !errors.As(err, new(*EmptyError)) {
			b.Error(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
}
