package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

type compareFlags struct {
	rounding float64
	json     jsonFlag
}

func (c *compareFlags) addTo(flags *pflag.FlagSet) {
	flags.Float64Var(&c.rounding, "rounding", analysis.Rounding, "largest relative difference `X` of two numbers that counts as rounding")
	c.json.addTo(flags)
}

func (c *compareFlags) check(dirs []string) error {
	switch {
	case len(dirs) > report.MaxRuns:
		return command.Refusef("%d folders are too many; 2 to %d are allowed", len(dirs), report.MaxRuns)
	case !(c.rounding >= 0 && c.rounding < 1):
		return command.Refusef("--rounding: %v is not allowed; a number from 0, and below 1, is", c.rounding)
	}
	return nil
}

func (a *app) compareCommand() *cobra.Command {
	var flags compareFlags
	cmd := command.Command("compare DIR DIR...", "Compare folders of results on the cells they share",
		`Compare folders of results with the first: runs that share cells, or one grid
computed by two versions. The tables show which cells are shared, how scores
differ and whether by chance, which numbers changed, the ratio of times, and which
cells ended with another status. The exit status is 0 also if the runs differ.`,
		"coordinator compare out/before out/after",
		func(ctx context.Context, dirs []string) error {
			if err := flags.check(dirs); err != nil {
				return err
			}
			c, err := during(newProgress(a.Base, "report"), func(begin func(analysis.Step)) (*report.Comparison, error) {
				return report.Compare(ctx, dirs, analysis.CompareOptions{Rounding: flags.rounding, Progress: begin})
			})
			if err != nil {
				return refuseFolder(err)
			}
			if flags.json {
				return a.writeJSON(c)
			}
			return report.Text{}.WriteComparison(a.Out, c)
		})
	flags.addTo(cmd.Flags())
	return cmd
}
