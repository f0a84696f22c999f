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

type computer interface {
	// compute computes tasks in order; it calls s.ends also for those it does not compute.
	compute(ctx context.Context, tasks []*queue.Delivery, s *shift)
	close()
}

// shift is a slot's work on one pull.
type shift struct {
	worker     *Worker
	slotStatus *slotStatus
	slot       int
	ctx        context.Context // tasks are computed until its end

	finished []queue.Finished // not settled yet
	wait     time.Duration    // delay of tasks in trouble
	trouble  bool
	began    time.Time
}

func (s *shift) begins(d *queue.Delivery) {
	s.began = time.Now()
	s.slotStatus.begin(s.slot, d)
}

// ends takes an outcome, trouble of the worker, or neither for a task not computed to its end.
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
		s.worker.lacks.note(&d.Task, lack)
		s.worker.unsettled(d, d.Leave(s.worker.settling, lack))
	case errors.As(err, &damage):
		s.worker.Report(d.Task.Cell, fmt.Errorf("handing cell %s back: %w", d.Task.Cell, err))
		s.worker.unsettled(d, d.Decline(s.worker.settling, damage.Error()+"; submitting the grid again replaces it", damagedPause))
	case err != nil:
		s.trouble = true
		s.worker.Report(d.Task.Cell, fmt.Errorf("handing cell %s back and waiting %v: %w", d.Task.Cell, s.wait, err))
		s.worker.reportOutcome(d, nil, s.wait)
	case outcome == nil:
		s.flush() // finished tasks do not wait for this one
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

func (s *shift) flush() {
	for i, err := range s.worker.puller.Done(s.worker.settling, s.finished) {
		s.worker.unsettled(s.finished[i].Delivery, err)
	}
	s.finished = nil
}

type local struct {
	worker *Worker
	data   *dataCache
	host   *outside.Host // nil without commands
}

func (l *local) compute(ctx context.Context, tasks []*queue.Delivery, s *shift) {
	for _, d := range tasks {
		s.begins(d)
		d.Begin()
		outcome, err := l.one(ctx, d)
		s.ends(d, outcome, err)
	}
}

// one computes a task until its run is cancelled. An error says that its data set is damaged at the
// server.
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

func (l *local) close() {
	if l.host != nil {
		l.host.Close()
	}
}
