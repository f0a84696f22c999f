//go:build unix

package campaign

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tellEvery is how often the program "worker" tells its goroutines on its
// standard error, when tellVariable is set.
const (
	tellVariable = "AGEPATH_TEST_TELL"
	tellEvery    = 5 * time.Second
)

// tell tells the number of goroutines until stop is closed.
func tell(stop <-chan struct{}) {
	ticker := time.NewTicker(tellEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			fmt.Fprintln(os.Stderr, "goroutines", runtime.NumGoroutine())
		case <-stop:
			return
		}
	}
}

// resident returns the resident memory of a process in MiB, 0 when it is gone.
func resident(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize() >> 20
}

// TestSoak has four workers compute cells of 20 ms for as long as AGEPATH_SOAK
// says (30m), a coordinator gather them, and wants the memory and the goroutines
// of the workers at the end to be those of the beginning.
func TestSoak(t *testing.T) {
	text := os.Getenv("AGEPATH_SOAK")
	if text == "" {
		t.Skip("AGEPATH_SOAK=30m has workers compute for that long")
	}
	long, err := time.ParseDuration(text)
	if err != nil || long < time.Minute {
		t.Fatalf("AGEPATH_SOAK=%s: allowed are times from 1m", text)
	}
	const processes, slots, cost = 4, 2, 20 * time.Millisecond
	s := startScale(t)
	cells := (int(long/cost)*processes*slots/100 + 1) * 100
	grid := write(t, "soak", 100, cells/100)
	var list []*member
	for range processes {
		w := &member{
			name: "worker", path: os.Args[0], args: []string{s.url, strconv.Itoa(slots), s.cache},
			env: []string{asProgram + "=worker", stayVariable + "=1", costVariable + "=" + cost.String(), tellVariable + "=1"},
		}
		w.launch(t)
		list = append(list, w)
	}
	coordinator := exec.Command(builtProgram(t, "coordinator"), "run", grid, "--out", filepath.Join(t.TempDir(), "out"), "--nats", s.url, "--workers", "0", "--figures", "0")
	var log bytes.Buffer
	coordinator.Stderr = &log
	if err := coordinator.Start(); err != nil {
		t.Fatal(err)
	}
	settled := long / 5
	first := map[*member][2]int{}
	sample := time.NewTicker(long / 15)
	defer sample.Stop()
	for began := time.Now(); time.Since(began) < long; <-sample.C {
		line := fmt.Sprintf("after %v: coordinator %d MiB", time.Since(began).Round(time.Second), resident(coordinator.Process.Pid))
		for _, w := range list {
			w.mu.Lock()
			goroutines, _ := strconv.Atoi(strings.TrimPrefix(lastLine(w.log.String()), "goroutines "))
			now := [2]int{resident(w.cmd.Process.Pid), goroutines}
			w.mu.Unlock()
			line += fmt.Sprintf(", worker %d MiB, %d goroutines", now[0], now[1])
			if _, known := first[w]; !known && time.Since(began) > settled {
				first[w] = now
			}
			if then := first[w]; then[0] > 0 && (now[0] > then[0]*3/2+8 || now[1] > then[1]+2*slots+8) {
				t.Errorf("a worker grew from %d MiB and %d goroutines to %d and %d", then[0], then[1], now[0], now[1])
			}
		}
		t.Log(line)
	}
	_ = coordinator.Process.Signal(syscall.SIGTERM)
	_ = coordinator.Wait() // it was interrupted
	t.Logf("%s", lastLine(log.String()))
	for _, w := range list {
		w.stop(syscall.SIGTERM)
		if err := w.await(30 * time.Second); err != nil {
			t.Error(err)
		}
		if w.starts != 1 {
			t.Errorf("a worker was started %d times: %v", w.starts, w.surprise)
		}
	}
}
