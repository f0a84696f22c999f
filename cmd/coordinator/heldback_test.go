package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// noModule is the script of a command that lacks a module until a file is there, and then
// answers zeros.
const noModule = `[ -e FILE ] || { echo "Traceback" >&2; echo "ModuleNotFoundError: No module named 'numpy'" >&2; exit 1; }
while read l; do c=${l#*\"id\":\"}; c=${c%%\"*}; echo '{"cell": "'$c'", "coefficients": [[0,0,0,0,0,0,0,0,0,0,0]]}'; done
`

// brokenGrid is a grid with such a command, of 18 of 33 cells, and the file that mends it.
func brokenGrid(t *testing.T) (grid, mended string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the commands are scripts of a Unix shell")
	}
	needs.Program(t, "scripts as commands", "setsid")
	dir := t.TempDir()
	mended = filepath.Join(dir, "mended")
	write(t, dir, "forest.sh", strings.ReplaceAll(noModule, "FILE", mended))
	return write(t, dir, "grid.yaml", `name: broken
repeats: 3
data: [diabetes]
noise: [{kind: gaussian, levels: [0, 0.3]}]
models: [{lasso: {alpha: [0.01, 0.1, 0.3]}}]
methods: [original, {command: {name: forest, run: [/bin/sh, forest.sh], files: [forest.sh]}}]
limits: {attempts: 3}
`), mended
}

// cellsOfBroken is how many cells brokenGrid has of the command, and in all.
const cellsOfForest, cellsOfBroken = 3 * 2 * 3, 3 * 2 * (2*3 + 1)

// statusesOf counts the cells of a method in a folder by status.
func statusesOf(t *testing.T, out, method string) map[string]int {
	t.Helper()
	frame, err := results.ReadTable(filepath.Join(out, "cells.arrow"), "method", "status")
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for row := range frame.Rows() {
		if frame.At(0, row) == method {
			n[frame.At(1, row).(string)]++
		}
	}
	return n
}

// TestHeldBack wants a method that is broken reported after three cells and its others held
// back, by a run, by the next one and by none that is told to keep going; and all of them
// computed once it is mended.
func TestHeldBack(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	grid, mended := brokenGrid(t)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"run", grid, "--out", out, "--allow-commands", "--workers", "1"}
	const why = "forest: ModuleNotFoundError: No module named 'numpy'"
	o := do(t, args...)
	if o.code != command.ExitFailed {
		t.Fatalf("exit status %d\n%s", o.code, o.err)
	}
	for _, want := range []string{
		"3 x " + why, fmt.Sprintf("its other %d cells are held back", cellsOfForest-3), "3 of 42 cells failed (3 failed)", "--keep-going",
	} {
		if !strings.Contains(o.err, want) {
			t.Errorf("it does not say %q:\n%s", want, o.err)
		}
	}
	if strings.Contains(o.err, "--retry") {
		t.Errorf("a retry is offered for what fails each time:\n%s", o.err)
	}
	if got := statusesOf(t, out, "forest"); got["failed"] != 3 || len(got) != 1 {
		t.Errorf("cells of the broken method: %v", got)
	}
	if got := statusesOf(t, out, "original"); got["ok"] != cellsOfForest {
		t.Errorf("cells of the other method: %v", got)
	}
	frame, err := results.ReadTable(filepath.Join(out, "cells.arrow"), "method", "attempts", "cell")
	if err != nil {
		t.Fatal(err)
	}
	attempts, failed := int64(0), ""
	for row := range frame.Rows() {
		if frame.At(0, row) == "forest" {
			attempts += frame.At(1, row).(int64)
			failed = frame.At(2, row).(string)
		}
	}
	if attempts > 3*2 {
		t.Errorf("%d attempts at three cells that fail the same way", attempts)
	}

	// replay says what is stored, and that it is so again.
	o = do(t, "replay", out, failed[:8], "--allow-commands")
	if o.code != command.ExitFailed || !strings.Contains(o.err, "fails the same way here: ModuleNotFoundError") || strings.Contains(o.out, "null") ||
		strings.Count(o.out, "ModuleNotFoundError") != 2 || strings.Contains(o.out, "equal bit for bit") {
		t.Errorf("replay: exit status %d\n%s%s", o.code, o.out, o.err)
	}

	// The same again: one more cell is tried.
	o = do(t, append(args, "--json")...)
	var said struct {
		Reasons []struct {
			Count          int
			Method, Reason string
			Repeats        bool
		}
		HeldBack []struct {
			Method string
			Cells  int
		} `json:"held_back"`
	}
	if err := json.Unmarshal([]byte(o.out), &said); err != nil {
		t.Fatalf("%v\n%s%s", err, o.out, o.err)
	}
	if len(said.Reasons) != 1 || said.Reasons[0].Count != 4 || said.Reasons[0].Method != "forest" || !said.Reasons[0].Repeats ||
		!strings.HasPrefix(said.Reasons[0].Reason, "ModuleNotFoundError") || len(said.HeldBack) != 1 || said.HeldBack[0].Cells != cellsOfForest-4 {
		t.Errorf("a second run says %+v", said)
	}

	// Mended, it computes those held back, and those that failed when asked to.
	write(t, filepath.Dir(mended), filepath.Base(mended), "")
	if o := do(t, "replay", out, failed, "--allow-commands"); o.code != command.ExitFailed || !strings.Contains(o.err, "differs") {
		t.Errorf("replay once mended: exit status %d\n%s%s", o.code, o.out, o.err)
	}
	if o := do(t, args...); o.code != command.ExitFailed || statusesOf(t, out, "forest")["ok"] != cellsOfForest-4 || strings.Contains(o.err, "held") {
		t.Errorf("mended: exit status %d, %v\n%s", o.code, statusesOf(t, out, "forest"), o.err)
	}
	if must(t, append(args, "--retry", "failed")...); statusesOf(t, out, "forest")["ok"] != cellsOfForest {
		t.Errorf("mended and retried: %v", statusesOf(t, out, "forest"))
	}
}

// TestHeldBackKilled kills a run once a method is held back, and wants the next one to keep what
// was computed, to try one more cell of the method, three at least, and to hold back the others
// again, and both times that to be notified.
func TestHeldBackKilled(t *testing.T) {
	needs.Patience(t, "12 s")
	t.Parallel()
	grid, mended := brokenGrid(t)
	slow := strings.ReplaceAll(noModule, "FILE", os.DevNull) // is there, so that it answers
	write(t, filepath.Dir(grid), "slow.sh", strings.Replace(slow, "do c=", "do sleep 0.5; c=", 1))
	text, err := os.ReadFile(grid)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Dir(grid), "grid.yaml", strings.Replace(string(text), "files: [forest.sh]}}]", "files: [forest.sh]}}, {command: {name: slow, run: [/bin/sh, slow.sh], files: [slow.sh]}}]", 1))
	out, h := filepath.Join(t.TempDir(), "out"), startTold(t)
	args := []string{"run", grid, "--out", out, "--allow-commands", "--workers", "1", "--figures", "0", "--notify", h.URL}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := process(ctx, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	held := false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if !held && strings.Contains(lines.Text(), "its other 15 cells are held back") {
			held = true
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !held || !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("held back: %t, killed: %v", held, err)
	}
	before, kept := plannedIn(t, "plan", grid, "--out", out), 0
	if before > 0 {
		kept = failedIn(t, grid, out)
	}
	if before >= cellsOfBroken+cellsOfForest-15 {
		t.Errorf("nothing was left to the next run: %d cells", before)
	}

	o := do(t, args...)
	forest, others := statusesOf(t, out, "forest"), statusesOf(t, out, "slow")
	least, tried := max(3, kept+1), forest["failed"]
	if o.code != command.ExitFailed || len(forest) != 1 || tried < least || tried == cellsOfForest { // those in flight may end too
		t.Errorf("exit status %d, cells of the broken method %v, want %d or a few more, as %d had ended\n%s", o.code, forest, least, kept, o.err)
	}
	if others["ok"] != cellsOfForest || statusesOf(t, out, "original")["ok"] != cellsOfForest {
		t.Errorf("cells of the other methods: %v, %v", others, statusesOf(t, out, "original"))
	}
	if !strings.Contains(o.err, fmt.Sprintf("its other %d cells are held back", cellsOfForest-tried)) {
		t.Errorf("the next run does not hold back the others:\n%s", o.err)
	}
	if after := plannedIn(t, "plan", grid, "--out", out); before > after || after != cellsOfBroken+tried {
		t.Errorf("%d cells after the kill, %d after the next run", before, after)
	}
	told := 0 // the first run may be killed before
	for _, object := range h.all(t) {
		if object["event"] == "method-held" {
			told++
			if said := object["text"].(string); !strings.Contains(said, "all ended with the same error, \"ModuleNotFoundError: No module named 'numpy'\"") || !strings.Contains(said, "held back") {
				t.Errorf("told %q", said)
			}
		}
	}
	if told == 0 {
		t.Errorf("that a method is held back is not told: %v", h.all(t))
	}

	write(t, filepath.Dir(mended), filepath.Base(mended), "")
	if must(t, append(args, "--retry", "failed")...); statusesOf(t, out, "forest")["ok"] != cellsOfForest {
		t.Errorf("mended and retried: %v", statusesOf(t, out, "forest"))
	}
}

// failedIn counts the failed cells of a folder, as plan prints it.
func failedIn(t *testing.T, grid, out string) int {
	t.Helper()
	match := regexp.MustCompile(`\((\d+) failed\)`).FindStringSubmatch(must(t, "plan", grid, "--out", out).out)
	if match == nil {
		return 0
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKeepGoing wants all cells of a broken method computed where that is asked for.
func TestKeepGoing(t *testing.T) {
	needs.Patience(t, "12 s")
	t.Parallel()
	grid, _ := brokenGrid(t)
	out := filepath.Join(t.TempDir(), "out")
	o := do(t, "run", grid, "--out", out, "--allow-commands", "--workers", "2", "--keep-going")
	if got := statusesOf(t, out, "forest"); o.code != command.ExitFailed || got["failed"] != cellsOfForest || strings.Contains(o.err, "held back") ||
		!strings.Contains(o.err, "18 x forest: ModuleNotFoundError: No module named 'numpy'") {
		t.Errorf("exit status %d, %v\n%s", o.code, got, o.err)
	}
	if total := statusesOf(t, out, "original")["ok"] + statusesOf(t, out, "constant")["ok"] + cellsOfForest; total != cellsOfBroken {
		t.Errorf("%d cells, want %d", total, cellsOfBroken)
	}
}
