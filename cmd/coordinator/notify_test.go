package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// told is a webhook that keeps the objects it gets.
type told struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

func startTold(t *testing.T) *told {
	t.Helper()
	h := new(told)
	h.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.bodies = append(h.bodies, string(body))
	}))
	t.Cleanup(h.Close)
	return h
}

// all returns the objects so far, which conform to their schema.
func (h *told) all(t *testing.T) (objects []map[string]any) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, body := range h.bodies {
		objects = append(objects, conforms(t, "notify", body))
	}
	return objects
}

// TestNotifyRun has runs that end well and with failed cells.
func TestNotifyRun(t *testing.T) {
	t.Parallel()
	h := startTold(t)
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", comparedGrid)
	args := []string{"run", grid, "--workers", "1", "--figures", "0", "--notify", h.URL}
	must(t, append(args, "--out", filepath.Join(dir, "well"))...)
	objects := h.all(t)
	if len(objects) != 1 {
		t.Fatalf("told %v", objects)
	}
	wantAt(t, objects[0], []any{"event", "ended"}, []any{"run", "phase", "finished"}, []any{"run", "cells", 6.0}, []any{"run", "ended", 6.0}, []any{"run", "failed", 0.0}, []any{"limit", nil})
	failed := do(t, append(args, "--out", filepath.Join(dir, "failed"), "--set", "limits.timeout=1ns", "--set", "limits.attempts=1")...)
	if objects = h.all(t)[1:]; failed.code != command.ExitFailed || len(objects) != 2 {
		t.Fatalf("exit %d, told %v", failed.code, objects)
	}
	wantAt(t, objects[0], []any{"event", "failure-rate"}, []any{"limit", failureRate})
	wantAt(t, objects[1], []any{"event", "ended"}, []any{"run", "failed", 6.0})
}

// TestNotifyCommand has a run with a command that fails, which changes nothing about the
// run.
func TestNotifyCommand(t *testing.T) {
	t.Parallel()
	needs.Program(t, "commands that are told of events", "sh")
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", comparedGrid)
	file := filepath.Join(dir, "config.yaml")
	write(t, dir, "config.yaml", "notify-command: exit 7\nnotify-failures: 0\n")
	broken := must(t, "run", grid, "--workers", "1", "--figures", "0", "--out", filepath.Join(dir, "broken"), "--config", file)
	if !strings.Contains(broken.err, "a notification was not sent") || !strings.Contains(broken.err, "exit status 7") {
		t.Errorf("log:\n%s", broken.err)
	}
}

// TestNotifyServe watches a run at a server.
func TestNotifyServe(t *testing.T) {
	needs.Patience(t, "6 s")
	t.Parallel()
	r := startRemote(t)
	dir := t.TempDir()
	write(t, dir, "data.csv", table)
	grid := write(t, dir, "grid.yaml", "name: watched\nrepeats: 3\n"+dataGrid)
	h := startTold(t)
	s := startServe(t, "--nats", r.url, "--notify", h.URL)
	must(t, "submit", grid, "--nats", r.url)
	s.await("state.json", http.StatusOK, `"queued":6`)
	_, wait := r.work(t, "--drain")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for len(h.all(t)) == 0 {
		select {
		case <-ticker.C:
		case <-s.ctx.Done():
			t.Fatal("the end of the run is not told")
		}
	}
	s.wantEnd()
	objects := h.all(t)
	if len(objects) != 1 {
		t.Errorf("told %v", objects)
	}
	wantAt(t, objects[0], []any{"event", "ended"}, []any{"run", "phase", "finished"}, []any{"run", "ended", 6.0})
}

func TestNotifyRefusals(t *testing.T) {
	t.Parallel()
	grid := write(t, t.TempDir(), "grid.yaml", comparedGrid)
	wantRefusal(t, do(t, "run", grid, "--notify", "example.org/key"), []string{"--notify", "https://"})
	wantRefusal(t, do(t, "run", grid, "--notify-failures", "1.5"), []string{"--notify-failures", "0 to 1"})
	for _, args := range [][]string{{"submit", grid}, {"collect", "run", "--out", "out"}, {"retry", "run"}} {
		wantRefusal(t, do(t, append(args, "--notify", "https://example.org")...), []string{"--notify"})
	}
}
