package run

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestTogether has a cell that does its worst among others of the same request: each cell has the
// outcome that it has alone, and none uses up an attempt of another.
func TestTogether(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	for worst, want := range map[string]struct {
		status experiment.Status
		text   string
		alone  bool // it is computed again, alone
	}{
		"fine":            {status: experiment.OK},
		"nan":             {status: experiment.Diverged, text: "answer is NaN"},
		"panic":           {status: experiment.Failed, text: "panic: out of luck"},
		"exit":            {status: experiment.Failed, text: "computing this cell ended its process", alone: true},
		"panic elsewhere": {status: experiment.Failed, text: "computing this cell ended its process", alone: true},
		"allocate":        {status: experiment.Memory, text: "it took", alone: true},
		"data":            {status: experiment.Failed, text: "fetching data: data set 000000", alone: true},
		"loop":            {status: experiment.Timeout, text: "not done within 1s", alone: true},
	} {
		t.Run(worst, func(t *testing.T) {
			t.Parallel()
			q := startQueue(t)
			var tasks []experiment.Task
			for i, spec := range []string{"fine", "fine", worst, "fine"} {
				tasks = append(tasks, task(fmt.Sprintf("c%d", i), spec, experiment.Limits{Timeout: time.Second, Memory: 256 << 20, Attempts: 1}))
			}
			if worst == "data" { // of which the server has none
				tasks[2].Data = []string{strings.Repeat("0", 64)}
			}
			publish(t, q, tasks...)
			w := &Worker{Queue: q, Process: slotProcess, Cache: t.TempDir(), Slots: 1, Drain: true, Report: wantFailuresAlone(t)}
			if err := w.defaults(); err != nil {
				t.Fatal(err)
			}
			var err error
			if w.puller, err = q.Worker(queue.WorkerConfig{Drain: true, Together: time.Hour}); err != nil {
				t.Fatal(err)
			}
			defer w.puller.Close()
			w.settling = t.Context()
			slots, err := processes(w)
			if err != nil {
				t.Fatal(err)
			}
			defer slots[0].close()
			status := newSlotStatus(w)
			for _, many := range []int{1, 3} {
				list, err := w.puller.Pull(t.Context())
				if err != nil || len(list) != many {
					t.Fatalf("%d tasks, error %v; want %d", len(list), err, many)
				}
				left, ok := w.compute(t.Context(), slots[0], list, status, 0, time.Second)
				if !ok || (len(left) > 0) != (want.alone && many > 1) {
					t.Errorf("%d left of %d, %v", len(left), many, ok)
				}
				for len(left) > 0 {
					if left, ok = w.compute(t.Context(), slots[0], left, status, 0, time.Second); !ok {
						t.Error("trouble")
					}
				}
			}
			if err := w.Run(t.Context()); err != nil { // what was handed back
				t.Fatal(err)
			}
			list := outcomes(t, q)
			for i := range tasks {
				o, status, text := list[tasks[i].Cell], experiment.OK, ""
				if i == 2 {
					status, text = want.status, want.text
				}
				if o == nil || o.Status != status || !strings.HasPrefix(o.Error, text) || o.Attempts != 1 {
					t.Errorf("cell %d: %+v; want %s, %s in attempt 1", i, o, status, text)
				}
			}
			if counts, err := q.Counts(t.Context(), "test"); err != nil || counts != (queue.Counts{Done: len(tasks)}) {
				t.Errorf("%+v, error %v", counts, err)
			}
		})
	}
}
