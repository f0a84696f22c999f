package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

// homeless makes the environment of a user without a home folder, as in a container.
func homeless(cmd *exec.Cmd) *exec.Cmd {
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = slices.DeleteFunc(cmd.Env, func(variable string) bool {
		return strings.HasPrefix(variable, "HOME=") || strings.HasPrefix(variable, "XDG_CACHE_HOME=")
	})
	return cmd
}

// TestNoHome runs all that needs no download without a home folder.
func TestNoHome(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	write(t, dir, "data.csv", table)
	grid, out := write(t, dir, "grid.yaml", dataGrid), filepath.Join(dir, "out")
	runs := func(args ...string) string {
		t.Helper()
		text, err := homeless(process(ctx, args...)).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, text)
		}
		return string(text)
	}
	runs("plan", grid)
	if text, err := homeless(process(ctx, "run", grid, "--out", "~/out")).CombinedOutput(); err == nil || !strings.Contains(string(text), "; give the path in full") {
		t.Errorf("without a home folder: %v\n%s", err, text)
	}
	runs("run", grid, "--out", out, "--workers", "1")
	runs("verify", out)
	runs("datasets", "list")
	runs("replay", out, cellsOf(t, out)[0])

	server := testqueue.Server(t, "127.0.0.1:0")
	temporary := t.TempDir()
	remote := homeless(process(ctx, "run", grid, "--out", filepath.Join(dir, "remote"), "--workers", "1", "--nats", server.URL()))
	remote.Env = append(remote.Env, "TMPDIR="+temporary)
	if text, err := remote.CombinedOutput(); err != nil {
		t.Fatalf("run at a server: %v\n%s", err, text)
	}
	runs("submit", write(t, dir, "again.yaml", "seed: 2\n"+dataGrid), "--nats", server.URL())
	worker := homeless(exec.CommandContext(ctx, builtWorker(t), "--nats", server.URL(), "--drain", "--slots", "1"))
	worker.Env = append(worker.Env, "TMPDIR="+temporary)
	text, err := worker.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "there is no cache folder") {
		t.Errorf("worker: %v\n%s", err, text)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}

	fetch := homeless(process(ctx, "datasets", "fetch", "music"))
	text, err = fetch.CombinedOutput()
	if fetch.ProcessState.ExitCode() != command.ExitRefused || !strings.Contains(string(text), "--cache DIR") {
		t.Errorf("fetch: %v\n%s", err, text)
	}
}
