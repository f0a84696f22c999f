package run

import (
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// TestBoard has tasks end that were pulled with the one that a slot computes.
func TestBoard(t *testing.T) {
	t.Parallel()
	b := newBoard(&Worker{Slots: 2})
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
