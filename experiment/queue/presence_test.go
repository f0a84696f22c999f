package queue

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestGhostWorkers has a thousand workers that say as much as they may: readers stay
// small, and hear of the workers that say little. It runs alone, as the memory of the
// process is measured.
func TestGhostWorkers(t *testing.T) {
	needs.Patience(t, "2 s")
	b := setup(t, 30*time.Second)
	cells := strings.TrimSuffix(strings.Repeat(`{"run":"r","cell":"c"},`, (presenceBytes-1000)/23), ",")
	say := func(name, running string) {
		t.Helper()
		msg := nats.NewMsg(string(workerTopic) + name)
		msg.Data = fmt.Appendf(nil, `{"name":%q,"state":"working","slots":2,"running":[%s]}`, name, running)
		if _, err := b.js.PublishMsg(b.ctx, msg); err != nil {
			t.Fatal(err)
		}
	}
	const ghosts = 1000 // read without a bound they take 100 MB
	for i := range ghosts {
		say(fmt.Sprintf("ghost-%d", i), cells)
	}
	say("longer", strings.Repeat(cells+",", 2)+cells)
	say("true", `{"run":"run","cell":"cell"}`)
	heap := func() int64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	if _, _, err := b.Workers(b.ctx); err != nil { // the server keeps what it has read once
		t.Fatal(err)
	}
	before := heap()
	workers, refused, err := b.Workers(b.ctx)
	took := heap() - before
	if err != nil || len(workers)+refused != ghosts+2 || refused < ghosts/2 || len(workers) < 2 {
		t.Errorf("%d workers, %d refused, %v", len(workers), refused, err)
	}
	if !slices.ContainsFunc(workers, func(p Presence) bool { return p.Name == "true" && len(p.Running) == 1 }) {
		t.Error("the true worker is not among them")
	}
	if t.Logf("%d MB", took>>20); took > 50<<20 {
		t.Errorf("the workers take %d MB", took>>20)
	}
	runtime.KeepAlive(workers)
}

// TestPresenceOfManySlots wants a worker of many slots to be heard of.
func TestPresenceOfManySlots(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	busy := Presence{Name: "busy", State: Working, At: time.Now(), Slots: 5000, Running: make([]Running, 5000)}
	for i := range busy.Running {
		busy.Running[i] = Running{Run: "run", Cell: fmt.Sprintf("%032x", i), Since: time.Now()}
	}
	if err := b.Announce(&busy); err != nil {
		t.Fatal(err)
	}
	b.await("the worker is heard of", func() bool {
		workers, refused, err := b.Workers(b.ctx)
		if err != nil || refused > 0 {
			t.Fatalf("%d refused, %v", refused, err)
		}
		return len(workers) == 1 && workers[0].Slots == 5000 && len(workers[0].Running) > 100
	})
}

// TestWorkersOnce wants each worker to be listed once, with what it said last, although workers
// announce themselves again while they are read.
func TestWorkersOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Second)
	const workers = 500
	announce := func(i int, done int64) {
		if err := b.Announce(&Presence{Name: fmt.Sprintf("worker-%03d", i), State: Working, At: time.Now(), Slots: 1, Done: done}); err != nil {
			t.Error(err)
		}
	}
	for i := range workers {
		announce(i, 0)
	}
	if err := b.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Microsecond):
				announce(i%workers, int64(1+i/workers))
			}
		}
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	latest := map[string]int64{}
	for range 100 {
		list, refused, err := b.Workers(b.ctx)
		if err != nil || refused != 0 || len(list) == 0 {
			t.Fatalf("%d workers, %d refused, %v", len(list), refused, err)
		}
		for i, p := range list {
			if i > 0 && p.Name == list[i-1].Name || p.Done < latest[p.Name] {
				t.Fatalf("%s is listed with %d cells after %s with %d; before it had %d", p.Name, p.Done, list[max(i-1, 0)].Name, list[max(i-1, 0)].Done, latest[p.Name])
			}
			latest[p.Name] = p.Done
		}
	}
	if len(latest) != workers {
		t.Errorf("%d workers are heard of, want %d", len(latest), workers)
	}
}
