package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/kinds"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// remote is a NATS server on a port and a worker's program.
type remote struct{ url, worker string }

func startRemote(t *testing.T) *remote {
	t.Helper()
	server := testqueue.Server(t, "127.0.0.1:0")
	return &remote{server.URL(), builtWorker(t)}
}

// buildWorker builds the worker once.
var buildWorker = sync.OnceValues(func() (program string, err error) {
	program = filepath.Join(programs, "worker.exe")
	// Without a commit, as this test is: rows say the version that computed them.
	build := exec.Command("go", "build", "-ldflags=-s -w", "-buildvcs=false", "-o", program, "github.com/agepath/agepath/cmd/worker")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the worker: %w\n%s", err, text)
	}
	return program, nil
})

func builtWorker(t *testing.T) (program string) {
	t.Helper()
	program, err := buildWorker()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// work starts a worker and returns the process and what waits for its end.
func (r *remote) work(t *testing.T, args ...string) (*exec.Cmd, func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, r.worker, append([]string{"--nats", r.url}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the process, at the latest after a minute
	return cmd, func() error { return <-ended }
}

// TestRemote submits a grid to a server, has two worker processes compute it,
// collects the results and wants the numbers of a run in one process.
func TestRemote(t *testing.T) {
	needs.Patience(t, "6 s")
	t.Parallel()
	eachKind(t, true, shareCells)
}

func shareCells(t *testing.T, k *kindOfGrid) {
	r := startRemote(t)
	dir := t.TempDir()
	grid, here, there := write(t, dir, "grid.yaml", k.shared[0]), filepath.Join(dir, "here"), filepath.Join(dir, "there")
	with := func(args ...string) []string { return append(args, "--nats", r.url) }
	submit := with(append([]string{"submit", grid}, k.shared[1:]...)...)
	cells := k.sharedCells
	name, _, _ := strings.Cut(strings.TrimPrefix(k.shared[0], "name: "), "\n")

	submitted := must(t, submit...)
	match := regexp.MustCompile(`^(` + name + `-\w+): ` + cells + ` of ` + cells + ` cells queued`).FindStringSubmatch(submitted.out)
	if match == nil {
		t.Fatalf("submit prints %s", submitted.out)
	}
	run := match[1]
	if o := must(t, submit...); !strings.Contains(o.out, "0 of "+cells+" cells queued, "+cells+" were queued or running already") {
		t.Errorf("submit again prints %s", o.out)
	}
	r.wantStatus(t, []string{run}, run, "waiting for workers", cells, "0", "0", "0", cells)
	if o := must(t, with("collect", run, "--out", filepath.Join(dir, "early"))...); !strings.Contains(o.out, "0 of "+cells+" cells") {
		t.Errorf("collect before there is a result prints %s", o.out)
	}

	_, first := r.work(t, "--drain", "--slots", "1", "--name", "first")
	_, second := r.work(t, "--drain", "--slots", "2")
	if err := errors.Join(first(), second()); err != nil {
		t.Fatalf("workers: %v", err)
	}
	r.wantStatus(t, nil, run, "finished", cells, cells, "0", "0", "0")
	if o := must(t, with("status", run, "--watch")...); strings.Count(o.out, run) != 1 {
		t.Errorf("watching what is done prints\n%s", o.out)
	}
	wantRefusal(t, do(t, with("purge", run)...), []string{"not collected", "coordinator collect " + run + " --out DIR", "coordinator purge " + run + " --uncollected"})
	if o := must(t, with("collect", run, "--out", there)...); !strings.Contains(o.out, cells+" of "+cells+" cells have ended ("+cells+" ok), gathered in "+there) {
		t.Errorf("collect prints %s", o.out)
	}
	must(t, append([]string{"run", grid, "--out", here}, k.shared[1:]...)...)
	wantSameNumbers(t, numbers(t, here), numbers(t, there))

	if o := must(t, with("retry", run)...); !strings.Contains(o.out, "0 cells queued again") {
		t.Errorf("retry prints %s", o.out)
	}
	if o := must(t, submit...); !strings.Contains(o.out, "0 of "+cells+" cells queued, "+cells+" have ended") {
		t.Errorf("submit of what is done prints %s", o.out)
	}
	must(t, with("cancel", run)...)
	must(t, with("purge", run)...)
	wantRefusal(t, do(t, with("collect", run, "--out", there)...), []string{"no run " + run})
	if o := must(t, submit...); !strings.Contains(o.out, cells+" of "+cells+" cells queued") {
		t.Errorf("submit of what was purged prints %s", o.out)
	}
	wantRefusal(t, do(t, with("purge", run)...), []string{cells + " cells that are queued or running", "coordinator cancel " + run})
	must(t, with("cancel", run)...)
	wantRefusal(t, do(t, with("status", "nobody-12345678")...), []string{"no run nobody-12345678"})
	wantRefusal(t, do(t, with("submit", grid, "--set", "repeats=0")...), []string{"repeats"})
	wantRefusal(t, do(t, with("collect", run, "--out", grid)...), []string{grid, "not a directory"})
}

// wantStatus waits for status, with the given arguments, to tell this of a run:
// state, cells, ok, failed, running, queued and, where there are such cells, not
// queued. What is queued lags behind its submission.
func (r *remote) wantStatus(t *testing.T, args []string, run, state string, numbers ...string) {
	t.Helper()
	want := strings.Join(append([]string{run, state}, numbers...), " ")
	r.awaitStatus(t, args, func(line string) bool {
		return strings.HasPrefix(strings.Join(strings.Fields(line), " "), want+" ")
	})
}

// awaitStatus waits for a line of status, with the given arguments.
func (r *remote) awaitStatus(t *testing.T, args []string, wanted func(line string) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		o := must(t, append([]string{"status", "--nats", r.url}, args...)...)
		for line := range strings.Lines(o.out) {
			if wanted(line) {
				return
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("in vain; the last status is\n%s", o.out)
		}
	}
}

// TestRemoteRun has a run leave its cells to a worker, which then waits for
// more and hands over with SIGTERM.
func TestRemoteRun(t *testing.T) {
	t.Parallel()
	own := &kinds.Kind{Name: "self-paced", Remote: "repeats: 3\n" + dataGrid}
	own.File.Name, own.File.Text = "data.csv", table
	for _, kind := range append(kinds.All(t, "../.."), own) {
		t.Run(kind.Name, func(t *testing.T) {
			if kind != own {
				needs.Patience(t, "5 s")
			}
			t.Parallel()
			runRemotely(t, kind)
		})
	}
}

func runRemotely(t *testing.T, kind *kinds.Kind) {
	r := startRemote(t)
	dir := t.TempDir()
	write(t, dir, kind.File.Name, kind.File.Text)
	grid := write(t, dir, "grid.yaml", kind.Remote)
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	worker, wait := r.work(t, "--slots", "2")
	must(t, "run", grid, "--out", there, "--nats", r.url, "--workers", "0")
	state := "idle" // working until it has had nothing to do for some seconds
	if testing.Short() {
		state = "(idle|working)"
	}
	r.awaitStatus(t, nil, func(line string) bool {
		return regexp.MustCompile(`^\S+-` + strconv.Itoa(worker.Process.Pid) + ` +` + state + ` +2 `).MatchString(line)
	})
	if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Errorf("worker after SIGTERM: %v", err)
	}
	must(t, "run", grid, "--out", here)
	wantSameNumbers(t, numbers(t, here), numbers(t, there))

	// The server still has the results: another folder needs no worker.
	again := filepath.Join(dir, "again")
	must(t, "run", grid, "--out", again, "--nats", r.url, "--workers", "0")
	wantSameNumbers(t, numbers(t, here), numbers(t, again))
}

// TestRemoteFailures has a worker fail all cells of a data set given by its
// path, and puts them back.
func TestRemoteFailures(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "3 s")
	r := startRemote(t)
	dir := t.TempDir()
	write(t, dir, "data.csv", table)
	grid := write(t, dir, "grid.yaml", "name: hasty\nrepeats: 3\nlimits: {timeout: 1ns, attempts: 1}\n"+dataGrid)
	with := func(args ...string) []string { return append(args, "--nats", r.url) }
	run, _, _ := strings.Cut(must(t, with("submit", grid)...).out, ":")
	_, wait := r.work(t, "--drain")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	r.wantStatus(t, []string{run}, run, "finished", "6", "0", "6", "0", "0")
	o := do(t, with("collect", run, "--out", filepath.Join(dir, "out"))...)
	if o.code != command.ExitFailed || !strings.Contains(o.out, "(6 timeout)") || !strings.Contains(o.err, "coordinator retry "+run) {
		t.Errorf("collect: exit status %d\n%s%s", o.code, o.out, o.err)
	}
	if o := must(t, with("retry", run, "--status", "failed")...); !strings.Contains(o.out, "0 cells queued again") {
		t.Errorf("retry of failed cells prints %s", o.out)
	}
	if o := must(t, with("retry", run, "--timeout", "2ns", "--attempts", "1")...); !strings.Contains(o.out, "6 cells queued again") {
		t.Errorf("retry prints %s", o.out)
	}
	r.wantStatus(t, []string{run}, run, "waiting for workers", "6", "0", "0", "0", "6")
	must(t, with("cancel", run)...)
	r.wantStatus(t, nil, run, "finished", "6", "0", "6", "0", "0")
	wantRefusal(t, do(t, with("pause", run)...), []string{run, "cancelled", "coordinator submit"})
	wantRefusal(t, do(t, with("retry", run, "--timeout", "-1s")...), []string{"--timeout", "> 0"})
	wantRefusal(t, do(t, with("retry", run, "--timeout", "ever")...), []string{"--timeout", "or none (got ever)"})
	wantRefusal(t, do(t, with("retry", run, "--memory", "all")...), []string{"--memory", "or none"})
	wantRefusal(t, do(t, with("retry", run, "--memory", "4")...), []string{"--memory", "4GiB"})
	wantRefusal(t, do(t, with("retry", run, "--attempts", "1001")...), []string{"--attempts", "1000"})

	// More time mends them; a worker leaves them alone while the run is paused.
	submit := []string{"submit", grid, "--set", "limits.timeout=1h"}
	if o := must(t, with(submit...)...); !strings.Contains(o.out, "6 of 6 cells queued") {
		t.Errorf("submit with more time prints %s", o.out)
	}
	if o := must(t, with("pause", run)...); !strings.Contains(o.out, run+": paused") || !strings.Contains(o.out, "coordinator resume "+run) {
		t.Errorf("pause prints %s", o.out)
	}
	r.wantStatus(t, nil, run, "paused", "6", "0", "0", "0", "6")
	if o := must(t, with(submit...)...); !strings.Contains(o.out, "6 were queued or running already") || !strings.Contains(o.out, "resume "+run) {
		t.Errorf("submit of the paused run prints %s", o.out)
	}
	_, wait = r.work(t, "--drain")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	r.wantStatus(t, nil, run, "paused", "6", "0", "0", "0", "6")
	must(t, with("resume", run)...)
	if o := must(t, with("resume", run)...); !strings.Contains(o.out, "not paused") {
		t.Errorf("resume again prints %s", o.out)
	}
	_, wait = r.work(t, "--drain")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	if o := must(t, with("collect", run, "--out", filepath.Join(dir, "out"))...); !strings.Contains(o.out, "(6 ok)") {
		t.Errorf("collect prints %s", o.out)
	}
}

// TestUnreachable wants exit status 1 and the address where no server is, and a
// table without runs from one that was never used.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	const nowhere = "nats://127.0.0.1:1"
	o := do(t, "status", "--nats", nowhere)
	if o.code != command.ExitFailed || !strings.Contains(o.err, nowhere) || !strings.Contains(o.err, "no server answers there") {
		t.Errorf("exit status %d: %s", o.code, o.err)
	}
	server := testqueue.Server(t, "127.0.0.1:0")
	if o := must(t, "status", "--nats", server.URL()); !strings.Contains(o.out, "The server has no runs") {
		t.Errorf("a server without streams: %s%s", o.out, o.err)
	}
	for _, args := range [][]string{{"status"}, {"collect", "--out", t.TempDir()}, {"retry"}, {"cancel"}, {"purge"}} {
		wantRefusal(t, do(t, append(args, "nobody-12345678", "--nats", server.URL())...), []string{"no run nobody-12345678", "nor any other"})
	}
}

// TestSuspended does to workers what suspending their Job does, as Kueue does it to make
// room: SIGTERM in the middle of a cell. They hand it back without an attempt used and end
// with the status that the Job ignores; the workers of the resumed Job finish the run.
func TestSuspended(t *testing.T) {
	needs.Patience(t, "10 s")
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM")
	}
	t.Parallel()
	r := startRemote(t)
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", `{name: suspended, repeats: 2, data: [diabetes], limits: {attempts: 1},
models: [{lasso: {alpha: 0.01}}], regularizers: [hard], methods: [{mospl: {population: 150, generations: 3000}}]}`)
	run, _, _ := strings.Cut(must(t, "submit", grid, "--ack-wait", "5m", "--nats", r.url).out, ":") // for a lost cell the test has no time
	var waits []func() error
	var workers []*exec.Cmd
	for range 2 {
		cmd, wait := r.work(t, "--drain", "--slots", "1")
		workers, waits = append(workers, cmd), append(waits, wait)
	}
	r.awaitStatus(t, nil, regexp.MustCompile(run+` +computing +4 +\d +0 +2 `).MatchString)
	for _, cmd := range workers {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	for _, wait := range waits {
		if exit := new(exec.ExitError); !errors.As(wait(), &exit) || exit.ExitCode() != command.ExitInterrupted {
			t.Errorf("a worker ended with %v", exit)
		}
	}
	_, wait := r.work(t, "--drain", "--slots", "2")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if o := must(t, "collect", run, "--out", out, "--nats", r.url); !strings.Contains(o.out, "4 of 4 cells have ended (4 ok)") {
		t.Errorf("collect prints %s", o.out)
	}
	attempts, err := results.ReadTable(filepath.Join(out, results.CellsFile), "attempts")
	if err != nil || !slices.Equal(attempts.Batch.Columns[0].Ints, []int64{1, 1, 1, 1}) {
		t.Errorf("attempts %+v, %v", attempts, err)
	}
}
