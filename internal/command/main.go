package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
)

// Main runs a program and exits with its status. The first SIGINT or SIGTERM ends the context, so
// that the program keeps what it has; the second ends the process. A process of [SlotProcess]
// computes cells instead.
func Main(execute func(ctx context.Context, args []string, streams Streams) int) {
	ServeSlot(experiment.Kinds())
	if err := restore(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(ExitFailed)
	}
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() { // ends with the process
		<-signals
		cancel()
		<-signals
		os.Exit(ExitInterrupted)
	}()
	os.Exit(execute(ctx, os.Args[1:], System()))
}

// version is the module's or, in a checkout, version control's.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	if commit := commitOf(info); commit != "" {
		return fmt.Sprintf("devel-%.12s", commit)
	}
	return "devel"
}

func commitOf(info *debug.BuildInfo) string {
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return ""
}

// VersionCommand prints the version.
func (b *Base) VersionCommand(root *cobra.Command) *cobra.Command {
	return Command("version", "Print the version, its commit, Go's version and the platform", "",
		root.Name()+" version",
		func(context.Context, []string) error {
			commit := "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				commit = cmp.Or(commitOf(info), commit)
			}
			_, err := fmt.Fprintf(b.Out, "%s %s\ncommit %s\n%s %s/%s\n", root.Name(), b.Version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		})
}
