package live

import (
	"context"
	"errors"
	"time"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
)

// Follower finds out again and again where the cells of a run are. It is not safe for
// concurrent use.
type Follower struct {
	Description *run.Description // nil before the first look, and where none can be read
	Damaged     error            // why it cannot be read; nil where the server has none
	Standing    queue.Standing   // by the last look

	queue     *queue.Queue
	name      string
	described bool
	cells     *run.Cells // nil where the server does not list them
	failures  *queue.FailureIndex
}

// NewFollower returns a follower that has not looked yet.
func NewFollower(q *queue.Queue, name string) (*Follower, error) {
	failures, err := q.FailureIndex(name)
	return &Follower{queue: q, name: name, failures: failures}, err
}

// know reads what the server has of the run itself, once.
func (f *Follower) know(ctx context.Context) error {
	if f.described {
		return nil
	}
	damaged := new(queue.DamagedError)
	failed := func(err error) bool {
		if errors.As(err, &damaged) { // of this run alone
			f.Damaged = damaged
			return false
		}
		return err != nil && !errors.Is(err, queue.ErrNoData)
	}
	description, err := run.Describe(ctx, f.queue, f.name)
	if failed(err) {
		return err
	}
	if description != nil {
		cells, err := run.ReadCells(ctx, f.queue, description)
		if failed(err) {
			return err
		}
		if err == nil {
			f.cells, f.failures.Place = cells, cells.Place
		}
	}
	f.Description, f.described = description, true
	return nil
}

// Look finds out where the cells are.
func (f *Follower) Look(ctx context.Context) error {
	if err := f.know(ctx); err != nil {
		return err
	}
	var cells int64 // of the grid, 0 while that is not known
	if f.Description != nil {
		cells = f.Description.Cells
	}
	standing, err := f.failures.Standing(ctx, cells)
	if err == nil {
		f.Standing = standing
	}
	return err
}

// Lacks lists what the cells that are left need and none of the workers computes.
func (f *Follower) Lacks(workers []queue.Presence, now time.Time) []run.Missing {
	if f.Description == nil || f.Standing.Left() == 0 {
		return nil
	}
	return f.Description.Unable(workers, now)
}
