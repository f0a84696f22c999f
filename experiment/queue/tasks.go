package queue

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// maxAckPending is the maximum number of tasks of a run in flight, at which the server silently
// stops delivering. It exceeds any number of slots; the server's default is 1000.
const maxAckPending = 100_000

// maxWaiting is the maximum number of slots that wait for a run; the server refuses more. Its
// default is 512.
const maxWaiting = 16_384

// The AckWait of new runs, where others can connect to the server and where they cannot.
const (
	defaultAckWait  = 30 * time.Second
	embeddedAckWait = 5 * time.Second
)

// tasks is the stream of tasks, with a consumer per lane. The one named like the run exists while
// the run is open and holds its orders.
type tasks struct{ *connection }

func (t tasks) open(ctx context.Context, lane string) error {
	have, err := t.consumer(ctx, lane)
	like := have
	if run := runOfLane(lane); err == nil && run != lane {
		if err = t.open(ctx, run); err == nil && have == nil {
			like, err = t.consumer(ctx, run)
		}
	}
	if err != nil {
		return err
	}
	want, err := t.wanted(lane, like)
	if err != nil {
		return err
	}
	if have != nil && have.Description == want.Description && have.AckWait == want.AckWait && have.MaxAckPending == want.MaxAckPending &&
		have.MaxWaiting == want.MaxWaiting {
		return nil
	}
	return t.put(ctx, want)
}

// wanted returns the consumer of a lane; have is the present or former one or nil. AckWait, owner
// and priority come from the configuration, else from the run, else from the defaults. MaxDeliver
// is unlimited, since the server would silently drop a task there: workers count deaths. BackOff is
// unset: it overrides AckWait and is ignored when a task is handed back.
func (t tasks) wanted(lane string, have *jetstream.ConsumerConfig) (want jetstream.ConsumerConfig, err error) {
	want = jetstream.ConsumerConfig{
		Durable:       lane,
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       t.config.AckWait,
		MaxDeliver:    -1,
		FilterSubject: taskTopic.run(lane),
		ReplayPolicy:  jetstream.ReplayInstantPolicy,
		MaxAckPending: maxAckPending,
		MaxWaiting:    maxWaiting,
	}
	var orders Orders
	if have != nil {
		if runOfLane(lane) == lane {
			orders = readOrders(have.Description)
		}
		want.AckWait = cmp.Or(want.AckWait, have.AckWait)
	}
	if runOfLane(lane) == lane {
		orders.Owner = cmp.Or(t.config.Owner, orders.Owner, thisUser())
		orders.Priority = cmp.Or(t.config.Priority, orders.Priority)
	}
	if want.AckWait == 0 {
		want.AckWait = defaultAckWait
		if server := t.config.Server; server != nil && server.config.Listen == "" {
			want.AckWait = embeddedAckWait
		}
	}
	want.Description, err = describeTasks(lane, orders)
	return want, err
}

func (t tasks) put(ctx context.Context, want jetstream.ConsumerConfig) error {
	return t.persist(ctx, "creating consumer of run "+want.Durable, tasksStream, func(ctx context.Context) error {
		_, err := t.js.CreateOrUpdateConsumer(ctx, tasksStream, want)
		return err
	})
}

func (t tasks) info(ctx context.Context, lane string) (info *jetstream.ConsumerInfo, err error) {
	err = t.persist(ctx, "asking for the consumer of run "+lane, tasksStream, func(ctx context.Context) error {
		consumer, err := t.js.Consumer(ctx, tasksStream, lane)
		if gone(err) {
			return nil
		}
		if err == nil {
			info = consumer.CachedInfo()
		}
		return err
	})
	return info, err
}

func (t tasks) consumer(ctx context.Context, lane string) (*jetstream.ConsumerConfig, error) {
	info, err := t.info(ctx, lane)
	if info == nil {
		return nil, err
	}
	return &info.Config, err
}

func (t tasks) shut(ctx context.Context, what, lane string) error {
	return t.persist(ctx, what+" run "+lane, tasksStream, func(ctx context.Context) error {
		if err := t.js.DeleteConsumer(ctx, tasksStream, lane); !gone(err) {
			return err
		}
		return nil
	})
}

// of lists a run's tasks; cell can be *.
func (t tasks) of(ctx context.Context, run, cell string) (map[string]uint64, error) {
	all := map[string]uint64{}
	for _, lane := range lanes(run) {
		subjects, err := t.subjects(ctx, tasksStream, taskTopic.cell(lane, cell))
		if err != nil {
			return nil, err
		}
		maps.Copy(all, subjects)
	}
	return all, nil
}

// drop removes a run's tasks, queued and in flight; cell can be *.
func (t tasks) drop(ctx context.Context, run, cell string) error {
	for _, lane := range lanes(run) {
		if err := t.purgeSubjects(ctx, tasksStream, taskTopic.cell(lane, cell)); err != nil {
			return err
		}
	}
	return nil
}

func (t tasks) lanes(ctx context.Context) ([]string, error) {
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

// anchorSubject is that of the first message of the task stream, which no run's consumer gets: no
// run's name contains '$'.
//
// For a consumer at the first message the server searches all subjects of the stream (nats-server
// 2.15, fileStore.LoadNextMsg). Without the anchor the consumer is there whenever no task is in
// flight, and each pull takes 10 ms and more with 500,000 tasks.
//
// The price: a server killed before it wrote down an acknowledgement counts the removed task as in
// flight until a worker asks for it after AckWait. Without the anchor it drops such tasks at its
// start if all before them are gone.
const anchorSubject = string(taskTopic) + "$.anchor"

// Tasks of a cell are numbered from 0: a task, and its result, has the number of results known when
// it was queued. A task is done when its cell has a result of this number or a higher one. Stream
// sequences do not serve: after the loss of a node the servers of a cluster can number a message
// differently (seen with nats-server 2.9.10, three replicas).

// numberHeader holds the number of a task, none for 0.
const numberHeader = "Agepath-Number"

func numberOf(header nats.Header) uint64 {
	number, err := strconv.ParseUint(header.Get(numberHeader), 10, 64)
	if err != nil || number > maxNumber {
		return 0 // none, or foreign
	}
	return number
}
