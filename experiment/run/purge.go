package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// CellNameError says that a beginning of a cell's name does not identify one cell.
type CellNameError struct {
	Run, Prefix string
	Cells       []string // none, or the first of several
}

func (e *CellNameError) Error() string {
	if len(e.Cells) == 0 {
		return fmt.Sprintf("run %s has no cell that begins with %.140q", e.Run, e.Prefix)
	}
	return fmt.Sprintf("run %s has several cells that begin with %q: %s", e.Run, e.Prefix, strings.Join(e.Cells, ", "))
}

// Discard removes results, dead letters and attempt counts of cells from the queue and queues those
// of the plan again; queued is their number. Prefixes must identify one cell each; after a
// [*CellNameError] nothing is removed.
func Discard(ctx context.Context, q *queue.Queue, run string, prefixes []string) (discarded []string, queued int, err error) {
	_, plan, _, err := findRun(ctx, q, run)
	if err != nil {
		return nil, 0, err
	}
	if discarded, err = findCells(ctx, q, run, slices.Collect(plan.IDs()), prefixes); err != nil {
		return nil, 0, err
	}
	for _, cell := range discarded {
		if err := q.Discard(ctx, run, cell); err != nil {
			return nil, 0, err
		}
	}
	k, err := lookUp(ctx, q, run, noEnded)
	if err != nil {
		return nil, 0, err
	}
	queued, _, err = k.publishAll(ctx, q, plan, func(cell string) bool { return slices.Contains(discarded, cell) && !k.done.has(cell) })
	return discarded, queued, err
}

func findCells(ctx context.Context, q *queue.Queue, run string, planned, prefixes []string) ([]string, error) {
	const most = 5
	found := make([][]string, len(prefixes))
	look := func(cell string) {
		for i, prefix := range prefixes {
			if prefix != "" && strings.HasPrefix(cell, prefix) && !slices.Contains(found[i], cell) && len(found[i]) < most {
				found[i] = append(found[i], cell)
			}
		}
	}
	for _, cell := range planned {
		look(cell)
	}
	for ended, err := range q.Done(ctx, run) {
		if err != nil {
			return nil, err
		}
		look(ended.Cell)
	}
	var cells []string
	for i, prefix := range prefixes {
		if len(found[i]) != 1 {
			return nil, &CellNameError{run, prefix, found[i]}
		}
		if !slices.Contains(cells, found[i][0]) {
			cells = append(cells, found[i][0])
		}
	}
	return cells, nil
}
