package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestIndexOnTheWire has indexes and descriptions of objects that no writer makes.
// None may take memory, wait for what is not there, or end the process. It runs alone,
// as the memory of the whole process is measured.
func TestIndexOnTheWire(t *testing.T) {
	b := setup(t, 30*time.Second)
	for i, stray := range []struct{ body, why string }{
		{`{"parts":1,"size":9000000000000000000}`, "allowed are 0 to"},
		{`{"parts":1,"size":-600}`, "allowed are 0 to"},
		{`{"parts":1,"size":60000000000}`, "allowed are 0 to"},
		{`{"parts":-1,"size":5}`, "-1 parts for 5 bytes; allowed are 1"},
		{`{"parts":3,"size":10}`, "3 parts for 10 bytes; allowed are 1"},
		{`{"parts":1,"size":10}`, "not found"},
		{`{"parts":64,"size":268435456}`, "not found"},
		{`[]`, "its index: json"},
		{``, "its index: unexpected end"},
		{strings.Repeat(" ", maxIndex+1), "a size of 4097 bytes; allowed are at most 4096"},
	} {
		name := fmt.Sprintf("run.cell.%d", i)
		if err := b.Queue.results.outcomes.add(b.ctx, name, []byte(stray.body)); err != nil {
			t.Fatal(err)
		}
		b.wantDamaged(name, stray.body, stray.why)
	}
	if err := b.Queue.results.outcomes.add(b.ctx, "run.cell.good/000000", []byte("four")); err != nil {
		t.Fatal(err)
	}
	if err := b.Queue.results.outcomes.add(b.ctx, "run.cell.good", []byte(`{"parts":1,"size":5}`)); err != nil {
		t.Fatal(err)
	}
	b.wantDamaged("run.cell.good", "a part that is too short", "it has 4 bytes, not 5")
	for i, stray := range []struct{ info, why string }{
		{`{"name":"%s","bucket":"AGEPATH_OUTCOMES","nuid":"abc","size":60000000000,"chunks":1}`, "a size of 60000000000 bytes; allowed are at most 4096"},
		{`{"name":"%s","bucket":"AGEPATH_OUTCOMES","nuid":"abc","size":20,"chunks":1,"digest":"SHA-256=x"}`, "0 of its 1 chunks are there"},
		{`{"name":"%s","bucket":"AGEPATH_OUTCOMES","nuid":"*","size":20,"chunks":1}`, `its chunks have the name "*"`},
		{`{"name":"%s","bucket":"AGEPATH_OUTCOMES","nuid":"abc","options":{"link":{"bucket":"AGEPATH_OUTCOMES","name":"%[1]s"}}}`, "a link"},
		{`{"name":"other %s","bucket":"AGEPATH_OUTCOMES","nuid":"abc","size":20,"chunks":1}`, "its description names the object"},
		{`no description`, "meta information invalid"},
	} {
		name := fmt.Sprintf("run.cell.info%d", i)
		body := stray.info
		if strings.Contains(body, "%") {
			body = fmt.Sprintf(body, name)
		}
		msg := nats.NewMsg(metaSubject(outcomesBucket, name))
		msg.Data = []byte(body)
		if _, err := b.js.PublishMsg(b.ctx, msg); err != nil {
			t.Fatal(err)
		}
		b.wantDamaged(name, body, stray.why)
	}
}

// wantDamaged wants an object to be refused, with what is wrong in words: that it is
// refused somewhere is not enough, as another check may be the last one left.
func (b *bundle) wantDamaged(name, what, why string) {
	b.t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := b.Queue.results.read(b.ctx, name)
	runtime.ReadMemStats(&after)
	var damaged *DamagedError
	if !errors.As(err, &damaged) || !strings.Contains(err.Error(), why) {
		b.t.Errorf("%.60q: %v, want a damaged object: %s", what, err, why)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 20<<20 {
		b.t.Errorf("%.60q: %d bytes were allocated", what, took)
	}
}

// TestPurgeOfJunk purges a run although the last message of the bucket describes no
// object, as do some of its own and those of others, of which one claims all chunks.
func TestPurgeOfJunk(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	told := make(chan error, 10)
	purging, err := Connect(ctx, Config{Server: b.server, URL: b.url, Report: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer purging.Close()
	outcomes := b.Queue.results.outcomes
	for _, name := range []string{"run.a", "other.a"} {
		if err := outcomes.put(ctx, name, bytes.NewReader(noise(10))); err != nil {
			t.Fatal(err)
		}
	}
	for _, junk := range []struct{ subject, body string }{
		{metaSubject(outcomesBucket, "run.b"), `{"name":"run.b","bucket":"AGEPATH_OUTCOMES","nuid":">"}`},
		{metaSubject(outcomesBucket, "other.b"), `{"name":"run.c"}`},
		{"$O." + outcomesBucket + ".M.=", `{"name":"run.d"}`},
		{metaSubject(outcomesBucket, "run.e"), "junk"},
	} {
		if _, err := b.js.Publish(ctx, junk.subject, []byte(junk.body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := purging.Purge(ctx, "run"); err != nil {
		t.Fatal(err)
	}
	close(told)
	var words []string
	for err := range told {
		words = append(words, err.Error())
	}
	slices.Sort(words)
	if len(words) != 2 || !strings.Contains(words[0], "object run.b ") || !strings.Contains(words[1], "object run.e ") {
		t.Errorf("reported %q, want the two junk descriptions of the run", words)
	}
	if left, err := outcomes.names(ctx, func(string) bool { return true }); err != nil || !slices.Equal(slices.Sorted(slices.Values(left)), []string{"other.a", "other.a/000000", "other.b"}) {
		t.Errorf("left are %q, %v", left, err)
	}
	if got, err := b.Queue.results.read(ctx, "other.a"); err != nil || !bytes.Equal(got, noise(10)) {
		t.Errorf("the outcome of another run: %v", err)
	}
	chunks, err := b.Queue.subjects(ctx, objectsStream+outcomesBucket, chunkSubject(outcomesBucket, "*"))
	if err != nil || len(chunks) != 2 {
		t.Errorf("%d objects have chunks, %v; want the index and the part of the other run", len(chunks), err)
	}
}

// TestPutDataOverDamaged replaces a data set whose parts and description are damaged.
func TestPutDataOverDamaged(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	data := noise(partSize + 10)
	if err := b.PutData(b.ctx, "abc", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"abc", "abc/000001"} {
		if _, err := b.js.Publish(b.ctx, metaSubject(dataBucket, name), []byte("no description")); err != nil {
			t.Fatal(err)
		}
		if r, err := b.Data(b.ctx, "abc"); err == nil {
			if _, err = io.ReadAll(r); err == nil {
				t.Errorf("%s: read although its description is none", name)
			}
		}
		if err := b.PutData(b.ctx, "abc", bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		b.wantData(b.Queue, data)
	}
}

// TestRecordOfAttemptsOnTheWire has records of attempts that no worker writes: the
// task is computed nevertheless.
func TestRecordOfAttemptsOnTheWire(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	worker := b.worker(WorkerConfig{})
	for _, record := range []string{"no record", `{"task":0,"failed":-5}`, `{"task":0,"failed":99999999999}`, `{"task":"0"}`, strings.Repeat(" ", 2000)} {
		if _, err := b.js.Publish(b.ctx, attemptTopic.cell("run", "a"), []byte(record)); err != nil {
			t.Fatal(err)
		}
		d := b.pull(worker)
		if d.Attempt != 1 {
			t.Errorf("%.40q: attempt %d, want the first", record, d.Attempt)
		}
		if err := d.Release(b.ctx, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDecodingTakesLittle decodes messages that are small and would be large in
// memory, in both forms that are read.
func TestDecodingTakesLittle(t *testing.T) {
	const size = 1 << 20
	columns := append([]byte{0xa1, 0x08, 0xa2, 0x01, 0x01, 0x02, 0x9a, 0, 0x10, 0, 0}, bytes.Repeat([]byte{0xa0}, size)...)
	lists := append([]byte{0xa1, 0x08, 0xa2, 0x01, 0x01, 0x02, 0x81, 0xa1, 0x04, 0x9a, 0, 0x10, 0, 0}, bytes.Repeat([]byte{0x80}, size)...)
	other := append([]byte{0xa2, 0x18, 0x63, 0x01}, columns[1:]...) // a key that is not known
	for name, body := range map[string][]byte{"columns": columns, "lists": lists, "columns, another form": other} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := DecodeOutcome(body)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 10*size {
			t.Errorf("%s: %d bytes take %d, error %v", name, len(body), took, err)
		}
	}
	// What a worker sends is read: a path of many knots with small numbers.
	o := ok()
	rows := experiment.Batch{Rows: 100_000, Columns: []experiment.Vector{{Ints: make([]int64, 100_000)}, {Null: make([]bool, 100_000), Floats: make([]float64, 100_000)}}}
	o.Further = map[string]experiment.Batch{"knots": rows}
	body, err := EncodeOutcome(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeOutcome(body); err != nil {
		t.Error(err)
	}
}

// TestQuarantineIsBounded wants the quarantine to keep what it may and a message's
// head alone.
func TestQuarantineIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	msg := nats.NewMsg(resultTopic.cell("run", "<script>"))
	msg.Data = noise(100_000)
	if _, err := b.js.PublishMsg(b.ctx, msg); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, err := range b.Sift(b.ctx, "run", false, func(*experiment.Outcome) error { return nil }) {
		stray := new(QuarantinedError)
		if !errors.As(err, &stray) || stray.Cell != "<script>" {
			t.Errorf("the sequence gives %v", err)
		}
		found++
	}
	for kept, err := range b.Quarantined(b.ctx, "run") {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := b.last(b.ctx, quarantineStream, quarantineTopic.run("run"))
		if err != nil || raw.Header.Get(sizeHeader) != "100000" || !bytes.Equal(raw.Data, msg.Data[:quarantineHead]) {
			t.Errorf("kept %+v, %v", raw, err)
		}
		if kept.Subject != msg.Subject || !strings.Contains(kept.Reason, "decoding outcome") || time.Since(kept.Time) > time.Minute {
			t.Errorf("kept %+v", kept)
		}
		found++
	}
	if found != 2 || b.counts("run") != (Counts{Quarantined: 1}) {
		t.Errorf("found %d, counts %+v", found, b.counts("run"))
	}
	stream, err := b.js.Stream(b.ctx, quarantineStream)
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	if config.MaxMsgs != quarantineMessages || config.MaxBytes != quarantineBytes || config.Discard != jetstream.DiscardOld {
		t.Errorf("its stream has the configuration %+v", config)
	}
	if err := b.Purge(b.ctx, "run"); err != nil || b.counts("run") != (Counts{}) {
		t.Errorf("after purging %+v, %v", b.counts("run"), err)
	}
}

// TestQuarantineTakesNoMore quarantines some results among many, on the server of the
// PATH too: the others stay.
func TestQuarantineTakesNoMore(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "2 s")
	for name, b := range map[string]func(t *testing.T) *bundle{
		"embedded": func(t *testing.T) *bundle { return setup(t, 30*time.Second) },
		"program": func(t *testing.T) *bundle {
			b := &bundle{t: t, ctx: t.Context(), url: startProcess(t, serverOfPath(t), "-js", "-sd", t.TempDir())}
			b.Queue = b.connect(Config{AckWait: 30 * time.Second})
			if err := b.EnsureStreams(b.ctx); err != nil {
				t.Fatal(err)
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b(t)
			const cells, strays = 2000, 200
			for i := range cells {
				o := ok()
				o.Run, o.Cell = "run", fmt.Sprintf("c%06d", i)
				if err := b.Queue.results.put(b.ctx, o, 0, 1); err != nil {
					t.Fatal(err)
				}
			}
			found := 0
			for _, err := range b.Sift(b.ctx, "run", false, func(o *experiment.Outcome) error {
				var i int
				if _, err := fmt.Sscanf(o.Cell, "c%d", &i); err != nil || i%(cells/strays) == 3 {
					return errors.New("a stray")
				}
				return nil
			}) {
				if err != nil {
					found++
				}
			}
			if got := b.counts("run"); found != strays || got != (Counts{Done: cells - strays, Quarantined: strays}) {
				t.Errorf("%d were found, counts %+v; want %d", found, got, strays)
			}
		})
	}
}

// TestLargeOutcomeOfAnother wants a result that refers to the object of another
// cell or run to be refused by that name, without the object being read.
func TestLargeOutcomeOfAnother(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	outcome := ok()
	outcome.Run, outcome.Cell = "run", "a"
	body, err := EncodeOutcome(outcome)
	if err != nil {
		t.Fatal(err)
	}
	for name, fits := range map[string]bool{"run.a.0.1.x": true, "run.ab.0.1.x": false, "run.b.0.1.x": false, "other.a.0.1.x": false, "x": false, "run.a": false} {
		if err := b.Queue.results.outcomes.put(b.ctx, name, bytes.NewReader(body)); err != nil {
			t.Fatal(err)
		}
		header := nats.Header{objectHeader: {name}}
		_, err := b.Queue.results.load(b.ctx, resultTopic.cell("run", "a"), header, nil)
		var blamed *unfit
		if fits != (err == nil) || !fits && (!errors.As(err, &blamed) || !strings.Contains(err.Error(), "its large outcome is called")) {
			t.Errorf("object %s: error %v, want one: %t", name, err, !fits)
		}
	}
}
