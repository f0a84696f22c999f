package queue

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/fxamacker/cbor/v2"
	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/experiment"
)

// Messages are CBOR in the core deterministic encoding of RFC 8949: equal outcomes have equal
// bytes. Times are UTC with nanoseconds.
var (
	encMode = must(func() (cbor.EncMode, error) {
		options := cbor.CoreDetEncOptions()
		options.Time = cbor.TimeRFC3339NanoUTC
		return options.EncMode()
	}())
	decMode = must(cbor.DecOptions{
		MaxArrayElements: math.MaxInt32, // the library's 131,072 are fewer rows than a long path has
		MaxMapPairs:      1 << 16,
		MaxNestedLevels:  16, // an outcome has 7
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
	}.DecMode())
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func encodeTask(task *experiment.Task) ([]byte, error) {
	if err := validText("labels", &task.Labels); err != nil {
		return nil, err
	}
	return encMode.Marshal(task)
}

// DecodeTask reads a task as [Queue.Publish] sent it.
func DecodeTask(data []byte) (*experiment.Task, error) {
	task := new(experiment.Task)
	if err := unmarshal(data, task); err != nil {
		return nil, fmt.Errorf("decoding task of %d bytes: %w", len(data), err)
	}
	return task, nil
}

// EncodeOutcome refuses text that is not UTF-8, which no reader accepts, except in the error, which
// must arrive.
func EncodeOutcome(outcome *experiment.Outcome) ([]byte, error) {
	if err := cmp.Or(validText("labels", &outcome.Labels), validText("measures", &outcome.Measures)); err != nil {
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
	return encMode.Marshal(outcome)
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

// DecodeOutcome reads the output of [EncodeOutcome].
func DecodeOutcome(data []byte) (*experiment.Outcome, error) {
	outcome := new(experiment.Outcome)
	return decodeInto(data, outcome, outcome)
}

// ending is an outcome decoded without further rows, which take most of the time.
type ending struct {
	experiment.Outcome
	Further skipped `cbor:"9,keyasint"`
}

type skipped struct{}

// UnmarshalCBOR implements [cbor.Unmarshaler].
func (*skipped) UnmarshalCBOR([]byte) error { return nil }

// endingOf reads only the message of an outcome in the Object Store, see [results.small]: anyone who
// may store there decides its size.
func endingOf(subject string, header nats.Header, data []byte) (*experiment.Outcome, error) {
	if len(data) > 0 || header.Get(objectHeader) == "" {
		return decodeEnding(data)
	}
	return &experiment.Outcome{
		Run: runOf(subject), Cell: cellOf(subject), Status: experiment.Status(header.Get(statusHeader)), Short: resultShort(header),
	}, nil
}

func decodeEnding(data []byte) (*experiment.Outcome, error) {
	e := new(ending)
	return decodeInto(data, e, &e.Outcome)
}

// decodeInto decodes value, which is or holds the outcome. It refuses years outside JSON and RFC 3339.
func decodeInto(data []byte, value any, outcome *experiment.Outcome) (*experiment.Outcome, error) {
	err := unmarshal(data, value)
	for _, t := range []time.Time{outcome.Started, outcome.Finished} {
		if year := t.UTC().Year(); err == nil && (year < 0 || year > 9999) {
			err = fmt.Errorf("a time in the year %d; allowed are 0 to 9999", year)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("decoding outcome of %d bytes: %w", len(data), err)
	}
	return outcome, nil
}

func unmarshal(data []byte, value any) error {
	if err := checkRoom(data); err != nil {
		return err
	}
	return decMode.Unmarshal(data, value)
}

// roomFor bounds the memory of decoding size bytes: eight each, as for a list of small numbers,
// plus the columns of a row.
func roomFor(size int) int { return 64<<10 + 8*size }

// The major types of CBOR items (RFC 8949, section 3.1) with a body.
const (
	majorBytes = 2
	majorText  = 3
	majorArray = 4
	majorMap   = 5
)

// checkRoom refuses a message, by the heads of its items, whose decoding would exceed roomFor. The
// library bounds lengths by the message, but an empty column of one byte becomes an
// [experiment.Vector] of over a hundred.
func checkRoom(data []byte) error {
	const column = int(unsafe.Sizeof(experiment.Vector{}))
	room := roomFor(len(data))
	for rest := data; len(rest) > 0; {
		major, n := rest[0]>>5, uint64(rest[0]&0x1f)
		rest = rest[1:]
		if n >= 24 { // argument in 1, 2, 4 or 8 bytes
			size := 1 << (n - 24)
			if n > 27 || len(rest) < size {
				return errUnbounded
			}
			var argument [8]byte
			copy(argument[8-size:], rest)
			n, rest = binary.BigEndian.Uint64(argument[:]), rest[size:]
		}
		switch major {
		case majorBytes, majorText:
			if n > uint64(len(rest)) {
				return errUnbounded
			}
			rest = rest[n:]
			room -= 16
		case majorArray:
			room -= 24
		case majorMap:
			room -= 2 * column
		default:
			room -= 8
		}
		if room < 0 {
			return fmt.Errorf("it takes more than %d bytes of memory", roomFor(len(data)))
		}
	}
	return nil
}

var errUnbounded = errors.New("an item is longer than the message, or of indefinite length")
