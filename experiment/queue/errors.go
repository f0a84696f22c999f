package queue

import (
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

	// ErrComplete is the cause of the end of a context when no task can come any more, as
	// every cell has its result: what was asked for is not waited for.
	ErrComplete = errors.New("every cell has its result")

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
// library does not name. Those that pass are transientCodes.
const (
	codeStoreFailed          jetstream.ErrorCode = 10077 // the reason is in the description only
	codeWrongSequence        jetstream.ErrorCode = 10071 // one replica
	codeWrongSequenceCluster jetstream.ErrorCode = 10164 // several replicas
)

func apiCode(err error) jetstream.ErrorCode {
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil {
		return api.APIError().ErrorCode
	}
	var older nats.JetStreamError // the library's Object Store reads chunks by its older interface
	if errors.As(err, &older) && older.APIError() != nil {
		return jetstream.ErrorCode(older.APIError().ErrorCode)
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

// gone reports whether a consumer is not there, for good or for the moment.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted) ||
		errors.Is(err, jetstream.ErrConsumerDoesNotExist)
}
