package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

// TestHealthChecks wants a worker to be alive while it waits for a server, and
// ready once it has found one.
func TestHealthChecks(t *testing.T) {
	t.Parallel()
	address := needs.FreePorts(t, 1)[0]
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	log, written := io.Pipe()
	ended := make(chan int, 1)
	go func() { // ends with ctx
		ended <- execute(ctx, []string{"--nats", "nats://" + address, "--slots", "1", "--health", "127.0.0.1:0", "--log-format", "json", "--cache", t.TempDir()},
			command.Streams{Out: io.Discard, Err: written, Env: func(string) (string, bool) { return "", false }})
		written.Close()
	}()
	var line struct{ Address string }
	if err := json.NewDecoder(log).Decode(&line); err != nil || line.Address == "" {
		t.Fatalf("the first line of the log tells no address: %v", err)
	}
	go io.Copy(io.Discard, log) // ends with the worker
	get := func(path string) (int, string) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+line.Address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, strings.TrimSpace(string(text))
	}
	if code, text := get("/healthz"); code != http.StatusOK || text != "ok" {
		t.Errorf("healthz before there is a server: %d %s", code, text)
	}
	if code, text := get("/readyz"); code != http.StatusServiceUnavailable || text != "the worker does not pull tasks" {
		t.Errorf("readyz before there is a server: %d %s", code, text)
	}
	testqueue.Server(t, address)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for code := 0; code != http.StatusOK; <-ticker.C {
		code, _ = get("/readyz")
	}
	if code, text := get("/healthz"); code != http.StatusOK {
		t.Errorf("healthz of a worker: %d %s", code, text)
	}
	cancel()
	if code := <-ended; code != command.ExitDone {
		t.Errorf("exit status %d", code)
	}
}
