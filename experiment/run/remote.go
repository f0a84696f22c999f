package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// PutRun stores what others need to gather, retry or describe a run: its data
// sets and, under the run's name, its description.
func PutRun(ctx context.Context, q *queue.Queue, grid *experiment.Grid, plan *experiment.Plan) error {
	if err := putDatasets(ctx, q, plan); err != nil {
		return err
	}
	text, err := json.Marshal(&Description{Manifest: *describe(grid, plan), Parts: plan.Parts()})
	if err != nil {
		return fmt.Errorf("describing run %s: %w", plan.Run, err)
	}
	return q.PutData(ctx, plan.Run, bytes.NewReader(text))
}

// Submit publishes the cells of a plan that have no result in the queue yet,
// and returns how many were queued and how many were queued or in flight
// already.
func Submit(ctx context.Context, q *queue.Queue, grid *experiment.Grid, plan *experiment.Plan) (published, refused int, err error) {
	if err := q.EnsureStreams(ctx); err != nil {
		return 0, 0, err
	}
	if err := PutRun(ctx, q, grid, plan); err != nil {
		return 0, 0, err
	}
	k, err := lookUp(ctx, q, plan.Run, nil)
	if err != nil {
		return 0, 0, err
	}
	return k.publishAll(ctx, q, plan, func(cell string) bool { return !k.done.has(cell) })
}

// Retry puts the cells of a run whose result has one of the statuses back into
// the queue and returns how many.
func Retry(ctx context.Context, q *queue.Queue, run string, statuses []experiment.Status) (int, error) {
	_, plan, err := FindRun(ctx, q, run)
	if err != nil {
		return 0, err
	}
	k, err := lookUp(ctx, q, run, statuses)
	if err != nil {
		return 0, err
	}
	published, _, err := k.publishAll(ctx, q, plan, k.puts)
	return published, err
}

// Collect gathers the results that the queue has of a run into a folder, also
// while the run is going on. It returns the counts by status of the folder and
// the number of cells the run has.
func Collect(ctx context.Context, q *queue.Queue, run, out, version string, kind experiment.Kind) (map[experiment.Status]int, int64, error) {
	grid, plan, err := FindRun(ctx, q, run)
	if err != nil {
		return nil, 0, err
	}
	c := &Coordinator{Grid: grid, Plan: plan, Kind: kind, Out: out, Version: version}
	store, err := results.Open(ctx, out, results.StoreOptions{Tables: kind.Tables(), Run: run, Kept: kept(grid)})
	if err != nil {
		return nil, 0, &StartError{err}
	}
	defer store.Close()
	if _, err := q.Reconcile(ctx, run); err != nil {
		return nil, 0, err
	}
	// While outcomes are added the folder is already one that others can read.
	if err := c.putManifest(store, false); err != nil {
		return nil, 0, err
	}
	changed := false
	for outcome, err := range q.Results(ctx, run) {
		if err != nil {
			return nil, 0, err
		}
		if status, ok := store.Status(outcome.Cell); ok && status == outcome.Status {
			continue
		}
		if err := appendOutcome(store, plan, outcome); err != nil {
			return nil, 0, err
		}
		changed = true
	}
	if err := c.finish(ctx, store, changed); err != nil {
		return nil, 0, err
	}
	return store.Counts(), plan.Count(), nil
}

// FindRun returns the grid and the plan of a run in the queue.
func FindRun(ctx context.Context, q *queue.Queue, run string) (*experiment.Grid, *experiment.Plan, error) {
	description, err := Describe(ctx, q, run)
	if err != nil {
		return nil, nil, err
	}
	manifest := &description.Manifest
	return Replan(ctx, manifest, &remoteLoader{q, manifest})
}

// Replan makes the grid and the plan of a manifest again. That it is the same
// run is checked.
func Replan(ctx context.Context, m *results.Manifest, library experiment.Loader) (*experiment.Grid, *experiment.Plan, error) {
	grid, err := experiment.Parse([]byte(m.Grid), m.File, m.Set)
	if err != nil {
		return nil, nil, fmt.Errorf("the grid of run %s: %w", m.Run, err)
	}
	plan, err := grid.Plan(ctx, library)
	if err != nil {
		return nil, nil, fmt.Errorf("the grid of run %s: %w", m.Run, err)
	}
	if plan.Run != m.Run {
		return nil, nil, fmt.Errorf("the grid of run %s makes run %s here: the data or the version of agepath differ", m.Run, plan.Run)
	}
	return grid, plan, nil
}

// remoteLoader loads the data sets of a run from the queue.
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
