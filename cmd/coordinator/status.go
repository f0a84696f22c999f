package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
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
		return a.status(cmd.Context(), q, nil, watch)
	}
	return cmd
}

// standing is where the cells of a run are at a time.
type standing struct {
	queue.Counts
	failed int
	cells  int64 // of the grid
	at     time.Time
}

// active reports whether cells are still to come.
func (s standing) active() bool { return s.Queued+s.InFlight > 0 }

func (a *app) status(ctx context.Context, q *queue.Queue, names []string, watch bool) error {
	before := map[string]standing{}
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		runs := names
		if runs == nil {
			var err error
			if runs, err = q.Runs(ctx); err != nil {
				return err
			}
			slices.Sort(runs)
		}
		table := textTable{{"run", ">cells", ">done", ">failed", ">running", ">queued", ">cells/s", ">left"}}
		active := false
		for _, name := range runs {
			now, err := look(ctx, q, name)
			if err != nil {
				return err
			}
			active = active || now.active()
			rate, left := pace(before[name], now)
			table.add(name, strconv.FormatInt(now.cells, 10), strconv.Itoa(now.Done), strconv.Itoa(now.failed),
				strconv.Itoa(now.InFlight), strconv.Itoa(now.Queued), rate, left)
			if _, known := before[name]; !known {
				before[name] = now
			}
		}
		if err := table.write(a.Out); err != nil {
			return err
		}
		if !watch || !active {
			return nil
		}
		select {
		case <-ticker.C:
			fmt.Fprintln(a.Out)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look counts the cells of a run.
func look(ctx context.Context, q *queue.Queue, name string) (standing, error) {
	s := standing{at: time.Now()}
	var err error
	if s.Counts, err = q.Counts(ctx, name); err != nil {
		return s, err
	}
	for ended, err := range q.Done(ctx, name) {
		if err != nil {
			return s, err
		}
		if ended.Status != experiment.OK {
			s.failed++
		}
	}
	s.cells, err = cellsOf(ctx, q, name)
	return s, err
}

// cellsOf reads the number of cells of a run from its description.
func cellsOf(ctx context.Context, q *queue.Queue, name string) (int64, error) {
	body, err := q.Data(ctx, name)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return 0, fmt.Errorf("reading the description of run %s: %w", name, err)
	}
	var manifest results.Manifest
	if err := json.Unmarshal(text, &manifest); err != nil {
		return 0, fmt.Errorf("reading the description of run %s: %w", name, err)
	}
	return manifest.Cells, nil
}

// pace returns the rate since the first look and the time left at it, - where
// they are not known.
func pace(first, now standing) (rate, left string) {
	seconds := now.at.Sub(first.at).Seconds()
	if first.at.IsZero() || seconds <= 0 || now.Done <= first.Done {
		return "-", "-"
	}
	perSecond := float64(now.Done-first.Done) / seconds
	return strconv.FormatFloat(perSecond, 'g', 3, 64), humanTime(float64(now.Queued+now.InFlight) / perSecond)
}
