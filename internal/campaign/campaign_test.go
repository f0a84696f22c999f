//go:build unix

package campaign

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/needs"
	"github.com/agepath/agepath/results"
)

// grid is what a campaign computes: 12,000 cells of a millisecond or less,
// on a data set of the program and one from a file.
const grid = `
name: campaign
repeats: 300
models: [{lasso: {alpha: {from: 0.005, to: 0.100, step: 0.005}, intercept: true}}]
regularizers: [linear]
methods: [original, acs]
age: {min: 1, max: 3, acs_step: 0.5}
data: [diabetes]
`

const (
	cells = 300 * 20 * 2
	// patienceFor bounds a campaign.
	patienceFor = 5 * time.Minute
)

// seed returns the seed of the first campaign: AGEPATH_SEED, or 1.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("AGEPATH_SEED")
	if text == "" {
		return 1
	}
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("AGEPATH_SEED=%s: %v", text, err)
	}
	return value
}

// TestCampaign computes a grid with a coordinator and three workers on a cluster
// of three NATS servers while faults of all kinds happen: kills, stops, lost
// servers, cut, dead and slow connections, full disks, corrupt files. Coordinator
// and workers are in network namespaces where this system allows it. Each cell must
// have one row with the numbers of an undisturbed run, and nothing may be left
// behind. The seed, 1 or AGEPATH_SEED, decides which faults and when;
// AGEPATH_LONG=1 goes on with the next seeds for 20 minutes. Odd seeds use servers
// in this process, even ones the nats-server program of the PATH.
func TestCampaign(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "grid.yaml")
	if err := os.WriteFile(path, []byte(grid), 0o600); err != nil {
		t.Fatal(err)
	}
	undisturbed := filepath.Join(dir, "undisturbed")
	coordinator := exec.Command(builtProgram(t, "coordinator"), "run", path, "--out", undisturbed, "--figures", "0")
	if text, err := coordinator.CombinedOutput(); err != nil {
		t.Fatalf("the undisturbed run: %v\n%s", err, text)
	}
	want := numbers(t, undisturbed)
	if len(want) != cells {
		t.Fatalf("%d cells in the undisturbed run, want %d", len(want), cells)
	}
	program, err := systemProgram("nats-server")
	began := time.Now()
	for i, s := uint64(0), seed(t); i == 0 || os.Getenv("AGEPATH_LONG") == "1" && time.Since(began) < 20*time.Minute; i++ {
		server, name := "", "embedded servers"
		if (s+i)%2 == 0 {
			if err != nil {
				needs.Without(t, "embedded servers stand in for the nats-server program: %v", err)
			} else {
				server, name = program, program
			}
		}
		t.Run(fmt.Sprintf("seed %d", s+i), func(t *testing.T) {
			t.Logf("AGEPATH_SEED=%d, %s", s+i, name)
			campaign(t, s+i, server, path, want)
		})
		if t.Failed() {
			break
		}
	}
}

// campaign is one campaign.
func campaign(t *testing.T, seed uint64, server, grid string, want map[string]string) {
	goroutines := runtime.NumGoroutine()
	t.Run("campaign", func(t *testing.T) {
		d := deploy(t, seed, server, grid)
		began := time.Now()
		d.coordinator.launch(t)
		d.coordinator.wantProgram(t)
		deadline := time.AfterFunc(patienceFor, func() { d.coordinator.stop(15) })
		happened := d.bombard()
		if !deadline.Stop() {
			t.Errorf("not done after %v:\n%s", patienceFor, d.coordinator.log.String())
		}
		t.Logf("%d cells in %v with %d faults; the coordinator was started %d times", len(want), time.Since(began).Round(time.Millisecond), happened, d.coordinator.starts)
		d.wantNothingQueued()
		d.shutDown()
		d.wantResults(want)
		for _, m := range append(d.workers, d.coordinator) {
			for _, surprise := range m.surprise {
				t.Logf("%s: %s", m.name, surprise)
				survived := strings.Contains(surprise, "connecting to NATS") || strings.Contains(surprise, "no space left")
				if !survived || !strings.HasPrefix(surprise, "exit status 1:") {
					t.Errorf("%s ended: %s", m.name, surprise)
				}
			}
		}
		dir, _ := programs()
		if left := leftOver(t, dir); len(left) > 0 {
			t.Errorf("processes were left behind: %v", left)
		}
	})
	wantNoNetwork(t)
	await(t, fmt.Sprintf("not more than the %d goroutines of before", goroutines), func() bool { return runtime.NumGoroutine() <= goroutines })
}

// wantNothingQueued waits until every cell has ended and the task stream is empty: tasks
// whose acknowledgement got lost are delivered once more.
func (d *deployment) wantNothingQueued() {
	t := d.t
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	q, err := queue.Connect(ctx, queue.Config{URL: "nats://" + strings.Join(d.addresses, ",nats://"), Report: func(err error) { t.Log(err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	runs, err := q.Runs(ctx)
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v: %v", runs, err)
	}
	if d.attacked > 0 {
		d.sift()
	}
	var last queue.Counts
	await(t, "nothing is queued and all has ended", func() bool {
		if last, err = q.Counts(ctx, runs[0]); err != nil {
			t.Fatal(err)
		}
		// The count comes from any node, which can be behind the one that confirmed.
		return last.Queued+last.InFlight == 0 && last.Done >= cells
	})
	if swept, err := q.RemoveEnded(ctx, runs[0]); swept > 0 || err != nil { // those that got stuck after the coordinator swept
		t.Logf("%d stuck tasks were swept: %v", swept, err)
	}
	if n, err := q.Held(ctx); n != 0 || err != nil {
		t.Errorf("%d messages are left in the task stream: %v", n, err)
		d.tellHeld(ctx)
	}
	if last.Done != cells || last.Dead != 0 {
		t.Errorf("counts %+v, want %d done and none dead", last, cells)
	}
}

// wantResults wants the folder to hold the numbers of the undisturbed run and
// nothing else.
func (d *deployment) wantResults(want map[string]string) {
	t := d.t
	t.Helper()
	wantSame(t, numbers(t, d.out), want)
	entries, err := os.ReadDir(d.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains([]string{"cells.arrow", "knots.arrow", "manifest.json", "report", "lock", ".lock"}, entry.Name()) {
			t.Errorf("%s was left behind", entry.Name())
		}
	}
}

// numbers reads the rows of the cells in a folder, each cell once, without what
// differs from run to run.
func numbers(t *testing.T, dir string) map[string]string {
	t.Helper()
	frame, err := results.ReadTable(filepath.Join(dir, "cells.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	varying := []string{"wall_seconds", "cpu_seconds", "peak_bytes", "worker", "started_at", "finished_at"}
	rows := map[string]string{}
	at := frame.Index("cell")
	for i := range frame.Rows() {
		var row []string
		for j, column := range frame.Columns {
			if !slices.Contains(varying, column.Name) {
				row = append(row, column.Name+"="+exact(frame.At(j, i)))
			}
		}
		cell := frame.At(at, i).(string)
		if rows[cell] != "" {
			t.Errorf("cell %s has two rows", cell)
		}
		rows[cell] = strings.Join(row, " ")
	}
	return rows
}

// exact shows a value so that different values look different.
func exact(value any) string {
	if x, ok := value.(float64); ok {
		return strconv.FormatUint(math.Float64bits(x), 16)
	}
	return fmt.Sprint(value)
}
