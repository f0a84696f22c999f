package run

import (
	"slices"
	"strings"
	"testing"
	"time"

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
	b.end(1, first, &experiment.Outcome{Status: experiment.OK}, nil)
	want("")
	if b.presence.Done != 1 || b.presence.Failed != 0 || b.slots[0].Cell != "" {
		t.Errorf("%+v, %+v", b.presence, b.slots)
	}
}

// TestLongest wants a worker to name its cells for readers, and those of a run that have run longest
// to be found among workers that are there.
func TestLongest(t *testing.T) {
	t.Parallel()
	_, p := plan(t, "repeats=3")
	b := newSlotStatus(&Worker{Slots: 5, working: working{lacks: &lacks{}}})
	slot := 0
	for task, err := range p.Queue() {
		if err != nil {
			t.Fatal(err)
		}
		if b.begin(4-slot, &queue.Delivery{Task: task, Attempt: 1}); slot == 4 {
			break
		}
		slot++
		time.Sleep(time.Millisecond)
	}
	now := b.says("")
	if what := now.Running[0].What; !slices.IsSortedFunc(now.Running, func(a, b queue.Running) int { return a.Since.Compare(b.Since) }) ||
		!strings.Contains(what, ", repeat 1: ") {
		t.Errorf("it computes %+v", now.Running)
	}
	older := queue.Running{Run: p.Run, Cell: "older", Since: now.Running[0].Since.Add(-time.Hour)}
	lost := queue.Presence{Name: "lost", State: queue.Working, Running: []queue.Running{older}}
	other := queue.Presence{Name: "other", State: queue.Working, At: now.At, Running: []queue.Running{older, {Run: "another", Since: older.Since}}}
	if got := longest([]queue.Presence{lost, now}, p.Run); !slices.Equal(got, now.Running[:3]) {
		t.Errorf("longest are %+v", got)
	}
	if got := longest([]queue.Presence{lost, now, other}, p.Run); len(got) != 3 || got[0] != older || !slices.Equal(got[1:], now.Running[:2]) {
		t.Errorf("with another worker longest are %+v", got)
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
	b.end(0, task, &experiment.Outcome{Status: experiment.OK}, nil)
	wants("after two announcements of the same cell", queue.Idle)
	b.begin(0, task)
	b.end(0, task, &experiment.Outcome{Status: experiment.OK}, nil)
	wants("after a cell between two announcements", queue.Working)
	wants("later", queue.Idle)
	if got := b.says(queue.Stopping).State; got != queue.Stopping {
		t.Errorf("while it stops: %s", got)
	}
}
