package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/internal/notify"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

// maxWorkers bounds --workers: a larger number is a typing error.
const maxWorkers = 1024

func workersVar(flags *pflag.FlagSet, value *int, low int, usage string) {
	command.Count(flags, value, "workers", min(runtime.GOMAXPROCS(0), maxWorkers), low, maxWorkers, usage)
}

const runHelp = `Compute the cells of a grid that the folder of results lacks, and make tables and
figures. Cells that ended as timeout or memory are computed again if the grid's
limits have been raised. After ^C or a kill the same command resumes. GRID can be a
folder of results, whose grid is computed again into --out.

Cells are computed in this process unless --workers is 0. Without --nats the
process contains a NATS server, which listens on no port but that of --listen.

The scores so far are printed after the first repeat and after each tenth of the
cells, at most every 30 seconds. If the disk of --out has less than 1 MiB free, the run ends with exit
status 1: make room and run the same command again.`

func (a *app) runCommand() *cobra.Command {
	var (
		grid    gridFlags
		out     outFlags
		report  reportFlags
		retry   []experiment.Status
		from    reuseFlags
		workers int
		allow   bool
		asJSON  jsonFlag
		telling notifyFlags
		page    pageFlag
		listen  listenFlag

		keepGoing bool
	)
	cmd := command.Command("run GRID", "Compute a grid and report the results",
		runHelp,
		`coordinator run grids/quickstart.yaml
coordinator run grid.yaml --serve --out out/night --set repeats=5 --format html
coordinator run grid.yaml --retry failed`,
		func(ctx context.Context, args []string) error {
			a.BeforeCommands(allow)
			n, err := telling.start(a.Base)
			if err != nil {
				return err
			}
			defer n.Close()
			defer page.close()
			if err := errors.Join(listen.check(ctx, &a.NATS, workers), page.open(ctx, a.Base)); err != nil {
				return err
			}
			p, err := a.plan(ctx, args[0], &grid)
			if err != nil {
				return err
			}
			if names := p.plan.Commands(); len(names) > 0 && workers > 0 && !allow {
				return command.Refusef("the methods %s are commands, which are programs on this machine; --allow-commands lets them run", strings.Join(names, ", "))
			}
			c := &run.Coordinator{
				Grid: p.grid, Plan: p.plan, Out: out.of(p.grid), KeepGoing: keepGoing,
				Workers: workers, Retry: retry, Version: a.Version, Report: a.warn,
				AllowCommands: allow, Compression: report.compression,
			}
			if c.Process, err = command.SlotProcess(max(workers, 1)); err != nil {
				return err
			}
			defer from.close()
			if c.Reuse, err = a.reuse(ctx, &from, p.plan); err != nil {
				return err
			}
			listen.use(a, c)
			if page.listener != nil {
				c.Watch = a.watcher(page.listener, c.Plan.Run, c.Out)
			}
			return a.connected(ctx, c, func() error { return a.run(ctx, c, n, &report, asJSON) })
		})
	flags := cmd.Flags()
	grid.addTo(flags)
	out.addTo(flags)
	asJSON.addTo(flags)
	report.addTo(flags)
	a.library.addTo(flags)
	a.NATS.AddTo(flags)
	a.NATS.AddStreams(flags)
	command.List(flags, &retry, "retry", "compute cells again that ended with one of these statuses: "+strings.Join(failureNames(), ", "), failureNames(), parseFailure)
	telling.addTo(flags)
	page.addTo(flags)
	listen.addTo(flags)
	from.addTo(flags)
	flags.BoolVar(&keepGoing, "keep-going", false, "compute all cells of a method whose first 3 all end with the same error, instead of holding the others back")
	command.AllowCommands(flags, &allow)
	workersVar(flags, &workers, 0, "`N` cells computed at a time; 0 leaves them to workers at --nats or --listen; one per core unless given")
	return cmd
}

func (a *app) connected(ctx context.Context, c *run.Coordinator, do func() error) (err error) {
	if a.NATS.URL == "" {
		return do()
	}
	var remove func() error
	if c.Cache, remove, err = command.CellsFolder(a.library.cache); err != nil {
		return err
	}
	defer func() { _ = remove() }() // the next command retries
	return a.withQueue(ctx, func(q *queue.Queue) error {
		c.Queue = q
		return do()
	})
}

func (a *app) run(ctx context.Context, c *run.Coordinator, n *notify.Notifier, flags *reportFlags, asJSON jsonFlag) error {
	if c.Workers == 0 && c.Queue != nil {
		a.warnCommands(ctx, c.Queue, c.Plan)
	}
	shown := newProgress(a.Base, c.Plan.Run)
	c.Report = shown.warn
	interim := &standings{app: a, shown: shown, dir: c.Out, last: time.Now()}
	defer interim.all.Wait()
	c.Progress = func(p run.Progress) {
		if shown.compute(p); p.Milestone {
			interim.milestone(ctx)
		}
	}
	summary, err := during(shown, func(begin func(analysis.Step)) (*run.Summary, error) {
		c.Step = func(what string) { begin(analysis.Step{What: what}) }
		return notified(ctx, c, n)
	})
	if err == nil {
		err = disk.RemoveIfThere(disk.OS{}, filepath.Join(c.Out, workerFile)) // no server listens any more
	}
	if err != nil {
		if ctx.Err() != nil {
			return &command.Interruption{Text: fmt.Sprintf("interrupted; what was computed is in %s, and the same command resumes", c.Out)}
		}
		return refuseStart(err)
	}
	if !asJSON {
		head := "0 cells to compute"
		if summary.Computed > 0 {
			head = fmt.Sprintf("%d of %d cells computed in %s", summary.Computed, summary.Cells, humanTime(summary.Elapsed.Seconds()))
		}
		if summary.Reused > 0 {
			head += fmt.Sprintf(", %d taken from other runs", summary.Reused)
		}
		fmt.Fprintf(a.Out, "%s\n\n", report.InLines(fmt.Sprintf("%s: %s; %s, gathered in %s", c.Plan.Run, head, results.EndedText(summary.Counts, summary.Cells), c.Out)))
	}
	write := a.report
	options := flags.options()
	if options.Version = a.Version; report.Fresh(c.Out, options) {
		write = a.loadReport
	}
	r, err := write(ctx, c.Out, flags)
	if err != nil {
		return err
	}
	if asJSON {
		err = a.writeJSON(runObject(c, summary, r, files(c.Out)))
	} else {
		err = a.show(r, files(c.Out))
	}
	if err != nil {
		return err
	}
	return failures(summary, c.Out)
}

func runObject(c *run.Coordinator, summary *run.Summary, r *report.Report, files []string) object {
	held := lists.Map(summary.Held, func(of *run.HeldError) object {
		return object{"method": of.Method, "cells": of.Cells, "reason": of.Reason}
	})
	failures := lists.Map(r.Failures, func(f analysis.Failure) object {
		return object{"cell": f.Cell, "what": f.What, "status": f.Status, "error": f.Error}
	})
	return object{
		"run": c.Plan.Run, "out": c.Out, "cells": summary.Cells, "computed": summary.Computed, "reused": summary.Reused,
		"statuses": report.StatusCounts(summary.Counts), "quarantined": summary.Quarantined,
		"elapsed_seconds": summary.Elapsed.Seconds(), "reasons": append([]experiment.Reason{}, summary.Reasons...), "held_back": held, "failures": failures, "files": files,
	}
}

func (a *app) loadReport(ctx context.Context, dir string, flags *reportFlags) (*report.Report, error) {
	return during(newProgress(a.Base, "report"), func(begin func(analysis.Step)) (*report.Report, error) {
		return report.Load(ctx, dir, report.Options{Figures: -1, Paper: flags.paper, Progress: begin})
	})
}

// files lists the tables and the report, without its figures.
func files(dir string) (paths []string) {
	names := []string{results.CellsFile}
	if m, err := results.ReadManifest(dir); err == nil {
		for _, table := range m.Tables {
			names = append(names, table.Name+".arrow")
		}
	}
	names = append(names, results.ManifestName)
	if made, err := results.ReadMade(dir); err == nil {
		for _, name := range slices.Sorted(maps.Keys(made.Files)) {
			if !strings.Contains(name, "/") {
				names = append(names, filepath.Join(results.ReportFolder, name))
			}
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

const shownReasons, shownReason = 5, 120

func failures(s *run.Summary, out string) error {
	var b strings.Builder
	if text := unfinished(s.Counts, s.Cells); text != "" {
		b.WriteString(text + "\n" + reasonList(s.Reasons))
		fmt.Fprintf(&b, "`coordinator replay %s CELL` computes one again; the report has more.", out)
		if offer := again(s.Reasons); offer != "" {
			fmt.Fprintf(&b, " The same command with --retry %s computes them again.", offer)
		}
		if s.Counts[experiment.Timeout]+s.Counts[experiment.Memory] > 0 {
			b.WriteString(" With higher limits it computes those that a limit ended.")
		}
	}
	for _, held := range s.Held {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%v. Once %s is mended the same command computes them; --keep-going does so now.", held, held.Method)
	}
	if b.Len() == 0 {
		return nil
	}
	return errors.New(b.String())
}

func again(reasons []experiment.Reason) string {
	var names []string
	for _, status := range failureStatuses {
		if slices.ContainsFunc(reasons, func(r experiment.Reason) bool { return r.Status == status && !r.Repeats }) {
			names = append(names, string(status))
		}
	}
	return strings.Join(names, ",")
}

func reasonList(reasons []experiment.Reason) string {
	var b strings.Builder
	for i, reason := range reasons {
		if i == shownReasons {
			fmt.Fprintf(&b, "  ... and %d more reasons\n", len(reasons)-i)
			break
		}
		fmt.Fprintf(&b, "  %s (cell %s)\n", shortened(reason.String(), shownReason), reason.Cell[:min(len(reason.Cell), 8)])
	}
	return b.String()
}

func unfinished(counts map[experiment.Status]int, cells int64) string {
	failed := 0
	var statuses []string
	for _, status := range failureStatuses {
		n := counts[status]
		if n > 0 && status.Failed() {
			failed += n
			statuses = append(statuses, fmt.Sprintf("%d %s", n, status))
		}
	}
	var parts []string
	if n := counts[experiment.Incomplete]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d cells are incomplete: their paths stop before the last age", n, cells))
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d cells failed (%s)", failed, cells, strings.Join(statuses, ", ")))
	}
	return strings.Join(parts, "; ")
}

var failureStatuses = experiment.Statuses[1:] // without ok

func failureNames() []string {
	return lists.Map(failureStatuses, func(s experiment.Status) string { return string(s) })
}

func parseFailure(text string) (experiment.Status, error) {
	if status := experiment.Status(text); slices.Contains(failureStatuses, status) {
		return status, nil
	}
	return "", fmt.Errorf("%q is not allowed; allowed are %s", text, strings.Join(failureNames(), ", "))
}
