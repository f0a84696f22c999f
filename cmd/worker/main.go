// Command worker computes cells from a NATS server's queue.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
)

func main() { command.Main(execute) }

const (
	// maxSlots bounds --slots: a larger number is a typing error.
	maxSlots = 1024
	// maxDeaths bounds --max-deaths: servers redeliver a task without limit.
	maxDeaths = 1000
)

func execute(ctx context.Context, args []string, streams command.Streams) int {
	root := &cobra.Command{
		Use:   "worker",
		Short: "Compute cells from a NATS server's queue",
		Long: `Compute cells of all runs at a NATS server, alternating among the runs, until a
signal ends the worker or, with --drain, until nothing is queued or computed by
others. Each slot is a process of its own, so that no cell harms another. After a
signal, running cells have the time --grace to finish and are then handed back,
which uses no attempt.

With --until the worker ends 5 seconds before that time. It leaves a cell to
others that is expected to take longer than what is left: its estimated time
multiplied by the largest ratio of elapsed to estimated time of the last 16 cells
of its method here, at most its limits.timeout. It ends as soon as no other cell
is queued, or 64 cells in a row were too long.

Every flag can also be set by an environment variable, --slots by AGEPATH_SLOTS
and so on (--nats by AGEPATH_NATS_URL), and by a key of the YAML file --config
names, slots. The command line overrides the environment, which overrides
the file.

Exit status: 0 the queue is empty (--drain), or a signal ended the worker
(without --drain); 1 the queue cannot be worked with, or no cell was computed
in the time until --until; 2 bad usage; 130 a signal or --until ended the worker
before the queue was empty (--drain), or a second signal ended it at once.`,
		Example: command.Examples("worker --nats nats://example.org --drain\nworker --nats nats://example.org --slots 8 --grace 1m"),
		Args:    command.Arguments(),
	}
	base := command.New(root, streams)
	worker := &run.Worker{Kinds: experiment.Kinds(), Version: base.Version}
	flags := root.Flags()
	base.NATS.AddTo(flags)
	command.Count(flags, &worker.Slots, "slots", min(runtime.GOMAXPROCS(0), maxSlots), 1, maxSlots, "`N` cells computed at a time; one per core unless given")
	flags.BoolVar(&worker.Drain, "drain", false, "end when nothing is queued or being computed by other workers")
	flags.StringVar(&worker.Name, "name", "", "`name` of this worker in the results (default: host name and process)")
	flags.DurationVar(&worker.Grace, "grace", 0, "`time` that running cells have to finish after a signal, before they are handed back")
	command.Moment(flags, &worker.Until, "until", "`time` when the worker has to have ended, as seconds since 1970 or 2026-01-31T18:00:00 (default: "+endVariable+", which Slurm sets)")
	flags.DurationVar(&worker.RetryDelay, "retry-delay", 5*time.Second, "`time` before a failed cell is tried again")
	command.Count(flags, &worker.MaxDeaths, "max-deaths", 2, 1, maxDeaths, "`N` workers that may die of a cell before it is given up; lost machines count")
	command.Path(flags, &worker.Cache, "cache", "`folder` for the data sets of cells, which workers of a machine can share (default: agepath/cells in the user's cache folder)")
	command.Bytes(flags, &worker.CacheBytes, "cache-size", "10GiB", "`amount` that data sets may take in --cache when no cell uses them")
	command.AllowCommands(flags, &worker.AllowCommands)
	var health string
	flags.StringVar(&health, "health", "", "`address` that answers /healthz (the worker does not hang) and /readyz (it is connected and knows all runs), host:port (default: none)")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if worker.Grace < 0 || worker.RetryDelay <= 0 {
			return command.Refusef("--grace %v, --retry-delay %v; the first must be >= 0s, the second > 0s", worker.Grace, worker.RetryDelay)
		}
		if err := readEnd(base, &worker.Until); err != nil {
			return err
		}
		base.Grace(worker.Grace)
		base.BeforeCommands(worker.AllowCommands)
		worker.Health = &run.Health{}
		stop, err := serveHealth(cmd.Context(), base, health, worker.Health)
		if err != nil {
			return err
		}
		defer stop()
		return work(cmd.Context(), base, worker)
	}
	root.AddCommand(base.CompletionCommand(root), base.VersionCommand(root))
	return base.Execute(ctx, root, args)
}

// endVariable has the end of the job in newer versions of Slurm.
const endVariable = "SLURM_JOB_END_TIME"

func readEnd(base *command.Base, until *time.Time) (err error) {
	if text, _ := base.Env(endVariable); until.IsZero() && text != "" {
		if *until, err = command.ParseMoment(text); err != nil {
			return command.Refusef("%s: %w", endVariable, err)
		}
	}
	if !until.IsZero() && time.Until(*until) <= 0 {
		return command.Refusef("--until %s has passed; a time to come is allowed", until.Format(time.RFC3339))
	}
	return nil
}

func work(ctx context.Context, base *command.Base, worker *run.Worker) error {
	if worker.Cache == "" {
		downloads, _ := dataset.DefaultCache()
		dir, remove, err := command.CellsFolder(downloads)
		if err != nil {
			return err
		}
		defer func() { _ = remove() }()
		if worker.Cache = dir; downloads == "" {
			base.Log.Info("there is no cache folder: data sets are kept while this worker runs; --cache DIR keeps them", "folder", worker.Cache)
		}
	}
	var err error
	if worker.Process, err = command.SlotProcess(worker.Slots); err != nil {
		return err
	}
	q, err := base.NATS.Connect(ctx, "agepath worker "+worker.Name, func(err error) { base.Log.Warn(err.Error()) })
	if err != nil {
		if ctx.Err() != nil && !worker.Drain {
			base.Log.Info("ended by a signal before a NATS server answered")
			return nil
		}
		return err
	}
	defer q.Close()
	worker.Queue = q
	worker.Report = func(cell string, err error) { base.Log.Warn(err.Error(), "cell", cell) }
	base.Log.Info("working", "slots", worker.Slots, "drain", worker.Drain, "version", base.Version)
	err = worker.Run(ctx)
	late, over := errors.AsType[*run.UntilError](err)
	switch {
	case over && late.Futile():
		return fmt.Errorf("%w: cells need more time, by a later --until or a longer job, or a smaller limits.timeout", late)
	case over && worker.Drain:
		return &command.Interruption{Text: late.Error()}
	case over:
		base.Log.Info(late.Error())
	case errors.As(err, new(*queue.EmptyError)):
		base.Log.Info(err.Error())
	case err != nil:
		return fmt.Errorf("working: %w", err)
	case ctx.Err() == nil:
		base.Log.Info("the queue is empty")
	case worker.Drain: // the caller must not conclude that the queue is empty
		return &command.Interruption{Text: "interrupted before the queue was empty; cells that were not finished were handed back"}
	default:
		base.Log.Info("ended by a signal; cells that were not finished were handed back")
	}
	return nil
}

// serveHealth answers health checks until stop is called. It begins before the worker connects,
// which may take long.
func serveHealth(ctx context.Context, base *command.Base, address string, health *run.Health) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, command.Refusef("--health: %w; allowed is host:port, such as 127.0.0.1:8481, or :8481 for all addresses", err)
	}
	server := &http.Server{Handler: health.Handler(), ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan struct{})
	go func() { // ends with stop
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			base.Log.Error("answering health checks: " + err.Error())
		}
	}()
	base.Log.Info("answering health checks", "address", listener.Addr().String())
	return func() {
		server.Close()
		<-ended
	}, nil
}
