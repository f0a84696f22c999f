package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// Delivery is a task in the hands of this worker. Settle it with one of Done,
// Fail and Release, or with others by [Puller.Done]; when that returns an error
// other than [ErrUnacknowledged], the delivery is still open. Until then the
// server is told every third of AckWait that the task is being worked on, but not
// past the cell's deadline (Limits.Timeout after Begin): a computation that hangs
// loses its task.
type Delivery struct {
	Task      experiment.Task
	Delivered int // how often the task has been delivered, this time included
	Attempt   int // number of this attempt: one more than have failed

	puller    *Puller
	msg       jetstream.Msg
	run, cell string
	number    uint64 // of the task, see numberHeader
	from      *runFeed
	refused   error // why this worker cannot compute the task, see [WorkerConfig.Accept]
	wait      time.Duration
	confirmed atomic.Int64 // when the server last knew us to be alive, or before; Unix nanoseconds
	overdue   atomic.Bool  // there was a time when it had to believe us lost

	mu        sync.Mutex
	settled   bool
	suspect   bool      // holds the puller's place for one
	begun     time.Time // see Begin
	heart     *time.Timer
	beating   *heartbeat // that is under way, nil for none
	cancelled chan struct{}
}

// newDelivery takes what a request brought. The server counts AckWait from when
// it sent the message, which is somewhere between the request and now; a message
// is taken to be under way for less than a third of AckWait. The run's consumer
// says how long AckWait is, whatever this worker's configuration says.
func newDelivery(p *Puller, a *answer, msg jetstream.Msg) (*Delivery, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return nil, fmt.Errorf("message %s: %w", msg.Subject(), err)
	}
	d := &Delivery{
		Delivered: int(meta.NumDelivered), Attempt: 1,
		puller: p, msg: msg, run: runOf(msg.Subject()), cell: cellOf(msg.Subject()), number: numberOf(msg.Headers()),
		wait: a.from.consumer.CachedInfo().Config.AckWait, from: a.from, cancelled: make(chan struct{}),
	}
	d.confirmed.Store(max(a.asked.UnixNano(), time.Now().Add(-d.wait/3).UnixNano()))
	a.from.held.Add(1)
	return d, nil
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

// Begin says that the computation begins, now that its data is there.
func (d *Delivery) Begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begun.IsZero() {
		d.begun = time.Now()
	}
}

// Body returns the task as it is to be computed, for [DecodeTask]. It must not be
// changed.
func (d *Delivery) Body() []byte { return d.msg.Data() }

// Cancelled is closed when the run was cancelled or purged, which is noticed
// with a heartbeat: stop computing and Release.
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

// lost reports whether the server had to believe this worker lost at some time,
// so that the task may be another's now. It goes by the wall clock, because
// the monotonic one stands still while a machine sleeps.
func (d *Delivery) lost() bool {
	if time.Now().UnixNano()-d.confirmed.Load() > int64(d.wait) {
		d.overdue.Store(true)
	}
	return d.overdue.Load()
}

// known reports whether something may be known of the task already: it is not the
// first delivery, or whoever queued it knew that the run was published before.
func (d *Delivery) known() bool {
	return d.Delivered > 1 || d.msg.Headers().Get(numberHeader) != ""
}

// resume looks up how the earlier deliveries of a known task ended, and settles the
// task when it has a result or when too many workers died of it. Otherwise it
// notes that the task is begun: only redeliveries pay for that.
//
// A task that a worker may have died of is a suspect. A worker computes one at a
// time and hands others back for a while: else those that were computed beside
// the one that kills would meet it again, and be given up with it.
func (d *Delivery) resume(ctx context.Context) (settled bool, err error) {
	q := d.puller.queue
	has, err := q.results.has(ctx, d.run, d.cell, d.number)
	if err != nil {
		return false, err
	}
	if has {
		return true, d.acknowledge(ctx)
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

// giveUpUnread gives up a task that cannot be read, unless its cell has a result:
// that stays.
func (d *Delivery) giveUpUnread(ctx context.Context) error {
	has, err := d.puller.queue.results.has(ctx, d.run, d.cell, d.number)
	switch {
	case err != nil:
		return err
	case has:
		return d.acknowledge(ctx)
	}
	return d.giveUp(ctx, nil, fmt.Sprintf("the task cannot be read: %.1000v", d.refused))
}

// giveUp makes the task a dead letter and a failed outcome; task is nil when it
// cannot be read.
func (d *Delivery) giveUp(ctx context.Context, task *experiment.Task, reason string) error {
	letter := &DeadLetter{
		Run: d.run, Cell: d.cell, Task: task, Deliveries: d.Delivered, Reason: reason,
		Worker: d.puller.config.Name, Time: time.Now().UTC(), number: d.number,
	}
	if err := d.puller.queue.bury(ctx, letter, d.msg.Data()); err != nil {
		return err
	}
	return d.acknowledge(ctx)
}

// Done is [Puller.Done] for one delivery.
func (d *Delivery) Done(ctx context.Context, outcome *Sealed) error {
	return d.puller.Done(ctx, []Finished{{d, outcome}})[0]
}

// Fail uses up an attempt. While the cell has attempts left
// (Limits.Attempts; 0 is no limit) the task is handed back and delivered again
// after delay; with the last one outcome becomes the cell's result and final
// is true. So it does at once where the cell fails so each time, as a command does that ends
// two attempts in a row with the same error, and then other cells of it with that. A cell that ran
// short of what the run's limits were raised to meanwhile is handed back instead. A
// delivery that was lost meanwhile is left to its new owner, one of a cancelled run is
// dropped.
func (d *Delivery) Fail(ctx context.Context, outcome *Sealed, delay time.Duration) (final bool, err error) {
	if err := d.open(); err != nil {
		return false, err
	}
	if d.lost() || d.Dropped() {
		d.release()
		return false, nil
	}
	limit, why := d.Task.Limits.Attempts, whyOf(&d.Task, outcome)
	repeats, err := d.repeats(ctx, why)
	if err != nil {
		return false, d.wrap(err)
	}
	if repeats {
		if outcome, err = outcome.repeating(); err != nil {
			return false, d.wrap(err)
		}
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

// Release hands the task back without using up an attempt: this worker was
// interrupted. It is delivered again after delay. The task is handed back even
// when that cannot be recorded, which then counts as a death. A delivery that
// was lost meanwhile is left to its new owner, one of a cancelled run is
// dropped.
func (d *Delivery) Release(ctx context.Context, delay time.Duration) error {
	if err := d.open(); err != nil {
		return err
	}
	if d.lost() || d.Dropped() {
		d.release()
		return nil
	}
	_, err := d.puller.queue.attempts.record(ctx, d.run, d.cell, d.number, func(t *attemptCounts) {
		if d.Delivered > 1 {
			t.begin(d.Delivered) // takes note of one before that died
		}
		t.release()
	})
	return errors.Join(d.wrap(err), d.handBack(ctx, delay))
}

// Abandon gives up a delivery that cannot be settled, without a word to the
// server: heartbeats end, and the task goes to another worker after AckWait. It
// does nothing to one that is settled.
func (d *Delivery) Abandon() { d.release() }

func (d *Delivery) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.settled {
		return d.wrap(ErrSettled)
	}
	return nil
}

// release ends the delivery on this side: a heartbeat after the task was handed
// back would put off its next delivery.
func (d *Delivery) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.settled {
		return
	}
	d.settled = true
	d.silence()
	d.from.held.Add(-1)
	if d.suspect {
		<-d.puller.suspect
	}
}

func (d *Delivery) handBack(ctx context.Context, delay time.Duration) error {
	d.release()
	sent := false // once only: the library refuses a second time
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

func (d *Delivery) acknowledge(ctx context.Context) error { return acknowledge(ctx, []*Delivery{d})[0] }

func (d *Delivery) wrap(err error) error {
	if err == nil {
		return nil
	}
	return &CellError{d.run, d.cell, err}
}
