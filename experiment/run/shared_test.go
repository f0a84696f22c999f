package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/selfpaced"
)

// TestGrace stops a worker while it computes: within the time of grace the cell
// is finished, with no attempt used up and nothing handed back.
func TestGrace(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	publish(t, q, task("wait", "wait", experiment.Limits{Attempts: 1}))
	kind := &toy{started: make(chan string, 1), free: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Slots: 1, Idle: 10 * time.Millisecond, Grace: time.Minute}
	go func() { ended <- w.Run(ctx) }()
	<-kind.started
	cancel()
	close(kind.free)
	if err := <-ended; err != nil {
		t.Fatalf("a stopped worker returned %v", err)
	}
	if o := outcomes(t, q)["wait"]; o == nil || o.Status != experiment.OK || o.Attempts != 1 {
		t.Errorf("after the interruption: %+v, want ok in the first attempt", o)
	}
}

// TestTwoCoordinators has two coordinators compute the same run at the same
// time, each with a worker and a folder of its own.
func TestTwoCoordinators(t *testing.T) {
	t.Parallel()
	grid, p := plan(t, "repeats=20")
	q := startQueue(t)
	var group errgroup.Group
	outs := []string{t.TempDir(), t.TempDir()}
	for _, out := range outs {
		c := &Coordinator{Grid: grid, Plan: p, Kind: selfpaced.Kind{}, Out: out, Queue: q, Workers: 1}
		group.Go(func() error {
			summary, err := c.Run(t.Context())
			if err == nil && int64(summary.Counts[experiment.OK]) != p.Count() {
				t.Errorf("%s: %+v, want %d cells that are ok", out, summary, p.Count())
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	one, err := os.ReadFile(filepath.Join(outs[0], "cells.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(filepath.Join(outs[1], "cells.arrow"))
	if err != nil || string(one) != string(two) {
		t.Errorf("the two folders differ: %v", err)
	}
	if n, err := q.Counts(t.Context(), p.Run); n.Queued+n.InFlight != 0 || err != nil {
		t.Errorf("tasks are left: %+v, %v", n, err)
	}
	if list := len(outcomesOf(t, q, p.Run)); int64(list) != p.Count() {
		t.Errorf("%d results for %d cells", list, p.Count())
	}
}

// TestCancelledWhileGathered cancels a run that a coordinator waits for, as it says, since no worker
// came.
func TestCancelledWhileGathered(t *testing.T) {
	t.Parallel()
	grid, p := plan(t)
	q := startQueue(t)
	waiting := make(chan struct{})
	var once sync.Once
	c := &Coordinator{
		Grid: grid, Plan: p, Kind: selfpaced.Kind{}, Out: t.TempDir(), Queue: q, internals: internals{look: 20 * time.Millisecond},
		Report: func(err error) {
			if strings.Contains(err.Error(), fmt.Sprintf("no worker for 600ms: %d cells wait", p.Count())) { // 30 looks
				once.Do(func() { close(waiting) })
			}
		},
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.Run(t.Context())
		ended <- err
	}()
	<-waiting
	if err := q.Cancel(t.Context(), p.Run); err != nil {
		t.Fatal(err)
	}
	err := <-ended
	var cancelled *CancelledError
	if !errors.As(err, &cancelled) || cancelled.Missing != p.Count() {
		t.Errorf("a cancelled run ended with %v", err)
	}
	wantAgain(t, c, err)
}

// wantAgain runs a coordinator again, with a worker, as its error advises.
func wantAgain(t *testing.T, c *Coordinator, ended error) {
	t.Helper()
	c.Workers, c.Report = 1, nil
	s, err := c.Run(t.Context())
	if err != nil || int64(s.Counts[experiment.OK]) != c.Plan.Count() || ended == nil || !strings.Contains(ended.Error(), "the same command queues them again") {
		t.Errorf("of %v: %+v, %v", ended, s, err)
	}
}

// TestTasksLostWhileGathered takes the tasks of a run away until its coordinator gives up.
func TestTasksLostWhileGathered(t *testing.T) {
	t.Parallel()
	grid, p := plan(t)
	q := startQueue(t)
	c := &Coordinator{Grid: grid, Plan: p, Kind: selfpaced.Kind{}, Out: t.TempDir(), Queue: q, internals: internals{look: 20 * time.Millisecond}}
	ended := make(chan error, 1)
	go func() {
		_, err := c.Run(t.Context())
		ended <- err
	}()
	cells := slices.Collect(p.IDs())
	for {
		select {
		case err := <-ended:
			wantAgain(t, c, err)
			return
		default:
			if err := q.Withdraw(t.Context(), p.Run, cells); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
				t.Fatal(err)
			}
		}
	}
}

// TestCells wants the cells of a submitted plan to be listed, a damaged list to be replaced
// by the next submission, and a purge to remove it.
func TestCells(t *testing.T) {
	t.Parallel()
	grid, p := plan(t, "repeats=3")
	q := startQueue(t)
	read := func() (*Cells, error) {
		d, err := Describe(t.Context(), q, p.Run)
		if err != nil {
			t.Fatal(err)
		}
		return ReadCells(t.Context(), q, d)
	}
	for _, list := range []string{"", "too short", string(make([]byte, 16*p.Count())), string(make([]byte, 16*p.Count()+1))} {
		if list != "" {
			if err := q.PutData(t.Context(), queue.CellsOf(p.Run), strings.NewReader(list)); err != nil {
				t.Fatal(err)
			}
			if cells, err := read(); int64(len(list)) != 16*p.Count() && !errors.As(err, new(*queue.DamagedError)) {
				t.Errorf("a list of %d bytes: %v, %v", len(list), cells, err)
			}
		}
		if _, err := Submit(t.Context(), q, grid, p, Reuse{}); err != nil {
			t.Fatal(err)
		}
		cells, err := read()
		if err != nil {
			t.Fatal(err)
		}
		places := map[int]bool{}
		for id := range p.IDs() {
			place, ok := cells.Place(id)
			if !ok || !cells.Has(id) || places[place] || place < 0 || int64(place) >= p.Count() {
				t.Fatalf("cell %s is at %d, %v", id, place, ok)
			}
			places[place] = true
			for _, other := range []string{strings.ToUpper(id) + "x", id[1:], id[:31] + "g", ""} {
				if cells.Has(other) {
					t.Errorf("%q is a cell", other)
				}
			}
		}
	}
	if err := q.Cancel(t.Context(), p.Run); err != nil {
		t.Fatal(err)
	}
	if list, err := q.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("the server lists the runs %v, %v", list, err)
	}
	if err := Purge(t.Context(), q, p.Run, true); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Data(t.Context(), queue.CellsOf(p.Run)); !errors.Is(err, queue.ErrNoData) {
		t.Errorf("after the purge: %v", err)
	}
}
