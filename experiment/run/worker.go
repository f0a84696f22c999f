package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// Worker computes tasks from a queue, one at a time in each of its slots.
type Worker struct {
	Queue *queue.Queue
	Kinds []experiment.Kind // the kinds of experiments it can compute

	Name       string        // in results; default: host name and process id
	Slots      int           // default: one per processor
	Drain      bool          // return when no task is queued, instead of waiting for more
	Idle       time.Duration // how long a slot without work waits before it looks for other runs; default: that of the queue
	RetryDelay time.Duration // before a failed cell is tried again; default: 5 s
	Version    string        // of agepath, in results

	// Report is told of what the worker survives, by cell. It must not block
	// and may be called from any goroutine. Default: nothing is told.
	Report func(cell string, err error)
}

// Run computes tasks until ctx ends or, with Drain, no task is queued. When
// ctx ends, running cells are handed back without using up an attempt, and Run
// returns nil. An error tells that the queue cannot be worked with.
func (w *Worker) Run(ctx context.Context) error {
	worker := *w
	if err := worker.defaults(); err != nil {
		return err
	}
	puller, err := worker.Queue.Worker(queue.WorkerConfig{Name: worker.Name, Drain: worker.Drain, Idle: worker.Idle})
	if err != nil {
		return fmt.Errorf("starting worker %s: %w", worker.Name, err)
	}
	defer puller.Close()
	data := newDataCache(worker.Queue)
	group, ctx := errgroup.WithContext(ctx)
	for range worker.Slots {
		group.Go(func() error { return worker.slot(ctx, puller, data) })
	}
	return group.Wait()
}

func (w *Worker) defaults() error {
	if w.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("naming the worker: %w", err)
		}
		w.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if w.Slots == 0 {
		w.Slots = runtime.GOMAXPROCS(0)
	}
	if w.RetryDelay == 0 {
		w.RetryDelay = 5 * time.Second
	}
	if w.Report == nil {
		w.Report = func(string, error) {}
	}
	return nil
}

// slot computes one task after the other.
func (w *Worker) slot(ctx context.Context, puller *queue.Puller, data *dataCache) error {
	for {
		delivery, err := puller.Pull(ctx)
		var empty *queue.EmptyError
		switch {
		case ctx.Err() != nil, errors.As(err, &empty):
			if delivery != nil {
				return w.settle(ctx, delivery, nil)
			}
			return nil
		case err != nil:
			return fmt.Errorf("worker %s pulling a task: %w", w.Name, err)
		}
		if err := w.settle(ctx, delivery, w.compute(ctx, delivery, data)); err != nil {
			return err
		}
	}
}

// grace is how long settling a task may take after the worker was stopped.
const grace = 10 * time.Second

// settle tells the queue what became of a delivery: a nil outcome means that
// the computation was interrupted.
func (w *Worker) settle(ctx context.Context, d *queue.Delivery, outcome *experiment.Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	var err error
	switch {
	case outcome == nil:
		err = d.Release(ctx, 0)
	case outcome.Status == experiment.OK:
		err = d.Done(ctx, outcome)
	default:
		outcome.Attempts = d.Attempt
		_, err = d.Fail(ctx, outcome, w.RetryDelay)
	}
	if err == nil {
		return nil
	}
	// The server gives the task to somebody else once its heartbeats stop, so
	// a lost answer costs time, not the cell.
	w.Report(d.Task.Cell, fmt.Errorf("settling cell %s: %w", d.Task.Cell, err))
	return nil
}
