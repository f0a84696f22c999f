// Package command has what the coordinator and the worker share as programs: sources of flag
// values, logs, signals, exit statuses, and the connection to NATS.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
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

	// Filled are the flags whose values the environment or the config file set.
	Filled map[string]bool

	logging logging
	config  string
	abort   context.CancelCauseFunc
	grace   atomic.Int64   // see [Base.Grace]
	exit    func(code int) // [os.Exit] except in tests
}

// signalWait is how long a command may take to end after a signal: a disk or a server that does not
// answer would hold it up for ever.
const signalWait = 30 * time.Second

// Grace adds to what the running command may take to end after a signal.
func (b *Base) Grace(more time.Duration) { b.grace.Store(int64(more)) }

func (b *Base) endAfterSignal(ended <-chan struct{}) {
	select {
	case <-ended:
	case <-time.After(signalWait + time.Duration(b.grace.Load())):
		fmt.Fprintln(b.Err, "ended by a signal while a disk or a server did not answer")
		b.exit(ExitInterrupted)
	}
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
	b := &Base{Streams: streams, Version: version(), Log: slog.New(slog.DiscardHandler), Filled: map[string]bool{}, exit: os.Exit}
	b.NATS.program = root.Name()
	if _, ok := streams.Out.(renaming); ok {
		root.Use = wheelNames.Replace(root.Use)
	}
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
	ended := make(chan struct{})
	defer close(ended)
	defer context.AfterFunc(ctx, func() { b.endAfterSignal(ended) })()
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

type logging struct{ level, format string }

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

const jsonFormat = "json"

func (l *logging) addTo(flags *pflag.FlagSet) {
	Choice(flags, &l.level, "log-level", "info", "minimum `level` that is logged", "debug", "info", "warn", "error")
	Choice(flags, &l.format, "log-format", "text", "`format` of the log", "text", jsonFormat)
}

func (l *logging) isJSON() bool { return l.format == jsonFormat }

func (l *logging) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: logLevels[l.level]}
	if l.isJSON() {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}
