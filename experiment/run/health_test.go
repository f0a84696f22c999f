package run

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/agepath/agepath/experiment/queue"
)

// TestHealth wants a worker that runs to be alive as long as it comes round.
func TestHealth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h Health
		after := func(wait time.Duration) error {
			<-time.After(wait)
			return h.Alive()
		}
		if err := after(time.Hour); err != nil || h.Ready() == nil {
			t.Errorf("before it begins: %v; ready: %v", err, h.Ready())
		}
		h.begin(&queue.Puller{})
		for range 10 {
			if err := after(hangsAfter - time.Second); err != nil {
				t.Error(err)
			}
			h.alive()
		}
		if err := after(hangsAfter + time.Second); err == nil {
			t.Error("a worker that does not come round is alive")
		}
		h.puller.Store(nil)
		if err := after(time.Hour); err != nil || h.Ready() == nil {
			t.Errorf("after its end: %v; ready: %v", err, h.Ready())
		}
	})
}
