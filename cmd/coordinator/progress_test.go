package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
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

// TestProgress wants a report that takes long to say what it is at, on a terminal
// and in the log, and one that does not to say nothing.
func TestProgress(t *testing.T) {
	t.Parallel()
	failure := errors.New("no cells")
	for _, onLine := range []bool{true, false} {
		said := make(lines, 1000)
		r := newProgress(&command.Base{Streams: command.Streams{Err: said}, Log: slog.New(slog.NewTextHandler(said, nil))}, "report")
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
		made, err := during(r, func(begin func(analysis.Step)) (*report.Report, error) {
			begin(analysis.Step{What: "reading the cells"})
			await("reading the cells")
			begin(analysis.Step{What: "drawing figures", At: 2, Of: 7})
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
		if _, err := during(r, func(begin func(analysis.Step)) (*report.Report, error) {
			begin(analysis.Step{What: "reading the cells"})
			return nil, nil
		}); err != nil || len(said) > 0 {
			t.Errorf("a short report says %d things, error %v", len(said), err)
		}
	}
}

// TestProgressPauses wants nothing to be said while there is no step, and the line of a
// terminal to be free then.
func TestProgressPauses(t *testing.T) {
	t.Parallel()
	said := make(lines, 10)
	r := newProgress(&command.Base{Streams: command.Streams{Err: said}, Log: slog.New(slog.DiscardHandler)}, "report")
	r.what, r.onLine, r.first, r.every = "run", true, 0, time.Minute
	for _, want := range []string{clearLine + "run: reading the folder", clearLine + "run: sorting the files"} {
		if wait := r.look(); wait != r.first {
			t.Errorf("without a step it looks again after %v", wait)
		}
		r.begin(analysis.Step{What: strings.TrimPrefix(want, clearLine+"run: ")})
		if wait := r.look(); wait != time.Minute {
			t.Errorf("with a step it looks again after %v", wait)
		}
		r.begin(analysis.Step{})
		if first, second := <-said, <-said; first != want || second != clearLine || len(said) > 0 {
			t.Errorf("it says %q, %q and %d more", first, second, len(said))
		}
	}
}

// TestProgressCells wants the cells of a run to be shown from the first one on, how they
// ended once, and the line of a terminal to be free for a warning.
func TestProgressCells(t *testing.T) {
	t.Parallel()
	said := make(lines, 20)
	p := newProgress(&command.Base{Streams: command.Streams{Err: said}, Log: slog.New(slog.NewTextHandler(said, nil))}, "run-1")
	heard := func(want ...string) {
		t.Helper()
		for _, want := range want {
			if len(said) == 0 {
				t.Fatalf("nothing says %q", want)
			}
			if text := <-said; !strings.Contains(text, want) {
				t.Errorf("it says %q, want %q", text, want)
			}
		}
		if len(said) > 0 {
			t.Errorf("it also says %q", <-said)
		}
	}
	p.compute(run.Progress{Total: 40, Remaining: -1})
	heard("msg=computing run=run-1 done=0 cells=40")
	p.compute(run.Progress{Total: 40, Done: 20, Counts: run.Counts{Statuses: map[experiment.Status]int64{experiment.Failed: 2}}, Remaining: 90 * time.Second})
	heard() // but at the level of debugging
	p.look()
	heard() // nor before it is time
	p.every = 0
	p.look()
	heard("msg=progress run=run-1 done=20 cells=40 incomplete=0 failed=2 elapsed=0s remaining=1m30s")
	slow := func(since time.Duration) []queue.Running {
		return []queue.Running{{Cell: "01ab", What: "GAGA: diabetes, repeat 3", Since: time.Now().Add(-since)}, {Cell: "brief", Since: time.Now()}}
	}
	p.compute(run.Progress{Total: 40, Done: 20, Remaining: -1, Longest: slow(130 * time.Second)})
	p.look()
	heard(`elapsed=0s longest="GAGA: diabetes, repeat 3 (cell 01ab), 2m10s"` + "\n")
	p.begin(analysis.Step{What: "sorting the files"})
	heard("msg=ended run=run-1 done=20")

	p.onLine = true
	p.compute(run.Progress{Total: 40, Done: 20, Counts: run.Counts{Statuses: map[experiment.Status]int64{experiment.Failed: 2}}, Remaining: 90 * time.Second})
	bar := strings.Repeat("█", barWidth/2) + strings.Repeat("░", barWidth/2)
	heard(clearLine + "run-1: " + bar + " 20 of 40 cells, 2 failed, " + humanTime(90) + " left")
	p.compute(run.Progress{Total: 40, Done: 20, Remaining: -1, Longest: slow(130 * time.Second)})
	p.look()
	heard(clearLine + "run-1: " + bar + " 20 of 40 cells; longest: GAGA: diabetes, repeat 3 (cell 01ab), 2m10s")
	p.warn(errors.New("a worker vanished"))
	heard(clearLine, "a worker vanished")
	p.begin(analysis.Step{What: "sorting the files"})
	heard("20 of 40 cells", "\n")
}
