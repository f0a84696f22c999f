// Command worker computes cells from a NATS server's queue.
package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
)

func main() { command.Main(execute) }

// maxSlots bounds --slots: more in one process are a slip of the hand.
const maxSlots = 1024

// execute runs one command line and returns the exit status.
func execute(ctx context.Context, args []string, streams command.Streams) int {
	root := &cobra.Command{
		Use:   "worker",
		Short: "Compute cells from a NATS server's queue",
		Long: `Compute cells from a NATS server's queue until a signal ends it, or, with
--drain, until nothing is queued. Cells that are being computed when a signal
comes are handed back.

Every flag can also be set by an environment variable, --slots by AGEPATH_SLOTS
and so on (--nats by AGEPATH_NATS_URL), and by a key of the YAML file --config
names, slots. The command line goes before the environment, the environment
before the file.

Exit status: 0 the queue is empty (--drain); 1 the queue cannot be worked with;
2 bad usage; 130 interrupted.`,
		Args: command.Arguments(),
	}
	base := command.New(root, streams)
	worker := &run.Worker{Kinds: command.Kinds(), Version: base.Version}
	flags := root.Flags()
	command.Count(flags, &worker.Slots, "slots", min(runtime.GOMAXPROCS(0), maxSlots), 1, maxSlots, "`N` cells computed at a time; one per core unless given")
	flags.BoolVar(&worker.Drain, "drain", false, "end when nothing is queued")
	flags.StringVar(&worker.Name, "name", "", "`name` of this worker in the results (default: host name and process)")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		return work(cmd.Context(), base, worker)
	}
	return base.Execute(ctx, root, args)
}

// work connects and computes cells until the worker ends.
func work(ctx context.Context, base *command.Base, worker *run.Worker) error {
	q, err := base.NATS.Connect(ctx, "agepath worker "+worker.Name, func(err error) { base.Log.Warn(err.Error()) })
	if err != nil {
		return err
	}
	defer q.Close()
	worker.Queue = q
	worker.Report = func(cell string, err error) { base.Log.Warn(err.Error(), "cell", cell) }
	base.Log.Info("working", "slots", worker.Slots, "drain", worker.Drain, "version", base.Version)
	if err := worker.Run(ctx); err != nil {
		return fmt.Errorf("working: %w", err)
	}
	if ctx.Err() != nil {
		return &command.Interruption{Text: "interrupted; running cells were handed back"}
	}
	base.Log.Info("the queue is empty")
	return nil
}
