package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

// TestKilled kills the slot of one worker, and another worker with its slot, while commands
// run there whose folders have the cells' data. The first worker removes the slot's folder at
// once, and the next worker what the second one left; folders of living slots and of others stay.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir, temporary := t.TempDir(), t.TempDir()
	script := fmt.Sprintf(`read l; ls >%s/new-$$; mv %[1]s/new-$$ %[1]s/cell-$PPID-$$; exec sleep 200`, dir)
	text := "{name: killed, repeats: 9, split: {validation: 0}, data: [diabetes], models: [{lasso: {alpha: 0.1}}], " +
		"methods: [{command: {name: naps, run: [/bin/sh, naps.sh], files: [naps.sh]}}]}"
	if err := os.WriteFile(filepath.Join(dir, "naps.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	grid, err := experiment.Parse([]byte(text), filepath.Join(dir, "grid.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	server := testqueue.Server(t, "127.0.0.1:0")
	q := testqueue.Connect(t, queue.Config{Server: server})
	if _, err := run.Submit(t.Context(), q, grid, plan, run.Reuse{}); err != nil {
		t.Fatal(err)
	}

	seen := map[string]bool{}
	naps := func() (slot, command int) { // of the next cell that a command has got
		t.Helper()
		eventually(t, "a command has a cell", func() bool {
			list, _ := filepath.Glob(filepath.Join(dir, "cell-*"))
			for _, path := range list {
				if !seen[path] {
					seen[path] = true
					_, err := fmt.Sscanf(filepath.Base(path), "cell-%d-%d", &slot, &command)
					has, readErr := os.ReadFile(path)
					if err := errors.Join(err, readErr); err != nil || !strings.Contains(string(has), "data.arrow") {
						t.Errorf("the command's folder has %q: %v", has, err)
					}
					t.Cleanup(func() { _ = syscall.Kill(command, syscall.SIGKILL) })
					return true
				}
			}
			return false
		})
		return slot, command
	}
	start := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "--nats", server.URL(), "--allow-commands", "--slots", "1", "--cache", filepath.Join(dir, "cache"))
		cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+temporary, "PATH="+os.Getenv("PATH")+":/usr/bin:/bin")
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { // a second signal ends it though a command runs
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for {
				_ = cmd.Process.Signal(syscall.SIGTERM)
				select {
				case <-ended:
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
		return cmd
	}
	of := func(command int) string { // the folder that has the command's
		cwd, err := os.Readlink("/proc/" + strconv.Itoa(command) + "/cwd")
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Dir(cwd)
	}
	stay := func(folders ...string) {
		t.Helper()
		for _, folder := range folders {
			if _, err := os.Stat(folder); err != nil {
				t.Errorf("a folder is gone: %v", err)
			}
		}
	}
	goes := func(folder string) {
		t.Helper()
		eventually(t, folder+" is gone", func() bool {
			_, err := os.Stat(folder)
			return os.IsNotExist(err)
		})
	}

	others := filepath.Join(temporary, "agepath-command-others")
	if err := os.Mkdir(others, 0o700); err != nil {
		t.Fatal(err)
	}
	err = os.Chmod(others, 0o777)
	if os.Getuid() == 0 {
		err = errors.Join(os.Chmod(others, 0o700), os.Chown(others, 65534, -1))
	}
	if err != nil {
		t.Fatal(err)
	}

	start()
	slot, command := naps()
	left := of(command)
	stay(others, left)
	if err := syscall.Kill(slot, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	goes(left)
	_, living := naps()

	second := start()
	slot, command = naps()
	left = of(command)
	for _, pid := range []int{second.Process.Pid, slot} { // all at once
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	for _, pid := range []int{slot, second.Process.Pid, command} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	_ = second.Wait() // it was killed
	stay(others, of(living), left)
	start()
	goes(left)
	stay(others, of(living))
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}
