package queue

import (
	"context"
	"time"
)

type heartbeat struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// beat starts the heartbeats. A delivery settled before the first costs no goroutine.
func (d *Delivery) beat() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heart = time.AfterFunc(d.wait/3, d.tick)
}

// silence is called with mu held; no heartbeat is sent after it.
func (d *Delivery) silence() {
	if d.heart == nil {
		return
	}
	d.heart.Stop()
	d.heart = nil
	if beating := d.beating; beating != nil {
		beating.cancel()
		d.mu.Unlock()
		<-beating.done
		d.mu.Lock()
	}
}

func (d *Delivery) tick() {
	d.mu.Lock()
	limit := d.Task.Limits.Timeout
	over := limit > 0 && !d.begun.IsZero() && time.Since(d.begun) >= limit
	if d.heart == nil || over {
		d.mu.Unlock()
		return
	}
	began := time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	own := &heartbeat{cancel, make(chan struct{})}
	d.beating = own
	d.mu.Unlock()

	dropped := gone(d.alive(ctx))

	d.mu.Lock()
	defer d.mu.Unlock()
	close(own.done)
	d.beating = nil
	switch {
	case dropped:
		close(d.cancelled)
	case d.heart != nil:
		d.heart.Reset(max(0, d.wait/3-time.Since(began)))
	}
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
	err := bounded(ctx, d.wait/3, func(ctx context.Context) error {
		_, err := d.from.consumer.Info(ctx)
		return err
	})
	if err == nil && !lost {
		d.confirmed.Store(now)
	}
	return err
}
