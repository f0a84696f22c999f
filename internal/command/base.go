package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Streams are a program's output and environment.
type Streams struct {
	Out, Err io.Writer
	Env      func(name string) (value string, ok bool)
	// Hide, if not nil, removes what commands must not read from the environment, if the system
	// allows, by restarting the program.
	Hide func() error
}

// System returns the streams of the process.
func System() Streams {
	return Streams{Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv, Hide: hide}
}

// Base is shared by a program's commands.
type Base struct {
	Streams
	NATS    NATS
	Log     *slog.Logger // set before a command runs
	Version string

	// Completions offer values of arguments, by their names in uses, such as GRID.
	Completions map[string]cobra.CompletionFunc

	logging logging
	config  string
	abort   context.CancelCauseFunc
}

// BeforeCommands is called before any work if external commands are allowed: they must not see
// credentials in the environment.
func (b *Base) BeforeCommands(allowed bool) {
	if !allowed || b.Hide == nil {
		return
	}
	if err := b.Hide(); err != nil {
		b.Log.Warn("commands can read this process's environment in /proc: " + err.Error())
	}
}

// Abort ends the running command with its own error.
func (b *Base) Abort(err error) { b.abort(&abortion{err}) }

type abortion struct{ error }

// New gives root the common flags, and makes flags not on the command line take their values from
// the environment or the config file. Call it before adding commands.
func New(root *cobra.Command, streams Streams) *Base {
	b := &Base{Streams: streams, Version: version(), Log: slog.New(slog.DiscardHandler)}
	root.Version = b.Version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	flags := root.PersistentFlags()
	Path(flags, &b.config, configFlag, "YAML `file` with values for flags, by their names")
	b.logging.addTo(flags)
	b.NATS.program = root.Name()
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Name() == cobra.ShellCompRequestCmd { // it has no flags of its own
			return nil
		}
		if err := b.fillFlags(cmd); err != nil {
			return Refuse(err)
		}
		b.Log = b.logging.logger(b.Err)
		return nil
	}
	return b
}

// Execute runs the command that args name and returns the exit status. Errors go to Err.
func (b *Base) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	if args == nil {
		args = []string{} // nil would be the process's own
	}
	root.SetArgs(args)
	b.complete(root)
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b.abort = cancel
	cmd, err := root.ExecuteContextC(running)
	if cause := new(abortion); errors.As(context.Cause(running), &cause) {
		err = cause.error
	}
	code, message := status(err, ctx.Err() != nil)
	if message == "" {
		return code
	}
	if b.logging.isJSON() {
		b.Log.Error(message, "command", cmd.CommandPath(), "exit", code)
		return code
	}
	separator := " "
	if strings.Contains(message, "\n") {
		separator = "\n"
	}
	fmt.Fprintf(b.Err, "%s:%s%s\n", cmd.CommandPath(), separator, strings.TrimRight(message, "\n"))
	return code
}
