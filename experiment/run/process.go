package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

const (
	// startWait bounds the start of a slot's process.
	startWait = 30 * time.Second
	// patience is how long a cell may take to stop after it was told to,
	// before its process is killed.
	patience = time.Second
	// dataTries is how often a cell's data sets are fetched before they are
	// believed to be no good.
	dataTries = 5
)

// process computes cells in a process of its own, which is started when it is
// needed and replaced when a cell ends it.
type process struct {
	command func() *exec.Cmd
	files   *diskCache

	child *child // nil while there is none
}

// child is a running process of a slot.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	stderr  *head
	answers chan answer   // closed when no more come
	ended   chan struct{} // closed when the process was waited for
}

type answer struct {
	kind byte
	body []byte
}

// start starts the process and waits until it can compute.
func (p *process) start(ctx context.Context) error {
	cmd := p.command()
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting a slot's process: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting a slot's process: %w", err)
	}
	c := &child{cmd: cmd, in: in, stderr: new(head), answers: make(chan answer, 1), ended: make(chan struct{})}
	cmd.Stderr = c.stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting a slot's process: %w", err)
	}
	go c.listen(out) // ends with the process
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	select {
	case first, ok := <-c.answers:
		if ok && first.kind == frameReady {
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

// listen reads answers until the process ends.
func (c *child) listen(out io.Reader) {
	defer close(c.ended)
	r := bufio.NewReader(out)
	for {
		kind, body, err := readFrame(r)
		if err != nil {
			break
		}
		c.answers <- answer{kind, body}
	}
	close(c.answers)
	_ = c.cmd.Wait() // how it ended is in ProcessState
}

// kill ends the process and waits for its end.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it can have ended by itself
	c.close()
}

// close lets the process end and waits for its end.
func (c *child) close() {
	c.in.Close()
	for range c.answers { // what nobody waits for
	}
	<-c.ended
}

// end tells how the process ended, with what it wrote last.
func (c *child) end() string {
	text := c.cmd.ProcessState.String()
	if said := c.stderr.take(); said != "" {
		text += "\n" + said
	}
	return text
}

// close ends the process.
func (p *process) close() {
	if p.child == nil {
		return
	}
	p.child.in.Close()
	select {
	case <-p.child.ended:
	case <-time.After(patience):
		p.child.kill()
	}
	p.child = nil
}

// drop kills the process; the next cell gets another one.
func (p *process) drop() {
	p.child.kill()
	p.child = nil
}

// compute implements [computer].
func (p *process) compute(ctx context.Context, d *queue.Delivery) (*experiment.Outcome, error) {
	for tries := 1; ; tries++ {
		outcome, bad, err := p.attempt(ctx, d)
		if bad == nil {
			return outcome, err
		}
		// Other workers remove files of a cache they share, too. A data set
		// that is no good however often it is fetched is the cell's failure.
		if tries == dataTries {
			outcome := begin(&d.Task, time.Now())
			end(outcome, experiment.Failed, bad.Error())
			return outcome, nil
		}
	}
}

// attempt asks the process once. bad is the data set whose file cannot be
// used.
func (p *process) attempt(ctx context.Context, d *queue.Delivery) (outcome *experiment.Outcome, bad *dataError, err error) {
	r := request{Task: d.Body()}
	if len(d.Task.Data) > 0 {
		r.Data = map[string]string{}
	}
	for _, digest := range d.Task.Data {
		file, err := p.files.acquire(ctx, digest)
		if err != nil {
			return nil, nil, err
		}
		defer func() { p.files.release(digest, file, bad != nil && bad.digest == digest) }()
		r.Data[digest] = file.path
	}
	body, err := r.encode()
	if err != nil {
		return nil, nil, fmt.Errorf("asking a slot's process: %w", err)
	}
	if p.child == nil || p.child.over() {
		p.close()
		if err := p.start(ctx); err != nil {
			return nil, nil, err
		}
	}
	p.child.stderr.take()
	began := time.Now()
	d.Begin()
	if err := writeFrame(p.child.in, frameCompute, body); err != nil {
		p.drop()
		return nil, nil, fmt.Errorf("asking a slot's process: %w", err)
	}
	return p.await(ctx, &d.Task, began)
}

// over reports whether the process has ended.
func (c *child) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// await waits for the answer, or kills the process that does not give it.
func (p *process) await(ctx context.Context, task *experiment.Task, began time.Time) (*experiment.Outcome, *dataError, error) {
	outcome := begin(task, began)
	var deadline <-chan time.Time // never without a limit
	if limit := task.Limits.Timeout; limit > 0 {
		timer := time.NewTimer(limit + patience)
		defer timer.Stop()
		deadline = timer.C
	}
	told := ctx.Done()
	for {
		select {
		case a, ok := <-p.child.answers:
			if ok {
				return p.receive(a, outcome)
			}
			p.child.close()
			end(outcome, experiment.Failed, "computing this cell ended its process: "+p.child.end())
			p.child = nil
			return outcome, nil, nil
		case <-told:
			told = nil
			timer := time.NewTimer(patience)
			defer timer.Stop()
			deadline = timer.C
			if err := writeFrame(p.child.in, frameCancel, nil); err != nil {
				p.drop()
				return nil, nil, nil
			}
		case <-deadline:
			p.drop()
			if ctx.Err() != nil {
				return nil, nil, nil
			}
			end(outcome, experiment.Timeout, fmt.Sprintf("not done within %v and deaf to being stopped: its process was ended", task.Limits.Timeout))
			return outcome, nil, nil
		}
	}
}

// receive reads an answer.
func (p *process) receive(a answer, ask *experiment.Outcome) (*experiment.Outcome, *dataError, error) {
	switch a.kind {
	case frameData:
		digest, text, _ := strings.Cut(string(a.body), " ")
		return nil, &dataError{digest, errors.New(text)}, nil
	case frameLast:
		p.child.close()
		p.child = nil
	case frameOutcome:
	default:
		p.drop()
		return nil, nil, fmt.Errorf("a slot's process answered with the frame %q", a.kind)
	}
	outcome, err := queue.DecodeOutcome(a.body)
	if err == nil && (outcome.Run != ask.Run || outcome.Cell != ask.Cell) {
		err = fmt.Errorf("it is of run %q, cell %q", outcome.Run, outcome.Cell)
	}
	if err != nil {
		if p.child != nil {
			p.drop()
		}
		return nil, nil, fmt.Errorf("the answer of a slot's process: %w", err)
	}
	return outcome, nil, nil
}
