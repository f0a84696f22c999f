package run

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestWalltimeFits wants cells to be taken by what cells of their method took.
func TestWalltimeFits(t *testing.T) {
	t.Parallel()
	now := time.Now()
	fits := func(l *walltime, method string, cost float64, limit time.Duration) bool {
		return l.fits(method, &experiment.Task{Cost: cost, Limits: experiment.Limits{Timeout: limit}}, now)
	}
	l := &walltime{until: now.Add(untilMargin + 100*time.Second)}
	for _, c := range []struct {
		method string
		cost   float64
		limit  time.Duration
		want   bool
	}{
		{"new", 100, 0, true},
		{"new", 100.1, 0, false},
		{"new", 1e6, 100 * time.Second, true},
		{"new", 1e6, 101 * time.Second, false},
		{"slow", 49, 0, true},           // (49+1) x 2 - 1 s
		{"slow", 50, 0, false},          // 101 s
		{"slow", 50, time.Minute, true}, // it is stopped before
		{"fast", 201, 0, true},          // (201+1) / 2 - 1 s
		{"fast", 202, 0, false},
		{"brief", 60, 0, true}, // 5 s to start do not make a long cell five times as long
		{"brief", 99, 0, false},
	} {
		if len(l.ratios) == 0 {
			l.note("slow", 9, 19*time.Second)
			l.note("fast", 9, 4*time.Second)
			l.note("brief", 0.001, 600*time.Millisecond)
		}
		if got := fits(l, c.method, c.cost, c.limit); got != c.want {
			t.Errorf("%s, cost %v, limit %v: fits %t, want %t", c.method, c.cost, c.limit, got, c.want)
		}
	}
	for range mostRatios { // what was slow before is forgotten
		l.note("slow", 9, 9*time.Second)
	}
	if !fits(l, "slow", 99, 0) {
		t.Error("the last 16 cells took what was estimated, and one of the estimated time does not fit")
	}
	for range mostTooLong - 1 {
		fits(l, "new", 1000, 0)
	}
	if l.enough() {
		t.Errorf("enough after %d cells", mostTooLong-1)
	}
	if fits(l, "new", 1000, 0); !l.enough() {
		t.Errorf("not enough after %d cells", mostTooLong)
	}
}

// costing returns a task with an estimate.
func costing(cell, spec string, seconds float64) experiment.Task {
	task := task(cell, spec, experiment.Limits{Attempts: 1})
	task.Cost = seconds
	return task
}

// TestWorkerUntil wants a worker to compute what fits into its time and to leave the rest in
// the queue with all its attempts.
func TestWorkerUntil(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	q := startQueue(t)
	publish(t, q, costing("long-1", "fine", 3600), costing("long-2", "fine", 3600), costing("short-1", "fine", 1), costing("short-2", "fine", 2))
	w := &Worker{
		Queue: q, Kinds: []experiment.Kind{&toy{}}, Slots: 1, Drain: true, Idle: 10 * time.Millisecond, Until: time.Now().Add(10 * time.Minute),
	}
	var late *UntilError
	if err := w.Run(t.Context()); !errors.As(err, &late) || late.Ended != 2 || late.TooLong != 2 || late.Futile() {
		t.Fatalf("the worker ended with %v (%+v); want 2 cells computed and 2 left", err, late)
	}
	list := outcomes(t, q)
	if len(list) != 2 || list["short-1"] == nil || list["short-2"] == nil {
		t.Errorf("results of %v", list)
	}
	w.Until = time.Time{}
	if err := w.Run(t.Context()); err != nil { // after tooLongPause
		t.Fatal(err)
	}
	if list := outcomes(t, q); len(list) != 4 || list["long-1"].Attempts != 1 {
		t.Errorf("results of %v", list)
	}
}

// TestWorkerUntilHandsBack wants a cell that takes longer than expected to be handed back in
// time, and the worker to say that its time was not enough.
func TestWorkerUntilHandsBack(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	publish(t, q, costing("wait", "wait", 0.1))
	kind := &toy{free: make(chan struct{})}
	until := time.Now().Add(untilMargin + time.Second)
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Slots: 1, Drain: true, Idle: 10 * time.Millisecond, Until: until, Grace: 100 * time.Millisecond}
	var late *UntilError
	if err := w.Run(t.Context()); !errors.As(err, &late) || late.Ended != 0 || late.Begun != 1 || !late.Futile() {
		t.Fatalf("the worker ended with %v (%+v)", err, late)
	}
	if left := time.Until(until); left < untilMargin/2 {
		t.Errorf("it ended %v before its time was over; want about %v", left, untilMargin)
	}
	close(kind.free)
	w.Until = time.Time{}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o := outcomes(t, q)["wait"]; o == nil || o.Status != experiment.OK || o.Attempts != 1 {
		t.Errorf("after that: %+v, want ok in the first attempt", o)
	}
}

// TestWorkerUntilEnough wants a worker that waits for cells to end when none fits. It runs alone: where
// declining takes longer than tooLongPause, cells that come again are among those counted.
func TestWorkerUntilEnough(t *testing.T) {
	q := startQueue(t)
	var tasks []experiment.Task
	for i := range mostTooLong + 10 {
		tasks = append(tasks, costing(fmt.Sprintf("long-%d", i), "fine", 1e6))
	}
	publish(t, q, tasks...)
	w := &Worker{Queue: q, Kinds: []experiment.Kind{&toy{}}, Slots: 2, Idle: 10 * time.Millisecond, Until: time.Now().Add(time.Hour)}
	var late *UntilError
	if err := w.Run(t.Context()); !errors.As(err, &late) || !late.Futile() || late.TooLong < mostTooLong || late.TooLong > mostTooLong+1 {
		t.Fatalf("the worker ended with %v (%+v)", err, late)
	}
	if list := outcomes(t, q); len(list) != 0 {
		t.Errorf("%d results", len(list))
	}
}
