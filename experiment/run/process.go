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
	// shortly is when cells that were expected to be short are stopped.
	shortly = 4 * shortCells
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

	running context.Context // until the process was waited for
	waited  context.CancelFunc
}

// start gives a process with commands its own /dev/shm if the system allows it.
func (p *process) start(ctx context.Context) error {
	if !p.worker.AllowCommands || p.worker.lacks.isolation.Load() {
		return p.launch(ctx, p.worker.Process())
	}
	cmd := p.worker.Process()
	if !outside.Isolate(cmd) {
		return p.launch(ctx, cmd)
	}
	refused := p.launch(ctx, cmd)
	if refused == nil || ctx.Err() != nil {
		return refused
	}
	if err := p.launch(ctx, p.worker.Process()); err != nil {
		return err
	}
	if !p.worker.lacks.isolation.Swap(true) {
		p.worker.Report("", fmt.Errorf("%w: %w", errIsolation, refused))
	}
	return nil
}

var errIsolation = errors.New("files of commands in /dev/shm do not count to limits.memory and may stay: only the limit of a container bounds them; user namespaces, with mounts in them, would have to be allowed")

func (p *process) launch(ctx context.Context, cmd *exec.Cmd) error {
	mark := ""
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
	from := paths.NewDecoder(out)
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

func (p *process) compute(ctx context.Context, list []*queue.Delivery) ([]*queue.Sealed, error) {
	for tries := 1; ; tries++ {
		outcomes, bad, err := p.attempt(ctx, list)
		if bad == nil {
			return outcomes, err
		}
		// Other workers remove files of a shared cache. A data set that stays bad is damaged at the
		// server.
		if p.files.remove(bad.digest + cachedEnding); tries == dataTries {
			return nil, &queue.DamagedError{Object: bad.digest, Err: bad.err}
		}
	}
}

// attempt asks once. bad is a data set with an unusable file.
func (p *process) attempt(ctx context.Context, list []*queue.Delivery) (outcomes []*queue.Sealed, bad *dataError, err error) {
	requests := make([]*request, len(list))
	for i, d := range list {
		if requests[i], err = p.request(ctx, d); err != nil && i == 0 {
			return nil, nil, err
		}
		if err != nil { // which is that of the first then
			list, requests = list[:i], requests[:i]
			break
		}
	}
	if p.child == nil || p.child.running.Err() != nil {
		p.close()
		if err := p.start(ctx); err != nil {
			return nil, nil, err
		}
	}
	p.child.stderr.take()
	began := time.Now()
	for _, d := range list {
		d.Begin()
	}
	if err := p.child.asks.Encode(&message{Kind: messageCompute, Requests: requests}); err != nil {
		p.drop()
		return nil, nil, fmt.Errorf("asking a slot's process: %w", err)
	}
	return p.await(ctx, list, began)
}

func (p *process) request(ctx context.Context, d *queue.Delivery) (*request, error) {
	r := &request{Task: d.Body(), Data: make(map[string]string, len(d.Task.Data)), Commands: p.worker.AllowCommands, Signature: p.worker.signature(d)}
	if r.Commands {
		for _, name := range d.Task.Env {
			if value, ok := os.LookupEnv(name); ok && outside.CheckVariable(name) == nil {
				if r.Env == nil {
					r.Env = map[string]string{}
				}
				r.Env[name] = value
			}
		}
	}
	for _, digest := range slices.Concat(d.Task.Data, d.Task.Files) {
		path, err := p.files.file(ctx, digest)
		if err != nil {
			return nil, err
		}
		r.Data[digest] = path
	}
	return r, nil
}

// await kills a process without an answer; one that ends by itself fails the cell. Which of several
// cells ended the process is not known.
func (p *process) await(ctx context.Context, list []*queue.Delivery, began time.Time) ([]*queue.Sealed, *dataError, error) {
	d, several := list[0], len(list) > 1
	var deadline, long <-chan time.Time // never without a limit
	if limit := d.Task.Limits.Timeout; several {
		timer := time.NewTimer(shortly)
		defer timer.Stop()
		long = timer.C
	} else if limit > 0 {
		timer := time.NewTimer(limit + patience)
		defer timer.Stop()
		deadline = timer.C
	}
	told, dropped := ctx.Done(), d.Cancelled()
	for {
		select {
		case a, ok := <-p.child.answers:
			if ok {
				return p.receive(a, list)
			}
			p.child.close()
			ended := p.child.end()
			if p.child = nil; several {
				return nil, nil, nil
			}
			outcome := begin(&d.Task, began)
			end(outcome, experiment.Failed, "computing this cell ended its process: "+ended)
			return []*queue.Sealed{p.worker.seal(d, outcome)}, nil, nil
		case <-told:
		case <-dropped:
		case <-long:
		case <-deadline:
			p.drop()
			if ctx.Err() != nil || d.Dropped() || several {
				return nil, nil, nil
			}
			outcome := begin(&d.Task, began)
			end(outcome, experiment.Timeout, fmt.Sprintf("not done within %v; told to stop it went on, so its process was killed", d.Task.Limits.Timeout))
			outcome.Short = d.Task.Limits.Timeout.Seconds()
			return []*queue.Sealed{p.worker.seal(d, outcome)}, nil, nil
		}
		told, dropped, long = nil, nil, nil
		timer := time.NewTimer(patience)
		defer timer.Stop()
		deadline = timer.C
		if err := p.child.asks.Encode(&message{Kind: messageCancel}); err != nil {
			p.drop()
			return nil, nil, nil
		}
	}
}

func (p *process) receive(a message, list []*queue.Delivery) ([]*queue.Sealed, *dataError, error) {
	switch {
	case a.Kind == messageData && len(a.Bodies) == 1:
		digest, text, _ := strings.Cut(string(a.Bodies[0]), " ")
		return nil, &dataError{digest, errors.New(text)}, nil
	case a.Kind == messageLast && len(a.Bodies) == 1:
		p.child.close()
		if p.child = nil; len(list) > 1 {
			return nil, nil, nil // it can be of any of them
		}
	case a.Kind == messageOutcome && len(a.Bodies) <= len(list) && (len(a.Bodies) > 0 || len(list) > 1):
	default:
		p.drop()
		return nil, nil, fmt.Errorf("the answer of a slot's process: %d bodies, message type %q", len(a.Bodies), a.Kind)
	}
	outcomes := make([]*queue.Sealed, len(a.Bodies))
	for i, body := range a.Bodies {
		outcome, err := queue.ReadSealed(body)
		if d := list[i]; err == nil && (outcome.Run != d.Task.Run || outcome.Cell != d.Task.Cell || !slices.Contains(experiment.Statuses, outcome.Status)) {
			err = fmt.Errorf("it is of run %q, cell %q and has the status %q", outcome.Run, outcome.Cell, outcome.Status)
		}
		if err != nil {
			if p.child != nil {
				p.drop()
			}
			return nil, nil, fmt.Errorf("the answer of a slot's process: %w", err)
		}
		outcomes[i] = outcome
	}
	return outcomes, nil, nil
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
