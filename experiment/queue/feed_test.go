package queue

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/experiment"
)

// take reads at most n outcomes of a feed.
func (b *bundle) take(f *Feed, n int) (cells []string) {
	b.t.Helper()
	for outcome, err := range f.Next(b.ctx) {
		if err != nil {
			b.t.Fatal(err)
		}
		cells = append(cells, outcome.Cell)
		if len(cells) == n {
			break
		}
	}
	return cells
}

// TestFeed reads in instalments, some of them stopped early, and wants every
// outcome once, one that is replaced again.
func TestFeed(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	p := b.worker(WorkerConfig{})
	f, err := b.Feed("run")
	if err != nil {
		t.Fatal(err)
	}
	want := func(n int, cells ...string) {
		t.Helper()
		if got := b.take(f, n); !reflect.DeepEqual(got, cells) {
			t.Errorf("the feed has %q, want %q", got, cells)
		}
	}
	want(10)
	b.publish(task("run", "a"), task("run", "b"), task("run", "c"), task("other", "d"))
	for range 4 {
		b.done(b.pull(p), ok())
	}
	want(2, "a", "b")
	want(1, "c")
	want(10)
	b.publish(task("run", "b"))
	b.done(b.pull(p), failure("worse"))
	want(10, "b")
	if _, err := b.Feed("no run"); err == nil {
		t.Error("a name that is none has a feed")
	}
}

// TestFeedOutcome wants everything of an outcome but what was computed, also
// when it is too large for a message, and then without the object.
func TestFeedOutcome(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	cpu, peak := 1.25, int64(1<<40)
	at := time.Date(2026, 2, 3, 4, 5, 6, 123456789, time.UTC)
	full := &experiment.Outcome{
		Run: "run", Cell: "large", Kind: "test", Labels: labels(), Status: experiment.Failed, Error: "bad", Attempts: 2,
		Measures: experiment.Batch{Rows: 1, Columns: []experiment.Vector{{Lists: [][]float64{make([]float64, 1<<20)}}}},
		Further:  map[string]experiment.Batch{"knots": {Rows: 1, Columns: []experiment.Vector{{Floats: []float64{1}}}}},
		Wall:     0.5, CPU: &cpu, Peak: &peak, Computer: experiment.Computer{Worker: "w", Version: "v", Platform: "linux/amd64"}, Started: at, Finished: at.Add(time.Second),
		Short: 1.5, Repeats: true, Origin: "before", Lacks: "room", Schema: experiment.SchemaVersion,
	}
	for v, i := reflect.ValueOf(*full), 0; i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("the test leaves %s out", v.Type().Field(i).Name)
		}
	}
	small := *full
	small.Cell, small.Measures = "small", experiment.Batch{}
	scored := *full // a long path: its measures travel in the message
	scored.Cell, scored.Measures, scored.Further = "scored", full.Further["knots"], map[string]experiment.Batch{"knots": full.Measures}
	for _, o := range []*experiment.Outcome{full, &small, &scored} {
		if err := b.Queue.results.put(b.ctx, o, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Queue.results.outcomes.remove(b.ctx, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	f, err := b.Feed("run")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for got, err := range f.Next(b.ctx) {
		if err != nil {
			t.Fatal(err)
		}
		want := withoutRows(full)
		if want.Cell, want.Measures = got.Cell, (experiment.Batch{}); got.Cell == "scored" {
			want.Measures = scored.Measures
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		seen++
	}
	if seen != 3 {
		t.Errorf("%d outcomes", seen)
	}
}

// TestFeedOfStrays has results that no worker stores. The feed has each as an error of
// its cell, and no cell counts as ok that does not say so.
func TestFeedOfStrays(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	year := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	seconds := cbor.CoreDetEncOptions() // in which each year can be written
	seconds.Time = cbor.TimeUnix
	encode, err := seconds.EncMode()
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for cell, stray := range map[string]struct {
		change func(*experiment.Outcome)
		header string
		why    string
	}{
		"early":    {func(o *experiment.Outcome) { o.Started = year(-1) }, "ok", "a time in the year -1"},
		"late":     {func(o *experiment.Outcome) { o.Finished = year(10_000) }, "ok", "a time in the year 10000"},
		"other":    {func(o *experiment.Outcome) { o.Cell = "another" }, "ok", `cell "another"`},
		"none":     {func(o *experiment.Outcome) { o.Status = "" }, "", "its status"},
		"new":      {func(o *experiment.Outcome) { o.Status = "new" }, "new", "its status"},
		"mistaken": {func(o *experiment.Outcome) { o.Status = experiment.Failed }, "ok", "its header"},
		"good":     {func(o *experiment.Outcome) { o.Started, o.Finished = year(0), year(9999) }, "ok", ""},
	} {
		o := ok()
		o.Run, o.Cell = "run", cell
		stray.change(o)
		body, err := encode.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		msg := &nats.Msg{Subject: resultTopic.cell("run", cell), Data: body, Header: nats.Header{taskHeader: {"0"}, statusHeader: {stray.header}}}
		if _, err := b.js.PublishMsg(b.ctx, msg); err != nil {
			t.Fatal(err)
		}
		why[cell] = stray.why
		if _, err := DecodeOutcome(body); (err != nil) != strings.Contains(stray.why, "year") {
			t.Errorf("%s: decoding: %v", cell, err)
		}
	}
	f, err := b.Feed("run")
	if err != nil {
		t.Fatal(err)
	}
	for stored, err := range f.Next(b.ctx) {
		if err == nil {
			if stored.Cell != "good" {
				t.Errorf("%s is read", stored.Cell)
			}
			delete(why, stored.Cell)
			continue
		}
		var found *CellError
		if !errors.As(err, &found) {
			t.Fatal(err)
		}
		if want := why[found.Cell]; want == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		delete(why, found.Cell)
	}
	if len(why) != 0 {
		t.Errorf("not met: %v", why)
	}
	index, err := b.FailureIndex("run")
	if err != nil {
		t.Fatal(err)
	}
	b.wantStanding(index, 7, 5, 0, 2, 0, 0, 0)
}
