package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrUnacknowledged says that a result is stored but that the server did
	// not confirm the acknowledgement of its task. Nothing is lost: if the
	// task is delivered again, it is acknowledged without computing it.
	ErrUnacknowledged = errors.New("the result is stored, its task's acknowledgement is not confirmed")

	// ErrSettled says that a delivery was done, released or failed before.
	ErrSettled = errors.New("the delivery is settled already")

	// ErrClosed says that the puller is closed.
	ErrClosed = errors.New("the puller is closed")

	// ErrNoData says that no data set of that digest is stored.
	ErrNoData = errors.New("no data set with this digest is stored")
)

// CellError is an error that concerns one cell; the other cells of a sequence
// follow it.
type CellError struct {
	Run, Cell string
	Err       error
}

func (e *CellError) Error() string { return fmt.Sprintf("run %s, cell %s: %v", e.Run, e.Cell, e.Err) }
func (e *CellError) Unwrap() error { return e.Err }

// EmptyError says that no task waits to be pulled. InFlight tasks are held by
// others or wait for their next attempt: they are no work for this worker
// unless one of them is handed back.
type EmptyError struct {
	InFlight int
}

func (e *EmptyError) Error() string {
	if e.InFlight == 0 {
		return "the queue is empty"
	}
	return fmt.Sprintf("no task is queued; %d in flight elsewhere", e.InFlight)
}

// Error codes of JetStream servers (nats-server errors.json) that the client
// library does not name.
const (
	codeNoPeers              jetstream.ErrorCode = 10005 // nodes of the cluster are away, or still come up
	codeNotLeader            jetstream.ErrorCode = 10009
	codeStoreFailed          jetstream.ErrorCode = 10077 // the reason is in the description only
	codeStreamOffline        jetstream.ErrorCode = 10118
	codeConsumerOffline      jetstream.ErrorCode = 10119
	codeWrongSequence        jetstream.ErrorCode = 10071 // one replica
	codeWrongSequenceCluster jetstream.ErrorCode = 10164 // several replicas
	codeTooManyRequests      jetstream.ErrorCode = 10167
	codeTemporarily          jetstream.ErrorCode = 10008
)

func apiCode(err error) jetstream.ErrorCode {
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil {
		return api.APIError().ErrorCode
	}
	return 0
}

// refusal reports whether the server refused a task because its cell is still
// queued or in flight. Code 10077 covers every failure to store, a full disk
// too, and only the text tells them apart.
func refusal(err error) bool {
	return apiCode(err) == codeStoreFailed && strings.Contains(err.Error(), "maximum messages per subject exceeded")
}

// conflict reports whether a compare-and-set lost against another writer.
func conflict(err error) bool {
	code := apiCode(err)
	return code == codeWrongSequence || code == codeWrongSequenceCluster
}

// transient reports whether trying again can help: the connection is being
// restored, a leader is being elected, or the server asks for patience.
func transient(err error) bool {
	for _, target := range []error{
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
		nats.ErrReconnectBufExceeded, nats.ErrStaleConnection,
		jetstream.ErrNoStreamResponse, jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs,
		context.DeadlineExceeded,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	switch apiCode(err) {
	case codeTemporarily, codeNoPeers, codeNotLeader, codeStreamOffline, codeConsumerOffline, codeTooManyRequests:
		return true
	}
	return false
}

// gone reports whether a consumer is not there, for good or for the moment.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted) ||
		errors.Is(err, jetstream.ErrConsumerDoesNotExist)
}
