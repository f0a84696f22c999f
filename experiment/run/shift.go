package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

// computer computes the tasks of one slot.
type computer interface {
	// compute computes delivered tasks, one after the other, and tells s of each
	// when it begins and when it ends. Tasks that it does not compute end too.
	compute(ctx context.Context, tasks []*queue.Delivery, s *shift)
	// several reports whether it hands back the tasks behind one that takes long.
	several() bool
	close()
}

// shift is what a slot does with the tasks that it pulled at a time.
type shift struct {
	worker     *Worker
	slotStatus *slotStatus
	slot       int
	ctx        context.Context // ends when tasks are no longer computed

	finished []queue.Finished // and not settled
	wait     time.Duration    // before tasks that meet trouble are delivered again
	trouble  bool             // was met
	began    time.Time        // the task that is computed
}

// begins notes that a task is computed now.
func (s *shift) begins(d *queue.Delivery) {
	s.began = time.Now()
	s.slotStatus.begin(s.slot, d)
}

// ends takes what became of a task: an outcome, trouble of the worker, or nothing
// when it was not computed to its end.
func (s *shift) ends(d *queue.Delivery, outcome *queue.Sealed, err error) {
	interrupted := s.ctx.Err() != nil || d.Dropped()
	switch {
	case errors.Is(err, queue.ErrNoData): // no worker can get it
		failed := begin(&d.Task, time.Now())
		end(failed, experiment.Failed, err.Error())
		outcome, err = s.worker.seal(d, failed), nil
	case err != nil && interrupted:
		outcome, err = nil, nil
	case err == nil && outcome != nil && interrupted && !outcome.Status.Computed():
		outcome = nil
	case err == nil && outcome != nil && outcome.Lacks != "":
		err = &outside.LackError{What: outcome.Lacks, Err: errors.New(outcome.Error)}
	}
	if err == nil && outcome != nil {
		s.worker.noteTime(&d.Task, outcome.Status, time.Since(s.began))
	}
	s.slotStatus.end(s.slot, d, outcome, err)
	var damage *queue.DamagedError
	var lack *outside.LackError
	switch {
	case errors.As(err, &lack):
		s.worker.lack(d, lack)
	case errors.As(err, &damage):
		s.worker.Report(d.Task.Cell, fmt.Errorf("handing cell %s back: %w", d.Task.Cell, err))
		s.worker.decline(d, damage)
	case err != nil:
		s.trouble = true
		s.worker.handBack(d, s.wait, err)
	case outcome == nil:
		s.flush() // what is done does not wait for what is not
		s.worker.reportOutcome(d, nil, 0)
	default:
		s.worker.lacks.clear(&d.Task)
		if outcome.Status.Computed() {
			s.finished = append(s.finished, queue.Finished{Delivery: d, Outcome: outcome})
			return
		}
		s.worker.reportOutcome(d, outcome, 0)
	}
}

// flush settles what is finished.
func (s *shift) flush() {
	if len(s.finished) > 0 {
		s.worker.done(s.finished)
	}
	s.finished = nil
}

// local computes in this process.
type local struct {
	worker *Worker
	data   *dataCache
	host   *outside.Host // of commands, nil where none are allowed
}

func (l *local) compute(ctx context.Context, tasks []*queue.Delivery, s *shift) {
	for _, d := range tasks {
		s.begins(d)
		d.Begin()
		outcome, err := l.one(ctx, d)
		s.ends(d, outcome, err)
	}
}

// one computes a task until its run is cancelled. The error is that its data set is
// damaged at the server.
func (l *local) one(ctx context.Context, d *queue.Delivery) (*queue.Sealed, error) {
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

func (l *local) several() bool { return false }

func (l *local) close() {
	if l.host != nil {
		l.host.Close()
	}
}
