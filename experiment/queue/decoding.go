package queue

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"github.com/agepath/agepath/experiment"
)

const (
	// readAhead (results) and aheadBytes (encoded) bound what is decoded in advance.
	readAhead  = 512
	aheadBytes = 8 << 20
)

type decoded struct {
	msg     jetstream.Msg
	weight  int64         // of aheadBytes
	ready   chan struct{} // closed when outcome or err is set
	outcome *experiment.Outcome
	err     error // of this cell
	broken  error // of the sequence
}

func weigh(msg jetstream.Msg) int64 {
	if msg.Headers().Get(objectHeader) != "" {
		return aheadBytes / 4
	}
	return min(int64(len(msg.Data())), aheadBytes)
}

// decode decodes results in order on all processors, since decoding takes longer than reading.
// Results that fail check come as a [*strayError].
func (r results) decode(ctx context.Context, source *reader, check func(*experiment.Outcome) error) iter.Seq2[*experiment.Outcome, error] {
	return func(yield func(*experiment.Outcome, error) bool) {
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
				item := &decoded{msg: msg, broken: err, ready: make(chan struct{})}
				if err == nil {
					item.weight = weigh(msg)
					if err := room.Acquire(reading, item.weight); err != nil {
						item.broken = source.fail(err)
					}
				}
				select {
				case inOrder <- item:
				case <-left:
					return
				}
				if item.broken != nil {
					close(item.ready)
					return
				}
				queued <- item
			}
		})
		for range runtime.GOMAXPROCS(0) {
			all.Go(func() {
				for item := range queued {
					item.outcome, item.err = r.judge(reading, source.run, item.msg, check)
					close(item.ready)
				}
			})
		}
		for item := range inOrder {
			<-item.ready
			if item.broken != nil {
				yield(nil, item.broken)
				return
			}
			if !yield(item.outcome, item.err) {
				return
			}
			room.Release(item.weight)
		}
	}
}

func (r results) judge(ctx context.Context, run string, msg jetstream.Msg, check func(*experiment.Outcome) error) (*experiment.Outcome, error) {
	outcome, err := r.load(ctx, msg.Subject(), msg.Headers(), msg.Data())
	if err == nil && check != nil {
		if err = matches(outcome, msg.Subject(), msg.Headers()); err == nil {
			err = asUnfit(check(outcome))
		}
	}
	if err == nil {
		return outcome, nil
	}
	var blamed *unfit
	if check != nil && errors.As(err, &blamed) {
		if found, lost := strayOf(resultsStream, msg); lost == nil {
			return nil, &strayError{found, err}
		}
	}
	return nil, &CellError{run, cellOf(msg.Subject()), err}
}
