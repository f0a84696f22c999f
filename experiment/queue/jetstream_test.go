package queue

import (
	"bytes"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// startOptions starts a server in this process.
func startOptions(t testing.TB, options *server.Options) *server.Server {
	t.Helper()
	options.Host, options.Port, options.NoSigs, options.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	if options.StoreDir == "" {
		options.StoreDir = t.TempDir()
	}
	node, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	node.Start()
	t.Cleanup(func() { stop(node) })
	if !node.ReadyForConnections(patience) {
		t.Fatal("the server is not ready")
	}
	return node
}

// reach connects to a server of startOptions.
func reach(t *testing.T, node *server.Server, config Config) (*bundle, error) {
	t.Helper()
	config.URL, config.AckWait = node.ClientURL(), ackWait
	if config.Report == nil {
		config.Report = reports(t)
	}
	b := &bundle{t: t, ctx: t.Context(), url: config.URL}
	q, err := Connect(t.Context(), config)
	if err == nil {
		b.Queue = q
		t.Cleanup(q.Close)
		err = q.EnsureStreams(t.Context())
	}
	return b, err
}

// TestNoJetStream wants a server without JetStream to be named within ten seconds.
func TestNoJetStream(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	began := time.Now()
	_, err := reach(t, startOptions(t, &server.Options{}), Config{})
	if lacking := new(NoJetStreamError); !errors.As(err, &lacking) || !strings.Contains(err.Error(), "JetStream is off at the NATS server at nats://127.0.0.1:") {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestDomain reaches streams through a leaf node with a JetStream of its own, and wants
// whoever uses the leaf's own to hear that no run is there.
func TestDomain(t *testing.T) {
	needs.Patience(t, "8 s")
	t.Parallel()
	link := needs.FreePorts(t, 1)[0]
	address, err := net.ResolveTCPAddr("tcp", link)
	if err != nil {
		t.Fatal(err)
	}
	hub := startOptions(t, &server.Options{
		ServerName: "hub", JetStream: true, JetStreamDomain: "hub",
		LeafNode: server.LeafNodeOpts{Host: "127.0.0.1", Port: address.Port},
	})
	remote := &server.RemoteLeafOpts{URLs: []*url.URL{{Scheme: "nats-leaf", Host: link}}}
	leaf := startOptions(t, &server.Options{
		ServerName: "leaf", JetStream: true, JetStreamDomain: "leaf",
		LeafNode: server.LeafNodeOpts{Remotes: []*server.RemoteLeafOpts{remote}},
	})
	center, err := reach(t, hub, Config{})
	if err != nil {
		t.Fatal(err)
	}
	center.publish(task("run", "a"))
	edge, err := reach(t, leaf, Config{Domain: "hub"})
	if err != nil {
		t.Fatal(err)
	}
	worker, err := edge.Worker(WorkerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	edge.done(edge.pull(worker), ok())
	if n := len(center.results("run")); n != 1 {
		t.Errorf("%d results at the hub, want 1", n)
	}
	if _, err := reach(t, leaf, Config{Domain: "nowhere"}); !errors.As(err, new(*NoJetStreamError)) || !strings.Contains(err.Error(), `"nowhere"`) {
		t.Errorf("another domain: %v", err)
	}

	said := make(chan error, 100)
	lost, err := Connect(t.Context(), Config{URL: leaf.ClientURL(), Report: func(err error) { said <- err }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lost.Close)
	idle, err := lost.Worker(WorkerConfig{Idle: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	pulled := make(chan struct{})
	go func() {
		defer close(pulled)
		_, _ = idle.Pull(t.Context())
	}()
	select {
	case err := <-said:
		if !errors.As(err, new(*NoStreamsError)) {
			t.Errorf("reported %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("a worker without streams says nothing in ten seconds")
	}
	idle.Close()
	<-pulled
}

// TestSmallPayload wants tasks, a data set, results and what a worker says to travel
// where the server takes messages of 8 KB, and a task that is larger to be refused with
// the reason.
func TestSmallPayload(t *testing.T) {
	t.Parallel()
	b, err := reach(t, startOptions(t, &server.Options{JetStream: true, MaxPayload: leastPayload}), Config{})
	if err != nil {
		t.Fatal(err)
	}
	data := noise(300 << 10)
	if err := b.PutData(b.ctx, "abc", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	b.wantData(b.Queue, data)
	b.publish(task("run", "a"))
	large := ok()
	large.Measures = experiment.Batch{Rows: 1, Columns: []experiment.Vector{{Lists: [][]float64{make([]float64, 40<<10)}}}}
	b.done(b.pull(b.worker(WorkerConfig{})), large)
	if list := b.results("run"); len(list) != 1 || len(list[0].Measures.Columns[0].Lists[0]) != 40<<10 {
		t.Errorf("results %v", list)
	}
	busy := Presence{Name: "busy", State: Working, At: time.Now(), Started: time.Now(), Slots: 500, Running: make([]Running, 500)}
	for i := range busy.Running {
		busy.Running[i] = Running{Run: "run", Cell: strings.Repeat("c", 32), Since: time.Now()}
	}
	if err := b.Announce(&busy); err != nil {
		t.Error(err)
	}
	wide := task("run", "wide")
	wide.Spec = []byte(`"` + strings.Repeat("x", 10<<10) + `"`)
	_, _, err = b.Publish(b.ctx, sequence(wide))
	if payload := new(PayloadError); !errors.As(err, &payload) || payload.Max != leastPayload {
		t.Errorf("a task of 10 KB: %v", err)
	}

	if _, err := reach(t, startOptions(t, &server.Options{JetStream: true, MaxPayload: leastPayload / 2}), Config{}); !errors.As(err, new(*PayloadError)) {
		t.Errorf("max_payload of 4 KB: %v", err)
	}
}

func TestCanSync(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"2.9.10": false, "1.4.1": false, "2.10.0": true, "2.15.2": true, "3.0.0": true} {
		if syncsWrites(version) != want {
			t.Errorf("version %s: %v", version, !want)
		}
	}
}
