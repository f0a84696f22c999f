package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// Delivery is a task in the hands of this worker. Settle it with Done, Fail or Release; after an
// error other than [ErrUnacknowledged] it is still open. Until then heartbeats go to the server
// every third of AckWait, but not after the cell's deadline (Limits.Timeout after Begin): a
// computation that hangs loses its task.
type Delivery struct {
	Task      experiment.Task
	Delivered int         // deliveries of the task, including this one
	Attempt   int         // failed attempts plus one
	Also      []*Delivery // short cells that were pulled with this short one
	Encoded   []byte      // what Done stores; if nil, it encodes the outcome

	puller    *Puller
	msg       jetstream.Msg
	body      []byte // the task, with the limits of its run
	run, cell string
	number    uint64 // see numberHeader
	from      *runFeed
	bill      *bill // of all tasks of the pull, with the last; nil if no slot computes the task
	wait      time.Duration

	mu        sync.Mutex
	settled   bool
	suspect   bool
	deadline  time.Time // of the cell, zero for none or before Begin
	cancelled chan struct{}
	heart     heart
}

// heart sends heartbeats until its context ends.
type heart struct {
	mu    sync.Mutex  // held while a heartbeat is sent
	timer *time.Timer // of the next one
	ctx   context.Context
	stop  context.CancelFunc

	confirmed atomic.Int64 // Unix ns, not after the last sign of life that the server got
	overdue   atomic.Bool  // the server may have presumed us lost
}

// newDelivery sets confirmed to a time before the server sent the message: that of the request, or a
// third of AckWait ago, as a message is taken to travel for less. AckWait is that of the run's
// consumer, not of this worker's configuration.
func newDelivery(p *Puller, from *runFeed, asked time.Time, msg jetstream.Msg) *Delivery {
	delivered := 1
	if meta, err := msg.Metadata(); err == nil { // as each message of a consumer has it
		delivered = int(meta.NumDelivered)
	}
	d := &Delivery{
		Delivered: delivered, Attempt: 1,
		puller: p, msg: msg, body: msg.Data(), run: runOf(msg.Subject()), cell: cellOf(msg.Subject()), number: numberOf(msg.Headers()),
		wait: from.consumer.CachedInfo().Config.AckWait, from: from, cancelled: make(chan struct{}),
	}
	d.heart.confirmed.Store(max(asked.UnixNano(), time.Now().Add(-d.wait/3).UnixNano()))
	from.held.Add(1)
	d.beat()
	return d
}

func (d *Delivery) decode(body []byte) error {
	task, err := DecodeTask(body)
	if err != nil {
		return err
	}
	d.Task = *task
	if d.Task.Run != d.run || d.Task.Cell != d.cell {
		return fmt.Errorf("it says run %.140q, cell %.140q", d.Task.Run, d.Task.Cell)
	}
	if lane := laneOf(&d.Task); lane != d.from.lane {
		return fmt.Errorf("it is queued as %.150q and belongs to %.150q", d.from.lane, lane)
	}
	for _, digest := range d.Task.Data {
		if err := ValidName(digest); err != nil {
			return fmt.Errorf("data set: digest %w", err)
		}
	}
	for _, file := range d.Task.Files {
		if err := ValidName(file); err != nil {
			return fmt.Errorf("file of a command: digest %w", err)
		}
	}
	return d.puller.config.Accept(&d.Task)
}

// Begin starts the cell's deadline, once its data is there.
func (d *Delivery) Begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if limit := d.Task.Limits.Timeout; limit > 0 && d.deadline.IsZero() {
		d.deadline = time.Now().Add(limit)
	}
}

// Body returns the task to compute; it must not be changed.
func (d *Delivery) Body() []byte { return d.body }

// Cancelled is closed when a heartbeat finds the run cancelled or purged: stop and Release.
func (d *Delivery) Cancelled() <-chan struct{} { return d.cancelled }

// Dropped reports whether Cancelled is closed.
func (d *Delivery) Dropped() bool {
	select {
	case <-d.cancelled:
		return true
	default:
		return false
	}
}

// lost reports whether the server ever had to presume this worker lost, so that another may have
// the task. It uses the wall clock: the monotonic one stops while a machine sleeps.
func (d *Delivery) lost() bool {
	if time.Now().UnixNano()-d.heart.confirmed.Load() > int64(d.wait) {
		d.heart.overdue.Store(true)
	}
	return d.heart.overdue.Load()
}

// resume settles a known task that has a result, cannot be read, or of which too many workers died.
// Otherwise it records that a redelivery begins. refused says why the task cannot be read.
//
// A suspect is a task that a worker may have died of. A worker computes one at a time and hands
// others back: otherwise innocent tasks next to the one that kills would meet it again and be given
// up with it.
func (d *Delivery) resume(ctx context.Context, refused error) (settled bool, err error) {
	q := d.puller.queue
	has, err := q.results.has(ctx, d.run, d.cell, d.number)
	if err != nil {
		return false, err
	}
	if has {
		return true, d.acknowledge(ctx)
	}
	if refused != nil {
		return true, d.giveUp(ctx, nil, fmt.Sprintf("the task cannot be read: %.1000v", refused))
	}
	if d.Delivered == 1 {
		return false, nil
	}
	t, _, err := q.attempts.counts(ctx, d.run, d.cell, d.number)
	if err != nil {
		return false, err
	}
	next := t
	next.begin(d.Delivered)
	if t.silent(d.Delivered) > 0 && !next.kills(d.Delivered, d.puller.config.MaxDeaths) && !d.puller.hold(ctx, d) {
		return true, d.Release(ctx, d.wait)
	}
	if t, err = q.attempts.record(ctx, d.run, d.cell, d.number, func(t *attemptCounts) { t.begin(d.Delivered) }); err != nil {
		return false, err
	}
	d.Attempt = t.Failed + 1
	if !t.kills(d.Delivered, d.puller.config.MaxDeaths) {
		return false, nil
	}
	return true, d.giveUp(ctx, &d.Task, fmt.Sprintf("given up: %d deliveries ended without a word of their worker; computing this cell most likely kills it", t.silent(d.Delivered)))
}

// giveUp stores a failed outcome, without labels if task is nil, as it is unreadable.
func (d *Delivery) giveUp(ctx context.Context, task *experiment.Task, reason string) error {
	now := time.Now().UTC()
	outcome := &experiment.Outcome{
		Run: d.run, Cell: d.cell, Status: experiment.Failed, Error: reason, Attempts: d.Delivered,
		Computer: experiment.Computer{Worker: d.puller.config.Name}, Started: now, Finished: now,
	}
	if task != nil {
		outcome.Kind, outcome.Labels = task.Kind, task.Labels
	}
	if err := d.puller.queue.bury(ctx, outcome, d.body, d.number); err != nil {
		return err
	}
	return d.acknowledge(ctx)
}

// bury stores a dead letter, which is the task with the reason in headers, and then the outcome. It
// is idempotent. Letters are counted; their headers are for people.
func (q *Queue) bury(ctx context.Context, outcome *experiment.Outcome, body []byte, number uint64) error {
	msg := nats.NewMsg(deadTopic.cell(outcome.Run, outcome.Cell))
	msg.Data = body
	msg.Header[reasonHeader] = []string{outcome.Error}
	msg.Header[workerHeader] = []string{outcome.Worker}
	msg.Header[timeHeader] = []string{outcome.Finished.Format(time.RFC3339Nano)}
	msg.Header[taskHeader] = []string{strconv.FormatUint(number, 10)}
	msg.Header[deliveriesHeader] = []string{strconv.Itoa(outcome.Attempts)}
	if err := q.store(ctx, "storing dead letter", deadStream, msg); err != nil {
		return err
	}
	return q.results.put(ctx, outcome, number, outcome.Attempts)
}

// Done stores the outcome as the result of the cell and then acknowledges the task. A lost delivery
// does not replace a result; without one it saves the new owner the work.
func (d *Delivery) Done(ctx context.Context, outcome *experiment.Outcome) error {
	if err := d.open(); err != nil {
		return err
	}
	if err := d.store(ctx, outcome); err != nil {
		return d.wrap(err)
	}
	return d.acknowledge(ctx)
}

// store stores the outcome unless the cell has a result.
func (d *Delivery) store(ctx context.Context, outcome *experiment.Outcome) error {
	q := d.puller.queue
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if outcome.Run != d.run || outcome.Cell != d.cell {
		return fmt.Errorf("the outcome is of run %.140q, cell %.140q", outcome.Run, outcome.Cell)
	}
	if d.lost() {
		if has, err := q.results.has(ctx, d.run, d.cell, d.number); has || err != nil {
			return err
		}
	}
	if d.Encoded != nil {
		return q.results.putBody(ctx, outcome, d.Encoded, d.number, d.Delivered)
	}
	return q.results.put(ctx, outcome, d.number, d.Delivered)
}

// Fail uses up an attempt. While attempts are left (Limits.Attempts; 0 is no limit), the task is
// redelivered after delay; otherwise outcome becomes the cell's result and final is true. It also
// becomes the result if the failure repeats: a command ended two attempts in a row with the same
// error. After a failure at a limit that has since been raised the
// task is handed back. A lost delivery is left to its new owner, one of a cancelled run is dropped.
func (d *Delivery) Fail(ctx context.Context, outcome *experiment.Outcome, delay time.Duration) (final bool, err error) {
	if ours, err := d.ours(); !ours {
		return false, err
	}
	limit, why := d.Task.Limits.Attempts, whyOf(&d.Task, outcome)
	repeats, err := d.repeats(ctx, why)
	if err != nil {
		return false, d.wrap(err)
	}
	if repeats {
		own := *outcome
		own.Repeats, outcome = true, &own
	}
	last := outcome.Repeats || limit > 0 && d.Attempt >= limit
	if !last {
		t, err := d.puller.queue.attempts.record(ctx, d.run, d.cell, d.number, func(t *attemptCounts) {
			t.fail()
			t.Why = why
		})
		if err != nil {
			return false, d.wrap(err)
		}
		last = limit > 0 && t.Failed >= limit
	}
	if !last {
		return false, d.handBack(ctx, delay)
	}
	switch raised, err := d.raised(ctx, outcome); {
	case err != nil:
		return false, d.wrap(err)
	case raised:
		return false, d.Release(ctx, 0)
	}
	return true, d.Done(ctx, outcome)
}

// Release hands the task back without using up an attempt; it is redelivered after delay, even if
// that cannot be recorded, which then counts as a death. A lost delivery is left to its new owner,
// one of a cancelled run is dropped.
func (d *Delivery) Release(ctx context.Context, delay time.Duration) error {
	if ours, err := d.ours(); !ours {
		return err
	}
	_, err := d.puller.queue.attempts.record(ctx, d.run, d.cell, d.number, func(t *attemptCounts) {
		if d.Delivered > 1 {
			t.begin(d.Delivered) // counts an earlier one that died
		}
		t.release()
	})
	return errors.Join(d.wrap(err), d.handBack(ctx, delay))
}

// Abandon gives up an open delivery without telling the server, which redelivers the task after
// AckWait.
func (d *Delivery) Abandon() { d.release() }

// ours ends a delivery that is another worker's now, or of a cancelled run.
func (d *Delivery) ours() (bool, error) {
	if err := d.open(); err != nil {
		return false, err
	}
	if d.lost() || d.Dropped() {
		d.release()
		return false, nil
	}
	return true, nil
}

func (d *Delivery) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.settled {
		return d.wrap(ErrSettled)
	}
	return nil
}

// release ends heartbeats before the task is handed back: a later one would delay the redelivery.
func (d *Delivery) release() {
	d.mu.Lock()
	was := d.settled
	d.settled = true
	d.mu.Unlock()
	if was {
		return
	}
	d.silence()
	d.from.held.Add(-1)
	if d.bill != nil {
		d.puller.runs.close(d.bill, time.Since(d.bill.began).Seconds())
	}
	if d.suspect {
		<-d.puller.suspect
	}
}

func (d *Delivery) handBack(ctx context.Context, delay time.Duration) error {
	d.release()
	sent := false // the library refuses a second time
	return d.wrap(d.puller.queue.persist(ctx, "handing back", "", func(ctx context.Context) error {
		if !sent {
			if err := d.msg.NakWithDelay(delay); err != nil {
				return err
			}
			sent = true
		}
		return d.puller.queue.flush(ctx)
	}))
}

// acknowledge follows the stored result. A task whose acknowledgement is lost with the connection is
// redelivered and found to have a result; that of the last task of a pull is waited for.
func (d *Delivery) acknowledge(ctx context.Context) error {
	if d.release(); d.Dropped() {
		return nil
	}
	ack := d.msg.DoubleAck
	if d.bill == nil {
		ack = func(context.Context) error { return d.msg.Ack() }
	}
	if err := bounded(ctx, requestWait, ack); err != nil {
		return d.wrap(fmt.Errorf("%w: %w", ErrUnacknowledged, err))
	}
	return nil
}

func (d *Delivery) wrap(err error) error {
	if err == nil {
		return nil
	}
	return &CellError{d.run, d.cell, err}
}

// beat starts the heartbeats. A delivery settled before the first costs no goroutine.
func (d *Delivery) beat() {
	d.heart.mu.Lock()
	defer d.heart.mu.Unlock()
	d.heart.ctx, d.heart.stop = context.WithCancel(context.Background()) //nolint:fatcontext // one for each delivery
	d.heart.timer = time.AfterFunc(d.wait/3, d.tick)
}

// silence ends the heartbeats; none is sent after it.
func (d *Delivery) silence() {
	d.heart.stop()
	d.heart.mu.Lock()
	defer d.heart.mu.Unlock()
	d.heart.timer.Stop()
}

func (d *Delivery) tick() {
	d.heart.mu.Lock()
	defer d.heart.mu.Unlock()
	d.mu.Lock()
	over := !d.deadline.IsZero() && time.Now().After(d.deadline)
	d.mu.Unlock()
	if d.heart.ctx.Err() != nil || over {
		return
	}
	began := time.Now()
	if gone(d.alive(d.heart.ctx)) {
		close(d.cancelled)
		return
	}
	d.heart.timer.Reset(max(0, d.wait/3-time.Since(began)))
}

// alive sends a heartbeat, which has no answer, then a question whose answer proves its arrival and
// says whether the run exists.
func (d *Delivery) alive(ctx context.Context) error {
	lost := d.lost()
	if !d.puller.queue.conn.IsConnected() {
		return nil // outdated when it arrives
	}
	now := time.Now().UnixNano()
	if err := d.msg.InProgress(); err != nil {
		return err
	}
	_, err := inTime(ctx, d.wait/3, d.from.consumer.Info)
	if err == nil && !lost {
		d.heart.confirmed.Store(now)
	}
	return err
}
