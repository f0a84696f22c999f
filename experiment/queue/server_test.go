package queue

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// crashDir tells the test binary to be the process that is killed in
// TestReopenAfterKill.
const crashDir = "AGEPATH_QUEUE_TEST_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		if err := crash(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	needs.Waiting(8)
	os.Exit(m.Run())
}

const crashTasks, crashDone, crashHeld = 100, 10, 5

// crash publishes tasks, does some, holds some and waits to be killed.
func crash(dir string) error {
	ctx := context.Background()
	server, err := StartServer(ServerConfig{Dir: dir})
	if err != nil {
		return err
	}
	q, err := Connect(ctx, Config{Server: server, AckWait: ackWait})
	if err != nil {
		return err
	}
	if err := q.EnsureStreams(ctx); err != nil {
		return err
	}
	if _, _, err := q.Publish(ctx, generate("run", crashTasks)); err != nil {
		return err
	}
	worker, err := q.Worker(WorkerConfig{})
	if err != nil {
		return err
	}
	for i := range crashDone + crashHeld {
		d, err := worker.Pull(ctx)
		if err != nil {
			return err
		}
		if i < crashDone {
			if err := d.Done(ctx, of(d, ok())); err != nil {
				return err
			}
		}
	}
	fmt.Println("ready")
	select {}
}

func TestReopenAfterKill(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), crashDir+"="+dir)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	command.Wait()
	if line != "ready\n" {
		t.Fatalf("the process said %q, error %v", line, err)
	}

	server, err := StartServer(ServerConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{t: t, ctx: ctx, server: server}
	defer server.Shutdown()
	b.Queue = b.connect(Config{AckWait: ackWait})
	defer b.Close()
	if err := b.EnsureStreams(ctx); err != nil {
		t.Fatal(err)
	}
	published, refused, err := b.Publish(ctx, generate("run", crashTasks))
	if err != nil || published != crashDone || refused != crashTasks-crashDone {
		t.Errorf("published %d, refused %d, error %v; want the %d done accepted again", published, refused, err, crashDone)
	}
	seen := map[string]bool{}
	worker := b.worker(WorkerConfig{Drain: true})
	for range crashTasks {
		d := b.pull(worker)
		if seen[d.Task.Cell] {
			t.Errorf("cell %s delivered twice", d.Task.Cell)
		}
		seen[d.Task.Cell] = true
		b.done(d, ok())
	}
	// The last acknowledgement before the kill can be lost; the server finds its
	// task gone when a worker asks for the next one (see anchorSubject).
	for empty := new(EmptyError); ; {
		_, err := worker.Pull(ctx)
		if !errors.As(err, &empty) {
			t.Fatalf("draining: %v", err)
		}
		if empty.InFlight == 0 {
			break
		}
	}
	b.wantCounts("run", Counts{Done: crashTasks})
}

func TestServerListens(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	server, err := StartServer(ServerConfig{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Shutdown()
	if err := server.Open(); err != nil {
		t.Fatal(err)
	}
	q, err := Connect(ctx, Config{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.EnsureStreams(ctx); err != nil {
		t.Error(err)
	}
	if !q.Connected() {
		t.Error("not connected")
	}
	q.Close()
	if q.Connected() {
		t.Error("connected after close")
	}
}

// TestServerOpens wants a server with a token to take connections from when it is opened
// on, and only those that bring the token.
func TestServerOpens(t *testing.T) {
	t.Parallel()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port.Close()
	address := port.Addr().String()
	server, err := StartServer(ServerConfig{Dir: t.TempDir(), Listen: address, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Shutdown()
	inside, err := Connect(t.Context(), Config{Server: server})
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("it listens before it is opened")
	}
	if url := server.URL(); url != "" {
		t.Errorf("before it is opened its URL is %s", url)
	}
	if err := server.Open(); err != nil {
		t.Fatal(err)
	}
	if url := server.URL(); url != "nats://secret@"+address {
		t.Errorf("its URL is %s", url)
	}
	if _, err := Connect(t.Context(), Config{URL: address}); err == nil {
		t.Error("a connection without the token was taken")
	}
	q, err := Connect(t.Context(), Config{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	waiting, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if server.Empty(waiting, 1); waiting.Err() == nil {
		t.Error("with two connections it counts as left")
	}
	q.Close()
	waiting, cancel = context.WithTimeout(t.Context(), patience)
	defer cancel()
	if server.Empty(waiting, 1); waiting.Err() != nil {
		t.Error("it does not count as left")
	}
}

func TestServerRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, c := range map[string]struct {
		config ServerConfig
		want   string
	}{
		"no folder": {ServerConfig{}, "embedded NATS server"},
		"a file":    {ServerConfig{Dir: file}, "not a directory"},
		"no port":   {ServerConfig{Dir: t.TempDir(), Listen: "localhost"}, `listen address "localhost"`},
		"bad port":  {ServerConfig{Dir: t.TempDir(), Listen: "localhost:70000"}, `listen address "localhost:70000"`},
		"open":      {ServerConfig{Dir: t.TempDir(), Listen: ":0"}, "without a token"},
		"open host": {ServerConfig{Dir: t.TempDir(), Listen: "0.0.0.0:0"}, "without a token"},
	} {
		if _, err := StartServer(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.want)
		}
	}
	dir := t.TempDir()
	server, err := StartServer(ServerConfig{Dir: dir, Listen: taken.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Open(); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("error %v, want one that says the address is in use", err)
	}
	server.Shutdown()
	server, err = StartServer(ServerConfig{Dir: dir}) // the folder was released
	if err != nil {
		t.Fatal(err)
	}
	if server.URL() != "" {
		t.Errorf("URL %q of a server that does not listen", server.URL())
	}
	server.Shutdown()
}

func TestConnectRefuses(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		config Config
		want   string
	}{
		"nobody there": {t.Context(), Config{URL: "nats://user:secret@127.0.0.1:1"}, "connecting to NATS at nats://user:xxxxx@127.0.0.1:1"},
		"no such file": {t.Context(), Config{CredentialsFile: "/nowhere.creds"}, "/nowhere.creds"},
		"no nkey":      {t.Context(), Config{NKeyFile: "/nowhere.nk"}, "nkey file /nowhere.nk"},
		"no CA":        {t.Context(), Config{CAFile: "/nowhere.pem"}, "/nowhere.pem"},
		"half a pair":  {t.Context(), Config{CertFile: "a"}, "client certificate"},
		"no password":  {t.Context(), Config{User: "a"}, "password of NATS user a"},
		"ended":        {ended, Config{}, "context canceled"},
	} {
		q, err := Connect(c.ctx, c.config)
		if err == nil {
			q.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.want)
		}
	}
}

func TestEnsureStreams(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	b.publish(task("run", "a"))
	for range 2 {
		again := b.connect(Config{Replicas: 1})
		if err := again.EnsureStreams(b.ctx); err != nil {
			t.Fatal(err)
		}
	}
	b.wantCounts("run", Counts{Queued: 1})
	if err := b.connect(Config{Replicas: 3}).EnsureStreams(b.ctx); err == nil || !strings.Contains(err.Error(), "replicas 1, needed is 3") {
		t.Errorf("error %v, want one about replicas", err)
	}
	for name, change := range map[string]func(*jetstream.StreamConfig){
		"max_bytes 1048576, needed is -1":    func(c *jetstream.StreamConfig) { c.MaxBytes = 1 << 20 },
		"max_age 1h0m0s, needed is 0s":       func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"max_msgs 100, needed is -1":         func(c *jetstream.StreamConfig) { c.MaxMsgs = 100 },
		"max_msg_size 1024, needed is -1":    func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1024 },
		"max_consumers 1, needed is -1":      func(c *jetstream.StreamConfig) { c.MaxConsumers = 1 },
		"Memory, needed is File":             func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage },
		"Interest, needed is Limits":         func(c *jetstream.StreamConfig) { c.Retention = jetstream.InterestPolicy },
		"no_ack true, needed is false":       func(c *jetstream.StreamConfig) { c.NoAck = true },
		"allow_direct true, needed is false": func(c *jetstream.StreamConfig) { c.AllowDirect = true },
		"deny_delete true, needed is false":  func(c *jetstream.StreamConfig) { c.DenyDelete = true },
		"deny_purge true, needed is false":   func(c *jetstream.StreamConfig) { c.DenyPurge = true },
		"subject_transform true": func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: ">", Destination: "x.>"}
		},
		"sources true":                        func(c *jetstream.StreamConfig) { c.Sources = []*jetstream.StreamSource{{Name: "other"}} },
		"mirror true":                         func(c *jetstream.StreamConfig) { c.Subjects, c.Mirror = nil, &jetstream.StreamSource{Name: "other"} },
		"persist_mode Async":                  func(c *jetstream.StreamConfig) { c.PersistMode = jetstream.AsyncPersistMode },
		"consumer_limits {1m0s 0}":            func(c *jetstream.StreamConfig) { c.ConsumerLimits.InactiveThreshold = time.Minute },
		"max_msgs_per_subject 2, needed is 1": func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 2 },
		"subjects [other], needed is":         func(c *jetstream.StreamConfig) { c.Subjects = []string{"other"} },
		"DiscardNew, needed is DiscardOld":    func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardNew },
	} {
		if b.server == nil && slices.Contains([]string{"subject_transform true", "persist_mode Async", "consumer_limits {1m0s 0}"}, name) {
			continue // older servers do not know it
		}
		config := configOf(resultsStream)
		change(&config)
		if err := b.js.DeleteStream(b.ctx, resultsStream); err != nil {
			t.Fatal(err)
		}
		if _, err := b.js.CreateStream(b.ctx, config); err != nil {
			t.Fatal(err)
		}
		err := b.connect(Config{}).EnsureStreams(b.ctx)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Fatalf("error %v, want %q in it", err, name)
		}
		b.mend(err, resultsStream)
	}
}

// configOf returns the settings that a stream needs.
func configOf(stream string) jetstream.StreamConfig {
	list := streamConfigs(1)
	return list[slices.IndexFunc(list, func(c jetstream.StreamConfig) bool { return c.Name == stream })]
}

// mend changes or removes a stream as the refusal of its settings advises.
func (b *bundle) mend(refused error, stream string) {
	b.t.Helper()
	var err error
	switch text := refused.Error(); {
	case strings.Contains(text, "change it, as by `nats stream edit "+stream+"`"):
		_, err = b.js.UpdateStream(b.ctx, configOf(stream))
	case strings.Contains(text, "as by `nats stream rm "+stream+"`"):
		err = b.js.DeleteStream(b.ctx, stream)
	default:
		err = errors.New("it advises nothing")
	}
	if err == nil {
		err = b.connect(Config{}).EnsureStreams(b.ctx)
	}
	if err != nil {
		b.t.Errorf("of %v: %v", refused, err)
	}
}

// TestEnsureObjectStores wants object stores that would lose what is in them to
// be refused, with what to do.
func TestEnsureObjectStores(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	for bucket, wants := range map[string]map[string]func(*jetstream.ObjectStoreConfig){
		dataBucket: {
			"max_age 1h0m0s, needed is 0s, else messages would vanish by their age": func(c *jetstream.ObjectStoreConfig) { c.TTL = time.Hour },
			"max_bytes 4096, needed is -1":                                          func(c *jetstream.ObjectStoreConfig) { c.MaxBytes = 4096 },
		},
		outcomesBucket: {
			"max_bytes 4096, needed is -1": func(c *jetstream.ObjectStoreConfig) { c.MaxBytes = 4096 },
			"storage Memory, needed is File, else a restart of the server would lose the messages": func(c *jetstream.ObjectStoreConfig) { c.Storage = jetstream.MemoryStorage },
		},
	} {
		for want, change := range wants {
			config := jetstream.ObjectStoreConfig{Bucket: bucket, Storage: jetstream.FileStorage}
			change(&config)
			if err := b.js.DeleteObjectStore(b.ctx, bucket); err != nil {
				t.Fatal(err)
			}
			if _, err := b.js.CreateObjectStore(b.ctx, config); err != nil {
				t.Fatal(err)
			}
			err := b.connect(Config{}).EnsureStreams(b.ctx)
			if err == nil || !strings.Contains(err.Error(), "stream OBJ_"+bucket+" exists with "+want) || !strings.Contains(err.Error(), "OBJ_"+bucket+"`, or use another NATS account") {
				t.Fatalf("error %v, want %q in it", err, want)
			}
			b.mend(err, "OBJ_"+bucket)
		}
		if err := b.js.DeleteObjectStore(b.ctx, bucket); err != nil {
			t.Fatal(err)
		}
		if err := b.connect(Config{}).EnsureStreams(b.ctx); err != nil {
			t.Errorf("with new object store: %v", err)
		}
	}
}

// TestReconnect cuts every connection of coordinator and worker by restarting
// the server under them.
func TestReconnect(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	dir := t.TempDir()
	server, err := StartServer(ServerConfig{Dir: dir, Listen: "127.0.0.1:0"})
	if err == nil {
		err = server.Open()
	}
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(server.URL(), "nats://")
	restart := func() {
		server.Shutdown()
		if server, err = StartServer(ServerConfig{Dir: dir, Listen: address}); err == nil {
			err = server.Open()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	defer func() { server.Shutdown() }()
	connect := func() *Queue {
		q, err := Connect(ctx, Config{URL: server.URL(), AckWait: 2 * time.Second, Report: reports(t)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	b := &bundle{t: t, ctx: ctx, Queue: connect()}
	if err := b.EnsureStreams(ctx); err != nil {
		t.Fatal(err)
	}
	worker, err := connect().Worker(WorkerConfig{Idle: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()

	b.publish(task("run", "a"))
	d := b.pull(worker)
	restart()
	b.done(d, ok())
	restart()
	b.publish(task("run", "b"))
	follow, stop := context.WithCancel(ctx)
	defer stop()
	seen := map[string]experiment.Status{}
	for outcome, err := range b.Sift(follow, "run", true, nil) {
		if err != nil {
			break
		}
		seen[outcome.Cell] = outcome.Status
		switch outcome.Cell {
		case "a":
			restart()
			b.done(b.pull(worker), ok())
		case "b":
			stop()
		}
	}
	if len(seen) != 2 {
		t.Errorf("seen %v, want a and b", seen)
	}
}
