package run

import (
	"context"
	"errors"
	"iter"
	"slices"

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

func noEnded(*queue.Ended) bool { return false }

// sift moves rejected dead letters and results to the quarantine; take gets the other outcomes.
func sift(ctx context.Context, q *queue.Queue, gate *gate, take func(*experiment.Outcome) error) (strays []*queue.QuarantinedError, err error) {
	strays, err = q.Reconcile(ctx, gate.plan.Run, gate.check)
	if err != nil {
		return strays, err
	}
	err = read(ctx, q, gate, false, func(outcome *experiment.Outcome, stray *queue.QuarantinedError) error {
		if stray != nil {
			strays = append(strays, stray)
			return nil
		}
		return take(outcome)
	})
	return strays, err
}

// read calls take with each outcome, or the reason of a rejection.
func read(ctx context.Context, q *queue.Queue, gate *gate, follow bool, take func(*experiment.Outcome, *queue.QuarantinedError) error) error {
	for outcome, err := range q.Sift(ctx, gate.plan.Run, follow, gate.check) {
		var stray *queue.QuarantinedError
		if err != nil && !errors.As(err, &stray) {
			return err
		}
		if err := take(outcome, stray); err != nil {
			return err
		}
	}
	return nil
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
