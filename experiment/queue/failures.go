package queue

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agepath/agepath/experiment"
)

// FailureIndex tracks how the cells of a run ended, from the headers of new results. It takes about
// 100 bytes per cell that is not ok, and a bit per other cell. It is not safe for concurrent use.
type FailureIndex struct {
	// Place numbers the cells of the plan from 0; results of others do not count. Default: all
	// count.
	Place func(cell string) (place int, ok bool)
	// NotOK are the cells whose newest result is not ok.
	NotOK map[string]experiment.Status

	queue  *Queue
	run    string
	source *reader

	// Kept only with Place.
	ended  []uint64  // bits of the cells with a result
	cells  int       // of these
	strays int       // results of no cell
	due    time.Time // when all results may next be read again
}

// FailureIndex returns an empty index of a run.
func (q *Queue) FailureIndex(run string) (*FailureIndex, error) {
	if err := validRun(run); err != nil {
		return nil, fmt.Errorf("reading what is done: %w", err)
	}
	return &FailureIndex{NotOK: map[string]experiment.Status{}, queue: q, run: run, source: q.results.headers(run)}, nil
}

// Update reads up to the newest result.
func (x *FailureIndex) Update(ctx context.Context) error {
	for msg, err := range x.source.messages(ctx) {
		if err != nil {
			return err
		}
		if !x.count(cellOf(msg.Subject())) {
			continue
		}
		cell, status := cellOf(msg.Subject()), experiment.Failed // also for a missing status
		if i := slices.Index(experiment.Statuses, experiment.Status(msg.Headers().Get(statusHeader))); i >= 0 {
			status = experiment.Statuses[i] // shares the string among cells
		}
		if status == experiment.OK {
			delete(x.NotOK, cell)
		} else {
			x.NotOK[cell] = status
		}
	}
	return nil
}

func (x *FailureIndex) count(cell string) bool {
	if x.Place == nil {
		return true
	}
	place, ok := x.Place(cell)
	if !ok {
		x.strays++
		return false
	}
	for len(x.ended) <= place/64 {
		x.ended = append(x.ended, 0)
	}
	if word, bit := &x.ended[place/64], uint64(1)<<(place%64); *word&bit == 0 {
		*word |= bit
		x.cells++
	}
	return true
}

// countStored corrects the counts: if more were counted than are stored, results were removed or
// strays came twice, and all are read again, but not too often.
func (x *FailureIndex) countStored(ctx context.Context, counts *Counts) error {
	if x.Place == nil {
		return nil
	}
	if x.cells+x.strays > counts.Done && time.Now().After(x.due) {
		stored, err := x.queue.count(ctx, resultsStream, resultTopic.run(x.run))
		if err != nil {
			return err
		}
		if x.cells+x.strays > stored {
			began := time.Now()
			x.NotOK, x.ended, x.cells, x.strays = map[string]experiment.Status{}, nil, 0, 0
			x.source = x.queue.results.headers(x.run)
			if err := x.Update(ctx); err != nil {
				return err
			}
			x.due = time.Now().Add(10 * time.Since(began))
		}
	}
	counts.Done = x.cells
	return nil
}

// Ending returns the newest outcome of a cell without further rows, nil for none. If too large for
// a message, it can lack labels and error.
func (x *FailureIndex) Ending(ctx context.Context, cell string) (*experiment.Outcome, error) {
	if err := ValidName(cell); err != nil {
		return nil, fmt.Errorf("reading a result of run %s: cell %w", x.run, err)
	}
	msg, err := x.queue.last(ctx, resultsStream, resultTopic.cell(x.run, cell))
	if err != nil || msg == nil {
		return nil, err
	}
	if len(msg.Data) == 0 {
		return &experiment.Outcome{Run: x.run, Cell: cell, Status: experiment.Status(msg.Header.Get(statusHeader))}, nil
	}
	outcome, err := decodeEnding(msg.Data)
	if err != nil {
		return &experiment.Outcome{Run: x.run, Cell: cell, Status: experiment.Failed, Error: err.Error()}, nil //nolint:nilerr // it is what is said of the cell
	}
	return outcome, nil
}
