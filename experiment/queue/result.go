package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
)

// storeResult makes outcome the result of its cell. Doing it twice does no
// harm. task is the number of the task, delivery that of its delivery.
func (q *Queue) storeResult(ctx context.Context, outcome *experiment.Outcome, task uint64, delivery int) error {
	msg, err := q.resultMessage(ctx, outcome, task, delivery)
	if err != nil {
		return err
	}
	return storing(q.confirm(ctx, q.send(msg), resultsStream))
}

func storing(err error) error {
	if err != nil {
		return fmt.Errorf("storing outcome: %w", err)
	}
	return nil
}

// resultMessage returns the message that makes outcome the result of its cell. An
// outcome that is too large for a message is stored beside it.
func (q *Queue) resultMessage(ctx context.Context, outcome *experiment.Outcome, task uint64, delivery int) (*nats.Msg, error) {
	body, err := EncodeOutcome(outcome)
	if err != nil {
		return nil, fmt.Errorf("encoding outcome: %w", err)
	}
	msg := nats.NewMsg(resultTopic.cell(outcome.Run, outcome.Cell))
	msg.Header[statusHeader] = []string{string(outcome.Status)}
	msg.Header[taskHeader] = []string{strconv.FormatUint(task, 10)}
	if len(body) > maxOutcome {
		return nil, fmt.Errorf("outcome of %d bytes; at most %d are stored", len(body), maxOutcome)
	}
	if len(body) > q.inline {
		// The name differs each time: a reader never meets an object that is
		// replaced under it. Purge removes them all.
		name := fmt.Sprintf("%s.%s.%d.%d.%s", outcome.Run, outcome.Cell, task, delivery, nuid.Next())
		if err := q.putObject(ctx, outcomesBucket, name, bytes.NewReader(body)); err != nil {
			return nil, fmt.Errorf("storing outcome of %d bytes: %w", len(body), err)
		}
		msg.Header[objectHeader] = []string{name}
		// How the cell ended is read without the object, see Feed.
		if body, err = EncodeOutcome(withoutRows(outcome)); err != nil || len(body) > q.inline {
			body = nil
		}
	}
	msg.Data = body
	return msg, nil
}

// loadOutcome returns the outcome that a result holds or refers to. The error is
// [unfit] when the result is to blame.
func (q *Queue) loadOutcome(ctx context.Context, subject string, header nats.Header, body []byte) (*experiment.Outcome, error) {
	if name := header.Get(objectHeader); name != "" {
		if !strings.HasPrefix(name, runOf(subject)+"."+cellOf(subject)+".") {
			return nil, unfitf("its large outcome is called %.200q", name)
		}
		var damaged *DamagedError
		var err error
		body, err = q.readOutcome(ctx, name)
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

// hasResult reports whether a cell has a result that came from this task or a
// later one. Results of earlier tasks do not count: the cell was put back.
func (q *Queue) hasResult(ctx context.Context, run, cell string, task uint64) (bool, error) {
	msg, err := q.last(ctx, resultsStream, resultTopic.cell(run, cell))
	if err != nil || msg == nil {
		return false, err
	}
	of, ok := resultNumber(msg.Header)
	return ok && of >= task, nil
}

// last returns the last message of a subject, nil when there is none.
func (q *Queue) last(ctx context.Context, name, subject string) (*jetstream.RawStreamMsg, error) {
	var msg *jetstream.RawStreamMsg
	err := q.onStream(ctx, requestWait, "reading "+subject, name, func(ctx context.Context, stream jetstream.Stream) (err error) {
		msg, err = stream.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			msg, err = nil, nil
		}
		return err
	})
	return msg, err
}
