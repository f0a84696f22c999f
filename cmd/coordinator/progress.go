package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
)

// logEvery is the time between two log lines about the progress of a run.
const logEvery = 10 * time.Second

// progress tells how far a run is: by a bar on a terminal, by log lines
// elsewhere.
type progress struct {
	base  *command.Base
	plan  *experiment.Plan
	onBar bool

	mu     sync.Mutex // guards what follows, and the terminal
	bar    *progressbar.ProgressBar
	begun  bool
	logged time.Time // the last line
	last   run.Progress
}

func newProgress(base *command.Base, plan *experiment.Plan) *progress {
	return &progress{base: base, plan: plan, onBar: command.IsTerminal(base.Err)}
}

// tell is told of the progress.
func (p *progress) tell(now run.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = now
	if p.onBar {
		p.draw(now)
		return
	}
	switch {
	case !p.begun:
		p.log(slog.LevelInfo, "computing")
	case time.Since(p.logged) >= logEvery:
		p.log(slog.LevelInfo, "progress")
	default:
		p.log(slog.LevelDebug, "progress")
		return
	}
	p.begun, p.logged = true, time.Now()
}

func (p *progress) log(level slog.Level, message string) {
	fields := []any{"run", p.plan.Run, "done", p.last.Done, "cells", p.last.Total, "incomplete", p.last.Incomplete, "failed", p.last.Failed, "elapsed", p.last.Elapsed.Round(time.Second)}
	if p.last.Remaining >= 0 {
		fields = append(fields, "remaining", p.last.Remaining.Round(time.Second))
	}
	p.base.Log.Log(context.Background(), level, message, fields...)
}

// draw draws the bar. Errors of the terminal are not the run's.
func (p *progress) draw(now run.Progress) {
	if p.bar == nil {
		p.bar = newBar(p.base.Err, now.Total)
	}
	what := p.plan.Grid
	if now.Incomplete > 0 {
		what += fmt.Sprintf(", %d incomplete", now.Incomplete)
	}
	if now.Failed > 0 {
		what += fmt.Sprintf(", %d failed", now.Failed)
	}
	if now.Remaining >= 0 {
		what += ", " + humanTime(now.Remaining.Seconds()) + " left"
	}
	p.bar.Describe(what)
	_ = p.bar.Set64(now.Done)
}

func newBar(w io.Writer, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false), // counts cells, not their costs
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetWidth(40),
	)
}

// warn logs what the run survived, above the bar.
func (p *progress) warn(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	p.base.Log.Warn(err.Error())
	if p.bar != nil {
		_ = p.bar.RenderBlank()
	}
}

// end tells once where the run ended, if it began.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.bar != nil:
		_ = p.bar.Exit()
		fmt.Fprintln(p.base.Err)
	case p.begun:
		p.last.Remaining = -1
		p.log(slog.LevelInfo, "ended")
	}
	p.bar, p.begun = nil, false
}
