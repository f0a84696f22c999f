package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// choice is a flag that holds one of a few words.
type choice struct {
	value   *string
	allowed []string
}

// Choice adds a flag that takes one of the allowed words.
func Choice(flags *pflag.FlagSet, value *string, name, standard, usage string, allowed ...string) {
	*value = standard
	flags.Var(&choice{value, allowed}, name, usage+": "+strings.Join(allowed, ", "))
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return "string" }

func (c *choice) Set(text string) error {
	if !slices.Contains(c.allowed, text) {
		return fmt.Errorf("%q is not allowed; allowed are %s", text, strings.Join(c.allowed, ", "))
	}
	*c.value = text
	return nil
}

// count is a flag that holds a whole number.
type count struct {
	value     *int
	low, high int
}

// Count adds a flag that takes a whole number from low to high.
func Count(flags *pflag.FlagSet, value *int, name string, standard, low, high int, usage string) {
	*value = standard
	flags.Var(&count{value, low, high}, name, usage)
}

func (c *count) String() string { return strconv.Itoa(*c.value) }
func (c *count) Type() string   { return "int" }

func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < c.low || n > c.high {
		return fmt.Errorf("%q is not allowed; a whole number from %d to %d is", text, c.low, c.high)
	}
	*c.value = n
	return nil
}

// list is a flag that holds several values, with commas or the flag repeated.
type list[T any] struct {
	values *[]T
	parse  func(string) (T, error)
	texts  []string
}

// List adds a flag that takes a list with commas. parse reads one value; its
// error says what is allowed.
func List[T any](flags *pflag.FlagSet, values *[]T, name, usage string, parse func(string) (T, error)) {
	flags.Var(&list[T]{values: values, parse: parse}, name, usage)
}

func (l *list[T]) String() string { return strings.Join(l.texts, ",") }
func (l *list[T]) Type() string   { return "list" }

// Set adds the values of a text.
func (l *list[T]) Set(text string) error {
	for _, part := range strings.Split(text, ",") {
		if err := l.Append(part); err != nil {
			return err
		}
	}
	return nil
}

// Append implements [pflag.SliceValue].
func (l *list[T]) Append(text string) error {
	text = strings.TrimSpace(text)
	value, err := l.parse(text)
	if err != nil {
		return err
	}
	if !slices.Contains(l.texts, text) {
		l.texts = append(l.texts, text)
		*l.values = append(*l.values, value)
	}
	return nil
}

// Replace implements [pflag.SliceValue].
func (l *list[T]) Replace(texts []string) error {
	l.texts, *l.values = nil, nil
	for _, text := range texts {
		if err := l.Append(text); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice implements [pflag.SliceValue].
func (l *list[T]) GetSlice() []string { return l.texts }

// forever is the value of a flag that holds a time without an end.
const forever = "forever"

// wait is a flag that holds how long something is waited for.
type wait struct{ value *time.Duration }

// Wait adds a flag that takes a time from 0, or forever ([queue.Forever]).
func Wait(flags *pflag.FlagSet, value *time.Duration, name string, standard time.Duration, usage string) {
	*value = standard
	flags.Var(&wait{value}, name, usage)
}

func (w *wait) String() string {
	if *w.value == queue.Forever {
		return forever
	}
	return w.value.String()
}

func (w *wait) Type() string { return "duration" }

func (w *wait) Set(text string) error {
	if text == forever {
		*w.value = queue.Forever
		return nil
	}
	value, err := time.ParseDuration(text)
	if err != nil || value < 0 {
		return fmt.Errorf("%q is not allowed; a time from 0s, such as 90s or 10m, or %s is", text, forever)
	}
	*w.value = value
	return nil
}

// bytesFlag is a flag that holds an amount of bytes.
type bytesFlag struct {
	value *int64
	text  string
}

// Bytes adds a flag that takes an amount of bytes with its unit. standard is
// one too.
func Bytes(flags *pflag.FlagSet, value *int64, name, standard, usage string) {
	b := &bytesFlag{value: value}
	if err := b.Set(standard); err != nil {
		panic(fmt.Sprintf("default of --%s: %v", name, err))
	}
	flags.Var(b, name, usage)
}

func (b *bytesFlag) String() string { return b.text }
func (b *bytesFlag) Type() string   { return "bytes" }

func (b *bytesFlag) Set(text string) error {
	amount, ok := experiment.ParseBytes(text)
	if !ok {
		return fmt.Errorf("%q is not allowed; %s is", text, experiment.BytesAllowed)
	}
	*b.value, b.text = amount, text
	return nil
}
