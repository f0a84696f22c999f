package queue

import (
	"context"
	"iter"

	"github.com/nats-io/nats.go/jetstream"
)

// Dead returns the dead letters of a run. An error that is a [*CellError]
// concerns one letter; any other error ends the sequence.
func (q *Queue) Dead(ctx context.Context, run string) iter.Seq2[*DeadLetter, error] {
	return values(q.reader("reading dead letters", deadStream, deadTopic, run).messages(ctx), func(msg jetstream.Msg) (*DeadLetter, error) {
		return readDeadLetter(run, cellOf(msg.Subject()), msg.Headers(), msg.Data())
	})
}
