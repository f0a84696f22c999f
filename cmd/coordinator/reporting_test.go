package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

// lines sends what is written to a channel.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// TestReporting wants a report that takes long to say what it is at, on a terminal
// and in the log, and one that does not to say nothing.
func TestReporting(t *testing.T) {
	t.Parallel()
	failure := errors.New("no cells")
	for _, onLine := range []bool{true, false} {
		said := make(lines, 1000)
		r := newReporting(&command.Base{Streams: command.Streams{Err: said}, Log: slog.New(slog.NewTextHandler(said, nil))}, "report")
		if r.onLine || r.first != time.Second || r.every != logEvery {
			t.Errorf("off a terminal: %+v", r)
		}
		r.onLine, r.first, r.every = onLine, time.Millisecond, time.Millisecond
		await := func(want string) {
			t.Helper()
			for {
				select {
				case text := <-said:
					if strings.Contains(text, want) {
						return
					}
				case <-t.Context().Done():
					t.Fatalf("nothing says %q", want)
				}
			}
		}
		made, err := during(r, func(tell func(analysis.Step)) (*report.Report, error) {
			tell(analysis.Step{What: "reading the cells"})
			await("reading the cells")
			tell(analysis.Step{What: "drawing figures", At: 2, Of: 7})
			await("2 of 7")
			return nil, failure
		})
		if made != nil || !errors.Is(err, failure) {
			t.Errorf("what was made: %v, %v", made, err)
		}
		last := ""
		for len(said) > 0 {
			last = <-said
		}
		if onLine != (last == clearLine) {
			t.Errorf("on a line: %v; the last word is %q", onLine, last)
		}

		r.first = time.Hour
		if _, err := during(r, func(tell func(analysis.Step)) (*report.Report, error) {
			tell(analysis.Step{What: "reading the cells"})
			return nil, nil
		}); err != nil || len(said) > 0 {
			t.Errorf("a short report says %d things, error %v", len(said), err)
		}
	}
}

// TestReportingPauses wants nothing to be said while there is no step, and the line of a
// terminal to be free then.
func TestReportingPauses(t *testing.T) {
	t.Parallel()
	said := make(lines, 10)
	r := newReporting(&command.Base{Streams: command.Streams{Err: said}, Log: slog.New(slog.DiscardHandler)}, "report")
	r.what, r.onLine, r.first, r.every = "run", true, 0, time.Minute
	for _, want := range []string{clearLine + "run: reading the folder", clearLine + "run: sorting the files"} {
		if wait := r.look(); wait != r.first {
			t.Errorf("without a step it looks again after %v", wait)
		}
		r.begins(analysis.Step{What: strings.TrimPrefix(want, clearLine+"run: ")})
		if wait := r.look(); wait != time.Minute {
			t.Errorf("with a step it looks again after %v", wait)
		}
		r.begins(analysis.Step{})
		if first, second := <-said, <-said; first != want || second != clearLine || len(said) > 0 {
			t.Errorf("it says %q, %q and %d more", first, second, len(said))
		}
	}
}
