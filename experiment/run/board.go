package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// board is where the slots of a worker note what they do, and who tells the
// queue of it.
type board struct {
	worker *Worker

	mu       sync.Mutex
	presence queue.Presence
	slots    []queue.Running      // the zero value for one that computes nothing
	worked   bool                 // a slot has computed since the last announcement
	troubles []string             // by slot
	damaged  map[string]time.Time // data sets at the server, and when that was last found
}

// damagedFor is how long a worker says that it found a data set damaged.
const damagedFor = time.Minute

func newBoard(w *Worker) *board {
	return &board{
		worker: w, slots: make([]queue.Running, w.Slots), troubles: make([]string, w.Slots),
		presence: queue.Presence{Name: w.Name, Version: w.Version, Slots: w.Slots, Started: time.Now().UTC(), Computes: w.abilities()},
		damaged:  map[string]time.Time{},
	}
}

// begin notes that a slot computes a task.
func (b *board) begin(slot int, d *queue.Delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slots[slot] = queue.Running{Run: d.Task.Run, Cell: d.Task.Cell, Since: time.Now().UTC(), Attempt: d.Attempt}
	b.worked = true
}

// end notes that a slot is done with a task, which it may not have begun; trouble
// is why it could not compute it.
func (b *board) end(slot int, d *queue.Delivery, outcome *experiment.Outcome, trouble error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if running := &b.slots[slot]; running.Run == d.Task.Run && running.Cell == d.Task.Cell {
		*running = queue.Running{}
	}
	b.troubles[slot] = ""
	switch {
	case trouble != nil:
		b.troubles[slot] = trouble.Error()
		if damaged := new(queue.DamagedError); errors.As(trouble, &damaged) {
			digest, _, _ := strings.Cut(damaged.Object, "/")
			b.damaged[digest] = time.Now()
		}
	case outcome == nil:
	case outcome.Status.Computed():
		b.presence.Done++
	default:
		b.presence.Failed++
	}
}

// tell announces the worker every now and then until ctx ends, and its end.
func (b *board) tell(ctx context.Context, stopped <-chan struct{}) {
	ticker := time.NewTicker(queue.PresenceEvery)
	defer ticker.Stop()
	state := ""
	for {
		b.announce(state)
		select {
		case <-ticker.C:
		case <-stopped:
			state, stopped = queue.Stopping, nil
		case <-ctx.Done():
			b.announce(queue.Gone)
			return
		}
	}
}

// announce says what the worker does; an empty state is working or idle.
func (b *board) announce(state string) {
	b.worker.Health.alive()
	p := b.says(state)
	if err := b.worker.Queue.Announce(&p); err != nil {
		b.worker.Report("", fmt.Errorf("announcing the worker: %w", err))
	}
}

func (b *board) says(state string) queue.Presence {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.presence
	for at, running := range b.slots {
		if running.Cell != "" {
			p.Running = append(p.Running, running)
		}
		if b.troubles[at] != "" {
			p.Trouble = b.troubles[at]
		}
	}
	if state == "" {
		state = queue.Idle
		if b.worked || len(p.Running) > 0 {
			state = queue.Working
		}
	}
	b.worked = false
	maps.DeleteFunc(b.damaged, func(_ string, at time.Time) bool { return time.Since(at) > damagedFor })
	p.Damaged = slices.Sorted(maps.Keys(b.damaged))
	p.State, p.At = state, time.Now().UTC()
	return p
}
