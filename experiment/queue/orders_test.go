package queue

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestPause wants no task of a paused run pulled, by workers that know the run and by
// new ones, those of another run nevertheless, and all of them once it is resumed.
func TestPause(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	b.publish(task("run", "a"), task("run", "b"), task("run", "c"))
	w := b.worker(WorkerConfig{})
	running := b.pull(w)
	if changed, err := b.Pause(b.ctx, "run"); !changed || err != nil {
		t.Fatalf("pausing: %v, %v", changed, err)
	}
	if changed, err := b.Pause(b.ctx, "run"); changed || err != nil {
		t.Fatalf("pausing again: %v, %v", changed, err)
	}
	paused := time.Now()
	b.await("the worker has heard of it", func() bool { return time.Since(paused) > w.config.Idle })
	for _, p := range []*Puller{w, b.worker(WorkerConfig{})} {
		b.nothing(p, 4*p.config.Idle)
	}
	b.done(running, ok()) // what runs goes on
	b.publish(task("other", "x"))
	other := b.pull(w)
	if other.Task.Run != "other" {
		t.Fatalf("pulled a cell of %s", other.Task.Run)
	}
	b.done(other, ok())

	// A worker that drains the queue does not wait for it.
	drain := b.worker(WorkerConfig{Drain: true})
	d, err := drain.Pull(b.ctx)
	if empty, ok := errors.AsType[*EmptyError](err); !ok || empty.InFlight != 0 || empty.Paused != 2 || !strings.Contains(err.Error(), "2 cells of paused runs") {
		t.Errorf("draining gives %v, %v", d, err)
	}
	// Publishing and reopening leave it paused.
	b.publishAgain(0, task("run", "d"))
	if err := b.Reopen(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	if c := b.counts("run"); !c.Paused || c.Queued+c.InFlight != 3 || c.Done != 1 {
		t.Errorf("the counts of the paused run are %+v", c)
	}
	b.nothing(w, 4*w.config.Idle)

	if changed, err := b.Resume(b.ctx, "run"); !changed || err != nil {
		t.Fatalf("resuming: %v, %v", changed, err)
	}
	for range 3 {
		d := b.pull(w)
		if d.Attempt != 1 {
			t.Errorf("cell %s: attempt %d", d.Task.Cell, d.Attempt)
		}
		b.done(d, ok())
	}
	b.wantCounts("run", Counts{Done: 4})
	if err := b.Cancel(b.ctx, "run"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Pause(b.ctx, "run"); !errors.Is(err, ErrNotOpen) {
		t.Errorf("pausing a cancelled run: %v", err)
	}
}

// TestPauseOverRestart wants a paused run paused, and its limits kept, when the server
// was started again, also Debian's nats-server 2.9.
func TestPauseOverRestart(t *testing.T) {
	t.Parallel()
	limits := experiment.Limits{Timeout: time.Hour, Memory: 1 << 30, Attempts: 2}
	check := func(t *testing.T, start func(dir string) (*bundle, func())) {
		dir := t.TempDir()
		b, stop := start(dir)
		if err := b.EnsureStreams(b.ctx); err != nil {
			t.Fatal(err)
		}
		b.publish(task("run", "a"))
		if _, err := b.Pause(b.ctx, "run"); err != nil {
			t.Fatal(err)
		}
		if changed, err := b.SetLimits(b.ctx, "run", limits); !changed || err != nil {
			t.Fatalf("limits: %v, %v", changed, err)
		}
		if changed, err := b.SetLimits(b.ctx, "run", limits); changed || err != nil {
			t.Fatalf("the same limits: %v, %v", changed, err)
		}
		b.Close()
		stop()
		b, stop = start(dir)
		defer stop()
		w := b.worker(WorkerConfig{})
		b.nothing(w, 4*w.config.Idle)
		if c := b.counts("run"); !c.Paused || c.Queued+c.InFlight != 1 {
			t.Errorf("after the restart: %+v", c)
		}
		if _, err := b.Resume(b.ctx, "run"); err != nil {
			t.Fatal(err)
		}
		if d := b.pull(w); d.Task.Limits != limits {
			t.Errorf("after the restart the limits are %+v", d.Task.Limits)
		}
		w.Close()
	}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		check(t, func(dir string) (*bundle, func()) {
			server, err := StartServer(ServerConfig{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			b := &bundle{t: t, ctx: t.Context(), server: server}
			b.Queue = b.connect(Config{})
			return b, server.Shutdown
		})
	})
	t.Run("nats-server", func(t *testing.T) {
		t.Parallel()
		program := needs.Program(t, "a server of another version", "nats-server", "/usr/sbin/nats-server")
		check(t, func(dir string) (*bundle, func()) {
			b := &bundle{t: t, ctx: t.Context()}
			url, stop := startStoppable(t, program, "-js", "-sd", dir)
			b.url = url
			b.Queue = b.connect(Config{})
			return b, stop
		})
	})
}

// TestLimitsOfTasks wants queued tasks to have the limits that were set last, and those
// in flight to be tried again with them where they fell short.
func TestLimitsOfTasks(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	short := task("run", "a")
	short.Limits = experiment.Limits{Timeout: time.Second, Attempts: 1}
	queued := short
	queued.Cell = "b"
	b.publish(short, queued)
	w := b.worker(WorkerConfig{})
	running := b.pull(w)
	long := experiment.Limits{Timeout: time.Hour, Memory: 5, Attempts: 1}
	if _, err := b.SetLimits(b.ctx, "run", long); err != nil {
		t.Fatal(err)
	}
	late := failure("not done within 1s")
	late.Status, late.Short = experiment.Timeout, 1
	if final, err := running.Fail(b.ctx, of(running, late), 0); final || err != nil {
		t.Fatalf("a timeout below the limit of now: final %v, error %v", final, err)
	}
	for range 2 {
		d := b.pull(w)
		if d.Task.Limits != long || d.Attempt != 1 {
			t.Errorf("cell %s: limits %+v, attempt %d", d.Task.Cell, d.Task.Limits, d.Attempt)
		}
		if body, err := DecodeTask(d.Body()); err != nil || !reflect.DeepEqual(*body, d.Task) {
			t.Errorf("cell %s: the body says %+v, %v", d.Task.Cell, body, err)
		}
		late.Short = time.Hour.Seconds()
		if final, err := d.Fail(b.ctx, of(d, late), 0); !final || err != nil {
			t.Errorf("a timeout at the limit of now: final %v, error %v", final, err)
		}
	}
	// A task is newer than what a worker heard before.
	longer := experiment.Limits{Timeout: 2 * time.Hour, Attempts: 1}
	if _, err := b.SetLimits(b.ctx, "run", longer); err != nil {
		t.Fatal(err)
	}
	short.Limits = longer
	b.publishAgain(1, short)
	if d := b.pull(w); d.Task.Limits != longer {
		t.Errorf("the newest task has the limits %+v", d.Task.Limits)
	}
	for ended, err := range b.Done(b.ctx, "run") {
		if err != nil || ended.Status != experiment.Timeout || ended.Short != 3600 || ended.Repeats {
			t.Errorf("%+v, %v", ended, err)
		}
	}
}

// TestFailRepeats wants a failure that comes each time to use up no further attempt.
func TestFailRepeats(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	b.publish(task("run", "a"))
	outcome := failure("bad data")
	outcome.Repeats = true
	if !b.fails(b.pull(b.worker(WorkerConfig{})), outcome) {
		t.Error("it is tried again")
	}
	for ended, err := range b.Done(b.ctx, "run") {
		if err != nil || ended.Status != experiment.Failed || !ended.Repeats {
			t.Errorf("%+v, %v", ended, err)
		}
	}
	if all := b.results("run"); len(all) != 1 || all[0].Attempts != 1 || !all[0].Repeats {
		t.Errorf("the results are %+v", all)
	}
}

// TestReadOrders wants no orders of a description that is none.
func TestReadOrders(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "agepath: tasks of run a", "{", `{"paused":1}`, `{"limits":{"timeout":-1}}`, `{"limits":{"attempts":-1}}`,
		`{"paused":true,"x":"` + strings.Repeat("x", maxDescription) + `"}`,
	} {
		if orders := readOrders(text); orders != (Orders{}) {
			t.Errorf("%.40q gives %+v", text, orders)
		}
	}
}

// TestLimitsWhileBeating gives a task new limits during a heartbeat, for the race detector.
func TestLimitsWhileBeating(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	b.publish(task("run", "a"))
	w := b.worker(WorkerConfig{})
	d := b.pull(w)
	limits := experiment.Limits{Timeout: time.Hour}
	if _, err := b.SetLimits(b.ctx, "run", limits); err != nil {
		t.Fatal(err)
	}
	w.refresh(b.ctx, d.from)
	beaten := make(chan struct{})
	go func() {
		defer close(beaten)
		time.Sleep(200 * time.Millisecond) // not ordered after the limits by any lock
		d.tick()
	}()
	if err := w.limit(b.ctx, d); err != nil {
		t.Error(err)
	}
	<-beaten
	if d.Task.Limits != limits {
		t.Errorf("limits %+v, want %+v", d.Task.Limits, limits)
	}
	b.done(d, ok())
}
