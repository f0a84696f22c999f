package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

// Reuse says where outcomes of other runs are that replace computing their cells: computed ones
// with the same identity and the tables that the grid keeps.
type Reuse struct {
	Dirs  []ReusedFolder
	Known *Folders // made on this machine, where this run's is added; nil for none
	Alone bool     // take none from other runs at the server
	// Report receives, in Submit and Remember, what is left out and why.
	Report func(error)

	own string // folder of this run
}

// ReusedFolder is a folder of results and its name in errors: a copy has the original's.
type ReusedFolder struct{ Dir, Name string }

// mostHeld bounds the outcomes that wait for their labels, some 10 KB each.
const mostHeld = 10_000

// taker takes outcomes of other runs as if this run had computed them.
type taker struct {
	gate   *gate
	retry  again
	wants  func(cell string) bool
	take   func(*experiment.Outcome) error
	report func(error)
	out    map[string]*leftOut // by run

	held map[results.CellKey]*experiment.Outcome // with the labels of another plan
}

// leftOut are outcomes of a run that are not taken.
type leftOut struct {
	cells int
	first error
}

func (t *taker) leave(run, cell string, err error) {
	if t.out == nil {
		t.out = map[string]*leftOut{}
	}
	if t.out[run] == nil {
		t.out[run] = &leftOut{first: fmt.Errorf("cell %s: %w", cell, err)}
	}
	t.out[run].cells++
}

// end takes what waits and reports what is left out.
func (t *taker) end() error {
	err := t.takeWaiting()
	for run, of := range t.out {
		t.report(fmt.Errorf("%d outcomes of run %s are left out; the first: %w", of.cells, run, of.first))
	}
	t.out = nil
	return err
}

func (t *taker) offer(o *experiment.Outcome) error {
	key, ok := keyOf(o.Cell)
	if _, twice := t.held[key]; !ok || twice || !t.gate.plans(o.Cell) || !o.Status.Computed() || t.retry.wants(o.Status, o.Short) || !t.wants(o.Cell) {
		return nil
	}
	own := *o
	own.Origin, own.Run = cmp.Or(o.Origin, o.Run), t.gate.plan.Run
	own.Further = map[string]experiment.Batch{}
	for _, table := range t.gate.kept {
		rows, ok := o.Further[table]
		if !ok {
			return nil
		}
		own.Further[table] = rows
	}
	switch err := t.gate.check(&own); {
	case errors.As(err, new(*labelsError)):
		if t.held == nil {
			t.held = map[results.CellKey]*experiment.Outcome{}
		}
		t.held[key] = &own
		if len(t.held) >= mostHeld {
			return t.takeWaiting()
		}
		return nil
	case err != nil:
		t.leave(own.Origin, o.Cell, err)
		return nil
	}
	return t.take(&own)
}

func (t *taker) takeWaiting() error {
	if len(t.held) == 0 {
		return nil
	}
	for task, err := range t.gate.plan.Tasks() {
		if err != nil {
			return err
		}
		key, _ := keyOf(task.Cell)
		o := t.held[key]
		if o == nil {
			continue
		}
		delete(t.held, key)
		o.Labels = task.Labels
		if err := t.gate.check(o); err != nil {
			t.leave(o.Origin, o.Cell, err)
		} else if err := t.take(o); err != nil {
			return err
		}
	}
	return nil
}

// from takes cells from the named folders, then from those made on this machine, whose errors are
// only reported.
func (t *taker) from(ctx context.Context, r Reuse) error {
	for _, folder := range r.Dirs {
		if err := t.fromFolder(ctx, folder.Dir, func(string) bool { return true }); err != nil {
			return &StartError{fmt.Errorf("taking results of %s: %w", folder.Name, err)}
		}
	}
	for _, folder := range r.known(t.gate.plan) {
		if !slices.ContainsFunc(t.gate.cells, func(c plannedCell) bool { return t.wants(c.key.String()) }) {
			break
		}
		err := t.fromFolder(ctx, folder.Dir, func(version string) bool { return r.Known.Takes(folder, version) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			t.report(fmt.Errorf("results in %s are left out: %w", folder.Dir, err))
		}
	}
	return nil
}

func (t *taker) fromFolder(ctx context.Context, dir string, takes func(version string) bool) error {
	wanted := func(cell string, status experiment.Status) bool { return status.Computed() && t.wants(cell) }
	err := results.EachOutcome(ctx, dir, t.gate.plan.Kind, t.gate.tables, t.gate.kept, wanted, func(o *experiment.Outcome) error {
		if !takes(o.Version) {
			return nil
		}
		return t.offer(o)
	})
	return errors.Join(err, t.end())
}

// known omits folders that are gone, unreadable, of another schema version or writable by another
// user.
func (r *Reuse) known(plan *experiment.Plan) (folders []Folder) {
	if r.Known == nil {
		return nil
	}
	list, err := r.Known.List()
	if err != nil {
		r.report(fmt.Errorf("no results of earlier runs on this machine are taken: %w", err))
	}
	for _, folder := range list {
		m, err := results.ReadManifest(folder.Dir)
		if folder.Dir == r.own || errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*results.VersionError)) || err == nil && !sharesData(plan, m) {
			continue
		}
		if err == nil {
			err = disk.CheckOwn(folder.Dir)
		}
		if err != nil {
			r.report(fmt.Errorf("results in %s are left out: %w", folder.Dir, err))
			continue
		}
		folders = append(folders, folder)
	}
	return folders
}

// Remember records the run's folder for later runs on this machine. others says that other programs
// compute rows of it. Errors are only reported.
func (r *Reuse) Remember(dir string, others bool) {
	if r.Known == nil {
		return
	}
	var err error
	if r.own, err = filepath.Abs(dir); err == nil {
		err = r.Known.Remember(r.own, others)
	}
	if err != nil {
		r.report(fmt.Errorf("later runs will not find the results in %s: %w", dir, disk.Advise(err)))
	}
}

func (r *Reuse) report(err error) {
	if r.Report != nil {
		r.Report(err)
	}
}

func (g *gatherer) takeReused(o *experiment.Outcome) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.misses(o.Cell) {
		return nil
	}
	if err := g.store.Append(o); err != nil {
		return err
	}
	g.stored(o)
	g.adopted++
	return nil
}

// share makes outcomes of other runs results of a run at the server, for cells without one: first
// from runs at the server, then from folders. It updates k and returns the number of cells.
func share(ctx context.Context, q *queue.Queue, t *taker, k *known, from Reuse) (shared int, err error) {
	var others []string
	if !from.Alone {
		if others, err = sharing(ctx, q, t.gate.plan); err != nil {
			return 0, err
		}
	}
	writer, wants := q.Results(ctx, k.number), t.wants
	t.wants = func(cell string) bool { return !k.done.has(cell) && wants(cell) }
	t.take = func(o *experiment.Outcome) error {
		if k.done.has(o.Cell) {
			return nil
		}
		if err := writer.Put(o); err != nil {
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
	if err = errors.Join(err, writer.Drain()); err != nil {
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
	_, plan, _, err := findRun(ctx, q, run)
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
			t.leave(run, damaged.Cell, damaged.Err)
			continue
		}
		if err != nil {
			return err
		}
		if !outcome.Status.Computed() || !t.gate.plans(outcome.Cell) || !t.wants(outcome.Cell) {
			continue
		}
		if err := origin.check(outcome); err != nil {
			t.leave(run, outcome.Cell, err)
			continue
		}
		if err := t.offer(outcome); err != nil {
			return err
		}
	}
	return t.end()
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
