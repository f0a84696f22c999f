// Command coordinator plans, computes and reports experiments; see docs and `coordinator --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

type app struct {
	*command.Base
	library library
}

// atServer has the commands that need a server.
type atServer struct{ *app }

type catalog struct{ *app }

type library struct{ dir, cache string }

func (l *library) addTo(flags *pflag.FlagSet) {
	command.Path(flags, &l.dir, "datasets", "`folder` with data sets, searched first")
	l.addCacheTo(flags)
}

func (l *library) addCacheTo(flags *pflag.FlagSet) {
	command.Path(flags, &l.cache, "cache", "`folder` for downloaded data sets (default: agepath/datasets in the user's cache folder)")
}

// open returns the library, without a cache if there is no place for one: only downloads need the
// cache.
func (l *library) open() (*dataset.Library, error) {
	if l.cache == "" {
		l.cache, _ = dataset.DefaultCache()
	}
	library := &dataset.Library{Dir: l.dir, Cache: l.cache}
	if err := library.CheckDir(); err != nil {
		return nil, command.Refusef("%w; --datasets DIR names an existing folder", err)
	}
	return library, nil
}

type gridFlags struct{ set []string }

func (g *gridFlags) addTo(flags *pflag.FlagSet) {
	flags.StringArrayVar(&g.set, "set", nil, "replace a value of the grid by `key=value`, as in repeats=2 or models.0.lasso.alpha=[0.1, 0.2]; may be repeated")
}

type planned struct {
	grid *experiment.Grid
	plan *experiment.Plan
}

// resultsFolder returns the folder of results at path or of a manifest there, "" if it is none.
func resultsFolder(path string) string {
	if filepath.Base(path) == results.ManifestName {
		path = filepath.Dir(path)
	}
	if _, err := os.Stat(filepath.Join(path, results.ManifestName)); err != nil {
		return ""
	}
	return path
}

// plan reads a grid, or that of a folder of results, and its data sets. Every error in them is a
// refusal.
func (a *app) plan(ctx context.Context, path string, flags *gridFlags) (*planned, error) {
	library, err := a.library.open()
	if err != nil {
		return nil, err
	}
	var plan *experiment.Plan
	grid, err := experiment.ParseFile(path, flags.set)
	switch dir := resultsFolder(path); {
	case dir != "":
		grid, plan, err = run.PlanAgain(ctx, dir, flags.set, library)
	case err == nil:
		plan, err = grid.Plan(ctx, library)
	case !errors.As(err, new(gridfile.Problems)):
		err = fmt.Errorf("%w; allowed is a YAML file, such as grids/quickstart.yaml, or a folder of results", err)
	}
	if err != nil {
		return nil, command.Refuse(err)
	}
	for _, d := range plan.Absent {
		a.Log.Warn("the data set is not on this machine and is skipped; `coordinator datasets fetch` downloads it", "name", d.Name)
	}
	return &planned{grid, plan}, nil
}

type outFlags struct{ dir string }

func (o *outFlags) addTo(flags *pflag.FlagSet) {
	command.Path(flags, &o.dir, "out", "`folder` of the results (default: out/ and the grid's name)")
}

func (o *outFlags) of(grid *experiment.Grid) string {
	if o.dir == "" {
		return filepath.Join("out", grid.Name)
	}
	return o.dir
}

// refuseStart makes an error before a run begins a refusal, except a full disk, for which retrying
// helps.
func refuseStart(err error) error {
	var start *run.StartError
	if errors.As(err, &start) && !disk.Full(err) {
		return command.Refuse(err)
	}
	return err
}

func (a *app) withQueue(ctx context.Context, do func(*queue.Queue) error) error {
	q, err := a.NATS.Connect(ctx, "agepath coordinator", func(err error) {
		if command.Unauthorized(err) { // retries would never end
			a.Abort(err)
			return
		}
		a.warn(err)
	})
	if err != nil {
		return err
	}
	defer q.Close()
	return a.NATS.Advise(do(q))
}

func (a *app) warn(err error) { a.Log.Warn(err.Error()) }

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
	root.Annotations = map[string]string{
		"list": "coordinator status", "ls": "coordinator status", "logs": "coordinator status RUN", "log": "coordinator status RUN",
		"priority": "coordinator submit GRID --priority N", "stop": "coordinator cancel RUN", "delete": "coordinator purge RUN",
	}
	a := &app{Base: command.New(root, streams)}
	r, c := &atServer{a}, &catalog{a}
	command.Sections(root,
		command.Section{Title: "Start", Commands: []*cobra.Command{a.initCommand(), a.planCommand(), a.runCommand(), r.submitCommand()}},
		command.Section{Title: "Watch", Commands: []*cobra.Command{r.statusCommand(), r.serveCommand()}},
		command.Section{Title: "Results", Commands: []*cobra.Command{
			r.collectCommand(), a.reportCommand(), a.modelCommand(), a.compareCommand(), a.replayCommand(), a.verifyCommand(), a.pruneCommand(), a.crateCommand(),
		}},
		command.Section{Title: "Methods of your own", Commands: []*cobra.Command{a.tryCommand(), a.pythonCommand()}},
		command.Section{Title: "Data", Commands: []*cobra.Command{c.datasetsCommand()}},
		command.Section{Title: "Operate the runs of a server", Commands: []*cobra.Command{
			r.pauseCommand(), r.resumeCommand(), r.retryCommand(), r.cancelCommand(), r.purgeCommand(),
		}},
		command.Section{Title: "This program", Commands: []*cobra.Command{a.CompletionCommand(root), a.VersionCommand(root)}},
	)
	a.Completions = map[string]cobra.CompletionFunc{"GRID": command.Files("yaml", "yml"), "DIR": command.Folders, "NAME": completeName}
	return a, root
}
