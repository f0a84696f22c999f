package queue

import (
	"context"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// deadLetter is a task that was given up, as the headers of its message say.
type deadLetter struct {
	Cell, Reason, Worker string
	Deliveries           int
	Time                 time.Time
}

// Dead returns the dead letters of a run. An error that is a [*CellError]
// concerns one letter; any other error ends the sequence.
func (q *Queue) Dead(ctx context.Context, run string) iter.Seq2[*deadLetter, error] {
	return values(q.reader("reading dead letters", deadStream, deadTopic, run).messages(ctx), func(msg jetstream.Msg) (d *deadLetter, err error) {
		header := msg.Headers()
		d = &deadLetter{Cell: cellOf(msg.Subject()), Reason: header.Get(reasonHeader), Worker: header.Get(workerHeader)}
		if d.Deliveries, err = strconv.Atoi(header.Get(deliveriesHeader)); err == nil {
			d.Time, err = time.Parse(time.RFC3339Nano, header.Get(timeHeader))
		}
		if err != nil {
			return nil, &CellError{run, d.Cell, err}
		}
		return d, nil
	})
}
