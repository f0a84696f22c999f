package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/queue"
)

// Purge removes all that the queue has of a finished or cancelled run except data sets, which other
// runs may use. The error of an unfinished run is a [*StartError].
func Purge(ctx context.Context, q *queue.Queue, run string) error {
	const remedy = "; `coordinator cancel %[1]s` drops them; workers stop within seconds"
	counts, err := q.Counts(ctx, run)
	if err != nil {
		return err
	}
	if n := counts.Queued + counts.InFlight; n > 0 {
		return &StartError{fmt.Errorf("run %[1]s has %[2]d cells that are queued or running"+remedy, run, n)}
	}
	workers, _, err := q.Workers(ctx)
	if err != nil {
		return err
	}
	for _, worker := range workers {
		for _, running := range worker.Running { // of a cancelled run, until the worker learns of that
			if running.Run == run && worker.State != queue.Gone {
				return &StartError{fmt.Errorf("run %[1]s: worker %[2]s still computes a cell of it"+remedy, run, worker.Name)}
			}
		}
	}
	if err := q.Purge(ctx, run); err != nil {
		return err
	}
	return q.RemoveData(ctx, run)
}

// Discard removes results, dead letters and attempt counts of cells from the queue and queues those
// of the plan again; queued is their number. Prefixes must identify one cell each; after a
// [*StartError] nothing is removed.
func Discard(ctx context.Context, q *queue.Queue, run string, prefixes []string) (discarded []string, queued int, err error) {
	_, plan, _, err := findRun(ctx, q, run)
	if err != nil {
		return nil, 0, err
	}
	all := slices.Collect(plan.IDs())
	for ended, err := range q.Done(ctx, run) {
		if err != nil {
			return nil, 0, err
		}
		all = append(all, ended.Cell)
	}
	const most = 5
	for _, prefix := range prefixes {
		var found []string
		for _, cell := range all {
			if prefix != "" && strings.HasPrefix(cell, prefix) && len(found) < most && !slices.Contains(found, cell) {
				found = append(found, cell)
			}
		}
		switch {
		case found == nil:
			return nil, 0, &StartError{fmt.Errorf("run %s has no cell that begins with %.140q", run, prefix)}
		case len(found) > 1:
			return nil, 0, &StartError{fmt.Errorf("run %s has several cells that begin with %q: %s", run, prefix, strings.Join(found, ", "))}
		case !slices.Contains(discarded, found[0]):
			discarded = append(discarded, found[0])
		}
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
