package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
)

const (
	// asideFor is how long a task that this worker cannot compute waits for others before it is
	// redelivered.
	asideFor  = 30 * time.Second
	mostAside = 1 << 20
)

// aside are tasks that a worker cannot compute. It does not wait for them when it drains the queue.
type aside struct {
	mu    sync.Mutex
	tasks map[string]string // why, by subject
	told  map[string]bool   // reasons that were reported
}

func (a *aside) add(subject, reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.tasks) < mostAside {
		a.tasks[subject] = reason
	}
}

func (a *aside) remove(subject string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.tasks, subject)
}

func (a *aside) len() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.tasks)
}

// Aside returns the number of tasks that this worker cannot compute, by reason.
func (p *Puller) Aside() map[string]int {
	p.aside.mu.Lock()
	defer p.aside.mu.Unlock()
	reasons := map[string]int{}
	for _, reason := range p.aside.tasks {
		reasons[reason]++
	}
	return reasons
}

// tell is false for the rest once too many reasons were told: a task names its needs.
func (a *aside) tell(reason string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.told[reason] || len(a.told) >= mostAside {
		return false
	}
	a.told[reason] = true
	return true
}

// Leave hands the task back, without using up an attempt, because of an [*experiment.NeedError] or
// [*experiment.LackError]. If another worker is known to be able, the task is redelivered at once,
// and this worker leaves its run alone for a while so as not to take the others' tasks. Otherwise
// the task is delayed, so that this worker gets at later ones.
func (d *Delivery) Leave(ctx context.Context, reason error) error {
	p, text := d.puller, reason.Error()
	if lack := new(experiment.LackError); errors.As(reason, &lack) {
		text = "lacking " + lack.What
	}
	if p.aside.tell(d.run + " " + text) {
		p.queue.config.Report(fmt.Errorf("run %s, cell %s, left to other workers: %w", d.run, d.cell, reason))
	}
	if p.others.can(ctx, p, d) {
		p.runs.leave(d.from)
		return d.Release(ctx, time.Second)
	}
	p.aside.add(d.msg.Subject(), text)
	return d.Release(ctx, asideFor)
}

type others struct {
	mu   sync.Mutex
	list []Presence
	due  time.Time
}

const (
	// othersEvery is the maximum age of the list of workers.
	othersEvery = time.Second
	// othersPause follows a failed listing, as for a user that may not list workers.
	othersWait  = 2 * time.Second
	othersPause = time.Minute
)

func (o *others) can(ctx context.Context, p *Puller, d *Delivery) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Now().After(o.due) {
		listing, cancel := context.WithTimeout(ctx, othersWait)
		list, _, err := p.queue.Workers(listing)
		cancel()
		o.list, o.due = list, time.Now().Add(othersEvery)
		if err != nil {
			o.due = time.Now().Add(othersPause)
			p.queue.config.Report(fmt.Errorf("looking for workers that compute cell %s of run %s: %w", d.cell, d.run, err))
		}
	}
	now, needs := time.Now(), append([]experiment.Need{{Name: d.Task.Kind}}, d.Task.Needs...)
	return slices.ContainsFunc(o.list, func(w Presence) bool {
		return w.Name != p.config.Name && w.There(now) && w.can(d.run, needs)
	})
}

// Decline hands the task back for delay, without using up an attempt, for a reason that other tasks
// can share. A draining worker does not wait for it.
func (d *Delivery) Decline(ctx context.Context, reason string, delay time.Duration) error {
	d.puller.aside.add(d.msg.Subject(), reason)
	return d.Release(ctx, delay)
}
