package run

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// repair tracks rejected messages.
type repair struct {
	quarantined int64     // messages
	cells       cellSet   // missing, with a quarantined message since the last repair
	after       time.Time // no repair begins before
}

// noteStray marks the cell of a quarantined message, if missing, for queuing again.
func (g *gatherer) noteStray(stray *queue.QuarantinedError) {
	g.repair.quarantined++
	if bits.OnesCount64(uint64(g.repair.quarantined)) == 1 { // reported at powers of two
		g.report(fmt.Errorf("%d messages of this run were quarantined; the last: %w", g.repair.quarantined, stray))
	}
	if g.gate.plans(stray.Cell) && g.lacks(stray.Cell) {
		g.repair.cells.add(stray.Cell)
	}
}

// lacks is misses without mu held.
func (g *gatherer) lacks(cell string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.misses(cell)
}

// mend queues the cells of quarantined messages again, except those still queued. A cell queued too
// often fails. Expanding a large plan takes at most a tenth of the time.
func (g *gatherer) mend(ctx context.Context, q *queue.Queue) error {
	if len(g.repair.cells) == 0 || time.Now().Before(g.repair.after) {
		return nil
	}
	began, cells := time.Now(), g.repair.cells
	g.repair.cells = cellSet{}
	for task, err := range tasksOf(g.gate.plan, func(cell string) bool { return cells.has(cell) && g.lacks(cell) }) {
		key, _ := keyOf(task.Cell)
		switch {
		case err != nil:
		case g.gate.spent(key):
			outcome := begin(&task, time.Now())
			outcome.Labels = task.Labels.Clone() // the next task changes them, and the store keeps these
			end(outcome, experiment.Failed, fmt.Sprintf("its result was quarantined and the cell queued again %d times; `coordinator status RUN` says why", mostAgain))
			err = g.storeMissing(outcome)
		default:
			published := 0
			one := func(yield func(experiment.Task, error) bool) { yield(task, nil) }
			if published, _, err = q.PublishAgain(ctx, one, g.before.number); published > 0 {
				g.gate.noteAgain(task.Cell)
			}
		}
		if err != nil {
			return fmt.Errorf("queuing again what was quarantined: %w", err)
		}
	}
	g.repair.after = time.Now().Add(10 * time.Since(began))
	return nil
}

// hearWorkers notes what workers have computed longest, and replaces what they found damaged at the
// server.
func (g *gatherer) hearWorkers(ctx context.Context, q *queue.Queue, run string) error {
	workers, _, err := q.Workers(ctx)
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.stall.longest = longest(workers, run)
	g.mu.Unlock()
	g.stall.alone++
	if slices.ContainsFunc(workers, func(w queue.Presence) bool { return w.There(time.Now()) }) {
		g.stall.alone = 0
	}
	damaged := slices.DeleteFunc(uploads(ctx, q, g.gate.plan), func(u upload) bool {
		return !slices.ContainsFunc(workers, func(p queue.Presence) bool { return slices.Contains(p.Damaged, u.digest) })
	})
	replaced, err := putMissing(ctx, q, damaged)
	for _, what := range replaced {
		g.report(fmt.Errorf("%s was damaged at the server and is replaced", what))
	}
	return err
}

// longest lists the three cells of a run that workers have computed longest, that one first.
func longest(workers []queue.Presence, run string) (list []queue.Running) {
	for i := range workers {
		if workers[i].There(time.Now()) {
			list = append(list, workers[i].Running...)
		}
	}
	list = slices.DeleteFunc(list, func(r queue.Running) bool { return r.Run != run })
	slices.SortFunc(list, func(a, b queue.Running) int { return a.Since.Compare(b.Since) })
	return list[:min(len(list), 3)]
}

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
	// lonelyAfter looks without a worker, 5 minutes, are reported, and each as many.
	lonelyAfter = 30
)

type stall struct {
	every   time.Duration
	vain    int             // consecutive looks that found nothing to wait for
	alone   int             // consecutive looks that found no worker
	seen    int             // cells gathered at the last look
	last    time.Duration   // from the run's begin to the last cell computed; guarded as the gatherer's fields
	longest []queue.Running // at the last look; guarded as the gatherer's fields
}

// look checks that missing cells can still come. If nothing is queued, running or arriving, it
// redelivers tasks that the server gives to nobody, see [queue.Queue.RemoveEnded], and queues cells
// again whose task was acknowledged without an acceptable result. If that does not help, the run
// ends with an error.
func (g *gatherer) look(ctx context.Context, q *queue.Queue, run string) error {
	if err := g.hearWorkers(ctx, q, run); err != nil {
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
	if n := counts.Queued + counts.InFlight; n > 0 && !counts.Paused && g.stall.alone > 0 && g.stall.alone%lonelyAfter == 0 {
		g.report(fmt.Errorf("no worker for %v: %d cells wait; start workers for this run's NATS server", time.Duration(g.stall.alone)*g.stall.every, n))
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
		_, _, err = q.PublishAgain(ctx, g.tasks(k.done), k.number)
		return err
	case stallAfter:
		return fmt.Errorf("%d cells of run %s are neither queued nor running and have not ended; the same command queues them again", missing, run)
	}
	return nil
}
