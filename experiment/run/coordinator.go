package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

// Coordinator computes a plan and gathers its results in a folder.
type Coordinator struct {
	Grid        *experiment.Grid
	Plan        *experiment.Plan
	Out         string // folder of the results
	Compression results.Compression

	// Queue is where to publish; nil starts an embedded server for the run in Out/.jetstream,
	// emptied first.
	Queue *queue.Queue
	// Listen lets other machines' workers reach the embedded server. Default: none.
	Listen *Listen
	// Kind computes the cells of this program's slots. Default: the plan's.
	Kind experiment.Kind
	// Workers is the number of slots of this program; 0 requires Queue or Listen.
	Workers int
	// Process makes the command of a slot's process and Cache is its folder of data sets, as in
	// [Worker]; an embedded server's run needs no Cache.
	Process       func() *exec.Cmd
	Cache         string
	AllowCommands bool
	// Retry lists statuses of cells to compute again, in addition to cells that hit a limit since
	// raised.
	Retry   []experiment.Status
	Version string
	// KeepGoing computes all cells of a method even if its first all end with the same error.
	// Default: the others are held back, see [HeldError].
	KeepGoing bool
	// Reuse says where outcomes of other runs are, apart from the Queue.
	Reuse Reuse

	internals

	// Progress is called about every 0.2 s.
	Progress func(Progress)
	// Step is called before each long phase, with "" for what Progress reports. It must not block.
	Step func(what string)
	// Watch is called with the queue when computing starts and must end with its context; its error
	// is reported. Earlier calls take with the folder's earlier outcomes that are kept; it is nil
	// if the queue has them.
	Watch func(ctx context.Context, q *queue.Queue, earlier Earlier) error
	// Report receives errors that the run survives. Like Progress it must not block.
	Report func(error)
}

type internals struct {
	look   time.Duration           // replaces lookEvery in tests
	places *results.ManifestPlaces // where the run was submitted; nil: here
}

// Listen is how other machines' workers reach an embedded server.
type Listen struct {
	Address string        // host:port; port 0 for any free one
	Token   string        // required of workers
	AckWait time.Duration // see [queue.Config]

	// Ready is called with the workers' URL, including the token, once the server can be reached
	// and all cells are queued, so that draining workers find them.
	Ready func(url string) error
}

// Earlier calls take with the outcomes of a run that its queue does not have.
type Earlier func(ctx context.Context, take func(*experiment.Outcome) error) error

// Summary says how a run ended.
type Summary struct {
	Cells    int64                     // of the plan
	Computed int64                     // in this run
	Reused   int64                     // from other runs, without those that the folder had
	Counts   map[experiment.Status]int // of all cells in the folder
	Reasons  []experiment.Reason       // why cells are not ok, most frequent first
	Held     []*HeldError              // methods with cells held back

	Quarantined int64         // messages rejected in this run
	Elapsed     time.Duration // from first publication to last result
}

// Failed returns the number of cells that were not computed; incomplete cells were.
func (s *Summary) Failed() int { return experiment.CountFailed(s.Counts) }

// StartError says that the folder, or what the queue has of the run, cannot be used: nothing was
// computed, gathered or written.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

const serverDir = ".jetstream"

// Run computes the missing cells of the plan and sorts the results into one file per table. Cells
// outside the plan go to files of their own. When ctx ends, it keeps what was computed and returns
// the context's error; another call resumes. The error is a [*StartError] if the folder cannot be
// used: with a [*results.MismatchError] for results of another kind, a [*results.LockedError] while
// another process writes it.
func (c *Coordinator) Run(ctx context.Context) (*Summary, error) {
	if c.Queue == nil && c.Workers < 1 && c.Listen == nil {
		return nil, errors.New("no workers: workers is 0 and there is no NATS server for others")
	}
	c.showStep("reading the folder")
	g, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer g.store.Close()
	summary := &Summary{Cells: c.Plan.Count(), Computed: g.missing}
	c.Reuse.Report = c.report
	c.Reuse.Remember(c.Out, c.Queue != nil)
	if g.missing > 0 {
		// From here on the folder describes itself, whatever ends this process.
		if err := errors.Join(c.putManifest(g.store, true), results.KeepFiles(ctx, c.Out, c.Plan.CommandFiles, c.Plan.File)); err != nil {
			return nil, err
		}
		c.showStep("looking for cells of other runs")
		t := &taker{gate: g.gate, retry: g.retry, wants: g.lacks, take: g.takeReused, report: g.report}
		if err := errors.Join(t.from(ctx, c.Reuse), g.store.Flush()); err != nil {
			return nil, err
		}
	}
	if g.missing > 0 {
		c.showStep("")
		start := time.Now()
		err := c.compute(ctx, g)
		if err != nil {
			return nil, errors.Join(err, g.store.Flush())
		}
		summary.Elapsed = time.Since(start)
	}
	summary.Reused = g.adopted
	summary.Computed -= g.adopted + int64(len(g.held))
	summary.Reasons, summary.Held = g.why(), g.heldBack()
	c.showStep("sorting the files")
	if err := c.finish(ctx, g.store, summary.Computed > 0); err != nil {
		return nil, err
	}
	// Even if nothing was missing: the previous run can have ended before this clean-up.
	if c.Queue != nil {
		var through uint64
		if _, err = c.Queue.RemoveEnded(ctx, c.Plan.Run); err == nil {
			through, err = c.Queue.NewestResult(ctx, c.Plan.Run)
		}
		if err == nil {
			err = MarkCollected(ctx, c.Queue, c.Plan.Run, through)
		}
	} else if err = os.RemoveAll(filepath.Join(c.Out, serverDir)); err != nil {
		err = fmt.Errorf("removing the files of the embedded server: %w", err)
	}
	if err != nil {
		return nil, err
	}
	summary.Counts, summary.Quarantined = g.store.Counts(), g.repair.quarantined
	return summary, nil
}

func (c *Coordinator) open(ctx context.Context) (*gatherer, error) {
	store, gate, err := c.openFolder(ctx)
	if err != nil {
		return nil, err
	}
	for _, what := range store.Omitted() {
		c.report(errors.New(what))
	}
	g := newGatherer(store, gate, again{c.Retry, c.Plan.Limits})
	g.progress, g.report, g.keepGoing = c.Progress, c.report, c.KeepGoing
	if c.look > 0 {
		g.stall.every = c.look
	}
	if err := g.recall(ctx, c.Out); err != nil {
		return nil, &StartError{errors.Join(err, store.Close())}
	}
	return g, nil
}

// openFolder first sets aside cells of former grids, so that readers find only the plan's.
func (c *Coordinator) openFolder(ctx context.Context) (*results.Store, *gate, error) {
	store, err := results.Open(ctx, c.Out, results.StoreOptions{
		Tables: c.Plan.Tables(), Run: c.Plan.Run, Kept: c.Plan.Keep.Tables(), Needed: c.Plan.Keep.Tables(), Compression: c.Compression,
	})
	if err != nil {
		return nil, nil, &StartError{err}
	}
	gate, err := newGate(ctx, c.Plan)
	if err == nil && store.Foreign() {
		if err = store.Compact(ctx, c.Plan.IDs()); err == nil {
			err = c.putManifest(store, false)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return store, gate, nil
}

func (c *Coordinator) showStep(what string) {
	if c.Step != nil {
		c.Step(what)
	}
}

func (c *Coordinator) report(err error) {
	if c.Report != nil {
		c.Report(err)
	}
}

func (c *Coordinator) compute(ctx context.Context, g *gatherer) (err error) {
	if c.Queue != nil {
		return c.computeAt(ctx, c.Queue, g, func() error { return nil })
	}
	config := queue.ServerConfig{Dir: filepath.Join(c.Out, serverDir), Report: c.Report}
	ackWait := time.Duration(0)
	if c.Listen != nil {
		config.Listen, config.Token, ackWait = c.Listen.Address, c.Listen.Token, c.Listen.AckWait
	}
	if err := os.RemoveAll(config.Dir); err != nil { // of a killed run
		return fmt.Errorf("removing the files of an embedded server: %w", err)
	}
	server, err := queue.StartServer(config)
	if err != nil {
		return err
	}
	defer server.Shutdown()
	ctx, unwatch := server.WatchRoom(ctx)
	defer func() { err = unwatch(err) }()
	q, err := queue.Connect(ctx, queue.Config{Server: server, Report: c.Report, AckWait: ackWait})
	if err != nil {
		return err
	}
	defer q.Close()
	admit := func() error {
		if c.Listen == nil {
			return nil
		}
		if err := server.Open(); err != nil {
			return fmt.Errorf("listening on %s for workers: %w", c.Listen.Address, err)
		}
		return c.Listen.Ready(server.URL())
	}
	if err := c.computeAt(ctx, q, g, admit); err != nil {
		return err
	}
	_ = q.Cancel(ctx, c.Plan.Run) // the server stops anyway
	if c.Listen != nil {
		c.showStep("waiting for workers to end")
		leaving, cancel := context.WithTimeout(ctx, leaveWait)
		defer cancel()
		server.Empty(leaving, 1)
	}
	return nil
}

// leaveWait bounds how long an embedded server waits for other machines' workers to leave.
const leaveWait = 15 * time.Second

// computeAt calls queued when all cells are queued.
func (c *Coordinator) computeAt(ctx context.Context, q *queue.Queue, g *gatherer, queued func() error) error {
	if err := q.EnsureStreams(ctx); err != nil {
		return err
	}
	replaced, _, err := putRun(ctx, q, c.Grid, g.gate)
	if err != nil {
		return err
	}
	for _, name := range replaced {
		c.report(fmt.Errorf("%s was damaged at the server and is replaced", name))
	}
	k, err := lookUp(ctx, q, c.Plan.Run, g.retry.wantsEnded)
	if err != nil {
		return err
	}
	if c.Queue != nil && !c.Reuse.Alone {
		t := &taker{gate: g.gate, retry: g.retry, wants: g.lacks, report: g.report}
		if _, err := share(ctx, q, t, k, Reuse{}); err != nil {
			return err
		}
	}
	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	group, work := errgroup.WithContext(work)
	if c.Watch != nil {
		earlier := c.earlier(g)
		group.Go(func() error {
			if err := c.Watch(work, q, earlier); err != nil && work.Err() == nil {
				c.report(err)
			}
			return nil
		})
	}
	if c.Workers > 0 {
		group.Go(func() error { return c.worker(q, stop).Run(work) })
	}
	published := make(chan struct{})
	g.queued, g.before = published, k
	group.Go(func() error {
		_, _, err := k.publish(work, q, g.tasks(k.done))
		if err == nil {
			err = queued()
		}
		if err == nil {
			close(published)
		}
		return err
	})
	group.Go(func() error {
		err := g.gather(work, q, c.Plan.Run)
		if err == nil && c.Queue == nil { // no other run is at this server
			stop(queue.ErrComplete)
		}
		stop(nil) // all cells are there: workers can go
		return err
	})
	err = group.Wait()
	if g.complete() {
		return nil
	}
	if full := context.Cause(work); disk.Full(full) {
		err = full
	}
	return errors.Join(ctx.Err(), err)
}

// earlier is nil if a server keeps the outcomes.
func (c *Coordinator) earlier(g *gatherer) Earlier {
	if c.Queue != nil {
		return nil
	}
	missing := cellSet{}
	for _, cell := range g.gate.cells {
		if id := cell.key.String(); g.misses(id) {
			missing.add(id)
		}
	}
	return func(ctx context.Context, take func(*experiment.Outcome) error) error {
		err := results.EachOutcome(ctx, c.Out, c.Plan.Kind, c.Plan.Tables(), nil, func(cell string, _ experiment.Status) bool {
			return g.gate.plans(cell) && !missing.has(cell)
		}, take)
		if errors.Is(err, fs.ErrNotExist) { // nothing yet
			return nil
		}
		return err
	}
}

// worker stops the run where the disk of its data sets is full: no other worker takes the cells.
func (c *Coordinator) worker(q *queue.Queue, stop func(error)) *Worker {
	kind := c.Kind
	if kind == nil {
		kind = c.Plan.Computes()
	}
	w := &Worker{
		Queue: q, Kinds: []experiment.Kind{kind}, Slots: c.Workers, Version: c.Version,
		Report: func(_ string, err error) {
			if c.Queue == nil && c.Listen == nil && disk.Full(err) {
				stop(disk.Advise(err))
			}
			if failure := new(FailureError); !errors.As(err, &failure) || failure.Reason.Count == 1 { // progress counts them
				c.report(err)
			}
		},
		Process: c.Process, Cache: c.Cache,
		AllowCommands: c.AllowCommands, Alone: c.Queue == nil && c.Listen == nil,
	}
	if c.Queue != nil {
		return w
	}
	w.Idle = 50 * time.Millisecond                        // the server is in this process
	w.Cache = filepath.Join(c.Out, serverDir, "datasets") // removed with the server's files
	return w
}

func (c *Coordinator) finish(ctx context.Context, store *results.Store, changed bool) error {
	if err := store.Compact(ctx, c.Plan.IDs()); err != nil {
		return err
	}
	return c.putManifest(store, changed)
}

// putManifest describes the run and the folder. Unless changed, it keeps the version that made the
// results.
func (c *Coordinator) putManifest(store *results.Store, changed bool) error {
	manifest := describe(c.Grid, c.Plan)
	if c.places != nil {
		manifest.Places = *c.places
	}
	manifest.Places = seenFrom(manifest.Places, c.Out)
	manifest.Versions = map[string]string{"agepath": c.Version}
	if !changed {
		if old, err := results.ReadManifest(c.Out); err == nil && old.Run == manifest.Run {
			manifest.Versions, manifest.File = old.Versions, old.File
		}
	}
	manifest.Tables = results.ManifestTables(c.Plan.Tables())
	manifest.Counts, manifest.Compression = store.Counts(), cmp.Or(c.Compression, results.ZSTD)
	return results.WriteManifest(c.Out, manifest)
}

// describe fills in what is known before the run.
func describe(grid *experiment.Grid, plan *experiment.Plan) *results.Manifest {
	m := &results.Manifest{
		SchemaVersion: experiment.SchemaVersion, Name: plan.Grid, Run: plan.Run, Kind: plan.Kind,
		Cells: plan.Count(), Data: map[string]string{}, Grid: string(grid.Source), File: disk.FromHome(grid.File), Set: grid.Set,
		Select: grid.Section.Selection(), Files: plan.Files, Places: placesOf(grid, plan),
	}
	for _, d := range plan.Data {
		m.Data[d.Name] = d.Digest
		if of := d.Reading; of.How != "" {
			m.Readings = append(m.Readings, results.ManifestReading{
				Name: d.Name, How: of.How, Warnings: of.Warnings, LeftOut: of.LeftOut, Lines: of.Lines,
				Features: d.Features.First, SHA256: d.Features.SHA256,
			})
		}
	}
	for _, d := range plan.Absent {
		m.Absent = append(m.Absent, results.ManifestData{Name: d.Name, Task: string(d.Task), Rows: d.N, Features: d.D})
	}
	return m
}

// tasksOf yields the tasks of wanted cells in queue order.
func tasksOf(plan *experiment.Plan, wanted func(cell string) bool) iter.Seq2[experiment.Task, error] {
	return func(yield func(experiment.Task, error) bool) {
		for task, err := range plan.Queue() {
			if (err != nil || wanted(task.Cell)) && !yield(task, err) {
				return
			}
		}
	}
}
