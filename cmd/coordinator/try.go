package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
)

func (a *app) pythonCommand() *cobra.Command {
	return command.Command("python", "Print agepath.py, for methods of your own and results in Python",
		`Print agepath.py; save it next to your method. Its decorator @method turns a
function of the training rows into a method, read("out/mine") returns results as
data frames, and run("grid.yaml") runs a grid. It needs Python 3.8 or later and
numpy.`,
		"coordinator python > agepath.py",
		func(context.Context, []string) error {
			_, err := io.WriteString(a.Out, outside.Python)
			return err
		})
}

func (a *app) tryCommand() *cobra.Command {
	var grid gridFlags
	cmd := command.Command("try GRID METHOD", "Compute one cell of a method and print its scores",
		`Compute one cell of a method of a grid in this process, the first on the data set
with the lowest estimated time, and print its labels and scores. Nothing is stored.
A method that is a command runs without --allow-commands, with its standard error
on the screen. The exit status is 1 if the cell fails or is incomplete.`,
		"coordinator try grids/quickstart.yaml gaga --set seed=7",
		func(ctx context.Context, args []string) error {
			a.BeforeCommands(true)
			p, err := a.plan(ctx, args[0], &grid)
			if err != nil {
				return err
			}
			outcome, err := run.Try(ctx, p.plan, args[1], a.Err)
			if err != nil {
				return refuseStart(err)
			}
			return a.showTried(p.plan.Tables(), outcome)
		})
	grid.addTo(cmd.Flags())
	a.library.addTo(cmd.Flags())
	return cmd
}

func (a *app) showTried(tables experiment.Tables, o *experiment.Outcome) error {
	table := textTable{{"column", "value"}}
	add := func(columns []experiment.Column, batch *experiment.Batch) {
		for j, column := range columns {
			if value := batch.At(column, j, 0); value != nil {
				table.add(column.Name, valueText(value))
			}
		}
	}
	add(tables.Labels, &o.Labels)
	if o.Measures.Rows > 0 {
		add(tables.Measures, &o.Measures)
	}
	if err := table.write(a.Out); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "\n%s in %s\n", o.Status, humanTime(o.Wall))
	switch {
	case o.Status.Failed() || o.Status == experiment.Incomplete:
		return fmt.Errorf("%s: %s", o.Status, o.Error)
	case o.Error != "":
		fmt.Fprintln(a.Out, o.Error)
	}
	return nil
}
