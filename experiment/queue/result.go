package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/agepath/agepath/experiment"
)

// Headers of a result, so that what became of a cell is known without its
// body, and to which of the cell's tasks it belongs.
const (
	statusHeader = "Agepath-Status"
	taskHeader   = "Agepath-Task"   // number of the task, see numberHeader
	objectHeader = "Agepath-Object" // where the outcome is when it is too large for a message

	shortHeader   = "Agepath-Short"   // Outcome.Short, none for 0
	repeatsHeader = "Agepath-Repeats" // there where Outcome.Repeats is true
)

// results is the stream of results, with the outcomes that are too large for it.
type results struct {
	*connection
	outcomes objects
	inline   int // bytes of the largest outcome that travels in a message
}

// put makes outcome the result of its cell. Doing it twice does no
// harm. task is the number of the task, delivery that of its delivery.
func (r results) put(ctx context.Context, outcome *experiment.Outcome, task uint64, delivery int) error {
	msg, err := r.encode(ctx, outcome, task, delivery)
	if err != nil {
		return err
	}
	return storing(r.confirm(ctx, r.send(msg), resultsStream))
}

// encode is [results.message] for an outcome that is not encoded.
func (r results) encode(ctx context.Context, outcome *experiment.Outcome, task uint64, delivery int) (*nats.Msg, error) {
	sealed, err := Seal(outcome)
	if err != nil {
		return nil, err
	}
	return r.message(ctx, sealed, task, delivery)
}

func storing(err error) error {
	if err != nil {
		return fmt.Errorf("storing outcome: %w", err)
	}
	return nil
}

// message returns the message that makes outcome the result of its cell. An
// outcome that is too large for a message is stored beside it.
func (r results) message(ctx context.Context, outcome *Sealed, task uint64, delivery int) (*nats.Msg, error) {
	body := outcome.body
	msg := nats.NewMsg(resultTopic.cell(outcome.Run, outcome.Cell))
	msg.Header[statusHeader] = []string{string(outcome.Status)}
	msg.Header[taskHeader] = []string{strconv.FormatUint(task, 10)}
	if outcome.Short > 0 {
		msg.Header[shortHeader] = []string{strconv.FormatFloat(outcome.Short, 'g', -1, 64)}
	}
	if outcome.Repeats {
		msg.Header[repeatsHeader] = []string{"true"}
	}
	if len(body) > maxOutcome {
		return nil, fmt.Errorf("outcome of %d bytes; at most %d are stored", len(body), maxOutcome)
	}
	if len(body) > r.inline {
		// The name differs each time: a reader never meets an object that is
		// replaced under it. Purge removes them all.
		name := fmt.Sprintf("%s.%s.%d.%d.%s", outcome.Run, outcome.Cell, task, delivery, nuid.Next())
		if err := r.outcomes.put(ctx, name, bytes.NewReader(body)); err != nil {
			return nil, fmt.Errorf("storing outcome of %d bytes: %w", len(body), err)
		}
		msg.Header[objectHeader] = []string{name}
		body = r.small(body)
	}
	msg.Data = body
	return msg, nil
}

// small returns as much of an outcome as fits into a message, for those who read how
// the cell ended without the object, see [Feed]: all but further rows, or measures
// neither, or nil.
func (r results) small(body []byte) []byte {
	ending, err := decodeEnding(body)
	if err == nil {
		body, err = EncodeOutcome(ending)
	}
	if err == nil && len(body) > r.inline {
		ending.Measures = experiment.Batch{}
		body, err = EncodeOutcome(ending)
	}
	if err != nil || len(body) > r.inline {
		return nil
	}
	return body
}

// load returns the outcome that a result holds or refers to. The error is
// [unfit] when the result is to blame.
func (r results) load(ctx context.Context, subject string, header nats.Header, body []byte) (*experiment.Outcome, error) {
	if name := header.Get(objectHeader); name != "" {
		if !strings.HasPrefix(name, runOf(subject)+"."+cellOf(subject)+".") {
			return nil, unfitf("its large outcome is called %.200q", name)
		}
		var damaged *DamagedError
		var err error
		body, err = r.read(ctx, name)
		switch {
		case errors.As(err, &damaged), errors.Is(err, jetstream.ErrObjectNotFound):
			return nil, unfitf("large outcome %s: %w", name, err)
		case err != nil:
			return nil, fmt.Errorf("large outcome %s: %w", name, err)
		}
	}
	outcome, err := DecodeOutcome(body)
	return outcome, asUnfit(err)
}

// has reports whether a cell has a result that came from this task or a
// later one. Results of earlier tasks do not count: the cell was put back.
func (r results) has(ctx context.Context, run, cell string, task uint64) (bool, error) {
	msg, err := r.last(ctx, resultsStream, resultTopic.cell(run, cell))
	if err != nil || msg == nil {
		return false, err
	}
	of, ok := resultNumber(msg.Header)
	return ok && of >= task, nil
}

// read returns the outcome that is stored as an object. Memory grows
// with what has come, not with what the index says.
func (r results) read(ctx context.Context, name string) ([]byte, error) {
	object, err := r.outcomes.open(ctx, name, maxOutcome)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(object)
}
