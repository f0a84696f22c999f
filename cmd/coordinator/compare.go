package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

func (a *app) compareCommand() *cobra.Command {
	var (
		rounding float64
		asJSON   jsonFlag
	)
	cmd := command.Command("compare DIR DIR...", "Compare folders of results on the cells they share",
		`Compare folders of results with the first: runs that share cells, or one grid
computed by two versions. The tables show which cells are shared, how scores
differ and whether by chance, which numbers changed, the ratio of times, and which
cells ended with another status. The exit status is 0 also if the runs differ.`,
		"coordinator compare out/before out/after",
		func(ctx context.Context, dirs []string) error {
			switch {
			case len(dirs) > report.MaxRuns:
				return command.Refusef("%d folders are too many; 2 to %d are allowed", len(dirs), report.MaxRuns)
			case !(rounding >= 0 && rounding < 1):
				return command.Refusef("--rounding: %v is not allowed; a number from 0, and below 1, is", rounding)
			}
			runs, err := during(newProgress(a.Base, "report"), func(begin func(analysis.Step)) (*analysis.RunComparison, error) {
				return analysis.CompareRuns(ctx, dirs, analysis.CompareOptions{Rounding: rounding, Progress: begin})
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
	cmd.Flags().Float64Var(&rounding, "rounding", analysis.Rounding, "largest relative difference `X` of two numbers that counts as rounding")
	asJSON.addTo(cmd.Flags())
	return cmd
}
