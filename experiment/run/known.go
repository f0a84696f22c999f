package run

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// again tells which cells that have ended are computed again: those with one of the
// statuses, and those that a limit kept from ending which is higher now.
type again struct {
	statuses []experiment.Status
	limits   experiment.Limits // of now
}

// wants reports whether a cell is computed again, where short is [experiment.Outcome.Short].
func (a *again) wants(status experiment.Status, short float64) bool {
	return slices.Contains(a.statuses, status) || a.limits.Mend(status, short)
}

// known is what the queue has of a run at a time.
type known struct {
	fresh bool               // nobody can have computed a cell yet
	done  cellSet            // cells with a result, but for those to compute again
	again map[cellKey]uint64 // those, with the number of their next task
}

// lookUp finds out what the queue has of a run of which some cells are to be computed
// again.
func lookUp(ctx context.Context, q *queue.Queue, run string, wants func(*queue.Ended) bool) (*known, error) {
	runs, err := q.Runs(ctx)
	if err != nil {
		return nil, err
	}
	k := &known{fresh: !slices.Contains(runs, run), done: cellSet{}, again: map[cellKey]uint64{}}
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

// wantsEnded is wants for a cell that has ended.
func (a *again) wantsEnded(e *queue.Ended) bool { return a.wants(e.Status, e.Short) }

// noEnded is a lookUp's wants for no cell.
func noEnded(*queue.Ended) bool { return false }

// sift moves what does not pass of a run's dead letters and results to the
// quarantine, so that it counts as not there, and returns how many messages it were.
// take gets the outcomes that pass.
func sift(ctx context.Context, q *queue.Queue, gate *gate, take func(*experiment.Outcome) error) (strays []*queue.QuarantinedError, err error) {
	_, strays, err = q.Reconcile(ctx, gate.plan.Run, gate.check)
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

// read hands the outcomes of a run that pass to take, with follow those to come too,
// or why a message did not pass.
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

// puts reports whether a cell has a result and is to be computed again.
func (k *known) puts(cell string) bool { return k.number(cell) > 0 }

func (k *known) number(cell string) uint64 {
	key, ok := keyOf(cell)
	if !ok {
		return 0
	}
	return k.again[key]
}

// publish publishes tasks. Cells that get their result between the look and now
// are not computed again.
func (k *known) publish(ctx context.Context, q *queue.Queue, tasks iter.Seq2[experiment.Task, error]) (published, refused int, err error) {
	if k.fresh {
		return q.Publish(ctx, tasks)
	}
	return q.PublishAgain(ctx, tasks, k.number)
}

// publishAll publishes the wanted cells of a plan. Where some are refused, tasks
// that are stuck may be in their way.
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
