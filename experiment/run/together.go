package run

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

// together has tasks computed that are sent to the process at a time, and returns
// those that are to be computed alone: when the process ends, or something else is
// out of order, one of them did it, and which one is not known. Once a task takes
// long those behind it are handed back.
func (p *process) together(ctx context.Context, tasks []*queue.Delivery, s *shift) (left []*queue.Delivery) {
	var frames []byte
	for _, d := range tasks {
		body, err := p.request(ctx, d)
		if err != nil {
			return tasks
		}
		if frames, err = appendFrame(frames, frameCompute, body); err != nil {
			return tasks
		}
	}
	if err := p.ready(ctx); err != nil {
		return tasks
	}
	if _, err := p.child.in.Write(frames); err != nil {
		p.drop()
		return tasks
	}
	asked := len(tasks) // answers that are to come
	for len(tasks) > 0 {
		d := tasks[0]
		s.begins(d)
		d.Begin()
		outcome, bad, err := p.await(ctx, d, time.Now(), func() {
			if writeFrame(p.child.in, frameSkip, nil) == nil {
				handBack(s, tasks[1:])
				tasks = tasks[:1]
			}
		})
		asked--
		switch {
		case err != nil:
			if p.child != nil {
				p.drop()
			}
			return append(left, tasks...)
		case bad != nil:
			left = append(left, d)
		default:
			s.ends(d, outcome, nil)
		}
		tasks = tasks[1:]
		if p.child == nil {
			return append(left, tasks...)
		}
	}
	p.discard(asked)
	return left
}

// discard takes the answers to tasks that were handed back, and ends a process that
// does not give them soon.
func (p *process) discard(answers int) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for range answers {
		select {
		case _, ok := <-p.child.answers:
			if ok {
				continue
			}
		case <-timer.C:
		}
		p.drop()
		return
	}
}

// request returns the request for a task.
func (p *process) request(ctx context.Context, d *queue.Delivery) ([]byte, error) {
	r := request{Task: d.Body(), Data: make(map[string]string, len(d.Task.Data)), Commands: p.worker.AllowCommands, Signature: p.worker.signature(d)}
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
	return r.encode()
}
