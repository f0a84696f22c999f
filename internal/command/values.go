package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/disk"
)

// value is a flag whose parse error says what is allowed.
type value[T any] struct {
	place      *T
	kind, text string
	parse      func(text string) (T, error)
	words      []string // allowed texts, nil for any
}

func (v *value[T]) String() string    { return v.text }
func (v *value[T]) Type() string      { return v.kind }
func (v *value[T]) allowed() []string { return v.words }

func (v *value[T]) Set(text string) error {
	x, err := v.parse(text)
	if err == nil {
		*v.place, v.text = x, text
	}
	return err
}

func add[T any](
	flags *pflag.FlagSet, place *T, name, kind, standard, usage string, parse func(text string) (T, error), words ...string,
) {
	v := &value[T]{place: place, kind: kind, parse: parse, words: words}
	if err := v.Set(standard); err != nil {
		panic(fmt.Sprintf("default of --%s: %v", name, err))
	}
	flags.Var(v, name, usage)
}

// Path adds a flag for a path, see [disk.InHome].
func Path(flags *pflag.FlagSet, place *string, name, usage string) {
	add(flags, place, name, "string", "", usage, disk.InHome)
}

// CellsFolder returns the folder for the data sets of cells, next to that of downloads, or for "" a
// temporary one, which remove deletes.
func CellsFolder(downloads string) (dir string, remove func() error, err error) {
	if downloads == "" {
		return disk.TemporaryFolder("agepath-cells-")
	}
	return filepath.Join(filepath.Dir(downloads), "cells"), func() error { return nil }, nil
}

// Fraction adds a flag for a number below 1 and above 0, or from 0 if zero is allowed.
func Fraction(flags *pflag.FlagSet, place *float64, name string, standard float64, zero bool, usage string) {
	least := "above 0"
	if zero {
		least = "of at least 0"
	}
	add(flags, place, name, "float", strconv.FormatFloat(standard, 'g', -1, 64), usage, func(text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x > 0 && x < 1) && !(zero && x == 0) {
			return 0, fmt.Errorf("%q is not allowed; use a number %s and below 1, such as %v", text, least, standard)
		}
		return x, nil
	})
}

// Choice adds a flag for one of the allowed words.
func Choice(flags *pflag.FlagSet, place *string, name, standard, usage string, allowed ...string) {
	words := strings.Join(allowed, ", ")
	add(flags, place, name, "string", standard, usage+": "+words, func(text string) (string, error) {
		if !slices.Contains(allowed, text) {
			return "", fmt.Errorf("%q is not allowed; allowed are %s", text, words)
		}
		return text, nil
	}, allowed...)
}

// Count adds a flag for a whole number from low to high.
func Count(flags *pflag.FlagSet, place *int, name string, standard, low, high int, usage string) {
	add(flags, place, name, "int", strconv.Itoa(standard), usage, func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return 0, fmt.Errorf("%q is not allowed; a whole number from %d to %d is", text, low, high)
		}
		return n, nil
	})
}

const forever = "forever"

// Wait adds a flag for a time from 0, or forever ([queue.Forever]).
func Wait(flags *pflag.FlagSet, place *time.Duration, name string, standard time.Duration, usage string) {
	text := standard.String()
	if standard == queue.Forever {
		text = forever
	}
	add(flags, place, name, "duration", text, usage, func(text string) (time.Duration, error) {
		if text == forever {
			return queue.Forever, nil
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return 0, fmt.Errorf("%q is not allowed; a time from 0s, such as 90s or 10m, or %s is", text, forever)
		}
		return d, nil
	})
}

// Moment adds a flag for a moment, see [ParseMoment].
func Moment(flags *pflag.FlagSet, place *time.Time, name, usage string) {
	flags.Var(&value[time.Time]{place: place, kind: "time", parse: ParseMoment}, name, usage)
}

// ParseMoment reads a moment as Slurm writes it, in local time without a zone.
func ParseMoment(text string) (time.Time, error) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 0 {
		return time.Unix(seconds, 0), nil
	}
	if moment, err := time.Parse(time.RFC3339, text); err == nil {
		return moment, nil
	}
	moment, err := time.ParseInLocation("2006-01-02T15:04:05", text, time.Local)
	if err != nil {
		return moment, fmt.Errorf("%q is not allowed; seconds since 1970, or a time such as 2026-01-31T18:00:00, with or without its zone, is", text)
	}
	return moment, nil
}

// Bytes adds a flag for an amount with a unit, as in standard.
func Bytes(flags *pflag.FlagSet, place *int64, name, standard, usage string) {
	add(flags, place, name, "bytes", standard, usage, func(text string) (int64, error) {
		amount, ok := experiment.ParseBytes(text)
		if !ok {
			return 0, fmt.Errorf("%q is not allowed; %s is", text, experiment.BytesAllowed)
		}
		return amount, nil
	})
}

// list is a flag for several values, by commas or repetition.
type list[T any] struct {
	values *[]T
	parse  func(string) (T, error)
	words  []string
	texts  []string
}

// List adds a flag for several of the words. The error of parse says what is allowed.
func List[T any](flags *pflag.FlagSet, values *[]T, name, usage string, words []string, parse func(string) (T, error)) {
	flags.Var(&list[T]{values: values, parse: parse, words: words}, name, usage)
}

func (l *list[T]) String() string    { return strings.Join(l.texts, ",") }
func (l *list[T]) Type() string      { return "list" }
func (l *list[T]) allowed() []string { return l.words }

func (l *list[T]) Set(text string) error { return l.add(strings.Split(text, ",")) }

func (l *list[T]) Append(text string) error { return l.add([]string{text}) }

func (l *list[T]) Replace(texts []string) error {
	l.texts, *l.values = nil, nil
	return l.add(texts)
}

func (l *list[T]) GetSlice() []string { return l.texts }

func (l *list[T]) add(texts []string) error {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		value, err := l.parse(text)
		if err != nil {
			return err
		}
		if !slices.Contains(l.texts, text) {
			l.texts = append(l.texts, text)
			*l.values = append(*l.values, value)
		}
	}
	return nil
}

// AllowCommands adds the flag --allow-commands.
func AllowCommands(flags *pflag.FlagSet, value *bool) {
	flags.BoolVar(value, "allow-commands", false,
		"run methods that are commands; anyone who can publish tasks can then run programs on this machine")
}
