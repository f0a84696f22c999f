package queue

import (
	"errors"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
)

// commandTask is a task that brings a command.
func commandTask(run, cell string) experiment.Task {
	t := task(run, cell)
	t.Needs = []experiment.Need{{Name: experiment.CommandNeed, Version: 1}}
	return t
}

// drain computes what a worker gets until it gets no more, and returns the cells; in each
// is the first delivery.
func (b *bundle) drain(p *Puller, inFlight int) (cells map[string]bool) {
	b.t.Helper()
	cells = map[string]bool{}
	for {
		d, err := p.Pull(b.ctx)
		if empty := new(EmptyError); errors.As(err, &empty) {
			if empty.InFlight != inFlight {
				b.t.Fatalf("%d tasks in flight, want %d", empty.InFlight, inFlight)
			}
			return cells
		}
		if err != nil {
			b.t.Fatal(err)
		}
		if d.Delivered != 1 {
			b.t.Errorf("delivery %d of %s", d.Delivered, d.Task.Cell)
		}
		cells[d.Task.Cell] = true
		b.done(d, ok())
	}
}

// wantLanes waits for counts of a run.
func (b *bundle) wantLanes(run string, want Counts) {
	b.t.Helper()
	got := Counts{}
	b.await("counts", func() bool { got = b.counts(run); return got == want })
}

// TestCommandsHaveTheirLane: a worker that runs no commands never gets a task of one, and
// is done while such tasks wait and are in flight. All else that is done with the tasks of
// a run is done with both kinds.
func TestCommandsHaveTheirLane(t *testing.T) {
	t.Parallel()
	b := setup(t, 20*time.Second)
	both := []experiment.Task{task("run", "a"), commandTask("run", "c"), task("run", "b"), commandTask("run", "d")}
	b.publish(both...)
	if published, refused := b.publish(both...); published != 0 || refused != 4 {
		t.Errorf("published again: %d, refused %d", published, refused)
	}
	b.wantLanes("run", Counts{Queued: 4, Commands: 2})
	if runs, err := b.Runs(b.ctx); err != nil || len(runs) != 1 || runs[0] != "run" {
		t.Errorf("runs %v, %v", runs, err)
	}
	plain, able := b.worker(WorkerConfig{Drain: true}), b.worker(WorkerConfig{Drain: true, Commands: true})
	if _, err := b.Pause(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	if cells := b.drain(able, 0); len(cells) != 0 {
		t.Errorf("%v of a paused run", cells)
	}
	if _, err := b.Resume(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	if cells := b.drain(plain, 0); len(cells) != 2 || !cells["a"] || !cells["b"] {
		t.Errorf("without commands %v", cells)
	}
	raised := experiment.Limits{Attempts: 7}
	if _, err := b.SetLimits(b.ctx, "run", raised); err != nil {
		t.Fatal(err)
	}
	held := b.pull(able)
	if held.Task.Limits != raised || held.Delivered != 1 || held.wait != 20*time.Second {
		t.Errorf("limits %+v, delivery %d, AckWait %v", held.Task.Limits, held.Delivered, held.wait)
	}
	b.wantLanes("run", Counts{Queued: 1, InFlight: 1, Commands: 2, Done: 2})
	if cells := b.drain(plain, 0); len(cells) != 0 {
		t.Errorf("without commands %v", cells)
	}
	if cells := b.drain(b.worker(WorkerConfig{Drain: true, Commands: true}), 1); len(cells) != 1 {
		t.Errorf("another worker with commands gets %v", cells)
	}
	b.done(held, ok())
	b.wantLanes("run", Counts{Done: 4})

	b.publishAgain(1, both...)
	if err := b.Withdraw(b.ctx, "run", []string{"b", "d"}); err != nil {
		t.Fatal(err)
	}
	if err := b.Reopen(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	b.wantLanes("run", Counts{Queued: 2, Commands: 1, Done: 4})
	if cells := b.drain(able, 0); len(cells) != 2 || !cells["a"] || !cells["c"] {
		t.Errorf("after a withdrawal %v", cells)
	}

	b.publish(both...) // whose results are there
	if removed, err := b.RemoveEnded(b.ctx, "run"); err != nil || removed != 4 {
		t.Errorf("removed %d, %v", removed, err)
	}
	b.publishAgain(2, both...)
	if err := b.Cancel(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	b.publish(task("run", "e"))
	if cells := b.drain(able, 0); len(cells) != 1 || !cells["e"] {
		t.Errorf("after a cancel %v", cells)
	}
}

// TestForeignLane: a task that is in the wrong lane is given up, and no worker without
// commands is asked to compute it.
func TestForeignLane(t *testing.T) {
	t.Parallel()
	b := setup(t, 20*time.Second)
	b.publish(task("run", "a"), commandTask("run", "c"))
	for _, wrong := range []struct {
		lane string
		task experiment.Task
	}{{"run", commandTask("run", "x")}, {"run" + commandsLane, task("run", "y")}} {
		body, err := encodeTask(&wrong.task)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.js.Publish(b.ctx, taskTopic.cell(wrong.lane, wrong.task.Cell), body); err != nil {
			t.Fatal(err)
		}
	}
	for _, commands := range []bool{false, true} {
		cells := b.drain(b.worker(WorkerConfig{Drain: true, Commands: commands, Accept: func(task *experiment.Task) error {
			if task.Commands() && !commands {
				t.Errorf("a worker without commands looks at cell %s", task.Cell)
			}
			return nil
		}}), 0)
		if len(cells) != 1 || cells["x"] || cells["y"] {
			t.Errorf("commands %v: %v", commands, cells)
		}
	}
	b.wantLanes("run", Counts{Done: 4, Dead: 2})
}
