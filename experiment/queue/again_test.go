package queue

import (
	"testing"

	"github.com/agepath/agepath/experiment"
)

// TestPublishAgain has cells of a run published again by someone who looked before
// they got a result: they are not computed again, and can be put back for good.
func TestPublishAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	worker := b.worker(WorkerConfig{Drain: true})
	end := func(outcome *experiment.Outcome, number uint64) {
		t.Helper()
		b.done(b.pull(worker), outcome)
		for ended, err := range b.Done(b.ctx, "run") {
			if err != nil || ended.Number != number {
				t.Errorf("%+v, error %v; want the number %d", ended, err, number)
			}
		}
	}
	b.publish(task("run", "a"))
	end(failure("first"), 0)
	b.publishAgain(0, task("run", "a"), task("run", "b"))
	if d := b.pull(worker); d.cell != "b" {
		t.Errorf("cell %s is computed, want b alone", d.cell)
	} else if err := d.Release(b.ctx, 0); err != nil {
		t.Fatal(err)
	}
	if err := b.Cancel(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	b.publishAgain(1, task("run", "a"))
	end(ok(), 1)
	b.publishAgain(1, task("run", "a"))
	if n, err := b.RemoveEnded(b.ctx, "run"); n != 1 || err != nil {
		t.Errorf("%d tasks removed, error %v; want the one that is done", n, err)
	}
	b.publishAgain(2, task("run", "a"))
	if n, err := b.RemoveEnded(b.ctx, "run"); n != 0 || err != nil {
		t.Errorf("%d tasks removed, error %v; want none: it was put back", n, err)
	}
}
