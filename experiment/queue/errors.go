package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrUnacknowledged says that a result is stored but its task's acknowledgement is not
	// confirmed. If redelivered, the task is acknowledged without computing it.
	ErrUnacknowledged = errors.New("the result is stored, its task's acknowledgement is not confirmed")

	// ErrSettled says that a delivery was done, released or failed before.
	ErrSettled = errors.New("the delivery is settled already")

	// ErrClosed says that the puller is closed.
	ErrClosed = errors.New("the puller is closed")

	// ErrComplete ends a context when every cell has its result: pending requests are not waited
	// for.
	ErrComplete = errors.New("every cell has its result")

	// ErrNoData says that no data set with that digest is stored.
	ErrNoData = errors.New("no data set with this digest is stored")
)

// CellError concerns one cell; a sequence continues after it.
type CellError struct {
	Run, Cell string
	Err       error
}

func (e *CellError) Error() string { return fmt.Sprintf("run %s, cell %s: %v", e.Run, e.Cell, e.Err) }
func (e *CellError) Unwrap() error { return e.Err }

// EmptyError says that no task is queued. InFlight tasks are held by others or delayed: they are
// work for this worker only if handed back. Paused tasks are of paused runs.
type EmptyError struct {
	InFlight, Paused int
}

func (e *EmptyError) Error() string {
	switch {
	case e.InFlight > 0:
		return fmt.Sprintf("no task is queued; %d in flight elsewhere", e.InFlight)
	case e.Paused > 0:
		return fmt.Sprintf("the queue is empty but for %d cells of paused runs; `coordinator resume RUN` lets workers go on", e.Paused)
	}
	return "the queue is empty"
}

// Error codes of JetStream servers (nats-server errors.json) without a name in the client library.
const (
	codeStoreFailed          jetstream.ErrorCode = 10077 // the description says why
	codeWrongSequence        jetstream.ErrorCode = 10071 // one replica
	codeWrongSequenceCluster jetstream.ErrorCode = 10164 // several replicas
)

func apiCode(err error) jetstream.ErrorCode {
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil {
		return api.APIError().ErrorCode
	}
	var older nats.JetStreamError // of the library's Object Store
	if errors.As(err, &older) && older.APIError() != nil {
		return jetstream.ErrorCode(older.APIError().ErrorCode)
	}
	return 0
}

// refusal reports whether the server refused a task because its cell is queued or in flight. Code
// 10077 covers every failure to store; only the text tells them apart.
func refusal(err error) bool {
	return apiCode(err) == codeStoreFailed && strings.Contains(err.Error(), "maximum messages per subject exceeded")
}

// gone reports whether a consumer is missing, perhaps temporarily.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted) ||
		errors.Is(err, jetstream.ErrConsumerDoesNotExist)
}

// The only list of transient errors; all retries use it.

var transientErrors = []error{
	// Connection lost or being restored; see also transientOperations.
	io.EOF, io.ErrUnexpectedEOF, // the latter within TLS
	io.ErrClosedPipe, // to a server in this process
	nats.ErrNoServers, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
	nats.ErrReconnectBufExceeded, nats.ErrStaleConnection,

	// No answer came in time.
	context.DeadlineExceeded, os.ErrDeadlineExceeded, nats.ErrTimeout,
	jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs, jetstream.ErrNoHeartbeat,

	// A server is away, or a leader is being elected.
	nats.ErrNoResponders, jetstream.ErrNoStreamResponse, jetstream.ErrServerShutdown, jetstream.ErrConsumerLeadershipChanged,
}

// transientOperations are those of a [net.OpError]: a connection refused, reset, broken (EPIPE) or
// closed, an unreachable network, an unresolved name. Their codes differ between systems. A TLS
// alert is an operation as well, but not transient.
var transientOperations = []string{"dial", "read", "write"}

// From nats-server errors.json.
var transientCodes = []jetstream.ErrorCode{
	10005, // no suitable peers: cluster nodes are away or starting
	10008, // JetStream system temporarily unavailable
	10009, // not the leader
	10118, // stream is offline
	10119, // consumer is offline
	10163, // expected last sequence per subject temporarily unavailable
	10167, // too many requests
}

const consumerNotCreated jetstream.ErrorCode = 10012

func transient(err error) bool {
	var op *net.OpError
	if slices.ContainsFunc(transientErrors, func(target error) bool { return errors.Is(err, target) }) ||
		errors.As(err, &op) && slices.Contains(transientOperations, op.Op) {
		return true
	}
	code := apiCode(err)
	switch {
	case err == nil:
		return false
	case strings.Contains(err.Error(), "expected 'PONG', got 'PING'"): // asked first, where connecting takes 2 s on a busy machine
		return true
	case code == consumerNotCreated: // the server still removes the folder of the former one of the name
		return strings.Contains(err.Error(), "no such file or directory")
	}
	return slices.Contains(transientCodes, code)
}
