package live

import (
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
)

// TestPhase has a queued run among workers that are absent, unable, idle or busy with others.
func TestPhase(t *testing.T) {
	t.Parallel()
	now := time.Now()
	able := []experiment.Need{{Name: "toy"}}
	busy := queue.Presence{State: queue.Working, At: now, Computes: able, Running: []queue.Running{{Run: "other"}}}
	idle := queue.Presence{State: queue.Idle, At: now, Computes: able}
	unable, lost := busy, busy
	unable.Computes, lost.At = nil, now.Add(-time.Hour)
	queued := queue.Standing{Queued: 5, Cells: 5}
	for name, c := range map[string]struct {
		standing queue.Standing
		workers  []queue.Presence
		open     bool
		want     string
	}{
		"nobody":     {queued, nil, true, Waiting},
		"lost":       {queued, []queue.Presence{lost}, true, Waiting},
		"unable":     {queued, []queue.Presence{unable}, true, Waiting},
		"idle":       {queued, []queue.Presence{idle}, true, Waiting},
		"other run":  {queued, []queue.Presence{idle, busy}, true, InTurn},
		"paused":     {queue.Standing{Queued: 5, Paused: true}, []queue.Presence{busy}, true, Paused},
		"computing":  {queue.Standing{Queued: 5, Running: 1}, []queue.Presence{busy}, true, Computing},
		"finished":   {queue.Standing{}, []queue.Presence{busy}, true, Finished},
		"not queued": {queue.Standing{Unqueued: 1}, nil, true, Partial},
		"not open":   {queue.Standing{Unqueued: 1}, nil, false, Cancelled},
	} {
		f := Follower{Standing: c.standing, Description: &run.Description{Needs: able}}
		if got := f.Phase(c.open, c.workers, now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
