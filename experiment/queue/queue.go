package queue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// inlineLimit is the largest outcome in a message, if the server allows as much.
	inlineLimit  = 1 << 20
	headerRoom   = 4 << 10
	requestWait  = 5 * time.Second
	transferWait = time.Minute
)

// Queue is a connection to the streams. It is safe for concurrent use.
type Queue struct {
	*connection
	tasks    tasks
	results  results
	attempts attempts
	data     objects // data sets by digest, descriptions by the run's name
}

// connection retries requests while that helps and looks up streams and stores once.
type connection struct {
	config Config
	conn   *nats.Conn
	js     jetstream.JetStream
	window int // maximum number of unconfirmed tasks; with 1 each costs a round trip

	mu      sync.Mutex
	streams map[string]jetstream.Stream
	buckets map[string]jetstream.ObjectStore
}

// Connect fails when the first attempt fails, or those of [Config.ConnectWait], and later
// reconnects by itself. Without JetStream the error is a [*NoJetStreamError], with too small a
// message limit a [*PayloadError]. It touches no stream: a coordinator calls [Queue.EnsureStreams]
// next, a worker [Queue.Worker].
func Connect(ctx context.Context, config Config) (*Queue, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("queue configuration: %w", err)
	}
	timeout := requestWait
	if deadline, ok := ctx.Deadline(); ok {
		timeout = min(timeout, time.Until(deadline))
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("connecting to NATS: %w", err)
	}
	options, err := config.options(timeout)
	if err != nil {
		return nil, fmt.Errorf("queue configuration: %w", err)
	}
	conn, err := dial(ctx, config, options)
	if err != nil {
		if config.Server != nil {
			return nil, fmt.Errorf("connecting to the embedded NATS server: %w", err)
		}
		return nil, fmt.Errorf("connecting to NATS at %s: %w", config.servers, err)
	}
	js, err := openJetStream(ctx, conn, config)
	if err != nil {
		conn.Close()
		return nil, err
	}
	c := &connection{
		config: config, conn: conn, js: js, window: 1024,
		streams: map[string]jetstream.Stream{}, buckets: map[string]jetstream.ObjectStore{},
	}
	inline := c.messageRoom()
	return &Queue{
		connection: c, tasks: tasks{c}, attempts: attempts{c}, data: objects{c, dataBucket},
		results: results{c, objects{c, outcomesBucket}, inline},
	}, nil
}

func (c *connection) messageRoom() int { return int(min(c.conn.MaxPayload()-headerRoom, inlineLimit)) }

func (c *connection) namePayload(err error) error {
	if !errors.Is(err, nats.ErrMaxPayload) {
		return err
	}
	return fmt.Errorf("%w: %w", &PayloadError{c.conn.MaxPayload()}, err)
}

// Connected reports whether the server can be reached now.
func (c *connection) Connected() bool { return c.conn.IsConnected() }

// Close flushes and disconnects. Settle deliveries and close pullers before.
func (c *connection) Close() {
	if c.conn.IsConnected() {
		if err := c.conn.FlushTimeout(requestWait); err != nil {
			c.config.Report(fmt.Errorf("closing the connection: %w", err))
		}
	}
	c.conn.Close()
}

// flush returns when the server has received what was sent.
func (c *connection) flush(ctx context.Context) error {
	err := c.conn.FlushWithContext(ctx)
	if errors.Is(err, nats.ErrConnectionClosed) && !c.conn.IsClosed() {
		err = nats.ErrDisconnected // the library reports a loss during the flush as the end
	}
	return err
}

func (c *connection) stream(ctx context.Context, name string) (jetstream.Stream, error) {
	return remembered(c, c.streams, name, func() (jetstream.Stream, error) { return c.js.Stream(ctx, name) })
}

func (c *connection) bucket(ctx context.Context, name string) (jetstream.ObjectStore, error) {
	return remembered(c, c.buckets, name, func() (store jetstream.ObjectStore, err error) {
		err = c.persist(ctx, "opening object store", "", func(ctx context.Context) (err error) {
			store, err = c.js.ObjectStore(ctx, name)
			return err
		})
		return store, err
	})
}

func remembered[T any](c *connection, known map[string]T, name string, find func() (T, error)) (T, error) {
	c.mu.Lock()
	handle, ok := known[name]
	c.mu.Unlock()
	if ok {
		return handle, nil
	}
	handle, err := find()
	if err != nil {
		return handle, fmt.Errorf("%s: %w", name, err)
	}
	c.mu.Lock()
	known[name] = handle
	c.mu.Unlock()
	return handle, nil
}

// persist calls try, each bounded by requestWait, until it succeeds, fails for good, ctx ends, or
// stream, if given, is missing.
func (c *connection) persist(ctx context.Context, what, stream string, try func(context.Context) error) error {
	return c.persistFor(ctx, requestWait, what, stream, try)
}

func (c *connection) persistFor(ctx context.Context, wait time.Duration, what, stream string, try func(context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := bounded(ctx, wait, try)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, errors.Join(context.Cause(ctx), err))
		}
		if !transient(err) {
			return fmt.Errorf("%s: %w", what, c.namePayload(err))
		}
		if stream != "" {
			_, missing := inTime(ctx, requestWait, func(ctx context.Context) (jetstream.Stream, error) {
				return c.js.Stream(ctx, stream)
			})
			if errors.Is(missing, jetstream.ErrStreamNotFound) {
				return fmt.Errorf("%s: stream %s: %w", what, stream, missing)
			}
		}
		c.config.Report(fmt.Errorf("%s, trying again: %w", what, err))
		if err := Sleep(ctx, backoff(attempt)); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
}

func (c *connection) onStream(ctx context.Context, wait time.Duration, what, name string, try func(context.Context, jetstream.Stream) error) error {
	return c.persistFor(ctx, wait, what, name, func(ctx context.Context) error {
		stream, err := c.stream(ctx, name)
		if err != nil {
			return err
		}
		return try(ctx, stream)
	})
}

// subjects returns none if the stream is missing.
func (c *connection) subjects(ctx context.Context, name, filter string) (subjects map[string]uint64, err error) {
	err = c.onStream(ctx, transferWait, "listing "+filter, name, func(ctx context.Context, stream jetstream.Stream) error {
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(filter))
		if err == nil {
			subjects = info.State.Subjects
		}
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	return subjects, err
}

func (c *connection) store(ctx context.Context, what, stream string, msg *nats.Msg, options ...jetstream.PublishOpt) error {
	return c.persist(ctx, what, stream, func(ctx context.Context) error {
		_, err := c.js.PublishMsg(ctx, msg, options...)
		return err
	})
}

func (c *connection) last(ctx context.Context, name, subject string) (*jetstream.RawStreamMsg, error) {
	var msg *jetstream.RawStreamMsg
	err := c.onStream(ctx, requestWait, "reading "+subject, name, func(ctx context.Context, stream jetstream.Stream) (err error) {
		msg, err = stream.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			msg, err = nil, nil
		}
		return err
	})
	return msg, err
}

// bounded is [inTime] for what returns no answer.
func bounded(ctx context.Context, wait time.Duration, try func(context.Context) error) error {
	_, err := inTime(ctx, wait, func(ctx context.Context) (struct{}, error) { return struct{}{}, try(ctx) })
	return err
}

func inTime[T any](ctx context.Context, wait time.Duration, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return ask(ctx)
}

// backoff is 50 ms, doubling to about 10 s, with a quarter of jitter so that workers do not
// synchronize.
func backoff(failures int) time.Duration {
	wait := 50 * time.Millisecond << min(max(failures-1, 0), 8)
	wait = min(wait, 10*time.Second)
	return wait - wait/8 + rand.N(wait/4)
}

// Sleep waits, or returns the cause when ctx ends first.
func Sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leastPayload is the minimum max_payload of a server, in bytes.
const leastPayload = 8 << 10

// NoJetStreamError says that a server has no JetStream for this user.
type NoJetStreamError struct {
	Server, Domain string
	Err            error
}

func (e *NoJetStreamError) Error() string {
	if e.Domain != "" {
		return fmt.Sprintf("no JetStream of the domain %q answers through the NATS server at %s: %v", e.Domain, e.Server, e.Err)
	}
	return fmt.Sprintf("JetStream is off at the NATS server at %s, or for this user's account: %v", e.Server, e.Err)
}

func (e *NoJetStreamError) Unwrap() error { return e.Err }

// NoStreamsError says that no run was ever submitted to a JetStream.
type NoStreamsError struct {
	Server, Domain string
}

func (e *NoStreamsError) Error() string {
	at := "the JetStream of the NATS server at " + e.Server
	if e.Domain != "" {
		at = fmt.Sprintf("the JetStream domain %q of the NATS server at %s", e.Domain, e.Server)
	}
	return "waiting for a first run: none was submitted to " + at
}

// PayloadError says that a server's limit on messages is too small.
type PayloadError struct {
	Max int64 // max_payload, in bytes
}

func (e *PayloadError) Error() string {
	return fmt.Sprintf("the NATS server takes messages of at most %d bytes", e.Max)
}

// openJetStream fails with a [*NoJetStreamError] after requestWait without JetStream.
func openJetStream(ctx context.Context, conn *nats.Conn, config Config) (jetstream.JetStream, error) {
	if conn.MaxPayload() < leastPayload {
		return nil, &PayloadError{conn.MaxPayload()}
	}
	options := []jetstream.JetStreamOpt{
		jetstream.WithDefaultTimeout(requestWait),
		jetstream.WithPublishAsyncTimeout(2 * requestWait),
		// Publish has its own, smaller window; the library errors when full.
		jetstream.WithPublishAsyncMaxPending(1 << 20),
	}
	open := jetstream.New
	if config.Domain != "" {
		open = func(conn *nats.Conn, options ...jetstream.JetStreamOpt) (jetstream.JetStream, error) {
			return jetstream.NewWithDomain(conn, config.Domain, options...)
		}
	}
	js, err := open(conn, options...)
	if err != nil {
		return nil, fmt.Errorf("opening JetStream: %w", err)
	}
	for began, attempt := time.Now(), 1; ; attempt++ {
		// All users may ask for this stream, which need not exist.
		_, err := inTime(ctx, requestWait, func(ctx context.Context) (jetstream.Stream, error) {
			return js.Stream(ctx, tasksStream)
		})
		if !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, jetstream.ErrJetStreamNotEnabled) &&
			!errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
			return js, nil // other errors may pass or recur
		}
		wait := backoff(attempt)
		if time.Since(began)+wait > requestWait {
			return nil, &NoJetStreamError{connectedTo(conn).String(), config.Domain, err}
		}
		if err := Sleep(ctx, wait); err != nil {
			return nil, fmt.Errorf("opening JetStream: %w", err)
		}
	}
}
