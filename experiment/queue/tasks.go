package queue

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// maxAckPending is how many tasks of a run can be in flight. The server stops
// delivering there without a word, so it lies above any number of slots; the
// server's own default is 1000.
const maxAckPending = 100_000

// maxWaiting is how many slots can wait for tasks of a run at a time; further
// ones are refused. The server's own default is 512.
const maxWaiting = 16_384

// The AckWait of new runs, at a server of its own and at an embedded one.
const (
	defaultAckWait  = 30 * time.Second
	embeddedAckWait = 5 * time.Second
)

// tasks is the stream of tasks, with a consumer of each run.
type tasks struct{ *connection }

// open makes the consumer from which workers pull a run's tasks, unless it is there
// as it should be. Its orders stay.
func (t tasks) open(ctx context.Context, run string) error {
	have, err := t.consumer(ctx, run)
	if err != nil {
		return err
	}
	want, err := t.wanted(run, have)
	if err != nil {
		return err
	}
	if have != nil && have.AckWait == want.AckWait && have.MaxAckPending == want.MaxAckPending &&
		have.MaxWaiting == want.MaxWaiting && have.MaxRequestBatch == want.MaxRequestBatch {
		return nil
	}
	return t.put(ctx, want)
}

// Open makes a run known to workers before its tasks are published, so that they wait at it
// and not for the next list of runs.
func Open(ctx context.Context, q *Queue, run string) error {
	if err := validRun(run); err != nil {
		return fmt.Errorf("opening: %w", err)
	}
	return q.tasks.open(ctx, run)
}

// wanted returns the consumer of a run, where have is the one that is there or was,
// nil for none. AckWait is what is asked for, else what the run has, else the default.
// MaxDeliver is unlimited, since the server would drop a task silently there: workers
// count deaths themselves. BackOff is unset because it overrides AckWait and is not
// heeded when a task is handed back.
func (t tasks) wanted(run string, have *jetstream.ConsumerConfig) (want jetstream.ConsumerConfig, err error) {
	want = jetstream.ConsumerConfig{
		Durable:         run,
		DeliverPolicy:   jetstream.DeliverAllPolicy,
		AckPolicy:       jetstream.AckExplicitPolicy,
		AckWait:         t.config.AckWait,
		MaxDeliver:      -1,
		FilterSubject:   taskTopic.run(run),
		ReplayPolicy:    jetstream.ReplayInstantPolicy,
		MaxAckPending:   maxAckPending,
		MaxWaiting:      maxWaiting,
		MaxRequestBatch: MaxBatch,
	}
	var orders Orders
	if have != nil {
		orders = readOrders(have.Description)
		want.AckWait = cmp.Or(want.AckWait, have.AckWait)
	}
	if want.AckWait == 0 {
		want.AckWait = defaultAckWait
		if t.config.Server != nil {
			want.AckWait = embeddedAckWait
		}
	}
	want.Description, err = describeTasks(run, orders)
	return want, err
}

// put makes a run's consumer as it is wanted.
func (t tasks) put(ctx context.Context, want jetstream.ConsumerConfig) error {
	return t.persist(ctx, "creating consumer of run "+want.Durable, tasksStream, func(ctx context.Context) error {
		_, err := t.js.CreateOrUpdateConsumer(ctx, tasksStream, want)
		return err
	})
}

// consumer returns the consumer of a run, nil where there is none.
func (t tasks) consumer(ctx context.Context, run string) (config *jetstream.ConsumerConfig, err error) {
	err = t.persist(ctx, "asking for the consumer of run "+run, tasksStream, func(ctx context.Context) error {
		consumer, err := t.js.Consumer(ctx, tasksStream, run)
		if gone(err) {
			return nil
		}
		if err == nil {
			config = &consumer.CachedInfo().Config
		}
		return err
	})
	return config, err
}

// shut removes the consumer from which workers pull a run's tasks.
func (t tasks) shut(ctx context.Context, what, run string) error {
	return t.persist(ctx, what+" run "+run, tasksStream, func(ctx context.Context) error {
		if err := t.js.DeleteConsumer(ctx, tasksStream, run); !gone(err) {
			return err
		}
		return nil
	})
}

// runs lists the consumers of the runs.
func (t tasks) runs(ctx context.Context) ([]string, error) {
	stream, err := t.stream(ctx, tasksStream)
	if err != nil {
		return nil, err
	}
	lister := stream.ConsumerNames(ctx)
	var names []string
	for name := range lister.Name() {
		names = append(names, name)
	}
	return names, lister.Err()
}

// anchor puts the anchor into the task stream unless it is there.
func (t tasks) anchor(ctx context.Context) error {
	err := t.store(ctx, "publishing "+anchorSubject, tasksStream, nats.NewMsg(anchorSubject))
	if refusal(err) {
		return nil
	}
	return err
}
