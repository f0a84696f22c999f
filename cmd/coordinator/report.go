package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

const (
	shownRows = 20
	// maxFigures bounds --figures; each takes about 0.1 s.
	maxFigures = 10_000
)

type reportFlags struct {
	formats []report.Format
	figures int
	paper   bool
	choose  choice.Rule
	tests   analysis.Tests

	compression results.Compression
}

func addCompression(flags *pflag.FlagSet, compression *results.Compression) {
	command.Choice(flags, (*string)(compression), "compression", results.Compressions[0], "how Arrow and Parquet files are compressed, Parquet with Snappy instead of LZ4", results.Compressions...)
}

func addSignificance(flags *pflag.FlagSet, tests *analysis.Tests) {
	command.Fraction(flags, &tests.Significance, "significance", analysis.DefaultTests.Significance, false, "level `P` of tests and rate of false discoveries")
}

func (r *reportFlags) addTo(flags *pflag.FlagSet) {
	names := formatNames()
	command.List(flags, &r.formats, "format", "formats of the report: "+strings.Join(names, ", ")+" (default "+names[0]+")", names, report.FormatNamed)
	command.Count(flags, &r.figures, "figures", report.DefaultFigures, 0, maxFigures, "`N` figures at most")
	addCompression(flags, &r.compression)
	addSignificance(flags, &r.tests)
	command.Fraction(flags, &r.tests.Rope, "rope", analysis.DefaultTests.Rope, true, "share `X` of the constant's error, or of accuracy, up to which methods are equal")
	flags.BoolVar(&r.paper, "paper", false, "show the numbers published in the GAGA paper next to those of the run")
}

// asComputed leaves the choice to the grid's rule.
const asComputed = "computed"

func formatNames() []string { return report.FormatNames(report.Formats) }

func (r *reportFlags) options() report.Options {
	options := report.Options{Formats: r.formats, Figures: r.figures, Choose: r.choose, Paper: r.paper, Tests: r.tests, Compression: r.compression}
	if r.choose == asComputed {
		options.Choose = ""
	}
	if r.figures == 0 {
		options.Figures = -1
	}
	return options
}

func (a *app) reportCommand() *cobra.Command {
	var flags reportFlags
	cmd := command.Command("report DIR", "Make tables and figures of a folder of results",
		`Make tables and figures of a folder of results, complete or not. --paper shows the
table of the GAGA paper that the grid is named after (table09, table09-honest); for
other grids, each published table with a row of the run's data, noise and
parameters.`,
		"coordinator report out/quickstart --format html,csv",
		func(ctx context.Context, args []string) error {
			dir := args[0]
			r, err := a.report(ctx, dir, &flags)
			if err != nil {
				return refuseFolder(err)
			}
			return a.show(r, files(dir))
		})
	rules := append([]string{asComputed}, lists.Map(choice.Rules, func(rule choice.Rule) string { return string(rule) })...)
	flags.addTo(cmd.Flags())
	command.Choice(cmd.Flags(), (*string)(&flags.choose), "choose", asComputed, "rule by which the validation scores choose the age; "+asComputed+": that of the cells", rules...)
	return cmd
}

func refuseFolder(err error) error {
	if errors.As(err, new(*results.DamageError)) || errors.As(err, new(*results.VersionError)) {
		return command.Refuse(err)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.As(err, new(*results.MismatchError)) {
		return command.Refusef("%w; DIR is a folder with results of `coordinator run` or `coordinator collect`", err)
	}
	return err
}

func (a *app) report(ctx context.Context, dir string, flags *reportFlags) (*report.Report, error) {
	return during(newProgress(a.Base, "report"), func(begin func(analysis.Step)) (*report.Report, error) {
		options := flags.options()
		options.Version, options.Progress = a.Version, begin
		r, err := report.Write(ctx, dir, options)
		if err == nil && !r.Partial {
			err = results.RenewCrate(ctx, dir)
		}
		return r, err
	})
}

func (a *app) show(r *report.Report, files []string) error {
	_, plain := a.Env("NO_COLOR")
	text := report.Text{Bold: !plain && command.IsTerminal(a.Out), MaxRows: shownRows}
	if err := text.Write(a.Out, r); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.Out, "\n%s\n", report.InLines("Files: "+strings.Join(files, ", ")))
	return err
}
