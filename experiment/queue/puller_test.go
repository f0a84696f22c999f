package queue

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestPullTakesTurnsAmongRuns(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	for _, run := range []string{"a", "b", "c"} {
		if _, _, err := b.Publish(b.ctx, generate(run, 20)); err != nil {
			t.Fatal(err)
		}
		b.wantCounts(run, Counts{Queued: 20}) // a run found empty would lose its turn
	}
	b.publish(task("d", "x")) // a run that is soon empty must not shift the turns
	worker := b.worker(WorkerConfig{})
	taken := map[string]int{}
	for i := range 31 {
		taken[b.takeTurn(worker, nil)]++
		if i >= 8 && (taken["a"]-taken["b"] > 1 || taken["b"]-taken["a"] > 1 || taken["b"]-taken["c"] > 1 || taken["c"]-taken["b"] > 1) {
			t.Fatalf("after %d pulls: %v", i+1, taken)
		}
	}
	if taken["d"] != 1 {
		t.Errorf("taken %v, want the one task of d", taken)
	}
}

func TestPullSharedByWorkers(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	const n = 40
	if _, _, err := b.Publish(b.ctx, generate("run", n)); err != nil {
		t.Fatal(err)
	}
	// In lockstep, so that a worker that fetched ahead would take from the other.
	workers := []*Puller{b.worker(WorkerConfig{}), b.worker(WorkerConfig{})}
	for round := range n / 2 {
		var held []*Delivery
		for _, worker := range workers {
			held = append(held, b.pull(worker))
		}
		b.wantCounts("run", Counts{Queued: n - 2*round - 2, InFlight: 2, Done: 2 * round})
		for _, d := range held {
			b.done(d, ok())
		}
	}
}

func TestPullManySlots(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	const n, slots = 500, 8
	for _, run := range []string{"a", "b"} {
		if _, _, err := b.Publish(b.ctx, generate(run, n)); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var group sync.WaitGroup
	for range 2 {
		worker := b.worker(WorkerConfig{Drain: true})
		for range slots {
			group.Go(func() {
				for {
					d, err := worker.Pull(b.ctx)
					if empty := new(EmptyError); errors.As(err, &empty) {
						if empty.InFlight > 0 { // of other slots, or lost on the way by a busy server
							continue
						}
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					seen[d.Task.Run+d.Task.Cell]++
					mu.Unlock()
					if err := d.Done(b.ctx, of(d, ok())); err != nil && !errors.Is(err, ErrUnacknowledged) {
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	if len(seen) != 2*n {
		t.Errorf("%d cells computed, want %d", len(seen), 2*n)
	}
	for cell, times := range seen {
		if times != 1 {
			t.Errorf("%s computed %d times", cell, times)
		}
	}
	b.wantCounts("a", Counts{Done: n})
	b.wantCounts("b", Counts{Done: n})
}

func TestPullDrain(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	draining := b.worker(WorkerConfig{Drain: true})
	want := func(inFlight int) {
		t.Helper()
		d, err := draining.Pull(b.ctx)
		var empty *EmptyError
		if !errors.As(err, &empty) || empty.InFlight != inFlight {
			t.Fatalf("delivery %v, error %v; want empty with %d in flight", d, err, inFlight)
		}
	}
	want(0) // no run at all
	b.publish(task("run", "a"), task("run", "b"), task("run", "c"))
	other := b.worker(WorkerConfig{})
	held := b.pull(other)
	mine := b.pull(draining)
	back := b.pull(other)
	want(2) // not counting its own
	if err := back.Release(b.ctx, time.Hour); err != nil {
		t.Fatal(err)
	}
	want(2) // one held, one waiting for its delay
	b.done(mine, ok())
	b.done(held, ok())
	want(1)
}

func TestPullWaitsForRuns(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	worker := b.worker(WorkerConfig{})
	got := make(chan *Delivery)
	go func() {
		d, err := worker.Pull(b.ctx)
		if err != nil {
			t.Error(err)
		}
		got <- d
	}()
	b.publish(task("run", "a"))
	if d := <-got; d == nil || d.Task.Cell != "a" || d.Delivered != 1 || d.Attempt != 1 {
		t.Errorf("delivery %+v", d)
	}
}

func TestPullBeforeStreamsExist(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	if err := b.js.DeleteStream(b.ctx, tasksStream); err != nil {
		t.Fatal(err)
	}
	b.nothing(b.worker(WorkerConfig{}), 120*time.Millisecond)
	empty := new(EmptyError)
	if _, err := b.worker(WorkerConfig{Drain: true}).Pull(b.ctx); !errors.As(err, &empty) {
		t.Errorf("error %v, want empty", err)
	}
}

func TestPullCancelledHandsBack(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "first"))
	worker := b.worker(WorkerConfig{Idle: 9 * time.Second})
	b.done(b.pull(worker), ok())

	ctx, cancel := context.WithCancelCause(b.ctx)
	stopped := errors.New("stopped")
	result := make(chan error)
	go func() {
		_, err := worker.Pull(ctx)
		result <- err
	}()
	waiting := func() bool {
		consumer, err := b.js.Consumer(b.ctx, tasksStream, "run")
		if err != nil {
			t.Fatal(err)
		}
		return consumer.CachedInfo().NumWaiting == 1
	}
	b.await("the request is at the server", waiting)
	cancel(stopped)
	if err := <-result; !errors.Is(err, stopped) {
		t.Fatalf("error %v, want the cause", err)
	}
	// The request is still there and gets this task, whose AckWait is far away.
	start := time.Now()
	b.publish(task("run", "second"))
	d := b.pull(b.worker(WorkerConfig{}))
	if d.Task.Cell != "second" || d.Delivered != 2 || d.Attempt != 1 || time.Since(start) > 10*time.Second {
		t.Errorf("cell %s, delivery %d, attempt %d after %v", d.Task.Cell, d.Delivered, d.Attempt, time.Since(start))
	}
	b.done(d, ok())
}

func TestPullCancelledLeaksNothing(t *testing.T) {
	// Not parallel: it counts goroutines.
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	b.publish(task("other", "a"))
	worker := b.worker(WorkerConfig{})
	for range 2 {
		b.done(b.pull(worker), ok())
	}
	before := runtime.NumGoroutine()
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(b.ctx, 20*time.Millisecond)
			defer cancel()
			if _, err := worker.Pull(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
	group.Wait()
	worker.Close()
	b.await("goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	if _, err := worker.Pull(b.ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("pull after close: %v", err)
	}
}

func TestCloseEndsPull(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	for range 50 { // before, while and after Pull begins
		worker := b.worker(WorkerConfig{})
		result := make(chan error, 1)
		started := make(chan bool)
		go func() {
			close(started)
			_, err := worker.Pull(b.ctx)
			result <- err
		}()
		<-started
		worker.Close()
		if err := <-result; !errors.Is(err, ErrClosed) {
			t.Errorf("error %v, want ErrClosed", err)
		}
	}
}

// TestCloseAfterComplete wants what was asked for when no task can come any more not to be
// waited for.
func TestCloseAfterComplete(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	worker := b.worker(WorkerConfig{Idle: time.Minute})
	b.done(b.pull(worker), ok())
	ctx, cancel := context.WithCancelCause(b.ctx)
	result := make(chan error, 1)
	go func() {
		_, err := worker.Pull(ctx)
		result <- err
	}()
	b.await("the request is at the server", func() bool {
		consumer, err := b.js.Consumer(b.ctx, tasksStream, "run")
		return err == nil && consumer.CachedInfo().NumWaiting == 1
	})
	cancel(ErrComplete)
	start := time.Now()
	if err := <-result; !errors.Is(err, ErrComplete) {
		t.Errorf("error %v, want ErrComplete", err)
	}
	if worker.Close(); time.Since(start) > time.Minute/2 {
		t.Errorf("closing took %v", time.Since(start))
	}
}

func TestPullOnClosedConnection(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	worker := b.worker(WorkerConfig{})
	b.done(b.pull(worker), ok())
	worker.queue.conn.Close()
	if _, err := worker.Pull(b.ctx); err == nil || !strings.Contains(err.Error(), "connection closed") {
		t.Errorf("error %v", err)
	}
}

func TestForeignConsumerIsNoRun(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	r := reader{queue: b.connection, stream: resultsStream, filter: resultTopic.all()}
	if _, err := r.open(b.ctx); err != nil { // of another stream: no run either
		t.Fatal(err)
	}
	defer r.close()
	b.publish(task("run", "a"))
	runs, err := b.Runs(b.ctx)
	if err != nil || fmt.Sprint(runs) != "[run]" {
		t.Errorf("runs %v, error %v", runs, err)
	}
}

// BenchmarkWorkers pulls and finishes tasks that take no time with two workers
// of eight slots.
func BenchmarkWorkers(b *testing.B) {
	s := setup(b, 30*time.Second)
	if _, _, err := s.Publish(s.ctx, generate("run", b.N)); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	var group sync.WaitGroup
	for range 2 {
		worker := s.worker(WorkerConfig{Drain: true})
		for range 8 {
			group.Go(func() {
				for {
					d, err := worker.Pull(s.ctx)
					if empty := new(EmptyError); errors.As(err, &empty) {
						return
					}
					if err != nil {
						b.Error(err)
						return
					}
					if err := d.Done(s.ctx, of(d, ok())); err != nil {
						b.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
}
