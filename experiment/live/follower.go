package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
)

// Follower tracks where the cells of a run are. It is not safe for concurrent use.
type Follower struct {
	Description *run.Description // nil before the first look and if unreadable
	Damaged     error            // why it is unreadable; nil if the server has none
	Standing    queue.Standing   // at the last look

	queue     *queue.Queue
	name      string
	described bool
	cells     *run.Cells // nil if the server has no list
	failures  *queue.FailureIndex
	why       map[string]ending // of cells that are not ok
}

type ending struct {
	method, text string
	status       experiment.Status
	repeats      bool
}

// mostRead bounds the cells whose reasons a follower reads.
const mostRead = 2000

// Reasons returns why cells are not ok, the most frequent first, for up to 2000 cells; others
// counts the rest.
func (f *Follower) Reasons(ctx context.Context) (list []experiment.Reason, others int, err error) {
	var all experiment.Reasons
	for _, cell := range slices.Sorted(maps.Keys(f.failures.NotOK)) {
		status := f.failures.NotOK[cell]
		if status == experiment.Skipped {
			continue
		}
		end, known := f.why[cell]
		if !known || end.status != status {
			if len(f.why) >= mostRead {
				others++
				continue
			}
			o, err := f.failures.Ending(ctx, cell)
			if err != nil {
				return nil, 0, err
			}
			if o == nil {
				continue
			}
			method := ""
			if kind, err := experiment.Named(o.Kind); err == nil {
				method = kind.Tables().Text(&o.Labels, "method")
			}
			end = ending{strings.Clone(method), experiment.ReasonText(method, o.Error), status, o.Repeats}
			f.why[cell] = end
		}
		all.Add(end.method, end.status, end.text, cell, end.repeats)
	}
	maps.DeleteFunc(f.why, func(cell string, _ ending) bool { _, is := f.failures.NotOK[cell]; return !is })
	return all.List(), others, nil
}

// Scores reads all outcomes at the server; over says that the run has ended.
func (f *Follower) Scores(ctx context.Context, over bool) (*Scores, error) {
	feed, err := f.queue.Feed(f.name)
	if err != nil {
		return nil, err
	}
	feed.Has = f.has
	all := newTally(schemasOf(experiment.Registrations()))
	for outcome, err := range feed.Next(ctx) {
		if err != nil && !errors.As(err, new(*queue.CellError)) {
			return nil, fmt.Errorf("scores of run %s: %w", f.name, err)
		}
		if err == nil {
			all.answers.add(all.schemaOf(outcome), outcome)
		}
	}
	return all.answers.scores(over), nil
}

func (f *Follower) has(cell string) bool { return f.cells == nil || f.cells.Has(cell) }

// Bound moves cells from running to queued beyond the workers' slots: they wait for redelivery.
func (f *Follower) Bound(workers []queue.Presence, now time.Time) {
	if len(workers) == 0 {
		return // their announcements may be out of reach
	}
	slots := int64(0)
	for i := range workers {
		if state := workers[i].StateAt(now); state != queue.Gone && state != queue.Lost {
			slots += int64(workers[i].Slots)
		}
	}
	if over := f.Standing.Running - slots; over > 0 {
		f.Standing.Running, f.Standing.Queued = slots, f.Standing.Queued+over
	}
}

// NewFollower returns a follower that has not looked yet.
func NewFollower(q *queue.Queue, name string) (*Follower, error) {
	failures, err := q.FailureIndex(name)
	return &Follower{queue: q, name: name, failures: failures, why: map[string]ending{}}, err
}

func (f *Follower) know(ctx context.Context) error {
	if f.described {
		return nil
	}
	damaged := new(queue.DamagedError)
	failed := func(err error) bool {
		if errors.As(err, &damaged) { // of this run only
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

// Look updates Standing.
func (f *Follower) Look(ctx context.Context) error {
	if err := f.know(ctx); err != nil {
		return err
	}
	var cells int64 // of the grid, 0 if unknown
	if f.Description != nil {
		cells = f.Description.Cells
	}
	standing, err := f.failures.Standing(ctx, cells)
	if err == nil {
		f.Standing = standing
	}
	return err
}

// Lacks lists the needs of the remaining cells that no worker meets.
func (f *Follower) Lacks(workers []queue.Presence, now time.Time) []run.Missing {
	if f.Standing.Left() == 0 {
		return nil
	}
	return cmp.Or(f.Description, new(run.Description)).Unable(workers, f.Standing.Commands > 0, now)
}
