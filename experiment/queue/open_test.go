package queue

import (
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
