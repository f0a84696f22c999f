package queue

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
)

// Finished is a delivery and the outcome of its cell.
type Finished struct {
	Delivery *Delivery
	Outcome  *Sealed
}

// Done stores the outcomes as results and then acknowledges the tasks. A lost delivery does not
// replace a result; without one it saves the new owner the work. It returns an error or nil per
// delivery. Results are sent together: one round trip for all.
func (p *Puller) Done(ctx context.Context, finished []Finished) []error {
	errs := make([]error, len(finished))
	stores := make([]sent, len(finished))
	for i, f := range finished {
		if errs[i] = f.Delivery.open(); errs[i] != nil {
			continue
		}
		msg, err := f.message(ctx)
		if err != nil {
			errs[i] = f.Delivery.wrap(err)
		} else if msg != nil {
			stores[i] = p.queue.send(msg)
		}
	}
	stored := make([]*Delivery, 0, len(finished))
	places := make([]int, 0, len(finished))
	for i, f := range finished {
		if stores[i].msg != nil {
			errs[i] = f.Delivery.wrap(storing(p.queue.confirm(ctx, stores[i], resultsStream)))
		}
		if errs[i] == nil {
			stored, places = append(stored, f.Delivery), append(places, i)
		}
	}
	for k, err := range acknowledge(ctx, stored) {
		errs[places[k]] = err
	}
	return errs
}

func (f *Finished) message(ctx context.Context) (*nats.Msg, error) {
	d, q := f.Delivery, f.Delivery.puller.queue
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if f.Outcome.Run != d.run || f.Outcome.Cell != d.cell {
		return nil, fmt.Errorf("the outcome is of run %.140q, cell %.140q", f.Outcome.Run, f.Outcome.Cell)
	}
	if d.lost() {
		if has, err := q.results.has(ctx, d.run, d.cell, d.number); has || err != nil {
			return nil, err
		}
	}
	return q.results.message(ctx, f.Outcome, d.number, d.Delivered)
}

// acknowledge acknowledges tasks with stored results. A server handles the acknowledgements of a
// connection to a consumer in order, so confirming the last of each consumer confirms all. A task
// whose acknowledgement is lost with the connection is redelivered and found to have a result.
func acknowledge(ctx context.Context, deliveries []*Delivery) []error {
	errs := make([]error, len(deliveries))
	last := make(map[*runFeed]int, 1)
	for i, d := range deliveries {
		if d.release(); !d.Dropped() {
			last[d.from] = i
		}
	}
	for i, d := range deliveries {
		var err error
		switch at, ok := last[d.from]; {
		case d.Dropped() || !ok:
		case i < at:
			err = d.msg.Ack()
		case i == at:
			err = bounded(ctx, requestWait, d.msg.DoubleAck)
		}
		if err != nil {
			errs[i] = d.wrap(fmt.Errorf("%w: %w", ErrUnacknowledged, err))
		}
	}
	for i, d := range deliveries {
		if at, ok := last[d.from]; ok && errs[i] == nil && errs[at] != nil {
			errs[i] = d.wrap(ErrUnacknowledged)
		}
	}
	return errs
}
