package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

const (
	// untilMargin before [Worker.Until] the worker hands back its cells and ends its processes.
	untilMargin = 5 * time.Second
	// mostTooLong consecutive cells that are too long end a worker: others would wait for them.
	mostTooLong = 64
	// tooLongPause is how long a task too long for one worker is delayed.
	tooLongPause = 5 * time.Second
	mostRatios   = 16
	tooLong      = "they are not expected to end before this worker has to"
)

// walltime decides which cells a worker with [Worker.Until] begins.
type walltime struct {
	until time.Time // zero for no end

	mu     sync.Mutex
	ratios map[string][]float64 // of the last cells, by method, of their times to their costs
	row    int                  // consecutive cells that were too long
	begun  int64                // cells that fitted
	ended  int64                // cells computed or at their time limit
}

// UntilError says that a worker had to end before the queue was empty.
type UntilError struct {
	Begun, Ended int64 // cells that fitted; computed to their end
	TooLong      int   // cells left to others
}

func (e *UntilError) Error() string {
	text := fmt.Sprintf("the time was over before the queue was empty; %d cells were computed", e.Ended)
	if e.TooLong > 0 {
		text += fmt.Sprintf(", at least %d were too long", e.TooLong)
	}
	return text
}

// Futile reports whether the same time would not suffice again: no cell was computed, but there
// were some.
func (e *UntilError) Futile() bool { return e.Ended == 0 && (e.Begun > 0 || e.TooLong > 0) }

func (l *walltime) end() time.Time { return l.until.Add(-untilMargin) }

func (l *walltime) note(method string, cost float64, elapsed time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended++
	if l.ratios == nil {
		l.ratios = map[string][]float64{}
	}
	// A second more of both keeps a cell's fixed time out of the estimates for long ones.
	l.ratios[method] = append(l.ratios[method], (elapsed.Seconds()+1)/(cost+1))
	l.ratios[method] = l.ratios[method][max(0, len(l.ratios[method])-mostRatios):]
}

// fits reports whether a cell is expected to end in time: after its cost times the largest recent
// ratio of its method, if any, and at its time limit at the latest.
func (l *walltime) fits(method string, task *experiment.Task, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	expected := task.Cost
	if list := l.ratios[method]; len(list) > 0 {
		expected = slices.Max(list)*(task.Cost+1) - 1
	}
	if limit := task.Limits.Timeout; limit > 0 {
		expected = math.Min(expected, limit.Seconds())
	}
	if expected <= l.end().Sub(now).Seconds() {
		l.row = 0
		l.begun++
		return true
	}
	l.row++
	return false
}

// short reports whether a cell takes at most [queue.Together] by the median of its method's last cells.
func (l *walltime) short(method string, cost float64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Sorted(slices.Values(l.ratios[method]))
	return len(list) > 0 && list[len(list)/2]*(cost+1)-1 <= queue.Together
}

func (l *walltime) enough() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.row >= mostTooLong
}

var errUntil = errors.New("the time of the worker is over")

// verdict returns nil if the worker was stopped or nothing was left; left is the number of cells
// left to others.
func (l *walltime) verdict(ctx context.Context, left int) error {
	over := errors.Is(context.Cause(ctx), errUntil)
	if ctx.Err() != nil && !over || !over && left == 0 && !l.enough() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return &UntilError{Begun: l.begun, Ended: l.ended, TooLong: left}
}
