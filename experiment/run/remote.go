package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// putRun stores what others need to gather, retry or describe a run: data sets, files of commands,
// list of cells and, under the run's name, its description, replacing that of the last submission.
// Queued tasks get its limits; limited reports whether they had others. replaced names what was
// damaged at the server.
func putRun(ctx context.Context, q *queue.Queue, grid *experiment.Grid, gate *gate) (replaced []string, limited bool, err error) {
	plan := gate.plan
	if replaced, err = putMissing(ctx, q, uploads(ctx, q, plan)); err != nil {
		return replaced, false, err
	}
	if err := putCells(ctx, q, gate); err != nil {
		return replaced, false, err
	}
	damaged, limited, err := putDescription(ctx, q, grid, plan, placesOf(grid, plan))
	if damaged {
		replaced = append(replaced, "the description of run "+plan.Run)
	}
	return replaced, limited, err
}

func putDescription(ctx context.Context, q *queue.Queue, grid *experiment.Grid, plan *experiment.Plan, places results.ManifestPlaces) (damaged, limited bool, err error) {
	description := &Description{Manifest: *describe(grid, plan), Parts: plan.Parts(), Needs: plan.Needs()}
	description.Places = places
	text, err := json.Marshal(description)
	if err != nil {
		return false, false, fmt.Errorf("describing run %s: %w", plan.Run, err)
	}
	have, there, err := readDescription(ctx, q, plan.Run)
	switch damaged = errors.As(err, new(*queue.DamagedError)); {
	case damaged, errors.Is(err, queue.ErrNoData):
	case err != nil:
		return false, false, err
	default:
		if err := have.current(); err != nil {
			return false, false, err
		}
	}
	if have == nil || !bytes.Equal(there, text) {
		if err := q.PutData(ctx, plan.Run, bytes.NewReader(text)); err != nil {
			return damaged, false, err
		}
	}
	limited, err = q.SetLimits(ctx, plan.Run, plan.Limits)
	if errors.Is(err, queue.ErrNotOpen) { // its tasks will have them
		return damaged, false, nil
	}
	// Without limits of the run, its tasks had those of the old description.
	if limited && have != nil {
		if old, err := experiment.Parse([]byte(have.Grid), have.File, have.Set); err == nil {
			limited = old.Limits != plan.Limits
		}
	}
	return damaged, limited, err
}

// Submitted says what became of the cells of a submitted or retried run.
type Submitted struct {
	Published, Refused int // queued now; already queued or in flight
	Quarantined        int // rejected messages
	Left               int // cells that would fail again and that no status asks for
	Shared             int // cells with results taken from other runs

	Replaced []string // what was damaged at the server
	Limited  bool     // the queued cells have new limits
	Paused   bool
}

// Submit publishes the cells of a plan without a result in the queue, and those that hit a limit
// since raised. Results of other runs, at the server or in from, replace computing their cells.
func Submit(ctx context.Context, q *queue.Queue, grid *experiment.Grid, plan *experiment.Plan, from Reuse) (*Submitted, error) {
	if err := q.EnsureStreams(ctx); err != nil {
		return nil, err
	}
	gate, err := newGate(ctx, plan)
	if err != nil {
		return nil, err
	}
	replaced, limited, err := putRun(ctx, q, grid, gate)
	if err != nil {
		return nil, err
	}
	raised := again{limits: plan.Limits}
	shared := 0
	s, err := submit(ctx, q, gate, raised.wantsEnded, func(k *known) (func(cell string) bool, error) {
		if len(k.done) < len(gate.cells) {
			shared, err = share(ctx, q, &taker{gate: gate, wants: gate.plans, report: from.report}, k, from)
		}
		return func(cell string) bool { return !k.done.has(cell) }, err
	})
	if err == nil {
		s.Replaced, s.Limited, s.Shared = replaced, limited, shared
	}
	return s, err
}

// Retry queues the cells of a run whose result has one of the statuses or is rejected; without
// statuses all failed or incomplete ones, except those that would fail again under the limits.
// limits override the grid's key limits, as in limits.timeout=2h, for all cells from now on.
func Retry(ctx context.Context, q *queue.Queue, run string, statuses []experiment.Status, limits []string) (*Submitted, error) {
	grid, plan, manifest, err := findRun(ctx, q, run, limits...)
	if err != nil {
		return nil, err
	}
	limited := false
	if len(limits) > 0 {
		if _, limited, err = putDescription(ctx, q, grid, plan, manifest.Places); err != nil {
			return nil, err
		}
	}
	left := cellSet{}
	wants := func(e *queue.Ended) bool {
		if statuses != nil {
			return slices.Contains(statuses, e.Status)
		}
		if hopeless(plan, e.Status, e.Short, e.Repeats) {
			left.add(e.Cell)
			return false
		}
		return e.Status != experiment.OK
	}
	gate, err := newGate(ctx, plan)
	if err != nil {
		return nil, err
	}
	s, err := submit(ctx, q, gate, wants, func(k *known) (func(cell string) bool, error) { return k.puts, nil })
	if err == nil {
		s.Left, s.Limited = len(left), limited
	}
	return s, err
}

// hopeless reports whether a cell would end the same way again under the limits.
func hopeless(plan *experiment.Plan, status experiment.Status, short float64, repeats bool) bool {
	return status != experiment.OK && repeats && !plan.Limits.Mend(status, short)
}

// submit publishes the cells that choose wants. ended selects results to compute again. Existing
// results are checked: a rejected one counts as none, and its cell is wanted.
func submit(ctx context.Context, q *queue.Queue, gate *gate, ended func(*queue.Ended) bool, choose func(*known) (wanted func(cell string) bool, err error)) (*Submitted, error) {
	var s Submitted
	plan := gate.plan
	k, err := lookUp(ctx, q, plan.Run, ended)
	if err != nil {
		return nil, err
	}
	strayed := cellSet{}
	if !k.fresh {
		strays, err := sift(ctx, q, gate, func(*experiment.Outcome) error { return nil })
		if err != nil {
			return nil, err
		}
		for _, stray := range strays {
			strayed.add(stray.Cell)
		}
		if s.Quarantined = len(strays); s.Quarantined > 0 {
			if k, err = lookUp(ctx, q, plan.Run, ended); err != nil {
				return nil, err
			}
		}
	}
	wanted, err := choose(k)
	if err != nil {
		return nil, err
	}
	s.Published, s.Refused, err = k.publishAll(ctx, q, plan, func(cell string) bool { return wanted(cell) || strayed.has(cell) && !k.done.has(cell) })
	if err != nil {
		return nil, err
	}
	counts, err := q.Counts(ctx, plan.Run)
	s.Paused = counts.Paused
	return &s, err
}

// Collected says what was gathered of a run.
type Collected struct {
	Counts      map[experiment.Status]int // of the folder
	Cells       int64
	Quarantined int    // rejected messages
	Again       int    // cells queued again for that reason
	Through     uint64 // see [MarkCollected]
	Retried     int    // cells that [Retry] would queue
}

// Collect gathers a run's results into a folder, even during the run. Cells with a rejected result are
// queued again.
func Collect(ctx context.Context, q *queue.Queue, run, out, version string, compression results.Compression) (*Collected, error) {
	grid, plan, manifest, err := findRun(ctx, q, run)
	if err != nil {
		return nil, err
	}
	c := &Coordinator{Grid: grid, Plan: plan, Out: out, Version: version, Compression: compression, internals: internals{places: &manifest.Places}}
	store, gate, err := c.openFolder(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	// Others can read the folder while outcomes are added.
	if err := errors.Join(c.putManifest(store, false), results.KeepFiles(ctx, out, plan.CommandFiles, plan.File)); err != nil {
		return nil, err
	}
	through, err := q.NewestResult(ctx, run)
	if err != nil {
		return nil, err
	}
	changed, retried := false, 0
	strays, err := sift(ctx, q, gate, func(outcome *experiment.Outcome) error {
		if outcome.Status != experiment.OK && !hopeless(plan, outcome.Status, outcome.Short, outcome.Repeats) {
			retried++
		}
		if status, short, ok := store.Newest(outcome.Cell); ok && status == outcome.Status && short == outcome.Short {
			return nil
		}
		changed = true
		return appendOutcome(store, plan, outcome)
	})
	if err != nil {
		return nil, err
	}
	again, err := c.queueAgain(ctx, q, store, strays)
	if err != nil {
		return nil, err
	}
	if err := c.finish(ctx, store, changed); err != nil {
		return nil, err
	}
	return &Collected{store.Counts(), plan.Count(), len(strays), again, through, retried}, nil
}

// queueAgain queues cells of quarantined messages that the store lacks.
func (c *Coordinator) queueAgain(ctx context.Context, q *queue.Queue, store *results.Store, strays []*queue.QuarantinedError) (int, error) {
	if len(strays) == 0 {
		return 0, nil
	}
	cells := cellSet{}
	for _, stray := range strays {
		cells.add(stray.Cell)
	}
	k, err := lookUp(ctx, q, c.Plan.Run, new(again).wantsEnded)
	if err != nil {
		return 0, err
	}
	published, _, err := k.publishAll(ctx, q, c.Plan, func(cell string) bool {
		_, _, there := store.Newest(cell)
		return !there && cells.has(cell) && !k.done.has(cell)
	})
	return published, err
}

// findRun returns the grid and the plan of a run in the queue, with overrides.
func findRun(ctx context.Context, q *queue.Queue, run string, set ...string) (*experiment.Grid, *experiment.Plan, *results.Manifest, error) {
	description, err := Describe(ctx, q, run)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := description.current(); err != nil {
		return nil, nil, nil, err
	}
	manifest := &description.Manifest
	manifest.Set = append(manifest.Set, set...) // the last of a key counts
	grid, plan, err := planOf(ctx, manifest, &remoteLoader{q, manifest})
	err = checkPlan(manifest, plan, err)
	return grid, plan, manifest, err
}

func checkPlan(m *results.Manifest, plan *experiment.Plan, err error) error {
	if err != nil {
		return fmt.Errorf("the grid of run %s: %w", m.Run, err)
	}
	if plan.Run != m.Run {
		return fmt.Errorf("the grid of run %s is run %s on this machine: its data sets or its version of agepath are others", m.Run, plan.Run)
	}
	return nil
}

type remoteLoader struct {
	queue    *queue.Queue
	manifest *results.Manifest
}

// Load implements [experiment.Loader].
func (l *remoteLoader) Load(ctx context.Context, source dataset.Source) (*dataset.Dataset, error) {
	name := source.DatasetName()
	digest, ok := l.manifest.Data[name]
	if !ok {
		return nil, fmt.Errorf("run %s has no data set %q", l.manifest.Run, name)
	}
	set, err := fetchDataset(ctx, l.queue, digest)
	if err != nil {
		return nil, err
	}
	set.Name = name
	return set, nil
}

// MarkCollected notes that the results of a run up to through, see [queue.Queue.NewestResult], are
// in a folder.
func MarkCollected(ctx context.Context, q *queue.Queue, run string, through uint64) error {
	return q.PutData(ctx, queue.CollectedOf(run), strings.NewReader(fmt.Sprint(through)))
}

// Purge removes all that the queue has of a finished or cancelled run except data sets, which other
// runs may use. The error of a run that is unfinished or, without uncollected, has results in no
// folder is a [*StartError].
func Purge(ctx context.Context, q *queue.Queue, run string, uncollected bool) error {
	const remedy = "; `coordinator cancel %[1]s` drops them; workers stop within seconds"
	counts, err := q.Counts(ctx, run)
	if err != nil {
		return err
	}
	if n := counts.Queued + counts.InFlight; n > 0 {
		return &StartError{fmt.Errorf("run %[1]s has %[2]d cells that are queued or running"+remedy, run, n)}
	}
	workers, _, err := q.Workers(ctx)
	if err != nil {
		return err
	}
	for _, worker := range workers {
		for _, running := range worker.Running { // of a cancelled run, until the worker learns of that
			if running.Run == run && worker.State != queue.Gone {
				return &StartError{fmt.Errorf("run %[1]s: worker %[2]s still computes a cell of it"+remedy, run, worker.Name)}
			}
		}
	}
	newest, err := q.NewestResult(ctx, run)
	if err != nil {
		return err
	}
	noted, err := q.ReadData(ctx, queue.CollectedOf(run), 20)
	if err != nil && !errors.Is(err, queue.ErrNoData) {
		return err
	}
	var through uint64
	_, _ = fmt.Sscan(string(noted), &through) // 0 where nothing is noted
	if through < newest && !uncollected {
		return &StartError{fmt.Errorf("run %[1]s has results that were not collected; `coordinator collect %[1]s --out DIR` gathers them, `coordinator purge %[1]s --uncollected` removes them", run)}
	}
	if err := q.Purge(ctx, run); err != nil {
		return err
	}
	return q.RemoveData(ctx, run)
}
