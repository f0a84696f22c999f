package live

import (
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// TestFollowerReasons wants the reasons of a run's failures counted by method, those that are
// gone left out, and no more cells running than there are slots.
func TestFollowerReasons(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.submit("broken-12345678", 6)
	b.compute(10, experiment.OK)
	b.compute(6, experiment.Failed)
	b.compute(2, experiment.Diverged)
	for range 3 {
		b.pull()
	}
	f, err := NewFollower(b.Queue, "broken-12345678")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second look reads nothing again
		if err := f.Look(b.ctx); err != nil {
			t.Fatal(err)
		}
		list, others, err := f.Reasons(b.ctx)
		counts := map[experiment.Status]int64{}
		for _, reason := range list {
			counts[reason.Status] += reason.Count
			if reason.Text != "cell "+reason.Text[5:7]+" had no luck: <img src=x onerror=alert(1)>" || reason.Cell == "" {
				t.Errorf("reason %+v", reason)
			}
		}
		if err != nil || others != 0 || counts[experiment.Failed] != 6 || counts[experiment.Diverged] != 2 || len(list) > 4 {
			t.Errorf("reasons %v, %d others, %v", list, others, err)
		}
	}
	if f.Standing.Running != 3 {
		t.Fatalf("%d cells are running, want 3", f.Standing.Running)
	}
	queued, now := f.Standing.Queued, time.Now()
	f.Bound([]queue.Presence{{Name: "one", State: queue.Working, At: now, Slots: 1}, {Name: "lost", State: queue.Working, At: now.Add(-time.Hour), Slots: 9}}, now)
	if f.Standing.Running != 1 || f.Standing.Queued != queued+2 {
		t.Errorf("%d cells are running and %d queued on one slot, want 1 and %d", f.Standing.Running, f.Standing.Queued, queued+2)
	}
}
