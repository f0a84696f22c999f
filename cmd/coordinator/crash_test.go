package main

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// TestKilledRun kills runs at random moments and wants the last one to have
// every cell once, with the numbers of a run that nothing disturbed.
func TestKilledRun(t *testing.T) {
	needs.Patience(t, "7 s")
	t.Parallel()
	eachKind(t, needs.Long(), killRuns)
	t.Run("folds", func(t *testing.T) {
		t.Parallel()
		killRuns(t, &kindOfGrid{long: []string{chooseGrid, "--set", "repeats=3", "--set", "choose={rule: smoothed, trimmed: 0.4, folds: 4}"}})
	})
}

func killRuns(t *testing.T, k *kindOfGrid) {
	dir := t.TempDir()
	undisturbed, killed := filepath.Join(dir, "undisturbed"), filepath.Join(dir, "killed")
	start := time.Now()
	must(t, k.run(t, dir, undisturbed)...)
	whole := time.Since(start)

	kills := 2
	if needs.Long() {
		kills = 5
	}
	kept := 0 // cells that the folder had after the last kill
	for done, tries := 0, 0; done < kills; tries++ {
		if tries == 10*kills {
			t.Fatalf("only %d of %d runs were still going when they were to be killed", done, tries)
		}
		moment := time.Duration((0.2 + 0.8*rand.Float64()) * float64(whole) / float64(kills))
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), moment) // kills
		err := process(ctx, k.run(t, dir, killed)...).Run()
		cancel()
		var exit *exec.ExitError
		switch {
		case err == nil: // it was faster than in a busier time: begin anew
			whole = min(whole, time.Since(start))
			if err := os.RemoveAll(killed); err != nil {
				t.Fatal(err)
			}
			done, kept = 0, 0
		case ctx.Err() != nil && (!errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signaled()):
			have := k.has(t, killed)
			t.Logf("killed after %v of %v with %d cells", moment, whole, have)
			if have < kept {
				t.Errorf("of %d cells that were there, the next kill left %d", kept, have)
			}
			kept = have
			done++
		default:
			t.Fatalf("a run that was to be killed after %v: %v", moment, err)
		}
	}
	must(t, k.run(t, dir, killed)...)
	wantSameNumbers(t, numbers(t, undisturbed), numbers(t, killed))
	wantNoRemains(t, killed)
}

// plannedIn counts the cells that a folder holds, as plan prints it.
func plannedIn(t *testing.T, arguments ...string) int {
	t.Helper()
	plan := must(t, arguments...)
	match := regexp.MustCompile(`, (\d+) in `).FindStringSubmatch(plan.out)
	if match == nil {
		t.Fatalf("plan prints\n%s", plan.out)
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// wantNoRemains wants a folder of results without the files of a run that is
// going on.
func wantNoRemains(t *testing.T, dir string) {
	t.Helper()
	for name := range contents(t, dir) {
		if strings.HasSuffix(name, ".arrows") || strings.HasPrefix(name, ".jetstream") || strings.Contains(name, "tmp") {
			t.Errorf("%s was left behind", name)
		}
	}
}

var doneCells = regexp.MustCompile(`msg=progress .* done=([1-9]\d*) cells=(\d+)`)

// TestInterruptedRun sends ^C to a run that has some cells, and wants the exit
// status 130 and the next run to compute the others alone.
func TestInterruptedRun(t *testing.T) {
	needs.Patience(t, "6 s")
	t.Parallel()
	eachKind(t, needs.Long(), interruptRun)
}

func interruptRun(t *testing.T, k *kindOfGrid) {
	dir := t.TempDir()
	out, undisturbed := filepath.Join(dir, "out"), filepath.Join(dir, "undisturbed")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := process(ctx, append(k.run(t, dir, out), "--log-level", "debug")...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var message string
	sent := false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		message = lines.Text()
		match := doneCells.FindStringSubmatch(message)
		if match == nil || match[1] == match[2] || sent {
			continue
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		sent = true
	}
	err = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); !sent || code != command.ExitInterrupted {
		t.Fatalf("sent %v, %v, exit status %d: %s", sent, err, code, message)
	}
	if !strings.Contains(message, "interrupted; what was computed is in "+out) {
		t.Errorf("the message is %q", message)
	}
	rest := must(t, k.run(t, dir, out)...)
	match := regexp.MustCompile(`(\d+) of ` + k.cells + ` cells computed`).FindStringSubmatch(rest.out)
	if match == nil || match[1] == k.cells || match[1] == "0" {
		t.Errorf("the next run prints\n%s", rest.out)
	}
	must(t, k.run(t, dir, undisturbed)...)
	wantSameNumbers(t, numbers(t, undisturbed), numbers(t, out))
	wantNoRemains(t, out)
}

// TestDescribedWhileItRuns wants report and replay to know a run and its grid while
// it goes on, and after kill -9.
func TestDescribedWhileItRuns(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	ctx, kill := context.WithTimeout(t.Context(), time.Minute)
	defer kill()
	// So many repeats that it cannot end before it is killed.
	run := process(ctx, "run", write(t, dir, "grid.yaml", allMethods), "--out", out, "--workers", "1",
		"--set", "repeats=2000", "--set", "models.0.lasso.alpha=[0.003]")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }() // ends with the process, at the latest with ctx
	var cell string
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for cell == "" {
		select {
		case <-ticker.C:
		case err := <-ended:
			t.Fatalf("the run ended: %v", err)
		}
		streams, err := filepath.Glob(filepath.Join(out, "cells.*.arrows"))
		if err != nil || len(streams) == 0 {
			continue
		}
		if cells, err := results.ReadTable(streams[0], "cell"); err == nil && cells.Rows() > 0 {
			cell = cells.At(0, 0).(string)
		}
	}
	check := func(when string) {
		t.Helper()
		if o := must(t, "report", out, "--figures", "0"); !strings.Contains(o.out, "of the grid's 24000 cells are not in the files") {
			t.Errorf("%s: report prints\n%s", when, o.out)
		}
		if o := must(t, "replay", out, cell); !strings.Contains(o.out, "knots compared\nequal bit for bit") {
			t.Errorf("%s: replay prints\n%s", when, o.out)
		}
	}
	check("while it runs")
	select {
	case err := <-ended:
		t.Fatalf("the run ended: %v", err)
	default:
	}
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	check("after kill -9")
}
