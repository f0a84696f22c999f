package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// share makes outcomes of other runs results of a run at the server, for cells without one: first
// from runs at the server, then from folders. It updates k and returns the number of cells.
func share(ctx context.Context, q *queue.Queue, t *taker, k *known, others []string, from Reuse) (shared int, err error) {
	writer, wants := q.Results(k.number), t.wants
	t.wants = func(cell string) bool { return !k.done.has(cell) && wants(cell) }
	t.take = func(o *experiment.Outcome) error {
		if k.done.has(o.Cell) {
			return nil
		}
		if err := writer.Put(ctx, o); err != nil {
			return err
		}
		k.done.add(o.Cell)
		shared++
		return nil
	}
	for _, other := range others {
		if err := t.fromRun(ctx, q, other); err != nil {
			return 0, err
		}
	}
	err = t.from(ctx, from)
	if err = errors.Join(err, writer.Drain(ctx)); err != nil {
		return 0, err
	}
	if shared > 0 && !k.fresh { // otherwise queued tasks of these cells would be computed
		_, err = q.RemoveEnded(ctx, t.gate.plan.Run)
	}
	return shared, err
}

// fromRun takes cells of another run at the server. A worker may be allowed to store results of
// that run alone, so only those that pass its own gate count.
func (t *taker) fromRun(ctx context.Context, q *queue.Queue, run string) error {
	some := false
	for ended, err := range q.Done(ctx, run) {
		if err != nil {
			return err
		}
		if some = ended.Status.Computed() && t.gate.plans(ended.Cell) && t.wants(ended.Cell); some {
			break
		}
	}
	if !some {
		return nil
	}
	_, plan, err := FindRun(ctx, q, run)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.report(fmt.Errorf("results of run %s are left out, since its plan cannot be made: %w", run, err))
		return nil
	}
	origin, err := newGate(ctx, plan)
	if err != nil {
		return err
	}
	for outcome, err := range q.Sift(ctx, run, false, nil) {
		if damaged := new(queue.CellError); errors.As(err, &damaged) { // its own coordinator mends it
			t.report(fmt.Errorf("a result of run %s is left out: %w", run, err))
			continue
		}
		if err != nil {
			return err
		}
		if !outcome.Status.Computed() || !t.gate.plans(outcome.Cell) || !t.wants(outcome.Cell) {
			continue
		}
		if err := origin.check(outcome); err != nil {
			t.report(fmt.Errorf("a result of run %s is left out: cell %s: %w", run, outcome.Cell, err))
			continue
		}
		if _, err := t.offer(outcome); err != nil {
			return err
		}
	}
	return t.takeWaiting()
}

// sharesData requires the same kind and a common data set.
func sharesData(plan *experiment.Plan, m *results.Manifest) bool {
	digests := slices.Collect(maps.Values(m.Data))
	return m.Kind == plan.Kind && slices.ContainsFunc(plan.Data, func(p *experiment.PlannedData) bool { return slices.Contains(digests, p.Digest) })
}

func sharing(ctx context.Context, q *queue.Queue, plan *experiment.Plan) (runs []string, err error) {
	list, err := q.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, listed := range list {
		if listed.Name == plan.Run {
			continue
		}
		d, err := Describe(ctx, q, listed.Name)
		if errors.As(err, new(*queue.DamagedError)) || errors.Is(err, queue.ErrNoData) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if sharesData(plan, &d.Manifest) {
			runs = append(runs, listed.Name)
		}
	}
	return runs, nil
}
