package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// quarantineMessages and quarantineBytes bound the quarantine of all runs, which drops the
	// oldest.
	quarantineMessages = 10_000
	quarantineBytes    = 64 << 20
	// quarantineHead bounds what is kept of a message, reasonBytes of the reason.
	quarantineHead = 4 << 10
	reasonBytes    = 1 << 10
)

// Headers of quarantined messages and dead letters.
const (
	subjectHeader    = "Agepath-Subject"
	sizeHeader       = "Agepath-Size"
	reasonHeader     = "Agepath-Reason"
	timeHeader       = "Agepath-Time"
	workerHeader     = "Agepath-Worker"
	deliveriesHeader = "Agepath-Deliveries"
)

// QuarantinedError says that a message about a cell was moved to the quarantine.
type QuarantinedError struct {
	Run, Cell string
	Err       error
}

func (e *QuarantinedError) Error() string {
	return fmt.Sprintf("run %s, cell %s: the message is quarantined: %v", e.Run, printable(e.Cell, maxName), e.Err)
}

func (e *QuarantinedError) Unwrap() error { return e.Err }

// unfit is a fault of the message, unlike an error in reading it.
type unfit struct{ err error }

func (e *unfit) Error() string { return e.err.Error() }
func (e *unfit) Unwrap() error { return e.err }

func unfitf(format string, args ...any) error { return &unfit{fmt.Errorf(format, args...)} }

func asUnfit(err error) error {
	if err == nil {
		return nil
	}
	return &unfit{err}
}

// Quarantined is a message in the quarantine.
type Quarantined struct {
	Subject string // original subject
	Reason  string
	Time    time.Time
}

// quarantine moves a result to the quarantine. It is idempotent.
func (q *Queue) quarantine(ctx context.Context, from jetstream.Msg, reason error) error {
	meta, err := from.Metadata()
	if err != nil {
		return err
	}
	subject, data, sequence := from.Subject(), from.Data(), meta.Sequence.Stream
	run, cell := runOf(subject), cellOf(subject)
	place := cell
	if ValidName(cell) != nil {
		place = "-"
	}
	msg := nats.NewMsg(quarantineTopic.cell(run, place))
	msg.Data = data[:min(len(data), quarantineHead)]
	msg.Header[subjectHeader] = []string{printable(subject, reasonBytes)}
	msg.Header[reasonHeader] = []string{printable(reason.Error(), reasonBytes)}
	msg.Header[timeHeader] = []string{time.Now().UTC().Format(time.RFC3339Nano)}
	msg.Header[sizeHeader] = []string{strconv.Itoa(len(data))}
	msg.Header[nats.MsgIdHdr] = []string{fmt.Sprintf("%s %d", resultsStream, sequence)} // two readers can find it
	if err := q.store(ctx, "quarantining "+subject, quarantineStream, msg); err != nil {
		return err
	}
	return q.remove(ctx, resultsStream, subject, sequence)
}

// remove does not purge the subject: readers of the stream would miss others (seen with nats-server
// 2.9.10). It reads the message first, since servers of a cluster can disagree about sequences.
func (c *connection) remove(ctx context.Context, name, subject string, sequence uint64) error {
	return c.onStream(ctx, requestWait, "removing "+subject, name, func(ctx context.Context, stream jetstream.Stream) error {
		msg, err := stream.GetMsg(ctx, sequence)
		if err == nil && msg.Subject == subject {
			err = stream.DeleteMsg(ctx, sequence)
		}
		if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
			return nil // replaced or removed meanwhile
		}
		return err
	})
}

// Quarantined returns the quarantined messages of a run, oldest first. An error ends the sequence.
func (q *Queue) Quarantined(ctx context.Context, run string) iter.Seq2[*Quarantined, error] {
	source := q.reader("reading the quarantine", quarantineStream, quarantineTopic, run)
	source.optional = true
	return values(source.messages(ctx), func(msg jetstream.Msg) (*Quarantined, error) {
		header := msg.Headers()
		found := &Quarantined{Subject: printable(header.Get(subjectHeader), reasonBytes), Reason: printable(header.Get(reasonHeader), reasonBytes)}
		found.Time, _ = time.Parse(time.RFC3339Nano, header.Get(timeHeader))
		return found, nil
	})
}

// printable limits text to a number of bytes that are safe for terminals and headers.
func printable(text string, most int) string {
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.Map(func(c rune) rune {
		if c == utf8.RuneError || !unicode.IsPrint(c) {
			return '\uFFFD'
		}
		return c
	}, strings.ReplaceAll(text, "\n", " "))
}
