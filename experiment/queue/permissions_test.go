package queue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// deployedDir has the files that users copy.
const deployedDir = "../../deploy/k8s/nats"

// deployed reads a file that users copy.
func deployed(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployedDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// restrictedConfig writes the configuration of a server with the accounts of deployedDir,
// whose users are called as their passwords, and with one in the account of the streams who
// may everything. Without accounts all users are in one account with the same permissions, as
// earlier versions had it.
func restrictedConfig(t testing.TB, accounts bool) (path string) {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"users.conf":       "COORDINATOR_PASSWORD: coordinator\nWORKER_PASSWORD: worker\nVIEWER_PASSWORD: viewer\n",
		"permissions.conf": deployed(t, "permissions.conf"),
		"accounts.conf":    strings.Replace(deployed(t, "accounts.conf"), "{user: coordinator,", "{user: all, password: all}\n{user: coordinator,", 1),
		"nats.conf":        fmt.Sprintf("include \"accounts.conf\"\njetstream {store_dir: %q}\n", filepath.Join(dir, "store")),
	}
	if !accounts {
		files["permissions.conf"] = strings.ReplaceAll(files["permissions.conf"], "$JS.agepath.API.", "$JS.API.")
		files["accounts.conf"] = `
			include "permissions.conf"
			accounts {AGEPATH {jetstream: enabled, users: [
				{user: all, password: all}
				{user: coordinator, password: coordinator, permissions: $AGEPATH_COORDINATOR}
				{user: worker, password: worker, permissions: $AGEPATH_WORKER}
				{user: viewer, password: viewer, permissions: $AGEPATH_VIEWER}
			]}}`
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "nats.conf")
}

// domainOf is the JetStream domain in which a user of the accounts finds the streams.
func domainOf(user string) string {
	if user == "worker" || user == "viewer" {
		return "agepath"
	}
	return ""
}

// eachServer runs a test on the newest server, which is embedded, and on the
// nats-server program of the PATH; Debian 12 has version 2.9. start returns a
// server's address.
func eachServer(t *testing.T, test func(t *testing.T, start func(config string) (address string))) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, func(config string) string {
			options, err := server.ProcessConfigFile(config)
			if err != nil {
				t.Fatal(err)
			}
			return startOptions(t, options).Addr().String()
		})
	})
	t.Run("program", func(t *testing.T) {
		t.Parallel()
		program := serverOfPath(t)
		test(t, func(config string) string {
			return strings.TrimPrefix(startProcess(t, program, "-c", config), "nats://")
		})
	})
}

// serverOfPath returns the nats-server program that is installed.
func serverOfPath(t *testing.T) string {
	t.Helper()
	return needs.Program(t, "a server of another version", "nats-server", "/usr/sbin/nats-server") // the latter is Debian's
}

// complaints are what a connection reports.
type complaints struct {
	mu   sync.Mutex
	list []string
}

func (c *complaints) add(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, err.Error())
}

// refused returns the refused permissions among them.
func (c *complaints) refused() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for _, text := range c.list {
		if strings.Contains(text, nats.ErrPermissionViolation.Error()) {
			list = append(list, text)
		}
	}
	return list
}

// restricted connects as one of the users.
func (b *bundle) restricted(user, address string) (*Queue, *complaints) {
	b.t.Helper()
	said := &complaints{}
	q, err := Connect(b.ctx, Config{
		URL: "nats://" + user + ":" + user + "@" + address, InboxPrefix: "_INBOX_agepath_" + user, Domain: domainOf(user),
		AckWait: 30 * time.Second, Report: said.add,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(q.Close)
	return q, said
}

// TestPermissions has a coordinator, a worker and a viewer do all they do, with
// nothing more than the permissions that users are told to give them. Then it tries,
// as each of them, every other operation.
func TestPermissions(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	eachServer(t, func(t *testing.T, start func(string) string) {
		address := start(restrictedConfig(t, true))
		b := &bundle{t: t, ctx: t.Context()}
		coordinator, saidCoordinator := b.restricted("coordinator", address)
		worker, saidWorker := b.restricted("worker", address)
		viewer, saidViewer := b.restricted("viewer", address)
		b.Queue = coordinator
		if err := b.EnsureStreams(b.ctx); err != nil {
			t.Fatal(err)
		}
		b.everything(worker, viewer)
		for user, said := range map[string]*complaints{"coordinator": saidCoordinator, "worker": saidWorker, "viewer": saidViewer} {
			if list := said.refused(); len(list) > 0 {
				t.Errorf("%s may not what it needs: %q", user, list)
			}
		}
		for user, may := range map[string]func(op, stream string) bool{"coordinator": coordinatorMay, "worker": workerMay, "viewer": viewerMay} {
			b.everyOperation(user, address, may)
		}
	})
}

// TestAccountsAcrossServers has coordinator, worker and viewer each at a server of its own, with
// streams on all three.
func TestAccountsAcrossServers(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	nodes, _ := startCluster(t, restrictedConfig(t, true))
	b := &bundle{t: t, ctx: t.Context()}
	var queues []*Queue
	var said []*complaints
	for i, user := range []string{"coordinator", "worker", "viewer"} {
		q, heard := b.restricted(user, nodes[i].Addr().String())
		queues, said = append(queues, q), append(said, heard)
	}
	b.Queue = queues[0]
	b.config.Replicas = 3
	if err := b.EnsureStreams(b.ctx); err != nil {
		t.Fatal(err)
	}
	b.everything(queues[1], queues[2])
	for _, heard := range said {
		if list := heard.refused(); len(list) > 0 {
			t.Errorf("refused: %q", list)
		}
	}
}

// everything goes every way that a worker, a viewer and a coordinator can go.
func (b *bundle) everything(worker, viewer *Queue) {
	t := b.t
	t.Helper()
	data := noise(partSize + 1)
	if err := b.PutData(b.ctx, "abc", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	for _, q := range []*Queue{worker, b.Queue} { // a coordinator computes cells too
		b.wantData(q, data)
		b.sweep(q)
	}
	b.wantData(viewer, data)
	if err := worker.results.put(b.ctx, &experiment.Outcome{Run: "run", Cell: "stray"}, 0, 1); err != nil {
		t.Error(err)
	}
	for _, err := range b.Sift(b.ctx, "run", false, func(o *experiment.Outcome) error {
		if o.Cell == "stray" {
			return errors.New("a stray")
		}
		return nil
	}) {
		if stray := new(QuarantinedError); err != nil && !errors.As(err, &stray) {
			t.Error(err)
		}
	}
	for _, q := range []*Queue{viewer, b.Queue} {
		b.look(q)
	}
	if _, err := b.RemoveEnded(b.ctx, "run"); err != nil {
		t.Error(err)
	}
	if err := b.Purge(b.ctx, "run"); err != nil {
		t.Error(err)
	}
	if err := b.RemoveData(b.ctx, "abc"); err != nil {
		t.Error(err)
	}
}

func (b *bundle) wantData(q *Queue, want []byte) {
	b.t.Helper()
	r, err := q.Data(b.ctx, "abc")
	if err != nil {
		b.t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
		b.t.Fatalf("data set of %d bytes, error %v", len(got), err)
	}
}

// look reads all there is to see of the run that sweep leaves.
func (b *bundle) look(q *Queue) {
	t := b.t
	t.Helper()
	if n, err := q.held(b.ctx); err != nil || n != 1 {
		t.Errorf("%d tasks held, want 1, error %v", n, err)
	}
	if names, err := q.Runs(b.ctx); err != nil || len(names) != 1 {
		t.Errorf("runs %v, error %v", names, err)
	}
	if workers, _, err := q.Workers(b.ctx); err != nil || len(workers) != 1 {
		t.Errorf("workers %v, error %v", workers, err)
	}
	if counts, err := q.Counts(b.ctx, "run"); err != nil || counts.Done != 2 {
		t.Errorf("counts %v, error %v", counts, err)
	}
	index, err := q.FailureIndex("run")
	if err != nil {
		t.Fatal(err)
	}
	standing, err := index.Standing(b.ctx, 0)
	if err != nil || len(index.NotOK) != 1 || standing.Failed() != 1 {
		t.Errorf("cells that are not ok %v, standing %+v, error %v", index.NotOK, standing, err)
	}
	if listed, err := q.List(b.ctx); err != nil || !slices.Contains(listed, Listed{"run", true}) {
		t.Errorf("runs listed %v, error %v", listed, err)
	}
	feed, err := q.Feed("run")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range feed.Next(b.ctx) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, err := range q.Dead(b.ctx, "run") {
		if err != nil {
			t.Error(err)
		}
	}
	reasons := 0
	for _, err := range q.Quarantined(b.ctx, "run") {
		if err != nil {
			t.Error(err)
		}
		reasons++
	}
	if reasons != 1 {
		t.Errorf("%d messages are quarantined, want 1", reasons)
	}
}

// sweep computes cells that end in all ways, and leaves a task whose cell has a
// result already.
func (b *bundle) sweep(q *Queue) {
	b.t.Helper()
	puller, err := q.Worker(WorkerConfig{Name: "undertaker", MaxDeaths: 1, Drain: true, Idle: 500 * time.Millisecond})
	if err != nil {
		b.t.Fatal(err)
	}
	defer puller.Close()
	if err := q.Announce(&Presence{Name: "undertaker", State: Working}); err != nil {
		b.t.Fatal(err)
	}
	if err := b.Purge(b.ctx, "run"); err != nil {
		b.t.Fatal(err)
	}
	b.config.AckWait = 30 * time.Second
	b.publish(task("run", "a")) // alone: what comes back need not come first
	if err := b.pull(puller).Release(b.ctx, 0); err != nil {
		b.t.Fatal(err)
	}
	d := b.pull(puller)
	if _, err := d.Fail(b.ctx, of(d, failure("once")), 0); err != nil {
		b.t.Fatal(err)
	}
	large := ok()
	large.Measures = experiment.Batch{Rows: 1, Columns: []experiment.Vector{{Lists: [][]float64{make([]float64, 1<<20)}}}}
	b.done(b.pull(puller), large)
	b.publish(task("run", "killer"))
	die(b.pull(puller))
	b.hasten("run", ackWait)
	b.await("the killer is buried", func() bool {
		d, err := puller.Pull(b.ctx)
		if err == nil && d.Delivered == 1 { // servers before 2.10 can number a redelivery 1 once
			die(d)
			return false
		}
		if empty := new(EmptyError); !errors.As(err, &empty) {
			b.t.Fatalf("pulled %+v, error %v", d, err)
		}
		return b.counts("run") == Counts{Done: 2, Dead: 1}
	})
	if n := len(b.results("run")); n != 2 {
		b.t.Errorf("%d results, want 2", n)
	}
	b.publish(task("run", "a"))
}

// streamOperations are the requests about a stream that servers from 2.9 on
// answer, %s being the stream.
var streamOperations = map[string]string{
	"create": "$JS.API.STREAM.CREATE.%s", "update": "$JS.API.STREAM.UPDATE.%s", "info": "$JS.API.STREAM.INFO.%s",
	"delete": "$JS.API.STREAM.DELETE.%s", "purge": "$JS.API.STREAM.PURGE.%s", "get": "$JS.API.STREAM.MSG.GET.%s",
	"delete message": "$JS.API.STREAM.MSG.DELETE.%s", "snapshot": "$JS.API.STREAM.SNAPSHOT.%s", "restore": "$JS.API.STREAM.RESTORE.%s",
	"remove peer": "$JS.API.STREAM.PEER.REMOVE.%s", "evacuate peer": "$JS.API.STREAM.PEER.EVACUATE.%s",
	"cancel move": "$JS.API.STREAM.CANCEL_MOVE.%s", "step down": "$JS.API.STREAM.LEADER.STEPDOWN.%s",
	"direct get": "$JS.API.DIRECT.GET.%s", "direct get of last": "$JS.API.DIRECT.GET.%s.x.y",
	"old consumer": "$JS.API.CONSUMER.CREATE.%s", "consumer of all": "$JS.API.CONSUMER.CREATE.%s.c",
	"consumer of others": "$JS.API.CONSUMER.CREATE.%s.c.x.y.z", "durable consumer": "$JS.API.CONSUMER.DURABLE.CREATE.%s.c",
	"consumer names": "$JS.API.CONSUMER.NAMES.%s", "consumers": "$JS.API.CONSUMER.LIST.%s", "consumer info": "$JS.API.CONSUMER.INFO.%s.c",
	"delete consumer": "$JS.API.CONSUMER.DELETE.%s.c", "pause": "$JS.API.CONSUMER.PAUSE.%s.c", "reset": "$JS.API.CONSUMER.RESET.%s.c",
	"unpin": "$JS.API.CONSUMER.UNPIN.%s.c", "consumer steps down": "$JS.API.CONSUMER.LEADER.STEPDOWN.%s.c",
	"remove consumer's peer": "$JS.API.CONSUMER.PEER.REMOVE.%s.c", "evacuate consumer's peer": "$JS.API.CONSUMER.PEER.EVACUATE.%s.c",
	"pull": "$JS.API.CONSUMER.MSG.NEXT.%s.c", "acknowledge": "$JS.ACK.%s.c.1.1.1.1.1", "acknowledge in domain": "$JS.ACK.d.h.%s.c.1.1.1.1.1",
	"flow control": "$JS.FC.%s.c.d", "flow control in domain": "$JS.FC.d.h.%s.c.d",
}

// contents are the subjects of each stream's messages.
var contents = map[string][]string{
	tasksStream: {taskTopic.cell("r", "x")}, resultsStream: {resultTopic.cell("r", "x")}, attemptsStream: {attemptTopic.cell("r", "x")},
	deadStream: {deadTopic.cell("r", "x")}, workersStream: {string(workerTopic) + "w"},
	quarantineStream:        {quarantineTopic.cell("r", "x")},
	"OBJ_" + dataBucket:     {"$O." + dataBucket + ".C.x", "$O." + dataBucket + ".M.x"},
	"OBJ_" + outcomesBucket: {"$O." + outcomesBucket + ".C.x", "$O." + outcomesBucket + ".M.x"},
	"OTHER":                 {"other.subject"},
}

// workerMay is the whole list of what a worker may, written down apart from
// permissions.conf.
func workerMay(op, stream string) bool {
	ops, ok := map[string]string{
		tasksStream:             "info, consumer names, consumer info, pull, acknowledge, acknowledge in domain",
		resultsStream:           "info, get, publish",
		attemptsStream:          "info, get, publish",
		deadStream:              "info, publish",
		workersStream:           "publish, delete consumer, consumer of contents, consumer info, pull",
		"OBJ_" + dataBucket:     "info, get, delete consumer, flow control, flow control in domain, consumer of contents",
		"OBJ_" + outcomesBucket: "info, publish",
	}[stream]
	return ok && strings.Contains(", "+ops+", ", ", "+op+", ")
}

func coordinatorMay(op, stream string) bool {
	if workerMay(op, stream) {
		return true
	}
	ops, ok := map[string]string{
		tasksStream:             "create, purge, get, delete message, delete consumer, consumer of contents, publish",
		resultsStream:           "create, purge, delete message, delete consumer, consumer of contents, consumer info, pull",
		attemptsStream:          "create, purge, delete message",
		deadStream:              "create, purge, get, delete message, delete consumer, consumer of contents, consumer info, pull",
		quarantineStream:        "info, create, purge, delete consumer, consumer of contents, consumer info, pull, publish",
		workersStream:           "info, create",
		"OBJ_" + dataBucket:     "create, purge, publish",
		"OBJ_" + outcomesBucket: "create, purge, get, delete consumer, flow control, flow control in domain, consumer of contents",
	}[stream]
	return ok && strings.Contains(", "+ops+", ", ", "+op+", ")
}

func viewerMay(op, stream string) bool {
	ops, ok := map[string]string{
		tasksStream:             "info, consumer names, consumer info",
		resultsStream:           "info, get, delete consumer, consumer of contents, consumer info, pull",
		deadStream:              "info, delete consumer, consumer of contents, consumer info, pull",
		quarantineStream:        "info, delete consumer, consumer of contents, consumer info, pull",
		workersStream:           "info, delete consumer, consumer of contents, consumer info, pull",
		"OBJ_" + dataBucket:     "info, get, delete consumer, flow control, flow control in domain, consumer of contents",
		"OBJ_" + outcomesBucket: "info, get, delete consumer, flow control, flow control in domain, consumer of contents",
	}[stream]
	return ok && strings.Contains(", "+ops+", ", ", "+op+", ")
}

// everyOperation tries all operations on all streams and on the server as a
// user, one by one, and wants refused what it may not.
func (b *bundle) everyOperation(user, address string, may func(op, stream string) bool) {
	b.t.Helper()
	allowed := map[string]bool{} // subjects to publish to
	set := func(subject string, may bool) {
		// Users without streams in their account may ask the API by its domain alone.
		if abroad := strings.Replace(subject, "$JS.API.", "$JS.agepath.API.", 1); domainOf(user) != "" && abroad != subject {
			allowed[subject], subject = false, abroad
		}
		allowed[subject] = may
	}
	for stream, subjects := range contents {
		for op, pattern := range streamOperations {
			set(fmt.Sprintf(pattern, stream), may(op, stream))
		}
		for i, subject := range subjects {
			// A reader's name may be anything; its filter may not. Only the
			// second subject of an object store has names, the first the data.
			op := "consumer of contents"
			if i > 0 {
				op = "consumer of names"
			}
			set("$JS.API.CONSUMER.CREATE."+stream+".c."+subject, may(op, stream))
			set(subject, may("publish", stream))
		}
	}
	for _, subject := range []string{
		"$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$JS.API.META.LEADER.STEPDOWN", "$JS.API.META.RESCUE",
		"$JS.API.SERVER.REMOVE", "$JS.API.SERVER.EVACUATE", "$JS.API.ACCOUNT.PURGE.AGEPATH", "$JS.API.ACCOUNT.STREAM.MOVE.AGEPATH.AGEPATH_TASKS",
		"$SYS.REQ.SERVER.PING", "$SYS.REQ.USER.INFO", "$KV.x.y", "_INBOX.x", "_INBOX_agepath_worker.x", "_INBOX_agepath_coordinator.x", "_INBOX_agepath_viewer.x", "agepath.other.x", "other",
	} {
		set(subject, false)
	}
	said := &complaints{}
	conn, err := nats.Connect("nats://"+user+":"+user+"@"+address, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { said.add(err) }))
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close()
	listened := map[string]bool{"_INBOX_agepath_" + user + ".x": true}
	for _, subject := range []string{
		">", "agepath.>", "agepath.task.*.*", "agepath.result.*.*", "$JS.>", "$O.>", "$SYS.>", "_INBOX.>",
		"_INBOX_agepath_worker.x", "_INBOX_agepath_coordinator.x", "_INBOX_agepath_viewer.x", "_INBOX_agepath_other.x",
	} {
		if _, err := conn.SubscribeSync(subject); err != nil {
			b.t.Fatal(err)
		}
		if _, known := listened[subject]; !known {
			listened[subject] = false
		}
	}
	for subject := range allowed {
		if err := conn.Publish(subject, nil); err != nil {
			b.t.Fatal(err)
		}
	}
	const last = "the.last.one"
	if err := conn.Publish(last, nil); err != nil {
		b.t.Fatal(err)
	}
	b.await("the last operation of "+user+" is refused", func() bool { return strings.Contains(strings.Join(said.refused(), "\n"), `"`+last+`"`) })
	refusals := strings.Join(said.refused(), "\n")
	for kind, subjects := range map[string]map[string]bool{"Publish": allowed, "Subscription": listened} {
		for subject, want := range subjects {
			if refused := strings.Contains(refusals, kind+` to "`+subject+`"`); refused == want {
				b.t.Errorf("%s, %s to %s: refused is %v", user, kind, subject, refused)
			}
		}
	}
	b.t.Logf("%s: %d operations tried, %d refused", user, len(allowed)+len(listened), len(said.refused())-1)
}
