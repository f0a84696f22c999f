package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/report"
)

func (a *atServer) submitCommand() *cobra.Command {
	var (
		grid gridFlags
		from reuseFlags
	)
	cmd := command.Command("submit GRID", "Queue the cells of a grid at --nats and leave",
		`Queue the cells of a grid at --nats and leave. Cells that have ended or are queued
at the server are not queued again, and results of other runs are copied. The
limits of the last submission count for the whole run: queued cells get them, and
cells that ended as timeout or memory are queued again if the limits have been
raised. A paused run stays paused. The server keeps the grid and the paths of its
files, which everyone who may read the run can read.`,
		"coordinator submit grid.yaml --nats nats://example.org",
		func(ctx context.Context, args []string) error {
			p, err := a.plan(ctx, args[0], &grid)
			if err != nil {
				return err
			}
			defer from.close()
			reuse, err := a.reuse(ctx, &from, p.plan)
			if err != nil {
				return err
			}
			return a.withQueue(ctx, func(q *queue.Queue) error { return a.submit(ctx, q, p, reuse) })
		})
	grid.addTo(cmd.Flags())
	a.library.addTo(cmd.Flags())
	a.NATS.AddTo(cmd.Flags())
	from.addTo(cmd.Flags())
	a.NATS.AddStreams(cmd.Flags())
	return cmd
}

func (a *atServer) submit(ctx context.Context, q *queue.Queue, p *planned, from run.Reuse) error {
	s, err := oneStep(a.Base, "submit", "queueing the cells", func() (*run.Submitted, error) {
		return run.Submit(ctx, q, p.grid, p.plan, from)
	})
	if err != nil {
		return refuseStart(err)
	}
	fmt.Fprintf(a.Out, "%s: %d of %d cells queued", p.plan.Run, s.Published, p.plan.Count())
	if s.Refused > 0 {
		fmt.Fprintf(a.Out, ", %d were queued or running already", s.Refused)
	}
	if done := p.plan.Count() - int64(s.Published+s.Refused); done > 0 {
		fmt.Fprintf(a.Out, ", %d have ended", done)
	}
	if s.Shared > 0 {
		fmt.Fprintf(a.Out, ", %d of them in other runs", s.Shared)
	}
	fmt.Fprintln(a.Out, quarantinedText(s.Quarantined))
	a.tellSubmitted(p.plan.Run, s)
	if s.Published+s.Refused > 0 {
		a.warnCommands(ctx, q, p.plan)
	}
	if names := slices.Sorted(maps.Keys(p.plan.Files)); len(names) > 0 {
		fmt.Fprintf(a.Out, "%s: files that workers can read: %s\n", p.plan.Run, strings.Join(names, ", "))
	}
	for _, name := range s.Replaced {
		fmt.Fprintf(a.Out, "%s: %s was damaged at the server and is replaced\n", p.plan.Run, name)
	}
	return nil
}

func (a *app) warnCommands(ctx context.Context, q *queue.Queue, plan *experiment.Plan) {
	names := plan.Commands()
	if len(names) == 0 {
		return
	}
	workers, _, err := q.Workers(ctx)
	if err != nil {
		a.warn(fmt.Errorf("looking for a worker that runs commands: %w", err))
		return
	}
	for i := range workers {
		if workers[i].There(time.Now()) && slices.ContainsFunc(workers[i].Computes, func(n experiment.Need) bool { return n.Name == experiment.CommandNeed }) {
			return
		}
	}
	a.Log.Warn("no worker runs commands; cells of these methods wait for one that is started with --allow-commands", "methods", strings.Join(names, ", "))
}

func (a *atServer) tellSubmitted(name string, s *run.Submitted) {
	if s.Limited {
		fmt.Fprintf(a.Out, "%s: the cells that were queued have the new limits\n", name)
	}
	if s.Paused {
		fmt.Fprintf(a.Out, "%s: paused; `coordinator resume %[1]s` lets workers go on\n", name)
	}
}

type limitFlags struct {
	timeout, memory string // "" for the run's own
	attempts        int
}

func (l *limitFlags) overrides() (set []string, err error) {
	if l.timeout != "" && l.timeout != "0s" {
		if d, err := time.ParseDuration(l.timeout); l.timeout != experiment.None && (err != nil || d <= 0) {
			return nil, command.Refusef("--timeout must be > 0, such as 90s, 30m or 1h30m, or %s (got %s)", experiment.None, l.timeout)
		}
		set = append(set, "limits.timeout="+l.timeout)
	}
	if l.memory != "" {
		if _, ok := experiment.ParseBytes(l.memory); !ok && l.memory != experiment.None {
			return nil, command.Refusef("--memory %q is not allowed; %s is, or %s", l.memory, experiment.BytesAllowed, experiment.None)
		}
		set = append(set, "limits.memory="+l.memory)
	}
	if l.attempts > 0 {
		set = append(set, fmt.Sprintf("limits.attempts=%d", l.attempts))
	}
	return set, nil
}

func (a *atServer) retryCommand() *cobra.Command {
	var (
		statuses []experiment.Status
		limits   limitFlags
	)
	cmd := a.onRun("retry RUN", "Queue the failed and incomplete cells of a run again",
		`Queue the failed and incomplete cells of a run again, except those that fail every
time: cells whose estimate of memory is above the limit, or whose data cannot be
prepared. An incomplete path stops at the same age again unless this version gets
further.`,
		"coordinator retry night --status failed,timeout --timeout 2h --nats nats://example.org",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			set, err := limits.overrides()
			if err != nil {
				return err
			}
			s, err := run.Retry(ctx, q, args[0], statuses, set)
			if err != nil {
				return refuseStart(err)
			}
			fmt.Fprintf(a.Out, "%s: %d cells queued again%s\n", args[0], s.Published, quarantinedText(s.Quarantined))
			if s.Left > 0 {
				fmt.Fprintf(a.Out, "%s: %d cells that fail each time under these limits are left; --status queues them too\n", args[0], s.Left)
			}
			a.tellSubmitted(args[0], s)
			return nil
		})
	flags := cmd.Flags()
	command.List(flags, &statuses, "status", "which cells: "+strings.Join(failureNames(), ", ")+" (default: all of them but those that fail each time)", failureNames(), parseFailure)
	flags.StringVar(&limits.timeout, "timeout", "", "`time` that each cell of the run may take from now on, such as 90s, or none for no limit (default: what the run has)")
	flags.StringVar(&limits.memory, "memory", "", "`amount` of memory that each cell of the run may take from now on, such as 4GiB, or none for no limit (default: what the run has)")
	command.Count(flags, &limits.attempts, "attempts", 0, 0, experiment.MaxAttempts, "`N` attempts that each cell of the run has from now on; 0 is what the run has")
	return cmd
}

func (a *atServer) pauseCommand() *cobra.Command {
	return a.onRun("pause RUN", "Have workers take no new cells of a run; its queue stays",
		`Have workers take no new cells of a run. Cells that are being computed continue.
The run stays paused over restarts until it is resumed or cancelled. A worker with
--drain does not wait for a paused run.`,
		"coordinator pause night --nats nats://example.org",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			_, err := q.Pause(ctx, args[0])
			return a.toldOrders(err, args[0], "paused; cells that are being computed go on; `coordinator resume %s` ends it")
		})
}

func (a *atServer) resumeCommand() *cobra.Command {
	return a.onRun("resume RUN", "Have workers take cells of a paused run again", "",
		"coordinator resume night --nats nats://example.org",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			changed, err := q.Resume(ctx, args[0])
			if err == nil && !changed {
				return a.toldOrders(nil, args[0], "not paused")
			}
			return a.toldOrders(err, args[0], "resumed")
		})
}

func (a *atServer) toldOrders(err error, run, what string) error {
	if errors.Is(err, queue.ErrNotOpen) {
		return command.Refusef("%w; `coordinator submit GRID` queues them", err)
	}
	if err == nil {
		fmt.Fprintf(a.Out, "%s: %s\n", run, strings.ReplaceAll(what, "%s", run))
	}
	return err
}

func quarantinedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d messages did not pass and are quarantined", n)
}

func (a *atServer) cancelCommand() *cobra.Command {
	return a.onRun("cancel RUN", "Drop the queued cells of a run; results stay",
		`Drop the queued cells of a run. Workers hand back what they compute of it. Results
stay; submitting the grid again continues the run.`,
		"coordinator cancel night --nats nats://example.org",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			return a.toldOrders(q.Cancel(ctx, args[0]), args[0], "cancelled; its results stay; `coordinator submit GRID` queues the other cells again")
		})
}

func (a *atServer) purgeCommand() *cobra.Command {
	uncollected := false
	cmd := a.onRun("purge RUN", "Remove a finished or cancelled run and its results from the server",
		`Remove what the server has of a run. Cancel a run with cells queued or running, and
collect its results, first. Collected folders and data sets stay.`,
		"coordinator purge night --nats nats://example.org",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			return a.toldOrders(refuseStart(run.Purge(ctx, q, args[0], uncollected)), args[0], "removed from the server")
		})
	cmd.Flags().BoolVar(&uncollected, "uncollected", false, "also remove results that no folder has")
	return cmd
}

func (a *atServer) collectCommand() *cobra.Command {
	var (
		out    string
		report reportFlags
		asJSON jsonFlag
		known  knownFlag
	)
	cmd := a.onRun("collect RUN --out DIR", "Gather the results of a run so far, also while it runs",
		`Gather the results that the server has of a run, also while it runs. Results that
fail a check are quarantined, and their cells are queued again.

In an S3-compatible store each object is whole or absent, and the manifest is
written last. After a kill the same command sends the rest. The command needs room
for a copy of the store's tables in the folder for temporary files.`,
		"coordinator collect night --out out/night --format html --nats nats://example.org",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			return a.collect(ctx, q, args[0], out, &report, &known, asJSON)
		})
	flags := cmd.Flags()
	asJSON.addTo(flags)
	report.addTo(flags)
	a.library.addCacheTo(flags)
	known.addTo(flags)
	flags.Lookup("format").Usage = "make a report too, in these `formats`: " + strings.Join(formatNames(), ", ")
	command.Path(flags, &out, "out", "`folder` of the results, or s3://BUCKET/FOLDER of an S3-compatible store")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if out == "" {
			return command.Refusef("--out is missing: the folder of the results")
		}
		return nil
	}
	return cmd
}

func (a *atServer) collect(ctx context.Context, q *queue.Queue, name, out string, flags *reportFlags, known *knownFlag, asJSON jsonFlag) error {
	to, err := a.openPlace(ctx, out, name)
	if err != nil {
		return err
	}
	defer to.close()
	collected, err := oneStep(a.Base, "collect", "gathering the results", func() (*run.Collected, error) {
		return run.Collect(ctx, q, name, to.dir, a.Version, flags.compression)
	})
	if err != nil {
		err = refuseStart(err)
		if _, refused := errors.AsType[*command.Refusal](err); refused { // a copy has another name than its store
			err = command.Refusef("%s", strings.ReplaceAll(err.Error(), to.dir, out))
		}
		return err
	}
	if to.dir == out {
		reuse := run.Reuse{Known: a.known(known), Report: a.warn}
		reuse.Remember(out, true)
	}
	if flags.formats != nil {
		if _, err := a.report(ctx, to.dir, flags); err != nil {
			return err
		}
	}
	counts, cells := collected.Counts, collected.Cells
	total := experiment.CountAll(counts)
	if err := to.put(ctx, flags.formats != nil); err != nil {
		return err
	}
	if err := run.MarkCollected(ctx, q, name, collected.Through); err != nil {
		a.warn(fmt.Errorf("noting that run %s was collected: %w", name, err))
	}
	if asJSON {
		err := a.writeJSON(object{"run": name, "out": out, "cells": cells, "statuses": report.StatusCounts(counts),
			"quarantined": collected.Quarantined, "queued_again": collected.Again})
		if err != nil {
			return err
		}
	} else {
		next := fmt.Sprintf("; `coordinator report %s` makes tables and figures", out)
		if to.store != nil || flags.formats != nil {
			next = ""
		}
		fmt.Fprintf(a.Out, "%s: %s, gathered in %s\n", name, results.EndedText(counts, cells), out+next)
		if collected.Quarantined > 0 {
			fmt.Fprintf(a.Out, "%s: %d messages did not pass and are quarantined, %d cells are queued again; `coordinator status %s` shows why\n",
				name, collected.Quarantined, collected.Again, name)
		}
	}
	if text := unfinished(counts, cells); text != "" && int64(total) == cells {
		if collected.Retried == 0 {
			return fmt.Errorf("%s; they would end the same way again: change the grid, or raise its limits by `coordinator retry %s` with --timeout or --memory", text, name)
		}
		return fmt.Errorf("%s; `coordinator retry %s` queues %d of them again", text, name, collected.Retried)
	}
	return nil
}

// onRun makes a command about a run, its first argument: the run's name, or a unique prefix.
func (a *atServer) onRun(
	use, short, long, examples string, do func(ctx context.Context, q *queue.Queue, args []string) error,
) *cobra.Command {
	cmd := command.Command(use, short, long, examples, func(ctx context.Context, args []string) error {
		return a.withRun(ctx, args[0], func(q *queue.Queue, name string) error {
			return do(ctx, q, append([]string{name}, args[1:]...))
		})
	})
	a.NATS.AddTo(cmd.Flags())
	return cmd
}

func (a *atServer) withRun(ctx context.Context, begin string, do func(q *queue.Queue, name string) error) error {
	if err := queue.ValidName(begin); err != nil {
		return command.Refusef("RUN: %w", err)
	}
	return a.withQueue(ctx, func(q *queue.Queue) error {
		name, err := findRun(ctx, q, begin)
		if err != nil {
			return err
		}
		return do(q, name)
	})
}

func findRun(ctx context.Context, q *queue.Queue, begin string) (name string, err error) {
	description, err := q.Data(ctx, begin)
	if err == nil {
		return begin, description.Close()
	}
	if !errors.Is(err, queue.ErrNoData) {
		return "", err
	}
	runs, err := q.List(ctx)
	if err != nil {
		return "", err
	}
	known := lists.Map(runs, func(r queue.Listed) string { return r.Name })
	found := beginning(known, begin)
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", command.Refusef("several runs of the server begin with %s: %s", begin, strings.Join(found, ", "))
	case len(known) == 0:
		return "", command.Refusef("the server has no run %s, nor any other", begin)
	}
	return "", command.Refusef("the server has no run %s; it has %s", begin, strings.Join(known, ", "))
}

func beginning(names []string, begin string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, begin) })
}
