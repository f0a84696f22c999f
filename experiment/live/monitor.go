package live

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
)

const (
	// lookEvery is the time between two looks at the queue.
	lookEvery = 2 * time.Second
	// idleEvery is the time between two looks at a run of which nothing is
	// queued or running.
	idleEvery = 20 * time.Second
	// requestWait bounds the requests of a look that belong together.
	requestWait = 15 * time.Second
	// aliveWithin is how long the loop may take for a part of a look before it
	// counts as stuck.
	aliveWithin = time.Minute
	// readyWithin is how old the last good look may be.
	readyWithin = 30 * time.Second
)

// Config is what a [Monitor] needs.
type Config struct {
	Queue   *queue.Queue
	Kinds   []*experiment.Registration // whose outcomes can be read
	Version string                     // of this program

	// Earlier gives the outcomes of the queue's runs that the queue does not have; nil where
	// it has all.
	Earlier run.Earlier

	// Tables offers the tables of runs, and of those of the queue that it has no folder of,
	// as files; nil for none. Whoever gives it closes it.
	Tables *Tables

	// Looked is told of each state after a good look. It must not block. Default:
	// nothing is told.
	Looked func(*State)
	// Report is told of what is survived, a server out of reach for example.
	// Default: nothing is told.
	Report func(error)
}

// Monitor knows how the runs of a queue stand. It is safe for concurrent use.
type Monitor struct {
	config  Config
	schemas map[string]*schema // by kind

	runs   map[string]*watch // used by the loop alone
	failed atomic.Int64      // looks
	beat   atomic.Int64      // when the loop last did something, Unix nanoseconds
	state  atomic.Pointer[State]
}

// New returns a monitor that has not looked yet.
func New(config Config) *Monitor {
	if config.Report == nil {
		config.Report = func(error) {}
	}
	m := &Monitor{config: config, schemas: map[string]*schema{}, runs: map[string]*watch{}}
	for _, kind := range config.Kinds {
		m.schemas[kind.Name()] = newSchema(kind)
	}
	if config.Tables != nil {
		config.Tables.monitor = m
	}
	m.state.Store(&State{Version: config.Version, Runs: []*Run{}, Workers: []Worker{}, Trouble: "the queue was not looked at yet"})
	m.alive()
	return m
}

// Run looks at the queue every two seconds until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		m.look(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// State returns the newest state, which is not to be changed.
func (m *Monitor) State() *State { return m.state.Load() }

// Alive returns nil while the loop goes on, whatever the server does.
func (m *Monitor) Alive() error {
	if silent := time.Since(time.Unix(0, m.beat.Load())); silent > aliveWithin {
		return fmt.Errorf("the loop that reads the queue has not run for %v", silent.Round(time.Second))
	}
	return nil
}

// Ready returns nil when the server is connected and its streams were read
// lately.
func (m *Monitor) Ready() error {
	state := m.State()
	switch {
	case !m.config.Queue.Connected():
		return errors.New("the NATS server is not connected")
	case state.Trouble != "":
		return fmt.Errorf("the queue cannot be read: %s", state.Trouble)
	case time.Since(state.At) > readyWithin:
		return fmt.Errorf("the queue was last read %v ago", time.Since(state.At).Round(time.Second))
	}
	return nil
}

func (m *Monitor) kept() (n int64) {
	for _, w := range m.runs {
		for _, r := range []*reading{w.shown, w.again} {
			if r != nil {
				n += r.tally.answers.kept
			}
		}
	}
	return n
}

func (m *Monitor) alive() { m.beat.Store(time.Now().UnixNano()) }

// look makes a new state. When the queue cannot be read it is the old one with
// the reason.
func (m *Monitor) look(ctx context.Context) {
	m.alive()
	next, err := m.read(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		m.config.Report(fmt.Errorf("looking at the queue: %w", err))
		m.failed.Add(1)
		old := *m.State()
		old.Trouble = err.Error()
		next = &old
	} else if m.config.Looked != nil {
		m.config.Looked(next)
	}
	m.state.Store(next)
}

func (m *Monitor) read(ctx context.Context) (*State, error) {
	state := &State{Version: m.config.Version, Runs: []*Run{}}
	var runs []queue.Listed
	var workers []queue.Presence
	err := within(ctx, func(ctx context.Context) (err error) {
		if runs, err = m.config.Queue.List(ctx); err != nil {
			return err
		}
		workers, state.Refused, err = m.config.Queue.Workers(ctx)
		state.Workers = DescribeWorkers(workers, time.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	known := m.runs
	m.runs = map[string]*watch{}
	for _, listed := range runs {
		w := known[listed.Name]
		if w == nil {
			if w, err = newWatch(m, listed.Name); err != nil {
				return nil, err
			}
		}
		m.runs[listed.Name] = w
	}
	for _, listed := range runs {
		m.alive()
		w := m.runs[listed.Name]
		if w.due(time.Now(), listed.Open) {
			if err := within(ctx, func(ctx context.Context) error { return w.look(ctx, listed.Open) }); err != nil {
				return nil, err
			}
		}
		w.Bound(workers, time.Now())
		r := w.describe()
		for _, missing := range w.Lacks(workers, time.Now()) {
			r.Unable = append(r.Unable, missing.Text)
		}
		state.Runs = append(state.Runs, r)
	}
	state.At = time.Now()
	return state, nil
}

func within(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	return do(ctx)
}
