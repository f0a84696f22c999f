package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results/analysis"
)

// reporting tells what a report is at when it takes longer than a second: in a line
// of a terminal, by log lines elsewhere.
type reporting struct {
	base   *command.Base
	onLine bool
	first  time.Duration // until the first word
	every  time.Duration // between two words

	mu   sync.Mutex // guards step
	step analysis.Step
}

func newReporting(base *command.Base) *reporting {
	r := &reporting{base: base, onLine: command.IsTerminal(base.Err), first: time.Second, every: logEvery}
	if r.onLine {
		r.every = 100 * time.Millisecond
	}
	return r
}

// during makes a report by calling do with what is to be told of its steps.
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
	return do(func(step analysis.Step) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.step = step
	})
}

// tell shows the step again and again until done.
func (r *reporting) tell(done <-chan struct{}) {
	timer := time.NewTimer(r.first)
	defer timer.Stop()
	shown := false
	for {
		select {
		case <-timer.C:
			r.show()
			shown = true
			timer.Reset(r.every)
		case <-done:
			if shown && r.onLine {
				fmt.Fprint(r.base.Err, clearLine)
			}
			return
		}
	}
}

// clearLine goes to the beginning of a terminal's line and clears it.
const clearLine = "\r\x1b[K"

func (r *reporting) show() {
	r.mu.Lock()
	step := r.step
	r.mu.Unlock()
	at := ""
	if step.Of > 0 {
		at = fmt.Sprintf("%d of %d", step.At, step.Of)
	}
	switch {
	case !r.onLine && at == "":
		r.base.Log.Info("report", "step", step.What)
	case !r.onLine:
		r.base.Log.Info("report", "step", step.What, "at", at)
	case at == "":
		fmt.Fprintf(r.base.Err, "%sreport: %s", clearLine, step.What)
	default:
		fmt.Fprintf(r.base.Err, "%sreport: %s, %s", clearLine, step.What, at)
	}
}
