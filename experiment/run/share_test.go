package run

import (
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
)

// TestShareForeign has a worker store results under a run whose plan does not have their
// cells: another run computes them. A run that shares nothing computes all of its own.
func TestShareForeign(t *testing.T) {
	t.Parallel()
	q, kind := startQueue(t), &demanding{cells: map[string]int{}}
	var told []string
	submit := func(queued, shared int, alone bool, set ...string) *experiment.Plan {
		t.Helper()
		grid, p := plan(t, set...)
		s, err := Submit(t.Context(), q, grid, p, Reuse{Alone: alone, Report: func(err error) { told = append(told, err.Error()) }})
		if err != nil || s.Published != queued || s.Shared != shared {
			t.Errorf("%v: %+v, %v; want %d cells queued, %d taken from other runs", set, s, err, queued, shared)
		}
		return p
	}
	first := submit(5, 0, false, "repeats=1")
	if n := drain(t, q, kind); n != 5 {
		t.Fatalf("%d cells were computed", n)
	}
	var some *experiment.Outcome
	for _, some = range outcomesOf(t, q, first.Run) {
		break
	}
	_, grown := plan(t, "repeats=2")
	writer := q.Results(t.Context(), func(string) uint64 { return 0 })
	for task, err := range grown.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		if task.Labels.Columns[len(task.Labels.Columns)-2].Ints[0] == 1 { // repeat
			continue
		}
		forged := *some
		forged.Cell, forged.Labels = task.Cell, task.Labels
		if err := writer.Put(&forged); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Drain(); err != nil {
		t.Fatal(err)
	}
	submit(5, 5, false, "repeats=2")
	if len(told) != 1 || !strings.HasPrefix(told[0], "5 outcomes of run "+first.Run+" are left out; the first: cell ") {
		t.Errorf("told of what is left out: %q", told)
	}
	submit(5, 0, true, "repeats=1", "name=alone")
}
