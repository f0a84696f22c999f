package queue

import (
	"cmp"
	"context"

	"github.com/agepath/agepath/experiment"
)

// Standing counts each cell once: Ended, Running, Queued and Unqueued add up to Cells.
type Standing struct {
	Cells    int64                       // of the grid
	Ended    map[experiment.Status]int64 // have a result and no task, by status
	Running  int64                       // held by workers, or handed back and delayed
	Queued   int64                       // waiting for a worker
	Commands int64                       // of Running and Queued: bring a command
	Unqueued int64                       // not submitted yet, or dropped by a cancel
	Dead     int64                       // of Ended: given up because workers died
	Results  int64                       // one per cell that has ended or was put back

	Quarantined int64
	Strays      int64 // results of unknown cells; counted nowhere else

	Paused bool

	Owner    string // "" for a run without a queue
	Priority int
}

// Done returns the number of cells that have ended.
func (s *Standing) Done() int64 { return experiment.CountAll(s.Ended) }

// Failed returns the number of cells that have failed.
func (s *Standing) Failed() int64 { return experiment.CountFailed(s.Ended) }

// Left returns the number of cells that workers compute or can pull.
func (s *Standing) Left() int64 { return s.Running + s.Queued }

// Standing reads up to the newest result. A cell that was put back counts only as queued or running
// until it ends again. cells is the size of the grid, 0 if unknown.
func (x *FailureIndex) Standing(ctx context.Context, cells int64) (Standing, error) {
	counts, orders, err := countsOf(ctx, x.queue, x.run)
	if err != nil {
		return Standing{}, err
	}
	if err := x.Update(ctx); err != nil {
		return Standing{}, err
	}
	if err := x.countStored(ctx, &counts); err != nil {
		return Standing{}, err
	}
	notOK, putBack := map[experiment.Status]int64{}, map[experiment.Status]int64{}
	for _, status := range x.NotOK {
		notOK[status]++
	}
	if counts.Queued+counts.InFlight > 0 && len(x.NotOK) > 0 {
		if putBack, err = x.putBack(ctx); err != nil {
			return Standing{}, err
		}
	}
	s := stand(counts, notOK, putBack, cells)
	s.Strays = int64(x.strays)
	s.Owner, s.Priority = orders.Owner, cmp.Or(orders.Priority, DefaultPriority)
	return s, nil
}

// stand counts each cell once. notOK are the cells whose newest result is not ok, putBack those of
// them with a task.
func stand(counts Counts, notOK, putBack map[experiment.Status]int64, cells int64) Standing {
	s := Standing{
		Running: int64(counts.InFlight), Queued: int64(counts.Queued), Dead: int64(counts.Dead), Results: int64(counts.Done),
		Ended: map[experiment.Status]int64{}, Quarantined: int64(counts.Quarantined),
		Paused: counts.Paused, Commands: int64(counts.Commands),
	}
	var others int64
	for _, status := range experiment.Statuses {
		s.Ended[status] = max(0, notOK[status]-putBack[status])
		others += notOK[status]
	}
	s.Ended[experiment.OK] = max(0, int64(counts.Done)-others)
	s.Dead = min(s.Dead, s.Ended[experiment.Failed])
	if s.Cells = cells; cells == 0 {
		s.Cells = s.Done() + s.Left()
	}
	// The numbers are read in turn: a cell that ended meanwhile, or whose task is not acknowledged
	// yet, is in both. It has ended.
	over := max(0, s.Done()+s.Left()-s.Cells)
	running := min(over, s.Running)
	s.Running -= running
	s.Queued -= min(over-running, s.Queued)
	s.Unqueued = max(0, s.Cells-s.Done()-s.Left())
	return s
}

// fewCells are queried one by one; listing all tasks takes the server longer.
const fewCells = 32

func (x *FailureIndex) putBack(ctx context.Context) (map[experiment.Status]int64, error) {
	n := map[experiment.Status]int64{}
	if len(x.NotOK) > fewCells {
		tasks, err := x.queue.tasks.of(ctx, x.run, "*")
		for subject := range tasks {
			if status, failed := x.NotOK[cellOf(subject)]; failed {
				n[status]++
			}
		}
		return n, err
	}
	for cell, status := range x.NotOK {
		tasks, err := x.queue.tasks.of(ctx, x.run, cell)
		if err != nil {
			return nil, err
		}
		n[status] += int64(len(tasks))
	}
	return n, nil
}
