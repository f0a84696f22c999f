package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// store makes outcomes the results of cells c000000 and on.
func (b *bundle) store(run string, from, to int, make func(i int) *experiment.Outcome) {
	b.t.Helper()
	for i := from; i < to; i++ {
		outcome := make(i)
		outcome.Run, outcome.Cell = run, fmt.Sprintf("c%06d", i)
		if err := b.Queue.results.put(b.ctx, outcome, uint64(i+1), 1); err != nil {
			b.t.Fatal(err)
		}
	}
}

func TestResultsAndDone(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	for range b.Sift(b.ctx, "run", false, nil) {
		t.Error("results of a run without any")
	}
	for range b.Done(b.ctx, "run") {
		t.Error("cells done of a run without any")
	}
	const n = 25
	status := func(i int) experiment.Status { return experiment.Statuses[i%len(experiment.Statuses)] }
	b.store("run", 0, n, func(i int) *experiment.Outcome {
		o := ok()
		o.Status, o.Wall = status(i), float64(i)
		return o
	})
	b.store("run-2", 0, 3, func(int) *experiment.Outcome { return ok() })
	b.store("run", 4, 5, func(int) *experiment.Outcome { return failure("again") }) // replaces one

	want := map[string]experiment.Status{}
	for i := range n {
		want[fmt.Sprintf("c%06d", i)] = status(i)
	}
	want["c000004"] = experiment.Failed
	got := map[string]experiment.Status{}
	for _, o := range b.results("run") {
		got[o.Cell] = o.Status
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("results %v, want %v", got, want)
	}
	clear(got)
	for ended, err := range b.Done(b.ctx, "run") {
		if err != nil {
			t.Fatal(err)
		}
		got[ended.Cell] = ended.Status
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("done %v, want %v", got, want)
	}
	for range b.Sift(b.ctx, "run", false, nil) {
		break // must not hang or leave the consumer behind
	}
	stream, err := b.js.Stream(b.ctx, resultsStream)
	if err != nil {
		t.Fatal(err)
	}
	if left := stream.CachedInfo().State.Consumers; left != 0 {
		t.Errorf("%d consumers left behind", left)
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	const stored, live = 5, 5
	b.store("run", 0, stored, func(int) *experiment.Outcome { return ok() })
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	caught, done := make(chan bool), make(chan bool)
	go func() {
		<-caught
		b.store("run", stored, stored+live, func(int) *experiment.Outcome { return ok() })
		close(done)
	}()
	n := 0
	var last error
	for outcome, err := range b.Sift(ctx, "run", true, nil) {
		if err != nil {
			last = err
			continue
		}
		if want := fmt.Sprintf("c%06d", n); outcome.Cell != want {
			t.Errorf("outcome %d of cell %s, want %s", n, outcome.Cell, want)
		}
		switch n++; n {
		case stored:
			close(caught)
		case stored + live:
			<-done
			cancel()
		}
	}
	if n != stored+live || !errors.Is(last, context.Canceled) {
		t.Errorf("%d outcomes, then %v; want %d and the cancelling", n, last, stored+live)
	}
}

func TestFollowOverLostConsumer(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	const n = 3 * fetchMessages / 2
	b.store("run", 0, n, func(int) *experiment.Outcome { return ok() })
	seen := 0
	for outcome, err := range b.Sift(b.ctx, "run", false, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("c%06d", seen); outcome.Cell != want {
			t.Fatalf("outcome %d of cell %s, want %s", seen, outcome.Cell, want)
		}
		if seen++; seen != 10 {
			continue
		}
		stream, err := b.js.Stream(b.ctx, resultsStream)
		if err != nil {
			t.Fatal(err)
		}
		for name := range stream.ConsumerNames(b.ctx).Name() {
			if err := b.js.DeleteConsumer(b.ctx, resultsStream, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if seen != n {
		t.Errorf("%d outcomes, want %d", seen, n)
	}
}

func TestResultsEndWhenPurged(t *testing.T) {
	needs.Patience(t, "9 s")
	t.Parallel()
	b := setup(t, 30*time.Second)
	const n = fetchMessages + 10
	b.store("run", 0, n, func(int) *experiment.Outcome { return ok() })
	seen := 0
	for _, err := range b.Sift(b.ctx, "run", false, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen == 1 {
			if err := b.Purge(b.ctx, "run"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if seen > n {
		t.Errorf("%d outcomes of %d", seen, n)
	}
}

func TestResultsNameTheBrokenCell(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.store("run", 0, 3, func(int) *experiment.Outcome { return ok() })
	if _, err := b.js.Publish(b.ctx, resultTopic.cell("run", "broken"), []byte("no CBOR")); err != nil {
		t.Fatal(err)
	}
	missing := nats.NewMsg(resultTopic.cell("run", "missing"))
	missing.Header.Set(objectHeader, "nowhere")
	if _, err := b.js.PublishMsg(b.ctx, missing); err != nil {
		t.Fatal(err)
	}
	b.store("run", 3, 5, func(int) *experiment.Outcome { return ok() })
	good, bad := 0, []string{}
	for _, err := range b.Sift(b.ctx, "run", false, nil) {
		var cell *CellError
		switch {
		case errors.As(err, &cell):
			bad = append(bad, cell.Cell)
		case err != nil:
			t.Fatal(err)
		default:
			good++
		}
	}
	if good != 5 || fmt.Sprint(bad) != "[broken missing]" {
		t.Errorf("%d outcomes and broken cells %v", good, bad)
	}
}

func TestLargeResult(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	for i, cell := range []string{"inline", "one-part", "many-parts"} {
		size := []int{1000, 300_000, 1_200_000}[i] // times 9 bytes
		source := rand.New(rand.NewPCG(1, 2))
		values := make([]float64, size)
		for j := range values {
			values[j] = source.Float64()
		}
		b.publish(task("run", cell))
		large := ok()
		large.Further = map[string]experiment.Batch{"coefficients": {Rows: 1, Columns: []experiment.Vector{{Lists: [][]float64{values}}}}}
		b.done(b.pull(b.worker(WorkerConfig{})), large)
		got := b.results("run")[i]
		if got.Cell != cell || !reflect.DeepEqual(got.Further, large.Further) {
			t.Errorf("cell %s: the outcome changed on the way", cell)
		}
	}
	for ended, err := range b.Done(b.ctx, "run") {
		if err != nil || ended.Status != experiment.OK {
			t.Errorf("%+v, error %v", ended, err)
		}
	}
	bucket, err := b.bucket(b.ctx, outcomesBucket)
	if err != nil {
		t.Fatal(err)
	}
	if objects, err := bucket.List(b.ctx); err != nil || len(objects) != 2+4 { // 2 indexes, 1 and 3 parts
		t.Errorf("%d objects, error %v", len(objects), err)
	}
	if err := b.Purge(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	if objects, err := bucket.List(b.ctx); !errors.Is(err, jetstream.ErrNoObjectsFound) {
		t.Errorf("%d objects left, error %v", len(objects), err)
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	for _, run := range []string{"run", "other"} {
		if _, _, err := b.Publish(b.ctx, generate(run, 5)); err != nil {
			t.Fatal(err)
		}
		b.store(run, 10, 12, func(int) *experiment.Outcome { return ok() })
		if _, err := b.attempts.record(b.ctx, run, "c000001", 1, func(c *attemptCounts) { c.Failed++ }); err != nil {
			t.Fatal(err)
		}
		if err := b.bury(b.ctx, &experiment.Outcome{Run: run, Cell: "dead", Status: experiment.Failed}, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Purge(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	b.wantCounts("run", Counts{})
	b.wantCounts("other", Counts{Queued: 5, Done: 3, Dead: 1})
	for run, want := range map[string]int{"run": 0, "other": 1} {
		if n, err := b.count(b.ctx, attemptsStream, attemptTopic.run(run)); n != want || err != nil {
			t.Errorf("%d records of attempts of %s, error %v; want %d", n, run, err, want)
		}
	}
}

func TestRecordCountsEveryAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	errs := make(chan error)
	const writers = 8
	for range writers {
		go func() {
			_, err := b.attempts.record(b.ctx, "run", "a", 7, func(c *attemptCounts) { c.Failed++ })
			errs <- err
		}()
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if counted, _, err := b.attempts.counts(b.ctx, "run", "a", 7); counted.Failed != writers || err != nil {
		t.Errorf("counted %+v, error %v; want %d", counted, err, writers)
	}
	if counted, _, err := b.attempts.counts(b.ctx, "run", "a", 8); counted.Failed != 0 || err != nil {
		t.Errorf("counted %+v, error %v; want none for another task", counted, err)
	}
}

func TestRunNamesAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	const bad = "a.*"
	check := func(name string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), `run name "a.*"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, err := range b.Sift(b.ctx, bad, false, nil) {
		check("Results", err)
	}
	for _, err := range b.Done(b.ctx, bad) {
		check("Done", err)
	}
	for _, err := range b.Dead(b.ctx, bad) {
		check("Dead", err)
	}
	_, err := b.Counts(b.ctx, bad)
	check("Counts", err)
	check("Cancel", b.Cancel(b.ctx, bad))
	check("Purge", b.Purge(b.ctx, bad))
}

func BenchmarkResults(b *testing.B) {
	s := setup(b, 30*time.Second)
	outcome := ok()
	outcome.Measures = experiment.Batch{Rows: 1, Columns: make([]experiment.Vector, 12)}
	for j := range outcome.Measures.Columns {
		outcome.Measures.Columns[j].Floats = []float64{1 / float64(j+3)}
	}
	body, err := EncodeOutcome(outcome)
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		msg := nats.NewMsg(resultTopic.cell("run", fmt.Sprintf("c%06d", i)))
		msg.Data = bytes.Clone(body)
		msg.Header.Set(statusHeader, string(experiment.OK))
		msg.Header.Set(taskHeader, "0")
		if _, err := s.js.PublishMsgAsync(msg); err != nil {
			b.Fatal(err)
		}
	}
	<-s.js.PublishAsyncComplete()
	rate := func(name string, read func() int) {
		start := time.Now()
		if n := read(); n != b.N {
			b.Fatalf("%s: %d of %d", name, n, b.N)
		}
		b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), name+"/s")
	}
	b.ResetTimer()
	rate("outcomes", func() (n int) {
		for _, err := range s.Sift(s.ctx, "run", false, nil) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		return n
	})
	rate("done", func() (n int) {
		for _, err := range s.Done(s.ctx, "run") {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		return n
	})
}

// TestResultWriter makes outcomes results without tasks, large ones too.
func TestResultWriter(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publishAgain(1, task("run", "again"))
	w := b.Queue.Results(b.ctx, func(cell string) uint64 {
		if cell == "again" {
			return 1
		}
		return 0
	})
	const cells = 2000 // more than wait for their confirmation
	large := experiment.Batch{Rows: 1, Columns: []experiment.Vector{{Lists: [][]float64{make([]float64, 1<<18)}}}}
	for i := range cells {
		o := ok()
		o.Run, o.Cell, o.Origin = "run", fmt.Sprintf("c%d", i), "before"
		if i%500 == 0 {
			o.Measures = large
		}
		if err := w.Put(o); err != nil {
			t.Fatal(err)
		}
	}
	o := ok()
	o.Run, o.Cell = "run", "again"
	if err := errors.Join(w.Put(o), w.Drain()); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for outcome, err := range b.Sift(b.ctx, "run", false, func(*experiment.Outcome) error { return nil }) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; outcome.Cell != "again" && outcome.Origin != "before" {
			t.Errorf("cell %s says it is of %q", outcome.Cell, outcome.Origin)
		}
	}
	if seen != cells+1 {
		t.Errorf("%d results, want %d", seen, cells+1)
	}
	if removed, err := b.RemoveEnded(b.ctx, "run"); err != nil || removed != 1 {
		t.Errorf("%d tasks of cells with a result are removed, %v", removed, err)
	}
	if err := w.Put(&experiment.Outcome{Run: "no run", Cell: "c"}); err == nil {
		t.Error("a name that is none gets a result")
	}
}
