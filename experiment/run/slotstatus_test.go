package run

import (
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// TestSlotStatus has tasks end that were pulled with the one that a slot computes.
func TestSlotStatus(t *testing.T) {
	t.Parallel()
	b := newSlotStatus(&Worker{Slots: 2, working: working{lacks: &lacks{}}})
	delivery := func(cell string) *queue.Delivery {
		return &queue.Delivery{Task: experiment.Task{Run: "run", Cell: cell}}
	}
	want := func(cell string) {
		t.Helper()
		if got := b.slots[1].Cell; got != cell {
			t.Errorf("slot 1 computes %q, want %q", got, cell)
		}
	}
	first, second := delivery("a"), delivery("b")
	b.begin(1, first)
	b.end(1, second, nil, nil) // handed back
	want("a")
	b.end(1, first, &queue.Sealed{Status: experiment.OK}, nil)
	want("")
	if b.presence.Done != 1 || b.presence.Failed != 0 || b.slots[0].Cell != "" {
		t.Errorf("%+v, %+v", b.presence, b.slots)
	}
}

// TestIdleWorker wants a worker to say that it works while it does, and once more
// after cells that began and ended between two announcements.
func TestIdleWorker(t *testing.T) {
	t.Parallel()
	b := newSlotStatus(&Worker{Slots: 1, working: working{lacks: &lacks{}}})
	task := &queue.Delivery{Task: experiment.Task{Run: "run", Cell: "a"}}
	wants := func(what, state string) {
		t.Helper()
		if got := b.says("").State; got != state {
			t.Errorf("%s: %s, want %s", what, got, state)
		}
	}
	wants("a new worker", queue.Idle)
	b.begin(0, task)
	wants("while it computes", queue.Working)
	wants("while it still computes", queue.Working)
	b.end(0, task, &queue.Sealed{Status: experiment.OK}, nil)
	wants("after two announcements of the same cell", queue.Idle)
	b.begin(0, task)
	b.end(0, task, &queue.Sealed{Status: experiment.OK}, nil)
	wants("after a cell between two announcements", queue.Working)
	wants("later", queue.Idle)
	if got := b.says(queue.Stopping).State; got != queue.Stopping {
		t.Errorf("while it stops: %s", got)
	}
}
