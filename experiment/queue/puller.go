package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// WorkerConfig describes a worker to the queue. The zero value of every field
// is a usable default.
type WorkerConfig struct {
	// Name of the worker, kept in the dead letters it writes.
	Name string

	// Drain makes Pull return an [*EmptyError] when no task is queued, instead
	// of waiting for one.
	Drain bool

	// Commands has Pull return tasks that bring a command. Default: they are left to
	// workers that run commands.
	Commands bool

	// Accept returns an error unless this worker can compute a task. A
	// [*experiment.NeedError] means that another can: the task is handed back, no
	// attempt used up, and is no work for this worker. With any other error the task
	// is given up. It may be called from any goroutine. Default: every task is
	// accepted.
	Accept func(*experiment.Task) error

	// MaxDeaths is how many workers may die of a task before it is given up: it
	// then most likely kills them. A worker died of a task when it was computing
	// it and was not heard of for AckWait; attempts that failed, tasks handed
	// back and deliveries lost on their way do not count. Default: 2. A lost
	// node counts too, so that 1 would give up innocent cells.
	MaxDeaths int

	// Idle is how long a slot without work waits at one run before it looks at
	// the others, and how often runs are listed. Default: 1 s. The first task
	// of a new run waits at most this long.
	Idle time.Duration
}

// Puller pulls tasks for the slots of one worker. It is safe for concurrent
// use. A slot that pulls for long computations asks for one task and none ahead:
// a task fetched ahead would wait here while other workers have nothing to do.
type Puller struct {
	queue  *Queue
	config WorkerConfig
	runs   registry

	gate    sync.Mutex // between a call of Pull that begins and Close
	closing context.Context
	close   context.CancelCauseFunc
	suspect chan struct{}  // of one place, held by the delivery of a task that a worker may have died of
	running sync.WaitGroup // calls of Pull, and tasks on their way back
	aside   aside
	others  others

	repeated repeated
}

// Worker returns the worker's side of the queue. The streams need not exist
// yet: without them there is no task.
func (q *Queue) Worker(config WorkerConfig) (*Puller, error) {
	if config.MaxDeaths == 0 {
		config.MaxDeaths = 2
	}
	if config.Idle == 0 {
		config.Idle = time.Second
	}
	if config.Accept == nil {
		config.Accept = func(*experiment.Task) error { return nil }
	}
	if config.MaxDeaths < 0 || config.Idle < 0 {
		return nil, fmt.Errorf("worker %s: max deaths %d, idle %v; none may be negative", config.Name, config.MaxDeaths, config.Idle)
	}
	p := &Puller{queue: q, config: config, runs: registry{queue: q, every: config.Idle, commands: config.Commands}, suspect: make(chan struct{}, 1)}
	p.closing, p.close = context.WithCancelCause(context.Background())
	return p, nil
}

// Close makes Pull return [ErrClosed] and waits until the tasks that arrived
// for cancelled calls are handed back, which takes at most about
// [WorkerConfig.Idle] and two seconds; calls that ended with [ErrComplete] are not
// waited for. Deliveries stay valid.
func (p *Puller) Close() {
	p.gate.Lock()
	p.close(ErrClosed)
	p.gate.Unlock()
	p.running.Wait()
}

// enter counts a call of Pull as running, unless the puller is closed: none that
// Close does not wait for.
func (p *Puller) enter() bool {
	p.gate.Lock()
	defer p.gate.Unlock()
	if p.closing.Err() != nil {
		return false
	}
	p.running.Add(1)
	return true
}

// Ready returns an error unless the server can be reached and the consumers of
// all runs are known, so that Pull gets what is queued.
func (p *Puller) Ready() error {
	if !p.queue.Connected() {
		return errors.New("the NATS server cannot be reached")
	}
	if _, current := p.runs.all(); !current {
		return errors.New("the runs at the NATS server cannot be listed, or have not been yet")
	}
	return nil
}

// suspectWait is how long a suspect waits for the place of one before it is handed
// back: others of cells that take no time pass before it.
const suspectWait = 200 * time.Millisecond

// hold gives a delivery the place for a suspect, when that is free soon.
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

// answer is what a run gave.
type answer struct {
	from  *runFeed
	msgs  []jetstream.Msg // at least one
	asked time.Time       // before the request was sent
	bill  *bill           // nil where the run was waited for
}

// next returns the next messages, at most that many, nil when there was none,
// with wait for a while.
func (p *Puller) next(ctx context.Context, wait bool, most int) (*answer, error) {
	start := time.Now()
	if err := p.runs.refresh(ctx); err != nil {
		return nil, err
	}
	// Several are taken as they are there: the server would wait for the last.
	for from, bill := range p.runs.turns(p.config.Drain, !wait || most > 1) {
		answer, err := p.fetch(ctx, from, 0, most)
		if answer != nil {
			answer.bill = bill
			return answer, nil
		}
		if err != nil {
			p.runs.close(bill, 0)
			return nil, err
		}
	}
	if !wait {
		return nil, nil
	}
	if from := p.runs.quiet(); from != nil {
		answer, err := p.fetch(ctx, from, p.config.Idle, 1)
		if answer != nil || err != nil {
			return answer, err
		}
	}
	// Without a run, or with one that cannot be asked, time has not passed yet. What is
	// waited for is the next list, which must not count as fresh then.
	pauses := p.runs.due()
	if pauses <= 0 {
		pauses = p.config.Idle - time.Since(start)
	}
	return nil, pause(ctx, pauses)
}

// fetch asks one run for tasks; wait 0 takes only what is there. What can pass is
// reported and counts as no task.
func (p *Puller) fetch(ctx context.Context, from *runFeed, wait time.Duration, most int) (*answer, error) {
	a := &answer{from: from, asked: time.Now()}
	var batch jetstream.MessageBatch
	var err error
	if wait == 0 {
		batch, err = from.consumer.FetchNoWait(most)
	} else {
		batch, err = from.consumer.Fetch(1, jetstream.FetchMaxWait(wait))
	}
	for err == nil {
		select {
		case msg, ok := <-batch.Messages():
			if ok {
				a.msgs = append(a.msgs, msg)
				continue
			}
			if len(a.msgs) > 0 && p.heed(ctx, a) {
				return a, nil
			}
			if len(a.msgs) > 0 {
				return nil, nil
			}
			err = batch.Error()
		case <-ctx.Done():
			if err := context.Cause(ctx); errors.Is(err, ErrComplete) {
				return nil, err
			}
			p.running.Go(func() { p.sendBack(a, batch) })
			return nil, context.Cause(ctx)
		}
		break
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

// sendBack hands back what a cancelled request brought and waits for what it still
// brings. The request cannot be withdrawn from the server; it ends by itself.
func (p *Puller) sendBack(a *answer, batch jetstream.MessageBatch) {
	for msg := range batch.Messages() {
		a.msgs = append(a.msgs, msg)
	}
	p.handBack(a)
}

// handBack hands back what a request brought.
func (p *Puller) handBack(a *answer) {
	ctx, cancel := context.WithTimeout(context.Background(), requestWait)
	defer cancel()
	for _, msg := range a.msgs {
		delivery, err := newDelivery(p, a, msg)
		if err == nil {
			err = delivery.Release(ctx, 0)
		}
		if err != nil {
			p.queue.config.Report(fmt.Errorf("handing back %s: %w", msg.Subject(), err))
		}
	}
}

// lateness is how long a drained run is asked for a task that was published just before:
// a server in use counts it a little later.
const lateness = 100 * time.Millisecond

// latecomer returns [Puller.empty]'s error, nil where it has none, but where all runs are
// empty with nothing in flight asks them once more and returns what is there after all.
func (p *Puller) latecomer(ctx context.Context) (*answer, error) {
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
		if answer, err := p.fetch(ctx, from, lateness, 1); answer != nil || err != nil {
			return answer, err
		}
	}
	return nil, said
}

// empty returns an [*EmptyError] when no run has a task queued, but for paused ones.
func (p *Puller) empty(ctx context.Context) error {
	p.runs.expire()
	if err := p.runs.refresh(ctx); err != nil {
		return err
	}
	sources, current := p.runs.all()
	if !current {
		return nil
	}
	inFlight := 0
	for _, from := range sources {
		info, err := p.runs.ask(ctx, from)
		if gone(err) || err == nil && from.heard.Load().Paused {
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
	return &EmptyError{InFlight: max(0, inFlight-p.aside.len())}
}
