package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

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
		err := bounded(ctx, requestWait, func(ctx context.Context) error {
			_, err := js.Stream(ctx, tasksStream)
			return err
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
