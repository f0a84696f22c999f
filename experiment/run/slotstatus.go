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
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

// slotStatus is what a worker announces of its slots.
type slotStatus struct {
	worker *Worker

	mu       sync.Mutex
	presence queue.Presence
	slots    []slotCell           // zero if idle
	worked   bool                 // since the last announcement
	troubles []string             // by slot
	damaged  map[string]time.Time // data sets at the server, and when last found damaged
}

type slotCell struct {
	queue.Running
	task *experiment.Task
}

const damagedFor = time.Minute

func newSlotStatus(w *Worker) *slotStatus {
	return &slotStatus{
		worker: w, slots: make([]slotCell, w.Slots), troubles: make([]string, w.Slots),
		presence: queue.Presence{Name: w.Name, Version: w.Version, Slots: w.Slots, Started: time.Now().UTC(), Computes: w.abilities()},
		damaged:  map[string]time.Time{},
	}
}

func (s *slotStatus) begin(slot int, d *queue.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots[slot] = slotCell{queue.Running{Run: d.Task.Run, Cell: d.Task.Cell, Since: time.Now().UTC(), Attempt: d.Attempt}, &d.Task}
	s.worked = true
}

// end follows a task, begun or not; trouble is why it could not be computed.
func (s *slotStatus) end(slot int, d *queue.Delivery, outcome *queue.Sealed, trouble error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := &s.slots[slot]; of.Run == d.Task.Run && of.Cell == d.Task.Cell {
		*of = slotCell{}
	}
	s.troubles[slot] = ""
	switch {
	case errors.As(trouble, new(*outside.LackError)): // announced by run
	case trouble != nil:
		s.troubles[slot] = trouble.Error()
		if damaged := new(queue.DamagedError); errors.As(trouble, &damaged) {
			digest, _, _ := strings.Cut(damaged.Object, "/")
			s.damaged[digest] = time.Now()
		}
	case outcome == nil:
	case outcome.Status.Computed():
		s.presence.Done++
	case outcome.Status.Failed():
		s.presence.Failed++
	}
}

func (s *slotStatus) tell(ctx context.Context, stopped <-chan struct{}) {
	ticker := time.NewTicker(queue.PresenceEvery)
	defer ticker.Stop()
	state := ""
	for {
		s.announce(state)
		select {
		case <-ticker.C:
		case <-stopped:
			state, stopped = queue.Stopping, nil
		case <-ctx.Done():
			s.announce(queue.Gone)
			return
		}
	}
}

// announce takes "" for working or idle.
func (s *slotStatus) announce(state string) {
	s.worker.Health.alive()
	p := s.says(state)
	if err := s.worker.Queue.Announce(&p); err != nil {
		s.worker.Report("", fmt.Errorf("announcing the worker: %w", err))
	}
}

func (s *slotStatus) says(state string) queue.Presence {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.presence
	for at, of := range s.slots {
		if of.Cell != "" {
			if kind, err := experiment.Named(of.task.Kind); err == nil && kind.Layout != nil {
				of.What = kind.Describe(&of.task.Labels)
			}
			p.Running = append(p.Running, of.Running)
		}
		if s.troubles[at] != "" {
			p.Trouble = s.troubles[at]
		}
	}
	slices.SortFunc(p.Running, func(a, b queue.Running) int { return a.Since.Compare(b.Since) })
	if state == "" {
		state = queue.Idle
		if s.worked || len(p.Running) > 0 {
			state = queue.Working
		}
	}
	s.worked = false
	maps.DeleteFunc(s.damaged, func(_ string, at time.Time) bool { return time.Since(at) > damagedFor })
	p.Lacks = s.worker.lacks.list()
	if p.Trouble == "" && len(p.Lacks) > 0 {
		p.Trouble = p.Lacks[0].String()
	}
	p.Damaged = slices.Sorted(maps.Keys(s.damaged))
	p.State, p.At = state, time.Now().UTC()
	return p
}
