//go:build unix

package campaign

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scale is a server and what is measured on it.
type scale struct {
	t     *testing.T
	url   string
	cache string
}

// startScale starts a server as a process of its own.
func startScale(t *testing.T) *scale {
	t.Helper()
	server := itself(t, "server", t.TempDir())
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server tells no address: %v", err)
	}
	t.Cleanup(func() {
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := server.Wait(); err != nil {
			t.Errorf("the server ended: %v", err)
		}
		t.Logf("server: %d MiB at most", peak(server)>>20)
	})
	return &scale{t, strings.TrimSpace(url), t.TempDir()}
}

// peak returns the most memory that an ended process had resident, in bytes, or what
// this process had when it started it, where that is more: Linux counts from there.
func peak(cmd *exec.Cmd) int64 {
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// mostMemory is what a coordinator or a worker may have resident however many cells
// there are, in bytes.
const mostMemory = 300e6

// cost tells what an ended process took.
func (s *scale) cost(what string, cells int, cmd *exec.Cmd) {
	s.t.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		s.t.Fatal(err)
	}
	if took := peak(cmd); took > mostMemory && took > own.Maxrss<<10 {
		s.t.Errorf("%s: it took more than %d MB of memory", what, int(mostMemory/1e6))
	}
	busy := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	s.t.Logf("%s: %d MiB at most, %v of processor time, %.0f µs/cell", what, peak(cmd)>>20, busy.Round(time.Millisecond), busy.Seconds()*1e6/float64(cells))
}

// do runs the coordinator and tells how long it took per cell.
func (s *scale) do(what string, cells int, args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), builtProgram(s.t, "coordinator"), args...)
	cmd.Env = append(cmd.Environ(), "AGEPATH_NATS="+s.url) // not every command has the flag
	cmd.Stderr = os.Stderr
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", what, err, out)
	}
	s.tell(what, cells, took)
	s.cost(what, cells, cmd)
	return string(out)
}

func (s *scale) tell(what string, cells int, took time.Duration) {
	s.t.Helper()
	s.t.Logf("%s: %d cells in %v, %.0f cells/s", what, cells, took.Round(time.Millisecond), float64(cells)/took.Seconds())
}

// race runs some processes at a time and returns how long they took together.
func (s *scale) race(what string, cells, processes int, env []string, name string, args ...string) time.Duration {
	s.t.Helper()
	var list []*exec.Cmd
	began := time.Now()
	for range processes {
		cmd := itself(s.t, name, args...)
		cmd.Env = append(cmd.Env, env...)
		if err := cmd.Start(); err != nil {
			s.t.Fatal(err)
		}
		list = append(list, cmd)
	}
	for _, cmd := range list {
		if err := cmd.Wait(); err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
		s.cost(what, cells/processes, cmd)
	}
	took := time.Since(began)
	s.tell(what, cells, took)
	return took
}

// submit submits a grid and returns its run.
func (s *scale) submit(grid string, cells int) string {
	s.t.Helper()
	out := s.do("submit", cells, "submit", grid)
	name, text, _ := strings.Cut(out, ":")
	if !strings.HasPrefix(text, fmt.Sprintf(" %d of %d cells queued", cells, cells)) {
		s.t.Fatalf("submit prints %s", out)
	}
	return name
}

// inFull returns the number that an environment variable asks for, else a small
// one that shows that all works, beside other tests.
func inFull(t *testing.T, variable string, small int) (n int, full bool) {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		t.Parallel()
		return small, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1000 || n%1000 != 0 {
		t.Fatalf("%s=%s: allowed are multiples of 1000", variable, text)
	}
	return n, true
}

// TestScale submits, computes and collects cells that take no time and tells the
// rates, beside those of a loop that pulls and acknowledges only.
// AGEPATH_SCALE=1000000 says how many cells.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds of all processors")
	}
	cells, full := inFull(t, "AGEPATH_SCALE", 2000)
	s := startScale(t)
	const alphas = 100
	bare := write(t, "bare", alphas, cells/alphas)
	name := s.submit(bare, cells)
	loop := s.race("bare loop, 2 x 8", cells, 2, nil, "loop", s.url, "8", name)
	s.do("purge", cells, "purge", name, "--uncollected")

	grid := write(t, "scale", alphas, cells/alphas)
	name = s.submit(grid, cells)
	work := s.race("workers, 2 x 8", cells, 2, nil, "worker", s.url, "8", s.cache)
	share := loop.Seconds() / work.Seconds()
	t.Logf("workers reach %.2f of the bare loop", share)
	if full && share < 0.4 {
		t.Error("that is less than 0.4 of it")
	}
	if out := s.do("submit again", cells, "submit", grid); !strings.Contains(out, fmt.Sprintf("0 of %d cells queued, %d have ended", cells, cells)) {
		t.Errorf("submit again prints %s", out)
	}
	dir := filepath.Join(t.TempDir(), "out")
	if out := s.do("collect", cells, "collect", name, "--out", dir); !strings.Contains(out, fmt.Sprintf("%d of %d cells have ended (%d ok), gathered in %s", cells, cells, cells, dir)) {
		t.Errorf("collect prints %s", out)
	}
	if out := s.do("plan of what is there", cells, "plan", grid, "--out", dir); !strings.Contains(out, " 0 to compute") {
		t.Errorf("plan prints %s", out)
	}
	s.do("run of what is there", cells, "run", grid, "--out", dir, "--workers", "0", "--figures", "0")
	s.do("purge", cells, "purge", name)
}

// TestFirstResult tells how long a run of very many cells takes to its first
// result and to its last, and how much memory its coordinator takes. AGEPATH_SCALE
// says how many cells.
func TestFirstResult(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds of all processors")
	}
	cells, _ := inFull(t, "AGEPATH_SCALE", 2000)
	s := startScale(t)
	const alphas = 100
	grid := write(t, "first", alphas, cells/alphas)
	dir := filepath.Join(t.TempDir(), "out")
	worker := &member{name: "worker", path: os.Args[0], args: []string{s.url, "8", s.cache}, env: []string{asProgram + "=worker", stayVariable + "=1"}}
	worker.launch(t)
	cmd := exec.CommandContext(t.Context(), builtProgram(t, "coordinator"), "run", grid, "--out", dir, "--nats", s.url, "--workers", "0", "--figures", "0", "--log-level", "debug")
	began := time.Now()
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := regexp.MustCompile(`msg=progress .* done=[1-9]`)
	first := time.Duration(0)
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if first == 0 && done.MatchString(lines.Text()) {
			first = time.Since(began)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("first result of %d cells after %v", cells, first.Round(time.Millisecond))
	s.tell("run with one worker, until its report is written", cells, time.Since(began))
	s.cost("coordinator of the run", cells, cmd)
	if first == 0 {
		t.Error("no result came")
	}
	worker.stop(syscall.SIGTERM)
}

// TestOverhead tells how much longer than their own time cells of 100 ms take, and
// how much faster two workers are than one. AGEPATH_OVERHEAD=1000 says how many cells.
func TestOverhead(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	cells, full := inFull(t, "AGEPATH_OVERHEAD", 20)
	const cost = 100 * time.Millisecond
	s := startScale(t)
	measure := func(processes, slots int) time.Duration {
		grid := write(t, fmt.Sprintf("overhead-%d-%d", processes, slots), 20, cells/20)
		name := s.submit(grid, cells)
		what := fmt.Sprintf("%d workers of %d slots", processes, slots)
		took := s.race(what, cells, processes, []string{costVariable + "=" + cost.String()}, "worker", s.url, strconv.Itoa(slots), s.cache)
		s.do("purge", cells, "purge", name, "--uncollected") // the next run has the same cells
		return took
	}
	ideal := time.Duration(cells) * cost / 2
	over := measure(1, 2).Seconds() / ideal.Seconds()
	t.Logf("one worker of two slots takes %.3f of the ideal %v", over, ideal)
	one, two := measure(1, 1), measure(2, 1)
	faster := one.Seconds() / two.Seconds()
	t.Logf("two workers of one slot are %.3f times as fast as one", faster)
	if full && (over > 1.05 || faster < 1.9) {
		t.Error("at most 1.05 and at least 1.9 is what they should reach")
	}
}
