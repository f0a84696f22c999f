package queue

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// anchorSubject is that of a message at the beginning of the task stream that
// no run's consumer gets. '$' is not allowed in a run's name.
//
// A server that is asked for a consumer's next message looks through the
// subjects of the whole stream when the consumer stands at the stream's first
// message (nats-server 2.15, fileStore.LoadNextMsg). Without the anchor it
// stands there whenever no task is in flight: each pull then takes as long as
// the queue is, 10 ms and more with 500,000 tasks, which keeps the next ones
// from being in flight.
//
// Its price: a server that is killed before it wrote down an acknowledgement
// counts the task, which is gone, as in flight until it would be delivered
// again, to a worker that asks after AckWait. Without the anchor it drops such
// tasks at its start when all before them are gone too.
const anchorSubject = string(taskTopic) + "$.anchor"

// Held returns how many tasks of all runs the server holds, queued or in
// flight.
func (q *Queue) Held(ctx context.Context) (n int, err error) {
	err = q.onStream(ctx, requestWait, "counting tasks", tasksStream, func(ctx context.Context, stream jetstream.Stream) error {
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(anchorSubject))
		if err == nil {
			n = int(info.State.Msgs) - len(info.State.Subjects)
		}
		return err
	})
	return n, err
}
