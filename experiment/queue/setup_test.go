package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
)

// ackWait of tests in which tasks are redelivered: short, but long enough for
// heartbeats at a third of it on a busy machine.
const ackWait = time.Second

// patience ends tests that hang. What they do takes seconds, on a busy machine many.
const patience = 4 * time.Minute

// serverProgram names a nats-server of another version to run the tests with,
// each on a process of its own, instead of the embedded one.
const serverProgram = "AGEPATH_NATS_SERVER"

// bundle is a server and a coordinator's queue connected to it.
type bundle struct {
	*Queue
	t      testing.TB
	ctx    context.Context
	server *Server // nil when url leads to it
	url    string
}

func setup(t testing.TB, wait time.Duration) *bundle {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	b := &bundle{t: t, ctx: ctx}
	if program := os.Getenv(serverProgram); program != "" {
		b.url = startProcess(t, program, "-js", "-sd", t.TempDir())
	} else {
		server, err := StartServer(ServerConfig{Dir: serverFolder(t)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Shutdown)
		b.server = server
	}
	b.Queue = b.connect(Config{AckWait: wait})
	if err := b.EnsureStreams(ctx); err != nil {
		t.Fatal(err)
	}
	return b
}

// serverFolder returns a folder that is removed after its server's last write: a server that was shut
// down still writes groups of tasks that are not complete.
func serverFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		(&bundle{t: t}).await("the server's folder is removed", func() bool { return os.RemoveAll(dir) == nil })
	})
	return dir
}

// startProcess starts a nats-server with arguments beside those that say where
// it listens, and returns its URL.
func startProcess(t testing.TB, program string, args ...string) (url string) {
	t.Helper()
	url, _ = startStoppable(t, program, args...)
	return url
}

// startStoppable is startProcess for a server that is killed before the test ends.
func startStoppable(t testing.TB, program string, args ...string) (url string, stop func()) {
	t.Helper()
	dir := t.TempDir()
	command := exec.Command(program, append(args, "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", dir)...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		command.Process.Kill()
		command.Wait()
	})
	t.Cleanup(stop)
	var ports struct{ Nats []string }
	b := bundle{t: t}
	b.await(program+" tells its port", func() bool {
		names, _ := filepath.Glob(filepath.Join(dir, "*.ports"))
		if len(names) == 0 {
			return false
		}
		text, err := os.ReadFile(names[0])
		return err == nil && json.Unmarshal(text, &ports) == nil && len(ports.Nats) > 0
	})
	return ports.Nats[0], stop
}

func (b *bundle) connect(config Config) *Queue {
	b.t.Helper()
	config.Server, config.URL = b.server, b.url
	config.Report = reports(b.t)
	q, err := Connect(b.ctx, config)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(q.Close)
	return q
}

// reports logs what is reported while the test runs; the client library's
// callbacks can come later.
func reports(t testing.TB) func(error) {
	var mu sync.Mutex
	ended := false
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
	})
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			t.Log("reported:", err)
		}
	}
}

// worker returns a puller with its own connection, as on another machine.
func (b *bundle) worker(config WorkerConfig) *Puller {
	b.t.Helper()
	if config.Idle == 0 {
		config.Idle = 50 * time.Millisecond
		if b.server == nil { // servers before 2.10 misnumber deliveries when requests expire often
			config.Idle = 500 * time.Millisecond
		}
	}
	p, err := b.connect(Config{}).Worker(config)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(p.Close)
	return p
}

func (b *bundle) publish(tasks ...experiment.Task) (published, refused int) {
	b.t.Helper()
	published, refused, err := b.Publish(b.ctx, sequence(tasks...))
	if err != nil {
		b.t.Fatal(err)
	}
	return published, refused
}

// publishAgain publishes tasks with a number.
func (b *bundle) publishAgain(number uint64, tasks ...experiment.Task) (published, refused int) {
	b.t.Helper()
	published, refused, err := b.PublishAgain(b.ctx, sequence(tasks...), func(string) uint64 { return number })
	if err != nil {
		b.t.Fatal(err)
	}
	return published, refused
}

// pull pulls a task that is there or about to come back.
func (b *bundle) pull(p *Puller) *Delivery {
	b.t.Helper()
	for {
		d, err := p.Pull(b.ctx)
		if empty := new(EmptyError); errors.As(err, &empty) && empty.InFlight > 0 {
			continue
		}
		if err != nil {
			b.t.Fatal(err)
		}
		return d
	}
}

// nothing checks that a worker gets no task for a while.
func (b *bundle) nothing(p *Puller, wait time.Duration) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, wait)
	defer cancel()
	d, err := p.Pull(ctx)
	if err == nil {
		b.t.Fatalf("pulled cell %s, delivery %d; want none for %v", d.Task.Cell, d.Delivered, wait)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		b.t.Fatal(err)
	}
}

func (b *bundle) counts(run string) Counts {
	b.t.Helper()
	c, err := b.Counts(b.ctx, run)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// wantCounts wants the stream to hold the run's tasks at once, and waits for
// Counts, whose Queued lags behind what the stream holds, to say the same.
func (b *bundle) wantCounts(run string, want Counts) {
	b.t.Helper()
	stream, err := b.js.Stream(b.ctx, tasksStream)
	if err != nil {
		b.t.Fatal(err)
	}
	info, err := stream.Info(b.ctx, jetstream.WithSubjectFilter(taskTopic.run(run)))
	if err != nil {
		b.t.Fatal(err)
	}
	if held := len(info.State.Subjects); held != want.Queued+want.InFlight {
		b.t.Fatalf("%d tasks of %s in the stream, want %+v", held, run, want)
	}
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		got := b.counts(run)
		if got == want {
			return
		}
		select {
		case <-ticker.C:
		case <-b.ctx.Done():
			b.t.Fatalf("counts of %s: %+v, want %+v", run, got, want)
		}
	}
}

func (b *bundle) results(run string) []*experiment.Outcome {
	b.t.Helper()
	var all []*experiment.Outcome
	for outcome, err := range b.Sift(b.ctx, run, false, nil) {
		if err != nil {
			b.t.Fatal(err)
		}
		all = append(all, outcome)
	}
	return all
}

// of makes an outcome that of a delivery.
func of(d *Delivery, o *experiment.Outcome) *experiment.Outcome {
	o.Run, o.Cell, o.Attempts = d.run, d.cell, d.Attempt
	return o
}

func (b *bundle) done(d *Delivery, outcome *experiment.Outcome) {
	b.t.Helper()
	if err := d.Done(b.ctx, of(d, outcome)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bundle) fails(d *Delivery, outcome *experiment.Outcome) (final bool) {
	b.t.Helper()
	final, err := d.Fail(b.ctx, of(d, outcome), 0)
	if err != nil {
		b.t.Fatal(err)
	}
	return final
}

// hasten makes the server believe in a worker of the run that is silent no
// longer than wait from now on. What was pulled before goes on with heartbeats
// for the AckWait before, which come too late.
func (b *bundle) hasten(run string, wait time.Duration) {
	b.t.Helper()
	b.config.AckWait = wait
	if err := b.tasks.open(b.ctx, run); err != nil {
		b.t.Fatal(err)
	}
}

// held returns the number of tasks of all runs, queued or in flight.
func (q *Queue) held(ctx context.Context) (int, error) {
	tasks, err := q.subjects(ctx, tasksStream, string(taskTopic)+">")
	delete(tasks, anchorSubject)
	return len(tasks), err
}

// await waits until a condition holds.
func (b *bundle) await(what string, holds func() bool) {
	b.t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			b.t.Fatalf("waited in vain: %s", what)
		}
	}
}

func sequence(tasks ...experiment.Task) iter.Seq2[experiment.Task, error] {
	return func(yield func(experiment.Task, error) bool) {
		for _, task := range tasks {
			if !yield(task, nil) {
				return
			}
		}
	}
}

// generate yields n tasks with cells c000000, c000001, ...
func generate(run string, n int) iter.Seq2[experiment.Task, error] {
	return func(yield func(experiment.Task, error) bool) {
		for i := range n {
			if !yield(task(run, fmt.Sprintf("c%06d", i)), nil) {
				return
			}
		}
	}
}

var labelColumns = []experiment.Column{
	{Name: "dataset", Type: experiment.Text}, {Name: "alpha", Type: experiment.Float}, {Name: "repeat", Type: experiment.Int},
}

func labels() experiment.Batch {
	var batch experiment.Batch
	if err := batch.Append(labelColumns, "diabetes", 0.1, 3); err != nil {
		panic(err)
	}
	return batch
}

func task(run, cell string) experiment.Task {
	return experiment.Task{
		Run: run, Cell: cell, Kind: "test", Labels: labels(), Cost: 0.5, Data: []string{"abc"},
		Spec: json.RawMessage(`{"alpha":0.1}`), Limits: experiment.Limits{Attempts: 3},
	}
}

func ok() *experiment.Outcome {
	now := time.Now().UTC()
	return &experiment.Outcome{Kind: "test", Labels: labels(), Status: experiment.OK, Computer: experiment.Computer{Worker: "w", Version: "v", Platform: "linux/amd64"}, Started: now, Finished: now}
}

func failure(message string) *experiment.Outcome {
	o := ok()
	o.Status, o.Error = experiment.Failed, message
	return o
}

func stop(s *server.Server) { (&Server{server: s}).Shutdown() }
