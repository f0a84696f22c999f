package queue

import (
	"context"
	"maps"
	"sync"
	"time"
)

const (
	// asideFor is how long a task that this worker cannot compute waits for others
	// before it is given out again.
	asideFor = 30 * time.Second
	// mostAside bounds the tasks that a worker remembers to have put aside.
	mostAside = 1 << 20
)

// aside are the tasks that a worker handed back because it cannot compute them. They
// are no work for it: it does not wait for them when it drains the queue.
type aside struct {
	mu      sync.Mutex
	tasks   map[string]string // why, by subject
	reasons map[string]int    // tasks of each
}

// add puts a task aside and reports whether it is the first for this reason.
func (a *aside) add(subject, reason string) (first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tasks == nil {
		a.tasks, a.reasons = map[string]string{}, map[string]int{}
	}
	if _, known := a.tasks[subject]; known || len(a.tasks) >= mostAside {
		return false
	}
	a.tasks[subject] = reason
	a.reasons[reason]++
	return a.reasons[reason] == 1
}

func (a *aside) remove(subject string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if reason, known := a.tasks[subject]; known {
		delete(a.tasks, subject)
		if a.reasons[reason]--; a.reasons[reason] == 0 {
			delete(a.reasons, reason)
		}
	}
}

func (a *aside) len() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.tasks)
}

// Aside returns how many tasks this worker handed back because it cannot compute
// them, by the reason.
func (p *Puller) Aside() map[string]int {
	p.aside.mu.Lock()
	defer p.aside.mu.Unlock()
	return maps.Clone(p.aside.reasons)
}

// Decline hands the task back as one that this worker cannot compute, for a reason
// that other tasks can share. It uses up no attempt, and is given out again after a
// while. A worker that drains the queue does not wait for it.
func (d *Delivery) Decline(ctx context.Context, reason string) error {
	d.puller.aside.add(d.msg.Subject(), reason)
	return d.Release(ctx, asideFor)
}
