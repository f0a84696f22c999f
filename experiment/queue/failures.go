package queue

import (
	"context"
	"fmt"
	"slices"

	"github.com/agepath/agepath/experiment"
)

// FailureIndex keeps account of how the cells of a run ended. Each update reads only
// what has come since the one before, without the results' bodies. It takes about
// 100 bytes for each cell that is not ok. It is not safe for concurrent use.
type FailureIndex struct {
	// NotOK are the cells whose newest result is not ok.
	NotOK map[string]experiment.Status

	queue  *Queue
	run    string
	source *reader
}

// FailureIndex returns an empty account of a run.
func (q *Queue) FailureIndex(run string) (*FailureIndex, error) {
	if err := validRun(run); err != nil {
		return nil, fmt.Errorf("reading what is done: %w", err)
	}
	return &FailureIndex{NotOK: map[string]experiment.Status{}, queue: q, run: run, source: q.results.headers(run)}, nil
}

// Update reads on to the newest result.
func (x *FailureIndex) Update(ctx context.Context) error {
	for msg, err := range x.source.messages(ctx) {
		if err != nil {
			return err
		}
		cell, status := cellOf(msg.Subject()), experiment.Failed // also what has no status
		if i := slices.Index(experiment.Statuses, experiment.Status(msg.Headers().Get(statusHeader))); i >= 0 {
			status = experiment.Statuses[i] // one of a few strings, however many cells there are
		}
		if status == experiment.OK {
			delete(x.NotOK, cell)
		} else {
			x.NotOK[cell] = status
		}
	}
	return nil
}

// statuses counts the cells of NotOK by status.
func (x *FailureIndex) statuses() map[experiment.Status]int64 {
	n := map[experiment.Status]int64{}
	for _, status := range x.NotOK {
		n[status]++
	}
	return n
}
