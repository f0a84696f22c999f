package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// PutRun stores what others need to gather, retry or describe a run: its data
// sets and, under the run's name, its description. It returns the names of those
// that were there, damaged, and are replaced. Files of commands are among them.
func PutRun(ctx context.Context, q *queue.Queue, grid *experiment.Grid, plan *experiment.Plan) (replaced []string, err error) {
	if replaced, err = putDatasets(ctx, q, plan, plan.Data); err != nil {
		return replaced, err
	}
	damagedFiles, err := putFiles(ctx, q, plan, plan.Files)
	if replaced = append(replaced, damagedFiles...); err != nil {
		return replaced, err
	}
	text, err := json.Marshal(&Description{Manifest: *describe(grid, plan), Parts: plan.Parts(), Needs: plan.Needs()})
	if err != nil {
		return replaced, fmt.Errorf("describing run %s: %w", plan.Run, err)
	}
	_, err = Describe(ctx, q, plan.Run)
	var damaged *queue.DamagedError
	switch {
	case errors.As(err, &damaged):
		return append(replaced, "the description of run "+plan.Run), q.ReplaceData(ctx, plan.Run, bytes.NewReader(text))
	case errors.Is(err, queue.ErrNoData):
		err = q.PutData(ctx, plan.Run, bytes.NewReader(text))
	}
	return replaced, err
}

// Submitted tells what became of the cells of a run that was submitted or retried.
type Submitted struct {
	Published, Refused int // queued now; queued or in flight already
	Quarantined        int // messages that did not pass

	Replaced []string // data sets that were damaged at the server
}

// Submit publishes the cells of a plan that have no result in the queue yet.
func Submit(ctx context.Context, q *queue.Queue, grid *experiment.Grid, plan *experiment.Plan, kind experiment.Kind) (*Submitted, error) {
	if err := q.EnsureStreams(ctx); err != nil {
		return nil, err
	}
	replaced, err := PutRun(ctx, q, grid, plan)
	if err != nil {
		return nil, err
	}
	s, err := submit(ctx, q, grid, plan, kind, nil, func(k *known, cell string) bool { return !k.done.has(cell) })
	if err == nil {
		s.Replaced = replaced
	}
	return s, err
}

// Retry puts the cells of a run whose result has one of the statuses back into
// the queue, and those whose result does not pass.
func Retry(ctx context.Context, q *queue.Queue, run string, kind experiment.Kind, statuses []experiment.Status) (*Submitted, error) {
	grid, plan, err := FindRun(ctx, q, run)
	if err != nil {
		return nil, err
	}
	return submit(ctx, q, grid, plan, kind, statuses, (*known).puts)
}

// submit publishes the wanted cells of a plan, where those whose result has one of
// the statuses are to be computed again. Results are read when there are any: what
// does not pass is no result, and its cell is wanted.
func submit(ctx context.Context, q *queue.Queue, grid *experiment.Grid, plan *experiment.Plan, kind experiment.Kind, statuses []experiment.Status, wanted func(k *known, cell string) bool) (*Submitted, error) {
	var s Submitted
	k, err := lookUp(ctx, q, plan.Run, statuses)
	if err != nil {
		return nil, err
	}
	strayed := cellSet{}
	if !k.fresh {
		gate, err := newGate(ctx, plan, kind.Tables(), kept(grid))
		if err != nil {
			return nil, err
		}
		strays, err := sift(ctx, q, gate, func(*experiment.Outcome) error { return nil })
		if err != nil {
			return nil, err
		}
		for _, stray := range strays {
			strayed.add(stray.Cell)
		}
		if s.Quarantined = len(strays); s.Quarantined > 0 {
			if k, err = lookUp(ctx, q, plan.Run, statuses); err != nil {
				return nil, err
			}
		}
	}
	s.Published, s.Refused, err = k.publishAll(ctx, q, plan, func(cell string) bool { return wanted(k, cell) || strayed.has(cell) && !k.done.has(cell) })
	return &s, err
}

// Collected tells what was gathered of a run.
type Collected struct {
	Counts      map[experiment.Status]int // of the folder
	Cells       int64                     // that the run has
	Quarantined int                       // messages that did not pass
	Again       int                       // cells queued again for that
}

// Collect gathers the results that the queue has of a run into a folder, also
// while the run is going on. Cells whose result does not pass are queued again.
func Collect(ctx context.Context, q *queue.Queue, run, out, version string, kind experiment.Kind) (*Collected, error) {
	grid, plan, err := FindRun(ctx, q, run)
	if err != nil {
		return nil, err
	}
	c := &Coordinator{Grid: grid, Plan: plan, Kind: kind, Out: out, Version: version}
	store, gate, err := c.openFolder(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	// While outcomes are added the folder is already one that others can read.
	if err := c.putManifest(store, false); err != nil {
		return nil, err
	}
	changed := false
	strays, err := sift(ctx, q, gate, func(outcome *experiment.Outcome) error {
		if status, ok := store.Status(outcome.Cell); ok && status == outcome.Status {
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
	return &Collected{store.Counts(), plan.Count(), len(strays), again}, nil
}

// queueAgain queues the cells of quarantined messages that the store does not have
// and returns how many.
func (c *Coordinator) queueAgain(ctx context.Context, q *queue.Queue, store *results.Store, strays []*queue.QuarantinedError) (int, error) {
	if len(strays) == 0 {
		return 0, nil
	}
	cells := cellSet{}
	for _, stray := range strays {
		cells.add(stray.Cell)
	}
	k, err := lookUp(ctx, q, c.Plan.Run, nil)
	if err != nil {
		return 0, err
	}
	published, _, err := k.publishAll(ctx, q, c.Plan, func(cell string) bool {
		_, there := store.Newest(cell)
		return !there && cells.has(cell) && !k.done.has(cell)
	})
	return published, err
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
	grid, plan, err := planOf(ctx, m, library)
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
