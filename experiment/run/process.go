package run

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/disk"
)

const (
	startWait = 30 * time.Second
	// patience is how long a cell may take to stop before its process is killed.
	patience = time.Second
	// dataTries is how often data sets are fetched before they count as damaged.
	dataTries = 5
)

// process computes cells in a process of its own, replaced when a cell ends it.
type process struct {
	worker *Worker
	files  *diskCache

	child *child
}

// child is a running process of a slot.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	asks    *cbor.Encoder // to in
	stderr  *head
	mark    string       // of its commands, "" if it may run none
	answers chan message // closed after the last
	asked   int          // requests without an answer yet

	running context.Context // until the process was waited for
	waited  context.CancelFunc
}

func (p *process) start(ctx context.Context) error {
	cmd, mark := p.worker.Process(), ""
	if p.worker.AllowCommands {
		mark = rand.Text()
		cmd.Env = append(slices.Clip(cmd.Environ()), outside.MarkVariable+"="+mark)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting a slot's process: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting a slot's process: %w", err)
	}
	c := &child{cmd: cmd, in: in, asks: cbor.NewEncoder(in), stderr: new(head), mark: mark, answers: make(chan message, 1)}
	c.running, c.waited = context.WithCancel(context.Background())
	cmd.Stderr = c.stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting a slot's process: %w", err)
	}
	go c.listen(out)
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	select {
	case first, ok := <-c.answers:
		if ok && first.Kind == messageReady {
			p.child = c
			return nil
		}
		c.kill()
		return fmt.Errorf("starting a slot's process: %s", c.end())
	case <-ctx.Done():
		c.kill()
		return fmt.Errorf("starting a slot's process: %w", context.Cause(ctx))
	}
}

func (c *child) listen(out io.Reader) {
	defer c.waited()
	from := cbor.NewDecoder(out)
	for {
		var m message
		if from.Decode(&m) != nil {
			break
		}
		c.answers <- m
	}
	close(c.answers)
	_ = c.cmd.Wait()
	if c.mark != "" {
		outside.EndMarked(c.mark) // left by its commands when it was killed
		disk.RemoveLeft(outside.FolderPrefix)
	}
}

func (c *child) kill() {
	if c.mark != "" {
		outside.EndTree(c.cmd.Process.Pid)
	}
	_ = c.cmd.Process.Kill() // it can have ended by itself
	c.close()
}

func (c *child) close() {
	c.in.Close()
	for range c.answers { // drain
	}
	<-c.running.Done()
}

func (c *child) end() string {
	text := c.cmd.ProcessState.String()
	if said := c.stderr.take(); said != "" {
		text += "\n" + said
	}
	return text
}

func (p *process) close() {
	if p.child == nil {
		return
	}
	p.child.in.Close()
	select {
	case <-p.child.running.Done():
	case <-time.After(patience):
		p.child.kill()
	}
	p.child = nil
}

func (p *process) drop() {
	p.child.kill()
	p.child = nil
}

func (p *process) compute(ctx context.Context, list []*queue.Delivery) (*experiment.Outcome, error) {
	for tries := 1; ; tries++ {
		outcome, bad, err := p.attempt(ctx, list)
		if bad == nil {
			return outcome, err
		}
		// Other workers remove files of a shared cache. A data set that stays bad is damaged at the
		// server.
		if p.files.remove(bad.digest + cachedEnding); tries == dataTries {
			return nil, &queue.DamagedError{Object: bad.digest, Err: bad.err}
		}
	}
}

// dataError is a cached file that a slot cannot use.
type dataError struct {
	digest string
	err    error
}

// attempt waits for the first of the tasks. bad is a data set with an unusable file.
func (p *process) attempt(ctx context.Context, list []*queue.Delivery) (outcome *experiment.Outcome, bad *dataError, err error) {
	if p.child == nil || p.child.asked == 0 {
		if err := p.ask(ctx, list); err != nil {
			return nil, nil, err
		}
	}
	list[0].Begin()
	return p.await(ctx, list[0], time.Now())
}

// ask asks for tasks, up to the first of which data is missing.
func (p *process) ask(ctx context.Context, list []*queue.Delivery) error {
	var requests []*request
	for i, d := range list {
		request, err := p.request(ctx, d)
		if err != nil && i > 0 {
			break
		} else if err != nil {
			return err
		}
		requests = append(requests, request)
	}
	if p.child == nil || p.child.running.Err() != nil {
		p.close()
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	p.child.stderr.take()
	p.child.asked = len(requests)
	if err := p.child.asks.Encode(&message{Kind: messageCompute, Requests: requests}); err != nil {
		p.drop()
		return fmt.Errorf("asking a slot's process: %w", err)
	}
	return nil
}

func (p *process) request(ctx context.Context, d *queue.Delivery) (*request, error) {
	r := &request{
		Task: d.Body(), Data: make(map[string]cbor.ByteString, len(d.Task.Data)), Commands: p.worker.AllowCommands,
		Attempt: d.Attempt, Worker: p.worker.Name, Version: p.worker.Version,
	}
	if r.Commands {
		for _, name := range d.Task.Env {
			if value, ok := os.LookupEnv(name); ok && outside.CheckVariable(name) == nil {
				if r.Env == nil {
					r.Env = map[string]cbor.ByteString{}
				}
				r.Env[name] = cbor.ByteString(value)
			}
		}
	}
	for _, digest := range slices.Concat(d.Task.Data, d.Task.Files) {
		path, err := p.files.file(ctx, digest)
		if err != nil {
			return nil, err
		}
		r.Data[digest] = cbor.ByteString(path)
	}
	return r, nil
}

// await kills a process without an answer; one that ends by itself fails the cell.
func (p *process) await(ctx context.Context, d *queue.Delivery, began time.Time) (*experiment.Outcome, *dataError, error) {
	var deadline <-chan time.Time // never without a limit
	if limit := d.Task.Limits.Timeout; limit > 0 {
		timer := time.NewTimer(limit + patience)
		defer timer.Stop()
		deadline = timer.C
	}
	told, dropped := ctx.Done(), d.Cancelled()
	for {
		select {
		case a, ok := <-p.child.answers:
			if ok {
				return p.receive(a, d)
			}
			p.child.close()
			ended := p.child.end()
			p.child = nil
			outcome := begin(&d.Task, began)
			end(outcome, experiment.Failed, "computing this cell ended its process: "+ended)
			return p.worker.sign(d, outcome), nil, nil
		case <-told:
		case <-dropped:
		case <-deadline:
			p.drop()
			if ctx.Err() != nil || d.Dropped() {
				return nil, nil, nil
			}
			outcome := begin(&d.Task, began)
			end(outcome, experiment.Timeout, fmt.Sprintf(experiment.NotWithin+"%v: told to stop it went on, so its process was killed", d.Task.Limits.Timeout))
			outcome.Short = d.Task.Limits.Timeout.Seconds()
			return p.worker.sign(d, outcome), nil, nil
		}
		told, dropped = nil, nil
		timer := time.NewTimer(patience)
		defer timer.Stop()
		deadline = timer.C
		if p.child.asked > 1 || p.child.asks.Encode(&message{Kind: messageCancel}) != nil {
			p.drop()
			return nil, nil, nil
		}
	}
}

func (p *process) receive(a message, d *queue.Delivery) (*experiment.Outcome, *dataError, error) {
	p.child.asked--
	switch a.Kind {
	case messageData:
		if p.child.asked > 0 {
			p.drop()
		}
		digest, text, _ := strings.Cut(string(a.Body), " ")
		return nil, &dataError{digest, errors.New(text)}, nil
	case messageLast:
		p.child.close()
		p.child = nil
	case messageOutcome:
	default:
		p.drop()
		return nil, nil, fmt.Errorf("the answer of a slot's process: message type %q", a.Kind)
	}
	if a.Computed != "" {
		d.Encoded = a.Body
		return &experiment.Outcome{Run: d.Task.Run, Cell: d.Task.Cell, Status: a.Computed}, nil, nil
	}
	outcome, err := queue.DecodeOutcome(a.Body)
	if err == nil && (outcome.Run != d.Task.Run || outcome.Cell != d.Task.Cell || !slices.Contains(experiment.Statuses, outcome.Status)) {
		err = fmt.Errorf("it is of run %q, cell %q and has the status %q", outcome.Run, outcome.Cell, outcome.Status)
	}
	if err != nil {
		if p.child != nil {
			p.drop()
		}
		return nil, nil, fmt.Errorf("the answer of a slot's process: %w", err)
	}
	return p.worker.sign(d, outcome), nil, nil
}

// headBytes of a process's standard error are kept: a panic's message comes first.
const headBytes = 8 << 10

// head keeps the beginning of what is written to it.
type head struct {
	mu   sync.Mutex
	text []byte
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), headBytes-len(h.text))]...)
	return len(p), nil
}

// take returns the beginning of what was written since the last take.
func (h *head) take() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := strings.TrimSpace(string(h.text))
	if len(h.text) == headBytes {
		text += "\n..."
	}
	h.text = nil
	return text
}

// message is what a worker and its slots' processes exchange, in CBOR.
type message struct {
	_        struct{} `cbor:",toarray"`
	Kind     byte
	Requests []*request        // of messageCompute, to be answered in order
	Body     []byte            // of an answer
	Computed experiment.Status // of an outcome that is a result as it is
}

const (
	messageReady   = 'r' // from the slot: ready to compute
	messageCompute = 'c' // to the slot: requests
	messageCancel  = 'x' // to the slot: stop computing
	messageOutcome = 'o' // from the slot: the outcome
	messageLast    = 'l' // from the slot: an outcome, then the process ends
	messageData    = 'd' // from the slot: a digest whose file is unusable
)

// request asks a slot's process for an outcome.
type request struct {
	_    struct{}                   `cbor:",toarray"`
	Task []byte                     // as published
	Data map[string]cbor.ByteString // paths of data sets and files of commands, by digest; need not be UTF-8

	Commands bool                       // whether the task may run one
	Env      map[string]cbor.ByteString // for the command

	Attempt         int // of the outcome
	Worker, Version string
}
