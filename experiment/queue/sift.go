package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"github.com/agepath/agepath/experiment"
)

const maxNumber = 1 << 32

// Sift returns the stored outcomes of a run, one per cell, and with follow later ones, until ctx
// ends or the caller stops. A cell comes again when its outcome was replaced, by a retry or a
// worker presumed lost; the last one counts.
//
// An outcome passes if it can be read, agrees with its subject and headers, and check, called from
// several goroutines, returns nil. Others are moved to the quarantine and come as a
// [*QuarantinedError]. With a nil check nothing is moved, and unreadable outcomes come as a
// [*CellError]. The sequence continues after both; any other error ends it.
func (q *Queue) Sift(ctx context.Context, run string, follow bool, check func(*experiment.Outcome) error) iter.Seq2[*experiment.Outcome, error] {
	return func(yield func(*experiment.Outcome, error) bool) {
		source := q.results.messages(run)
		source.follow = follow
		for item := range q.results.decode(ctx, source, check) {
			err := item.err
			switch {
			case err == nil:
			case item.msg == nil: // of the sequence
				yield(nil, err)
				return
			case check != nil && errors.As(err, new(*unfit)):
				if lost := q.quarantine(ctx, resultsStream, item.msg, err); lost != nil {
					yield(nil, fmt.Errorf("reading results of run %s: %w", run, lost))
					return
				}
				err = &QuarantinedError{run, cellOf(item.msg.Subject()), err}
			default:
				err = &CellError{run, cellOf(item.msg.Subject()), err}
			}
			if !yield(item.outcome, err) {
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

const (
	// readAhead (results) and aheadBytes (encoded) bound what is decoded in advance.
	readAhead  = 512
	aheadBytes = 8 << 20
)

type decoded struct {
	msg     jetstream.Msg // nil for an error of the sequence
	weight  int64         // of aheadBytes
	ready   chan struct{} // closed when outcome or err is set
	outcome *experiment.Outcome
	err     error
}

// decode decodes results in order on all processors, since decoding takes longer than reading.
func (r results) decode(ctx context.Context, source *reader, check func(*experiment.Outcome) error) iter.Seq[*decoded] {
	return func(yield func(*decoded) bool) {
		reading, cancel := context.WithCancel(ctx)
		left := make(chan struct{})
		queued, inOrder := make(chan *decoded, readAhead), make(chan *decoded, readAhead)
		room := semaphore.NewWeighted(aheadBytes)
		var all sync.WaitGroup
		defer all.Wait()
		defer cancel()
		defer close(left)
		all.Go(func() {
			defer close(inOrder)
			defer close(queued)
			for msg, err := range source.messages(reading) {
				item := &decoded{msg: msg, err: err, ready: make(chan struct{})}
				if err == nil {
					item.weight = min(int64(len(msg.Data())), aheadBytes)
					if msg.Headers().Get(objectHeader) != "" {
						item.weight = aheadBytes / 4
					}
					if err := room.Acquire(reading, item.weight); err != nil {
						item.msg, item.err = nil, source.fail(err)
					}
				}
				select {
				case inOrder <- item:
				case <-left:
					return
				}
				if item.msg == nil {
					close(item.ready)
					return
				}
				queued <- item
			}
		})
		for range runtime.GOMAXPROCS(0) {
			all.Go(func() {
				for item := range queued {
					item.outcome, item.err = r.judge(reading, item.msg, check)
					close(item.ready)
				}
			})
		}
		for item := range inOrder {
			<-item.ready
			if !yield(item) {
				return
			}
			room.Release(item.weight)
		}
	}
}

// judge returns [unfit] if the result is at fault.
func (r results) judge(ctx context.Context, msg jetstream.Msg, check func(*experiment.Outcome) error) (*experiment.Outcome, error) {
	outcome, err := r.load(ctx, msg.Subject(), msg.Headers(), msg.Data())
	if err == nil && check != nil {
		if err = matches(outcome, msg.Subject(), msg.Headers()); err == nil {
			err = asUnfit(check(outcome))
		}
	}
	if err != nil {
		return nil, err
	}
	return outcome, nil
}
