package run

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestTogether has a cell that does its worst among others that its slot was asked for with it: each
// has the outcome that it has alone, in its first attempt.
func TestTogether(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	for worst, want := range map[string]struct {
		status    experiment.Status
		text      string
		processes int
	}{
		"fine":            {experiment.OK, "", 1},
		"nan":             {experiment.Diverged, "answer is NaN", 1},
		"panic":           {experiment.Failed, "panic: out of luck", 1},
		"exit":            {experiment.Failed, "computing this cell ended its process", 2},
		"panic elsewhere": {experiment.Failed, "computing this cell ended its process", 2},
		"allocate":        {experiment.Memory, "it took", 2},
		"data":            {experiment.Failed, "fetching data: data set 000000", 1},
		"loop":            {experiment.Timeout, "not done within 1s", 2},
		"sleep":           {experiment.OK, "", 1}, // all of the cells, which take more than the limit in sum
		"interrupt":       {experiment.OK, "", 1}, // the worker is stopped; another computes what is left
	} {
		t.Run(worst, func(t *testing.T) {
			t.Parallel()
			q := startQueue(t)
			var tasks []experiment.Task
			for i := range 6 {
				spec := "fine"
				if i == 2 || worst == "sleep" {
					spec = strings.Replace(worst, "interrupt", "sleep", 1)
				}
				tasks = append(tasks, task(fmt.Sprintf("c%d", i), spec, experiment.Limits{Timeout: time.Second, Memory: 256 << 20, Attempts: 1}))
			}
			if worst == "data" { // of which the server has none
				tasks[2].Data = []string{strings.Repeat("0", 64)}
			}
			publish(t, q, tasks...)
			started := 0
			w := &Worker{Queue: q, Cache: t.TempDir(), Slots: 1, Drain: true, Report: wantFailuresAlone(t), Process: func() *exec.Cmd {
				started++
				return slotProcess()
			}}
			again := *w
			if err := w.defaults(); err != nil {
				t.Fatal(err)
			}
			var err error
			if w.puller, err = q.Worker(queue.WorkerConfig{Drain: true}); err != nil {
				t.Fatal(err)
			}
			defer w.puller.Close()
			w.settling = t.Context()
			slots, err := processes(w)
			if err != nil {
				t.Fatal(err)
			}
			defer slots[0].close()
			var list []*queue.Delivery
			for range tasks {
				d, err := w.puller.Pull(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, d)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if worst == "interrupt" {
				time.AfterFunc(300*time.Millisecond, cancel)
			}
			if !w.computeAll(ctx, slots[0], list, newSlotStatus(w), 0, time.Second) {
				t.Error("trouble")
			}
			if started != want.processes {
				t.Errorf("%d processes, want %d", started, want.processes)
			}
			if worst == "interrupt" {
				if counts, err := q.Counts(t.Context(), "test"); err != nil || counts.Queued+counts.InFlight == 0 {
					t.Errorf("%+v, error %v; nothing was handed back", counts, err)
				}
				if err := again.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			stored := outcomes(t, q)
			for i := range tasks {
				o, status, text := stored[tasks[i].Cell], experiment.OK, ""
				if i == 2 {
					status, text = want.status, want.text
				}
				if o == nil || o.Status != status || !strings.HasPrefix(o.Error, text) || o.Attempts != 1 || o.Worker == "" {
					t.Errorf("cell %d: %+v; want %s, %s in attempt 1", i, o, status, text)
				}
			}
			if counts, err := q.Counts(t.Context(), "test"); err != nil || counts != (queue.Counts{Done: len(tasks)}) {
				t.Errorf("%+v, error %v", counts, err)
			}
		})
	}
}

// TestShortByMethod learns how long cells of a method take; one hiccup does not make them long.
func TestShortByMethod(t *testing.T) {
	t.Parallel()
	l := &walltime{}
	if l.short("a", 0.01) {
		t.Error("a method of which nothing is known is short")
	}
	for _, elapsed := range []time.Duration{time.Millisecond, time.Millisecond, time.Second} {
		l.note("a", 0.01, elapsed)
		l.note("b", 0.01, 10*elapsed+100*time.Millisecond)
	}
	for _, c := range []struct {
		method string
		cost   float64
		want   bool
	}{{"a", 0.01, true}, {"a", 0.02, true}, {"a", 1, false}, {"b", 0.01, false}, {"c", 0.01, false}} {
		if l.short(c.method, c.cost) != c.want {
			t.Errorf("method %s, cost %v: not %v", c.method, c.cost, c.want)
		}
	}
}
