package queue

import (
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
)

// several publishes n tasks and one of which a worker learns that cells are short, and waits until
// the server has counted them: before, a pull can give fewer.
func (b *bundle) several(config WorkerConfig, run string, n int) *Puller {
	b.t.Helper()
	if _, _, err := b.Publish(b.ctx, generate(run, n+1)); err != nil {
		b.t.Fatal(err)
	}
	b.wantCounts(run, Counts{Queued: n + 1})
	if config.Short == nil {
		config.Short = func(*experiment.Task) bool { return true }
	}
	worker := b.worker(config)
	first := b.pull(worker)
	if len(first.Also) > 0 {
		b.t.Fatalf("%d tasks come with the first, of which no time is known", len(first.Also))
	}
	b.done(first, ok())
	b.takes(worker, 1e-6)
	return worker
}

// takes has a worker expect that cells take so many seconds.
func (b *bundle) takes(worker *Puller, seconds float64) {
	worker.runs.mu.Lock()
	defer worker.runs.mu.Unlock()
	for _, of := range worker.runs.sources {
		of.seconds = seconds
	}
}

// together pulls tasks that come together.
func (b *bundle) together(p *Puller) []*Delivery {
	b.t.Helper()
	d := b.pull(p)
	return append([]*Delivery{d}, d.Also...)
}

func (b *bundle) settle(list []*Delivery) {
	b.t.Helper()
	for _, d := range list {
		b.done(d, ok())
	}
}

func TestShortCellsComeTogether(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	for _, drain := range []bool{true, false} {
		const n = 2*maxTogether + 3
		run := map[bool]string{true: "draining", false: "staying"}[drain]
		worker := b.several(WorkerConfig{Drain: drain}, run, n)
		for i, want := range []int{maxTogether, maxTogether, 3} {
			list := b.together(worker)
			if len(list) != want {
				t.Fatalf("%s, pull %d: %d tasks, want %d", run, i, len(list), want)
			}
			for k, d := range list {
				if k > 0 && d.cell <= list[k-1].cell || d.Task.Run != run || d.Task.Cell != d.cell || d.Attempt != 1 {
					t.Errorf("%s, pull %d, task %d: cell %s, %+v", run, i, k, d.cell, d.Task)
				}
			}
			b.settle(list)
			b.takes(worker, 1e-6)
		}
		b.wantCounts(run, Counts{Done: n + 1})
		for _, of := range worker.runs.sources {
			if open, held := len(worker.runs.bills), of.held.Load(); open > 0 || held != 0 {
				t.Errorf("%s: %d bills are open, %d tasks held", run, open, held)
			}
		}
		if len(b.results(run)) != n+1 {
			t.Errorf("%s: %d results, want %d", run, len(b.results(run)), n+1)
		}
	}
}

// TestAsManyAsAreShort has cells of which some and only one fit into the time of a pull.
func TestAsManyAsAreShort(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	worker := b.several(WorkerConfig{}, "run", 8)
	for _, step := range []struct {
		seconds float64
		want    int
	}{{0.3 * Together, 3}, {0.9 * Together, 1}, {2 * Together, 1}} {
		b.takes(worker, step.seconds)
		list := b.together(worker)
		if len(list) != step.want {
			t.Errorf("cells of %v s: %d tasks, want %d", step.seconds, len(list), step.want)
		}
		b.settle(list)
	}
}

// TestNothingWaitsForALongCell pulls short cells around a long one: those after it are there for
// other workers at once and have used up no attempt.
func TestNothingWaitsForALongCell(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	short := func(task *experiment.Task) bool { return task.Cell != "c000003" }
	worker := b.several(WorkerConfig{Short: short}, "run", 6)
	first := b.together(worker)
	if len(first) != 2 || first[1].cell != "c000002" {
		t.Fatalf("%d tasks, want the 2 before the long one", len(first))
	}
	other := b.worker(WorkerConfig{Short: short})
	long := b.together(other)
	for len(long) == 1 && long[0].cell != "c000003" { // the order of what was handed back is the server's
		first = append(first, long...)
		long = b.together(other)
	}
	if len(long) != 1 {
		t.Fatalf("%d tasks come with the long one", len(long))
	}
	for range 7 - 1 - len(first) - len(long) {
		d := b.pull(worker)
		if d.Attempt != 1 || d.Delivered < 2 {
			t.Errorf("%s: attempt %d, delivery %d; want what was handed back", d.cell, d.Attempt, d.Delivered)
		}
		b.done(d, ok())
	}
	b.settle(append(first, long...))
	b.wantCounts("run", Counts{Done: 7})
}

// TestSuspectsComeAlone has tasks that a worker died of among others.
func TestSuspectsComeAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	const n = 6
	for _, d := range b.together(b.several(WorkerConfig{}, "run", n)) {
		die(d)
	}
	worker := b.worker(WorkerConfig{Short: func(*experiment.Task) bool { return true }})
	for range n {
		list := b.together(worker)
		if len(list) != 1 || list[0].Delivered < 2 {
			t.Fatalf("%d tasks, the first delivered %d times; want one that comes again", len(list), list[0].Delivered)
		}
		b.done(list[0], ok())
		b.takes(worker, 1e-6)
	}
	b.wantCounts("run", Counts{Done: n + 1})
}

// TestWaitingTasksAreHeld computes the first of several tasks for longer than AckWait: nobody else
// gets the others.
func TestWaitingTasksAreHeld(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	list := b.together(b.several(WorkerConfig{}, "run", 3))
	b.nothing(b.worker(WorkerConfig{}), 3*ackWait)
	b.settle(list)
	b.wantCounts("run", Counts{Done: 4})
}
