package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// again selects ended cells to compute again: those with one of the statuses, or that hit a limit
// since raised.
type again struct {
	statuses []experiment.Status
	limits   experiment.Limits
}

// wants takes [experiment.Outcome.Short] as short.
func (a *again) wants(status experiment.Status, short float64) bool {
	return slices.Contains(a.statuses, status) || a.limits.Mend(status, short)
}

// known is what the queue has of a run.
type known struct {
	fresh bool                       // nobody can have computed a cell yet
	done  cellSet                    // cells with a result, except those to compute again
	again map[results.CellKey]uint64 // number of the next task of each
}

func lookUp(ctx context.Context, q *queue.Queue, run string, wants func(*queue.Ended) bool) (*known, error) {
	runs, err := q.Runs(ctx)
	if err != nil {
		return nil, err
	}
	k := &known{fresh: !slices.Contains(runs, run), done: cellSet{}, again: map[results.CellKey]uint64{}}
	for ended, err := range q.Done(ctx, run) {
		if err != nil {
			return nil, err
		}
		k.fresh = false
		if !wants(&ended) {
			k.done.add(ended.Cell)
		} else if key, ok := keyOf(ended.Cell); ok {
			k.again[key] = ended.Number + 1
		}
	}
	return k, nil
}

func (a *again) wantsEnded(e *queue.Ended) bool { return a.wants(e.Status, e.Short) }

// sift moves rejected results to the quarantine; take gets the other outcomes.
func sift(ctx context.Context, q *queue.Queue, gate *gate, take func(*experiment.Outcome) error) (strays []*queue.QuarantinedError, err error) {
	for outcome, err := range q.Sift(ctx, gate.plan.Run, false, gate.check) {
		if stray, ok := errors.AsType[*queue.QuarantinedError](err); ok {
			strays = append(strays, stray)
			continue
		}
		if err == nil {
			err = take(outcome)
		}
		if err != nil {
			return strays, err
		}
	}
	return strays, nil
}

func (k *known) puts(cell string) bool { return k.number(cell) > 0 }

func (k *known) number(cell string) uint64 {
	key, ok := keyOf(cell)
	if !ok {
		return 0
	}
	return k.again[key]
}

// publish omits cells that got a result after the look-up.
func (k *known) publish(ctx context.Context, q *queue.Queue, tasks iter.Seq2[experiment.Task, error]) (published, refused int, err error) {
	if k.fresh {
		return q.Publish(ctx, tasks)
	}
	return q.PublishAgain(ctx, tasks, k.number)
}

// publishAll publishes the wanted cells. If some are refused, it removes stuck tasks and tries once
// more.
func (k *known) publishAll(ctx context.Context, q *queue.Queue, plan *experiment.Plan, wanted func(cell string) bool) (published, refused int, err error) {
	published, refused, err = k.publish(ctx, q, tasksOf(plan, wanted))
	if err != nil || refused == 0 {
		return published, refused, err
	}
	swept, err := q.RemoveEnded(ctx, plan.Run)
	if err != nil || swept == 0 {
		return published, refused, err
	}
	again, _, err := k.publish(ctx, q, tasksOf(plan, wanted))
	return published + again, refused - again, err
}

// keyOf returns false for names other than 32 lower-case hex digits.
func keyOf(cell string) (key results.CellKey, ok bool) {
	key, err := results.ParseCell(cell)
	return key, err == nil
}

type cellSet map[results.CellKey]struct{}

func (s cellSet) add(cell string) {
	if key, ok := keyOf(cell); ok {
		s[key] = struct{}{}
	}
}

func (s cellSet) has(cell string) bool {
	key, ok := keyOf(cell)
	if ok {
		_, ok = s[key]
	}
	return ok
}

// Cells are the cells of a run's plan.
type Cells struct {
	keys []byte
}

// Place returns the index of a cell; ok is false for other cells.
func (c *Cells) Place(cell string) (place int, ok bool) {
	key, ok := keyOf(cell)
	if !ok {
		return 0, false
	}
	return sort.Find(len(c.keys)/len(key), func(i int) int { return bytes.Compare(key[:], c.keys[i*len(key):][:len(key)]) })
}

// Has reports whether the plan has a cell.
func (c *Cells) Has(cell string) bool {
	_, ok := c.Place(cell)
	return ok
}

// ReadCells reads the list of a run's cells. The error is [queue.ErrNoData] if there is none, a
// [*queue.DamagedError] if it is not as stored.
func ReadCells(ctx context.Context, q *queue.Queue, d *Description) (*Cells, error) {
	name, size := queue.CellsOf(d.Run), d.Cells*int64(len(results.CellKey{}))
	keys, err := q.ReadData(ctx, name, size)
	if err == nil && int64(len(keys)) != size {
		err = &queue.DamagedError{Object: name, Err: fmt.Errorf("it does not have %d bytes", size)}
	}
	return &Cells{keys}, err
}

func putCells(ctx context.Context, q *queue.Queue, gate *gate) error {
	keys := make([]byte, 0, len(gate.cells)*len(results.CellKey{}))
	for _, cell := range gate.cells {
		keys = append(keys, cell.key[:]...)
	}
	have, err := ReadCells(ctx, q, &Description{Manifest: results.Manifest{Run: gate.plan.Run, Cells: int64(len(gate.cells))}})
	switch {
	case err == nil && bytes.Equal(have.keys, keys):
		return nil
	case err != nil && !errors.Is(err, queue.ErrNoData) && !errors.As(err, new(*queue.DamagedError)):
		return err
	}
	return q.PutData(ctx, queue.CellsOf(gate.plan.Run), bytes.NewReader(keys))
}
