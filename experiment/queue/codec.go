package queue

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"

	"github.com/agepath/agepath/experiment"
)

// Tasks and outcomes travel as CBOR in the core deterministic encoding of RFC
// 8949: the same outcome is the same bytes. Times keep nanoseconds and are UTC.
// That form is written and read by [canonicalWriter] and [canonicalReader]; what
// these do not take, of another version or damaged, goes to the library.
var (
	encMode = must(func() (cbor.EncMode, error) {
		options := cbor.CoreDetEncOptions()
		options.Time = cbor.TimeRFC3339NanoUTC
		return options.EncMode()
	}())
	decMode = must(cbor.DecOptions{
		MaxArrayElements: math.MaxInt32, // the library's 131,072 are fewer rows than a long path has
		MaxMapPairs:      1 << 16,
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
	}.DecMode())
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err) // only constants go in
	}
	return value
}

// encodeTask refuses labels that are not UTF-8, like [EncodeOutcome].
func encodeTask(task *experiment.Task) ([]byte, error) {
	if err := validText("labels", &task.Labels); err != nil {
		return nil, err
	}
	w := canonicalWriter{make([]byte, 0, 1024)}
	w.task(task)
	return w.out, nil
}

// DecodeTask reads a task as [Queue.Publish] sent it.
func DecodeTask(data []byte) (*experiment.Task, error) {
	task := new(experiment.Task)
	r := reading(data)
	if r.task(task); r.whole() {
		return task, nil
	}
	*task = experiment.Task{}
	if err := unmarshal(data, task); err != nil {
		return nil, fmt.Errorf("decoding task of %d bytes: %w", len(data), err)
	}
	return task, nil
}

// EncodeOutcome returns an outcome as it travels. It refuses text that is not
// UTF-8, which no reader would take, except in the error: what went wrong must
// arrive in any case.
func EncodeOutcome(outcome *experiment.Outcome) ([]byte, error) {
	if err := validText("labels", &outcome.Labels); err != nil {
		return nil, err
	}
	if err := validText("measures", &outcome.Measures); err != nil {
		return nil, err
	}
	for name, batch := range outcome.Further {
		if err := validText(name, &batch); err != nil {
			return nil, err
		}
	}
	if !utf8.ValidString(outcome.Error) {
		clean := *outcome
		clean.Error = strings.ToValidUTF8(outcome.Error, "\uFFFD")
		outcome = &clean
	}
	if !canFormat(outcome.Started) || !canFormat(outcome.Finished) {
		return encMode.Marshal(outcome)
	}
	w := canonicalWriter{make([]byte, 0, 1024)}
	w.outcome(outcome)
	return w.out, nil
}

func validText(table string, batch *experiment.Batch) error {
	for j := range batch.Columns {
		for row, text := range batch.Columns[j].Texts {
			if !utf8.ValidString(text) {
				return fmt.Errorf("%s, column %d, row %d: text %q is not UTF-8", table, j, row, text)
			}
		}
	}
	return nil
}

// DecodeOutcome reads what [EncodeOutcome] made.
func DecodeOutcome(data []byte) (*experiment.Outcome, error) { return decodeOutcome(data, true) }

// decodeOutcome reads an outcome, without rows without what was computed, which
// takes most of the time.
func decodeOutcome(data []byte, rows bool) (*experiment.Outcome, error) {
	outcome := new(experiment.Outcome)
	r := reading(data)
	if r.outcome(outcome, rows); r.whole() {
		return outcome, nil
	}
	*outcome = experiment.Outcome{}
	if err := unmarshal(data, outcome); err != nil {
		return nil, fmt.Errorf("decoding outcome of %d bytes: %w", len(data), err)
	}
	if !rows {
		outcome = withoutRows(outcome)
	}
	return outcome, nil
}

// unmarshal decodes by the library what takes no more than roomFor has for it,
// by the heads of its items.
func unmarshal(data []byte, value any) error {
	r := reading(data)
	for len(r.in) > 0 {
		switch major, n := r.head(); major {
		case majorText, majorBytes:
			if n > uint64(len(r.in)) {
				r.fail()
				break
			}
			r.take(int(n))
			r.takes(1, 16)
		case majorArray:
			r.takes(1, 24)
		case majorMap:
			r.takes(1, 2*vectorBytes)
		default:
			r.takes(1, 8)
		}
	}
	if r.room < 0 {
		return fmt.Errorf("it takes more than %d bytes of memory", roomFor(len(data)))
	}
	if r.failed {
		return errors.New("an item is longer than the message, or of indefinite length")
	}
	return decMode.Unmarshal(data, value)
}
