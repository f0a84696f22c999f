package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

const (
	logEvery    = 10 * time.Second // between two log lines about a step
	redrawEvery = 100 * time.Millisecond
	barWidth    = 30
)

// progress shows the current step of a command: in a line of a terminal, otherwise by log lines.
// Steps of less than a second are not shown, except the cells of a run.
type progress struct {
	base   *command.Base
	what   string // the command or the run
	onLine bool
	first  time.Duration // until a step is shown
	every  time.Duration

	mu    sync.Mutex // guards the fields below, and the terminal
	step  analysis.Step
	cells *run.Progress // while cells are computed
	since time.Time     // start of the first of consecutive steps, or when cells were last shown
	shown bool          // the line of the terminal is in use
}

func newProgress(base *command.Base, what string) *progress {
	p := &progress{base: base, what: what, onLine: command.IsTerminal(base.Err), first: time.Second, every: logEvery}
	if p.onLine {
		p.every = redrawEvery
	}
	return p
}

// during passes do a function to call before each step.
func during[T any](p *progress, do func(begin func(analysis.Step)) (T, error)) (T, error) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends with do
		defer close(ended)
		p.keepShowing(done)
	}()
	defer func() {
		close(done)
		<-ended
	}()
	return do(p.begin)
}

func oneStep[T any](base *command.Base, what, step string, do func() (T, error)) (T, error) {
	return during(newProgress(base, what), func(begin func(analysis.Step)) (T, error) {
		begin(analysis.Step{What: step})
		return do()
	})
}

// begin records the step that begins; one without a name pauses the display.
func (p *progress) begin(step analysis.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endCells()
	if p.step.What == "" {
		p.since = time.Now()
	}
	if p.step = step; step.What == "" {
		p.clear()
	}
}

func (p *progress) compute(now run.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	begins := p.cells == nil
	p.cells = &now
	switch {
	case begins:
		p.step, p.since = analysis.Step{}, time.Now()
		p.showCells(slog.LevelInfo, "computing")
	case !p.onLine:
		p.showCells(slog.LevelDebug, "progress")
	}
}

func (p *progress) endCells() {
	if p.cells == nil {
		return
	}
	p.cells.Remaining, p.cells.Longest = -1, nil
	if p.showCells(slog.LevelInfo, "ended"); p.onLine {
		fmt.Fprintln(p.base.Err)
	}
	p.cells, p.shown = nil, false
}

func (p *progress) warn(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.base.Log.Warn(err.Error())
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.base.Err, clearLine)
	}
	p.shown = false
}

func (p *progress) keepShowing(done <-chan struct{}) {
	timer := time.NewTimer(min(p.first, p.every))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			timer.Reset(p.look())
		case <-done:
			p.mu.Lock()
			defer p.mu.Unlock()
			p.endCells()
			p.clear()
			return
		}
	}
}

func (p *progress) look() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait := p.first - time.Since(p.since)
	switch {
	case p.cells != nil:
		if time.Since(p.since) >= p.every {
			p.since = time.Now()
			p.showCells(slog.LevelInfo, "progress")
		}
		return min(p.first, p.every)
	case p.step.What == "":
		return min(p.first, p.every)
	case wait > 0:
		return wait
	}
	p.showStep()
	return p.every
}

const clearLine = "\r\x1b[K"

func (p *progress) draw(text string) {
	fmt.Fprintf(p.base.Err, "%s%s: %s", clearLine, p.what, text)
	p.shown = true
}

func (p *progress) showStep() {
	at := ""
	if p.step.Of > 0 {
		at = fmt.Sprintf("%d of %d", p.step.At, p.step.Of)
	}
	switch {
	case p.onLine && at == "":
		p.draw(p.step.What)
	case p.onLine:
		p.draw(p.step.What + ", " + at)
	case at == "":
		p.base.Log.Info(p.what, "step", p.step.What)
	default:
		p.base.Log.Info(p.what, "step", p.step.What, "at", at)
	}
}

func (p *progress) showCells(level slog.Level, message string) {
	c := p.cells
	var longest []string
	for _, r := range c.Longest {
		if since := time.Since(r.Since); since >= logEvery {
			longest = append(longest, fmt.Sprintf("%s (cell %s), %v", shortened(r.What, lineReason), r.Cell, since.Round(time.Second)))
		}
	}
	if !p.onLine {
		fields := []any{"run", p.what, "done", c.Done, "cells", c.Total, "incomplete", c.Counts.Statuses[experiment.Incomplete], "failed", c.Counts.Failed()}
		for _, status := range experiment.Statuses {
			if n := c.Counts.Statuses[status]; n > 0 && status.Failed() && status != experiment.Failed {
				fields = append(fields, string(status), n)
			}
		}
		if held := heldCells(c.Held); held > 0 {
			fields = append(fields, "held_back", held)
		}
		if len(c.Counts.Reasons) > 0 {
			fields = append(fields, "why", c.Counts.Reasons[0].String())
		}
		fields = append(fields, "elapsed", c.Elapsed.Round(time.Second))
		if c.Remaining >= 0 {
			fields = append(fields, "remaining", c.Remaining.Round(time.Second))
		}
		if len(longest) > 0 {
			fields = append(fields, "longest", strings.Join(longest, "; "))
		}
		p.base.Log.Log(context.Background(), level, message, fields...)
		return
	}
	full := int(barWidth * c.Done / max(c.Total, 1))
	var text strings.Builder
	fmt.Fprintf(&text, "%s%s %d of %d cells", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), c.Done, c.Total)
	for _, status := range experiment.Statuses {
		if n := c.Counts.Statuses[status]; n > 0 && (status.Failed() || status == experiment.Incomplete) {
			fmt.Fprintf(&text, ", %d %s", n, status)
		}
	}
	if held := heldCells(c.Held); held > 0 {
		fmt.Fprintf(&text, ", %d held back", held)
	}
	if c.Remaining >= 0 {
		text.WriteString(", " + humanTime(c.Remaining.Seconds()) + " left")
	}
	if len(longest) > 0 {
		text.WriteString("; longest: " + longest[0])
	}
	if len(c.Counts.Reasons) > 0 {
		text.WriteString("; " + shortened(c.Counts.Reasons[0].String(), lineReason))
	}
	p.draw(text.String())
}

const lineReason = 60

func shortened(text string, most int) string {
	runes := []rune(report.Visible(text))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-3]) + "..."
}

func heldCells(held []*run.HeldError) (n int64) {
	for _, of := range held {
		n += of.Cells
	}
	return n
}

func (p *progress) write(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprint(p.base.Err, text)
}

const (
	// tablesEvery is the minimum time from the start, or from one table, to the next.
	tablesEvery = 30 * time.Second
	interimRows = 15
)

type standings struct {
	app   *app
	shown *progress
	dir   string

	all  sync.WaitGroup
	busy atomic.Bool
	last time.Time // last table or start of the run; owned by the goroutine while busy
}

// milestone shows the scores, unless a table is being made or was shown recently.
func (t *standings) milestone(ctx context.Context) {
	if !t.busy.CompareAndSwap(false, true) {
		return
	}
	if time.Since(t.last) < tablesEvery {
		t.busy.Store(false)
		return
	}
	t.all.Go(func() { // ends with the report
		defer t.busy.Store(false)
		var text strings.Builder
		answer, err := report.LoadAnswer(ctx, t.dir)
		if err == nil {
			err = report.Text{MaxRows: interimRows}.WriteAnswer(&text, answer)
		}
		t.last = time.Now()
		if err != nil { // the files may be sorted meanwhile; the final report follows
			t.app.Log.Debug("the scores so far", "error", err)
			return
		}
		t.shown.write(fmt.Sprintf("\nScores so far, %s:\n\n%s\n", t.last.Format(time.TimeOnly), &text))
	})
}
