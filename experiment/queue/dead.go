package queue

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/experiment"
)

const (
	reasonHeader     = "Agepath-Reason"
	workerHeader     = "Agepath-Worker"
	timeHeader       = "Agepath-Time"
	deliveriesHeader = "Agepath-Deliveries"
)

// DeadLetter is a task that was given up without being computed.
type DeadLetter struct {
	Run, Cell  string
	Task       *experiment.Task // nil if unreadable
	Deliveries int
	Reason     string
	Worker     string // that gave it up, not one that died
	Time       time.Time

	number uint64
}

// Outcome returns the failed outcome for the dead letter, without labels if the task is unreadable.
func (d *DeadLetter) Outcome() *experiment.Outcome {
	o := &experiment.Outcome{
		Run: d.Run, Cell: d.Cell, Status: experiment.Failed, Error: d.Reason, Attempts: d.Deliveries,
		Computer: experiment.Computer{Worker: d.Worker}, Started: d.Time, Finished: d.Time,
	}
	if d.Task != nil {
		o.Kind, o.Labels = d.Task.Kind, d.Task.Labels
	}
	return o
}

// Reconcile stores the failed outcomes missing for a run's dead letters. A worker stores both; they
// differ if it dies in between and the run is cancelled. A letter that is unreadable or fails check,
// which may be nil, goes to the quarantine.
func (q *Queue) Reconcile(ctx context.Context, run string, check func(*experiment.Outcome) error) (quarantined []*QuarantinedError, err error) {
	for msg, err := range q.reader("reading dead letters", deadStream, deadTopic, run).messages(ctx) {
		if err != nil {
			return quarantined, err
		}
		cell := cellOf(msg.Subject())
		letter, wrong := readDeadLetter(run, cell, msg.Headers(), msg.Data())
		if wrong == nil {
			has, err := q.results.has(ctx, run, cell, letter.number)
			if err != nil {
				return quarantined, err
			}
			if has {
				continue
			}
			if check != nil {
				wrong = check(letter.Outcome())
			}
		}
		if wrong != nil {
			quarantined = append(quarantined, &QuarantinedError{run, cell, wrong})
			err = q.quarantine(ctx, deadStream, msg, wrong)
		} else if err = q.results.put(ctx, letter.Outcome(), letter.number, letter.Deliveries); err != nil {
			err = &CellError{run, cell, err}
		}
		if err != nil {
			return quarantined, err
		}
	}
	return quarantined, nil
}

// bury is idempotent.
func (q *Queue) bury(ctx context.Context, letter *DeadLetter, body []byte) error {
	msg := nats.NewMsg(deadTopic.cell(letter.Run, letter.Cell))
	msg.Data = body
	msg.Header[reasonHeader] = []string{letter.Reason}
	msg.Header[workerHeader] = []string{letter.Worker}
	msg.Header[timeHeader] = []string{letter.Time.UTC().Format(time.RFC3339Nano)}
	msg.Header[taskHeader] = []string{strconv.FormatUint(letter.number, 10)}
	msg.Header[deliveriesHeader] = []string{strconv.Itoa(letter.Deliveries)}
	if err := q.store(ctx, "storing dead letter", deadStream, msg); err != nil {
		return err
	}
	return q.results.put(ctx, letter.Outcome(), letter.number, letter.Deliveries)
}

func readDeadLetter(run, cell string, header nats.Header, body []byte) (*DeadLetter, error) {
	d := &DeadLetter{Run: run, Cell: cell, Reason: header.Get(reasonHeader), Worker: header.Get(workerHeader)}
	var err error
	if d.Time, err = time.Parse(time.RFC3339Nano, header.Get(timeHeader)); err != nil {
		return nil, &CellError{run, cell, fmt.Errorf("dead letter, header %s: %w", timeHeader, err)}
	}
	var ok bool
	if d.number, ok = resultNumber(header); !ok {
		return nil, &CellError{run, cell, fmt.Errorf("dead letter, header %s: %.40q", taskHeader, header.Get(taskHeader))}
	}
	if d.Deliveries, err = strconv.Atoi(header.Get(deliveriesHeader)); err != nil {
		return nil, &CellError{run, cell, fmt.Errorf("dead letter, header %s: %w", deliveriesHeader, err)}
	}
	if task, err := DecodeTask(body); err == nil && task.Run == run && task.Cell == cell {
		d.Task = task
	}
	return d, nil
}
