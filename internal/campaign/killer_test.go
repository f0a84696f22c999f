//go:build unix

package campaign

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/results"
)

// TestWorkerKiller has a cell that kills the worker itself, not only the process
// of its slot: after two deaths it is given up, and all other cells are fine.
func TestWorkerKiller(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for workers to be believed dead")
	}
	s := startScale(t)
	path := write(t, "killer", 20, 5)
	grid, err := experiment.ParseFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	var killer string
	for id := range plan.IDs() {
		killer = id
	}
	var list []*member
	for range 2 {
		w := &member{
			name: "worker", path: os.Args[0], args: []string{s.url, "2", s.cache},
			env: []string{asProgram + "=worker", stayVariable + "=1", killerVariable + "=" + killer},
		}
		w.launch(t)
		list = append(list, w)
	}
	out := filepath.Join(t.TempDir(), "out")
	coordinator := exec.Command(builtProgram(t, "coordinator"), "run", path, "--out", out, "--nats", s.url, "--workers", "0", "--ack-wait", "1s", "--figures", "0")
	text, _ := coordinator.CombinedOutput()
	if code := coordinator.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(text), "1 of 100 cells failed (1 failed)") {
		t.Errorf("the run ended with the exit status %d:\n%s", code, text)
	}
	frame, err := results.ReadTable(filepath.Join(out, "cells.arrow"), "cell", "status", "error")
	if err != nil {
		t.Fatal(err)
	}
	for i := range frame.Rows() {
		cell, status := frame.At(0, i), frame.At(1, i)
		if cell != killer && status != string(experiment.OK) {
			t.Errorf("cell %s is %s: %s", cell, status, frame.At(2, i))
		}
		if cell == killer && !strings.Contains(frame.At(2, i).(string), "2 deliveries ended without a word of their worker") {
			t.Errorf("the row of the killer says %s", frame.At(2, i))
		}
	}
	if frame.Rows() != 100 {
		t.Errorf("%d rows, want 100", frame.Rows())
	}
	deaths := 0
	for _, w := range list {
		w.stop(syscall.SIGTERM)
		<-w.ended
		deaths += len(w.surprise)
	}
	if deaths != 2 {
		t.Errorf("%d workers died, want 2", deaths)
	}
}
