package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
)

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
			fmt.Fprintf(a.Out, "%s of former grids removed from %s\n", cellsText(int64(cells)), args[0])
			return nil
		})
}
