package queue

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// Publish queues tasks in the order of the sequence, which is the order of
// their delivery: put the most expensive first. Tasks whose cell is already
// queued or in flight are refused by the server and counted as such; so is a
// task whose confirmation got lost when it is sent again. Both counts are of
// confirmed tasks, also when an error, which names the cell, ends the
// publishing early. The tasks may belong to several runs. It is for cells without
// a result, [Queue.PublishAgain] for others.
func (q *Queue) Publish(ctx context.Context, tasks iter.Seq2[experiment.Task, error]) (published, refused int, err error) {
	return q.publish(ctx, tasks, nil)
}

func (q *Queue) publish(ctx context.Context, tasks iter.Seq2[experiment.Task, error], number func(cell string) uint64) (published, refused int, err error) {
	p := publication{queue: q, runs: map[string]bool{}, number: number}
	for task, err := range tasks {
		if err == nil {
			err = p.add(ctx, &task)
		}
		if err != nil {
			_ = p.drain(ctx) // the first error counts
			return p.published, p.refused, err
		}
	}
	err = p.drain(ctx)
	return p.published, p.refused, err
}

// publication is one call of Publish.
type publication struct {
	queue              *Queue
	window             []sent                   // tasks not confirmed, the oldest first
	runs               map[string]bool          // whose consumer exists
	number             func(cell string) uint64 // of a task, nil for 0
	published, refused int
}

type sent struct {
	msg    *nats.Msg
	future jetstream.PubAckFuture // nil when sending failed with err
	err    error
}

func (p *publication) add(ctx context.Context, task *experiment.Task) error {
	if ctx.Err() != nil {
		return fmt.Errorf("publishing: %w", context.Cause(ctx))
	}
	if err := validRun(task.Run); err != nil {
		return fmt.Errorf("publishing: %w", err)
	}
	if err := ValidName(task.Cell); err != nil {
		return fmt.Errorf("publishing to run %s: cell %w", task.Run, err)
	}
	if !p.runs[task.Run] {
		if err := p.queue.tasks.open(ctx, task.Run); err != nil {
			return err
		}
		p.runs[task.Run] = true
	}
	body, err := encodeTask(task)
	if err != nil {
		return &CellError{task.Run, task.Cell, fmt.Errorf("encoding task: %w", err)}
	}
	if limit := p.queue.conn.MaxPayload(); int64(len(body)) > limit {
		return &CellError{task.Run, task.Cell, fmt.Errorf("task of %d bytes: %w", len(body), &PayloadError{limit})}
	}
	if len(p.window) == p.queue.config.Window {
		if err := p.settle(ctx); err != nil {
			return err
		}
	}
	msg := &nats.Msg{Subject: taskTopic.cell(task.Run, task.Cell), Data: body}
	if p.number != nil {
		msg.Header = nats.Header{numberHeader: {strconv.FormatUint(p.number(task.Cell), 10)}}
	}
	p.window = append(p.window, p.queue.send(msg))
	return nil
}

// drain waits for all confirmations and returns the first error among them.
func (p *publication) drain(ctx context.Context) error {
	var first error
	for len(p.window) > 0 {
		if err := p.settle(ctx); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// settle waits for the confirmation of the oldest task.
func (p *publication) settle(ctx context.Context) error {
	oldest := p.window[0]
	p.window[0] = sent{} // what is confirmed takes no memory
	p.window = p.window[1:]
	err := p.queue.confirm(ctx, oldest, tasksStream)
	switch {
	case err == nil:
		p.published++
	case refusal(err):
		p.refused++
	default:
		return &CellError{runOf(oldest.msg.Subject), cellOf(oldest.msg.Subject), fmt.Errorf("publishing task: %w", err)}
	}
	return nil
}

// send sends a message to be confirmed.
func (c *connection) send(msg *nats.Msg) sent {
	future, err := c.js.PublishMsgAsync(msg)
	return sent{msg, future, err}
}

// confirm waits until a message that was sent is stored, and sends it again while
// it is not for reasons that can pass.
func (c *connection) confirm(ctx context.Context, s sent, stream string) error {
	err := s.err
	if s.future != nil {
		select {
		case <-s.future.Ok():
		case err = <-s.future.Err():
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err == nil || ctx.Err() != nil || !transient(err) {
		return c.namePayload(err)
	}
	return c.store(ctx, "publishing "+s.msg.Subject, stream, s.msg)
}
