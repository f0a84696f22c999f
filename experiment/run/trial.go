package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// trialCells is the number of cells of a method that must end with the same error, and none
// otherwise, for the others to be held back.
const trialCells = 3

// HeldError says that the rest of a method is held back: all its computed cells ended with the same
// error.
type HeldError struct {
	Method string
	Cells  int64
	Reason experiment.Reason // of the computed cells
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s: its first %d cells all ended with the same error, %q; its other %d cells are held back", e.Method, e.Reason.Count, e.Reason.Text, e.Cells)
}

// trials judge methods by their first cells. The folder's cells count, so that a killed run holds
// back the same cells after the next failure.
type trials struct {
	keepGoing bool
	commands  []string
	reasons   experiment.Reasons
	methods   map[string]*trial
	held      map[results.CellKey]*trial // cells that are held back
	due       []*trial
}

type trial struct {
	told   HeldError
	key    string // of the reason
	well   bool   // one was computed, or failed otherwise
	judged bool   // found broken
}

func (t *trials) try(method string, status experiment.Status, text, cell string, repeats bool) *trial {
	of := t.methods[method]
	if of == nil {
		of = &trial{told: HeldError{Method: method}}
		t.methods[method] = of
	}
	if status == experiment.OK {
		of.well = true
		return of
	}
	if status == experiment.Skipped {
		return of
	}
	reason := t.reasons.Add(method, status, text, cell, repeats)
	// A built-in method diverges because of the data. A cell at a limit says nothing about others
	// of its method.
	broken := status == experiment.Failed || status == experiment.Diverged && slices.Contains(t.commands, method)
	key := experiment.ReasonKey(method, status, text)
	if !broken || of.key != "" && of.key != key {
		of.well = true
		return of
	}
	of.key, of.told.Reason = key, reason
	return of
}

// judge holds back a method without a computed cell.
func (t *trials) judge(of *trial) {
	if !t.keepGoing && !of.well && !of.judged && of.told.Reason.Count >= trialCells {
		of.judged = true
		t.due = append(t.due, of)
	}
}

// lift queues a method's cells again after one was computed.
func (g *gatherer) lift(of *trial) {
	if of.told.Cells == 0 {
		return
	}
	for key, holder := range g.held {
		if holder == of {
			g.release(key)
			g.repair.cells[key] = struct{}{}
		}
	}
}

func (g *gatherer) hold(of *trial, cell string) {
	key, _ := keyOf(cell)
	g.held[key] = of
	of.told.Cells++
	g.miss(cell, -1)
}

// release makes a cell that is held back a missing one.
func (g *gatherer) release(key results.CellKey) {
	g.held[key].told.Cells--
	delete(g.held, key)
	g.miss(key.String(), 1)
}

// why marks the reasons of methods without a computed cell as repeating.
func (t *trials) why() []experiment.Reason {
	list := t.reasons.List()
	for i := range list {
		if of := t.methods[list[i].Method]; of != nil && !of.well && of.told.Reason.Count >= trialCells {
			list[i].Repeats = true
		}
	}
	return list
}

func (t *trials) heldBack() (list []*HeldError) {
	for _, of := range t.methods {
		if held := of.told; held.Cells > 0 {
			list = append(list, &held)
		}
	}
	slices.SortFunc(list, func(a, b *HeldError) int { return strings.Compare(a.Method, b.Method) })
	return list
}

// holdBack withdraws the cells of methods that judge found broken.
func (g *gatherer) holdBack(ctx context.Context, q *queue.Queue) error {
	g.mu.Lock()
	due := g.due
	g.due = nil
	g.mu.Unlock()
	for _, of := range due {
		var cells []string
		for task, err := range g.gate.plan.Tasks() {
			if err != nil {
				return err
			}
			if g.gate.tables.Text(&task.Labels, "method") != of.told.Method {
				continue
			}
			g.mu.Lock()
			if g.misses(task.Cell) {
				g.hold(of, task.Cell)
				cells = append(cells, task.Cell)
			}
			g.mu.Unlock()
		}
		if len(cells) == 0 {
			continue
		}
		g.mu.Lock()
		told := of.told
		g.mu.Unlock()
		g.report(&told)
		if err := q.Withdraw(ctx, g.gate.plan.Run, cells); err != nil {
			return fmt.Errorf("holding back %s: %w", of.told.Method, err)
		}
	}
	return nil
}

// Milestones say when scores are comparable: the first repeat is complete, then after each tenth of
// the cells.
type Milestones struct {
	First  int64 // missing cells of the first repeat
	tenths int64 // at the last milestone
	began  bool
}

// Passed reports whether a milestone was passed since the last call.
func (m *Milestones) Passed(done, total int64) bool {
	tenths := 10 * done / max(total, 1)
	if m.First > 0 || done >= total || m.began && tenths <= m.tenths {
		return false
	}
	m.began, m.tenths = true, tenths
	return true
}
