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

// Orders are what workers are told about all tasks of a run.
//
// They stand in the description of the run's consumer. Servers from 2.9 on keep it,
// replace it as a whole and remove it with the run, and everybody who may see how far
// a run is may read it. Metadata of consumers need 2.10. A consumer that the server
// itself pauses (PauseUntil) needs 2.11, and looks to a worker that drains the queue
// like one with tasks to wait for.
type Orders struct {
	Paused bool               `json:"paused,omitempty"` // workers take no task
	Limits *experiment.Limits `json:"limits,omitempty"` // that count in place of those of a task; nil for those of the task

	Owner    string `json:"owner,omitempty"`    // whose turns the run takes
	Priority int    `json:"priority,omitempty"` // among the runs of its owner, 1 to [MaxPriority]; 0 is [DefaultPriority]
}

// ErrNotOpen says that a run has no queue: it is cancelled or was never submitted.
var ErrNotOpen = errors.New("the run has no queue: it was cancelled, or its cells were never queued")

// maxDescription is how long a consumer's description may be (nats-server,
// JSMaxDescriptionLen).
const maxDescription = 4 << 10

// describeTasks returns the description of a run's consumer.
func describeTasks(run string, orders Orders) (string, error) {
	text := "agepath: tasks of run " + run
	if orders == (Orders{}) {
		return text, nil
	}
	body, err := json.Marshal(orders)
	return text + " " + string(body), err
}

// readOrders reads what [describeTasks] wrote. Anything else gives no orders.
func readOrders(description string) (orders Orders) {
	at := strings.IndexByte(description, '{') // no run's name has one
	if at < 0 || len(description) > maxDescription || json.Unmarshal([]byte(description[at:]), &orders) != nil {
		return Orders{}
	}
	if l := orders.Limits; l != nil && (l.Timeout < 0 || l.Memory < 0 || l.Attempts < 0) {
		return Orders{}
	}
	if checkTurns(orders.Owner, orders.Priority) != nil {
		orders.Owner, orders.Priority = "", 0
	}
	return orders
}

// Pause has workers take no new task of a run. They hear of it within
// [WorkerConfig.Idle] and compute what they have. The tasks stay, also over restarts
// of servers and workers. It reports whether the run was not paused before. The error
// is [ErrNotOpen] for a run without a queue.
func (q *Queue) Pause(ctx context.Context, run string) (changed bool, err error) {
	return q.tasks.order(ctx, run, func(o *Orders) { o.Paused = true })
}

// Resume ends [Queue.Pause].
func (q *Queue) Resume(ctx context.Context, run string) (changed bool, err error) {
	return q.tasks.order(ctx, run, func(o *Orders) { o.Paused = false })
}

// SetLimits gives all tasks of a run these limits in place of their own: queued ones
// from their next delivery on, and those in flight once they fail for want of what
// they have more of now. It reports whether the limits changed. The error is
// [ErrNotOpen] for a run without a queue, whose tasks have their own when they are
// queued.
func (q *Queue) SetLimits(ctx context.Context, run string, limits experiment.Limits) (changed bool, err error) {
	return q.tasks.order(ctx, run, func(o *Orders) {
		if o.Limits == nil || *o.Limits != limits {
			o.Limits = &limits
		}
	})
}

// order changes the orders of a run.
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

// heard is what a worker last heard of a run's orders.
type heard struct {
	Orders
	at time.Time
}

func (s *runFeed) note(info *jetstream.ConsumerInfo) {
	s.heard.Store(&heard{readOrders(info.Config.Description), time.Now()})
}

// ask asks for a run's orders, and returns how its queue stands.
func (r *registry) ask(ctx context.Context, s *runFeed) (info *jetstream.ConsumerInfo, err error) {
	err = bounded(ctx, requestWait, func(ctx context.Context) (err error) {
		info, err = s.orders.Info(ctx)
		return err
	})
	if err != nil {
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
	err = bounded(ctx, requestWait, func(ctx context.Context) (err error) {
		info, err = s.consumer.Info(ctx)
		return err
	})
	return info, err
}

// refresh asks for the orders of a run. Where the server cannot say, what was heard
// counts.
func (p *Puller) refresh(ctx context.Context, from *runFeed) {
	if _, err := p.runs.ask(ctx, from); err != nil && ctx.Err() == nil && !gone(err) {
		p.queue.config.Report(fmt.Errorf("asking for the orders of run %s: %w", from.run, err))
	}
}

// heed asks for the orders that tasks which arrived are under, unless they were heard
// within [WorkerConfig.Idle]. It hands back those of a paused run, and reports whether
// the tasks are for this worker.
func (p *Puller) heed(ctx context.Context, a *answer) bool {
	if time.Since(a.from.heard.Load().at) >= p.config.Idle {
		p.refresh(ctx, a.from)
	}
	if a.from.heard.Load().Paused {
		p.handBack(a)
		return false
	}
	return true
}

// limit gives deliveries of a run the limits of its orders.
func (p *Puller) limit(ctx context.Context, from *runFeed, deliveries []*Delivery) {
	differ := func(d *Delivery) bool {
		limits := from.heard.Load().Limits
		return limits != nil && d.refused == nil && d.Task.Limits != *limits
	}
	asked := false
	for _, d := range deliveries {
		if differ(d) && !asked { // the task can be newer than what was heard
			asked = true
			p.refresh(ctx, from)
		}
		if !differ(d) {
			continue
		}
		d.Task.Limits = *from.heard.Load().Limits
		var body []byte
		if body, d.refused = encodeTask(&d.Task); d.refused == nil {
			d.msg = limited{d.msg, body}
		}
	}
}

// limited is the message of a task with other limits than it was published with.
type limited struct {
	jetstream.Msg
	body []byte
}

// Data returns the task with its limits.
func (m limited) Data() []byte { return m.body }

// raised reports whether the cell fails for want of what the orders of its run now
// give it more of.
func (d *Delivery) raised(ctx context.Context, outcome *Sealed) (bool, error) {
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
