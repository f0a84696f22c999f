package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// deadLetter is what people read of a task that was given up.
type deadLetter struct {
	cell, reason, worker string
	deliveries           int
	time                 time.Time
}

// Dead returns the dead letters of a run. An error ends the sequence.
func (q *Queue) Dead(ctx context.Context, run string) iter.Seq2[*deadLetter, error] {
	return values(q.reader("reading dead letters", deadStream, deadTopic, run).messages(ctx), func(msg jetstream.Msg) (*deadLetter, error) {
		header := msg.Headers()
		deliveries, err := strconv.Atoi(header.Get("Agepath-Deliveries"))
		at, unreadable := time.Parse(time.RFC3339Nano, header.Get("Agepath-Time"))
		if err = errors.Join(err, unreadable); err != nil {
			err = fmt.Errorf("dead letter %s: %w", msg.Subject(), err)
		}
		return &deadLetter{cellOf(msg.Subject()), header.Get("Agepath-Reason"), header.Get("Agepath-Worker"), deliveries, at}, err
	})
}
