package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
)

// Main runs a program and exits with its status. The first SIGINT or SIGTERM ends the context, so
// that the program keeps what it has; the second ends the process, as does [signalWait]. A process of [SlotProcess]
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
	os.Exit(execute(ctx, os.Args[1:], calledAs(os.Args[0], System())))
}

// wheelNames are what a wheel calls the programs, since its commands are everybody's.
var wheelNames = strings.NewReplacer("coordinator", "agepath", "worker", "agepath-worker")

// calledAs returns streams on which commands to type, in backticks or indented, have the programs'
// names in the wheel if this program was called by one of them.
func calledAs(program string, streams Streams) Streams {
	if name := strings.TrimSuffix(filepath.Base(program), ".exe"); name == "agepath" || name == "agepath-worker" {
		streams.Out, streams.Err = renaming{os.Stdout}, renaming{os.Stderr}
	}
	return streams
}

type renaming struct{ file *os.File }

func (r renaming) Fd() uintptr { return r.file.Fd() } // for [IsTerminal]

var commandsToType = regexp.MustCompile("(?m)(^  +|`)(coordinator|worker) ")

func (r renaming) Write(text []byte) (int, error) {
	_, err := r.file.Write(commandsToType.ReplaceAllFunc(text, func(found []byte) []byte { return []byte(wheelNames.Replace(string(found))) }))
	return len(text), err
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
			_, err := fmt.Fprintf(b.Out, "%s %s\ncommit %s\n%s %s\n", root.Name(), b.Version, commit, runtime.Version(), experiment.Platform())
			return err
		})
}

// The exit statuses of the programs.
const (
	ExitDone        = 0   // everything asked for was done
	ExitFailed      = 1   // failed cells, or an error on the way
	ExitRefused     = 2   // bad usage or a bad grid: nothing was started
	ExitInterrupted = 130 // by a signal
)

// Refusal is an error after which nothing was started.
type Refusal struct{ Err error }

func (e *Refusal) Error() string { return e.Err.Error() }

func (e *Refusal) Unwrap() error { return e.Err }

// Refuse wraps an error in a [*Refusal]; nil stays nil.
func Refuse(err error) error {
	if err == nil {
		return nil
	}
	return &Refusal{err}
}

// Refusef makes a [*Refusal].
func Refusef(format string, args ...any) error { return &Refusal{fmt.Errorf(format, args...)} }

// Interruption is the message of a command ended by a signal, after which other errors are not
// shown.
type Interruption struct{ Text string }

func (e *Interruption) Error() string { return e.Text }

func status(err error, interrupted bool) (code int, message string) {
	var refusal *Refusal
	var interruption *Interruption
	switch {
	case err == nil:
		return ExitDone, ""
	case errors.As(err, &interruption):
		return ExitInterrupted, interruption.Text
	case interrupted:
		return ExitInterrupted, "interrupted"
	case errors.As(err, &refusal):
		return ExitRefused, err.Error()
	}
	return ExitFailed, err.Error()
}
