package live

import (
	"context"
	"errors"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
)

const (
	// readFor is how long outcomes of one run are read before the next run's
	// turn.
	readFor = time.Second
	// againAfter is the least time between two readings of a run from the
	// start. A reading that took longer waits ten times as long.
	againAfter = 20 * time.Second
)

// reading is a pass over the outcomes of a run from the first one on.
type reading struct {
	feed    *queue.Feed
	tally   *tally
	history History
	took    time.Duration
	at      time.Time // of its start
	caught  bool      // up with the newest outcome
}

// watch is what the monitor remembers of a run.
type watch struct {
	monitor *Monitor
	name    string

	described   bool
	description *run.Description // nil until described, or when there is none
	failures    *queue.FailureIndex
	standing    queue.Standing
	open        bool // its tasks can be pulled
	looked      time.Time
	throughput  Throughput

	shown *reading
	again *reading // that is to replace shown, nil for none
}

func newWatch(m *Monitor, name string) (*watch, error) {
	w := &watch{monitor: m, name: name}
	var err error
	if w.failures, err = m.config.Queue.FailureIndex(name); err != nil {
		return nil, err
	}
	w.shown, err = w.newReading()
	return w, err
}

func (w *watch) newReading() (*reading, error) {
	feed, err := w.monitor.config.Queue.Feed(w.name)
	if err != nil {
		return nil, err
	}
	return &reading{feed: feed, tally: newTally(w.monitor.schemas), at: time.Now()}, nil
}

// due reports whether it is time to look at the run. Those at rest are looked
// at less often.
func (w *watch) due(now time.Time, open bool) bool {
	rest := w.standing.Left() == 0 && w.shown.caught && w.again == nil && w.open == open
	return !rest || now.Sub(w.looked) >= idleEvery
}

// look reads what is new.
func (w *watch) look(ctx context.Context, open bool) error {
	w.open = open
	if !w.described {
		if err := w.describeRun(ctx); err != nil {
			return err
		}
	}
	current := w.shown
	if w.again != nil {
		current = w.again
	}
	if err := w.read(ctx, current); err != nil {
		return err
	}
	if w.again != nil && w.again.caught {
		w.shown, w.again, w.throughput = w.again, nil, Throughput{}
	}
	var cells int64 // of the grid, 0 while that is not known
	if w.description != nil {
		cells = w.description.Cells
	}
	standing, err := w.failures.Standing(ctx, cells)
	if err != nil {
		return err
	}
	w.standing, w.looked = standing, time.Now()
	if w.shown.caught && w.again == nil {
		w.throughput.Note(Sample{w.looked, w.shown.tally.total, w.shown.tally.wall})
	}
	// The tally was made first, and cells keep their results: only cells that
	// came twice, or a purge, can make it the larger one.
	if w.again == nil && w.shown.tally.total > w.standing.Results && time.Since(w.shown.at) > againAfter+10*w.shown.took {
		w.again, err = w.newReading()
	}
	return err
}

func (w *watch) describeRun(ctx context.Context) error {
	description, err := run.Describe(ctx, w.monitor.config.Queue, w.name)
	if damaged := new(queue.DamagedError); errors.As(err, &damaged) { // of this run alone
		w.monitor.config.Report(err)
	} else if err != nil && !errors.Is(err, queue.ErrNoData) {
		return err
	}
	w.description, w.described = description, true
	return nil
}

// read goes on with a reading for a while.
func (w *watch) read(ctx context.Context, r *reading) error {
	start := time.Now()
	defer func() { r.took += time.Since(start) }()
	for stored, err := range r.feed.Next(ctx) {
		var unreadable *queue.CellError
		switch {
		case errors.As(err, &unreadable):
			stored.Outcome = &experiment.Outcome{Run: w.name, Cell: unreadable.Cell, Status: experiment.Failed, Error: err.Error(), Finished: time.Now()}
		case err != nil:
			return err
		}
		r.tally.add(stored.Outcome)
		r.history.add(stored.At, stored.Status)
		if time.Since(start) > readFor {
			return nil
		}
	}
	r.caught = true
	return nil
}
