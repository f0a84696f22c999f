package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// Progress says how far a run is.
type Progress struct {
	Total, Done int64  // cells: of the plan; ended
	Counts      Counts // of Done
	Held        []*HeldError
	Elapsed     time.Duration // since the run began
	Remaining   time.Duration // negative while unknown, see [Known]
	// Longest are the cells that workers say they have computed longest, that one first.
	Longest []queue.Running
	// Milestone says that the scores in the folder are comparable, see [Milestones].
	Milestone bool
}

// Known reports whether enough work of a run is done, at least 1 %, to estimate the time of the rest.
func Known(done, left float64) bool { return done > 0 && done >= 0.01*(done+left) }

// gatherer collects the outcomes of a run in a store until no cell is missing.
type gatherer struct {
	store    *results.Store
	gate     *gate
	retry    again
	began    time.Time
	progress func(Progress)
	report   func(error)
	queued   <-chan struct{} // closed after the last task
	before   *known          // what the queue had before
	stall    stall
	repair   repair

	mu      sync.Mutex // guards the fields below
	missing int64      // cells to compute that are neither gathered nor held back
	came    int        // gathered in this run
	adopted int64      // missing cells taken from other runs
	again   cellSet    // gathered with a status to compute again
	ahead   float64    // estimated seconds of the missing cells
	behind  float64    // of the cells computed in this run
	counts  Counts
	trials
	milestones Milestones
}

func newGatherer(store *results.Store, gate *gate, retry again) *gatherer {
	g := &gatherer{
		store: store, gate: gate, retry: retry, began: time.Now(), report: func(error) {}, before: &known{fresh: true},
		stall: stall{every: lookEvery}, repair: repair{cells: cellSet{}}, again: cellSet{},
		counts: Counts{Statuses: map[experiment.Status]int64{}},
		trials: trials{commands: gate.plan.Commands(), methods: map[string]*trial{}, held: map[results.CellKey]*trial{}},
	}
	for _, cell := range gate.cells {
		id := cell.key.String()
		if g.misses(id) {
			g.miss(id, 1)
			continue
		}
		status, _, _ := store.Newest(id)
		g.counts.Statuses[status]++
	}
	return g
}

// Counts says how cells ended.
type Counts struct {
	Statuses map[experiment.Status]int64
	Reasons  []experiment.Reason // most frequent first
}

// Failed returns the number of cells that failed.
func (c *Counts) Failed() int64 { return experiment.CountFailed(c.Statuses) }

var failureColumns = []experiment.Column{
	{Name: "cell", Type: experiment.Text}, {Name: "method", Type: experiment.Text}, {Name: "status", Type: experiment.Text}, {Name: "error", Type: experiment.Text},
}

// recall counts the failures of the folder's kept cells.
func (g *gatherer) recall(ctx context.Context, dir string) error {
	if g.counts.Statuses[experiment.OK] == int64(len(g.gate.cells))-g.missing {
		return nil
	}
	_, err := results.EachNewest(ctx, dir, "cells", failureColumns, func(f *results.Frame) error {
		text := func(column, row int) string { value, _ := f.At(column, row).(string); return value }
		for row := range f.Rows() {
			if cell := text(0, row); g.gate.plans(cell) && !g.lacks(cell) {
				g.try(text(1, row), experiment.Status(text(2, row)), text(3, row), cell, false)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading why cells failed: %w", err)
	}
	return nil
}

func (g *gatherer) misses(cell string) bool {
	key, _ := keyOf(cell)
	status, short, there := g.store.Newest(cell)
	return (!there || g.retry.wants(status, short) && !g.again.has(cell)) && g.held[key] == nil
}

func (g *gatherer) miss(cell string, by int64) {
	g.missing += by
	planned, _ := g.gate.find(cell)
	g.ahead += float64(by) * float64(planned.cost)
	if planned.first {
		g.milestones.First += by
	}
}

// stored counts the outcome of a missing cell.
func (g *gatherer) stored(o *experiment.Outcome) *trial {
	g.miss(o.Cell, -1)
	g.counts.Statuses[o.Status]++
	return g.try(g.gate.tables.Text(&o.Labels, "method"), o.Status, o.Error, o.Cell, o.Repeats)
}

func (g *gatherer) complete() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.missing <= 0
}

// tasks yields the tasks of missing cells without a result in the queue.
func (g *gatherer) tasks(computed cellSet) iter.Seq2[experiment.Task, error] {
	return tasksOf(g.gate.plan, func(cell string) bool { return !computed.has(cell) && g.lacks(cell) })
}

const (
	flushEvery    = time.Second // until outcomes are durable, at most
	progressEvery = 200 * time.Millisecond
	lookEvery     = 10 * time.Second
)

// arrival is a stray or an outcome.
type arrival struct {
	outcome *experiment.Outcome
	stray   *queue.QuarantinedError
}

// follow sends what arrives until ctx is done, and then its error, which is nil if that ended it.
func (g *gatherer) follow(ctx context.Context, q *queue.Queue, run string, arrivals chan<- arrival) error {
	for outcome, err := range q.Sift(ctx, run, true, g.gate.check) {
		stray, ok := errors.AsType[*queue.QuarantinedError](err)
		if err != nil && !ok {
			return err
		}
		select {
		case arrivals <- arrival{outcome, stray}:
		case <-ctx.Done():
		}
	}
	return nil
}

func (g *gatherer) gather(ctx context.Context, q *queue.Queue, run string) error {
	ctx, cancel := context.WithCancel(ctx)
	arrivals, followed := make(chan arrival), make(chan error, 1)
	go func() { followed <- g.follow(ctx, q, run, arrivals) }() // ends with ctx
	defer func() {
		cancel()
		<-followed //nolint:errcheck // it was canceled
	}()
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	look := time.NewTicker(g.stall.every)
	defer look.Stop()
	var flushed time.Time
	for !g.complete() {
		select {
		case a := <-arrivals:
			if err := g.arrive(ctx, q, a.outcome, a.stray); err != nil {
				return err
			}
			if time.Since(flushed) >= flushEvery { // rare arrivals need not wait
				if err := g.store.Flush(); err != nil {
					return err
				}
				flushed = time.Now()
			}
		case flushed = <-flush.C:
			if err := g.store.Flush(); err != nil {
				return err
			}
			if err := g.mend(ctx, q); err != nil && ctx.Err() == nil {
				return err
			}
		case <-tick.C:
			if err := g.tick(); err != nil {
				return err
			}
		case <-look.C:
			select {
			case <-g.queued:
			default:
				continue
			}
			if err := g.look(ctx, q, run); err != nil && ctx.Err() == nil {
				return err
			}
		case err := <-followed:
			followed <- nil
			if err != nil {
				err = fmt.Errorf("following the results of %s: %w", run, err)
			}
			return errors.Join(err, ctx.Err())
		}
	}
	g.tell(false)
	return g.store.Flush()
}

// storeMissing stores the outcome of a missing cell. It ignores duplicates of a worker presumed
// lost, and results from before a retry or raised limits.
func (g *gatherer) storeMissing(o *experiment.Outcome) error {
	raised := g.retry.limits.Mend(o.Status, o.Short) && g.before.puts(o.Cell)
	stale := raised || g.retry.wants(o.Status, o.Short) && o.Finished.Before(g.began)
	g.mu.Lock()
	defer g.mu.Unlock()
	if key, _ := keyOf(o.Cell); !stale && g.held[key] != nil { // in computation when its method was held back
		g.release(key)
	}
	if !g.misses(o.Cell) || stale {
		return nil
	}
	if err := appendOutcome(g.store, g.gate.plan, o); err != nil {
		return err
	}
	of := g.stored(o)
	g.came++
	if o.Origin != "" {
		g.adopted++
	}
	if g.retry.wants(o.Status, o.Short) {
		g.again.add(o.Cell)
	}
	if !g.before.done.has(o.Cell) {
		planned, _ := g.gate.find(o.Cell)
		g.behind += float64(planned.cost)
		g.stall.last = time.Since(g.began)
	}
	if g.judge(of); o.Status.Computed() {
		g.lift(of)
	}
	return nil
}

// appendOutcome stores an outcome, with labels from the plan if the task was unreadable.
func appendOutcome(store *results.Store, plan *experiment.Plan, o *experiment.Outcome) error {
	if o.Labels.Rows == 0 {
		for task, err := range plan.Tasks() {
			if err != nil {
				return err
			}
			if task.Cell == o.Cell {
				o.Labels, o.Kind = task.Labels, task.Kind
				break
			}
		}
	}
	return store.Append(o)
}

func (g *gatherer) arrive(ctx context.Context, q *queue.Queue, o *experiment.Outcome, stray *queue.QuarantinedError) error {
	if stray != nil {
		g.noteStray(stray)
	} else if err := g.storeMissing(o); err != nil {
		return err
	}
	return g.holdBack(ctx, q)
}

// tick flushes at a milestone first, so that the scores are in the folder.
func (g *gatherer) tick() error {
	g.mu.Lock()
	total := g.gate.plan.Count()
	milestone := g.milestones.Passed(total-g.missing, total)
	g.mu.Unlock()
	if milestone {
		if err := g.store.Flush(); err != nil {
			return err
		}
	}
	g.tell(milestone)
	return nil
}

func (g *gatherer) tell(milestone bool) {
	if g.progress == nil {
		return
	}
	g.mu.Lock()
	total, elapsed := g.gate.plan.Count(), time.Since(g.began)
	remaining := time.Duration(-1)
	if Known(g.behind, g.ahead) {
		left := time.Duration(float64(g.stall.last)*max(g.ahead, 0)/g.behind) - (elapsed - g.stall.last)
		remaining = max(left, -1) // unknown while cells take longer than estimated
	}
	p := Progress{
		Total: total, Done: total - g.missing - int64(len(g.held)),
		Counts: Counts{maps.Clone(g.counts.Statuses), g.why()}, Held: g.heldBack(),
		Elapsed: elapsed, Remaining: remaining, Milestone: milestone,
		Longest: slices.DeleteFunc(slices.Clone(g.stall.longest), func(r queue.Running) bool { return !g.misses(r.Cell) }),
	}
	g.mu.Unlock()
	g.progress(p)
}
