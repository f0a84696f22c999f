// Command coordinator plans, computes and reports experiments; see docs and `coordinator --help`.
package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/internal/command"
)

func main() { command.Main(execute) }

func execute(ctx context.Context, args []string, streams command.Streams) int {
	a, root := commands(streams)
	return a.Execute(ctx, root, args)
}

func commands(streams command.Streams) (*app, *cobra.Command) {
	root := &cobra.Command{
		Use:   "coordinator",
		Short: "Run experiments of machine learning in bulk",
		Long: `Run experiments of machine learning in bulk: age paths of self-paced learning,
word embeddings and solver benchmarks.

A grid file (docs/grid.md) expands into cells. This program computes them here or
hands them to workers over NATS, gathers the results and makes tables and figures.

Every flag can also be set by an environment variable, --tls-ca by
AGEPATH_TLS_CA and so on (--nats by AGEPATH_NATS_URL), and by a key of the YAML
file --config names, tls-ca. The command line overrides the environment, which
overrides the file.

Exit status: 0 all was done; 1 cells failed or are incomplete, or something broke;
2 bad usage or a bad grid, nothing was started; 130 interrupted.`,
		Example: command.Examples(`coordinator run grids/quickstart.yaml
coordinator report out/quickstart --format html
coordinator submit grid.yaml --nats nats://example.org`),
	}
	a := &app{Base: command.New(root, streams)}
	r, c := &atServer{a}, &catalog{a}
	command.Sections(root,
		command.Section{Title: "Start", Commands: []*cobra.Command{a.planCommand(), a.runCommand(), r.submitCommand()}},
		command.Section{Title: "Watch", Commands: []*cobra.Command{r.statusCommand(), r.serveCommand()}},
		command.Section{Title: "Results", Commands: []*cobra.Command{
			r.collectCommand(), a.reportCommand(), a.compareCommand(), a.replayCommand(), a.verifyCommand(), a.pruneCommand(), a.crateCommand(),
		}},
		command.Section{Title: "Methods of your own", Commands: []*cobra.Command{a.tryCommand(), a.pythonCommand()}},
		command.Section{Title: "Data", Commands: []*cobra.Command{c.datasetsCommand()}},
		command.Section{Title: "Operate the runs of a server", Commands: []*cobra.Command{
			r.pauseCommand(), r.resumeCommand(), r.retryCommand(), r.discardCommand(), r.cancelCommand(), r.purgeCommand(),
		}},
		command.Section{Title: "This program", Commands: []*cobra.Command{a.CompletionCommand(root), a.VersionCommand(root)}},
	)
	a.Completions = map[string]cobra.CompletionFunc{"GRID": command.Files("yaml", "yml"), "DIR": command.Folders, "NAME": completeName}
	return a, root
}
