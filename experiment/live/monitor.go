// Package live watches the runs of a queue and shows them: a page, metrics for Prometheus and
// health checks. It changes nothing.
//
// A [Monitor] looks at the queue every two seconds in one goroutine. Of each run it keeps counters
// by data set and method, the data of the report's answer, the slowest cells and the newest
// failures, all with texts of bounded length. Memory per cell is about 100 bytes if not ok
// ([queue.FailureIndex]), else 17, plus up to 300 for each of the first 300,000. Results of cells
// outside the plan are only counted. Each outcome is read once, without knots and coefficients.
//
// [Tables] offers the tables of runs as files. It reads each outcome of a run of the queue once,
// with knots and coefficients, into a temporary folder, and keeps about 100 bytes a cell.
//
// An outcome that replaces another, as after a retry, is not recognized by itself: that would need
// a memory of every cell. Once more outcomes were counted than cells have one, the run is read
// again from the start. Until then the counters by data set and method are out of date; the numbers
// of the run are not.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/lists"
)

const (
	// idleEvery is the period of looks at a run with nothing queued or running.
	idleEvery = 20 * time.Second
	// requestWait bounds related requests of a look together.
	requestWait = 15 * time.Second
	// aliveWithin bounds a part of a look before the loop counts as stuck.
	aliveWithin = time.Minute
	// readyWithin bounds the age of the last good look.
	readyWithin = 30 * time.Second
)

// Config configures a [Monitor].
type Config struct {
	Queue   *queue.Queue
	Kinds   []*experiment.Registration // that can be read
	Version string                     // of this program
	Every   time.Duration              // period of looks; default: 2 s

	// Earlier gives outcomes of runs that the queue does not have; nil for none.
	Earlier run.Earlier

	// Tables offers the tables of runs as files, reading from the queue if it has no folder; nil
	// for none. The caller closes it.
	Tables *Tables

	// Looked is called after each good look. It must not block.
	Looked func(*State)
	// Report receives errors that the monitor survives, such as an unreachable server.
	Report func(error)
}

// Monitor tracks the runs of a queue. It is safe for concurrent use.
type Monitor struct {
	config  Config
	schemas map[string]*schema // by kind

	runs   map[string]*watch // used only by the loop
	failed atomic.Int64      // looks
	beat   atomic.Int64      // last action of the loop, Unix ns
	state  atomic.Pointer[State]
}

// New returns a monitor that has not looked yet.
func New(config Config) *Monitor {
	if config.Report == nil {
		config.Report = func(error) {}
	}
	m := &Monitor{config: config, schemas: schemasOf(config.Kinds), runs: map[string]*watch{}}
	if config.Tables != nil {
		config.Tables.monitor = m
	}
	m.state.Store(&State{Version: config.Version, Runs: []*Run{}, Workers: []Worker{}, Trouble: "the queue was not looked at yet"})
	m.alive()
	return m
}

// Run looks at the queue every [Config.Every] until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	ticker := time.NewTicker(cmp.Or(m.config.Every, 2*time.Second))
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

// State returns the newest state, which must not be changed.
func (m *Monitor) State() *State { return m.state.Load() }

// Alive returns nil while the loop runs, even without a server.
func (m *Monitor) Alive() error {
	if silent := time.Since(time.Unix(0, m.beat.Load())); silent > aliveWithin {
		return fmt.Errorf("the loop that reads the queue has not run for %v", silent.Round(time.Second))
	}
	return nil
}

// Ready returns nil if the server is connected and its streams were read recently.
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

func (m *Monitor) alive() { m.beat.Store(time.Now().UnixNano()) }

// look replaces the state; if the queue cannot be read, it only adds the reason to the old one.
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
		r := w.describe(workers)
		r.Unable = lists.Map(w.Lacks(workers, time.Now()), func(m run.Missing) string { return m.Text })
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
