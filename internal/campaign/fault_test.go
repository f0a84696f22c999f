//go:build unix

package campaign

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fault is something bad that happens to a deployment. It returns what sets it
// right again, and after how long; nil for what is over at once.
type fault struct {
	name string
	do   func(d *deployment) (heal func(), after time.Duration)
}

const (
	// ackWait is after which time without a word the cells of a worker are given
	// to others.
	ackWait = 2 * time.Second
	// stale is after which time without an answer the programs close a connection:
	// the third ping in a row, one every ten seconds.
	stale = 30 * time.Second
)

// isolation takes so long that it happens once in a campaign, and only with AGEPATH_LONG=1.
const isolation = "packets of a host lost until its connections count as stale"

var faults = []fault{
	{"kill -9 of a worker", func(d *deployment) (func(), time.Duration) {
		d.hit(d.anyWorker(), syscall.SIGKILL)
		return nil, 0
	}},
	{"SIGTERM to a worker", func(d *deployment) (func(), time.Duration) {
		d.hit(d.anyWorker(), syscall.SIGTERM)
		return nil, 0
	}},
	{"kill -9 of a coordinator", func(d *deployment) (func(), time.Duration) {
		d.hit(d.anyCoordinator(), syscall.SIGKILL)
		return nil, 0
	}},
	{"SIGTERM to a coordinator", func(d *deployment) (func(), time.Duration) {
		d.hit(d.anyCoordinator(), syscall.SIGTERM)
		return nil, 0
	}},
	{"stop of a NATS node", func(d *deployment) (func(), time.Duration) {
		n := d.nodes[d.random.IntN(len(d.nodes))]
		n.stop()
		return func() { n.start(d.t) }, d.between(500*time.Millisecond, 2*time.Second)
	}},
	{"SIGSTOP of a worker beyond AckWait", func(d *deployment) (func(), time.Duration) {
		w := d.anyWorker()
		d.hit(w, syscall.SIGSTOP)
		return func() { w.signal(syscall.SIGCONT) }, ackWait + d.between(500*time.Millisecond, time.Second)
	}},
	{"cut of a host's connections", func(d *deployment) (func(), time.Duration) {
		return d.anyHost().cut(), d.between(100*time.Millisecond, 2*time.Second)
	}},
	{"packets of a host lost for less than AckWait", func(d *deployment) (func(), time.Duration) {
		return d.anyHost().lose(), d.between(300*time.Millisecond, ackWait-300*time.Millisecond)
	}},
	{"packets of a host lost beyond AckWait", func(d *deployment) (func(), time.Duration) {
		return d.anyHost().lose(), ackWait + d.between(500*time.Millisecond, 2*time.Second)
	}},
	{isolation, func(d *deployment) (func(), time.Duration) {
		return d.isolate(), stale + d.between(time.Second, 3*time.Second)
	}},
	{"500 ms latency of a host", func(d *deployment) (func(), time.Duration) {
		return d.anyHost().slow(), d.between(time.Second, 3*time.Second)
	}},
	{"full disk for the results", func(d *deployment) (func(), time.Duration) {
		return fill(d.t, filepath.Dir(d.outs[d.random.IntN(len(d.outs))])), d.between(2*time.Second, 3*time.Second)
	}},
	{"full disk for a worker's cache", func(d *deployment) (func(), time.Duration) {
		at := d.random.IntN(len(d.workers))
		heal := fill(d.t, d.caches[at])
		removeFiles(d.t, d.caches[at])
		d.hit(d.workers[at], syscall.SIGKILL) // the next one has to write the data sets
		return heal, d.between(time.Second, 2*time.Second)
	}},
	{"hostile messages of all kinds that workers may send", func(d *deployment) (func(), time.Duration) {
		d.attack()
		return nil, 0
	}},
	{"corrupt files in the caches", func(d *deployment) (func(), time.Duration) {
		for _, cache := range d.caches {
			corrupt(d.t, cache, d.random)
		}
		d.hit(d.anyWorker(), syscall.SIGKILL) // the next one has to read them
		return nil, 0
	}},
}

// fill fills the disk of a folder and returns what empties it again.
func fill(t *testing.T, dir string) (empty func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	file, err := os.Create(path)
	if err != nil {
		t.Error(err)
		return func() {}
	}
	for block := make([]byte, 64<<10); err == nil; {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

func cached(t *testing.T, cache string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(cache, "*.data"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func removeFiles(t *testing.T, cache string) {
	t.Helper()
	for _, path := range cached(t, cache) {
		_ = os.Remove(path) // a worker can have been faster
	}
}

// corrupt changes a byte of each data set, or cuts it short.
func corrupt(t *testing.T, cache string, random *rand.Rand) {
	t.Helper()
	for _, path := range cached(t, cache) {
		bytes, err := os.ReadFile(path)
		if err != nil || len(bytes) == 0 {
			continue
		}
		at := random.IntN(len(bytes))
		bytes[at] ^= 1 << random.IntN(8)
		if random.IntN(2) == 0 {
			bytes = bytes[:at]
		}
		if err := os.WriteFile(path, bytes, 0o600); err != nil && !strings.Contains(err.Error(), "no space left") {
			t.Error(err)
		}
	}
}
