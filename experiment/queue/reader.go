package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// reader reads a stream in order and once each, across lost connections and servers. The library's
// ordered consumer cannot be cancelled while it waits for a server.
type reader struct {
	queue    *connection
	what     string
	run      string // "" for filters that name no run
	stream   string
	filter   string
	headers  bool
	follow   bool // beyond what was stored at the start
	optional bool // a missing stream is empty

	next     uint64 // sequence to resume from
	consumer jetstream.Consumer
	expected uint64
}

func (c *connection) reader(what, stream string, topic topic, run string) *reader {
	return &reader{queue: c, what: what + " of run " + run, run: run, stream: stream, filter: topic.run(run)}
}

func (r *reader) fail(err error) error { return fmt.Errorf("%s: %w", r.what, err) }

var errSkip = errors.New("skip")

// values applies read, whose error concerns one message. errSkip skips it.
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

// messages continues after the last one yielded. An error ends it.
func (r *reader) messages(ctx context.Context) iter.Seq2[jetstream.Msg, error] {
	return func(yield func(jetstream.Msg, error) bool) {
		if r.run != "" {
			if err := validRun(r.run); err != nil {
				yield(nil, r.fail(err))
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
			case !transient(err) && !gone(err) && !errors.Is(err, errGap):
				yield(nil, r.fail(err))
				return
			}
			r.close()
			failures++
			r.queue.config.Report(fmt.Errorf("reading %s, trying again: %w", r.filter, err))
			if err := Sleep(ctx, backoff(failures)); err != nil {
				yield(nil, r.fail(err))
				return
			}
		}
	}
}

var errGap = errors.New("messages were lost on the way")

// more says whether other messages may follow.
func (r *reader) batch(ctx context.Context, yield func(jetstream.Msg, error) bool) (more bool, err error) {
	if r.consumer == nil {
		pending, err := r.open(ctx)
		if err != nil || pending == 0 && !r.follow {
			return false, err
		}
	}
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
	// Pending ones can have been purged.
	info, err := inTime(ctx, requestWait, r.consumer.Info)
	return err == nil && info.NumPending > 0, err
}

// open makes a consumer from the next message on and returns its number of messages. The server
// removes it when this process is gone.
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
	r.consumer, err = inTime(ctx, requestWait, func(ctx context.Context) (jetstream.Consumer, error) {
		return r.queue.js.CreateConsumer(ctx, r.stream, config)
	})
	if err != nil {
		r.consumer = nil // the library returns a typed nil
		return 0, err
	}
	r.expected = 1
	return r.consumer.CachedInfo().NumPending, nil
}

// close removes the consumer; if that fails, it expires.
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
