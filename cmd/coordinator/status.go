package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment/live"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
)

// watchEvery is the time between two looks of status --watch.
const watchEvery = 2 * time.Second

// statusCommand tells how far runs are.
func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Tell how far a run is, or all runs of the server",
		Args:  command.Arguments("[RUN]"),
	}
	var watch bool
	cmd.Flags().BoolVar(&watch, "watch", false, "go on telling, with rate and remaining time, until nothing is queued or running")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return a.withRun(cmd.Context(), args[0], func(q *queue.Queue) error { return a.status(cmd.Context(), q, args, watch) })
		}
		q, err := a.connect(cmd.Context())
		if err != nil {
			return err
		}
		defer q.Close()
		return a.NATS.Advise(a.status(cmd.Context(), q, nil, watch))
	}
	return cmd
}

// standing is where the cells of a run are at a time.
type standing struct {
	queue.Counts
	failed int
	cells  int64 // of the grid
}

// active reports whether cells are still to come.
func (s standing) active() bool { return s.Queued+s.InFlight > 0 }

// watch is what is remembered of a run from look to look.
type watch struct {
	ledger    *queue.Ledger
	described bool
	cells     int64 // of the grid
	pace      live.Pace
}

func (a *app) status(ctx context.Context, q *queue.Queue, names []string, again bool) error {
	watches := map[string]*watch{}
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		active, err := a.tellRuns(ctx, q, names, watches)
		if err == nil {
			err = a.tellWorkers(ctx, q)
		}
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

// tellRuns writes a table of the runs with these names, nil for all, and tells
// whether cells are still to come.
func (a *app) tellRuns(ctx context.Context, q *queue.Queue, names []string, watches map[string]*watch) (active bool, err error) {
	if names == nil {
		if names, err = q.Runs(ctx); err != nil {
			return false, err
		}
		slices.Sort(names)
	}
	table := textTable{{"run", ">cells", ">done", ">failed", ">running", ">queued", ">cells/s", ">left"}}
	for _, name := range names {
		w := watches[name]
		if w == nil {
			w = new(watch)
			if w.ledger, err = q.Ledger(name); err != nil {
				return false, err
			}
			watches[name] = w
		}
		now, err := w.look(ctx, q, name)
		if err != nil {
			return false, err
		}
		active = active || now.active()
		rate, left := w.outlook(now)
		table.add(name, strconv.FormatInt(now.cells, 10), strconv.Itoa(now.Done), strconv.Itoa(now.failed),
			strconv.Itoa(now.InFlight), strconv.Itoa(now.Queued), rate, left)
	}
	return active, table.write(a.Out)
}

// lostAfter is how long a worker may be silent before it is believed lost.
const lostAfter = 3 * queue.PresenceEvery

// tellWorkers writes a table of the workers and of the cell each computes
// longest, if there are any.
func (a *app) tellWorkers(ctx context.Context, q *queue.Queue) error {
	workers, err := q.Workers(ctx)
	if err != nil {
		return err
	}
	table := textTable{{"worker", "state", ">slots", ">running", ">done", ">failed", "longest"}}
	for _, w := range workers {
		if w.State == queue.Gone {
			continue
		}
		state, longest := w.State, "-"
		if silent := time.Since(w.At); silent > lostAfter {
			state = "silent for " + humanTime(silent.Seconds())
		}
		if w.Trouble != "" {
			trouble, _, _ := strings.Cut(w.Trouble, "\n")
			state += ": " + trouble
		}
		slices.SortFunc(w.Running, func(a, b queue.Running) int { return a.Since.Compare(b.Since) })
		if len(w.Running) > 0 {
			first := w.Running[0]
			longest = fmt.Sprintf("%s of %s for %s", first.Cell, first.Run, humanTime(time.Since(first.Since).Seconds()))
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

// look counts the cells of a run.
func (w *watch) look(ctx context.Context, q *queue.Queue, name string) (s standing, err error) {
	if !w.described {
		description, err := run.Describe(ctx, q, name)
		if err != nil {
			return s, err
		}
		w.described, w.cells = true, description.Cells
	}
	if s.Counts, err = q.Counts(ctx, name); err != nil {
		return s, err
	}
	w.pace.Note(live.Sample{At: time.Now(), Done: int64(s.Done)})
	if err := w.ledger.Update(ctx); err != nil {
		return s, err
	}
	s.failed, s.cells = len(w.ledger.Failures), w.cells
	return s, nil
}

// outlook returns the rate and the time left at it, - where they are not known.
func (w *watch) outlook(now standing) (rate, left string) {
	perSecond, _ := w.pace.Rates()
	if perSecond <= 0 {
		return "-", "-"
	}
	return strconv.FormatFloat(perSecond, 'g', 3, 64), humanTime(float64(now.Queued+now.InFlight) / perSecond)
}
