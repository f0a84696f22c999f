package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// WorkerConfig describes a worker to the queue. Zero values mean defaults.
type WorkerConfig struct {
	// Name of the worker in its dead letters.
	Name string

	// Drain makes Pull return an [*EmptyError] when no task is queued. Default: it waits.
	Drain bool

	// Commands makes Pull return tasks that bring a command. Default: they are left to others.
	Commands bool

	// Accept returns an error for a task that this worker cannot compute. With a
	// [*experiment.NeedError] the task is handed back for another worker and uses up no attempt;
	// otherwise it is given up. Any goroutine may call Accept. Default: all tasks.
	Accept func(*experiment.Task) error

	// MaxDeaths is the number of workers that may die of a task before it is given up. A worker
	// died of a task if it was computing the task and was not heard of for AckWait; failed
	// attempts, tasks handed back and deliveries lost on their way do not count. Default: 2. A lost
	// node counts, so 1 would give up innocent cells.
	MaxDeaths int

	// Idle is how long an idle slot waits at one run, and how often runs are listed: the first task
	// of a new run waits at most this long. Default: 1 s.
	Idle time.Duration

	// Short reports whether a cell is known to be short. Such cells come together, as many as are
	// expected to take 50 ms. Default: none.
	Short func(*experiment.Task) bool
}

// Puller pulls tasks for the slots of one worker. It is safe for concurrent use.
type Puller struct {
	queue  *Queue
	config WorkerConfig
	runs   registry

	gate    sync.Mutex
	closing context.Context
	close   context.CancelCauseFunc
	suspect chan struct{}  // has one place, see [Delivery.resume]
	running sync.WaitGroup // calls of Pull, and tasks being handed back
	aside   aside
	others  others
}

// Worker returns the worker's side of the queue. Without streams there is no task.
func (q *Queue) Worker(config WorkerConfig) (*Puller, error) {
	config.MaxDeaths, config.Idle = cmp.Or(config.MaxDeaths, 2), cmp.Or(config.Idle, time.Second)
	if config.Accept == nil {
		config.Accept = func(*experiment.Task) error { return nil }
	}
	p := &Puller{
		queue: q, config: config, suspect: make(chan struct{}, 1),
		runs: registry{
			queue: q, every: config.Idle, commands: config.Commands, several: 1,
			foreign: map[string]bool{}, owners: map[string]*owner{}, bills: map[*bill]struct{}{},
		},
		aside: aside{tasks: map[string]string{}, told: map[string]bool{}},
	}
	if config.Short != nil {
		p.runs.several = maxTogether
	}
	p.closing, p.close = context.WithCancelCause(context.Background())
	return p, nil
}

// Close makes Pull return [ErrClosed] and waits until tasks that arrived for cancelled calls are
// handed back, about [WorkerConfig.Idle] and two seconds at most; not for calls that ended with
// [ErrComplete]. Deliveries stay valid.
func (p *Puller) Close() {
	p.gate.Lock()
	p.close(ErrClosed)
	p.gate.Unlock()
	p.running.Wait()
}

// enter registers a call of Pull, for which Close waits; it returns false after Close.
func (p *Puller) enter() bool {
	p.gate.Lock()
	defer p.gate.Unlock()
	if p.closing.Err() != nil {
		return false
	}
	p.running.Add(1)
	return true
}

// Ready returns an error unless the server is reachable and the runs are listed.
func (p *Puller) Ready() error {
	if !p.queue.Connected() {
		return errors.New("the NATS server cannot be reached")
	}
	if _, current := p.runs.all(); !current {
		return errors.New("the runs at the NATS server cannot be listed, or have not been yet")
	}
	return nil
}

// suspectWait is how long a suspect waits for its place before it is handed back; short cells
// finish within it.
const suspectWait = 200 * time.Millisecond

func (p *Puller) hold(ctx context.Context, d *Delivery) bool {
	ctx, cancel := context.WithTimeout(ctx, suspectWait)
	defer cancel()
	select {
	case p.suspect <- struct{}{}:
		d.suspect = true
	case <-ctx.Done():
	}
	return d.suspect
}

// Pull waits for the next task, taking turns among the runs. When ctx ends, Pull returns the cause at
// once; a task that arrives then is handed back without using up an attempt. With
// [WorkerConfig.Drain] it returns an [*EmptyError] when no task is queued. It settles tasks that are
// done or given up.
func (p *Puller) Pull(ctx context.Context) (*Delivery, error) {
	if !p.enter() {
		return nil, ErrClosed
	}
	defer p.running.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.closing, func() { cancel(ErrClosed) })()
	for wait := !p.config.Drain; ; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		list, bill, err := p.next(ctx, wait)
		if len(list) == 0 && err == nil && p.config.Drain {
			list, err = p.latecomer(ctx)
			wait = true // something is there, or the server cannot say
		}
		if err != nil {
			return nil, err
		}
		if d, err := p.together(ctx, list, bill); d != nil || err != nil {
			return d, err
		}
	}
}

// together accepts the first task of a pull and, after a short cell, other short ones. It hands back
// the rest, so that no cell waits for a long one.
func (p *Puller) together(ctx context.Context, list []*Delivery, bill *bill) (first *Delivery, err error) {
	var last *Delivery
	for i, d := range list {
		if first == nil {
			d.bill, bill = p.runs.compute(d.from, bill), nil
		}
		own, err := p.accept(ctx, d)
		if err != nil {
			p.Release(list)
			return nil, err
		}
		if !own {
			continue
		}
		short := p.config.Short != nil && !d.suspect && p.config.Short(&d.Task)
		switch {
		case first == nil:
			first, last, i = d, d, i+1
		case short:
			first.Also = append(first.Also, d)
			last.bill, d.bill, last = nil, last.bill, d
			d.bill.tasks++
		}
		if !short && i < len(list) {
			p.runs.mu.Lock()
			d.from.seconds = firstPull // so that the next pulls are of one task
			p.runs.mu.Unlock()
			p.Release(list[i:])
			break
		}
	}
	return first, nil
}

// next returns none for no task; with wait it waits a while for one.
func (p *Puller) next(ctx context.Context, wait bool) ([]*Delivery, *bill, error) {
	start := time.Now()
	if err := p.runs.refresh(ctx); err != nil {
		return nil, nil, err
	}
	for from, bill := range p.runs.turns(p.config.Drain, !wait) {
		list, err := p.fetch(ctx, from, 0, bill.most)
		if len(list) > 0 {
			return list, bill, nil
		}
		if err != nil {
			p.runs.close(bill, 0)
			return nil, nil, err
		}
	}
	if !wait {
		return nil, nil, nil
	}
	if from := p.runs.quiet(); from != nil {
		list, err := p.fetch(ctx, from, p.config.Idle, 1) // the server would wait for the last
		if len(list) > 0 || err != nil {
			return list, nil, err
		}
	}
	// Without a run to wait at, this waits for the next list, which must not count as fresh then.
	pauses := p.runs.due()
	if pauses <= 0 {
		pauses = p.config.Idle - time.Since(start)
	}
	return nil, nil, Sleep(ctx, pauses)
}

// fetch does not wait if wait is 0. Transient errors are reported and count as no task.
func (p *Puller) fetch(ctx context.Context, from *runFeed, wait time.Duration, most int) ([]*Delivery, error) {
	asked := time.Now() // before sending
	var batch jetstream.MessageBatch
	var err error
	if wait == 0 {
		batch, err = from.consumer.FetchNoWait(most)
	} else {
		batch, err = from.consumer.Fetch(most, jetstream.FetchMaxWait(wait))
	}
	var list []*Delivery
	for more := err == nil; more && len(list) < most; {
		var msg jetstream.Msg
		select {
		case msg, more = <-batch.Messages():
			if more {
				list = append(list, newDelivery(p, from, asked, msg))
			}
		case <-ctx.Done():
			if err := context.Cause(ctx); errors.Is(err, ErrComplete) {
				return nil, err
			}
			// The request cannot be withdrawn from the server, but ends by itself.
			p.running.Go(func() {
				for msg := range batch.Messages() {
					list = append(list, newDelivery(p, from, asked, msg))
				}
				p.Release(list)
			})
			return nil, context.Cause(ctx)
		}
	}
	if len(list) > 0 {
		return p.heed(ctx, from, list), nil
	}
	if err == nil {
		err = batch.Error()
	}
	p.runs.empty(from)
	switch {
	case err == nil:
	case errors.Is(err, nats.ErrConnectionClosed):
		return nil, fmt.Errorf("pulling from run %s: %w", from.run, err)
	case gone(err), errors.Is(err, nats.ErrNoResponders):
		p.runs.expire() // cancelled, purged, or its leader moves
	default:
		p.queue.config.Report(fmt.Errorf("pulling from run %s, trying again: %w", from.run, err))
	}
	return nil, nil
}

// Release hands back what is not settled, as [Delivery.Release].
func (p *Puller) Release(list []*Delivery) {
	ctx, cancel := context.WithTimeout(context.Background(), requestWait)
	defer cancel()
	for _, d := range list {
		if err := d.Release(ctx, 0); err != nil && !errors.Is(err, ErrSettled) {
			p.queue.config.Report(fmt.Errorf("handing back a task: %w", err))
		}
	}
}

// accept makes a delivery this worker's own, or settles it.
func (p *Puller) accept(ctx context.Context, d *Delivery) (own bool, err error) {
	refused := d.decode(d.msg.Data())
	if refused == nil {
		refused = p.limit(ctx, d)
	}
	if refused == nil {
		p.runs.join(d.from)
		if d.Delivered == 1 && d.msg.Headers().Get(numberHeader) == "" { // of [Queue.PublishAgain]
			return true, nil
		}
		p.aside.remove(d.msg.Subject())
	}
	settled := true
	if errors.As(refused, new(*experiment.NeedError)) || errors.As(refused, new(*experiment.LackError)) { // another worker can compute it
		err = d.Leave(ctx, refused)
	} else {
		settled, err = d.resume(ctx, refused)
	}
	switch {
	case errors.Is(err, ErrUnacknowledged):
		p.queue.config.Report(err)
		return false, nil
	case err != nil:
		return false, fmt.Errorf("accepting %s: %w", d.msg.Subject(), err)
	}
	return !settled, nil
}

// lateness is how long drained runs are asked for a task published just before, which a busy server
// counts late.
const lateness = 100 * time.Millisecond

// latecomer returns [Puller.empty]'s error, but if no task is in flight it asks the runs once more
// first.
func (p *Puller) latecomer(ctx context.Context) ([]*Delivery, error) {
	said := p.empty(ctx)
	var empty *EmptyError
	if !errors.As(said, &empty) || empty.InFlight > 0 {
		return nil, said
	}
	sources, _ := p.runs.all()
	for _, from := range sources {
		if from.heard.Load().Paused || p.runs.left(from) {
			continue
		}
		if list, err := p.fetch(ctx, from, lateness, 1); len(list) > 0 || err != nil {
			return list, err
		}
	}
	return nil, said
}

func (p *Puller) empty(ctx context.Context) error {
	p.runs.expire()
	if err := p.runs.refresh(ctx); err != nil {
		return err
	}
	sources, current := p.runs.all()
	if !current {
		return nil
	}
	inFlight, paused := 0, 0
	for _, from := range sources {
		info, err := p.runs.ask(ctx, from)
		if gone(err) {
			continue
		}
		if err == nil && from.heard.Load().Paused {
			paused += int(info.NumPending) + info.NumAckPending
			continue
		}
		if err != nil {
			p.queue.config.Report(fmt.Errorf("asking whether run %s is drained, trying again: %w", from.run, err))
			return nil
		}
		if info.NumPending > 0 {
			return nil
		}
		inFlight += max(0, info.NumAckPending-int(from.held.Load()))
	}
	return &EmptyError{InFlight: max(0, inFlight-p.aside.len()), Paused: paused}
}
