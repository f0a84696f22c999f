package command

import (
	"errors"
	"fmt"
)

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
