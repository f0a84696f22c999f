package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

// Compute computes a task with its kind, within its time limit. A panic of the kind fails the cell;
// a measure that is not finite is a divergence.
func Compute(ctx context.Context, kinds []experiment.Kind, task *experiment.Task, data experiment.Data) *experiment.Outcome {
	outcome := begin(task, time.Now())
	if task.Limits.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, task.Limits.Timeout)
		defer cancel()
	}
	runtime.LockOSThread() // the thread's processor time is the cell's
	before, known := threadTime()
	ofCommands := commandTime(data)
	err := computeGuarded(ctx, kinds, task, data, outcome)
	if after, ok := threadTime(); ok && known {
		// An idle command that ends by itself takes its children's time with it.
		seconds := max(0, after-before+commandTime(data)-ofCommands).Seconds()
		outcome.CPU = &seconds
	}
	runtime.UnlockOSThread()
	judge(outcome, err, task.Limits)
	if commands, ok := data.(experiment.CommandData); ok {
		outcome.Software = commands.Commands().TakeSoftware()
	}
	if !outcome.Status.Computed() {
		outcome.Measures, outcome.Further = experiment.Batch{}, nil
	}
	return outcome
}

func begin(task *experiment.Task, at time.Time) *experiment.Outcome {
	return &experiment.Outcome{
		Run: task.Run, Cell: task.Cell, Kind: task.Kind, Labels: task.Labels, Schema: experiment.SchemaVersion,
		Started: at, Computer: experiment.Computer{Platform: experiment.Platform()},
	}
}

func end(o *experiment.Outcome, status experiment.Status, message string) {
	o.Status, o.Error = status, message
	now := time.Now()
	o.Wall = max(0, now.Sub(o.Started).Seconds()) // before UTC, which drops the monotonic clock
	o.Started, o.Finished = o.Started.UTC(), now.UTC()
}

// encode fails an outcome that cannot be encoded.
func encode(o *experiment.Outcome) []byte {
	body, err := queue.EncodeOutcome(o)
	if err != nil {
		o.Status, o.Error = experiment.Failed, fmt.Sprintf("encoding the outcome: %v", err)
		o.Measures, o.Further = experiment.Batch{}, nil
		if body, err = queue.EncodeOutcome(o); err != nil {
			panic(fmt.Sprintf("encoding an outcome without rows: %v", err)) // its labels were decoded from a task
		}
	}
	return body
}

// sign adds the attempt and the worker.
func (w *Worker) sign(d *queue.Delivery, o *experiment.Outcome) *experiment.Outcome {
	o.Attempts, o.Worker, o.Version = d.Attempt, w.Name, w.Version
	if w.Alone {
		o.Lacks = ""
	}
	return o
}

func computeGuarded(ctx context.Context, kinds []experiment.Kind, task *experiment.Task, data experiment.Data, outcome *experiment.Outcome) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	for _, kind := range kinds {
		if kind.Name() == task.Kind {
			outcome.Measures, outcome.Further, err = kind.Compute(ctx, task, data)
			if incomplete := new(experiment.StatusError); err == nil || errors.As(err, &incomplete) && incomplete.Status.Computed() {
				tables := kind.Tables()
				err = cmp.Or(tables.Finite(&outcome.Measures, outcome.Further), tables.Reshape(outcome, max(task.Schema, experiment.OldestSchema)), err)
			}
			return err
		}
	}
	return fmt.Errorf("this worker does not know the kind of experiment %q", task.Kind)
}

func judge(o *experiment.Outcome, err error, limits experiment.Limits) {
	var fixed *experiment.StatusError
	switch {
	case err == nil:
		end(o, experiment.OK, "")
	case errors.As(err, &fixed):
		end(o, fixed.Status, err.Error())
		o.Repeats = fixed.Status == experiment.Skipped
		if memory := new(experiment.MemoryError); errors.As(err, &memory) {
			o.Short, o.Repeats = float64(memory.Need-1), true
		}
	case errors.Is(err, context.DeadlineExceeded):
		end(o, experiment.Timeout, fmt.Sprintf(experiment.NotWithin+"%v: %v", limits.Timeout, err))
		o.Short = limits.Timeout.Seconds()
	default:
		if lack := new(outside.LackError); errors.As(err, &lack) {
			o.Lacks = lack.What
		}
		end(o, experiment.Failed, err.Error())
		o.Repeats = errors.As(err, new(*experiment.DataError)) && !errors.Is(err, context.Canceled)
	}
}
