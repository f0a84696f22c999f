package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// Results returns the outcomes stored of a run, one per cell, and ends. A cell
// whose outcome is replaced meanwhile comes again. An error that is a
// [*CellError] concerns one outcome and the sequence goes on after it; any
// other error ends it.
func (q *Queue) Results(ctx context.Context, run string) iter.Seq2[*experiment.Outcome, error] {
	return q.outcomes(ctx, run, false, nil)
}

// Follow is like [Queue.Results] but goes on with the outcomes that arrive
// later, until ctx ends or the caller stops. A cell comes again when its
// outcome was replaced: after a retry, or when a worker believed lost finished
// too. The last one counts.
func (q *Queue) Follow(ctx context.Context, run string) iter.Seq2[*experiment.Outcome, error] {
	return q.outcomes(ctx, run, true, nil)
}

func (q *Queue) outcomes(ctx context.Context, run string, follow bool, check func(*experiment.Outcome) error) iter.Seq2[*experiment.Outcome, error] {
	return func(yield func(*experiment.Outcome, error) bool) {
		if err := validRun(run); err != nil {
			yield(nil, fmt.Errorf("reading results: %w", err))
			return
		}
		source := &reader{queue: q, stream: resultsStream, filter: resultTopic.run(run), follow: follow}
		q.decode(ctx, run, source, check)(yield)
	}
}

// Ended is a cell that has a result.
type Ended struct {
	Cell   string
	Status experiment.Status
	Number uint64 // how many results the cell had before this one
}

// Done returns the cells of a run that have a result, without reading the
// results. An error ends the sequence.
func (q *Queue) Done(ctx context.Context, run string) iter.Seq2[Ended, error] {
	return func(yield func(Ended, error) bool) {
		if err := validRun(run); err != nil {
			yield(Ended{}, fmt.Errorf("reading what is done: %w", err))
			return
		}
		source := reader{queue: q, stream: resultsStream, filter: resultTopic.run(run), headers: true}
		for msg, err := range source.messages(ctx) {
			if err != nil {
				yield(Ended{}, fmt.Errorf("reading what is done in run %s: %w", run, err))
				return
			}
			ended := Ended{Cell: cellOf(msg.Subject()), Status: experiment.Status(msg.Headers().Get(statusHeader))}
			var ok bool
			if ended.Number, ok = resultNumber(msg.Headers()); !ok {
				continue // no worker stores it
			}
			if !yield(ended, nil) {
				return
			}
		}
	}
}

// reader reads the messages of a stream in order and once each, over lost
// connections and servers. The library's ordered consumer does the same but
// cannot be cancelled while it waits for a server.
type reader struct {
	queue   *Queue
	stream  string
	filter  string
	headers bool // without bodies
	follow  bool // past the messages stored at the start

	next     uint64 // sequence in the stream to go on from
	consumer jetstream.Consumer
	expected uint64 // sequence the consumer gives its next message
}

const (
	// fetchMessages and fetchBytes bound what is read ahead.
	fetchMessages = 1024
	fetchBytes    = 16 << 20
)

func (r *reader) messages(ctx context.Context) iter.Seq2[jetstream.Msg, error] {
	return func(yield func(jetstream.Msg, error) bool) {
		defer r.close()
		for failures := 0; ; {
			more, err := r.batch(ctx, yield)
			switch {
			case err == nil && !more:
				return
			case err == nil:
				failures = 0
				continue
			case ctx.Err() != nil:
				yield(nil, context.Cause(ctx))
				return
			case !interrupted(err):
				yield(nil, err)
				return
			}
			r.close()
			failures++
			r.queue.config.Report(fmt.Errorf("reading %s, trying again: %w", r.filter, err))
			if err := pause(ctx, backoff(failures)); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

var errGap = errors.New("messages were lost on the way")

// interrupted reports whether a consumer ended and a new one can go on.
func interrupted(err error) bool { return transient(err) || gone(err) || errors.Is(err, errGap) }

// batch yields the next messages; more says whether there can be further ones.
func (r *reader) batch(ctx context.Context, yield func(jetstream.Msg, error) bool) (more bool, err error) {
	if r.consumer == nil {
		pending, err := r.open(ctx)
		if err != nil || pending == 0 && !r.follow {
			return false, err
		}
	}
	// Long enough for a reader that is slow to take what was fetched.
	fetching, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	batch, err := r.consumer.Fetch(fetchMessages, jetstream.FetchMaxBytes(fetchBytes), jetstream.FetchContext(fetching))
	if err != nil {
		return false, err
	}
	received := 0
	for msg := range batch.Messages() {
		meta, err := msg.Metadata()
		if err != nil {
			return false, err
		}
		if meta.Sequence.Consumer != r.expected {
			return false, errGap
		}
		r.expected++
		r.next = meta.Sequence.Stream + 1
		received++
		if !yield(msg, nil) || meta.NumPending == 0 && !r.follow {
			return false, nil
		}
	}
	if err := batch.Error(); err != nil || received > 0 || r.follow {
		return true, err
	}
	// What was pending can have been purged.
	err = bounded(ctx, requestWait, func(ctx context.Context) error {
		info, err := r.consumer.Info(ctx)
		more = err == nil && info.NumPending > 0
		return err
	})
	return more, err
}

// open makes a consumer that goes on after the last message and returns how
// many messages it has. The server removes it by itself when this process is
// gone.
func (r *reader) open(ctx context.Context) (pending uint64, err error) {
	config := jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverAllPolicy,
		AckPolicy:         jetstream.AckNonePolicy,
		FilterSubject:     r.filter,
		ReplayPolicy:      jetstream.ReplayInstantPolicy,
		HeadersOnly:       r.headers,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: time.Minute,
	}
	if r.next > 0 {
		config.DeliverPolicy, config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, r.next
	}
	err = bounded(ctx, requestWait, func(ctx context.Context) (err error) {
		r.consumer, err = r.queue.js.CreateConsumer(ctx, r.stream, config)
		return err
	})
	if err != nil {
		r.consumer = nil // the library returns a nil of its own type
		return 0, err
	}
	r.expected = 1
	return r.consumer.CachedInfo().NumPending, nil
}

// close removes the consumer; one that cannot be removed now goes by itself.
func (r *reader) close() {
	if r.consumer == nil {
		return
	}
	name := r.consumer.CachedInfo().Name
	r.consumer = nil
	if !r.queue.conn.IsConnected() {
		return
	}
	err := bounded(context.Background(), requestWait, func(ctx context.Context) error {
		return r.queue.js.DeleteConsumer(ctx, r.stream, name)
	})
	if err != nil && !gone(err) {
		r.queue.config.Report(fmt.Errorf("removing a reader of %s: %w", r.stream, err))
	}
}
