package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// die ends a worker without a word: heartbeats stop, nothing is handed back.
func die(d *Delivery) {
	d.silence()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.suspect { // the puller of a dead worker is gone, that of a test is not
		d.suspect = false
		<-d.puller.suspect
	}
}

func TestRedeliveryWhenWorkerDies(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	b.publish(task("run", "a"))
	first := b.worker(WorkerConfig{})
	b.pull(first)
	first.queue.conn.Close()
	d := b.pull(b.worker(WorkerConfig{}))
	if d.Task.Cell != "a" || d.Delivered != 2 || d.Attempt != 1 {
		t.Errorf("cell %s, delivery %d, attempt %d; want a, 2, 1", d.Task.Cell, d.Delivered, d.Attempt)
	}
	b.done(d, ok())
	if got := b.results("run"); len(got) != 1 || got[0].Attempts != 1 {
		t.Errorf("results %v", got)
	}
}

func TestHeartbeatsKeepTheTask(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	b := setup(t, ackWait)
	b.publish(task("run", "a"))
	d := b.pull(b.worker(WorkerConfig{}))
	b.nothing(b.worker(WorkerConfig{}), 4*ackWait)
	if d.lost() {
		t.Error("believes itself lost")
	}
	b.done(d, ok())
	b.wantCounts("run", Counts{Done: 1})
}

func TestAbandon(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	b.publish(task("run", "a"))
	worker := b.worker(WorkerConfig{})
	d := b.pull(worker)
	d.Abandon()
	again := b.pull(worker)
	if again.Delivered != 2 || again.Attempt != 1 {
		t.Errorf("delivery %d, attempt %d; want the second in the first", again.Delivered, again.Attempt)
	}
	if err := d.Done(b.ctx, of(d, ok())); !errors.Is(err, ErrSettled) {
		t.Errorf("done after it was abandoned: %v", err)
	}
	b.done(again, ok())
	again.Abandon() // nothing is left to give up
	b.wantCounts("run", Counts{Done: 1})
}

func TestHeartbeatsStopAtTheDeadline(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	b := setup(t, ackWait)
	hanging := task("run", "a")
	hanging.Limits.Timeout = 2 * ackWait
	b.publish(hanging)
	start := time.Now()
	d := b.pull(b.worker(WorkerConfig{}))
	d.Begin()
	again := b.pull(b.worker(WorkerConfig{}))
	if waited := time.Since(start); waited < 2*ackWait || again.Delivered != 2 {
		t.Errorf("delivery %d after %v; want the second, after the deadline of %v", again.Delivered, waited, 2*ackWait)
	}
	if !d.lost() {
		t.Error("does not believe itself lost")
	}
}

func TestLateDoneOfLostWorker(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	b.publish(task("run", "a"))
	stale := b.pull(b.worker(WorkerConfig{}))
	die(stale)
	owner := b.pull(b.worker(WorkerConfig{}))

	t.Log("while the new owner works, the lost worker's result counts")
	late := ok()
	late.Worker = "stale"
	b.done(stale, late)
	if got := b.results("run"); len(got) != 1 || got[0].Worker != "stale" {
		t.Fatalf("results %+v", got)
	}
	fresh := ok()
	fresh.Worker = "owner"
	if err := owner.Done(b.ctx, of(owner, fresh)); err != nil && !errors.Is(err, ErrUnacknowledged) {
		t.Fatal(err)
	}
	if got := b.results("run"); len(got) != 1 || got[0].Worker != "owner" {
		t.Fatalf("results %+v", got)
	}
	b.wantCounts("run", Counts{Done: 1})
}

func TestLaterDoneOfLostWorker(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	b.publish(task("run", "a"))
	stale := b.pull(b.worker(WorkerConfig{}))
	die(stale)
	b.done(b.pull(b.worker(WorkerConfig{})), ok())

	t.Log("the cell is put back and done again before the lost worker wakes up")
	b.publish(task("run", "a"))
	best := ok()
	best.Worker = "best"
	b.done(b.pull(b.worker(WorkerConfig{})), best)
	if err := stale.Done(b.ctx, of(stale, failure("late"))); err != nil && !errors.Is(err, ErrUnacknowledged) {
		t.Fatal(err)
	}
	if got := b.results("run"); len(got) != 1 || got[0].Worker != "best" {
		t.Fatalf("results %+v", got)
	}
	b.wantCounts("run", Counts{Done: 1})
}

func TestLostWorkerLeavesTheTaskAlone(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	b := setup(t, ackWait)
	b.publish(task("run", "a"), task("run", "b"))
	worker := b.worker(WorkerConfig{})
	failing, releasing := b.pull(worker), b.pull(worker)
	die(failing)
	die(releasing)
	owners := []*Delivery{b.pull(b.worker(WorkerConfig{})), b.pull(b.worker(WorkerConfig{}))}
	if final, err := failing.Fail(b.ctx, of(failing, failure("late")), 0); final || err != nil {
		t.Fatalf("final %v, error %v", final, err)
	}
	if err := releasing.Release(b.ctx, 0); err != nil {
		t.Fatal(err)
	}
	b.nothing(b.worker(WorkerConfig{}), 2*ackWait)
	for _, d := range owners {
		counted, _, err := b.attempts.counts(b.ctx, "run", d.Task.Cell, d.number)
		if err != nil || counted.Failed != 0 || counted.Released != 0 {
			t.Errorf("%+v, error %v; want nothing counted", counted, err)
		}
		b.done(d, ok())
	}
}

func TestReleaseUsesNoAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	const releases = 12 // more than deaths are allowed
	worker := b.worker(WorkerConfig{})
	for i := range releases {
		d := b.pull(worker)
		if d.Delivered != i+1 || d.Attempt != 1 {
			t.Fatalf("delivery %d, attempt %d; want %d, 1", d.Delivered, d.Attempt, i+1)
		}
		if err := d.Release(b.ctx, 0); err != nil {
			t.Fatal(err)
		}
		if err := d.Release(b.ctx, 0); !errors.Is(err, ErrSettled) {
			t.Fatalf("second release: %v", err)
		}
	}
	b.done(b.pull(worker), ok())
	if got := b.results("run"); len(got) != 1 || got[0].Attempts != 1 || got[0].Status != experiment.OK {
		t.Errorf("results %+v", got)
	}
	b.wantCounts("run", Counts{Done: 1})
}

func TestReleaseWithDelay(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	worker := b.worker(WorkerConfig{})
	start := time.Now()
	if err := b.pull(worker).Release(b.ctx, 300*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	d := b.pull(worker)
	if waited := time.Since(start); waited < 290*time.Millisecond || waited > 10*time.Second {
		t.Errorf("delivered again after %v, want 300 ms", waited)
	}
	b.done(d, ok())
}

func TestFailCountsToTheLimit(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			b := setup(t, 30*time.Second)
			limited := task("run", "a")
			limited.Limits.Attempts = limit
			b.publish(limited)
			for attempt := 1; attempt <= limit; attempt++ {
				worker := b.worker(WorkerConfig{}) // another one each time: the count is on the server
				if attempt == 2 {                  // an interruption in between does not count
					if err := b.pull(worker).Release(b.ctx, 0); err != nil {
						t.Fatal(err)
					}
				}
				d := b.pull(worker)
				if d.Attempt != attempt {
					t.Fatalf("attempt %d, want %d", d.Attempt, attempt)
				}
				final, err := d.Fail(b.ctx, of(d, failure(fmt.Sprintf("error %d", attempt))), time.Millisecond)
				if err != nil || final != (attempt == limit) {
					t.Fatalf("attempt %d: final %v, error %v", attempt, final, err)
				}
			}
			got := b.results("run")
			if len(got) != 1 || got[0].Attempts != limit || got[0].Error != fmt.Sprintf("error %d", limit) || got[0].Status != experiment.Failed {
				t.Errorf("results %+v", got)
			}
			b.wantCounts("run", Counts{Done: 1})
		})
	}
}

// TestFailCountsOthers wants failures to count that another delivery of the task recorded
// after this one came.
func TestFailCountsOthers(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	limited := task("run", "a")
	limited.Limits.Attempts = 2
	b.publish(limited)
	d := b.pull(b.worker(WorkerConfig{}))
	if _, err := d.puller.queue.attempts.record(b.ctx, d.run, d.cell, d.number, (*attemptCounts).fail); err != nil {
		t.Fatal(err)
	}
	if final, err := d.Fail(b.ctx, of(d, failure("once more")), 0); err != nil || !final {
		t.Errorf("final %v, error %v", final, err)
	}
	if got := b.results("run"); len(got) != 1 || got[0].Attempts != 1 || got[0].Status != experiment.Failed {
		t.Errorf("results %+v", got)
	}
}

func TestFailThenDone(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	worker := b.worker(WorkerConfig{})
	b.fails(b.pull(worker), failure("once"))
	b.done(b.pull(worker), ok())
	if got := b.results("run"); len(got) != 1 || got[0].Attempts != 2 || got[0].Status != experiment.OK {
		t.Errorf("results %+v", got)
	}
}

// TestDoneWithoutStream stores a result where no stream takes it: the task stays, as it
// has no result.
func TestDoneWithoutStream(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	d := b.pull(b.worker(WorkerConfig{}))
	held := func() uint64 {
		stream, err := b.js.Stream(b.ctx, tasksStream)
		if err != nil {
			t.Fatal(err)
		}
		return stream.CachedInfo().State.Msgs
	}
	before := held()
	if err := b.js.DeleteStream(b.ctx, resultsStream); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.ctx, 3*time.Second)
	defer cancel()
	if err := d.Done(ctx, of(d, ok())); err == nil {
		t.Error("a result that is not stored counts as stored")
	}
	if after := held(); after != before {
		t.Errorf("the stream of tasks has %d messages, before %d", after, before)
	}
}

func TestPutBackStartsAnew(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	worker := b.worker(WorkerConfig{})
	b.publish(task("run", "a"))
	for range 3 {
		b.fails(b.pull(worker), failure("first life"))
	}
	b.publishAgain(1, task("run", "a"))
	lost := b.worker(WorkerConfig{})
	b.pull(lost)
	lost.queue.conn.Close()
	d := b.pull(worker) // the failed result of the first life must not settle it
	if d.Delivered != 2 || d.Attempt != 1 {
		t.Fatalf("delivery %d, attempt %d; want 2, 1", d.Delivered, d.Attempt)
	}
	b.done(d, ok())
	if got := b.results("run"); len(got) != 1 || got[0].Status != experiment.OK || got[0].Attempts != 1 {
		t.Errorf("results %+v", got)
	}
}

func TestDeadLetter(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "killer"))
	worker := b.worker(WorkerConfig{})
	d := b.pull(worker)
	b.fails(d, failure("an error of its own is no death"))
	if err := b.pull(worker).Release(b.ctx, 0); err != nil {
		t.Fatal(err)
	}
	b.hasten("run", 100*time.Millisecond) // from now on nothing is handed back in time
	undertaker := b.worker(WorkerConfig{Name: "undertaker", Drain: true})
	deaths := 0
	for b.counts("run").Dead == 0 {
		d, err := undertaker.Pull(b.ctx)
		if empty := new(EmptyError); errors.As(err, &empty) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		deaths++
		if b.server != nil && (d.Delivered != deaths+2 || d.Attempt != 2) {
			t.Fatalf("delivery %d, attempt %d; want %d, 2", d.Delivered, d.Attempt, deaths+2)
		}
		die(d)
	}
	// Servers before 2.10 can number a redelivery 1 once; that delays the end.
	if deaths < 2 || deaths > 2 && b.server != nil {
		t.Errorf("given up after %d deaths, want 2", deaths)
	}
	b.wantCounts("run", Counts{Done: 1, Dead: 1})
	checkDead(b, "2 deliveries ended without a word", 5)
}

// TestLostDeliveries loses a task on its way to a worker again and again, which
// nobody dies of.
func TestLostDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t, 100*time.Millisecond)
	b.publish(task("run", "a"))
	consumer, err := b.js.Consumer(b.ctx, tasksStream, "run")
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := consumer.Next(); err != nil {
			t.Fatal(err)
		}
	}
	b.hasten("run", ackWait)
	d := b.pull(b.worker(WorkerConfig{}))
	if d.Delivered < 6 || d.Attempt != 1 {
		t.Errorf("delivery %d, attempt %d; want at least 6, 1", d.Delivered, d.Attempt)
	}
	b.done(d, ok())
	b.wantCounts("run", Counts{Done: 1})
}

// checkDead checks the dead letter of cell killer and its outcome.
func checkDead(b *bundle, reason string, deliveries int) {
	b.t.Helper()
	for letter, err := range b.Dead(b.ctx, "run") {
		if err != nil {
			b.t.Fatal(err)
		}
		if letter.Cell != "killer" || letter.Deliveries != deliveries || letter.Worker != "undertaker" ||
			!strings.Contains(letter.Reason, reason) || time.Since(letter.Time) > time.Minute {
			b.t.Errorf("dead letter %+v", letter)
		}
	}
	got := b.results("run")
	if len(got) != 1 || got[0].Status != experiment.Failed || got[0].Attempts != deliveries || !strings.Contains(got[0].Error, reason) {
		b.t.Errorf("results %+v", got)
	}
}

func TestUnreadableTask(t *testing.T) {
	t.Parallel()
	other := task("run", "x")
	another, err := encodeTask(&other)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{"text": []byte("no task"), "another cell": another} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, 30*time.Second)
			if err := b.tasks.open(b.ctx, "run"); err != nil {
				t.Fatal(err)
			}
			if _, err := b.js.Publish(b.ctx, taskTopic.cell("run", "killer"), body); err != nil {
				t.Fatal(err)
			}
			empty := new(EmptyError)
			if _, err := b.worker(WorkerConfig{Name: "undertaker", Drain: true}).Pull(b.ctx); !errors.As(err, &empty) {
				t.Fatal(err)
			}
			b.wantCounts("run", Counts{Done: 1, Dead: 1})
			checkDead(b, "the task cannot be read", 1)
		})
	}
}

func TestResultOfDeadWorkerCounts(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	b.publish(task("run", "a"))
	lost := b.worker(WorkerConfig{})
	d := b.pull(lost)
	outcome := ok()
	outcome.Run, outcome.Cell = "run", "a"
	if err := lost.queue.results.put(b.ctx, outcome, d.number, d.Delivered); err != nil {
		t.Fatal(err)
	}
	lost.queue.conn.Close() // between the result and the acknowledgement
	heir := b.worker(WorkerConfig{Drain: true})
	b.await("nothing is in flight", func() bool {
		d, err := heir.Pull(b.ctx)
		empty := new(EmptyError)
		if !errors.As(err, &empty) {
			t.Fatalf("pulled %+v, error %v; want the task settled on the way", d, err)
		}
		return empty.InFlight == 0
	})
	b.wantCounts("run", Counts{Done: 1})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	if _, _, err := b.Publish(b.ctx, generate("run", 10)); err != nil {
		t.Fatal(err)
	}
	b.publish(task("other", "x"))
	worker := b.worker(WorkerConfig{})
	d := b.pull(worker)
	for d.Task.Run != "run" {
		b.done(d, ok())
		d = b.pull(worker)
	}
	finished := b.pull(worker)
	for finished.Task.Run != "run" {
		b.done(finished, ok())
		finished = b.pull(worker)
	}
	b.done(finished, ok())
	if err := b.Cancel(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-d.Cancelled():
	case <-b.ctx.Done():
		t.Fatal("not told of the cancelling")
	}
	if err := d.Release(b.ctx, 0); err != nil {
		t.Fatal(err)
	}
	b.wantCounts("run", Counts{Done: 1})
	for runs := []string{"run"}; len(runs) > 0 && runs[0] == "run"; {
		var err error
		if runs, err = b.Runs(b.ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Cancel(b.ctx, "run"); err != nil {
		t.Errorf("cancelling again: %v", err)
	}
	published, _, err := b.Publish(b.ctx, generate("run", 10))
	if err != nil || published != 10 {
		t.Errorf("published %d after cancelling: %v", published, err)
	}
	b.done(b.pull(worker), ok())
}

func TestDoneReportsWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	d := b.pull(b.worker(WorkerConfig{}))
	bad := of(d, ok())
	bad.Cell = "other"
	if err := d.Done(b.ctx, bad); err == nil || !strings.Contains(err.Error(), "run run, cell a") {
		t.Fatalf("error %v, want one that names the cell", err)
	}
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	if err := d.Done(ctx, of(d, ok())); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	b.done(d, ok()) // the delivery was still open
}

// TestSuspectsOneAtATime has two tasks that a worker may have died of: the next
// worker takes one, and hands the other back until the first is settled.
func TestSuspectsOneAtATime(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	b := setup(t, ackWait)
	b.publish(task("run", "a"), task("run", "b"))
	dead := b.worker(WorkerConfig{})
	die(b.pull(dead))
	die(b.pull(dead))
	worker := b.worker(WorkerConfig{})
	first := b.pull(worker)
	b.nothing(worker, 3*ackWait)
	b.done(first, ok())
	second := b.pull(worker)
	if first.cell == second.cell || second.Attempt != 1 {
		t.Errorf("cells %s and %s, attempt %d", first.cell, second.cell, second.Attempt)
	}
	b.done(second, ok())
	b.wantCounts("run", Counts{Done: 2})
}

// TestDoneWithoutAcknowledgement loses the consumer before the task is acknowledged.
func TestDoneWithoutAcknowledgement(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	d := b.pull(b.worker(WorkerConfig{}))
	if err := b.js.DeleteConsumer(b.ctx, tasksStream, "run"); err != nil {
		t.Fatal(err)
	}
	if err := d.Done(b.ctx, of(d, ok())); !errors.Is(err, ErrUnacknowledged) {
		t.Error(err)
	}
	if got := len(b.results("run")); got != 1 {
		t.Errorf("%d results", got)
	}
}
