package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

const (
	watchEvery = 10 * time.Millisecond
	// briefly is the time of a cell, in seconds, below which its peak is not read: reading takes
	// longer, and such a cell fills at most a few MiB.
	briefly = 0.001
	// slack is memory kept between cells: getting it back from the system is slow.
	slack = 64 << 20
)

type slot struct {
	kinds  []experiment.Kind
	memory *memory
	rest   int64 // bytes in use before the first cell
	most   int64 // bytes that the runtime is allowed, see GOMEMLIMIT
	limit  int64 // current; setting it briefly stops all goroutines
	used   int64 // bytes after the last cell, 0 if unknown
	host   *outside.Host
	served served

	reading sync.Mutex
	data    map[string]*dataset.Dataset // by digest, kept between cells

	requests chan func()
	stop     context.CancelFunc // of the newest requests

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	watched *experiment.Task // nil for none
	began   time.Time
	watch   *time.Timer
}

// ServeSlot is the process that [Worker.Process] starts: it computes the cells requested on in and
// answers on out, until in ends. A cell that crashes, hangs or takes all memory affects only this
// process. One that exceeds its memory limit ends the process after the answer.
func ServeSlot(in io.Reader, out io.Writer, kinds []experiment.Kind) error {
	s := &slot{
		kinds: kinds, memory: openMemory(), out: out, requests: make(chan func()), stop: func() {},
		data: map[string]*dataset.Dataset{},
	}
	open := func(ctx context.Context, digest string) (io.ReadCloser, error) { return reading(s.File(ctx, digest)) }
	s.host = &outside.Host{Open: open, Alone: outside.Own(), Lookup: func(name string) (string, bool) {
		value, ok := s.served.Env[name]
		return string(value), ok
	}}
	defer s.host.Close()
	s.rest, _ = s.memory.now()
	s.most = debug.SetMemoryLimit(-1)
	s.limit = s.most
	s.watch = time.AfterFunc(time.Hour, s.look)
	s.watch.Stop()
	if err := s.answer(&message{Kind: messageReady}); err != nil {
		return err
	}
	// One goroutine serves all requests: its stack grows only once.
	defer close(s.requests)
	go func() { // ends with in, or with the process during a cell
		for serve := range s.requests {
			serve()
		}
	}()
	return s.read(withoutThread(in))
}

func (s *slot) read(in io.Reader) error {
	from := cbor.NewDecoder(in)
	for {
		var m message
		err := from.Decode(&m)
		if errors.Is(err, io.EOF) {
			return nil // a current cell ends with the process
		}
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		switch {
		case m.Kind == messageCancel:
			s.stop()
		case m.Kind == messageCompute && len(m.Requests) > 0 && !slices.Contains(m.Requests, nil):
			s.stop()
			var ctx context.Context
			ctx, s.stop = context.WithCancel(context.Background())
			s.requests <- func() { // the worker waits for the previous answers
				for _, r := range m.Requests {
					s.serve(ctx, r)
				}
			}
		default:
			return fmt.Errorf("reading a request: unknown message type %q", m.Kind)
		}
	}
}

func (s *slot) answer(m *message) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return cbor.NewEncoder(s.out).Encode(m)
}

// serve answers with the outcome, or the data set that it lacks. ctx ends on messageCancel.
func (s *slot) serve(ctx context.Context, r *request) {
	task, err := queue.DecodeTask(r.Task)
	if err != nil {
		panic(fmt.Sprintf("the worker sent a task that cannot be read: %v", err))
	}
	s.served = served{request: r}
	for _, digest := range task.Files {
		if _, err := s.File(ctx, digest); err != nil {
			s.mustAnswer(&message{Kind: messageData, Body: []byte(digest + " " + err.Error())})
			return
		}
	}
	s.makeRoom(task)
	for _, digest := range task.Data {
		if _, err := s.Dataset(ctx, digest); err != nil {
			s.mustAnswer(&message{Kind: messageData, Body: []byte(digest + " " + err.Error())})
			return
		}
	}
	outcome := s.compute(ctx, task)
	outcome.Attempts, outcome.Worker, outcome.Version = r.Attempt, r.Worker, r.Version
	answer := &message{Kind: messageOutcome, Body: encode(outcome)}
	if outcome.Status.Computed() {
		answer.Computed = outcome.Status
	}
	s.mustAnswer(answer)
}

// mustAnswer ends the process if the worker is gone.
func (s *slot) mustAnswer(m *message) {
	if err := s.answer(m); err != nil {
		fmt.Fprintln(os.Stderr, "answering the worker:", err)
		s.host.Kill()
		os.Exit(1)
	}
}

// makeRoom frees memory of earlier cells.
func (s *slot) makeRoom(task *experiment.Task) {
	maps.DeleteFunc(s.data, func(digest string, _ *dataset.Dataset) bool { return !slices.Contains(task.Data, digest) })
	soft := s.most
	if limit := task.Limits.Memory; limit > 0 {
		soft = min(soft, s.rest+limit-limit/8) // collects garbage before the limit
	}
	if soft != s.limit {
		debug.SetMemoryLimit(soft)
		s.limit = soft
	}
	kept := s.rest + slack
	for _, set := range s.data {
		kept += 8 * int64(len(set.X)+len(set.Y))
	}
	if s.used > kept {
		debug.FreeOSMemory()
	}
}

func (s *slot) compute(ctx context.Context, task *experiment.Task) *experiment.Outcome {
	s.memory.begin()
	s.mu.Lock()
	s.watched, s.began = task, time.Now()
	s.mu.Unlock()
	s.watch.Reset(watchEvery)
	var host *outside.Host
	if s.served.Commands {
		host = s.host
	}
	outcome := Compute(ctx, s.kinds, task, withCommands(s, host))
	s.watch.Stop()
	s.mu.Lock() // waits for a look in progress
	s.watched = nil
	s.mu.Unlock()
	peak, ok := s.memory.now()
	s.used = peak
	if outcome.Wall > briefly {
		peak, ok = s.memory.peak()
	}
	if ok {
		own := max(peak-s.rest+s.served.mostForeign, 0)
		outcome.Peak = &own
	}
	return outcome
}

// look ends the process when the cell, including its data sets, exceeds its memory limit.
func (s *slot) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched == nil {
		return
	}
	now, ok := s.memory.now()
	s.memory.sample(now)
	own := now - s.rest + s.commandMemory()
	limit := s.watched.Limits.Memory
	if limit == 0 || !ok || own <= limit {
		s.watch.Reset(watchEvery)
		return
	}
	outcome := begin(s.watched, s.began)
	took, allowed := dataset.Amounts(own, limit)
	end(outcome, experiment.Memory, fmt.Sprintf("it took %s; its limit is %s", took, allowed))
	outcome.Peak, outcome.Short = &own, float64(limit)
	body := encode(outcome)
	s.host.Kill()
	s.writing.Lock() // never released: the computation must not answer
	if err := cbor.NewEncoder(s.out).Encode(&message{Kind: messageLast, Body: body}); err != nil {
		fmt.Fprintln(os.Stderr, "answering the worker:", err)
	}
	os.Exit(0)
}

// slotStatus is what a worker announces of its slots.
type slotStatus struct {
	worker *Worker

	mu       sync.Mutex
	presence queue.Presence
	slots    []slotCell           // zero if idle
	worked   bool                 // since the last announcement
	troubles []string             // by slot
	damaged  map[string]time.Time // data sets at the server, and when last found damaged
}

type slotCell struct {
	queue.Running
	task *experiment.Task
}

const damagedFor = time.Minute

func newSlotStatus(w *Worker) *slotStatus {
	return &slotStatus{
		worker: w, slots: make([]slotCell, w.Slots), troubles: make([]string, w.Slots),
		presence: queue.Presence{Name: w.Name, Version: w.Version, Slots: w.Slots, Started: time.Now().UTC(), Computes: w.abilities()},
		damaged:  map[string]time.Time{},
	}
}

func (s *slotStatus) begin(slot int, d *queue.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots[slot] = slotCell{queue.Running{Run: d.Task.Run, Cell: d.Task.Cell, Since: time.Now().UTC(), Attempt: d.Attempt}, &d.Task}
	s.worked = true
}

// end follows a task, begun or not; trouble is why it could not be computed.
func (s *slotStatus) end(slot int, d *queue.Delivery, outcome *experiment.Outcome, trouble error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := &s.slots[slot]; of.Run == d.Task.Run && of.Cell == d.Task.Cell {
		*of = slotCell{}
	}
	s.troubles[slot] = ""
	switch {
	case errors.As(trouble, new(*outside.LackError)): // announced by run
	case trouble != nil:
		s.troubles[slot] = trouble.Error()
		if damaged := new(queue.DamagedError); errors.As(trouble, &damaged) {
			digest, _, _ := strings.Cut(damaged.Object, "/")
			s.damaged[digest] = time.Now()
		}
	case outcome == nil:
	case outcome.Status.Computed():
		s.presence.Done++
	case outcome.Status.Failed():
		s.presence.Failed++
	}
}

func (s *slotStatus) tell(ctx context.Context, stopped <-chan struct{}) {
	ticker := time.NewTicker(queue.PresenceEvery)
	defer ticker.Stop()
	state := ""
	for {
		s.announce(state)
		select {
		case <-ticker.C:
		case <-stopped:
			state, stopped = queue.Stopping, nil
		case <-ctx.Done():
			s.announce(queue.Gone)
			return
		}
	}
}

// announce takes "" for working or idle.
func (s *slotStatus) announce(state string) {
	s.worker.Health.alive()
	p := s.says(state)
	if err := s.worker.Queue.Announce(&p); err != nil {
		s.worker.Report("", fmt.Errorf("announcing the worker: %w", err))
	}
}

func (s *slotStatus) says(state string) queue.Presence {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.presence
	for at, of := range s.slots {
		if of.Cell != "" {
			if kind, err := experiment.Named(of.task.Kind); err == nil && kind.Layout != nil {
				of.What = kind.Describe(&of.task.Labels)
			}
			p.Running = append(p.Running, of.Running)
		}
		if s.troubles[at] != "" {
			p.Trouble = s.troubles[at]
		}
	}
	slices.SortFunc(p.Running, func(a, b queue.Running) int { return a.Since.Compare(b.Since) })
	if state == "" {
		state = queue.Idle
		if s.worked || len(p.Running) > 0 {
			state = queue.Working
		}
	}
	s.worked = false
	maps.DeleteFunc(s.damaged, func(_ string, at time.Time) bool { return time.Since(at) > damagedFor })
	p.Lacks = s.worker.lacks.list()
	if p.Trouble == "" && len(p.Lacks) > 0 {
		p.Trouble = p.Lacks[0].String()
	}
	p.Damaged = slices.Sorted(maps.Keys(s.damaged))
	p.State, p.At = state, time.Now().UTC()
	return p
}
