package queue

import "testing"

// The stream must never begin with a task, or servers search the whole queue
// for each pull.
func TestAnchor(t *testing.T) {
	b := setup(t, ackWait)
	first := func(when string) {
		t.Helper()
		stream, err := b.js.Stream(b.ctx, tasksStream)
		if err != nil {
			t.Fatal(err)
		}
		msg, err := stream.GetMsg(b.ctx, stream.CachedInfo().State.FirstSeq)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if msg.Subject != anchorSubject {
			t.Errorf("%s the stream begins with %s, want %s", when, msg.Subject, anchorSubject)
		}
	}
	first("without tasks")
	b.publish(task("run", "a"), task("run", "b"))
	if n, err := b.held(b.ctx); n != 2 || err != nil {
		t.Errorf("%d tasks held, error %v; want 2", n, err)
	}
	worker := b.worker(WorkerConfig{})
	for range 2 {
		b.done(b.pull(worker), ok())
	}
	first("with all tasks done")
	if n, err := b.held(b.ctx); n != 0 || err != nil {
		t.Errorf("%d tasks held, error %v; want none", n, err)
	}
	if err := b.Purge(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	first("after a purge")
	if err := b.EnsureStreams(b.ctx); err != nil {
		t.Error(err)
	}
	if n, err := b.held(b.ctx); n != 0 || err != nil {
		t.Errorf("%d tasks held with the anchor there twice, error %v; want none", n, err)
	}
	if err := ValidName("$"); err == nil {
		t.Error("a run could have the anchor's name")
	}
}
