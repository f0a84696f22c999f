package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
)

func (a *app) verifyCommand() *cobra.Command {
	cmd := command.Command("verify DIR", "Check every byte of a folder of results",
		`Read every file of a folder of results and change nothing: check all checksums and
batches; one row for each cell of the grid and no other cell; rows of further
tables that belong to cells, and scores to knots; the counts of the manifest; and
the digests of the data sets that are here. A line that begins with "problem:" says
what is wrong, and the exit status is 1; one with "note:" says what could not be
checked.`,
		"coordinator verify out/quickstart",
		func(ctx context.Context, args []string) error {
			library, err := a.library.open()
			if err != nil {
				return err
			}
			v, err := run.Verify(ctx, args[0], library, a.Version)
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
	if len(v.Problems) > 0 {
		return fmt.Errorf("%s is not as it was written: %d problems are listed; restore it from a copy, or remove its *.arrow files and compute the cells again", dir, len(v.Problems))
	}
	fmt.Fprintln(a.Out, "no problems")
	return nil
}
