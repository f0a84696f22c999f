package run

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/experiment/queue"
)

// BusyError says that a run is not finished: cells are queued or being computed.
type BusyError struct {
	Run    string
	Counts queue.Counts
	Worker string // computing a cell, "" if unknown
}

func (e *BusyError) Error() string {
	if n := e.Counts.Queued + e.Counts.InFlight; n > 0 {
		return fmt.Sprintf("run %s has %d cells that are queued or running", e.Run, n)
	}
	return fmt.Sprintf("run %s: worker %s still computes a cell of it", e.Run, e.Worker)
}

// Purge removes all that the queue has of a finished or cancelled run except data sets, which other
// runs may use. An unfinished run is a [*BusyError].
func Purge(ctx context.Context, q *queue.Queue, run string) error {
	counts, err := q.Counts(ctx, run)
	if err != nil {
		return err
	}
	if counts.Queued+counts.InFlight > 0 {
		return &BusyError{Run: run, Counts: counts}
	}
	workers, _, err := q.Workers(ctx)
	if err != nil {
		return err
	}
	for _, worker := range workers {
		for _, running := range worker.Running { // of a cancelled run, until the worker learns of that
			if running.Run == run && worker.State != queue.Gone {
				return &BusyError{Run: run, Counts: counts, Worker: worker.Name}
			}
		}
	}
	if err := q.Purge(ctx, run); err != nil {
		return err
	}
	return q.RemoveData(ctx, run)
}
