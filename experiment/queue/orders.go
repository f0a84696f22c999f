package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// Orders apply to all tasks of a run. They are stored in the description of its consumer, which
// servers from 2.9 on replace as a whole and remove with the run, and which everyone who may see a
// run's progress can read. Consumer metadata needs 2.10. Pausing by the server (PauseUntil) needs
// 2.11 and leaves draining workers waiting.
type Orders struct {
	Paused bool               `json:"paused,omitempty"`
	Limits *experiment.Limits `json:"limits,omitempty"` // replace those of the tasks; nil: none

	Owner    string `json:"owner,omitempty"`
	Priority int    `json:"priority,omitempty"` // 1 to [MaxPriority]; 0: [DefaultPriority]
}

// ErrNotOpen says that a run is cancelled or was never submitted.
var ErrNotOpen = errors.New("the run has no queue: it was cancelled, or its cells were never queued")

// maxDescription is JSMaxDescriptionLen of nats-server.
const maxDescription = 4 << 10

func describeTasks(run string, orders Orders) (string, error) {
	text := "agepath: tasks of run " + run
	if orders == (Orders{}) {
		return text, nil
	}
	body, err := json.Marshal(orders)
	return text + " " + string(body), err
}

func readOrders(description string) (orders Orders) {
	at := strings.IndexByte(description, '{') // no run's name contains one
	if at < 0 || len(description) > maxDescription || json.Unmarshal([]byte(description[at:]), &orders) != nil {
		return Orders{}
	}
	if l := orders.Limits; l != nil && (l.Timeout < 0 || l.Memory < 0 || l.Attempts < 0) {
		return Orders{}
	}
	if CheckOwner(orders.Owner) != nil || orders.Priority < 0 || orders.Priority > MaxPriority {
		orders.Owner, orders.Priority = "", 0
	}
	return orders
}

// Pause stops workers from taking new tasks of a run within [WorkerConfig.Idle]; they finish what
// they have. The tasks remain, even through restarts. The error is [ErrNotOpen] for a run without a
// queue.
func (q *Queue) Pause(ctx context.Context, run string) (changed bool, err error) {
	return q.tasks.order(ctx, run, func(o *Orders) { o.Paused = true })
}

// Resume ends [Queue.Pause].
func (q *Queue) Resume(ctx context.Context, run string) (changed bool, err error) {
	return q.tasks.order(ctx, run, func(o *Orders) { o.Paused = false })
}

// SetLimits replaces the limits of all tasks of a run: of queued ones at their next delivery, of
// those in flight when they fail at a limit that is now higher. The error is [ErrNotOpen] for a run
// without a queue, whose tasks bring their limits.
func (q *Queue) SetLimits(ctx context.Context, run string, limits experiment.Limits) (changed bool, err error) {
	return q.tasks.order(ctx, run, func(o *Orders) {
		if o.Limits == nil || *o.Limits != limits {
			o.Limits = &limits
		}
	})
}

func (t tasks) order(ctx context.Context, run string, change func(*Orders)) (changed bool, err error) {
	if err := validRun(run); err != nil {
		return false, fmt.Errorf("changing a run: %w", err)
	}
	have, err := t.consumer(ctx, run)
	if err != nil {
		return false, err
	}
	if have == nil {
		return false, fmt.Errorf("run %s: %w", run, ErrNotOpen)
	}
	before := readOrders(have.Description)
	orders := before
	if change(&orders); orders == before {
		return false, nil
	}
	want := *have
	if want.Description, err = describeTasks(run, orders); err != nil {
		return false, err
	}
	return true, t.put(ctx, want)
}

type heard struct {
	Orders
	at time.Time
}

func (s *runFeed) note(info *jetstream.ConsumerInfo) {
	s.heard.Store(&heard{readOrders(info.Config.Description), time.Now()})
}

func (r *registry) ask(ctx context.Context, s *runFeed) (info *jetstream.ConsumerInfo, err error) {
	if info, err = inTime(ctx, requestWait, s.orders.Info); err != nil {
		return nil, err
	}
	before := s.heard.Load().Paused
	s.note(info)
	switch after := s.heard.Load().Paused; {
	case after && !before:
		r.queue.config.Report(fmt.Errorf("run %s is paused: its tasks are left where they are", s.run))
	case before && !after:
		r.queue.config.Report(fmt.Errorf("run %s is resumed", s.run))
	}
	if s.consumer == s.orders {
		return info, nil
	}
	return inTime(ctx, requestWait, s.consumer.Info)
}

// refresh keeps the old orders if the server cannot answer.
func (p *Puller) refresh(ctx context.Context, from *runFeed) {
	if _, err := p.runs.ask(ctx, from); err != nil && ctx.Err() == nil && !gone(err) {
		p.queue.config.Report(fmt.Errorf("asking for the orders of run %s: %w", from.run, err))
	}
}

// heed refreshes orders older than [WorkerConfig.Idle]; it hands back tasks of a paused run and
// returns none.
func (p *Puller) heed(ctx context.Context, from *runFeed, list []*Delivery) []*Delivery {
	if time.Since(from.heard.Load().at) >= p.config.Idle {
		p.refresh(ctx, from)
	}
	if from.heard.Load().Paused {
		p.Release(list)
		return nil
	}
	return list
}

// limit gives a task the limits of its run.
func (p *Puller) limit(ctx context.Context, d *Delivery) error {
	differ := func() bool {
		limits := d.from.heard.Load().Limits
		return limits != nil && d.Task.Limits != *limits
	}
	if differ() { // the task can be newer than the copy
		p.refresh(ctx, d.from)
	}
	if !differ() {
		return nil
	}
	d.Task.Limits = *d.from.heard.Load().Limits
	body, err := encodeTask(&d.Task)
	if err == nil {
		d.body = body
	}
	return err
}

func (d *Delivery) raised(ctx context.Context, outcome *experiment.Outcome) (bool, error) {
	if outcome.Short == 0 {
		return false, nil
	}
	q := d.puller.queue
	err := q.persist(ctx, "asking for the orders of run "+d.run, tasksStream, func(ctx context.Context) error {
		_, err := d.puller.runs.ask(ctx, d.from)
		if gone(err) {
			return nil
		}
		return err
	})
	limits := d.from.heard.Load().Limits
	return err == nil && limits != nil && limits.Mend(outcome.Status, outcome.Short), err
}
