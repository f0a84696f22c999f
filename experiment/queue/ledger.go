package queue

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/experiment"
)

// Ledger keeps account of the failed cells of a run. Each update reads only
// what has come since the one before, without the results' bodies.
type Ledger struct {
	// Failures are the cells whose newest result is not ok.
	Failures map[string]experiment.Status

	source reader
}

// Ledger returns an empty account of a run.
func (q *Queue) Ledger(run string) (*Ledger, error) {
	if err := validRun(run); err != nil {
		return nil, fmt.Errorf("reading what is done: %w", err)
	}
	return &Ledger{
		Failures: map[string]experiment.Status{},
		source:   reader{queue: q, stream: resultsStream, filter: resultTopic.run(run), headers: true},
	}, nil
}

// Update reads on to the newest result.
func (l *Ledger) Update(ctx context.Context) error {
	for msg, err := range l.source.messages(ctx) {
		if err != nil {
			return fmt.Errorf("reading what is done (%s): %w", l.source.filter, err)
		}
		cell, status := cellOf(msg.Subject()), experiment.Status(msg.Headers().Get(statusHeader))
		if status == experiment.OK {
			delete(l.Failures, cell)
		} else {
			l.Failures[cell] = status
		}
	}
	return nil
}
