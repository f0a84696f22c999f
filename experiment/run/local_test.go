package run

import (
	"context"
	"errors"
	"sync"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

// withLocals gives workers without a process computers in the test's process, whose kinds can
// share channels and counters with the test.
func withLocals(w *Worker) ([]computer, error) {
	if w.Process != nil {
		return processes(w)
	}
	data := &fetched{queue: w.Queue}
	list := make([]computer, w.Slots)
	for at := range list {
		here := &local{worker: w, data: data}
		if w.AllowCommands {
			here.host = &outside.Host{Open: w.Queue.Data}
		}
		list[at] = here
	}
	return list, nil
}

// local computes tasks in this process.
type local struct {
	worker *Worker
	data   *fetched
	host   *outside.Host // nil without commands
}

// fetched are the data sets and files at the server.
type fetched struct {
	queue *queue.Queue
	sets  sync.Map // by digest
}

func (f *fetched) Dataset(ctx context.Context, digest string) (*dataset.Dataset, error) {
	if set, ok := f.sets.Load(digest); ok {
		return set.(*dataset.Dataset), nil
	}
	set, err := fetchDataset(ctx, f.queue, digest)
	if err == nil {
		f.sets.Store(digest, set)
	}
	return set, err
}

func (f *fetched) File(ctx context.Context, digest string) ([]byte, error) {
	return fetchFile(ctx, f.queue, digest)
}

func (l *local) compute(ctx context.Context, list []*queue.Delivery) (*experiment.Outcome, error) {
	d := list[0]
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
	outcome, err := queue.DecodeOutcome(encode(outcome)) // as from a slot
	if err != nil {
		return nil, err
	}
	return l.worker.sign(d, outcome), nil
}

func (l *local) close() {
	if l.host != nil {
		l.host.Close()
	}
}

var _ experiment.Data = (*fetched)(nil)
