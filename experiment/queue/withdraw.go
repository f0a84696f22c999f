package queue

import (
	"context"
	"fmt"
)

// Withdraw removes the tasks of cells from the queue. Cells in computation finish, but failures are
// not retried.
func (q *Queue) Withdraw(ctx context.Context, run string, cells []string) error {
	if err := validRun(run); err != nil {
		return err
	}
	for _, cell := range cells {
		if err := ValidName(cell); err != nil {
			return fmt.Errorf("withdrawing a task of run %s: cell %w", run, err)
		}
		if err := q.tasks.drop(ctx, run, cell); err != nil {
			return err
		}
	}
	return nil
}
