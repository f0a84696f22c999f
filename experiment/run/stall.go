package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agepath/agepath/experiment/queue"
)

// CancelledError says that a run was cancelled or purged while its results were gathered.
type CancelledError struct {
	Run     string
	Missing int64 // cells without a result
}

func (e *CancelledError) Error() string {
	return fmt.Sprintf("run %s was cancelled, %d cells have not ended; the same command queues them again", e.Run, e.Missing)
}

const (
	// After reopenAfter looks in vain tasks are redelivered, after stallAfter the run is given up.
	reopenAfter = 3
	stallAfter  = 6
)

type stall struct {
	every time.Duration
	vain  int // consecutive looks that found nothing to wait for
	seen  int // cells gathered at the last look
}

// look checks that missing cells can still come. If nothing is queued, running or arriving, it
// redelivers tasks that the server gives to nobody, see [queue.Queue.RemoveEnded], and queues cells
// again whose task was acknowledged without an acceptable result. If that does not help, the run
// ends with an error.
func (g *gatherer) look(ctx context.Context, q *queue.Queue, run string) error {
	_, strays, err := q.Reconcile(ctx, run, g.gate.check)
	for _, stray := range strays {
		g.noteStray(stray)
	}
	if err != nil {
		return err
	}
	if err := g.mendData(ctx, q); err != nil {
		return err
	}
	runs, err := q.Runs(ctx)
	if err != nil {
		return err
	}
	g.mu.Lock()
	missing, came := g.missing, g.came > g.stall.seen
	g.stall.seen = g.came
	g.mu.Unlock()
	if !slices.Contains(runs, run) {
		return &CancelledError{run, missing}
	}
	counts, err := q.Counts(ctx, run)
	if err != nil {
		return err
	}
	if came || counts.Queued+counts.InFlight > 0 {
		g.stall.vain = 0
		return nil
	}
	g.stall.vain++
	switch g.stall.vain {
	case reopenAfter:
		if _, err := q.RemoveEnded(ctx, run); err != nil {
			return err
		}
		if err := q.Reopen(ctx, run); err != nil {
			return err
		}
		k, err := lookUp(ctx, q, run, g.retry.wantsEnded)
		if err != nil {
			return err
		}
		_, _, err = q.PublishAgain(ctx, tasksOf(g.gate.plan, func(cell string) bool { return !k.done.has(cell) && g.lacks(cell) }), k.number)
		return err
	case stallAfter:
		return fmt.Errorf("%d cells of run %s are neither queued nor running and have not ended; the same command queues them again", missing, run)
	}
	return nil
}
