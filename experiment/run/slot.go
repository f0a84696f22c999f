package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
)

const (
	// watchEvery is the time between two looks at the memory of a cell.
	watchEvery = 10 * time.Millisecond
	// slotCacheBytes is how much the data sets that no cell uses at the moment
	// may take in the process of a slot.
	slotCacheBytes = 256 << 20
	// briefly is how long, in seconds, a cell must last for its peak to be asked
	// for, which takes longer than many cells that compute nothing; a shorter one
	// cannot fill more than a few MiB.
	briefly = 0.001
	// slack is memory that is not given back between cells: getting it back
	// from the system costs more than it is worth.
	slack = 64 << 20
)

// slot computes cells in a process of its own for a worker.
type slot struct {
	kinds  []experiment.Kind
	memory *memory
	rest   int64 // bytes in use before the first cell
	most   int64 // bytes that the runtime is allowed, see GOMEMLIMIT
	limit  int64 // that it has now; setting it stops all goroutines for a moment
	data   *dataCache

	writing sync.Mutex
	out     io.Writer
}

// ServeSlot is the process that [Worker.Process] starts: it computes the cells
// that a worker asks for on in and answers on out, until in ends. Whatever a
// cell does to its process, to end it, to take all memory, to hang, it does to
// this one. A cell that takes more memory than its limit ends the process after
// the answer.
func ServeSlot(in io.Reader, out io.Writer, kinds []experiment.Kind) error {
	s := &slot{kinds: kinds, memory: openMemory(), out: out}
	s.data = newDataCache(slotCacheBytes, nil)
	s.rest, _ = s.memory.now()
	s.most = debug.SetMemoryLimit(-1)
	s.limit = s.most
	if err := s.answer(frameReady, nil); err != nil {
		return err
	}
	// One goroutine serves all requests: its stack has grown once.
	requests := make(chan func())
	defer close(requests)
	go func() { // ends with in, or with the process while a cell is computed
		for serve := range requests {
			serve()
		}
	}()
	cancel := func() {}
	for frames := bufio.NewReader(in); ; {
		kind, body, err := readFrame(frames)
		if errors.Is(err, io.EOF) {
			return nil // a cell that is being computed ends with the process
		}
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		switch kind {
		case frameCancel:
			cancel()
		case frameCompute:
			r, err := decodeRequest(body)
			if err != nil {
				return fmt.Errorf("reading a request: %w", err)
			}
			ctx, stop := context.WithCancel(context.Background())
			cancel = stop
			requests <- func() { s.serve(ctx, stop, r) } // the worker sends the next request after the answer
		default:
			return fmt.Errorf("reading a request: frame %q is not known", kind)
		}
	}
}

func (s *slot) answer(kind byte, body []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return writeFrame(s.out, kind, body)
}

// dataError says that the file of a data set cannot be used.
type dataError struct {
	digest string
	err    error
}

func (e *dataError) Error() string { return fmt.Sprintf("file of data set %s: %v", e.digest, e.err) }

// serve computes one request and answers.
func (s *slot) serve(ctx context.Context, stop context.CancelFunc, r *request) {
	defer stop()
	task, err := queue.DecodeTask(r.Task)
	if err != nil {
		panic(fmt.Sprintf("the worker sent a task that cannot be read: %v", err))
	}
	s.data.fetch = func(_ context.Context, digest string) (*dataset.Dataset, error) {
		set, err := readDataset(r.Data[digest], digest)
		if err != nil {
			return nil, &dataError{digest, err}
		}
		return set, nil
	}
	s.makeRoom(task)
	for _, digest := range task.Data {
		var bad *dataError
		if _, err := s.data.Dataset(ctx, digest); errors.As(err, &bad) {
			s.mustAnswer(frameData, []byte(bad.digest+" "+bad.Error()))
			return
		}
	}
	outcome := s.compute(ctx, task)
	body, err := queue.EncodeOutcome(outcome)
	if err != nil {
		outcome.Status, outcome.Error = experiment.Failed, fmt.Sprintf("encoding the outcome: %v", err)
		outcome.Measures, outcome.Further = experiment.Batch{}, nil
		if body, err = queue.EncodeOutcome(outcome); err != nil {
			panic(fmt.Sprintf("encoding an outcome without rows: %v", err))
		}
	}
	s.mustAnswer(frameOutcome, body)
}

// mustAnswer ends the process when nobody can hear it.
func (s *slot) mustAnswer(kind byte, body []byte) {
	if err := s.answer(kind, body); err != nil {
		fmt.Fprintln(os.Stderr, "answering the worker:", err)
		os.Exit(1)
	}
}

// makeRoom gives memory of earlier cells back, so that a cell begins with what
// the process takes at rest and its own data sets.
func (s *slot) makeRoom(task *experiment.Task) {
	soft := s.most
	if limit := task.Limits.Memory; limit > 0 {
		soft = min(soft, s.rest+limit-limit/8) // garbage is collected before the limit is met
		s.data.trim(min(slotCacheBytes, limit/4), task.Data)
	}
	if soft != s.limit {
		debug.SetMemoryLimit(soft)
		s.limit = soft
	}
	if now, ok := s.memory.now(); ok && now > s.rest+s.data.size()+slack {
		debug.FreeOSMemory()
	}
}

// compute computes a task and watches its memory.
func (s *slot) compute(ctx context.Context, task *experiment.Task) *experiment.Outcome {
	s.memory.begin()
	began := time.Now().UTC()
	watched := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	go func() { // ends with the computation
		defer close(watched)
		s.watch(ctx, task, began)
	}()
	outcome := Compute(ctx, s.kinds, task, s.data)
	cancel()
	<-watched
	peak, ok := s.memory.now()
	if outcome.Wall > briefly {
		peak, ok = s.memory.peak()
	}
	if ok {
		own := max(peak-s.rest, 0)
		outcome.Peak = &own
	}
	return outcome
}

// watch ends the process when the cell takes more than its limit. The data
// sets it reads count.
func (s *slot) watch(ctx context.Context, task *experiment.Task, began time.Time) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now, ok := s.memory.now()
		if !ok {
			return
		}
		s.memory.sample(now)
		own := now - s.rest
		if limit := task.Limits.Memory; limit == 0 || own <= limit {
			continue
		}
		outcome := begin(task, began)
		end(outcome, experiment.Memory, fmt.Sprintf("it took %d MiB; its limit is %d MiB", own>>20, task.Limits.Memory>>20))
		outcome.Peak = &own
		body, err := queue.EncodeOutcome(outcome)
		if err != nil {
			body = nil // the labels, which came this way as JSON, cannot be wrong
		}
		s.writing.Lock() // for ever: the computation must not answer as well
		if err := writeFrame(s.out, frameLast, body); err != nil {
			fmt.Fprintln(os.Stderr, "answering the worker:", err)
		}
		os.Exit(0)
	}
}
