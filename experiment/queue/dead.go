package queue

import (
	"context"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/experiment"
)

// Headers of a dead letter.
const (
	reasonHeader     = "Agepath-Reason"
	workerHeader     = "Agepath-Worker"
	timeHeader       = "Agepath-Time"
	deliveriesHeader = "Agepath-Deliveries"
)

// bury stores the failed outcome of a task that is given up, and then the task as a dead letter, for
// people: nothing reads it. Between the two a crash costs the letter alone. It is idempotent.
func (q *Queue) bury(ctx context.Context, outcome *experiment.Outcome, number uint64, task []byte) error {
	if err := q.results.put(ctx, outcome, number, outcome.Attempts); err != nil {
		return err
	}
	msg := nats.NewMsg(deadTopic.cell(outcome.Run, outcome.Cell))
	msg.Data = task
	msg.Header[reasonHeader] = []string{outcome.Error}
	msg.Header[workerHeader] = []string{outcome.Worker} // that gave it up, not one that died
	msg.Header[timeHeader] = []string{outcome.Finished.UTC().Format(time.RFC3339Nano)}
	msg.Header[taskHeader] = []string{strconv.FormatUint(number, 10)}
	msg.Header[deliveriesHeader] = []string{strconv.Itoa(outcome.Attempts)}
	return q.store(ctx, "storing dead letter", deadStream, msg)
}
