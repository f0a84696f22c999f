package main

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/live"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/notify"
)

const failureRate = 0.1

type notifyFlags struct {
	url, command string
	failures     float64
}

func (f *notifyFlags) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "notify", "", "`URL` of a webhook that gets an event when a run ends, fails or loses workers")
	flags.StringVar(&f.command, "notify-command", "", "shell `command` that gets the same events on its standard input")
	flags.Float64Var(&f.failures, "notify-failures", failureRate, "`share` of failed cells above which an event is sent; 1 for never")
}

func (f *notifyFlags) start(base *command.Base) (*notify.Notifier, error) {
	if !(f.failures >= 0 && f.failures <= 1) {
		return nil, command.Refusef("--notify-failures must be from 0 to 1 (got %s)", strconv.FormatFloat(f.failures, 'g', -1, 64))
	}
	n, err := notify.New(notify.Config{
		URL: f.url, Command: f.command, FailureRate: f.failures, Version: base.Version, Log: base.Log,
	})
	if err != nil {
		return nil, command.Refusef("--notify: %w", err)
	}
	return n, nil
}

func notified(ctx context.Context, c *run.Coordinator, n *notify.Notifier) (*run.Summary, error) {
	if n.Silent() {
		return c.Run(ctx)
	}
	last := notify.Run{Name: c.Plan.Run, Cells: c.Plan.Count()}
	var mu sync.Mutex // guards last
	tell := c.Progress
	c.Progress = func(p run.Progress) {
		tell(p)
		mu.Lock()
		defer mu.Unlock()
		last.Phase, last.Ended = live.Computing, p.Done
		last.Failed, last.Incomplete = p.Counts.Failed(), p.Counts.Statuses[experiment.Incomplete]
		last.Reasons = p.Counts.Reasons
		n.Runs(last)
	}
	watching, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	if c.Queue != nil {
		all.Go(func() { live.NotifyWorkers(watching, c.Queue, n, c.Report) })
	}
	warn := c.Report
	c.Report = func(err error) {
		if held := new(run.HeldError); errors.As(err, &held) {
			mu.Lock()
			n.Held(last, held.Error())
			mu.Unlock()
		}
		warn(err)
	}
	summary, err := c.Run(ctx)
	stop()
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	switch {
	case err == nil:
		last.Phase, last.Ended = notify.Finished, int64(experiment.CountAll(summary.Counts))
		last.Failed, last.Incomplete = int64(summary.Failed()), int64(summary.Counts[experiment.Incomplete])
		last.Reasons = summary.Reasons
	case ctx.Err() != nil:
		last.Phase = notify.Interrupted
	case errors.As(err, new(*run.CancelledError)):
		last.Phase = notify.Cancelled
	case errors.As(err, new(*run.StartError)):
		return summary, err // nothing was started
	default:
		last.Phase, last.Error = notify.Broken, err.Error()
	}
	n.Ended(last)
	return summary, err
}
