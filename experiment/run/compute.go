package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// errInterrupted is the cause of a computation's end that is not the cell's
// fault.
var errInterrupted = errors.New("interrupted")

// compute computes a delivered task. It returns nil when the computation was
// interrupted: the worker is stopped or the run cancelled.
func (w *Worker) compute(ctx context.Context, d *queue.Delivery, data experiment.Data) *experiment.Outcome {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := make(chan struct{})
	go func() { // ends with the computation
		defer close(watch)
		select {
		case <-d.Cancelled():
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	outcome := Compute(ctx, w.Kinds, &d.Task, data)
	interrupted := ctx.Err() != nil
	cancel(nil)
	<-watch
	if interrupted && outcome.Status != experiment.OK {
		return nil
	}
	outcome.Attempts = d.Attempt
	outcome.Worker, outcome.Version = w.Name, w.Version
	return outcome
}

// Compute computes a task with the kind it names, within its time limit, and
// tells what became of it. A panic of the kind is a failure of the cell.
func Compute(ctx context.Context, kinds []experiment.Kind, task *experiment.Task, data experiment.Data) *experiment.Outcome {
	outcome := &experiment.Outcome{
		Run: task.Run, Cell: task.Cell, Kind: task.Kind, Labels: task.Labels,
		Attempts: 1, Started: time.Now().UTC(),
	}
	if task.Limits.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, task.Limits.Timeout)
		defer cancel()
	}
	runtime.LockOSThread() // the thread's processor time is the cell's
	before, known := threadTime()
	err := computeGuarded(ctx, kinds, task, data, outcome)
	if after, ok := threadTime(); ok && known {
		seconds := (after - before).Seconds()
		outcome.CPU = &seconds
	}
	runtime.UnlockOSThread()
	outcome.Finished = time.Now().UTC()
	outcome.Wall = outcome.Finished.Sub(outcome.Started).Seconds()
	outcome.Status, outcome.Error = statusOf(err, task.Limits)
	return outcome
}

// computeGuarded calls the kind and turns a panic into an error.
func computeGuarded(ctx context.Context, kinds []experiment.Kind, task *experiment.Task, data experiment.Data, outcome *experiment.Outcome) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	for _, kind := range kinds {
		if kind.Name() == task.Kind {
			outcome.Measures, outcome.Further, err = kind.Compute(ctx, task, data)
			return err
		}
	}
	return fmt.Errorf("this worker does not know the kind of experiment %q", task.Kind)
}

// statusOf returns the status that an error of a computation stands for, and
// its message.
func statusOf(err error, limits experiment.Limits) (experiment.Status, string) {
	var fixed *experiment.StatusError
	switch {
	case err == nil:
		return experiment.OK, ""
	case errors.As(err, &fixed):
		return fixed.Status, err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return experiment.Timeout, fmt.Sprintf("not done within %v: %v", limits.Timeout, err)
	}
	return experiment.Failed, err.Error()
}
