package queue

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

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
	began              time.Time
	size               int // of a group, 0 until that is known
	group              []*nats.Msg
	waiting            int
	window             []sentGroup
	lanes              map[string]bool
	number             func(cell string) uint64 // nil for a first publication
	published, refused int
}

type sent struct {
	msg    *nats.Msg
	future jetstream.PubAckFuture
	err    error
}

// sentGroup is a group of tasks, stored as a whole or not at all.
type sentGroup struct {
	tasks []*nats.Msg
	last  sent // its confirmation is that of all
}

const (
	groupSize = 256
	// syncing is the time for the first groupSize tasks above which the server is taken to sync
	// each write: 35 ms and more with sync, 2 to 10 ms without.
	syncing = 20 * time.Millisecond
)

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
	if p.began.IsZero() {
		p.began = time.Now()
	}
	if p.group = append(p.group, msg); len(p.group) < p.size {
		return nil
	}
	return p.send(ctx)
}

func (p *publication) send(ctx context.Context) error {
	for p.waiting > 0 && p.waiting+len(p.group) > p.queue.config.window {
		if err := p.awaitOldest(ctx); err != nil {
			return err
		}
	}
	p.waiting += len(p.group)
	p.window = append(p.window, sentGroup{p.group, p.queue.sendGroup(p.group)})
	p.group = nil
	return nil
}

func (p *publication) drain(ctx context.Context) (first error) {
	if len(p.group) > 0 {
		first = p.send(ctx)
	}
	for len(p.window) > 0 {
		if err := p.awaitOldest(ctx); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// awaitOldest waits for a group. If it was not stored, its tasks are sent one by one.
func (p *publication) awaitOldest(ctx context.Context) (first error) {
	oldest := p.window[0]
	p.window[0] = sentGroup{} // frees the messages
	p.window = p.window[1:]
	p.waiting -= len(oldest.tasks)
	single := []sent{oldest.last}
	if len(oldest.tasks) > 1 {
		err := oldest.last.wait(ctx)
		if err == nil {
			p.published += len(oldest.tasks)
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("publishing: %w", err)
		}
		single = single[:0]
		for _, task := range oldest.tasks {
			single = append(single, p.queue.send(task))
		}
	}
	for _, s := range single {
		err := p.queue.confirm(ctx, s, tasksStream)
		switch {
		case err == nil:
			p.published++
		case refusal(err):
			p.refused++
		case first == nil:
			first = &CellError{runOf(s.msg.Subject), cellOf(s.msg.Subject), fmt.Errorf("publishing task: %w", err)}
		}
	}
	// Further tasks are stored in groups if the server can. If it syncs each write, groups are 3 to 7
	// times as fast; otherwise they would be 4 times slower.
	if p.size == 0 && p.published == groupSize && time.Since(p.began) > syncing {
		p.size = 1
		stream, err := p.queue.stream(ctx, tasksStream)
		if err == nil && stream.CachedInfo().Config.AllowAtomicPublish {
			p.size = min(groupSize, p.queue.config.window)
		}
	}
	return first
}

// Headers of atomic batches (NATS ADR-50), from server 2.12 on. The last message commits.
const (
	batchHeader    = "Nats-Batch-Id"
	sequenceHeader = "Nats-Batch-Sequence"
	commitHeader   = "Nats-Batch-Commit"
)

func (c *connection) sendGroup(group []*nats.Msg) sent {
	last := len(group) - 1
	if last == 0 {
		return c.send(group[0])
	}
	group = slices.Clone(group)
	id := nuid.Next()
	for i, msg := range group {
		header := nats.Header{batchHeader: {id}, sequenceHeader: {strconv.Itoa(i + 1)}}
		maps.Copy(header, msg.Header)
		group[i] = &nats.Msg{Subject: msg.Subject, Header: header, Data: msg.Data}
	}
	for _, msg := range group[:last] {
		if err := c.conn.PublishMsg(msg); err != nil {
			return sent{msg, nil, err}
		}
	}
	group[last].Header[commitHeader] = []string{"1"}
	return c.send(group[last])
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
