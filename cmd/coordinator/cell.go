package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/internal/spelling"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/figure"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/report"
)

func (a *app) modelCommand() *cobra.Command {
	var cell, method, suspects string
	var commands bool
	cmd := command.Command("model DIR", "Write the chosen model of a folder of results as JSON",
		`Compute a cell of a folder of results again and write its model at the age that
validation chose as JSON: the features by name, coefficients and intercept in the
units of the data, or a kernel with its support rows, and the training rows with
their weights. agepath.model of `+"`coordinator python`"+` predicts by it.

Without --cell it is the first repeat of the model and method whose validation score,
on average over the repeats, is best, with the parameters that validation chose.
Results of several data sets or kinds of noise need --cell.

With --suspects it is a CSV file instead, of the rows that are out of the fit (weight
0) in most repeats that train on them: the row of the file from 0, in how many repeats
it is trained on, out, and noisy (the grid's noise changed it), and its mean loss.
Those out more often ((out + 1)/(trained + 2), the rule of succession) and with larger
losses come first. Where the grid has added noise, the log says precision and recall of
all that are out. --suspects=svg draws the losses of all rows that are out in some
repeat, noisy ones apart.`,
		`coordinator model out/flats > model.json
coordinator model out/flats --suspects > suspects.csv
coordinator model out/flats --suspects=svg > suspects.svg
coordinator model out/quickstart --cell 4f1c`,
		func(ctx context.Context, args []string) error {
			a.BeforeCommands(commands)
			library, err := a.library.open()
			if err != nil {
				return err
			}
			if cell != "" {
				if cell, err = findCell(ctx, args[0], cell); err != nil {
					return command.Refuse(err)
				}
			}
			r, err := analysis.Load(ctx, args[0], analysis.Options{})
			if err != nil {
				return refuseFolder(err)
			}
			cells, err := chosenCells(r, cell, method)
			if err != nil {
				return command.Refuse(err)
			}
			fit := func(cell string) (*experiment.FittedModel, error) {
				return run.Fit(ctx, args[0], cell, library, commands)
			}
			if suspects != noSuspects {
				return a.writeSuspects(cells, fit, suspects)
			}
			m, err := fit(cmp.Or(cell, cells[0]))
			if err != nil {
				return err
			}
			m.Version, m.Repeats = a.Version, cells
			return json.NewEncoder(a.Out).Encode(m)
		})
	a.library.addTo(cmd.Flags())
	command.AllowCommands(cmd.Flags(), &commands)
	cmd.Flags().StringVar(&cell, "cell", "", "`ID` of the cell, or how it begins; the column cell of cells.arrow has them")
	cmd.Flags().StringVar(&method, "method", "", "`name` of the only method to choose from")
	command.Choice(cmd.Flags(), &suspects, "suspects", noSuspects, "write the rows that are out in most repeats, or draw those of any", noSuspects, inCSV, inSVG)
	cmd.Flags().Lookup("suspects").NoOptDefVal = inCSV
	return cmd
}

const noSuspects, inCSV, inSVG = "no", "csv", "svg" // forms of suspects

// suspect counts the cells that train on a row of the data set, and of these what it is in them.
type suspect struct {
	row, trained, out, noisy int
	loss                     float64 // sum
}

// writeSuspects writes the rows that are out in most of the cells that train on them, and logs how far
// those that are out are the noisy ones, where the grid has made some. In [inSVG] it draws them.
func (a *app) writeSuspects(cells []string, fit func(cell string) (*experiment.FittedModel, error), form string) error {
	found := map[int]*suspect{}
	var out, noisy, both float64 // of all cells
	for _, cell := range cells {
		m, err := fit(cell)
		if err != nil {
			return err
		}
		if m.Train.Weight == nil || m.Train.Loss == nil {
			return command.Refusef("cell %s: the method %s says no weights of rows; --method names another", cell, m.Method)
		}
		for i, row := range m.Train.Row {
			s := cmp.Or(found[row], &suspect{row: row})
			found[row] = s
			isOut, isNoisy, n := m.Train.Weight[i] == 0, m.Train.Noisy[i], float64(m.Train.Count[i])
			s.trained++
			s.loss += m.Train.Loss[i]
			if isOut {
				s.out++
				out += n
			}
			if isNoisy {
				s.noisy++
				noisy += n
			}
			if isOut && isNoisy {
				both += n
			}
		}
	}
	delete(found, -1) // poisoning points
	if noisy > 0 && out > 0 {
		a.Log.Info("rows that are out", "cells", len(cells), "precision", both/out, "recall", both/noisy)
	}
	if form == inSVG {
		svg, err := suspectsFigure(found, noisy > 0).SVG()
		if err == nil {
			_, err = a.Out.Write(svg)
		}
		return err
	}
	list := slices.DeleteFunc(slices.Collect(maps.Values(found)), func(s *suspect) bool { return 2*s.out <= s.trained })
	slices.SortFunc(list, func(s, t *suspect) int {
		return cmp.Or(cmp.Compare((t.out+1)*(s.trained+2), (s.out+1)*(t.trained+2)), cmp.Compare(t.loss/float64(t.trained), s.loss/float64(s.trained)), s.row-t.row)
	})
	fmt.Fprintln(a.Out, "row,trained,out,noisy,loss")
	for _, s := range list {
		fmt.Fprintf(a.Out, "%d,%d,%d,%d,%v\n", s.row, s.trained, s.out, s.noisy, s.loss/float64(s.trained))
	}
	return nil
}

// suspectsFigure has the mean losses of the rows that are out in some of the cells that train on them,
// against the share of these cells.
func suspectsFigure(rows map[int]*suspect, noisy bool) *figure.Figure {
	f := &layout.Figure{
		Title:  "Training rows that are out of the chosen models",
		X:      layout.AxisLabel{Text: "repeats that leave the row out [%]"},
		Y:      layout.AxisLabel{Text: "mean loss", Zero: true},
		Series: []layout.Series{{Name: "rows", Style: &layout.Style{Mark: layout.Ring}}},
	}
	if noisy {
		f.Series[0].Name = "other rows"
		f.Series = append(f.Series, layout.Series{Name: "noisy rows", Style: &layout.Style{Class: 1, Mark: layout.Triangle}})
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		if s := rows[row]; s.out > 0 {
			trained, series := float64(s.trained), &f.Series[min(s.noisy, 1)]
			series.Pieces = append(series.Pieces, []layout.Point{{X: 100 * float64(s.out) / trained, Y: s.loss / trained}})
		}
	}
	return figure.New(&layout.FigurePlan{Name: "suspects"}, f)
}

// chosenCells returns the repeats of a cell or, for "", of the model, parameters and method, "" for any,
// that are best by validation. The folder must then have one task, see taskOf.
func chosenCells(r *analysis.Run, cell, method string) ([]string, error) {
	type chosen struct {
		cells []string
		score float64 // by validation, the less the better
		words string
	}
	tables, methods := r.Overall, map[string]bool{}
	if cell != "" {
		tables = r.Tables
	}
	var order []layout.Setting
	best := map[layout.Setting]*chosen{}
	for _, table := range tables {
		for _, row := range table.Rows {
			task := taskOf(r.Layout, &row.Setting)
			for i := range row.Entries {
				name := analysis.MethodName(table.Methods[i])
				methods[name] = true
				if method != "" && method != name {
					continue
				}
				of := chosen{words: r.Layout.Describe(row.Setting, r.Layout.Conditions...)}
				of.cells, of.score = validated(&row.Entries[i])
				if table.Metric.Of().Higher {
					of.score = -of.score
				}
				if cell != "" && slices.Contains(of.cells, cell) {
					return of.cells, nil
				}
				if before := best[task]; len(of.cells) > 0 && (before == nil || of.score < before.score) {
					if before == nil {
						order = append(order, task)
					}
					best[task] = &of
				}
			}
		}
	}
	switch {
	case cell != "":
		return []string{cell}, nil
	case method != "" && !methods[method]:
		names := slices.Sorted(maps.Keys(methods))
		return nil, fmt.Errorf("%s has no method %s; it has %s%s", r.Dir, method, strings.Join(names, ", "), spelling.After(method, names))
	case len(order) == 0:
		return nil, fmt.Errorf("%s: no cell of the method has a validation score; give --cell", r.Dir)
	case len(order) > 1:
		lines := lists.Map(order, func(s layout.Setting) string {
			return fmt.Sprintf("\n  --cell %.8s  %s", best[s].cells[0], best[s].words)
		})
		return nil, fmt.Errorf("%s has results of %d data sets or kinds of noise; give the cell of one:%s", r.Dir, len(order), strings.Join(lines, ""))
	}
	return best[order[0]].cells, nil
}

// validated returns the cells of an entry with a validation score, and its mean.
func validated(entry *analysis.ScoreEntry) (cells []string, mean float64) {
	for _, s := range entry.Sample {
		if !math.IsNaN(s.BestValidation) {
			cells = append(cells, s.Cell.String())
			mean += s.BestValidation
		}
	}
	return cells, mean / float64(len(cells))
}

// taskOf returns what of a setting makes scores comparable: data and noise, not the model.
func taskOf(l *layout.Layout, of *layout.Setting) (task layout.Setting) {
	if l.Floor == nil {
		return *of
	}
	for _, d := range l.Floor.Dimensions {
		task[d] = of[d]
	}
	return task
}

func (a *app) replayCommand() *cobra.Command {
	var data string
	var compression results.Compression
	var commands bool
	cmd := command.Command("replay DIR CELL", "Compute one cell of a folder of results again, here",
		`Compute one cell of a folder of results again and print its values next to the
stored ones, with the error of a cell that failed. The exit status is 1 if they
differ or the cell fails again. Numbers of a platform with another arithmetic, such
as linux/arm64+fma and linux/amd64, may differ by 1e-9, relative to the smaller one if
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

func (a *app) pythonCommand() *cobra.Command {
	return command.Command("python", "Print agepath.py, for methods of your own and results in Python",
		`Print agepath.py; save it next to your method. Its decorator @method turns a
function of the training rows into a method, run("grid.yaml") runs a grid,
read("out/mine") returns results as data frames, and model("out/mine") predicts. It
needs Python 3.8 or later and numpy.`,
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
