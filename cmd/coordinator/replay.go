package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/report"
)

func (a *app) replayCommand() *cobra.Command {
	var data string
	var compression results.Compression
	var commands bool
	cmd := command.Command("replay DIR CELL", "Compute one cell of a folder of results again, here",
		`Compute one cell of a folder of results again and print its values next to the
stored ones, with the error of a cell that failed. The exit status is 1 if they
differ or the cell fails again. Numbers of a platform with another arithmetic, such
as linux/arm64 and linux/amd64, may differ by 1e-9, relative to the smaller one if
it is above 1. Data sets are also read from where the manifest says they were.

With --data the cell's data and path are written to a folder: train.csv,
validation.csv and test.csv (the features as the solver saw them, scaled and
contaminated, then the target y) and path.arrow (the knots with coefficients).`,
		"coordinator replay out/quickstart 4f1c --data cell",
		func(ctx context.Context, args []string) error {
			a.BeforeCommands(commands)
			library, err := a.library.open()
			if err != nil {
				return err
			}
			cell, err := findCell(ctx, args[0], args[1])
			if err != nil {
				return command.Refuse(err)
			}
			replayed, err := run.Replay(ctx, args[0], cell, data, compression, library, commands)
			if err != nil {
				return err
			}
			return a.showReplay(replayed)
		})
	a.library.addTo(cmd.Flags())
	command.AllowCommands(cmd.Flags(), &commands)
	command.Path(cmd.Flags(), &data, "data", "`folder` for the cell's data and path")
	addCompression(cmd.Flags(), &compression)
	return cmd
}

func findCell(ctx context.Context, dir, begin string) (string, error) {
	const shown = 5
	cells, err := results.FindCells(ctx, dir, begin, shown)
	switch {
	case errors.As(err, new(*results.VersionError)):
		return "", err
	case err != nil:
		return "", fmt.Errorf("%w; DIR is a folder with results", err)
	case len(cells) == 0 || begin == "":
		return "", fmt.Errorf("%s has no cell %q; the column cell of cells.arrow has those that are there", dir, begin)
	case len(cells) > 1:
		return "", fmt.Errorf("several cells of %s begin with %s: %s", dir, begin, strings.Join(cells, ", "))
	}
	return cells[0], nil
}

func (a *app) showReplay(r *run.Replayed) error {
	elsewhere := !experiment.SameArithmetic(r.Platform, experiment.Platform())
	table := textTable{{"column", "stored", "computed", ""}}
	for i, column := range r.Columns {
		if r.Stored[i] == nil && r.Computed[i] == nil {
			continue // a failed cell has no measures
		}
		stored, computed := valueText(r.Stored[i]), valueText(r.Computed[i])
		mark := ""
		switch {
		case stored == computed:
		case elsewhere && run.Near(r.Stored[i], r.Computed[i]):
			mark = "rounding"
		default:
			mark = "differs"
		}
		table.add(column.Name, stored, computed, mark)
	}
	if err := table.write(a.Out); err != nil {
		return err
	}
	for _, of := range r.Rows {
		fmt.Fprintf(a.Out, "\n%d %s compared\n", of.Rows, of.Table)
	}
	for i, of := range []string{"stored", "computed"} {
		if r.Error[i] != "" {
			fmt.Fprintf(a.Out, "\nerror %s:\n%s\n", of, report.Visible(r.Error[i]))
		}
	}
	platforms := fmt.Sprintf("computed on %s, here %s", r.Platform, experiment.Platform())
	switch {
	case r.Failed && r.Same:
		return fmt.Errorf("cell %s fails the same way here: %s", r.Cell, experiment.ReasonText(r.Method, r.Error[1]))
	case r.Failed:
		return fmt.Errorf("cell %s fails here, in another way than is stored: %s", r.Cell, experiment.ReasonText(r.Method, r.Error[1]))
	case r.Same && r.Computed[0] == string(experiment.Skipped):
		fmt.Fprintln(a.Out, "skipped here as well")
	case r.Same:
		fmt.Fprintln(a.Out, "equal bit for bit")
	case elsewhere && r.Rounding:
		fmt.Fprintf(a.Out, "equal to rounding (%g); %s\n", experiment.Rounding, platforms)
	case elsewhere:
		return fmt.Errorf("cell %s: what is computed here differs from what is stored by more than rounding (%g); %s", r.Cell, experiment.Rounding, platforms)
	default:
		return fmt.Errorf("cell %s: what is computed here differs from what is stored", r.Cell)
	}
	return nil
}

// valueText keeps different values different.
func valueText(value any) string {
	switch x := value.(type) {
	case nil:
		return "null"
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}
