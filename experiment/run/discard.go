package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/queue"
)

// CellNameError says that the beginning of a cell's name is not that of one cell.
type CellNameError struct {
	Run, Prefix string
	Cells       []string // that begin so: none, or the first of several
}

func (e *CellNameError) Error() string {
	if len(e.Cells) == 0 {
		return fmt.Sprintf("run %s has no cell that begins with %.140q", e.Run, e.Prefix)
	}
	return fmt.Sprintf("run %s has several cells that begin with %q: %s", e.Run, e.Prefix, strings.Join(e.Cells, ", "))
}

// Discard removes what the queue has of cells of a run: results, dead letters and
// counts of attempts. Those of the plan are queued again; it returns how many. Cells
// are named by their identities or by beginnings of these that no other cell has. A
// [*CellNameError] means that nothing was removed.
func Discard(ctx context.Context, q *queue.Queue, run string, prefixes []string) (discarded []string, queued int, err error) {
	_, plan, err := FindRun(ctx, q, run)
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

// findCells returns the cells of the plan or with a result that begin with each of
// the prefixes.
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
