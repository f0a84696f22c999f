package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results/analysis"
)

// reporting tells what a command is at when it takes longer than a second: in a line
// of a terminal, by log lines elsewhere.
type reporting struct {
	base   *command.Base
	what   string // is made
	onLine bool
	first  time.Duration // until the first word
	every  time.Duration // between two words

	mu    sync.Mutex // guards what follows
	step  analysis.Step
	since time.Time // steps follow each other
	shown bool      // the last step
}

func newReporting(base *command.Base, what string) *reporting {
	r := &reporting{base: base, what: what, onLine: command.IsTerminal(base.Err), first: time.Second, every: logEvery}
	if r.onLine {
		r.every = 100 * time.Millisecond
	}
	return r
}

// during calls do with what is to be told of its steps.
func during[T any](r *reporting, do func(tell func(analysis.Step)) (T, error)) (T, error) {
	done, told := make(chan struct{}), make(chan struct{})
	go func() { // ends with do
		defer close(told)
		r.tell(done)
	}()
	defer func() {
		close(done)
		<-told
	}()
	return do(r.begins)
}

// oneStep does one thing and tells of it when it takes longer than a second.
func oneStep[T any](base *command.Base, what, step string, do func() (T, error)) (T, error) {
	return during(newReporting(base, what), func(tell func(analysis.Step)) (T, error) {
		tell(analysis.Step{What: step})
		return do()
	})
}

// begins notes the step that begins, without a name for none: then somebody else tells.
func (r *reporting) begins(step analysis.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.step.What == "" {
		r.since = time.Now()
	}
	if r.step = step; step.What == "" {
		r.clear()
	}
}

// clear takes what is shown from a terminal's line.
func (r *reporting) clear() {
	if r.shown && r.onLine {
		fmt.Fprint(r.base.Err, clearLine)
	}
	r.shown = false
}

// tell shows the step again and again until done.
func (r *reporting) tell(done <-chan struct{}) {
	timer := time.NewTimer(r.first)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			timer.Reset(r.look())
		case <-done:
			r.mu.Lock()
			defer r.mu.Unlock()
			r.clear()
			return
		}
	}
}

// look shows a step where steps have gone on for long, and returns when to look again.
func (r *reporting) look() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	wait := r.first - time.Since(r.since)
	switch {
	case r.step.What == "":
		return r.first
	case wait > 0:
		return wait
	}
	r.show()
	r.shown = true
	return r.every
}

// clearLine goes to the beginning of a terminal's line and clears it.
const clearLine = "\r\x1b[K"

func (r *reporting) show() {
	step, at := r.step, ""
	if step.Of > 0 {
		at = fmt.Sprintf("%d of %d", step.At, step.Of)
	}
	switch {
	case !r.onLine && at == "":
		r.base.Log.Info(r.what, "step", step.What)
	case !r.onLine:
		r.base.Log.Info(r.what, "step", step.What, "at", at)
	case at == "":
		fmt.Fprintf(r.base.Err, "%s%s: %s", clearLine, r.what, step.What)
	default:
		fmt.Fprintf(r.base.Err, "%s%s: %s, %s", clearLine, r.what, step.What, at)
	}
}
