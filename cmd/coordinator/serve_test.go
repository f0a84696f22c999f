package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
)

// TestServe watches a sweep by its metrics, from a server without streams to
// the last cell, and ends by a signal.
func TestServe(t *testing.T) {
	t.Parallel()
	r := startRemote(t)
	dir := t.TempDir()
	write(t, dir, "data.csv", table)
	grid := write(t, dir, "grid.yaml", "name: watched\nrepeats: 3\n"+dataGrid)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	reader, writer := io.Pipe()
	env := map[string]string{"AGEPATH_LISTEN": "127.0.0.1:0"}
	ended := make(chan int, 1)
	go func() {
		ended <- execute(ctx, []string{"serve", "--nats", r.url}, command.Streams{
			In: strings.NewReader(""), Out: writer, Err: io.Discard,
			Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok },
		})
		writer.Close()
	}()
	address, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatalf("serve tells no address: %v", err)
	}
	address = strings.TrimSpace(address)
	await := func(path string, status int, text string) {
		t.Helper()
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			got, body := get(t, ctx, address+path)
			if got == status && strings.Contains(body, text) {
				return
			}
			select {
			case <-ticker.C:
			case <-ctx.Done():
				t.Fatalf("waiting for %s in %s; it is, with status %d,\n%s", text, path, got, body)
			}
		}
	}
	await("readyz", http.StatusServiceUnavailable, "AGEPATH_TASKS")
	await("healthz", http.StatusOK, "ok")
	run, _, _ := strings.Cut(must(t, "submit", grid, "--nats", r.url).out, ":")
	await("readyz", http.StatusOK, "ok")
	await("metrics", http.StatusOK, `agepath_queue_tasks{run="`+run+`",state="queued"} 3`)
	await("", http.StatusOK, "agepath")
	_, wait := r.work(t, "--drain")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	await("metrics", http.StatusOK, `agepath_cells{run="`+run+`",status="ok"} 3`)
	await("state.json", http.StatusOK, `"phase":"finished"`)
	await("state.json", http.StatusOK, `"dataset":"data","method":"original","cells":3,"done":3,"failed":0`)
	cancel()
	if code := <-ended; code != command.ExitDone {
		t.Errorf("exit status %d after a signal", code)
	}
}

func get(t *testing.T, ctx context.Context, address string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// TestServeRefusals wants addresses that are none, or taken, to be refused.
func TestServeRefusals(t *testing.T) {
	t.Parallel()
	wantRefusal(t, do(t, "serve", "--nats", "nats://127.0.0.1:1", "--listen", "8480"), []string{"--listen", "8480", "127.0.0.1:8480"})
	wantRefusal(t, do(t, "serve", "--listen", "127.0.0.1:0"), []string{"no NATS server"})
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	wantRefusal(t, do(t, "serve", "--nats", "nats://127.0.0.1:1", "--listen", taken.Addr().String()), []string{"--listen", "in use"})
}
