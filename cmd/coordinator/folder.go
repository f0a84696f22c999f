package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/report"
)

func (a *app) compareCommand() *cobra.Command {
	var (
		rounding float64
		tests    = analysis.DefaultTests
		asJSON   jsonFlag
	)
	cmd := command.Command("compare DIR DIR...", "Compare folders of results on the cells they share",
		`Compare folders of results with the first: runs that share cells, or one grid
computed by two versions. The tables show which cells are shared, how scores
differ and whether by chance, which numbers changed, the ratio of times, and which
cells ended with another status. The exit status is 0 also if the runs differ.`,
		"coordinator compare out/before out/after",
		func(ctx context.Context, dirs []string) error {
			if len(dirs) > report.MaxRuns {
				return command.Refusef("%d folders are too many; 2 to %d are allowed", len(dirs), report.MaxRuns)
			}
			runs, err := during(newProgress(a.Base, "report"), func(begin func(analysis.Step)) (*analysis.RunComparison, error) {
				return analysis.CompareRuns(ctx, dirs, analysis.CompareOptions{Rounding: rounding, Tests: tests, Progress: begin})
			})
			if err != nil {
				return refuseFolder(err)
			}
			c := &report.Comparison{RunComparison: runs}
			if asJSON {
				return a.writeJSON(c)
			}
			return report.Text{}.WriteComparison(a.Out, c)
		})
	addSignificance(cmd.Flags(), &tests)
	command.Fraction(cmd.Flags(), &rounding, "rounding", analysis.Rounding, true, "largest relative difference `X` of two numbers that counts as rounding")
	asJSON.addTo(cmd.Flags())
	return cmd
}

func (a *app) crateCommand() *cobra.Command {
	var options results.CrateOptions
	cmd := command.Command("crate DIR", "Describe a folder of results for archives, as an RO-Crate",
		`Write ro-crate-metadata.json into a folder of results whose run has ended: an RO-Crate
1.1 of the profile Process Run Crate 0.5. It names the grid, the data sets with their
digests, the version of agepath, when the run began and ended, and each file with
its size and SHA-256, the sources of methods included. It has no paths and no names
of machines. Make it after the report, whose files it lists.`,
		"coordinator crate out/quickstart",
		func(ctx context.Context, args []string) error {
			if err := results.WriteCrate(ctx, args[0], options); err != nil {
				return refuseFolder(err)
			}
			fmt.Fprintln(a.Out, filepath.Join(args[0], results.CrateName))
			return nil
		})
	cmd.Flags().StringVar(&options.License, "license", "", "`ID` of the license in the list of SPDX, such as CC-BY-4.0, or its URL")
	cmd.Flags().StringArrayVar(&options.Authors, "author", nil, "`name` of an author; may be repeated")
	return cmd
}

func (a *app) pruneCommand() *cobra.Command {
	return command.Command("prune DIR", "Remove the cells of former grids from a folder of results",
		`Remove the rows of cells that the grid of a folder of results no longer has: the
files former.*.arrow. Only computing the cells again brings them back.`,
		"coordinator prune out/quickstart",
		func(ctx context.Context, args []string) error {
			m, err := results.ReadManifest(args[0])
			if err != nil {
				return command.Refuse(refuseFolder(err))
			}
			kind, err := experiment.Named(m.Kind)
			if err != nil {
				return command.Refuse(err)
			}
			store, err := results.Open(ctx, args[0], results.StoreOptions{Tables: kind.Tables(), Run: m.Run})
			if err != nil {
				return command.Refuse(err)
			}
			cells, err := store.Prune()
			if err = errors.Join(err, store.Close()); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s of former grids removed from %s\n", prose.Plural(cells, "cell"), args[0])
			return nil
		})
}

func (a *app) verifyCommand() *cobra.Command {
	cmd := command.Command("verify DIR", "Check every byte of a folder of results",
		`Read every file of a folder of results and change nothing: check all checksums and
batches; one row for each cell of the grid and no other cell; rows of further
tables that belong to cells, and scores to knots; the counts of the manifest; what
answer.csv says; and the digests of the data sets that are here. A line that begins with "problem:" says
what is wrong, and the exit status is 1; one with "note:" says what could not be
checked.`,
		"coordinator verify out/quickstart",
		func(ctx context.Context, args []string) error {
			library, err := a.library.open()
			if err != nil {
				return err
			}
			v, err := run.Verify(ctx, args[0], library, a.Version)
			if err == nil {
				err = report.VerifyAnswer(ctx, v, args[0], a.Version)
			}
			if err != nil {
				return refuseFolder(err)
			}
			return a.showVerification(args[0], v)
		})
	a.library.addTo(cmd.Flags())
	return cmd
}

func (a *app) showVerification(dir string, v *results.Verification) error {
	fmt.Fprintf(a.Out, "%s: %d of %d cells; %d files with %d batches read\n", dir, v.Cells, v.Manifest.Cells, v.Files, v.Batches)
	for _, note := range v.Notes {
		fmt.Fprintf(a.Out, "note: %s\n", note)
	}
	for _, problem := range v.Problems {
		fmt.Fprintf(a.Out, "problem: %s\n", problem)
	}
	if more := v.Unlisted(); more != "" {
		fmt.Fprintf(a.Out, "not listed: %s\n", more)
	}
	if remedy := "make again what the problems name"; len(v.Problems) > 0 {
		if v.Damaged {
			remedy = "remove its *.arrow files and compute the cells again"
		}
		return fmt.Errorf("%s is not as it was written: %s; restore it from a copy, or %s", dir, prose.Plural(len(v.Problems), "problem"), remedy)
	}
	fmt.Fprintln(a.Out, "no problems")
	return nil
}
