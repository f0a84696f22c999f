package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

// TestMonitor follows two runs from their submission to their purge.
func TestMonitor(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.monitor()
	if err := m.Ready(); err == nil {
		t.Error("ready before the first look")
	}
	b.submit("first", 3)
	s := b.await(m, "27 cells are queued", func(s *State) bool { return len(s.Runs) == 1 && s.Runs[0].Queued == 27 })
	if r := s.Runs[0]; r.Phase != Waiting || r.Cells != 27 || r.ETA != nil || r.Reading || len(r.Parts) != 9 || r.Parts[4] != (Part{Dataset: "music", Method: "acs", Label: "ACS", Cells: 3}) {
		t.Errorf("submitted: %+v", r)
	}
	if err := errors.Join(m.Ready(), m.Alive()); err != nil {
		t.Error(err)
	}

	b.compute(8, experiment.OK)
	b.compute(2, experiment.Diverged)
	held := b.pull()
	s = b.await(m, "10 cells are done", func(s *State) bool { return s.Runs[0].OK == 8 && s.Runs[0].Running == 1 })
	r := s.Runs[0]
	if r.Phase != Computing || r.Failed != 2 || r.Statuses[experiment.Diverged] != 2 || len(r.Failures) != 2 || len(r.Slowest) != 10 {
		t.Errorf("computing: %+v", r)
	}
	if first := r.Failures[0]; first.Dataset != "music" || first.Method != "Original" || first.What != "toy, α=0.1, repeat 1" || !strings.Contains(first.Error, "cell 9 ") {
		t.Errorf("newest failure %+v", first)
	}
	if p := r.Parts[0]; p.Done != 3 || p.Failed != 0 || p.Seconds != 1.25 {
		t.Errorf("part %+v", p)
	}
	// Eight cells in a quarter of a second of each of their numbers modulo 7.
	if r.Rate <= 0 || r.ETA == nil || *r.ETA <= 0 || math.IsInf(*r.ETA, 0) {
		t.Errorf("rate %g, time left %v", r.Rate, r.ETA)
	}

	b.submit("second", 1)
	b.await(m, "both runs are there", func(s *State) bool { return len(s.Runs) == 2 && s.Runs[1].Queued == 9 })
	if err := b.Cancel(b.ctx, "first"); err != nil {
		t.Fatal(err)
	}
	b.await(m, "the first run is cancelled", func(s *State) bool {
		return s.Runs[0].Phase == Cancelled && s.Runs[0].OK == 8 && s.Runs[0].Failed == 2 && s.Runs[0].Unqueued == 17
	})
	b.end(held, experiment.OK)
	b.compute(9, experiment.OK)
	s = b.await(m, "the second run is finished", func(s *State) bool { return s.Runs[1].Phase == Finished })
	if r := s.Runs[1]; r.OK != 9 || r.Rate != 0 || r.ETA != nil {
		t.Errorf("finished: %+v", r)
	}
	if err := run.Purge(b.ctx, b.Queue, "first", true); err != nil {
		t.Fatal(err)
	}
	b.await(m, "the purged run is gone", func(s *State) bool { return len(s.Runs) == 1 })
}

// TestStrays has results of cells that the run's list does not have: they are in no number
// but their own.
func TestStrays(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.monitor()
	b.submit("run", 1)
	list := make([]byte, 9*16)
	for i := range 9 {
		list[16*i+15] = byte(i)
	}
	if err := b.PutData(b.ctx, queue.CellsOf("run"), bytes.NewReader(list)); err != nil {
		t.Fatal(err)
	}
	b.compute(8, experiment.OK)
	b.compute(1, experiment.Failed)
	strays := make([]experiment.Task, 50)
	for i := range strays {
		strays[i] = experiment.Task{Run: "run", Cell: fmt.Sprintf("%032x", 100+i), Kind: "toy", Limits: experiment.Limits{Attempts: 1}}
	}
	b.publish(strays...)
	b.compute(25, experiment.OK)
	b.compute(25, experiment.Failed)
	s := b.await(m, "the strays are counted", func(s *State) bool { return len(s.Runs) == 1 && s.Runs[0].Strays == 50 })
	r := s.Runs[0]
	if r.Phase != Finished || r.Cells != 9 || r.OK != 8 || r.Failed != 1 || r.ended() != 9 || len(r.Failures) != 1 || len(r.Slowest) != 9 || r.durations.count != 9 {
		t.Errorf("%+v", r)
	}
	if done := r.Parts[0].Done; len(r.Parts) != 9 || done != 1 {
		t.Errorf("%d parts, %d cells of the first", len(r.Parts), done)
	}
}

// TestReplacedOutcomes puts failed cells back and wants the counts to follow.
func TestReplacedOutcomes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.monitor()
	b.submit("run", 1)
	failed := b.pull()
	b.end(failed, experiment.Failed)
	b.compute(8, experiment.OK)
	b.await(m, "one cell failed", func(s *State) bool { return s.Runs[0].OK == 8 && s.Runs[0].Failed == 1 && !s.Runs[0].Reading })
	b.publish(failed.Task)
	b.compute(1, experiment.OK)
	b.await(m, "the outcome is counted twice", func(*State) bool { return m.runs["run"].shown.tally.total == 10 })
	m.runs["run"].shown.at = time.Now().Add(-time.Hour) // it is not read again too often
	s := b.await(m, "the run was read again", func(s *State) bool { return s.Runs[0].Failed == 0 && !s.Runs[0].Reading })
	if r := s.Runs[0]; r.OK != 9 || r.Statuses[experiment.OK] != 9 || len(r.Failures) != 0 || m.runs["run"].shown.tally.total != 9 {
		t.Errorf("after the retry %+v", r)
	}
}

// TestOutOfReach wants the old state with the reason when the server is gone,
// and a loop that goes on.
func TestOutOfReach(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.monitor()
	b.submit("run", 1)
	b.await(m, "the run is there", func(s *State) bool { return len(s.Runs) == 1 })
	b.Close()
	m.look(b.ctx)
	s := m.State()
	if len(s.Runs) != 1 || s.Trouble == "" {
		t.Errorf("%d runs, trouble %q", len(s.Runs), s.Trouble)
	}
	if err := m.Ready(); err == nil || !strings.Contains(err.Error(), "not connected") {
		t.Errorf("readiness without a server: %v", err)
	}
	if err := m.Alive(); err != nil {
		t.Error(err)
	}
	m.beat.Store(time.Now().Add(-time.Hour).UnixNano())
	if err := m.Alive(); err == nil {
		t.Error("alive after an hour without a sign")
	}
}

// TestNoStreams wants a server that nobody has used to have no runs.
func TestNoStreams(t *testing.T) {
	t.Parallel()
	server := testqueue.Server(t, "")
	q := testqueue.Connect(t, queue.Config{Server: server})
	m := New(Config{Queue: q})
	m.look(t.Context())
	if err := m.Ready(); err != nil || len(m.State().Runs) != 0 {
		t.Errorf("without streams %d runs, readiness %v", len(m.State().Runs), err)
	}
	if err := q.EnsureStreams(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.look(t.Context())
	if err := m.Ready(); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m.look(ended)
	if err := m.Ready(); err != nil {
		t.Errorf("a look that was broken off made it %v", err)
	}
}

func TestDescribeWorkers(t *testing.T) {
	t.Parallel()
	now := time.Now()
	ago := func(s int) time.Time { return now.Add(-time.Duration(s) * time.Second) }
	got := DescribeWorkers([]queue.Presence{
		{Name: "a", State: queue.Working, At: ago(1), Slots: 2, Running: []queue.Running{{Cell: "short", Since: ago(1)}, {Cell: "long", Since: ago(9)}}},
		{Name: "b", State: queue.Gone, At: ago(1)},
		{Name: "c", State: queue.Stopping, At: ago(40)},
		{Name: "d", State: queue.Stopping, At: ago(-5)},
	}, now)
	if len(got) != 3 || got[0].State != queue.Working || got[0].Running[0].Cell != "long" || got[1].State != queue.Lost || got[2].State != queue.Stopping || got[2].Silent != 0 {
		t.Errorf("workers %+v", got)
	}
}

// TestOutlook wants the time left to follow the work that is left: of the
// cells of two methods the expensive ones are done.
func TestOutlook(t *testing.T) {
	t.Parallel()
	w := &watch{shown: &reading{tally: newTally(knownLabels), caught: true}}
	start := time.Now()
	w.throughput.samples = []Sample{{start, 0, 0}, {start.Add(100 * time.Second), 10, 200}} // two slots
	w.Standing.Ended = map[experiment.Status]int64{experiment.OK: 10}
	parts := []Part{{Cells: 20, Done: 10, Seconds: 20}, {Cells: 100}}
	if rate, eta := w.outlook(parts, 1110); rate != 0.1 || eta != nil {
		t.Errorf("before 1 %% of the cells %g cells a second, %v", rate, *eta)
	}
	if rate, eta := w.outlook(parts, 110); rate != 0.1 || math.Abs(*eta-1100) > 1e-6 {
		t.Errorf("without a description %g cells a second, %g s", rate, *eta)
	}
	w.Description = describedParts(experiment.Part{Cells: 20, Seconds: 200}, experiment.Part{Cells: 100, Seconds: 50})
	// The estimates, 10 and 0.5 s a cell, are half of what cells take: left are
	// 10 cells of 20 s and 100 of 1 s, at two seconds of work a second.
	if _, eta := w.outlook(parts, 110); math.Abs(*eta-150) > 1e-6 {
		t.Errorf("%g s left", *eta)
	}
	w.Description = describedParts(experiment.Part{Cells: 20, Seconds: 200}, experiment.Part{Cells: 100, Seconds: 11000})
	if rate, eta := w.outlook(parts, 110); rate != 0.1 || eta != nil {
		t.Errorf("before 1 %% of the work %g cells a second, %g s left", rate, *eta)
	}
	strange := []Part{{Cells: 20, Done: 10, Seconds: 20}, {Done: 1}}
	w.Description = describedParts(experiment.Part{Cells: 20, Seconds: math.MaxFloat64}, experiment.Part{Seconds: math.MaxFloat64})
	if rate, eta := w.outlook(strange, 10); rate != 0.1 || eta != nil && (math.IsNaN(*eta) || math.IsInf(*eta, 0)) {
		t.Errorf("with a strange description %g cells a second, %v", rate, eta)
	}
	if rate, eta := (&watch{shown: w.shown}).outlook(nil, 5); rate != 0 || eta != nil {
		t.Errorf("with nothing known %g cells a second, %v", rate, eta)
	}
}

// TestMonitorOfStrays counts what is quarantined, and what no worker computes.
func TestMonitorOfStrays(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.monitor()
	b.submit("run", 1)
	b.compute(2, experiment.Diverged)
	for _, err := range b.Sift(b.ctx, "run", false, func(*experiment.Outcome) error { return errors.New("a stray") }) {
		if stray := new(queue.QuarantinedError); !errors.As(err, &stray) {
			t.Error(err)
		}
	}
	s := b.await(m, "two messages are quarantined", func(s *State) bool { return len(s.Runs) == 1 && s.Runs[0].Quarantined == 2 })
	if r := s.Runs[0]; r.Failed != 0 || r.Unqueued != 2 || !slices.Equal(r.Unable, []string{"no worker"}) {
		t.Errorf("run %+v, want its two cells to have no result", r)
	}
	description, err := run.Describe(b.ctx, b.Queue, "run")
	if err != nil {
		t.Fatal(err)
	}
	description.Needs = []experiment.Need{{Name: "gaga", Version: 7}}
	text, err := json.Marshal(description)
	if err == nil {
		err = b.PutData(b.ctx, "run", bytes.NewReader(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Announce(&queue.Presence{Name: "old", State: queue.Idle, At: time.Now(), Computes: []experiment.Need{{Name: "gaga", Version: 6}}}); err != nil {
		t.Fatal(err)
	}
	m = b.monitor()
	b.await(m, "no worker computes version 7 of gaga", func(s *State) bool {
		return len(s.Runs) == 1 && slices.Equal(s.Runs[0].Unable, []string{"no worker for version 7 of gaga"})
	})
	if err := b.PutData(b.ctx, "run", strings.NewReader("no description")); err != nil {
		t.Fatal(err)
	}
	m = b.monitor()
	b.await(m, "a run without a description is shown", func(s *State) bool { return len(s.Runs) == 1 && s.Runs[0].Queued == 7 })
}
