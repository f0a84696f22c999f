package queue

import "testing"

// TestRemoveEnded has a task whose result is there but whose acknowledgement never
// comes, and one without a result: only the first is removed, and its cell can
// be queued again.
func TestRemoveEnded(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	b.publish(task("run", "done"), task("run", "open"), task("other", "done"))
	worker := b.worker(WorkerConfig{})
	for range 3 {
		d := b.pull(worker)
		if d.run == "run" && d.cell == "done" {
			result := ok()
			result.Run, result.Cell = d.run, d.cell
			if err := b.Queue.results.put(b.ctx, result, d.number, 1); err != nil {
				t.Fatal(err)
			}
		}
		die(d)
	}
	if n, err := b.RemoveEnded(b.ctx, "run"); n != 1 || err != nil {
		t.Errorf("%d tasks removed, error %v; want 1", n, err)
	}
	if n, err := b.held(b.ctx); n != 2 || err != nil {
		t.Errorf("%d tasks held, error %v; want 2", n, err)
	}
	if published, refused := b.publishAgain(1, task("run", "done"), task("run", "open")); published != 1 || refused != 1 {
		t.Errorf("again: published %d, refused %d; want 1 and 1", published, refused)
	}
	if n, err := b.RemoveEnded(b.ctx, "run"); n != 0 || err != nil {
		t.Errorf("%d tasks removed although put back, error %v; want none", n, err)
	}
	if err := b.js.DeleteStream(b.ctx, tasksStream); err != nil {
		t.Fatal(err)
	}
	if n, err := b.connect(Config{}).RemoveEnded(b.ctx, "run"); n != 0 || err != nil {
		t.Errorf("%d tasks removed without a stream, error %v; want none", n, err)
	}
}
