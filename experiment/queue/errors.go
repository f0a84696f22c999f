package queue

import (
	"errors"
	"fmt"
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
// work for this worker only if handed back.
type EmptyError struct {
	InFlight int
}

func (e *EmptyError) Error() string {
	if e.InFlight == 0 {
		return "the queue is empty"
	}
	return fmt.Sprintf("no task is queued; %d in flight elsewhere", e.InFlight)
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
