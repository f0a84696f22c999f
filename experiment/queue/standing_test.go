package queue

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
)

// wantStanding waits for an index to tell the cells of a run that are ok,
// incomplete, failed, running, queued and neither. Each look has to place every
// cell once. What is queued lags behind.
func (b *bundle) wantStanding(x *FailureIndex, cells int64, want ...int64) {
	b.t.Helper()
	b.await(fmt.Sprintf("the cells stand at %d", want), func() bool {
		s, err := x.Standing(b.ctx, cells)
		if err != nil {
			b.t.Fatal(err)
		}
		if sum := s.Done() + s.Left() + s.Unqueued; sum != cells {
			b.t.Fatalf("%+v places %d cells, want %d", s, sum, cells)
		}
		return slices.Equal(want, []int64{s.Ended[experiment.OK], s.Ended[experiment.Incomplete], s.Failed(), s.Running, s.Queued, s.Unqueued})
	})
}

// setupRun returns a server with a run of so many cells, a worker and the account of
// the run.
func setupRun(t *testing.T, cells int) (*bundle, *Puller, *FailureIndex) {
	t.Helper()
	b := setup(t, 30*time.Second)
	index, err := b.FailureIndex("run")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Publish(b.ctx, generate("run", cells)); err != nil {
		t.Fatal(err)
	}
	return b, b.worker(WorkerConfig{}), index
}

// TestStanding follows 60 cells, of which most fail, over a retry and a cancel.
func TestStanding(t *testing.T) {
	t.Parallel()
	b, worker, index := setupRun(t, 60)
	b.wantStanding(index, 60, 0, 0, 0, 0, 60, 0)
	var again []experiment.Task
	for i := range 60 {
		d := b.pull(worker)
		switch {
		case i < 11:
			b.done(d, ok())
			continue
		case i == 11:
			partial := failure("half way")
			partial.Status = experiment.Incomplete
			b.done(d, partial)
		default:
			b.done(d, failure("no luck"))
		}
		again = append(again, d.Task)
	}
	b.wantStanding(index, 60, 11, 1, 48, 0, 0, 0)

	b.publishAgain(1, again[1:44]...) // many are asked for at a time
	b.wantStanding(index, 60, 11, 1, 5, 0, 43, 0)
	for range 12 {
		b.pull(worker)
	}
	b.wantStanding(index, 60, 11, 1, 5, 12, 31, 0)
	if err := b.Cancel(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	b.wantStanding(index, 60, 11, 1, 48, 0, 0, 0)

	b.publishAgain(2, again[:2]...)
	for range 2 {
		b.done(b.pull(worker), ok())
	}
	b.wantStanding(index, 60, 13, 0, 47, 0, 0, 0)
}

// TestStandingAfterCancel puts cells back into a run whose other cells were
// dropped: they are not taken for each other.
func TestStandingAfterCancel(t *testing.T) {
	t.Parallel()
	b, worker, index := setupRun(t, 10)
	failed := b.pull(worker)
	b.done(failed, failure("no luck"))
	b.done(b.pull(worker), ok())
	if err := b.Cancel(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	b.wantStanding(index, 10, 1, 0, 1, 0, 0, 8)
	b.publishAgain(1, failed.Task)
	b.wantStanding(index, 10, 1, 0, 0, 0, 1, 8)
}

// TestStrays stores results of cells that the run does not have, some twice, and removes a
// result: the run's cells stand as they do, and the feed has no others.
func TestStrays(t *testing.T) {
	t.Parallel()
	b, worker, index := setupRun(t, 10)
	planned := map[string]int{}
	for task := range generate("run", 10) {
		planned[task.Cell] = len(planned)
	}
	index.Place = func(cell string) (int, bool) { place, ok := planned[cell]; return place, ok }
	var done []string
	for i := range 4 {
		d := b.pull(worker)
		done = append(done, d.Task.Cell)
		if i == 3 {
			b.done(d, failure("no luck"))
			break
		}
		b.done(d, ok())
	}
	b.wantStanding(index, 10, 3, 0, 1, 0, 6, 0)
	store := func(cell string, o *experiment.Outcome) {
		t.Helper()
		o.Run, o.Cell = "run", cell
		if err := b.Queue.results.put(b.ctx, o, 0, 1); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		store(fmt.Sprintf("stray%d", i), ok())
		store(fmt.Sprintf("poor%d", i), failure("none"))
		b.wantStanding(index, 10, 3, 0, 1, 0, 6, 0)
		store(fmt.Sprintf("stray%d", i), failure("twice"))
	}
	b.wantStrays(index, 200)
	if len(index.NotOK) != 1 {
		t.Errorf("%d cells are remembered as not ok", len(index.NotOK))
	}
	subject := resultTopic.cell("run", done[0])
	msg, err := b.last(b.ctx, resultsStream, subject)
	if err == nil {
		err = b.remove(b.ctx, resultsStream, subject, msg.Sequence)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.wantStanding(index, 10, 2, 0, 1, 0, 6, 1)
	for range 6 {
		b.done(b.pull(worker), ok())
	}
	store(done[0], ok())
	b.wantStanding(index, 10, 9, 0, 1, 0, 0, 0)
	b.wantStrays(index, 200)
	feed, err := b.Feed("run")
	if err != nil {
		t.Fatal(err)
	}
	feed.Has = func(cell string) bool { _, ok := planned[cell]; return ok }
	if cells := b.take(feed, 1000); len(cells) != 10 {
		t.Errorf("the feed has %d outcomes: %q", len(cells), cells)
	}
}

func (b *bundle) wantStrays(index *FailureIndex, want int64) {
	b.t.Helper()
	b.await(fmt.Sprintf("%d results are strays", want), func() bool {
		s, err := index.Standing(b.ctx, 10)
		if err != nil {
			b.t.Fatal(err)
		}
		return s.Strays == want
	})
}

// TestStand wants numbers that were read one after the other to place each cell
// once.
func TestStand(t *testing.T) {
	t.Parallel()
	notOK := map[experiment.Status]int64{experiment.Failed: 4, experiment.Timeout: 2, experiment.Incomplete: 1}
	for _, test := range []struct {
		what    string
		counts  Counts
		putBack map[experiment.Status]int64
		cells   int64
		want    []int64 // ok, incomplete, failed, running, queued, not queued
	}{
		{"dead letters of anybody", Counts{Done: 20, Dead: 1000}, nil, 20, []int64{13, 1, 6, 0, 0, 0}},
		{"nothing left", Counts{Done: 20}, nil, 20, []int64{13, 1, 6, 0, 0, 0}},
		{"a task is not acknowledged yet", Counts{Done: 20, InFlight: 2}, nil, 20, []int64{13, 1, 6, 0, 0, 0}},
		{"cells ended between two numbers", Counts{Done: 18, InFlight: 1, Queued: 3}, nil, 20, []int64{11, 1, 6, 0, 2, 0}},
		{"not fully queued", Counts{Done: 10, InFlight: 1, Queued: 3}, nil, 20, []int64{3, 1, 6, 1, 3, 6}},
		{"put back", Counts{Done: 20, InFlight: 1, Queued: 2}, map[experiment.Status]int64{experiment.Failed: 2, experiment.Incomplete: 1}, 20, []int64{13, 0, 4, 1, 2, 0}},
		{"without a description", Counts{Done: 10, InFlight: 1, Queued: 2}, map[experiment.Status]int64{experiment.Timeout: 2}, 0, []int64{3, 1, 4, 1, 2, 0}},
	} {
		s := stand(test.counts, notOK, test.putBack, test.cells)
		got := []int64{s.Ended[experiment.OK], s.Ended[experiment.Incomplete], s.Failed(), s.Running, s.Queued, s.Unqueued}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %d, want %d", test.what, got, test.want)
		}
		if s.Dead > s.Failed() {
			t.Errorf("%s: %d of %d failed cells are dead", test.what, s.Dead, s.Failed())
		}
		if sum := s.Done() + s.Left() + s.Unqueued; sum != s.Cells {
			t.Errorf("%s: %d of %d cells are placed", test.what, sum, s.Cells)
		}
	}
}

// TestList wants a server to know no run before the first one, and a cancelled
// one until it is purged.
func TestList(t *testing.T) {
	t.Parallel()
	server, err := StartServer(ServerConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Shutdown)
	b := &bundle{t: t, ctx: t.Context(), server: server}
	b.Queue = b.connect(Config{})
	want := func(what string, want ...Listed) {
		t.Helper()
		if got, err := b.List(b.ctx); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, error %v; want %v", what, got, err, want)
		}
	}
	want("a server without streams")
	if err := b.EnsureStreams(b.ctx); err != nil {
		t.Fatal(err)
	}
	want("streams without runs")
	for name, size := range map[string]int{"b-1": 10, "a-2": 10, fmt.Sprintf("%064x", 7): partSize + 1} { // the last one is a data set
		if err := b.PutData(b.ctx, name, bytes.NewReader(make([]byte, size))); err != nil {
			t.Fatal(err)
		}
	}
	b.publish(task("a-2", "x"), task("b-1", "x"), task("undescribed", "x"))
	want("three runs", Listed{"a-2", true}, Listed{"b-1", true}, Listed{"undescribed", true})
	if err := b.Cancel(b.ctx, "b-1"); err != nil {
		t.Fatal(err)
	}
	want("one is cancelled", Listed{"a-2", true}, Listed{"b-1", false}, Listed{"undescribed", true})
	if err := b.Purge(b.ctx, "b-1"); err != nil {
		t.Fatal(err)
	}
	if err := b.RemoveData(b.ctx, "b-1"); err != nil {
		t.Fatal(err)
	}
	want("it is purged", Listed{"a-2", true}, Listed{"undescribed", true})
}
