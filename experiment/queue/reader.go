package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// reader reads the messages of a stream in order and once each, over lost
// connections and servers. The library's ordered consumer does the same but
// cannot be cancelled while it waits for a server.
type reader struct {
	queue    *connection
	what     string // what reading is for, in errors
	run      string // "" for a filter that is not of one
	stream   string
	filter   string
	headers  bool // without bodies
	follow   bool // past the messages stored at the start
	optional bool // a stream that is not there has no messages

	next     uint64 // sequence in the stream to go on from
	consumer jetstream.Consumer
	expected uint64 // sequence the consumer gives its next message
}

// reader returns a reader of what a stream has of a run.
func (c *connection) reader(what, stream string, topic topic, run string) *reader {
	return &reader{queue: c, what: what, run: run, stream: stream, filter: topic.run(run)}
}

// fail returns an error of the reading.
func (r *reader) fail(err error) error {
	if r.run == "" {
		return fmt.Errorf("%s: %w", r.what, err)
	}
	return fmt.Errorf("%s of run %s: %w", r.what, r.run, err)
}

// errSkip says that a message is none of those asked for.
var errSkip = errors.New("skip")

// values yields what read makes of messages. The errors of read concern one message.
func values[T any](messages iter.Seq2[jetstream.Msg, error], read func(jetstream.Msg) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for msg, err := range messages {
			var value T
			if err == nil {
				value, err = read(msg)
			}
			if !errors.Is(err, errSkip) && !yield(value, err) {
				return
			}
		}
	}
}

const (
	// fetchMessages and fetchBytes bound what is read ahead.
	fetchMessages = 1024
	fetchBytes    = 16 << 20
)

// messages yields the messages from the one after the last on. An error ends them.
func (r *reader) messages(ctx context.Context) iter.Seq2[jetstream.Msg, error] {
	return func(yield func(jetstream.Msg, error) bool) {
		if r.run != "" {
			if err := validRun(r.run); err != nil {
				yield(nil, fmt.Errorf("%s: %w", r.what, err))
				return
			}
		}
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
				yield(nil, r.fail(context.Cause(ctx)))
				return
			case r.optional && errors.Is(err, jetstream.ErrStreamNotFound):
				return
			case !interrupted(err):
				yield(nil, r.fail(err))
				return
			}
			r.close()
			failures++
			r.queue.config.Report(fmt.Errorf("reading %s, trying again: %w", r.filter, err))
			if err := pause(ctx, backoff(failures)); err != nil {
				yield(nil, r.fail(err))
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
