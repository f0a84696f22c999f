package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
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
	data   dataCache
	host   *outside.Host
	served served

	requests chan requests
	stop     context.CancelFunc // of the newest requests

	writing sync.Mutex
	out     io.Writer

	mu        sync.Mutex
	watched   *experiment.Task // nil for none
	signature signature
	began     time.Time
	watch     *time.Timer
}

// ServeSlot is the process that [Worker.Process] starts: it computes the cells requested on in and
// answers on out, until in ends. A cell that crashes, hangs or takes all memory affects only this
// process. One that exceeds its memory limit ends the process after the answer.
func ServeSlot(in io.Reader, out io.Writer, kinds []experiment.Kind) error {
	isolated, err := outside.Isolated()
	if err != nil {
		return err
	}
	s := &slot{
		kinds: kinds, memory: openMemory(), out: out, requests: make(chan requests), stop: func() {},
	}
	open := func(ctx context.Context, digest string) (io.ReadCloser, error) { return reading(s.File(ctx, digest)) }
	s.host = &outside.Host{Open: open, Alone: outside.Own(), Shared: isolated, Lookup: func(name string) (string, bool) {
		value, ok := s.served.Env[name]
		return value, ok
	}}
	defer s.host.Close()
	s.rest, _ = s.memory.now()
	s.most = debug.SetMemoryLimit(-1)
	s.limit = s.most
	s.watch = time.AfterFunc(time.Hour, s.look)
	s.watch.Stop()
	if err := s.answer(messageReady); err != nil {
		return err
	}
	// One goroutine serves all requests: its stack grows only once.
	defer close(s.requests)
	go func() { // ends with in, or with the process during a cell
		for r := range s.requests {
			s.serve(r)
		}
	}()
	return s.read(withoutThread(in))
}

func (s *slot) read(in io.Reader) error {
	from := paths.NewDecoder(in)
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
			r := requests{list: m.Requests}
			r.ctx, s.stop = context.WithCancel(context.Background())
			s.requests <- r // the worker waits for the previous answer
		default:
			return fmt.Errorf("reading a request: unknown message type %q", m.Kind)
		}
	}
}

func (s *slot) answer(kind byte, bodies ...[]byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return cbor.NewEncoder(s.out).Encode(&message{Kind: kind, Bodies: bodies})
}

type dataError struct {
	digest string
	err    error
}

func (e *dataError) Error() string { return fmt.Sprintf("file of data set %s: %v", e.digest, e.err) }

// requests are answered together.
type requests struct {
	list []*request
	ctx  context.Context // ends on messageCancel
}

// serve answers with the outcomes of the requests before the first of several that was stopped or
// lacks its data.
func (s *slot) serve(all requests) {
	var bodies [][]byte
	for _, r := range all.list {
		body, bad := s.serveOne(all.ctx, r)
		if bad != nil && len(bodies) == 0 {
			s.mustAnswer(messageData, []byte(bad.digest+" "+bad.err.Error()))
			return
		}
		if bad != nil || all.ctx.Err() != nil && len(all.list) > 1 {
			break
		}
		bodies = append(bodies, body)
	}
	s.mustAnswer(messageOutcome, bodies...)
}

func (s *slot) serveOne(ctx context.Context, r *request) ([]byte, *dataError) {
	task, err := queue.DecodeTask(r.Task)
	if err != nil {
		panic(fmt.Sprintf("the worker sent a task that cannot be read: %v", err))
	}
	s.served = served{request: r}
	for _, digest := range task.Files {
		if _, err := s.File(ctx, digest); err != nil {
			return nil, &dataError{digest, err}
		}
	}
	s.makeRoom(task)
	for _, digest := range task.Data {
		var bad *dataError
		if _, err := s.Dataset(ctx, digest); errors.As(err, &bad) {
			return nil, &dataError{bad.digest, bad}
		}
	}
	outcome := s.compute(ctx, task, r.Signature)
	return r.Signature.seal(outcome).Body(), nil
}

// mustAnswer ends the process if the worker is gone.
func (s *slot) mustAnswer(kind byte, bodies ...[]byte) {
	if err := s.answer(kind, bodies...); err != nil {
		fmt.Fprintln(os.Stderr, "answering the worker:", err)
		s.host.Kill()
		os.Exit(1)
	}
}

// makeRoom frees memory of earlier cells.
func (s *slot) makeRoom(task *experiment.Task) {
	soft := s.most
	if limit := task.Limits.Memory; limit > 0 {
		soft = min(soft, s.rest+limit-limit/8) // collects garbage before the limit
		s.data.trim(min(slotCacheBytes, limit/4), task.Data)
	}
	if soft != s.limit {
		debug.SetMemoryLimit(soft)
		s.limit = soft
	}
	if s.used > s.rest+s.data.size()+slack {
		debug.FreeOSMemory()
	}
}

func (s *slot) compute(ctx context.Context, task *experiment.Task, by signature) *experiment.Outcome {
	s.memory.begin()
	s.mu.Lock()
	s.watched, s.signature, s.began = task, by, time.Now()
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
	body := s.signature.seal(outcome).Body()
	s.host.Kill()
	s.writing.Lock() // never released: the computation must not answer
	if err := cbor.NewEncoder(s.out).Encode(&message{Kind: messageLast, Bodies: [][]byte{body}}); err != nil {
		fmt.Fprintln(os.Stderr, "answering the worker:", err)
	}
	os.Exit(0)
}
