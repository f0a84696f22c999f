package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agepath/agepath/experiment"
)

// MaxBatch is the maximum number of tasks that [Batches.Pull] returns.
const MaxBatch = 16

// Batches pulls the tasks of one slot. It is not safe for concurrent use.
type Batches struct {
	puller  *Puller
	waiting []*Delivery // redelivered or refused, from earlier batches
	bill    *bill
}

// Batches returns the batches of one slot.
func (p *Puller) Batches() *Batches { return &Batches{puller: p} }

// Pull waits for the next task, taking turns among the runs. When ctx ends, it returns the cause at
// once; a task that arrives then is handed back without using up an attempt. With
// [WorkerConfig.Drain] it returns an [*EmptyError] when no task is queued. It settles tasks that
// are done or given up.
func (p *Puller) Pull(ctx context.Context) (*Delivery, error) {
	batches := p.Batches()
	defer batches.Close()
	deliveries, err := batches.Pull(ctx, 1)
	if err != nil {
		return nil, err
	}
	return deliveries[0], nil
}

// Pull is [Puller.Pull] for up to most tasks of one run, [MaxBatch] at most. It is for short cells:
// a pulled task waits for those before it. A redelivered task comes alone, since a worker may have
// died of it.
func (b *Batches) Pull(ctx context.Context, most int) ([]*Delivery, error) {
	p := b.puller
	if !p.enter() {
		return nil, ErrClosed
	}
	defer p.running.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.closing, func() { cancel(ErrClosed) })()

	b.settle()
	most = min(max(most, 1), MaxBatch)
	for wait := !p.config.Drain; ; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if len(b.waiting) > 0 {
			d := b.waiting[0]
			b.waiting = b.waiting[1:]
			own, err := p.accept(ctx, d)
			if err != nil {
				return nil, err
			}
			if own {
				if b.bill == nil {
					b.bill = p.runs.compute(d.from, nil)
				}
				return []*Delivery{d}, nil
			}
			continue
		}
		b.settle()
		answer, err := p.next(ctx, wait, most)
		if err != nil {
			return nil, err
		}
		if answer == nil && p.config.Drain {
			if answer, err = p.latecomer(ctx); err != nil {
				return nil, err
			}
			wait = true // something is there, or the server cannot say
		}
		if answer == nil {
			continue
		}
		b.bill = p.runs.compute(answer.from, answer.bill)
		deliveries, err := b.sort(ctx, answer)
		if len(deliveries) > 0 || err != nil {
			return deliveries, err
		}
	}
}

func (b *Batches) settle() {
	if b.bill != nil {
		b.puller.runs.close(b.bill, time.Since(b.bill.began).Seconds())
		b.bill = nil
	}
}

// Close hands back the waiting tasks.
func (b *Batches) Close() {
	if b.bill != nil {
		b.puller.runs.close(b.bill, b.bill.expected)
		b.bill = nil
	}
	b.puller.releaseAll(b.waiting)
	b.waiting = nil
}

func (b *Batches) sort(ctx context.Context, a *answer) (ready []*Delivery, err error) {
	all := make([]*Delivery, 0, len(a.msgs))
	for _, msg := range a.msgs {
		d, err := newDelivery(b.puller, a, msg)
		if err != nil { // not from JetStream; nor are the others
			return nil, err
		}
		d.refused = d.decode(msg.Data())
		d.beat()
		all = append(all, d)
	}
	b.puller.limit(ctx, a.from, all)
	for _, d := range all {
		if d.refused != nil || d.known() {
			b.waiting = append(b.waiting, d)
		} else {
			b.puller.runs.join(a.from)
			ready = append(ready, d)
		}
	}
	return ready, nil
}

// accept makes a redelivered or refused delivery this worker's own, or settles it.
func (p *Puller) accept(ctx context.Context, d *Delivery) (own bool, err error) {
	settled := true
	switch {
	case errors.As(d.refused, new(*experiment.NeedError)), errors.As(d.refused, new(*experiment.LackError)): // another worker can compute it
		err = d.Leave(ctx, d.refused)
	default:
		if d.refused == nil {
			p.aside.remove(d.msg.Subject())
			p.runs.join(d.from)
		}
		settled, err = d.resume(ctx)
	}
	if errors.Is(err, ErrUnacknowledged) {
		p.queue.config.Report(err)
		return false, nil
	}
	if err != nil {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestWait)
		defer cancel()
		return false, errors.Join(fmt.Errorf("accepting %s: %w", d.msg.Subject(), err), d.Release(back, 0))
	}
	return !settled, nil
}
