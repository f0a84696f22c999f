// Package run holds the loops of coordinator and worker: computing a plan here or on other
// machines, gathering results, computing a cell again. What a cell computes is up to its
// [experiment.Kind].
//
// # A cell's states
//
//	planned ──publish──► queued ──pull──► running ──result──► gathered ──flush──► durable ──compact──► in cells.arrow
//	                       ▲                 │
//	                       └── interrupted, lost, failed with attempts left, or at a limit raised since
//
// A resumed run starts with the durable cells of the folder; the queue still has results that were
// not gathered, and refuses tasks that it holds.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/lists"
)

// Worker computes tasks from a queue, one at a time per slot. A slot is asked for short ones together.
type Worker struct {
	Queue *queue.Queue
	Kinds []experiment.Kind // that it computes; if none, tasks are not checked before

	Name       string        // in results; default: host name and process id
	Slots      int           // default: one per processor
	Drain      bool          // return when no task is queued or in flight elsewhere
	Idle       time.Duration // see [queue.WorkerConfig]; default: 1 s
	Grace      time.Duration // for running cells after a stop, then handed back; default: 0
	Until      time.Time     // end of the worker, including Grace; cells that would end later are not begun; default: none
	RetryDelay time.Duration // before a failed cell is tried again; default: 5 s
	MaxDeaths  int           // see [queue.WorkerConfig]
	Version    string

	// Process makes the command of a slot's process, which runs [ServeSlot] on standard input and
	// output, so that a cell that crashes, hangs or takes all memory harms no other.
	Process func() *exec.Cmd
	// Cache is the folder of data sets; workers of one machine can share it. CacheBytes bounds
	// unused ones (default: [DefaultCacheBytes]).
	Cache      string
	CacheBytes int64

	// AllowCommands lets tasks run commands: anyone who can publish tasks can then run programs on
	// this machine. Default: such tasks are left to others.
	AllowCommands bool
	// Alone says that no other worker takes tasks: what this one lacks for a command fails the
	// cell. Default: the task is left to others and uses up no attempt.
	Alone bool

	Health *Health

	// Report receives errors that the worker survives, by cell or "". It must not block; any
	// goroutine may call it.
	Report func(cell string, err error)

	working
}

type working struct {
	puller   *queue.Puller
	settling context.Context // tasks are settled until it ends
	lacks    *lacks
	reasons  *experiment.Reasons
	walltime *walltime
	able     [][]experiment.Need // by kind
	paused   *atomic.Int64       // cells of paused runs when nothing else was left
}

// FailureError says why attempts at cells fail.
type FailureError struct{ Reason experiment.Reason }

func (e *FailureError) Error() string { return fmt.Sprintf("attempts that failed: %v", e.Reason) }

func (w *Worker) method(task *experiment.Task) string {
	kinds := w.Kinds
	if known, err := experiment.Named(task.Kind); err == nil {
		kinds = append(slices.Clip(kinds), known.Kind)
	}
	for _, kind := range kinds {
		if kind.Name() == task.Kind {
			return kind.Tables().Text(&task.Labels, "method")
		}
	}
	return ""
}

func powerOfTen(n int64) bool {
	for n > 0 && n%10 == 0 {
		n /= 10
	}
	return n == 1
}

// Run computes tasks until ctx ends or, with Drain, none is left. When ctx ends, running cells get
// Grace, are then handed back without using up an attempt, and Run returns nil; at Until it returns
// an [*UntilError], where only paused runs have cells a [*queue.EmptyError]. Any other error says that the queue cannot be used.
func (w *Worker) Run(ctx context.Context) error {
	worker := *w
	if err := worker.defaults(); err != nil {
		return err
	}
	slots, err := computers(&worker)
	if err != nil {
		return fmt.Errorf("starting worker %s: %w", worker.Name, err)
	}
	config := queue.WorkerConfig{Accept: worker.accept, Commands: worker.commands(), Name: worker.Name, Drain: worker.Drain, Idle: worker.Idle, MaxDeaths: worker.MaxDeaths}
	if w.Until.IsZero() { // otherwise each cell is begun only if it fits
		config.Short = func(task *experiment.Task) bool { return worker.walltime.short(worker.method(task), task.Cost) }
	}
	puller, err := worker.Queue.Worker(config)
	if err != nil {
		return fmt.Errorf("starting worker %s: %w", worker.Name, err)
	}
	defer puller.Close()
	worker.puller = puller
	worker.Health.begin(puller)
	defer worker.Health.puller.Store(nil)
	if !w.Until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, worker.walltime.end().Add(-worker.Grace), errUntil)
		defer cancel()
	}
	all := ctx
	slotStatus := newSlotStatus(&worker)
	told, stopped := make(chan struct{}), ctx.Done()
	telling, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() { // ends with Run
		defer close(told)
		slotStatus.tell(telling, stopped)
	}()
	defer func() {
		stop()
		<-told
	}()
	group, ctx := errgroup.WithContext(ctx)
	computing, cancel := outlasting(ctx, worker.Grace)
	defer cancel()
	worker.settling, cancel = outlasting(computing, grace)
	defer cancel()
	for at, computer := range slots {
		group.Go(func() error {
			defer computer.close()
			return worker.slot(ctx, computing, computer, slotStatus, at)
		})
	}
	err = group.Wait()
	for _, reason := range worker.reasons.List() {
		if !powerOfTen(reason.Count) {
			worker.Report("", &FailureError{reason})
		}
	}
	aside := puller.Aside()
	for reason, n := range aside {
		worker.Report("", fmt.Errorf("%d tasks are left to others: %s", n, reason))
	}
	if err != nil {
		return err
	}
	if paused := int(worker.paused.Load()); paused > 0 && all.Err() == nil {
		return &queue.EmptyError{Paused: paused}
	}
	return worker.walltime.verdict(all, aside[tooLong])
}

func (w *Worker) abilities() []experiment.Need {
	all := []experiment.Need{}
	for _, kind := range w.Kinds {
		all = append(append(all, experiment.Need{Name: kind.Name()}), kind.Abilities()...)
	}
	if !w.commands() {
		all = slices.DeleteFunc(all, func(n experiment.Need) bool { return n.Name == experiment.CommandNeed })
	}
	return all
}

// commands: a worker that is alone takes tasks with commands; without AllowCommands their kind
// decides what becomes of them.
func (w *Worker) commands() bool { return w.AllowCommands || w.Alone }

func (w *Worker) accept(task *experiment.Task) error {
	return cmp.Or(w.knows(task), w.lacks.of(task))
}

func (w *Worker) knows(task *experiment.Task) error {
	if len(w.Kinds) == 0 { // its processes check
		return nil
	}
	at := slices.IndexFunc(w.Kinds, func(k experiment.Kind) bool { return k.Name() == task.Kind })
	if at < 0 {
		return &experiment.NeedError{Need: experiment.Need{Name: task.Kind}}
	}
	here := w.able[at]
	for _, need := range task.Needs {
		if slices.Contains(here, need) {
			continue
		}
		lacks := &experiment.NeedError{Need: need}
		if at := slices.IndexFunc(here, func(n experiment.Need) bool { return n.Name == need.Name }); at >= 0 {
			lacks.Here = here[at].Version
		}
		return lacks
	}
	return w.Kinds[at].Check(task)
}

// outlasting delays the end of ctx by while.
func outlasting(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = queue.Sleep(later, while)
		cancel()
	})
	return later, func() {
		stop()
		cancel()
	}
}

// defaultIdle is shorter in tests.
var defaultIdle = time.Second

func (w *Worker) defaults() error {
	w.lacks, w.reasons, w.walltime = &lacks{all: map[program]lack{}}, &experiment.Reasons{}, &walltime{until: w.Until}
	w.paused, w.able = new(atomic.Int64), lists.Map(w.Kinds, experiment.Kind.Abilities)
	if w.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("naming the worker: %w", err)
		}
		w.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	w.Slots = cmp.Or(w.Slots, runtime.GOMAXPROCS(0))
	w.Idle = cmp.Or(w.Idle, defaultIdle)
	w.RetryDelay = cmp.Or(w.RetryDelay, 5*time.Second)
	w.CacheBytes = cmp.Or(w.CacheBytes, DefaultCacheBytes)
	w.Health = cmp.Or(w.Health, &Health{})
	if w.Report == nil {
		w.Report = func(string, error) {}
	}
	return nil
}

// computer computes the first of the tasks of a slot; the next calls are for the others, in order. It
// returns an outcome, trouble of the worker, or neither for a task not computed to its end.
type computer interface {
	compute(ctx context.Context, list []*queue.Delivery) (*experiment.Outcome, error)
	close()
}

// computers makes a computer for each slot; tests replace it.
var computers = processes

func processes(w *Worker) ([]computer, error) {
	if w.Process == nil || w.Cache == "" {
		return nil, errors.New("no processes are given for its slots, or no folder for the data sets that they read")
	}
	if w.AllowCommands {
		disk.RemoveLeft(outside.FolderPrefix) // of a killed worker
	}
	files, err := openDiskCache(w.Queue, w.Cache, w.CacheBytes)
	list := make([]computer, w.Slots)
	for at := range list {
		list[at] = &process{worker: w, files: files}
	}
	return list, err
}

const (
	// grace bounds settling in a stopped worker.
	grace = 10 * time.Second
	// firstIdle is a draining slot's first wait for others' tasks; it doubles up to Worker.Idle.
	firstIdle    = 20 * time.Millisecond
	damagedPause = 30 * time.Second
	// firstTrouble and mostTrouble bound a slot's wait after trouble; it doubles.
	firstTrouble, mostTrouble = time.Second, 30 * time.Second
)

// slot pulls tasks until ctx ends and computes them until computing ends.
func (w *Worker) slot(ctx, computing context.Context, computer computer, slotStatus *slotStatus, at int) error {
	trouble, idle := time.Duration(0), time.Duration(0)
	for {
		d, err := w.puller.Pull(ctx)
		var empty *queue.EmptyError
		switch {
		case ctx.Err() != nil || err == nil && w.walltime.enough():
			if d != nil {
				w.puller.Release(append(d.Also, d))
			}
			return nil
		case errors.As(err, &empty):
			if empty.InFlight == 0 {
				w.paused.Store(int64(empty.Paused))
				return nil
			}
			idle = min(max(2*idle, firstIdle), w.Idle)
			_ = queue.Sleep(ctx, idle) // others can fail or die, and hand tasks back
			continue
		case err != nil:
			return fmt.Errorf("worker %s pulling a task: %w", w.Name, err)
		}
		idle = 0
		wait := min(max(2*trouble, firstTrouble), mostTrouble)
		if w.computeAll(computing, computer, append([]*queue.Delivery{d}, d.Also...), slotStatus, at, wait) {
			trouble = 0
		} else {
			trouble = wait
			_ = queue.Sleep(ctx, trouble)
		}
		if w.walltime.enough() {
			return nil
		}
	}
}

// computeAll computes tasks of one pull. It returns false after trouble of the worker. Results are
// stored while the next cells are computed.
func (w *Worker) computeAll(ctx context.Context, computer computer, list []*queue.Delivery, slotStatus *slotStatus, at int, wait time.Duration) (ok bool) {
	var storing sync.WaitGroup
	for ok = true; ok && len(list) > 0 && ctx.Err() == nil; list = list[1:] {
		ok = w.compute(ctx, computer, list, slotStatus, at, wait, &storing)
	}
	w.puller.Release(list)
	storing.Wait()
	return ok
}

// compute computes the first of the tasks and settles it.
func (w *Worker) compute(ctx context.Context, computer computer, list []*queue.Delivery, slotStatus *slotStatus, at int, wait time.Duration, storing *sync.WaitGroup) (ok bool) {
	d := list[0]
	// Tasks that would end too late are left to others.
	if !w.Until.IsZero() && !w.walltime.fits(w.method(&d.Task), &d.Task, time.Now()) {
		w.unsettled(d, d.Decline(w.settling, tooLong, tooLongPause))
		return true
	}
	slotStatus.begin(at, d)
	began := time.Now()
	outcome, err := computer.compute(ctx, list)
	outcome, err = w.conclude(d, outcome, err, ctx.Err() != nil || d.Dropped())
	if err == nil && outcome != nil && (outcome.Status.Computed() || outcome.Status == experiment.Timeout) {
		w.walltime.note(w.method(&d.Task), d.Task.Cost, time.Since(began))
	}
	slotStatus.end(at, d, outcome, err)
	if err == nil && outcome != nil && outcome.Status.Computed() {
		w.lacks.clear(&d.Task)
		storing.Go(func() { w.unsettled(d, d.Done(w.settling, outcome)) })
		return true
	}
	return w.settle(d, outcome, err, wait)
}

// conclude takes what a slot made of a task, interrupted or not: an outcome, trouble of the worker, or
// neither for a task not computed to its end. It returns what of that is to be reported.
func (w *Worker) conclude(d *queue.Delivery, outcome *experiment.Outcome, err error, interrupted bool) (*experiment.Outcome, error) {
	switch {
	case errors.Is(err, queue.ErrNoData): // no worker can get it
		failed := begin(&d.Task, time.Now())
		end(failed, experiment.Failed, err.Error())
		return w.sign(d, failed), nil
	case err != nil && interrupted, outcome != nil && interrupted && !outcome.Status.Computed():
		return nil, nil
	case outcome != nil && outcome.Lacks != "":
		return outcome, &outside.LackError{What: outcome.Lacks, Err: errors.New(outcome.Error)}
	}
	return outcome, err
}

// settle takes an outcome that is no result yet, trouble of the worker, or neither, and settles the
// task. It reports whether the slot can go on at once; otherwise the task is redelivered after wait.
//
// While no server can be reached it waits until the worker is stopped. The server redelivers the
// task once its heartbeats stop, so a lost answer costs time, not the cell.
func (w *Worker) settle(d *queue.Delivery, outcome *experiment.Outcome, trouble error, wait time.Duration) bool {
	var damage *queue.DamagedError
	var lack *outside.LackError
	var err error
	switch {
	case errors.As(trouble, &lack):
		w.lacks.note(&d.Task, lack)
		err = d.Leave(w.settling, lack)
	case errors.As(trouble, &damage):
		w.Report(d.Task.Cell, fmt.Errorf("handing cell %s back: %w", d.Task.Cell, trouble))
		err = d.Decline(w.settling, damage.Error()+"; submitting the grid again replaces it", damagedPause)
	case trouble != nil:
		w.Report(d.Task.Cell, fmt.Errorf("handing cell %s back and waiting %v: %w", d.Task.Cell, wait, trouble))
		w.unsettled(d, d.Release(w.settling, wait))
		return false
	case outcome == nil:
		err = d.Release(w.settling, 0)
	default:
		w.lacks.clear(&d.Task)
		if outcome.Status.Failed() {
			reason := w.reasons.Add(w.method(&d.Task), outcome.Status, outcome.Error, d.Task.Cell, outcome.Repeats)
			if powerOfTen(reason.Count) {
				w.Report(d.Task.Cell, &FailureError{reason})
			}
		}
		_, err = d.Fail(w.settling, outcome, w.RetryDelay)
	}
	w.unsettled(d, err)
	return true
}

// unsettled takes nil for a settled delivery.
func (w *Worker) unsettled(d *queue.Delivery, err error) {
	if err != nil {
		d.Abandon()
		w.Report(d.Task.Cell, fmt.Errorf("settling cell %s: %w", d.Task.Cell, err))
	}
}
