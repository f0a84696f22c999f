package live

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/notify"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestNotify watches a run that fails and ends, and a worker that vanishes.
func TestNotify(t *testing.T) {
	t.Parallel()
	needs.Program(t, "commands of notifications", "sh")
	var log bytes.Buffer
	n, err := notify.New(notify.Config{
		Command: "exit 1", FailureRate: 0.5, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	b := newBed(t)
	m := b.monitor()
	m.config.Looked = Notify(n)
	b.submit("over", 1)
	b.compute(9, experiment.Failed)
	b.await(m, "a run is over", func(s *State) bool { return len(s.Runs) == 1 && s.Runs[0].Phase == Finished })
	b.submit("run", 3)
	says := func(silent time.Duration) {
		t.Helper()
		p := queue.Presence{Name: "w", State: queue.Working, At: time.Now().Add(-silent), Slots: 1, Running: []queue.Running{{Run: "run", Cell: "x", Since: time.Now()}}}
		if err := b.Announce(&p); err != nil {
			t.Fatal(err)
		}
	}
	says(0)
	b.await(m, "the worker is there", func(s *State) bool { return len(s.Runs) == 2 && len(s.Workers) == 1 })
	b.compute(5, experiment.OK)
	b.compute(15, experiment.Diverged)
	b.await(m, "most cells failed", func(s *State) bool { return s.Runs[1].Failed == 15 })
	b.compute(7, experiment.Diverged)
	says(time.Minute)
	b.await(m, "the worker is lost", func(s *State) bool { return s.Runs[1].Phase == Finished && s.Workers[0].State == queue.Lost })
	for range 3 {
		m.look(b.ctx)
	}
	n.Close()
	for _, what := range []string{"event=ended", "event=workers-lost", "event=failure-rate"} {
		if got := strings.Count(log.String(), what); got != 1 {
			t.Errorf("%s is told %d times:\n%s", what, got, log.String())
		}
	}
}
