package queue

import (
	"slices"
	"testing"
	"time"
)

// TestPullWaitsForTheNextList wants a slot that waits without a run to list the runs when it
// has waited, and not to take the list of before for fresh: the first task of a new run would
// wait for twice the time that [WorkerConfig.Idle] promises.
func TestPullWaitsForTheNextList(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	w := b.worker(WorkerConfig{})
	for range 3 {
		if list, _, err := w.next(b.ctx, true); list != nil || err != nil {
			t.Fatalf("%+v, %v", list, err)
		}
		if w.runs.fresh() {
			t.Error("the list of before the wait counts as fresh after it")
		}
	}
}

// TestOpen wants a run to be known to workers before it has a task, and a task that is
// published then to be new.
func TestOpen(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	if err := Open(b.ctx, b.Queue, "a b"); err == nil {
		t.Error("a run that no subject can hold is opened")
	}
	for range 2 {
		if err := Open(b.ctx, b.Queue, "run"); err != nil {
			t.Fatal(err)
		}
	}
	if runs, err := b.Runs(b.ctx); err != nil || !slices.Equal(runs, []string{"run"}) {
		t.Fatalf("runs %v, %v", runs, err)
	}
	b.publish(task("run", "x"))
	d := b.pull(b.worker(WorkerConfig{}))
	if d.Task.Cell != "x" || d.known() {
		t.Errorf("%+v", d)
	}
	b.done(d, ok())
}
