package queue

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/experiment"
)

// Ledger keeps account of how the cells of a run ended. Each update reads only
// what has come since the one before, without the results' bodies. It takes about
// 100 bytes for each cell that is not ok. It is not safe for concurrent use.
type Ledger struct {
	// NotOK are the cells whose newest result is not ok.
	NotOK map[string]experiment.Status

	queue  *Queue
	run    string
	source reader
}

// Ledger returns an empty account of a run.
func (q *Queue) Ledger(run string) (*Ledger, error) {
	if err := validRun(run); err != nil {
		return nil, fmt.Errorf("reading what is done: %w", err)
	}
	return &Ledger{
		NotOK: map[string]experiment.Status{}, queue: q, run: run,
		source: reader{queue: q, stream: resultsStream, filter: resultTopic.run(run), headers: true},
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
			delete(l.NotOK, cell)
		} else {
			l.NotOK[cell] = status
		}
	}
	return nil
}

// statuses counts the cells of NotOK by status.
func (l *Ledger) statuses() map[experiment.Status]int64 {
	n := map[experiment.Status]int64{}
	for _, status := range l.NotOK {
		n[status]++
	}
	return n
}
