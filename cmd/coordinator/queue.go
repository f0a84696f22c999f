package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
)

// submitCommand publishes a grid and leaves.
func (a *app) submitCommand() *cobra.Command {
	var grid gridFlags
	cmd := command.Command("submit GRID", "Queue the cells of a grid at --nats and leave", "",
		func(ctx context.Context, args []string) error {
			p, err := a.plan(ctx, args[0], &grid)
			if err != nil {
				return err
			}
			return a.withQueue(ctx, func(q *queue.Queue) error { return a.submit(ctx, q, p) })
		})
	grid.addTo(cmd.Flags())
	a.NATS.AddStreams(cmd.Flags())
	return cmd
}

func (a *app) submit(ctx context.Context, q *queue.Queue, p *planned) error {
	s, err := run.Submit(ctx, q, p.grid, p.plan, p.kind)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s: %d of %d cells queued", p.plan.Run, s.Published, p.plan.Count())
	if s.Refused > 0 {
		fmt.Fprintf(a.Out, ", %d were queued or running already", s.Refused)
	}
	if done := p.plan.Count() - int64(s.Published+s.Refused); done > 0 {
		fmt.Fprintf(a.Out, ", %d have ended", done)
	}
	fmt.Fprintln(a.Out, quarantinedText(s.Quarantined))
	for _, name := range s.Replaced {
		fmt.Fprintf(a.Out, "%s: %s was damaged at the server and is replaced\n", p.plan.Run, name)
	}
	return nil
}

// retryCommand puts failed cells back into the queue.
func (a *app) retryCommand() *cobra.Command {
	var statuses []experiment.Status
	cmd := a.onRun("retry RUN", "Queue the failed and incomplete cells of a run again",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			if statuses == nil {
				statuses = failureStatuses()
			}
			s, err := run.Retry(ctx, q, args[0], command.Kinds()[0], statuses)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s: %d cells queued again%s\n", args[0], s.Published, quarantinedText(s.Quarantined))
			return nil
		})
	command.List(cmd.Flags(), &statuses, "status", "which cells: "+failureNames()+" (default: all of them)", parseFailure)
	return cmd
}

// discardCommand removes results of single cells and queues the cells again.
func (a *app) discardCommand() *cobra.Command {
	return a.onRun("discard RUN CELL...", "Remove the results of cells from the server and queue the cells again",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			discarded, queued, err := run.Discard(ctx, q, args[0], args[1:])
			var name *run.CellNameError
			if errors.As(err, &name) {
				return command.Refuse(err)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s: %d cells discarded, %d of them queued again\n", args[0], len(discarded), queued)
			return nil
		})
}

// quarantinedText tells how many messages did not pass, "" for none.
func quarantinedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d messages did not pass and are quarantined", n)
}

// cancelCommand drops the queued cells of a run.
func (a *app) cancelCommand() *cobra.Command {
	return a.onRun("cancel RUN", "Drop the queued cells of a run; results stay",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			if err := q.Cancel(ctx, args[0]); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s: cancelled; its results stay; `coordinator submit GRID` queues the other cells again\n", args[0])
			return nil
		})
}

// purgeCommand removes what the server has of runs.
func (a *app) purgeCommand() *cobra.Command {
	return a.onRun("purge RUN", "Remove a finished or cancelled run and its results from the server",
		func(ctx context.Context, q *queue.Queue, args []string) error {
			err := run.Purge(ctx, q, args[0])
			var busy *run.BusyError
			if errors.As(err, &busy) {
				return command.Refusef("%w; `coordinator cancel %s` drops them; workers stop within seconds", err, args[0])
			}
			if err == nil {
				fmt.Fprintf(a.Out, "%s: removed from the server\n", args[0])
			}
			return err
		})
}

// collectCommand gathers what there is of a run.
func (a *app) collectCommand() *cobra.Command {
	var out string
	cmd := a.onRun("collect RUN --out DIR", "Gather the results of a run so far, also while it runs",
		func(ctx context.Context, q *queue.Queue, args []string) error { return a.collect(ctx, q, args[0], out) })
	cmd.Flags().StringVar(&out, "out", "", "`folder` of the results")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if out == "" {
			return command.Refusef("--out is missing: the folder of the results")
		}
		return nil
	}
	return cmd
}

func (a *app) collect(ctx context.Context, q *queue.Queue, name, out string) error {
	collected, err := run.Collect(ctx, q, name, out, a.Version, command.Kinds()[0])
	if err != nil {
		return refuseStart(err)
	}
	counts, cells := collected.Counts, collected.Cells
	total := 0
	for _, n := range counts {
		total += n
	}
	fmt.Fprintf(a.Out, "%s: %s, gathered in %s; `coordinator report %s` makes tables and figures\n", name, ended(counts, cells), out, out)
	if collected.Quarantined > 0 {
		fmt.Fprintf(a.Out, "%s: %d messages did not pass and are quarantined, %d cells are queued again; `coordinator status %s` tells why\n",
			name, collected.Quarantined, collected.Again, name)
	}
	if text := unfinished(counts, cells); text != "" && int64(total) == cells {
		return fmt.Errorf("%s; `coordinator retry %s` queues them again", text, name)
	}
	return nil
}

// withQueue connects and calls do.
func (a *app) withQueue(ctx context.Context, do func(*queue.Queue) error) error {
	q, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer q.Close()
	return do(q)
}

// onRun makes a command about a run that the server knows, its first argument.
func (a *app) onRun(
	use, short string, do func(ctx context.Context, q *queue.Queue, args []string) error,
) *cobra.Command {
	return command.Command(use, short, "", func(ctx context.Context, args []string) error {
		return a.withRun(ctx, args[0], func(q *queue.Queue) error { return do(ctx, q, args) })
	})
}

// withRun connects and calls do when the server knows the run.
func (a *app) withRun(ctx context.Context, name string, do func(*queue.Queue) error) error {
	if err := queue.ValidName(name); err != nil {
		return command.Refusef("RUN: %w", err)
	}
	return a.withQueue(ctx, func(q *queue.Queue) error {
		description, err := q.Data(ctx, name)
		if errors.Is(err, queue.ErrNoData) {
			return command.Refuse(unknownRun(ctx, q, name))
		}
		if err != nil {
			return err
		}
		description.Close()
		return do(q)
	})
}

// unknownRun says which runs there are instead.
func unknownRun(ctx context.Context, q *queue.Queue, name string) error {
	runs, err := q.List(ctx)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return fmt.Errorf("the server has no run %s, nor any other", name)
	}
	var names []string
	for _, r := range runs {
		names = append(names, r.Name)
	}
	return fmt.Errorf("the server has no run %s; it has %s", name, strings.Join(names, ", "))
}
