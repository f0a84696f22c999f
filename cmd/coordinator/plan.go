package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/prose"
)

func (a *app) planCommand() *cobra.Command {
	var (
		grid    gridFlags
		out     outFlags
		workers int
		asJSON  jsonFlag
	)
	cmd := command.Command("plan GRID", "Check a grid and show what it would compute",
		`Check a grid and its data sets. Show how files are read and what a run would
compute: cells by dimension, how many of them the folder of results has, and an
estimate of time and memory. If the grid gives ages, cells of acs are computed for half
a second, to see at how many ages it has different fits. Nothing is written.`,
		"coordinator plan grids/quickstart.yaml --set repeats=20 --workers 8",
		func(ctx context.Context, args []string) error {
			p, err := a.plan(ctx, args[0], &grid)
			if err != nil {
				return err
			}
			left, err := oneStep(a.Base, "plan", "reading the folder", func() (rest, error) {
				return remaining(ctx, p, out.of(p.grid))
			})
			if err != nil {
				return err
			}
			ages, err := oneStep(a.Base, "plan", "computing cells at given ages", func() (preview, error) { return previewOf(ctx, p, previewTime) })
			if err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(planObject(p, out.of(p.grid), left, ages, workers))
			}
			return a.showPlan(p, out.of(p.grid), left, ages, workers)
		})
	grid.addTo(cmd.Flags())
	out.addTo(cmd.Flags())
	a.library.addTo(cmd.Flags())
	asJSON.addTo(cmd.Flags())
	workersVar(cmd.Flags(), &workers, 1, "`N` cells computed at a time, for the estimate of the time; one per core unless given")
	return cmd
}

type rest struct {
	cells              int64 // missing
	failed, incomplete int64 // of the cells in the folder
	raised             int64 // of the missing: ended by limits that have been raised
	former             int64 // in the folder, not in the plan
	seconds            float64
}

// remaining hashes no cell if the folder has no results.
func remaining(ctx context.Context, p *planned, dir string) (rest, error) {
	plan := p.plan
	inventory, err := results.TakeInventory(ctx, dir, p.grid.Keep.Tables())
	if err != nil {
		return rest{}, command.Refusef("results in %s: %w", dir, err)
	}
	left := rest{cells: plan.Count(), former: int64(inventory.Len()), seconds: plan.Cost()}
	if inventory.Len() == 0 {
		return left, nil
	}
	for task, err := range plan.Tasks() {
		if err != nil {
			return rest{}, err
		}
		if ctx.Err() != nil {
			return rest{}, ctx.Err()
		}
		if inventory.Has(task.Cell) {
			left.former--
		}
		status, short, there := inventory.Newest(task.Cell)
		if !there {
			continue
		}
		if plan.Limits.Mend(status, short) {
			left.raised++
			continue
		}
		left.cells--
		left.seconds -= task.Cost
		switch {
		case status.Failed():
			left.failed++
		case status == experiment.Incomplete:
			left.incomplete++
		}
	}
	left.seconds = max(left.seconds, 0)
	if left.cells == 0 {
		left.seconds = 0 // not the remainder of rounding
	}
	return left, nil
}

// Limits of a preview: its time, and the estimated seconds of a cell.
const (
	previewTime = time.Second / 2
	previewCell = 0.1
)

type preview struct {
	said  []string
	cells int // of the first repeat
}

// previewOf computes cells at given ages, of the method with steps.
func previewOf(ctx context.Context, p *planned, while time.Duration) (preview, error) {
	kind, err := experiment.Named(p.grid.Kind)
	if err != nil || kind.Layout == nil || kind.Layout.Path == nil || kind.Layout.Path.Steps == "" {
		return preview{}, err
	}
	timed, cancel := context.WithTimeout(ctx, while)
	defer cancel()
	standing, spacing, cells := analysis.NewStanding(kind), kind.Layout.Column(kind.Layout.Path.Spacing), 0
	for task, err := range p.plan.First(kind.Layout.Path.Steps) {
		if err != nil {
			return preview{}, err
		}
		if timed.Err() != nil || task.Cost > previewCell {
			break
		}
		if kind.Tables().Number(&task.Labels, spacing) == 0 { // derived ages
			continue
		}
		outcome := run.Compute(timed, []experiment.Kind{kind}, &task, p.plan)
		if timed.Err() != nil {
			break
		}
		if err := standing.Add(outcome); err != nil {
			return preview{}, err
		}
		cells++
	}
	return preview{standing.Remarks(), cells}, ctx.Err()
}

func (a *app) showPlan(p *planned, dir string, left rest, ages preview, workers int) error {
	plan := p.plan
	there := fmt.Sprintf("%d in %s already", plan.Count()-left.cells, dir)
	var unfinished []string
	if left.incomplete > 0 {
		unfinished = append(unfinished, fmt.Sprintf("%d incomplete", left.incomplete))
	}
	if left.failed > 0 {
		unfinished = append(unfinished, fmt.Sprintf("%d failed", left.failed))
	}
	if unfinished != nil {
		there += " (" + strings.Join(unfinished, ", ") + ")"
	}
	if left.raised > 0 {
		there += fmt.Sprintf(", %d failed under lower limits", left.raised)
	}
	fmt.Fprintf(a.Out, "grid   %s (%s)\n", plan.Grid, p.grid.File)
	fmt.Fprintf(a.Out, "run    %s\n", plan.Run)
	fmt.Fprintf(a.Out, "cells  %d (%s), %s, %d to compute\n", plan.Count(), prose.Plural(p.grid.Repeats, "repeat"), there, left.cells)
	if left.former > 0 {
		fmt.Fprintf(a.Out, "former %s in %s of grids before this one, which reports leave out\n", prose.Plural(int(left.former), "cell"), dir)
	}
	onSeveral := ""
	if workers > 1 && left.cells > 0 {
		onSeveral = fmt.Sprintf(", %s on %d cores", roughTime(left.secondsOn(workers)), workers)
	}
	fmt.Fprintf(a.Out, "time   about %s on one core%s; within a factor of 3 for most cells\n",
		roughTime(left.seconds), onSeveral)
	if bytes := plan.Memory(); bytes > 0 {
		fmt.Fprintf(a.Out, "memory up to %d MiB a slot\n", (bytes+1<<20-1)>>20)
	}
	for _, said := range ages.said {
		fmt.Fprintf(a.Out, "ages   %s By %s of the first repeat, computed within %s.\n", said, prose.Plural(ages.cells, "cell"), previewTime)
	}
	fmt.Fprintln(a.Out)

	data := textTable{{"data set", "task", ">rows", ">features", "digest"}}
	for _, d := range plan.Data {
		data.add(d.Name, string(d.Task), strconv.Itoa(d.N), strconv.Itoa(d.D), d.Digest)
	}
	for _, d := range plan.Absent {
		data.add(d.Name, string(d.Task), strconv.Itoa(d.N), strconv.Itoa(d.D), "not on this machine: skipped")
	}
	if err := data.write(a.Out); err != nil {
		return err
	}
	if slices.ContainsFunc(plan.Data, func(d *experiment.PlannedData) bool { return d.Reading.How != "" }) {
		fmt.Fprintln(a.Out)
	}
	for _, d := range plan.Data {
		if d.Reading.How != "" {
			fmt.Fprintf(a.Out, "read   %s: %s\n", d.Name, d.Reading.How)
		}
		for _, warning := range d.Reading.Warnings {
			fmt.Fprintf(a.Out, "warning: %s: %s\n", d.Name, warning)
		}
	}
	fmt.Fprintln(a.Out)
	cells := textTable{{"dimension", "value", ">cells", ">time on one core"}}
	for _, dimension := range plan.Dimensions() {
		name := dimension.Name
		for _, value := range dimension.Values {
			cells.add(name, value.Name, strconv.FormatInt(value.Cells, 10), roughTime(value.Seconds))
			name = ""
		}
	}
	return cells.write(a.Out)
}

func (r rest) secondsOn(workers int) float64 {
	return r.seconds / max(1, min(float64(workers), float64(r.cells)))
}

func planObject(p *planned, dir string, left rest, ages preview, workers int) object {
	data := []object{}
	add := func(d *experiment.PlannedData, digest any) {
		data = append(data, object{
			"name": d.Name, "task": d.Task, "rows": d.N, "features": d.D, "digest": digest,
			"read": d.Reading.How, "warnings": append([]string{}, d.Reading.Warnings...),
			"feature_names": append([]string{}, d.Features.First...),
		})
	}
	for _, d := range p.plan.Data {
		add(d, d.Digest)
	}
	for _, d := range p.plan.Absent {
		add(d, nil)
	}
	dimensions := lists.Map(p.plan.Dimensions(), func(d experiment.Dimension) object {
		return object{"name": d.Name, "values": lists.Map(d.Values, func(value experiment.DimensionValue) object {
			return object{"name": value.Name, "cells": value.Cells, "seconds": value.Seconds}
		})}
	})
	return object{
		"grid": p.plan.Grid, "file": p.grid.File, "run": p.plan.Run, "repeats": p.grid.Repeats, "out": dir,
		"cells": p.plan.Count(), "in_folder": p.plan.Count() - left.cells, "incomplete": left.incomplete, "failed": left.failed,
		"raised": left.raised, "former": left.former,
		"to_compute": left.cells, "seconds": left.seconds, "memory": p.plan.Memory(), "workers": workers, "seconds_on_workers": left.secondsOn(workers),
		"ages": append([]string{}, ages.said...), "cells_at_ages": ages.cells,
		"data": data, "dimensions": dimensions,
	}
}
