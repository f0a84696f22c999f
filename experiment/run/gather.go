package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// Progress tells how far a run is.
type Progress struct {
	Total, Done int64         // cells of the plan; those that are gathered
	Failed      int64         // of those gathered in this run
	Incomplete  int64         // likewise
	Elapsed     time.Duration // since the run began
	Remaining   time.Duration // estimated from the costs; negative while unknown
}

// gatherer collects the outcomes of a run in a store until no cell is missing.
type gatherer struct {
	store    *results.Store
	plan     *experiment.Plan
	gate     *gate
	retry    []experiment.Status
	began    time.Time
	total    int64
	progress func(Progress)
	every    time.Duration   // between two looks at what the server does
	queued   <-chan struct{} // closed when all tasks are published
	vain     int             // looks in a row that found nothing to wait for
	seen     int             // cells gathered at the last look
	before   *known          // what the queue had before
	report   func(error)

	quarantined int64     // messages
	repair      cellSet   // missing cells whose message was quarantined since the last repair
	repaired    time.Time // after which the next repair may begin

	mu      sync.Mutex // guards what follows
	missing int64      // cells that are neither in the store, but for those to compute again, nor gathered
	came    int        // cells gathered in this run
	again   cellSet    // those of them with a status to compute again
	known   cellSet    // cells that had a result in the queue before
	costs   []costs    // of the cells published in this run and not gathered, as if they came in the order of their tasks
	ahead   float64    // sum of costs
	behind  float64    // estimated seconds of the cells gathered in this run
	failed  int64      // of the cells gathered in this run
	partial int64      // those that are incomplete
}

// costs are the estimated seconds of cells that follow each other in the order of
// publishing, which is that of their costs: those of a grid have few.
type costs struct {
	each  float64
	cells int
}

// newGatherer counts the cells of the plan that are missing.
func newGatherer(store *results.Store, gate *gate, retry []experiment.Status) *gatherer {
	g := &gatherer{
		store: store, plan: gate.plan, gate: gate, retry: retry, began: time.Now(), total: gate.plan.Count(),
		every: lookEvery, again: cellSet{}, repair: cellSet{}, before: &known{fresh: true}, report: func(error) {},
	}
	for _, cell := range gate.cells {
		if g.misses(cell.key.String()) {
			g.missing++
		}
	}
	return g
}

// misses reports whether a cell is missing.
func (g *gatherer) misses(cell string) bool {
	status, there := g.store.Newest(cell)
	return !there || slices.Contains(g.retry, status) && !g.again.has(cell)
}

// complete reports whether no cell is missing.
func (g *gatherer) complete() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.missing <= 0
}

// tasks yields the tasks of the missing cells that have no result in the queue
// either, and notes their costs.
func (g *gatherer) tasks(computed cellSet) iter.Seq2[experiment.Task, error] {
	g.mu.Lock()
	g.known = computed
	g.mu.Unlock()
	wanted := func(cell string) bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return !computed.has(cell) && g.misses(cell)
	}
	return func(yield func(experiment.Task, error) bool) {
		for task, err := range tasksOf(g.plan, wanted) {
			if err == nil {
				g.expect(&task)
			}
			if !yield(task, err) {
				return
			}
		}
	}
}

func (g *gatherer) expect(task *experiment.Task) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.misses(task.Cell) {
		return
	}
	g.ahead += task.Cost
	if n := len(g.costs); n > 0 && g.costs[n-1].each == task.Cost {
		g.costs[n-1].cells++
		return
	}
	g.costs = append(g.costs, costs{task.Cost, 1})
}

const (
	flushEvery    = time.Second            // outcomes wait at most this long to become durable
	progressEvery = 200 * time.Millisecond // between two reports of progress
	lookEvery     = 10 * time.Second       // between two looks at what the server does
)

// gather stores outcomes as they arrive until none is missing.
func (g *gatherer) gather(ctx context.Context, q *queue.Queue, run string) error {
	ctx, cancel := context.WithCancel(ctx)
	type arrival struct {
		outcome *experiment.Outcome
		stray   *queue.QuarantinedError // instead
	}
	arrivals, followed := make(chan arrival), make(chan error, 1)
	go func() { // ends with ctx
		followed <- read(ctx, q, g.gate, true, func(outcome *experiment.Outcome, stray *queue.QuarantinedError) error {
			select {
			case arrivals <- arrival{outcome, stray}:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	}()
	defer func() {
		cancel()
		<-followed
	}()
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	look := time.NewTicker(g.every)
	defer look.Stop()
	for !g.complete() {
		select {
		case a := <-arrivals:
			if a.stray != nil {
				g.noteStray(a.stray)
			} else if err := g.take(a.outcome); err != nil {
				return err
			}
		case <-flush.C:
			if err := g.store.Flush(); err != nil {
				return err
			}
			if err := g.mend(ctx, q); err != nil && ctx.Err() == nil {
				return err
			}
		case <-tick.C:
			g.tell()
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
	g.tell()
	return g.store.Flush()
}

// take stores an outcome of a missing cell. Others are there already: a worker
// believed lost finished too, or the result is one of before a retry.
func (g *gatherer) take(o *experiment.Outcome) error {
	stale := slices.Contains(g.retry, o.Status) && o.Finished.Before(g.began)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.misses(o.Cell) || stale {
		return nil
	}
	if err := appendOutcome(g.store, g.plan, o); err != nil {
		return err
	}
	g.missing--
	g.came++
	if slices.Contains(g.retry, o.Status) {
		g.again.add(o.Cell)
	}
	if len(g.costs) > 0 && !g.known.has(o.Cell) {
		first := &g.costs[0]
		g.ahead -= first.each
		g.behind += first.each
		if first.cells--; first.cells == 0 {
			g.costs = g.costs[1:]
		}
	}
	switch {
	case !o.Status.Computed():
		g.failed++
	case o.Status == experiment.Incomplete:
		g.partial++
	}
	return nil
}

// appendOutcome adds an outcome to the store. One of a task that no worker
// could read has no labels: they come from the plan.
func appendOutcome(store *results.Store, plan *experiment.Plan, o *experiment.Outcome) error {
	if o.Labels.Rows == 0 {
		for task, err := range plan.Tasks(false) {
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

// tell reports the progress.
func (g *gatherer) tell() {
	if g.progress == nil {
		return
	}
	g.mu.Lock()
	p := Progress{
		Total: g.total, Done: g.total - g.missing, Failed: g.failed, Incomplete: g.partial,
		Elapsed: time.Since(g.began), Remaining: -1,
	}
	if g.behind > 0 {
		p.Remaining = time.Duration(float64(p.Elapsed) * max(g.ahead, 0) / g.behind)
	}
	g.mu.Unlock()
	g.progress(p)
}
