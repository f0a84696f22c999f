package run

import (
	"context"
	"errors"

	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

// computer computes the tasks of a slot. It returns an outcome, trouble of the worker, or neither for
// a task not computed to its end.
type computer interface {
	compute(ctx context.Context, d *queue.Delivery) (*queue.Sealed, error)
	close()
}

// local computes tasks in this process.
type local struct {
	worker *Worker
	data   *dataCache
	host   *outside.Host // nil without commands
}

// compute ends when the run of the task is cancelled.
func (l *local) compute(ctx context.Context, d *queue.Delivery) (*queue.Sealed, error) {
	d.Begin()
	for _, digest := range d.Task.Data {
		var damaged *queue.DamagedError
		if _, err := l.data.Dataset(ctx, digest); errors.As(err, &damaged) {
			return nil, damaged
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() { // ends with the computation
		defer close(watched)
		select {
		case <-d.Cancelled():
			cancel()
		case <-ctx.Done():
		}
	}()
	outcome := Compute(ctx, l.worker.Kinds, &d.Task, withCommands(l.data, l.host))
	cancel()
	<-watched
	return l.worker.seal(d, outcome), nil
}

func (l *local) close() {
	if l.host != nil {
		l.host.Close()
	}
}
