package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// point is where a process is interrupted: at a system call for a file of the folder, the
// first one of each thread.
type point struct{ call, file string }

// TestInterruptedChange interrupts runs that take cells out of a folder or put some in, and
// prune, at every eighth sync, rename and removal of a file, with AGEPATH_LONG=1 at each: with
// EIO, kill -9 and ^C. The next run must leave what an undisturbed one leaves, and verify must find nothing.
func TestInterruptedChange(t *testing.T) {
	needs.Patience(t, "2 s")
	strace := needs.Program(t, "interrupting at a system call", "strace")
	t.Parallel()
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", strings.Replace(smallGrid, "repeats: 2", "repeats: 6\nkeep: {coefficients: true}", 1))
	run := func(out string, repeats int) []string {
		return []string{"run", grid, "--out", out, "--figures", "0", "--set", fmt.Sprintf("repeats=%d", repeats)}
	}
	large, small, shrunk := filepath.Join(dir, "large"), filepath.Join(dir, "small"), filepath.Join(dir, "shrunk")
	must(t, run(large, 6)...)
	must(t, run(small, 3)...)
	copyFolder(t, large, shrunk)
	must(t, run(shrunk, 3)...)
	every := 8
	switch {
	case needs.Long():
		every = 1
	case testing.Short():
		every = 48
	}
	total := 0
	for _, c := range []struct {
		name, from string
		args       func(out string) []string
	}{
		{"shrink", large, func(out string) []string { return run(out, 3) }},
		{"grow", small, func(out string) []string { return run(out, 6) }},
		{"come back", shrunk, func(out string) []string { return run(out, 6) }},
		{"prune", shrunk, func(out string) []string { return []string{"prune", out} }},
	} {
		undisturbed := filepath.Join(dir, "undisturbed "+c.name)
		copyFolder(t, c.from, undisturbed)
		points := pointsOf(t, strace, undisturbed, c.args(undisturbed))
		number := 0
		for _, at := range points {
			for _, how := range []string{"error=EIO", "signal=KILL", "signal=INT"} {
				if number++; number%every != 0 {
					continue
				}
				name := fmt.Sprintf("%s, %s at %s of %s", c.name, how, at.call, at.file)
				out := filepath.Join(dir, "out")
				copyFolder(t, c.from, out)
				if interrupt(t, strace, at, how, out, c.args(out)) {
					total++
				}
				must(t, c.args(out)...)
				wantHealed(t, undisturbed, out)
				if t.Failed() {
					t.Fatal(name)
				}
				if err := os.RemoveAll(out); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.Logf("%s: %d points", c.name, len(points))
	}
	t.Logf("%d interruptions", total)
	if every <= 8 && total < 15 {
		t.Errorf("only %d interruptions", total)
	}
}

// wantHealed wants a folder to be as an undisturbed one.
func wantHealed(t *testing.T, undisturbed, out string) {
	t.Helper()
	if o := do(t, "verify", out); o.code != command.ExitDone || !strings.Contains(o.out, "no problems") {
		t.Errorf("verify prints\n%s%s", o.out, o.err)
		return
	}
	wantSameNumbers(t, numbers(t, undisturbed), numbers(t, out))
	wantNoRemains(t, out)
	if _, err := os.Stat(filepath.Join(undisturbed, "former.cells.arrow")); err != nil {
		if left, err := filepath.Glob(filepath.Join(out, "former.*")); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
		return
	}
	for _, table := range []string{"cells", "knots", "coefficients"} {
		want := rowsByCell(t, filepath.Join(undisturbed, "former."+table+".arrow"))
		wantRows(t, filepath.Join(out, "former."+table+".arrow"), want, len(want))
	}
}

// copyFolder copies the files of a folder into another.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

var tracedCall = regexp.MustCompile(`^\d+ +(fsync|fdatasync|rename|renameat2?|unlinkat)\((?:\d+<([^>]*)>|(?:AT_FDCWD(?:<[^>]*>)?, )?"([^"]*)")`)

// pointsOf runs a command line undisturbed and returns where it could be interrupted, but for
// the files of the server and of the report.
func pointsOf(t *testing.T, strace, out string, args []string) (points []point) {
	t.Helper()
	text, _ := traced(t, strace, args, "-y", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2,unlinkat")
	for line := range strings.Lines(text) {
		match := tracedCall.FindStringSubmatch(line)
		if match == nil || strings.Contains(line, " = -1 ") {
			continue
		}
		file, err := filepath.Rel(out, match[2]+match[3])
		if err != nil || strings.HasPrefix(file, "..") || strings.HasPrefix(file, ".jetstream") || strings.HasPrefix(file, "report") {
			continue
		}
		if at := (point{match[1], file}); !slices.Contains(points, at) {
			points = append(points, at)
		}
	}
	if len(points) == 0 {
		t.Fatalf("%v syncs nothing:\n%s", args, text)
	}
	return points
}

// interrupt runs a command line that is interrupted, and reports whether it was.
func interrupt(t *testing.T, strace string, at point, how, out string, args []string) bool {
	t.Helper()
	note, code := traced(t, strace, args, "-P", filepath.Join(out, at.file), "-e", "trace="+at.call, "-e", "inject="+at.call+":"+how+":when=1")
	injected := strings.Contains(note, "(INJECTED)")
	switch how {
	case "error=EIO": // a sync of rows that fails once is made up for
		return injected
	case "signal=KILL":
		if injected && code != -1 {
			t.Errorf("a killed process ended with %d", code)
		}
		return code == -1
	}
	return code == command.ExitInterrupted // or it was done
}

// traced runs a command line under strace and returns what that noted.
func traced(t *testing.T, strace string, args []string, options ...string) (note string, code int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := process(ctx, args...)
	cmd.Args = append(append([]string{strace, "-f", "-qq", "-o", path}, options...), cmd.Args...)
	cmd.Path = strace
	var message strings.Builder
	cmd.Stderr = &message
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		needs.Lacking(t, "tracing a process: %v: %s", err, message.String())
	}
	return string(text), cmd.ProcessState.ExitCode()
}
