package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
)

func TestPublishRefusesWhatIsQueuedOrInFlight(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	check := func(when string, published, refused int) {
		t.Helper()
		if p, r := b.publish(task("run", "a")); p != published || r != refused {
			t.Fatalf("%s: published %d, refused %d; want %d, %d", when, p, r, published, refused)
		}
	}
	check("first", 1, 0)
	check("queued", 0, 1)
	worker := b.worker(WorkerConfig{})
	d := b.pull(worker)
	check("in flight", 0, 1)
	b.done(d, ok())
	check("acknowledged", 1, 0)
	b.wantCounts("run", Counts{Queued: 1, Done: 1})
}

func TestPublishInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.window = 7 // smaller than the number of tasks
	const n = 100
	published, refused, err := b.Publish(b.ctx, generate("run", n))
	if err != nil || published != n || refused != 0 {
		t.Fatalf("published %d, refused %d, error %v", published, refused, err)
	}
	worker := b.worker(WorkerConfig{})
	for i := range n {
		d := b.pull(worker)
		if want := fmt.Sprintf("c%06d", i); d.Task.Cell != want {
			t.Fatalf("delivery %d is cell %s, want %s", i, d.Task.Cell, want)
		}
		b.done(d, ok())
	}
	b.wantCounts("run", Counts{Done: n})
}

func TestPublishRefusesInTheMiddle(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "c000003"), task("run", "c000004"))
	published, refused, err := b.Publish(b.ctx, generate("run", 10))
	if err != nil || published != 8 || refused != 2 {
		t.Fatalf("published %d, refused %d, error %v; want 8, 2, none", published, refused, err)
	}
}

func TestPublishErrors(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	broken := errors.New("grid line 3")
	binary := task("run", "a")
	binary.Labels.Columns[0].Texts[0] = "\xff"
	large := task("run", "a")
	large.Spec = json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)
	for name, c := range map[string]struct {
		task experiment.Task
		err  error
		want string
	}{
		"run with a dot":  {task: task("a.b", "c"), want: `run name "a.b": character '.'`},
		"cell with space": {task: task("run", "c d"), want: `cell name "c d": character ' '`},
		"not UTF-8":       {task: binary, want: "run run, cell a: encoding task"},
		"too large":       {task: large, want: "run run, cell a: task of 2097"},
		"sequence":        {err: broken, want: "grid line 3"},
	} {
		published, refused, err := b.Publish(b.ctx, func(yield func(experiment.Task, error) bool) {
			_ = yield(task("run", "first-"+strings.ReplaceAll(name, " ", "-")), nil) && yield(c.task, c.err)
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.want)
		}
		if published != 1 || refused != 0 {
			t.Errorf("%s: published %d, refused %d; want the first task confirmed", name, published, refused)
		}
	}
}

func TestPublishWithoutStreams(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	if err := b.js.DeleteStream(b.ctx, tasksStream); err != nil {
		t.Fatal(err)
	}
	_, _, err := b.Publish(b.ctx, generate("run", 3))
	if err == nil || !strings.Contains(err.Error(), "stream not found") {
		t.Errorf("error %v, want one that says the stream is not found", err)
	}
}

func TestPublishCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	ctx, cancel := context.WithCancel(b.ctx)
	n := 0
	_, _, err := b.Publish(ctx, func(yield func(experiment.Task, error) bool) {
		for task, err := range generate("run", 1_000_000) {
			if n++; n == 5000 {
				cancel()
			}
			if !yield(task, err) {
				return
			}
		}
	})
	if !errors.Is(err, context.Canceled) || n != 5000 {
		t.Errorf("error %v after %d tasks", err, n)
	}
}

func BenchmarkPublish(b *testing.B) {
	s := setup(b, 30*time.Second)
	b.ResetTimer()
	published, _, err := s.Publish(s.ctx, generate("run", b.N))
	if err != nil || published != b.N {
		b.Fatalf("published %d of %d: %v", published, b.N, err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
}

// A run keeps the AckWait it was submitted with, unless another is asked for.
func TestAckWaitOfARun(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	fresh := defaultAckWait
	if b.server != nil {
		fresh = embeddedAckWait
	}
	other := b.connect(Config{})
	for i, step := range []struct {
		queue *Queue
		ask   time.Duration
		want  time.Duration
	}{{b.Queue, 0, fresh}, {b.Queue, 7 * time.Second, 7 * time.Second}, {other, 0, 7 * time.Second}, {other, time.Minute, time.Minute}} {
		step.queue.config.AckWait = step.ask
		if _, _, err := step.queue.Publish(b.ctx, sequence(task("run", fmt.Sprint(i)))); err != nil {
			t.Fatal(err)
		}
		consumer, err := b.js.Consumer(b.ctx, tasksStream, "run")
		if err != nil {
			t.Fatal(err)
		}
		if got := consumer.CachedInfo().Config.AckWait; got != step.want {
			t.Errorf("step %d: AckWait %v, want %v", i, got, step.want)
		}
	}
	b.Queue.config.AckWait = 0
	if err := b.Reopen(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	if have, err := b.tasks.consumer(b.ctx, "run"); err != nil || have == nil || have.AckWait != time.Minute {
		t.Errorf("reopened: %+v, error %v; want an AckWait of a minute", have, err)
	}
}
