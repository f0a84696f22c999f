package queue

import (
	"context"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// Feed reads how the cells of a run ended, in instalments, for whoever watches
// the run. It holds nothing of what it has read, and no request at the server
// between two instalments. It is not safe for concurrent use.
type Feed struct {
	queue  *Queue
	run    string
	source *reader
}

// Feed returns the feed of a run from its oldest result on.
func (q *Queue) Feed(run string) (*Feed, error) {
	if err := validRun(run); err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	return &Feed{queue: q, run: run, source: q.results.messages(run)}, nil
}

// Next yields the outcomes stored since the last one yielded, without measures
// and further rows, and ends with the newest. Whoever stops earlier gets the
// rest with the next call. A cell comes again when its outcome was replaced. An
// error that is a [*CellError] concerns one outcome and the sequence goes on
// after it; any other error ends it.
func (f *Feed) Next(ctx context.Context) iter.Seq2[*experiment.Outcome, error] {
	return values(f.source.messages(ctx), func(msg jetstream.Msg) (*experiment.Outcome, error) {
		outcome, err := f.load(ctx, msg)
		if err != nil {
			err = &CellError{f.run, cellOf(msg.Subject()), err}
		}
		return outcome, err
	})
}

// load reads the outcome of a message. Those in the Object Store are there
// whole; their message has the rest (see results.put), but not when an older
// version stored it.
func (f *Feed) load(ctx context.Context, msg jetstream.Msg) (*experiment.Outcome, error) {
	if len(msg.Data()) > 0 {
		return decodeEnding(msg.Data())
	}
	outcome, err := f.queue.results.load(ctx, msg.Subject(), msg.Headers(), nil)
	if err != nil {
		return nil, err
	}
	return withoutRows(outcome), nil
}

// withoutRows returns an outcome without what was computed.
func withoutRows(outcome *experiment.Outcome) *experiment.Outcome {
	ending := *outcome
	ending.Measures, ending.Further = experiment.Batch{}, nil
	return &ending
}
