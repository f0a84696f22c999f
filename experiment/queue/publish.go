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

// Publish queues tasks, of any runs, in the order of the sequence, which is that of their delivery.
// The server refuses a task whose cell is queued or in flight, and one sent again after its
// confirmation was lost; refused counts both. The counts are of confirmed tasks, even after an
// error, which names the cell. For cells with a result see [Queue.PublishAgain].
func (q *Queue) Publish(ctx context.Context, tasks iter.Seq2[experiment.Task, error]) (published, refused int, err error) {
	return q.PublishAgain(ctx, tasks, nil)
}

// PublishAgain is [Queue.Publish] for runs published before. number returns the known results of a
// cell: [Ended.Number] plus one, 0 for none. Workers look for newer results before they compute the
// cell.
func (q *Queue) PublishAgain(ctx context.Context, tasks iter.Seq2[experiment.Task, error], number func(cell string) uint64) (published, refused int, err error) {
	p := publication{queue: q, lanes: map[string]bool{}, number: number}
	for task, err := range tasks {
		if err == nil {
			err = p.add(ctx, &task)
		}
		if err != nil {
			_ = p.drain(ctx)
			return p.published, p.refused, err
		}
	}
	err = p.drain(ctx)
	return p.published, p.refused, err
}

type publication struct {
	queue              *Queue
	window             []sent
	lanes              map[string]bool
	number             func(cell string) uint64 // nil for a first publication
	published, refused int
}

type sent struct {
	msg    *nats.Msg
	future jetstream.PubAckFuture
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
	lane := laneOf(task)
	if !p.lanes[lane] {
		if err := p.queue.tasks.open(ctx, lane); err != nil {
			return err
		}
		p.lanes[lane] = true
	}
	body, err := encodeTask(task)
	if err != nil {
		return &CellError{task.Run, task.Cell, fmt.Errorf("encoding task: %w", err)}
	}
	if limit := p.queue.conn.MaxPayload(); int64(len(body)) > limit {
		return &CellError{task.Run, task.Cell, fmt.Errorf("task of %d bytes: %w", len(body), &PayloadError{limit})}
	}
	msg := &nats.Msg{Subject: taskTopic.cell(lane, task.Cell), Data: body}
	if p.number != nil {
		msg.Header = nats.Header{numberHeader: {strconv.FormatUint(p.number(task.Cell), 10)}}
	}
	if len(p.window) == p.queue.window {
		if err := p.awaitOldest(ctx); err != nil {
			return err
		}
	}
	p.window = append(p.window, p.queue.send(msg))
	return nil
}

func (p *publication) drain(ctx context.Context) (first error) {
	for len(p.window) > 0 {
		if err := p.awaitOldest(ctx); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (p *publication) awaitOldest(ctx context.Context) error {
	oldest := p.window[0]
	p.window[0] = sent{} // frees the message
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

func (c *connection) send(msg *nats.Msg) sent {
	future, err := c.js.PublishMsgAsync(msg)
	return sent{msg, future, err}
}

func (s sent) wait(ctx context.Context) error {
	if s.future == nil {
		return s.err
	}
	select {
	case <-s.future.Ok():
		return nil
	case err := <-s.future.Err():
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// confirm sends a message again after transient errors.
func (c *connection) confirm(ctx context.Context, s sent, stream string) error {
	err := s.wait(ctx)
	if err == nil || ctx.Err() != nil || !transient(err) {
		return c.namePayload(err)
	}
	return c.store(ctx, "publishing "+s.msg.Subject, stream, s.msg)
}
