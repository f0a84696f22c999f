package queue

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/experiment"
)

const putBytes = 16 << 20

// ResultWriter stores results of cells that no worker computes, confirmed once Drain returns nil.
// Storing one twice is harmless. It is for one goroutine.
type ResultWriter struct {
	queue  *Queue
	number func(cell string) uint64
	opened map[string]bool
	window []sent
	bytes  int
}

// Results returns a writer. number returns how many results a cell had before; nil means none.
func (q *Queue) Results(number func(cell string) uint64) *ResultWriter {
	if number == nil {
		number = func(string) uint64 { return 0 }
	}
	return &ResultWriter{queue: q, number: number, opened: map[string]bool{}}
}

// Put sends an outcome.
func (w *ResultWriter) Put(ctx context.Context, outcome *experiment.Outcome) error {
	if err := validRun(outcome.Run); err != nil {
		return fmt.Errorf("storing a result: %w", err)
	}
	if !w.opened[outcome.Run] { // with nothing to compute, but not cancelled
		if err := w.queue.tasks.open(ctx, outcome.Run); err != nil {
			return err
		}
		w.opened[outcome.Run] = true
	}
	msg, err := w.queue.results.encode(ctx, outcome, w.number(outcome.Cell), 0)
	if err != nil {
		return &CellError{outcome.Run, outcome.Cell, err}
	}
	for len(w.window) > 0 && (len(w.window) >= w.queue.config.Window || w.bytes+len(msg.Data) > putBytes) {
		if err := w.awaitOldest(ctx); err != nil {
			return err
		}
	}
	w.window, w.bytes = append(w.window, w.queue.send(msg)), w.bytes+len(msg.Data)
	return nil
}

// Drain waits for all confirmations and returns the first error.
func (w *ResultWriter) Drain(ctx context.Context) (first error) {
	for len(w.window) > 0 {
		if err := w.awaitOldest(ctx); first == nil {
			first = err
		}
	}
	return first
}

func (w *ResultWriter) awaitOldest(ctx context.Context) error {
	oldest := w.window[0]
	w.window[0] = sent{}
	w.window, w.bytes = w.window[1:], w.bytes-len(oldest.msg.Data)
	if err := storing(w.queue.confirm(ctx, oldest, resultsStream)); err != nil {
		return &CellError{runOf(oldest.msg.Subject), cellOf(oldest.msg.Subject), err}
	}
	return nil
}
