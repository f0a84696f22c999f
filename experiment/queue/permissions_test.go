package queue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/experiment"
)

// workerPublish is all that a worker's NATS user needs to publish to: pull,
// acknowledge, store results, attempts and dead letters, read data sets, store
// large outcomes. It subscribes to its inbox only.
var workerPublish = []string{
	"$JS.API.STREAM.INFO.AGEPATH_TASKS",
	"$JS.API.CONSUMER.NAMES.AGEPATH_TASKS",
	"$JS.API.CONSUMER.INFO.AGEPATH_TASKS.*",
	"$JS.API.CONSUMER.MSG.NEXT.AGEPATH_TASKS.*",
	"$JS.ACK.AGEPATH_TASKS.>",

	"agepath.result.*.*",
	"$JS.API.STREAM.INFO.AGEPATH_RESULTS",
	"$JS.API.STREAM.MSG.GET.AGEPATH_RESULTS",
	"agepath.attempt.*.*",
	"$JS.API.STREAM.INFO.AGEPATH_ATTEMPTS",
	"$JS.API.STREAM.MSG.GET.AGEPATH_ATTEMPTS",
	"agepath.dead.*.*",
	"agepath.worker.*",
	"$JS.API.STREAM.INFO.AGEPATH_DEAD",

	"$JS.API.STREAM.INFO.OBJ_AGEPATH_DATA",
	"$JS.API.DIRECT.GET.OBJ_AGEPATH_DATA.>",
	"$JS.API.CONSUMER.CREATE.OBJ_AGEPATH_DATA.>",
	"$JS.API.CONSUMER.DELETE.OBJ_AGEPATH_DATA.>",
	"$JS.FC.OBJ_AGEPATH_DATA.>",

	"$JS.API.STREAM.INFO.OBJ_AGEPATH_OUTCOMES",
	"$JS.API.DIRECT.GET.OBJ_AGEPATH_OUTCOMES.>",
	"$O.AGEPATH_OUTCOMES.>",
}

// TestWorkerPermissions runs every path of a worker as a user with nothing
// more than workerPublish, and checks that what it must not do is refused.
func TestWorkerPermissions(t *testing.T) {
	t.Parallel()
	node, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(),
		Users: []*server.User{
			{Username: "coordinator", Password: "c"},
			{Username: "worker", Password: "w", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: workerPublish},
				Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX_worker.>"}},
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	node.Start()
	t.Cleanup(func() { stop(node) })
	if !node.ReadyForConnections(10 * time.Second) {
		t.Fatal("server is not ready")
	}
	address := strings.TrimPrefix(node.ClientURL(), "nats://")
	b := &bundle{t: t, ctx: t.Context(), url: "nats://coordinator:c@" + address}
	b.Queue = b.connect(Config{AckWait: 30 * time.Second})
	if err := b.EnsureStreams(b.ctx); err != nil {
		t.Fatal(err)
	}
	data := noise(partSize + 1)
	if err := b.PutData(b.ctx, "abc", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	var refused []string
	worker, err := Connect(b.ctx, Config{URL: "nats://worker:w@" + address, InboxPrefix: "_INBOX_worker", Report: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		refused = append(refused, err.Error())
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	puller, err := worker.Worker(WorkerConfig{Name: "undertaker", MaxDeaths: 1, Drain: true, Idle: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	r, err := worker.Data(b.ctx, "abc")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("data set of %d bytes, error %v", len(got), err)
	}
	b.publish(task("run", "a"), task("run", "killer"))
	if err := b.pull(puller).Release(b.ctx, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pull(puller).Fail(b.ctx, failure("once"), 0); err != nil {
		t.Fatal(err)
	}
	large := ok()
	large.Measures = experiment.Batch{Rows: 1, Columns: []experiment.Vector{{Lists: [][]float64{make([]float64, 1<<20)}}}}
	b.done(b.pull(puller), large)
	die(b.pull(puller))
	b.hasten("run", ackWait)
	b.await("the killer is buried", func() bool {
		_, err := puller.Pull(b.ctx)
		if empty := new(EmptyError); !errors.As(err, &empty) {
			t.Fatal(err)
		}
		return b.counts("run") == Counts{Done: 2, Dead: 1}
	})
	mu.Lock()
	if len(refused) > 0 {
		t.Errorf("refused: %q", refused)
	}
	mu.Unlock()

	for _, subject := range []string{
		taskTopic.cell("run", "x"), "$JS.API.STREAM.PURGE.AGEPATH_RESULTS", "$JS.API.STREAM.DELETE.AGEPATH_TASKS",
		"$JS.API.CONSUMER.DELETE.AGEPATH_TASKS.run", "$JS.API.CONSUMER.CREATE.AGEPATH_RESULTS.x", "$O.AGEPATH_DATA.M.x",
	} {
		if err := worker.conn.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		b.await("publishing to "+subject+" is refused", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(fmt.Sprint(refused), `"`+subject+`"`)
		})
	}
}
