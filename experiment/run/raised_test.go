package run

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// demanding is the kind self-paced, of which some cells are not done within a minute
// and some need a GiB. It counts the computations.
type demanding struct {
	selfpaced.Kind
	slow, large []string
	broken      []string // diverge under low limits

	mu    sync.Mutex
	cells map[string]int
}

func (k *demanding) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	k.mu.Lock()
	k.cells[task.Cell]++
	k.mu.Unlock()
	l := task.Limits
	if slices.Contains(k.large, task.Cell) && l.Memory > 0 && l.Memory < 1<<30 {
		return experiment.Batch{}, nil, &experiment.StatusError{
			Status: experiment.Memory, Err: &experiment.MemoryError{Need: 1 << 30, Limit: l.Memory},
		}
	}
	if slices.Contains(k.broken, task.Cell) && l.Timeout < time.Minute {
		return experiment.Batch{}, nil, &experiment.StatusError{Status: experiment.Diverged, Err: errors.New("off to infinity")}
	}
	if slices.Contains(k.slow, task.Cell) && l.Timeout > 0 && l.Timeout < time.Minute {
		return experiment.Batch{}, nil, context.DeadlineExceeded // without the waiting
	}
	return k.Kind.Compute(ctx, task, data)
}

// took returns the computations since the last call.
func (k *demanding) took() map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	cells := k.cells
	k.cells = map[string]int{}
	return cells
}

const seventyFive = "repeats=15" // of five cells

// lowLimits fail 49 of 75 cells.
var lowLimits = []string{seventyFive, "limits={timeout: 30s, memory: 64MiB, attempts: 1}"}

func newDemanding(p *experiment.Plan) *demanding {
	ids := slices.Collect(p.IDs())
	return &demanding{slow: ids[:29], large: ids[29:49], cells: map[string]int{}}
}

// wantComputed wants the cells computed once each and no others.
func (k *demanding) wantComputed(t *testing.T, what string, cells []string) {
	t.Helper()
	took := k.took()
	for _, cell := range cells {
		if took[cell] != 1 {
			t.Errorf("%s: cell %s was computed %d times", what, cell, took[cell])
		}
	}
	if len(took) != len(cells) {
		t.Errorf("%s: %d cells were computed, want %d", what, len(took), len(cells))
	}
}

// TestRaisedLimits has a run with 49 of 75 cells that their limits end, and runs it
// into the same folder with higher limits: exactly those cells are computed whose
// failure the higher limits can mend.
func TestRaisedLimits(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	_, p := plan(t, lowLimits...)
	kind, out, all := newDemanding(p), t.TempDir(), slices.Collect(p.IDs())
	run := func(set ...string) *Summary {
		t.Helper()
		grid, p := plan(t, set...)
		s, err := (&Coordinator{Grid: grid, Plan: p, Kind: kind, Out: out, Workers: 2}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := run(lowLimits...); s.Counts[experiment.Timeout] != 29 || s.Counts[experiment.Memory] != 20 || s.Counts[experiment.OK] != 26 {
		t.Errorf("low limits give %v", s.Counts)
	}
	kind.wantComputed(t, "low limits", all)
	if s := run(lowLimits...); s.Computed != 0 {
		t.Errorf("the same limits compute %d cells again", s.Computed)
	}
	if s := run(seventyFive, "limits={timeout: 30s, memory: 128MiB, attempts: 1}"); s.Computed != 0 {
		t.Errorf("a memory limit below what cells need computes %d of them", s.Computed)
	}
	kind.wantComputed(t, "limits that mend nothing", nil)
	inventory, err := results.TakeInventory(t.Context(), out, nil)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int]float64{0: 30, 30: 1<<30 - 1, 50: 0} {
		if _, short, there := inventory.Newest(all[at]); short != want || !there {
			t.Errorf("cell %d is short of %g (there: %t), want %g", at, short, there, want)
		}
	}
	if s := run(seventyFive, "limits={timeout: 1h, memory: 2GiB}"); s.Computed != 49 || s.Counts[experiment.OK] != 75 {
		t.Errorf("higher limits compute %d cells, then it is %v", s.Computed, s.Counts)
	}
	kind.wantComputed(t, "higher limits", all[:49])
}

// TestRaisedLimitsOnAServer is TestRaisedLimits with two workers and a server, by
// submitting again and by retry.
func TestRaisedLimitsOnAServer(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	_, p := plan(t, lowLimits...)
	for _, way := range []string{"submit", "retry", "none"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			q, kind, all := startQueue(t), newDemanding(p), slices.Collect(p.IDs())
			submit := func(set ...string) *Submitted {
				t.Helper()
				grid, p := plan(t, set...)
				s, err := Submit(t.Context(), q, grid, p, Reuse{})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			work := func() {
				t.Helper()
				var group errgroup.Group
				for range 2 {
					w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Slots: 1, Drain: true, Idle: 10 * time.Millisecond}
					group.Go(func() error { return w.Run(t.Context()) })
				}
				if err := group.Wait(); err != nil {
					t.Fatal(err)
				}
			}
			out := t.TempDir()
			collect := func(want map[experiment.Status]int) {
				t.Helper()
				c, err := Collect(t.Context(), q, p.Run, out, "v", results.ZSTD)
				if err != nil {
					t.Fatal(err)
				}
				for _, status := range experiment.Statuses {
					if c.Counts[status] != want[status] {
						t.Errorf("collected %v, want %v", c.Counts, want)
						return
					}
				}
			}
			submit(lowLimits...)
			work()
			kind.wantComputed(t, "low limits", all)
			collect(map[experiment.Status]int{experiment.OK: 26, experiment.Timeout: 29, experiment.Memory: 20})
			if s := submit(lowLimits...); s.Published != 0 || s.Limited {
				t.Errorf("the same limits: %+v", s)
			}
			if c, err := Collect(t.Context(), q, p.Run, t.TempDir(), "v", results.ZSTD); err != nil || c.Retried != 29 {
				t.Errorf("collected %+v, %v; want 29 cells that a retry would queue", c, err)
			}
			timeout, memory := time.Hour, int64(2<<30)
			switch way {
			case "submit":
				if s := submit(seventyFive, "limits={timeout: 1h, memory: 2GiB, attempts: 1}"); s.Published != 49 {
					t.Errorf("higher limits: %+v", s)
				}
			case "retry":
				// Cells whose memory is refused by the estimate fail each time.
				s, err := Retry(t.Context(), q, p.Run, nil, []string{"limits.timeout=1h"})
				if err != nil || s.Published != 29 || s.Left != 20 {
					t.Fatalf("retrying with more time: %+v, %v", s, err)
				}
				if s, err = Retry(t.Context(), q, p.Run, nil, []string{"limits.memory=2GiB"}); err != nil || s.Published != 20 || s.Left != 0 {
					t.Fatalf("retrying with more memory: %+v, %v", s, err)
				}
			case "none":
				timeout, memory = 0, 0
				s, err := Retry(t.Context(), q, p.Run, nil, []string{"limits.timeout=none", "limits.memory=none"})
				if err != nil || s.Published != 49 || s.Left != 0 {
					t.Fatalf("retrying without limits: %+v, %v", s, err)
				}
			}
			work()
			kind.wantComputed(t, "higher limits", all[:49])
			collect(map[experiment.Status]int{experiment.OK: 75})
			d, err := Describe(t.Context(), q, p.Run)
			if err != nil {
				t.Fatal(err)
			}
			grid, err := experiment.Parse([]byte(d.Grid), d.File, d.Set)
			if err != nil || grid.Limits.Timeout != timeout || grid.Limits.Memory != memory {
				t.Errorf("the description has the limits %+v, %v", grid.Limits, err)
			}
		})
	}
}

// TestLimitsOfQueuedCells wants the limits of the last submission for cells that were
// queued before it.
func TestLimitsOfQueuedCells(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	grid, p := plan(t, lowLimits...)
	q, kind := startQueue(t), newDemanding(p)
	if _, err := Submit(t.Context(), q, grid, p, Reuse{}); err != nil {
		t.Fatal(err)
	}
	grid, p = plan(t, seventyFive, "limits={timeout: 1h}")
	s, err := Submit(t.Context(), q, grid, p, Reuse{})
	if err != nil || s.Refused != 75 || !s.Limited {
		t.Fatalf("submitted again: %+v, %v", s, err)
	}
	c := &Coordinator{Grid: grid, Plan: p, Kind: kind, Out: filepath.Join(t.TempDir(), "out"), Queue: q, Workers: 2}
	summary, err := c.Run(t.Context())
	if err != nil || summary.Counts[experiment.OK] != 75 {
		t.Errorf("%+v, %v", summary, err)
	}
	kind.wantComputed(t, "cells queued under low limits", slices.Collect(p.IDs()))
	if list, err := q.List(t.Context()); err != nil || !slices.Equal(list, []queue.Listed{{Name: p.Run, Open: true}}) {
		t.Errorf("the runs are %+v, %v", list, err)
	}
}
