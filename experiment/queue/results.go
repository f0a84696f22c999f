package queue

import (
	"context"
	"iter"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

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
