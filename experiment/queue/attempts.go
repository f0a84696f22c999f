package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
)

// attemptCounts counts the ended deliveries of a task. Those neither failed nor released ended
// silently.
type attemptCounts struct {
	Task     uint64 `json:"task"` // number of the task; a new task of the cell starts at zero
	Failed   int    `json:"failed"`
	Released int    `json:"released"`
	Begun    int    `json:"begun,omitempty"` // number of the redelivery being computed, 0 for none
	Died     int    `json:"died,omitempty"`  // redeliveries that were begun and ended silently
	Why      string `json:"why,omitempty"`   // of a command's last failure, see [whyOf]
}

const (
	maxCounts = 1 << 10 // bytes, as stored
	mostTimes = 1 << 20
)

// killed matches errors of a slot, a command or a shell's child that a signal from outside ended.
var killed = regexp.MustCompile(`^computing this cell ended its process|` + outside.NoAnswer + `: (signal: (killed|terminated|hangup)|exit status 1(29|37|43))\b`)

// whyOf is a key for why a cell of a command failed, "" for other cells and for one that was killed.
func whyOf(task *experiment.Task, outcome *experiment.Outcome) string {
	if !task.Commands() || outcome.Status != experiment.Failed || killed.MatchString(outcome.Error) {
		return ""
	}
	return outside.Digest([]byte(experiment.ReasonKey("", outcome.Status, outcome.Error)))[:16]
}

// repeats reports whether the error is that of the cell's previous attempt.
func (d *Delivery) repeats(ctx context.Context, why string) (bool, error) {
	if why == "" || d.Attempt == 1 {
		return false, nil
	}
	before, _, err := d.puller.queue.attempts.counts(ctx, d.run, d.cell, d.number)
	return before.Why == why, err
}

func (t *attemptCounts) fail()    { t.Failed, t.Begun = t.Failed+1, 0 }
func (t *attemptCounts) release() { t.Released, t.Begun = t.Released+1, 0 }

// begin records that a redelivery is computed. If another one was begun before, its worker died.
func (t *attemptCounts) begin(delivery int) {
	if t.Begun != 0 && t.Begun != delivery {
		t.Died++
	}
	t.Begun = delivery
}

// silent returns the number of earlier deliveries that ended silently.
func (t *attemptCounts) silent(delivery int) int { return delivery - 1 - t.Failed - t.Released }

// kills reports whether deaths workers died of the task. A delivery lost on its way to a worker
// says nothing about the task, so all silent deliveries but the first must have been begun.
func (t *attemptCounts) kills(delivery, deaths int) bool {
	return t.silent(delivery) >= deaths && t.Died >= deaths-1
}

type attempts struct{ *connection }

func (a attempts) counts(ctx context.Context, run, cell string, task uint64) (t attemptCounts, record uint64, err error) {
	t.Task = task
	msg, err := a.last(ctx, attemptsStream, attemptTopic.cell(run, cell))
	if err != nil || msg == nil {
		return t, 0, err
	}
	var stored attemptCounts
	readable := len(msg.Data) <= maxCounts && json.Unmarshal(msg.Data, &stored) == nil
	all := []int{stored.Failed, stored.Released, stored.Begun, stored.Died}
	if !readable || slices.Min(all) < 0 || slices.Max(all) > mostTimes {
		a.config.Report(fmt.Errorf("the record of attempts %s says %.100q; it counts as none", printable(msg.Subject, reasonBytes), msg.Data))
		return t, msg.Sequence, nil
	}
	if stored.Task == task {
		t = stored
	}
	return t, msg.Sequence, nil
}

func (a attempts) record(ctx context.Context, run, cell string, task uint64, change func(*attemptCounts)) (t attemptCounts, err error) {
	for {
		t, last, err := a.counts(ctx, run, cell, task)
		if err != nil {
			return t, err
		}
		change(&t)
		body, err := json.Marshal(t)
		if err != nil {
			return t, err
		}
		msg := &nats.Msg{Subject: attemptTopic.cell(run, cell), Data: body}
		err = a.store(ctx, "recording attempt", attemptsStream, msg, jetstream.WithExpectLastSequencePerSubject(last))
		// If another writer was faster, the record is read and changed again.
		if code := apiCode(err); code != codeWrongSequence && code != codeWrongSequenceCluster {
			return t, err
		}
	}
}
