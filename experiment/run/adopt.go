package run

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// adoptOthers gathers what the folder's own server still has of other runs, which
// were killed before the grid was changed, and removes them from it: nobody else
// would, and workers would go on computing their cells.
func (g *gatherer) adoptOthers(ctx context.Context, q *queue.Queue) error {
	runs, err := q.Runs(ctx)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run == g.gate.plan.Run && g.isCurrent(ctx, q) {
			continue
		}
		if err := g.adopt(ctx, q, run); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			g.report(fmt.Errorf("what run %s had computed and not gathered is left out: %w", run, err))
		}
		if err := g.store.Flush(); err != nil {
			return err
		}
		if err := q.Purge(ctx, run); err != nil {
			return err
		}
		if err := q.RemoveData(ctx, run); err != nil {
			return err
		}
	}
	return nil
}

// isCurrent reports whether the queue has nothing of the run, or what this version can take.
func (g *gatherer) isCurrent(ctx context.Context, q *queue.Queue) bool {
	description, err := Describe(ctx, q, g.gate.plan.Run)
	return err != nil || description.current() == nil
}

// adopt stores the outcomes of another run whose cells the folder does not have.
func (g *gatherer) adopt(ctx context.Context, q *queue.Queue, run string) error {
	_, plan, err := FindRun(ctx, q, run)
	if err != nil {
		return err
	}
	if plan.Kind != g.gate.plan.Kind {
		return fmt.Errorf("it is of the kind %s", plan.Kind)
	}
	gate, err := newGate(ctx, plan)
	if err != nil {
		return err
	}
	_, err = sift(ctx, q, gate, func(o *experiment.Outcome) error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if _, _, there := g.store.Newest(o.Cell); there || o.Labels.Rows == 0 {
			return nil
		}
		if err := g.store.Adopt(o); err != nil {
			return err
		}
		if g.gate.plans(o.Cell) && !g.misses(o.Cell) {
			g.missing--
			g.adopted++
		}
		return nil
	})
	return err
}
