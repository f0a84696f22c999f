package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/live"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/report"
)

const watchEvery = 2 * time.Second

func (a *atServer) statusCommand() *cobra.Command {
	var (
		watch  bool
		asJSON jsonFlag
	)
	cmd := command.Command("status [RUN]", "Show how far a run is, or all runs of the server",
		`Show how far a run is, or all runs of the server: cells that are ok, incomplete,
failed, running, queued or not queued; the reasons of failures by method; and the
workers of the last minute, with their state (working, idle, stopping, or lost
after 15 seconds of silence) and what keeps them from computing. Quarantined
messages are counted, with reasons for a single run.`,
		"coordinator status --nats nats://example.org\ncoordinator status quickstart --watch --nats nats://example.org",
		func(ctx context.Context, args []string) error {
			if watch && bool(asJSON) {
				return command.Refusef("--watch and --json do not go together: --json prints one object")
			}
			status := func(q *queue.Queue, names ...string) error {
				if asJSON {
					return a.writeStatus(ctx, q, names)
				}
				return a.status(ctx, q, names, watch)
			}
			if len(args) == 1 {
				return a.withRun(ctx, args[0], func(q *queue.Queue, name string) error { return status(q, name) })
			}
			return a.withQueue(ctx, func(q *queue.Queue) error { return status(q) })
		})
	a.NATS.AddTo(cmd.Flags())
	cmd.Flags().BoolVar(&watch, "watch", false, "repeat it every 2 seconds, with rate and remaining time, until nothing is queued or running; the scores come after the first repeat, each tenth of the cells and the last")
	asJSON.addTo(cmd.Flags())
	return cmd
}

// watch is what is known of a run.
type watch struct {
	queue.Listed
	*live.Follower
	throughput live.Throughput
	milestones run.Milestones
	active     bool // cells were pending when its scores were last asked for

	reasons []experiment.Reason // why cells are not ok
	unread  int                 // cells whose reasons were not read
}

func (a *atServer) status(ctx context.Context, q *queue.Queue, names []string, again bool) error {
	watches := map[string]*watch{}
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		runs, workers, refused, err := lookAt(ctx, q, names, watches)
		if err == nil {
			err = a.tellRuns(ctx, q, runs, workers)
		}
		if err == nil {
			err = a.tellWorkers(workers, refused, runs)
		}
		if err == nil && again {
			err = a.tellScores(ctx, runs)
		}
		active := slices.ContainsFunc(runs, func(w *watch) bool { return w.Standing.Left() > 0 })
		if err != nil || !again || !active {
			return err
		}
		select {
		case <-ticker.C:
			fmt.Fprintln(a.Out)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// lookAt looks at the named runs, none for all, and at the workers.
func lookAt(ctx context.Context, q *queue.Queue, names []string, watches map[string]*watch) (runs []*watch, workers []queue.Presence, refused int, err error) {
	if workers, refused, err = q.Workers(ctx); err != nil {
		return nil, nil, 0, err
	}
	listed, err := q.List(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	for _, r := range listed {
		if len(names) > 0 && !slices.Contains(names, r.Name) {
			continue
		}
		w := watches[r.Name]
		if w == nil {
			follower, err := live.NewFollower(q, r.Name)
			if err != nil {
				return nil, nil, 0, err
			}
			w = &watch{Follower: follower}
			watches[r.Name] = w
		}
		w.Listed = r
		if err := w.Look(ctx); err != nil {
			return nil, nil, 0, err
		}
		w.Bound(workers, time.Now())
		w.throughput.Note(live.Sample{At: time.Now(), Done: w.Standing.Done()})
		if w.reasons, w.unread, err = w.Reasons(ctx); err != nil {
			return nil, nil, 0, err
		}
		runs = append(runs, w)
	}
	return runs, workers, refused, nil
}

func (a *atServer) tellRuns(ctx context.Context, q *queue.Queue, runs []*watch, workers []queue.Presence) error {
	if len(runs) == 0 {
		_, err := fmt.Fprintln(a.Out, "The server has no runs; `coordinator submit GRID` queues one.")
		return err
	}
	table := textTable{{"run", "state", ">cells", ">ok", ">incomplete", ">failed", ">skipped", ">running", ">queued", ">not queued", ">cells/s", ">left", "owner", ">priority"}}
	var incomplete, skipped, unqueued int64
	for _, w := range runs {
		now := &w.Standing
		incomplete, unqueued = incomplete+now.Ended[experiment.Incomplete], unqueued+now.Unqueued
		skipped += now.Ended[experiment.Skipped]
		row := []string{w.Name, w.Phase(w.Open, workers, time.Now())}
		for _, n := range []int64{now.Cells, now.Ended[experiment.OK], now.Ended[experiment.Incomplete], now.Failed(), now.Ended[experiment.Skipped], now.Running, now.Queued, now.Unqueued} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		rate, left := "-", "-"
		if perSecond, _ := w.throughput.Rates(); perSecond > 0 {
			rate = strconv.FormatFloat(perSecond, 'g', 3, 64)
			if pending := float64(now.Left()); run.Known(float64(now.Done()), pending) {
				left = humanTime(pending / perSecond)
			}
		}
		owner, priority := "-", "-" // of a run without a queue
		if now.Owner != "" {
			owner, priority = now.Owner, strconv.Itoa(now.Priority)
		}
		table.add(append(row, rate, left, owner, priority)...)
	}
	for head, n := range map[string]int64{"incomplete": incomplete, "skipped": skipped, "not queued": unqueued} {
		if n == 0 {
			table.drop(head)
		}
	}
	if err := table.write(a.Out); err != nil {
		return err
	}
	for _, w := range runs {
		if len(w.reasons) > 0 {
			fmt.Fprintf(a.Out, "%s: cells that are not ok:\n%s", w.Name, reasonList(w.reasons))
		}
		if w.unread > 0 {
			fmt.Fprintf(a.Out, "  ... and %d cells whose reasons were not read\n", w.unread)
		}
	}
	return a.tellQuarantine(ctx, q, runs)
}

func (a *atServer) tellScores(ctx context.Context, runs []*watch) error {
	for _, w := range runs {
		done, was := w.Standing.Done(), w.active
		w.active = w.Standing.Left() > 0
		w.milestones.First = max(0, w.firstRepeat()-done)
		if passed := w.milestones.Passed(done, w.Standing.Cells); !passed && w.active || !w.active && !was {
			continue
		}
		scores, err := w.Scores(ctx, !w.active)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "\nScores of %s, %d of %d cells:\n\n", w.Name, done, w.Standing.Cells)
		if err := (report.Text{MaxRows: interimRows}).WriteAnswer(a.Out, scores.Answer); err != nil {
			return err
		}
		if scores.Left > 0 {
			fmt.Fprintf(a.Out, "%s are left out.\n", prose.Plural(int(scores.Left), "cell"))
		}
	}
	return nil
}

func (w *watch) firstRepeat() int64 {
	if w.Description == nil {
		return 0
	}
	grid, err := experiment.Parse([]byte(w.Description.Grid), w.Description.File, w.Description.Set)
	if err != nil {
		return 0
	}
	return w.Description.Cells / int64(grid.Repeats)
}

func (a *atServer) tellQuarantine(ctx context.Context, q *queue.Queue, runs []*watch) error {
	for _, w := range runs {
		name, n := w.Name, w.Standing.Quarantined
		if strays := w.Standing.Strays; strays > 0 {
			fmt.Fprintf(a.Out, "%s: %d results are of cells that the run does not have, and do not count; `coordinator collect %[1]s --out DIR` quarantines them\n", name, strays)
		}
		if n == 0 {
			continue
		}
		fmt.Fprintf(a.Out, "%s: %d messages did not pass and are quarantined\n", name, n)
		if len(runs) > 1 {
			continue
		}
		last, err := newestQuarantined(ctx, q, name)
		if err != nil {
			return err
		}
		for _, found := range last {
			fmt.Fprintf(a.Out, "  %s %s: %s\n", found.Time.Local().Format(time.DateTime), found.Subject, found.Reason)
		}
	}
	return nil
}

func newestQuarantined(ctx context.Context, q *queue.Queue, name string) ([]*queue.Quarantined, error) {
	const newest = 5
	var last []*queue.Quarantined
	for found, err := range q.Quarantined(ctx, name) {
		if err != nil {
			return nil, err
		}
		last = append(last, found)
		last = last[max(0, len(last)-newest):]
	}
	return last, nil
}

func (a *atServer) tellWorkers(workers []queue.Presence, refused int, runs []*watch) error {
	for _, w := range runs {
		if w.Damaged != nil {
			fmt.Fprintf(a.Out, "%s: %v; submitting the grid again replaces it\n", w.Name, w.Damaged)
		}
		for _, missing := range w.Lacks(workers, time.Now()) {
			fmt.Fprintf(a.Out, "%s: %s\n", w.Name, missing.Text)
		}
	}
	if refused > 0 {
		fmt.Fprintf(a.Out, "%d messages in the workers' place are none of a worker\n", refused)
	}
	table := textTable{{"worker", "state", ">slots", ">running", ">done", ">failed", "longest"}}
	for _, w := range live.DescribeWorkers(workers, time.Now()) {
		state, longest := w.State, "-"
		if state == queue.Lost {
			state += ", silent for " + humanTime(w.Silent)
		}
		if w.Trouble != "" {
			trouble, _, _ := strings.Cut(w.Trouble, "\n")
			state += ": " + trouble
		}
		if len(w.Running) > 0 {
			first := w.Running[0]
			longest = fmt.Sprintf("%s: %s (%s of %s)", humanTime(first.Seconds), cmp.Or(first.What, "cell"), first.Cell, first.Run)
		}
		table.add(w.Name, state, strconv.Itoa(w.Slots), strconv.Itoa(len(w.Running)),
			strconv.FormatInt(w.Done, 10), strconv.FormatInt(w.Failed, 10), longest)
	}
	if len(table) == 1 {
		return nil
	}
	fmt.Fprintln(a.Out)
	return table.write(a.Out)
}

func (a *atServer) writeStatus(ctx context.Context, q *queue.Queue, names []string) error {
	looked, workers, refused, err := lookAt(ctx, q, names, map[string]*watch{})
	if err != nil {
		return err
	}
	runs := []object{}
	for _, w := range looked {
		last, err := newestQuarantined(ctx, q, w.Name)
		if err != nil {
			return err
		}
		runs = append(runs, runStatus(w, last, workers))
	}
	return a.writeJSON(object{
		"runs": runs, "workers": live.DescribeWorkers(workers, time.Now()), "refused_worker_messages": refused,
	})
}

func runStatus(w *watch, last []*queue.Quarantined, workers []queue.Presence) object {
	now, ended := &w.Standing, object{}
	for _, status := range experiment.Statuses {
		ended[string(status)] = now.Ended[status]
	}
	newest := lists.Map(last, func(found *queue.Quarantined) object {
		return object{"time": found.Time.UTC().Format(time.RFC3339), "subject": found.Subject, "reason": found.Reason}
	})
	damaged := ""
	if w.Damaged != nil {
		damaged = w.Damaged.Error()
	}
	unable := lists.Map(w.Lacks(workers, time.Now()), func(missing run.Missing) object {
		return object{"name": missing.Name, "version": missing.Version, "text": missing.Text}
	})
	return object{
		"run": w.Name, "owner": now.Owner, "priority": now.Priority, "state": w.Phase(w.Open, workers, time.Now()), "cells": now.Cells, "statuses": ended,
		"running": now.Running, "queued": now.Queued, "not_queued": now.Unqueued, "dead": now.Dead,
		"quarantined": now.Quarantined, "strays": now.Strays, "newest_quarantined": newest, "damaged": damaged, "no_worker_for": unable, "reasons": w.reasons,
	}
}
