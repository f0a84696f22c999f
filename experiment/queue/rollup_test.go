package queue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestRollup has a worker's user send, to each subject that it may publish to, messages that
// ask the stream to remove all others. Each stream keeps what it has.
func TestRollup(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	eachServer(t, func(t *testing.T, start func(string) string) {
		address := start(restrictedConfig(t, true))
		b := &bundle{t: t, ctx: t.Context()}
		worker, _ := b.restricted("worker", address)
		b.Queue, _ = b.restricted("coordinator", address)
		if err := b.EnsureStreams(b.ctx); err != nil {
			t.Fatal(err)
		}
		large := ok()
		large.Run, large.Cell = "run", "a"
		large.Measures = experiment.Batch{Rows: 1, Columns: []experiment.Vector{{Lists: [][]float64{make([]float64, 1<<20)}}}}
		if err := worker.results.put(b.ctx, large, 0, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := worker.attempts.record(b.ctx, "run", "a", 0, (*attemptCounts).fail); err != nil {
			t.Fatal(err)
		}
		if err := worker.bury(b.ctx, &experiment.Outcome{Run: "run", Cell: "b"}, nil, 0); err != nil {
			t.Fatal(err)
		}
		if err := worker.Announce(&Presence{Name: "honest", State: Idle}); err != nil {
			t.Fatal(err)
		}
		streams := []string{resultsStream, attemptsStream, deadStream, workersStream, objectsStream + outcomesBucket}
		messages := func(name string) uint64 {
			stream, err := b.js.Stream(b.ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			return stream.CachedInfo().State.Msgs
		}
		before := map[string]uint64{}
		for _, name := range streams {
			if before[name] = messages(name); before[name] == 0 {
				t.Errorf("%s has nothing to remove", name)
			}
			for _, subject := range contents[name] {
				for _, how := range []string{jetstream.MsgRollupAll, jetstream.MsgRollupSubject} {
					msg := nats.NewMsg(subject)
					msg.Header.Set(jetstream.MsgRollup, how)
					if ack, err := worker.js.PublishMsg(b.ctx, msg); err == nil || !strings.Contains(err.Error(), "rollup not permitted") {
						t.Errorf("%s, rollup %s: %v, %v", subject, how, ack, err)
					}
				}
			}
			if after := messages(name); after != before[name] {
				t.Errorf("%s has %d messages, had %d", name, after, before[name])
			}
		}
		if n := len(b.results("run")); n != 2 {
			t.Errorf("%d results, want 2", n)
		}
	})
}

// TestRollupOfOthers wants a stream of large outcomes whose messages each worker could remove
// to be refused, with what to do.
func TestRollupOfOthers(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, start func(string) string) {
		b := &bundle{t: t, ctx: t.Context()}
		admin, _ := b.restricted("all", start(restrictedConfig(t, true)))
		if _, err := admin.js.CreateObjectStore(b.ctx, jetstream.ObjectStoreConfig{Bucket: outcomesBucket}); err != nil {
			t.Fatal(err)
		}
		err := admin.EnsureStreams(b.ctx)
		if err == nil || !strings.Contains(err.Error(), "allow_rollup_hdrs true, needed is false") || !strings.Contains(err.Error(), "nats stream edit") {
			t.Errorf("error %v", err)
		}
	})
}

// TestForeignAcknowledgements has a worker's user acknowledge, give up and put off tasks that
// it was not given. Who computes them stores their results; tasks that vanish leave their cells
// to be queued again, and cancelling a run ends the putting off.
func TestForeignAcknowledgements(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, start func(string) string) {
		address := start(restrictedConfig(t, true))
		b := &bundle{t: t, ctx: t.Context()}
		hostile, _ := b.restricted("worker", address)
		worker, _ := b.restricted("worker", address)
		b.Queue, _ = b.restricted("coordinator", address)
		if err := b.EnsureStreams(b.ctx); err != nil {
			t.Fatal(err)
		}
		puller, err := worker.Worker(WorkerConfig{Name: "honest", Idle: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		defer puller.Close()
		say := func(word string) {
			t.Helper()
			for sequence := range 100 {
				if err := hostile.conn.Publish(fmt.Sprintf("$JS.ACK.AGEPATH_TASKS.run.1.%d.%d.%d.5", sequence, sequence, time.Now().UnixNano()), []byte(word)); err != nil {
					t.Fatal(err)
				}
			}
			if err := hostile.conn.FlushTimeout(requestWait); err != nil {
				t.Fatal(err)
			}
		}
		queue := func() {
			t.Helper()
			if err := b.EnsureStreams(b.ctx); err != nil { // the anchor can be gone too
				t.Fatal(err)
			}
			has := map[string]bool{}
			for ended, err := range b.Done(b.ctx, "run") {
				if err != nil {
					t.Fatal(err)
				}
				has[ended.Cell] = true
			}
			for task := range generate("run", 8) {
				if !has[task.Cell] {
					b.publishAgain(1, task)
				}
			}
		}
		queue()
		for i, word := range []string{"+ACK", "+TERM", "+NXT"} {
			d := b.pull(puller)
			say(word)
			b.done(d, ok())
			if n := len(b.results("run")); n != i+1 {
				t.Errorf("after %s: %d results, want %d", word, n, i+1)
			}
			if err := b.Cancel(b.ctx, "run"); err != nil {
				t.Fatal(err)
			}
			queue()
		}
		b.pull(puller).Abandon()
		say(`-NAK {"delay": 3600000000000}`)
		if err := b.Cancel(b.ctx, "run"); err != nil {
			t.Fatal(err)
		}
		queue()
		for range 5 {
			b.done(b.pull(puller), ok())
		}
		if n := len(b.results("run")); n != 8 {
			t.Errorf("%d results, want 8", n)
		}
	})
}
