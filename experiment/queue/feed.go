package queue

import (
	"context"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// Feed reads how the cells of a run ended, in instalments, between which it keeps nothing. It is
// not safe for concurrent use.
type Feed struct {
	// Has reports whether the run has a cell; others are omitted. Default: all.
	Has func(cell string) bool
	// Whole includes further rows, which take most of the time.
	Whole bool

	run     string
	source  *reader
	results results
}

// Feed returns the feed of a run from its oldest result on.
func (q *Queue) Feed(run string) (*Feed, error) {
	if err := validRun(run); err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	return &Feed{run: run, source: q.results.messages(run), results: q.results}, nil
}

// Next yields the outcomes stored since the last one yielded, with further rows only for
// [Feed.Whole]. A caller that stops gets the rest with the next call. A cell comes again when its
// outcome was replaced. An outcome too large for a message can lack labels and measures. A
// [*CellError] concerns one outcome and the sequence continues; any other error ends it.
func (f *Feed) Next(ctx context.Context) iter.Seq2[*experiment.Outcome, error] {
	return values(f.source.messages(ctx), func(msg jetstream.Msg) (*experiment.Outcome, error) {
		if f.Has != nil && !f.Has(cellOf(msg.Subject())) {
			return nil, errSkip
		}
		// Without Whole only the message of an outcome in the Object Store is read, see results.small:
		// anyone who may store there decides its size.
		var outcome *experiment.Outcome
		var err error
		switch header := msg.Headers(); {
		case f.Whole:
			outcome, err = f.results.load(ctx, msg.Subject(), header, msg.Data())
		case len(msg.Data()) > 0 || header.Get(objectHeader) == "":
			outcome, err = decodeEnding(msg.Data())
		default:
			outcome = &experiment.Outcome{
				Run: f.run, Cell: cellOf(msg.Subject()), Status: experiment.Status(header.Get(statusHeader)), Short: resultShort(header),
			}
		}
		if err == nil {
			err = matches(outcome, msg.Subject(), msg.Headers())
		}
		if err != nil {
			err = &CellError{f.run, cellOf(msg.Subject()), err}
		}
		return outcome, err
	})
}
