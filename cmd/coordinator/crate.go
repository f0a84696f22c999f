package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
)

func (a *app) crateCommand() *cobra.Command {
	return command.Command("crate DIR", "Describe a folder of results for archives, as an RO-Crate",
		`Write ro-crate-metadata.json into a folder of results whose run has ended: an RO-Crate
1.1 of the profile Process Run Crate 0.5. It names the grid, the data sets with their
digests, the version of agepath, when the run began and ended, and each file with
its size and SHA-256. It has no paths and no names of machines. Make it after the
report, whose files it lists.`,
		"coordinator crate out/quickstart",
		func(ctx context.Context, args []string) error {
			if err := results.WriteCrate(ctx, args[0]); err != nil {
				return refuseFolder(err)
			}
			fmt.Fprintln(a.Out, filepath.Join(args[0], results.CrateName))
			return nil
		})
}
