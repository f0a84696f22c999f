package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/internal/lists"
)

// Counts is the number of cells of a run by place.
type Counts struct {
	Queued   int
	InFlight int // held by workers, or handed back and delayed
	Commands int // of Queued and InFlight: bring a command
	Done     int // have a result of any status
	Dead     int // given up; they also have a failed result

	Quarantined int // the quarantine keeps the newest of all runs

	Paused bool
}

// Counts counts the cells of a run. The numbers are read in turn, so a moving cell can be missed or
// counted twice. Queued lags behind Publish, usually by milliseconds: a server confirms a task
// before it updates the consumer.
func (q *Queue) Counts(ctx context.Context, run string) (Counts, error) {
	c, _, err := countsOf(ctx, q, run)
	return c, err
}

func countsOf(ctx context.Context, q *Queue, run string) (c Counts, orders Orders, err error) {
	if err := validRun(run); err != nil {
		return c, orders, fmt.Errorf("counting: %w", err)
	}
	for _, lane := range lanes(run) {
		info, err := q.tasks.info(ctx, lane)
		if err != nil {
			return c, orders, fmt.Errorf("counting tasks: %w", err)
		}
		if info == nil {
			continue
		}
		c.Queued, c.InFlight = c.Queued+int(info.NumPending), c.InFlight+info.NumAckPending
		if lane == run {
			orders = readOrders(info.Config.Description)
			c.Paused = orders.Paused
		} else {
			c.Commands = int(info.NumPending) + info.NumAckPending
		}
	}
	if c.Done, err = q.count(ctx, resultsStream, resultTopic.run(run)); err != nil {
		return c, orders, err
	}
	if c.Dead, err = q.count(ctx, deadStream, deadTopic.run(run)); err != nil {
		return c, orders, err
	}
	c.Quarantined, err = q.count(ctx, quarantineStream, quarantineTopic.run(run))
	return c, orders, err
}

// count asks a new consumer, which knows the number; the stream would list every subject.
func (c *connection) count(ctx context.Context, stream, filter string) (n int, err error) {
	err = c.persist(ctx, "counting "+filter, stream, func(ctx context.Context) error {
		r := reader{queue: c, stream: stream, filter: filter, headers: true}
		defer r.close()
		pending, err := r.open(ctx)
		n = int(pending)
		return err
	})
	return n, err
}

// Runs returns the published runs that are neither cancelled nor purged.
func (q *Queue) Runs(ctx context.Context) (names []string, err error) {
	err = q.persist(ctx, "listing runs", tasksStream, func(ctx context.Context) error {
		lanes, err := q.tasks.lanes(ctx)
		names = slices.DeleteFunc(lanes, func(lane string) bool { return runOfLane(lane) != lane })
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	return names, err
}

// Listed is a run that a server knows.
type Listed struct {
	Name string
	Open bool // neither cancelled nor purged
}

// List returns the runs of [Queue.Runs] and cancelled ones with a description, even a damaged one, by
// name.
func (q *Queue) List(ctx context.Context) ([]Listed, error) {
	names, err := q.Runs(ctx)
	if err != nil {
		return nil, err
	}
	list := lists.Map(names, func(name string) Listed { return Listed{Name: name, Open: true} })
	described, err := q.data.names(ctx, func(name string) bool { return validRun(name) == nil && !dataName.MatchString(name) })
	if err != nil {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	for _, name := range described {
		if !slices.Contains(names, name) {
			list = append(list, Listed{Name: name})
		}
	}
	slices.SortFunc(list, func(a, b Listed) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// Cancel drops the queued tasks of a run and their attempt counts. Workers learn it with their next
// heartbeat ([Delivery.Cancelled]).
func (q *Queue) Cancel(ctx context.Context, run string) error {
	if err := validRun(run); err != nil {
		return fmt.Errorf("cancelling: %w", err)
	}
	for _, lane := range slices.Backward(lanes(run)) {
		if err := q.tasks.shut(ctx, "cancelling", lane); err != nil {
			return err
		}
	}
	if err := q.tasks.drop(ctx, run, "*"); err != nil {
		return err
	}
	return q.purgeSubjects(ctx, attemptsStream, attemptTopic.run(run))
}

// Reopen redelivers all tasks of a run. None may be in flight: running cells would be stopped.
func (q *Queue) Reopen(ctx context.Context, run string) error {
	if err := validRun(run); err != nil {
		return fmt.Errorf("reopening: %w", err)
	}
	for _, lane := range lanes(run) {
		have, err := q.tasks.consumer(ctx, lane)
		if err != nil {
			return err
		}
		if have == nil && lane != run {
			continue
		}
		want, err := q.tasks.wanted(lane, have)
		if err != nil {
			return err
		}
		if err := q.tasks.shut(ctx, "reopening", lane); err != nil {
			return err
		}
		if err := q.tasks.put(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

// Purge removes all that the server has of a run, except data sets, which other runs may use.
func (q *Queue) Purge(ctx context.Context, run string) error {
	if err := q.Cancel(ctx, run); err != nil {
		return err
	}
	for _, s := range []struct {
		stream string
		topic  topic
	}{{resultsStream, resultTopic}, {deadStream, deadTopic}, {quarantineStream, quarantineTopic}} {
		if err := q.purgeSubjects(ctx, s.stream, s.topic.run(run)); err != nil {
			return err
		}
	}
	return q.results.outcomes.remove(ctx, func(name string) bool { return strings.HasPrefix(name, run+".") })
}

func (c *connection) purgeSubjects(ctx context.Context, name, filter string) error {
	return c.onStream(ctx, transferWait, "purging "+filter, name, func(ctx context.Context, stream jetstream.Stream) error {
		return stream.Purge(ctx, jetstream.WithPurgeSubject(filter))
	})
}

// dataName matches a SHA-256; no run, whose description is stored next to the data sets, has such a
// name.
var dataName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Withdraw removes the tasks of cells from the queue. Cells in computation finish, but failures are
// not retried.
func (q *Queue) Withdraw(ctx context.Context, run string, cells []string) error {
	if err := validRun(run); err != nil {
		return err
	}
	for _, cell := range cells {
		if err := ValidName(cell); err != nil {
			return fmt.Errorf("withdrawing a task of run %s: cell %w", run, err)
		}
		if err := q.tasks.drop(ctx, run, cell); err != nil {
			return err
		}
	}
	return nil
}

// RemoveEnded removes the tasks of a run that have a result and returns their number. They are
// being removed, or stuck: a cluster that lost nodes can keep an acknowledged task that no worker
// gets (seen with nats-server 2.9.10, three replicas) and refuse to queue its cell again.
func (q *Queue) RemoveEnded(ctx context.Context, run string) (removed int, err error) {
	if err := validRun(run); err != nil {
		return 0, err
	}
	subjects, err := q.tasks.of(ctx, run, "*")
	if err != nil || len(subjects) == 0 {
		return 0, err
	}
	for subject := range subjects {
		msg, err := q.last(ctx, tasksStream, subject)
		if err != nil {
			return removed, err
		}
		if msg == nil {
			continue
		}
		has, err := q.results.has(ctx, run, cellOf(subject), numberOf(msg.Header))
		if err != nil {
			return removed, err
		}
		if !has {
			continue
		}
		if err := q.remove(ctx, tasksStream, subject, msg.Sequence); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
