package live

import (
	"context"
	"errors"
	"time"

	"github.com/agepath/agepath/experiment"
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
	failures  *queue.FailureIndex
}

// NewFollower returns a follower that has not looked yet.
func NewFollower(q *queue.Queue, name string) (*Follower, error) {
	failures, err := q.FailureIndex(name)
	return &Follower{queue: q, name: name, failures: failures}, err
}

// Look finds out where the cells are.
func (f *Follower) Look(ctx context.Context) error {
	if !f.described {
		description, err := run.Describe(ctx, f.queue, f.name)
		if damaged := new(queue.DamagedError); errors.As(err, &damaged) { // of this run alone
			f.Damaged = damaged
		} else if err != nil && !errors.Is(err, queue.ErrNoData) {
			return err
		}
		f.Description, f.described = description, true
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
func (f *Follower) Lacks(workers []queue.Presence, now time.Time) []experiment.Need {
	if f.Description == nil || f.Standing.Left() == 0 {
		return nil
	}
	return f.Description.Unable(workers, now)
}
