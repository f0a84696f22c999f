package run

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
)

// counting is the kind self-paced, which counts how often it computes each cell and
// takes ten milliseconds more, in which a coordinator can start.
type counting struct {
	selfpaced.Kind
	mu    sync.Mutex
	cells map[string]int
}

func (k *counting) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	k.mu.Lock()
	k.cells[task.Cell]++
	k.mu.Unlock()
	more := time.NewTimer(10 * time.Millisecond)
	defer more.Stop()
	select {
	case <-more.C:
	case <-ctx.Done():
	}
	return k.Kind.Compute(ctx, task, data)
}

// TestRestartsRepeatNothing has a worker compute a run whose coordinator is stopped
// and started again as often as there is something new: no cell is computed twice.
func TestRestartsRepeatNothing(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	grid, p := plan(t, "repeats=60")
	q := startQueue(t)
	kind := &counting{cells: map[string]int{}}
	work, stop := context.WithCancel(t.Context())
	defer stop()
	var group errgroup.Group
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Slots: 2, Idle: 10 * time.Millisecond}
	group.Go(func() error { return w.Run(work) })
	c := &Coordinator{Grid: grid, Plan: p, Kind: selfpaced.Kind{}, Out: t.TempDir(), Queue: q}
	starts := 0
	for gathered := int64(0); ; {
		ctx, interrupt := context.WithCancel(t.Context())
		c.Progress = func(now Progress) {
			if starts < 20 && now.Done > gathered {
				gathered = now.Done
				interrupt()
			}
		}
		starts++
		_, err := c.Run(ctx)
		interrupt()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	stop()
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("the coordinator was started %d times", starts)
	for cell, times := range kind.cells {
		if times != 1 {
			t.Errorf("cell %s was computed %d times", cell, times)
		}
	}
	if n := int64(len(kind.cells)); n != p.Count() || starts < 2 {
		t.Errorf("%d of %d cells were computed with %d starts", n, p.Count(), starts)
	}
}

// ending is a toy that says when a computation has ended.
type ending struct {
	toy
	ended chan time.Time
}

func (k *ending) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	defer func() { k.ended <- time.Now() }()
	return k.toy.Compute(ctx, task, data)
}

// TestCancelStopsComputing cancels a run whose cell is being computed: it is
// stopped with the worker's next heartbeat, a third of AckWait, for which the test
// allows three.
func TestCancelStopsComputing(t *testing.T) {
	t.Parallel()
	const ackWait = 5 * time.Second // of an embedded server
	q := startQueue(t)
	publish(t, q, task("hang", "hang", experiment.Limits{Timeout: time.Hour}))
	kind := &ending{toy: toy{started: make(chan string, 1)}, ended: make(chan time.Time, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group errgroup.Group
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Slots: 1, Idle: 10 * time.Millisecond}
	group.Go(func() error { return w.Run(ctx) })
	<-kind.started
	began := time.Now()
	if err := q.Cancel(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	if took := (<-kind.ended).Sub(began); took > ackWait {
		t.Errorf("stopped after %v", took)
	} else {
		t.Logf("stopped after %v", took)
	}
	cancel()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if list := outcomes(t, q); len(list) != 0 {
		t.Errorf("results %v", list)
	}
}
