package queue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

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
	outcome, err := endingOf(msg.Subject, msg.Header, msg.Data)
	if err != nil {
		return &experiment.Outcome{Run: x.run, Cell: cell, Status: experiment.Failed, Error: err.Error()}, nil //nolint:nilerr // it is what is said of the cell
	}
	return outcome, nil
}
