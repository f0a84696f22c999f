package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

const (
	// readFor is how long outcomes of a run are read before the next run's turn.
	readFor = time.Second
	// againAfter is the minimum time between readings of a run from the start; after a long reading
	// it is ten times its duration.
	againAfter = 20 * time.Second
)

// reading is a pass over the outcomes of a run from the first.
type reading struct {
	feed   *queue.Feed
	tally  *tally
	took   time.Duration
	at     time.Time // of its start
	begun  bool      // earlier outcomes are read
	caught bool      // up with the newest outcome
}

// watch is the monitor's memory of a run.
type watch struct {
	Follower
	monitor *Monitor

	open       bool
	looked     time.Time
	throughput Throughput
	earlier    map[experiment.Status]int64 // cells that ended before; the queue does not have them

	shown *reading
	again *reading // replaces shown when complete; may be nil
}

func newWatch(m *Monitor, name string) (*watch, error) {
	follower, err := NewFollower(m.config.Queue, name)
	if err != nil {
		return nil, err
	}
	w := &watch{Follower: *follower, monitor: m}
	w.shown, err = w.newReading()
	return w, err
}

func (w *watch) newReading() (*reading, error) {
	feed, err := w.monitor.config.Queue.Feed(w.name)
	if err != nil {
		return nil, err
	}
	feed.Has = w.has
	return &reading{feed: feed, tally: newTally(w.monitor.schemas), at: time.Now()}, nil
}

// due reports whether it is time to look at the run; idle runs wait longer.
func (w *watch) due(now time.Time, open bool) bool {
	rest := w.Standing.Left() == 0 && w.shown.caught && w.again == nil && w.open == open
	return !rest || now.Sub(w.looked) >= idleEvery
}

func (w *watch) look(ctx context.Context, open bool) error {
	w.open = open
	first := !w.described
	if err := w.know(ctx); err != nil {
		return err
	}
	if first && w.Damaged != nil {
		w.monitor.config.Report(fmt.Errorf("reading the description of run %s: %w", w.name, w.Damaged))
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
	if err := w.Look(ctx); err != nil {
		return err
	}
	for status, n := range w.earlier {
		w.Standing.Ended[status] += n
		w.Standing.Results += n
		w.Standing.Unqueued -= n
	}
	w.looked = time.Now()
	if w.shown.caught && w.again == nil {
		w.throughput.Note(Sample{w.looked, w.shown.tally.total, w.shown.tally.wall})
	}
	// The tally was made first and results stay: only repeated cells or a purge can make it larger.
	if w.again == nil && w.shown.tally.total > w.Standing.Results && time.Since(w.shown.at) > againAfter+10*w.shown.took {
		var err error
		if w.again, err = w.newReading(); err != nil {
			return err
		}
	}
	return nil
}

// read continues a reading for readFor.
func (w *watch) read(ctx context.Context, r *reading) error {
	start := time.Now()
	defer func() { r.took += time.Since(start) }()
	kept := int64(0)
	for _, of := range w.monitor.runs {
		for _, r := range []*reading{of.shown, of.again} {
			if r != nil {
				kept += r.tally.answers.kept
			}
		}
	}
	r.tally.answers.room = r.tally.answers.kept + max(0, mostScored-kept)
	if !r.begun && w.monitor.config.Earlier != nil {
		w.earlier = map[experiment.Status]int64{}
		if err := w.monitor.config.Earlier(ctx, func(o *experiment.Outcome) error {
			w.earlier[o.Status]++
			r.tally.add(o)
			return nil
		}); err != nil {
			return err
		}
	}
	r.begun = true
	for outcome, err := range r.feed.Next(ctx) {
		var unreadable *queue.CellError
		switch {
		case errors.As(err, &unreadable):
			outcome = &experiment.Outcome{Run: w.name, Cell: unreadable.Cell, Status: experiment.Failed, Error: err.Error(), Finished: time.Now()}
		case err != nil:
			return err
		}
		r.tally.add(outcome)
		if time.Since(start) > readFor {
			return nil
		}
	}
	r.caught = true
	return nil
}
