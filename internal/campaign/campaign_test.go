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
	"syscall"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/kinds"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// grid is a grid of cells of a millisecond or less.
const grid = `
name: paths
repeats: %d
models: [{lasso: {alpha: {from: 0.005, to: 0.100, step: 0.005}, intercept: true}}]
regularizers: [linear]
methods: [original, acs]
age: {min: 1, max: 3, acs_step: 0.5}
data: [diabetes]
`

// grids are what a campaign computes at a time: a grid of each kind of experiment that has one,
// 2,500 cells together, four times as many with AGEPATH_LONG=1. Their files go into dir.
func grids(t *testing.T, dir string) []sweep {
	t.Helper()
	times := 1
	if needs.Long() {
		times = 4
	}
	list := []sweep{
		{name: "paths", text: fmt.Sprintf(grid, 50*times), cells: 50 * times * (20*2 + 1), tables: []string{"knots.arrow"}},
	}
	for _, k := range kinds.All(t, "../..") {
		c := &k.Campaign
		if c.Repeats == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, k.File.Name), []byte(k.File.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		list = append(list, sweep{name: k.Name, text: fmt.Sprintf(c.Grid, c.Repeats*times), cells: c.Repeats * times * c.Cells, tables: c.Tables})
	}
	return list
}

// sweep is a grid that a campaign computes.
type sweep struct {
	name, text string
	cells      int
	tables     []string          // besides cells.arrow
	grid       string            // path
	want       map[string]string // the rows of an undisturbed run by cell
}

// patienceFor bounds a campaign.
const patienceFor = 5 * time.Minute

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

// TestCampaign computes a grid of each kind of experiment, with a coordinator for each
// grid and three workers for all, on a cluster of three NATS servers while faults of all
// kinds happen: kills, stops, lost servers, cut, dead and slow connections, full disks,
// corrupt files. Coordinators and workers are in network namespaces where this system
// allows it. Each cell must have one row with the numbers of an undisturbed run, and
// nothing may be left behind. The seed, 1 or AGEPATH_SEED, decides which faults and when;
// AGEPATH_LONG=1 goes on with the next seeds for 20 minutes. Odd seeds use servers
// in this process, even ones the nats-server program of the PATH.
func TestCampaign(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	dir := t.TempDir()
	sweeps := grids(t, dir)
	for i := range sweeps {
		sweeps[i].compute(t, dir)
	}
	program, err := systemProgram("nats-server")
	began := time.Now()
	for i, s := uint64(0), seed(t); i == 0 || needs.Long() && time.Since(began) < 20*time.Minute; i++ {
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
			campaign(t, s+i, server, sweeps)
		})
		if t.Failed() {
			break
		}
	}
}

// compute writes the grid into a folder and computes it undisturbed.
func (s *sweep) compute(t *testing.T, dir string) {
	t.Helper()
	s.grid = filepath.Join(dir, s.name+".yaml")
	if err := os.WriteFile(s.grid, []byte(s.text), 0o600); err != nil {
		t.Fatal(err)
	}
	undisturbed := filepath.Join(dir, s.name)
	coordinator := exec.Command(builtProgram(t, "coordinator"), "run", s.grid, "--out", undisturbed, "--figures", "0")
	if text, err := coordinator.CombinedOutput(); err != nil {
		t.Fatalf("the undisturbed run of %s: %v\n%s", s.name, err, text)
	}
	if s.want = numbers(t, undisturbed); len(s.want) != s.cells {
		t.Fatalf("%d cells in the undisturbed run of %s, want %d", len(s.want), s.name, s.cells)
	}
}

// campaign is one campaign.
func campaign(t *testing.T, seed uint64, server string, sweeps []sweep) {
	before := len(goroutines())
	t.Run("campaign", func(t *testing.T) {
		d := deploy(t, seed, server, sweeps)
		began := time.Now()
		for _, c := range d.coordinators {
			c.launch(t)
			c.wantProgram(t)
		}
		deadline := time.AfterFunc(patienceFor, func() {
			for _, c := range d.coordinators {
				c.stop(syscall.SIGTERM)
			}
		})
		happened := d.bombard()
		inTime := deadline.Stop()
		t.Logf("%d faults in %v", happened, time.Since(began).Round(time.Millisecond))
		for i, c := range d.coordinators {
			t.Logf("%d cells; the %s was started %d times", d.sweeps[i].cells, c.name, c.starts)
			if !inTime {
				t.Errorf("%s: not done after %v:\n%s", c.name, patienceFor, c.log.String())
			}
		}
		d.wantNothingQueued()
		d.shutDown()
		for i := range d.sweeps {
			d.wantResults(&d.sweeps[i], d.outs[i])
		}
		for _, m := range d.members() {
			for _, surprise := range m.surprise {
				t.Logf("%s: %s", m.name, surprise)
				survived := strings.Contains(surprise, "connecting to NATS") || strings.Contains(surprise, "no space left")
				if !survived || !strings.HasPrefix(surprise, "exit status 1:") {
					t.Errorf("%s ended: %s", m.name, surprise)
				}
			}
		}
		if left := leftOver(t, programs); len(left) > 0 {
			t.Errorf("processes were left behind: %v", left)
		}
	})
	wantNoNetwork(t)
	defer func() {
		if t.Failed() {
			t.Log(strings.Join(goroutines(), "\n\n"))
		}
	}()
	await(t, fmt.Sprintf("not more than the %d goroutines of before", before), func() bool { return len(goroutines()) <= before })
}

// goroutines returns the stacks of this process's goroutines but those that nats-server
// began: an embedded server that is stopped during an election may leave some.
func goroutines() []string {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return slices.DeleteFunc(strings.Split(string(stacks), "\n\n"), func(stack string) bool {
		return strings.Contains(stack, "created by github.com/nats-io/nats-server/")
	})
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
	if err != nil || len(runs) != len(d.sweeps) {
		t.Fatalf("runs %v: %v", runs, err)
	}
	if d.attacked > 0 {
		d.sift()
	}
	for _, s := range d.sweeps {
		at := slices.IndexFunc(runs, func(run string) bool { return strings.HasPrefix(run, s.name+"-") })
		if at < 0 {
			t.Fatalf("runs %v have none of %s", runs, s.name)
		}
		var last queue.Counts
		await(t, "nothing is queued and all has ended of "+s.name, func() bool {
			if last, err = q.Counts(ctx, runs[at]); err != nil {
				t.Fatal(err)
			}
			// The count comes from any node, which can be behind the one that confirmed.
			return last.Queued+last.InFlight == 0 && last.Done >= s.cells
		})
		if swept, err := q.RemoveEnded(ctx, runs[at]); swept > 0 || err != nil { // those that got stuck after the coordinator swept
			t.Logf("%d stuck tasks were swept: %v", swept, err)
		}
		// Whoever may give up tasks can add letters: what status shows counts.
		index, err := q.FailureIndex(runs[at])
		if err != nil {
			t.Fatal(err)
		}
		now, err := index.Standing(ctx, int64(s.cells))
		if err != nil {
			t.Fatal(err)
		}
		if last.Done != s.cells || now.Dead != 0 || d.attacked == 0 && last.Dead != 0 {
			t.Errorf("counts of %s %+v, status %+v, want %d done and none dead", s.name, last, now, s.cells)
		}
	}
	d.wantNothingHeld(ctx)
}

// wantResults wants a sweep's folder to hold the numbers of the undisturbed run and
// nothing else.
func (d *deployment) wantResults(s *sweep, out string) {
	t := d.t
	t.Helper()
	wantSame(t, numbers(t, out), s.want)
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	allowed := append([]string{"cells.arrow", "manifest.json", "report", "lock", ".lock"}, s.tables...)
	for _, entry := range entries {
		if !slices.Contains(allowed, entry.Name()) {
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
	rows := map[string]string{}
	addNumbers(t, rows, frame)
	return rows
}

// addNumbers adds the rows of a frame of cells to rows.
func addNumbers(t *testing.T, rows map[string]string, frame *results.Frame) {
	t.Helper()
	varying := []string{"wall_seconds", "cpu_seconds", "peak_bytes", "worker", "started_at", "finished_at"}
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
}

// exact shows a value so that different values look different.
func exact(value any) string {
	if x, ok := value.(float64); ok {
		return strconv.FormatUint(math.Float64bits(x), 16)
	}
	return fmt.Sprint(value)
}
