package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

const maxNumber = 1 << 32

// Sift returns the stored outcomes of a run, one per cell, and with follow later ones, until ctx
// ends or the caller stops. A cell comes again when its outcome was replaced, by a retry or a
// worker presumed lost; the last one counts.
//
// An outcome passes if it can be read, agrees with its subject and headers, and check returns nil.
// Others are moved to the quarantine and come as a [*QuarantinedError]. With a nil check nothing is moved, and unreadable outcomes come as a
// [*CellError]. The sequence continues after both; any other error ends it.
func (q *Queue) Sift(ctx context.Context, run string, follow bool, check func(*experiment.Outcome) error) iter.Seq2[*experiment.Outcome, error] {
	return func(yield func(*experiment.Outcome, error) bool) {
		source := q.results.messages(run)
		source.follow = follow
		for msg, err := range source.messages(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			outcome, err := q.results.load(ctx, msg.Subject(), msg.Headers(), msg.Data())
			if err == nil && check != nil {
				if err = matches(outcome, msg.Subject(), msg.Headers()); err == nil {
					err = asUnfit(check(outcome))
				}
			}
			switch {
			case err == nil:
			case check != nil && errors.As(err, new(*unfit)):
				if lost := q.quarantine(ctx, msg, err); lost != nil {
					yield(nil, fmt.Errorf("reading results of run %s: %w", run, lost))
					return
				}
				outcome, err = nil, &QuarantinedError{run, cellOf(msg.Subject()), err}
			default:
				outcome, err = nil, &CellError{run, cellOf(msg.Subject()), err}
			}
			if !yield(outcome, err) {
				return
			}
		}
	}
}

func matches(outcome *experiment.Outcome, subject string, header nats.Header) error {
	switch {
	case outcome.Run != runOf(subject) || outcome.Cell != cellOf(subject):
		return unfitf("it says run %.140q, cell %.140q", outcome.Run, outcome.Cell)
	case !slices.Contains(experiment.Statuses, outcome.Status):
		return unfitf("its status is %.40q, which is none", outcome.Status)
	case string(outcome.Status) != header.Get(statusHeader):
		return unfitf("it says the status %.40q, its header %.40q", outcome.Status, header.Get(statusHeader))
	}
	if short := resultShort(header); short != outcome.Short {
		return unfitf("it says that %g is too little, its header %g", outcome.Short, short)
	}
	if _, ok := resultNumber(header); !ok {
		return unfitf("its header %s is %.40q", taskHeader, header.Get(taskHeader))
	}
	return nil
}

func resultNumber(header nats.Header) (number uint64, ok bool) {
	number, err := strconv.ParseUint(header.Get(taskHeader), 10, 64)
	return number, err == nil && number <= maxNumber
}

func resultShort(header nats.Header) float64 {
	short, err := strconv.ParseFloat(header.Get(shortHeader), 64)
	if err != nil || !(short > 0 && short <= math.MaxFloat64) {
		return 0
	}
	return short
}

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
		var outcome *experiment.Outcome
		var err error
		if f.Whole {
			outcome, err = f.results.load(ctx, msg.Subject(), msg.Headers(), msg.Data())
		} else {
			outcome, err = endingOf(msg.Subject(), msg.Headers(), msg.Data())
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
