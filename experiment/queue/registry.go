package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// runFeed is a lane of a run to pull from.
type runFeed struct {
	run      string
	lane     string
	consumer jetstream.Consumer
	orders   jetstream.Consumer
	account  *account // shared by the lanes of the run
	turn     uint64   // of the last request
	empty    time.Time
	dry      bool          // has given nothing since, or never
	slots    int           // that compute its tasks
	seconds  float64       // mean computing time per task; 0 for none yet
	rest     time.Time     // left to other workers until then
	wait     time.Duration // the last such period

	heard *atomic.Pointer[heard] // shared by the lanes of the run
	held  atomic.Int64           // unsettled deliveries
}

// registry is the list of runs, read periodically, and their turns.
type registry struct {
	queue    *Queue
	every    time.Duration
	commands bool
	several  int // maximum number of tasks in a pull

	listing sync.Mutex // held while the list is read

	mu      sync.Mutex
	read    time.Time
	sources []*runFeed
	current bool
	foreign map[string]bool // not of this package
	missing time.Time       // when the streams were first missing; guarded by listing
	said    bool            // that was reported; guarded by listing
	turn    uint64
	owners  map[string]*owner
	bills   map[*bill]struct{}
}

// refresh reads a list older than every. If that fails, it reports the error and keeps the old one.
func (r *registry) refresh(ctx context.Context) error {
	if r.fresh() {
		return nil
	}
	if !r.listing.TryLock() {
		if sources, _ := r.all(); len(sources) > 0 {
			return nil // another slot reads it
		}
		r.listing.Lock()
	}
	defer r.listing.Unlock()
	if r.fresh() {
		return nil
	}
	sources, err := inTime(ctx, requestWait, r.list)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, nats.ErrConnectionClosed):
		return fmt.Errorf("listing runs: %w", err)
	default:
		r.queue.config.Report(fmt.Errorf("listing runs, trying again: %w", err))
		sources, _ = r.all()
	}
	r.mu.Lock()
	r.sources, r.read, r.current = sources, time.Now(), err == nil
	r.mu.Unlock()
	return nil
}

func (r *registry) list(ctx context.Context) ([]*runFeed, error) {
	lanes, err := r.queue.tasks.lanes(ctx)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		r.noteMissing()
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.missing = time.Time{}
	known := map[string]*runFeed{}
	sources, _ := r.all()
	for _, s := range sources {
		known[s.lane] = s
	}
	sources = nil
	runs := map[string]*runFeed{}
	slices.Sort(lanes) // a run precedes its second lane
	for _, name := range lanes {
		run := runOfLane(name)
		if run != name && (!r.commands || runs[run] == nil) { // not for this worker, or cancelled
			continue
		}
		if s := known[name]; s != nil {
			if s.heard.Load().Paused { // nothing else would ask
				if _, err := r.ask(ctx, s); err != nil && !gone(err) {
					return nil, fmt.Errorf("run %s: %w", name, err)
				}
			}
			sources, runs[name] = append(sources, s), s
			continue
		}
		if r.foreign[name] {
			continue
		}
		consumer, err := r.queue.js.Consumer(ctx, tasksStream, name)
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", name, err)
		}
		if consumer.CachedInfo().Config.FilterSubject != taskTopic.run(name) {
			r.foreign[name] = true // guarded by listing
			continue
		}
		s := &runFeed{run: run, lane: name, consumer: consumer, dry: true}
		if of := runs[run]; of != nil {
			s.orders, s.heard, s.account = of.orders, of.heard, of.account
		} else {
			s.orders, s.heard, s.account = consumer, new(atomic.Pointer[heard]), new(account)
			s.note(consumer.CachedInfo())
		}
		sources, runs[name] = append(sources, s), s
	}
	return sources, nil
}

// noteMissing reports missing streams once, after a coordinator started with the worker had time to
// make them.
func (r *registry) noteMissing() {
	switch {
	case r.missing.IsZero():
		r.missing = time.Now()
	case !r.said && time.Since(r.missing) > requestWait:
		r.said = true
		r.queue.config.Report(&NoStreamsError{connectedTo(r.queue.conn).String(), r.queue.config.Domain})
	}
}

func (r *registry) fresh() bool { return r.due() > 0 }

func (r *registry) due() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.every - time.Since(r.read)
}

func (r *registry) expire() {
	r.mu.Lock()
	r.read = time.Time{}
	r.mu.Unlock()
}

func (r *registry) all() (sources []*runFeed, current bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sources, r.current
}

// firstRest and mostRest bound how long a run is left to others; the time doubles until this worker
// can compute one of its tasks.
const firstRest, mostRest = time.Second, 30 * time.Second

func (r *registry) leave(s *runFeed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.After(s.rest) {
		s.wait = min(max(2*s.wait, firstRest), mostRest)
		s.rest = now.Add(s.wait)
	}
}

func (r *registry) join(s *runFeed) {
	r.mu.Lock()
	s.rest, s.wait = time.Time{}, 0
	r.mu.Unlock()
}

func (r *registry) left(s *runFeed) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(s.rest)
}

func (r *registry) empty(s *runFeed) {
	r.mu.Lock()
	s.empty, s.dry = time.Now(), true
	r.mu.Unlock()
}
