package main

import (
	"bytes"
	"cmp"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// listening is a run that listens for workers, as a process.
type listening struct {
	t    *testing.T
	args []string
	out  string
	long time.Duration // after which the process is killed; default: a minute
	cmd  *exec.Cmd
	log  *bytes.Buffer
}

// start starts the run, or does so again, and returns the URL of its server once the
// file for workers is there.
func (l *listening) start() (url string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.t.Context()), cmp.Or(l.long, time.Minute))
	l.t.Cleanup(cancel)
	l.log = new(bytes.Buffer)
	l.cmd = process(ctx, l.args...)
	l.cmd.Stderr = l.log
	if err := l.cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	file := filepath.Join(l.out, workerFile)
	for {
		if text, err := os.ReadFile(file); err == nil {
			match := regexp.MustCompile(`^nats: (nats://\S+)\n$`).FindSubmatch(text)
			if match == nil {
				l.t.Fatalf("%s says %q", file, text)
			}
			return string(match[1])
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			l.t.Fatal("no file for workers in time")
		}
	}
}

// TestListen has two workers compute a run that listens and has no slots. A worker without
// its token is refused, and what the others computed are the numbers of one machine.
func TestListen(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	grid := write(t, dir, "grid.yaml", allMethods)
	l := &listening{t: t, out: out, args: []string{"run", grid, "--out", out, "--figures", "0", "--workers", "0", "--listen", "127.0.0.1:0"}}
	url := l.start()
	match := regexp.MustCompile(`^nats://([A-Z2-7]{26})@(127\.0\.0\.1:\d+)$`).FindStringSubmatch(url)
	if match == nil {
		t.Fatalf("the URL for workers is %s", url)
	}
	token, address := match[1], match[2]
	file := filepath.Join(out, workerFile)
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file for workers: %v, error %v", info.Mode(), err)
	}
	for _, bad := range []string{"", strings.Repeat("A", len(token)) + "@", "user:" + token + "@"} {
		q, err := queue.Connect(t.Context(), queue.Config{URL: "nats://" + bad + address})
		if err == nil {
			q.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "Authorization Violation") {
			t.Errorf("connecting with the login %q: %v", bad, err)
		}
	}
	refused := exec.Command(builtWorker(t), "--nats", address, "--drain")
	if text, err := refused.CombinedOutput(); err == nil || !strings.Contains(string(text), "Authorization Violation") {
		t.Errorf("a worker without the token: %v\n%s", err, text)
	}

	var workers []*exec.Cmd
	for range 2 {
		worker := exec.Command(builtWorker(t), "--config", file, "--drain", "--slots", "1")
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		workers = append(workers, worker)
	}
	for _, worker := range workers {
		if err := worker.Wait(); err != nil {
			t.Errorf("a worker: %v", err)
		}
	}
	if err := l.cmd.Wait(); err != nil {
		t.Fatalf("the run: %v\n%s", err, l.log)
	}
	if !strings.Contains(l.log.String(), "worker --drain --config "+file) || strings.Contains(l.log.String(), token) {
		t.Errorf("the log does not say how to start workers, or says the token:\n%s", l.log)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file for workers was left behind")
	}
	alone := filepath.Join(dir, "alone")
	must(t, "run", grid, "--out", alone, "--figures", "0")
	wantSameNumbers(t, numbers(t, alone), numbers(t, out))
}

// TestListenKilled kills a run that listens. Its workers find the next one, which has
// another server at the same address, and compute what is missing.
func TestListenKilled(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port.Close()
	l := &listening{t: t, out: out, args: append(longGrid(t, dir, out), "--workers", "0", "--listen", port.Addr().String())}
	url := l.start()
	var workers []*exec.Cmd
	for range 2 {
		worker := exec.Command(builtWorker(t), "--config", filepath.Join(out, workerFile), "--drain", "--slots", "1")
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		workers = append(workers, worker)
	}
	k := kindsOfGrids["self-paced"]
	for had := 0; had == 0; had = k.has(t, out) {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
	if err := l.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = l.cmd.Wait() // it was killed
	if had := k.has(t, out); had == 64 {
		t.Fatal("it was complete before it was killed")
	}
	if again := l.start(); again != url {
		t.Errorf("started again it is at %s, before at %s", again, url)
	}
	if err := l.cmd.Wait(); err != nil {
		t.Fatalf("the second run: %v\n%s", err, l.log)
	}
	for _, worker := range workers {
		if err := worker.Wait(); err != nil {
			t.Errorf("a worker: %v", err)
		}
	}
	undisturbed := filepath.Join(dir, "undisturbed")
	must(t, longGrid(t, dir, undisturbed)...)
	wantSameNumbers(t, numbers(t, undisturbed), numbers(t, out))
	wantNoRemains(t, out)
}

// TestListenRefused wants what cannot be listened with to be refused before anything else.
func TestListenRefused(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct{ args, want []string }{
		{[]string{"--listen", "4222"}, []string{"--listen", "host:port"}},
		{[]string{"--listen", taken.Addr().String()}, []string{"--listen", "in use"}},
		{[]string{"--listen", "127.0.0.1:0", "--nats", "nats://127.0.0.1:1"}, []string{"--listen", "--nats", "one of them"}},
		{[]string{"--listen", "127.0.0.1:0", "--ack-wait", "10ms"}, []string{"--ack-wait", "from 1s"}},
		{[]string{"--workers", "0"}, []string{"--workers", "--nats", "--listen"}},
	} {
		wantRefusal(t, do(t, append([]string{"run", "none.yaml"}, c.args...)...), c.want)
	}
}
