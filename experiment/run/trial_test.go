package run

import (
	"fmt"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
)

// TestTrials wants a method held back whose first three cells all end with the same error,
// and no other.
func TestTrials(t *testing.T) {
	t.Parallel()
	type end struct {
		status experiment.Status
		text   string
	}
	failed, other := end{experiment.Failed, "no module 1"}, end{experiment.Failed, "no luck"}
	ok, diverged, timeout := end{experiment.OK, ""}, end{experiment.Diverged, "NaN"}, end{experiment.Timeout, "not done"}
	for name, c := range map[string]struct {
		ends      []end
		keepGoing bool
		want      bool
	}{
		"two":              {[]end{failed, failed}, false, false},
		"three":            {[]end{failed, {experiment.Failed, "no module 2"}, failed}, false, true},
		"one was computed": {[]end{failed, ok, failed, failed}, false, false},
		"two errors":       {[]end{failed, other, failed, failed, failed}, false, false},
		"limits":           {[]end{timeout, timeout, timeout}, false, false},
		"divergence":       {[]end{diverged, diverged, diverged}, false, false},
		"told to go on":    {[]end{failed, failed, failed}, true, false},
	} {
		tr := trials{methods: map[string]*trial{}, keepGoing: c.keepGoing}
		for i, e := range c.ends {
			tr.judge(tr.try("mine", e.status, e.text, fmt.Sprint(i), false))
			tr.judge(tr.try("another", experiment.OK, "", "x", false))
		}
		if got := len(tr.due) == 1; got != c.want {
			t.Errorf("%s: held back %v, want %v", name, got, c.want)
		}
	}
	command := trials{methods: map[string]*trial{}, commands: []string{"mine"}}
	for range 3 {
		command.judge(command.try("mine", experiment.Diverged, "NaN", "c", false))
	}
	if len(command.due) != 1 {
		t.Error("a command that always diverges is not held back")
	}
}

// TestMilestones wants a table once the first repeat is complete, then after each tenth.
func TestMilestones(t *testing.T) {
	t.Parallel()
	m := Milestones{First: 20}
	var at []int64
	for done := int64(1); done <= 100; done++ {
		if m.First > 0 && done > 5 { // others come in between
			m.First--
		}
		for range 2 {
			if m.Passed(done, 100) {
				at = append(at, done)
			}
		}
	}
	if fmt.Sprint(at) != "[25 30 40 50 60 70 80 90]" {
		t.Errorf("tables at %v", at)
	}
}

// TestHeldCellEnds wants a cell of the first repeat counted once that was being computed when its
// method was held back.
func TestHeldCellEnds(t *testing.T) {
	t.Parallel()
	grid, p := plan(t)
	c := &Coordinator{Grid: grid, Plan: p, Kind: selfpaced.Kind{}, Out: t.TempDir()}
	g, err := c.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer g.store.Close()
	missing, first := g.missing, g.milestones.First
	for task, err := range p.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		if g.gate.tables.Repeat(&task.Labels) != 1 {
			continue
		}
		of := g.try("original", experiment.Failed, "no module", "x", false)
		g.hold(of, task.Cell)
		o := &experiment.Outcome{Run: p.Run, Cell: task.Cell, Kind: task.Kind, Labels: task.Labels, Status: experiment.Failed, Error: "no module", Finished: time.Now()}
		if err := g.storeMissing(o); err != nil {
			t.Fatal(err)
		}
		break
	}
	if g.missing != missing-1 || g.milestones.First != first-1 || len(g.held) != 0 {
		t.Errorf("%d of %d cells are missing, %d of %d of the first repeat, %d are held", g.missing, missing, g.milestones.First, first, len(g.held))
	}
}
