package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
)

// Headers of a result: how its cell ended and to which task it belongs, without the body.
const (
	statusHeader = "Agepath-Status"
	taskHeader   = "Agepath-Task"   // see numberHeader
	objectHeader = "Agepath-Object" // of a large outcome

	shortHeader   = "Agepath-Short"   // none for 0
	repeatsHeader = "Agepath-Repeats" // present if Outcome.Repeats
)

// results is the stream of results, with larger ones as objects.
type results struct {
	*connection
	outcomes objects
	inline   int
}

// put is idempotent. task is the number of the task, delivery that of its delivery.
func (r results) put(ctx context.Context, outcome *experiment.Outcome, task uint64, delivery int) error {
	body, err := EncodeOutcome(outcome)
	if err != nil {
		return fmt.Errorf("encoding the outcome: %w", err)
	}
	return r.putBody(ctx, outcome, body, task, delivery)
}

// putBody stores an outcome too large for a message as an object.
func (r results) putBody(ctx context.Context, outcome *experiment.Outcome, body []byte, task uint64, delivery int) error {
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
		return fmt.Errorf("outcome of %d bytes; at most %d are stored", len(body), maxOutcome)
	}
	if len(body) > r.inline {
		// New each time, so that no object is replaced under a reader. Purge removes them all.
		name := fmt.Sprintf("%s.%s.%d.%d.%s", outcome.Run, outcome.Cell, task, delivery, nuid.Next())
		if err := r.outcomes.put(ctx, name, bytes.NewReader(body)); err != nil {
			return fmt.Errorf("storing outcome of %d bytes: %w", len(body), err)
		}
		msg.Header[objectHeader] = []string{name}
		body = r.small(body)
	}
	msg.Data = body
	if err := r.confirm(ctx, r.send(msg), resultsStream); err != nil {
		return fmt.Errorf("storing outcome: %w", err)
	}
	return nil
}

// small returns what fits into a message, for readers without the object, see [Feed]: all but
// further rows, or not even measures, or nil.
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

// load returns [unfit] if the result is at fault.
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

// has reports whether a cell has a result of this task or a later one. Earlier results do not
// count: the cell was put back.
func (r results) has(ctx context.Context, run, cell string, task uint64) (bool, error) {
	msg, err := r.last(ctx, resultsStream, resultTopic.cell(run, cell))
	if err != nil || msg == nil {
		return false, err
	}
	of, ok := resultNumber(msg.Header)
	return ok && of >= task, nil
}

// NewestResult returns a number that grows with each result of a run, 0 without any.
func (q *Queue) NewestResult(ctx context.Context, run string) (uint64, error) {
	msg, err := q.last(ctx, resultsStream, resultTopic.run(run))
	if err != nil || msg == nil {
		return 0, err
	}
	return msg.Sequence, nil
}

// read grows its buffer with the data, not by the size in the index.
func (r results) read(ctx context.Context, name string) ([]byte, error) {
	object, err := r.outcomes.open(ctx, name, maxOutcome)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(object)
}

func (r results) messages(run string) *reader {
	return r.reader("reading results", resultsStream, resultTopic, run)
}

func (r results) headers(run string) *reader {
	source := r.reader("reading what is done", resultsStream, resultTopic, run)
	source.headers = true
	return source
}

// Ended is a cell that has a result.
type Ended struct {
	Cell   string
	Status experiment.Status
	Number uint64 // earlier results

	Short   float64
	Repeats bool
}

// Done returns the cells of a run that have a result, from headers. An error ends the sequence.
func (q *Queue) Done(ctx context.Context, run string) iter.Seq2[Ended, error] {
	return values(q.results.headers(run).messages(ctx), func(msg jetstream.Msg) (Ended, error) {
		number, ok := resultNumber(msg.Headers())
		if !ok {
			return Ended{}, errSkip
		}
		header := msg.Headers()
		return Ended{
			Cell: cellOf(msg.Subject()), Status: experiment.Status(header.Get(statusHeader)), Number: number,
			Short: resultShort(header), Repeats: header.Get(repeatsHeader) != "",
		}, nil
	})
}

// putMost bounds the outcomes on their way of a [ResultWriter].
const putMost = 64

// ResultWriter stores results of cells that no worker computes, confirmed once Drain returns nil.
// Storing one twice is harmless. It is for one goroutine.
type ResultWriter struct {
	queue  *Queue
	number func(cell string) uint64
	opened map[string]bool
	ctx    context.Context // ends with the first error
	group  *errgroup.Group
}

// Results returns a writer. number returns how many results a cell had before.
func (q *Queue) Results(ctx context.Context, number func(cell string) uint64) *ResultWriter {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(putMost)
	return &ResultWriter{queue: q, number: number, opened: map[string]bool{}, ctx: ctx, group: group}
}

// Put sends an outcome.
func (w *ResultWriter) Put(outcome *experiment.Outcome) error {
	run, cell := outcome.Run, outcome.Cell
	if err := validRun(run); err != nil {
		return fmt.Errorf("storing a result: %w", err)
	}
	if !w.opened[run] { // with nothing to compute, but not cancelled
		if err := w.queue.tasks.open(w.ctx, run); err != nil {
			return err
		}
		w.opened[run] = true
	}
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	body, err := EncodeOutcome(outcome) // whose labels the caller may change
	if err != nil {
		return &CellError{run, cell, err}
	}
	number := w.number(cell)
	w.group.Go(func() error {
		if err := w.queue.results.putBody(w.ctx, outcome, body, number, 0); err != nil {
			return &CellError{run, cell, err}
		}
		return nil
	})
	return nil
}

// Drain waits for all confirmations and returns the first error. It ends the writer.
func (w *ResultWriter) Drain() error { return w.group.Wait() }
