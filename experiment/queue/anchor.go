package queue

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

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

// Held returns the number of tasks of all runs, queued or in flight.
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
